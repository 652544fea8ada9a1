"""Ratings: how strong players are in each variant of a game, from the matches in the order in which they were played.

A match between two people, each a side alone, counts by Glicko-2; what two play on one day is one period. A match of
three sides or more, and one of teams, counts by Plackett–Luce, one after the other, and is a list of its own. A
corrected match corrects the ratings, and the order in which matches became known does not matter.

Both lists are on one scale: 1500 and a deviation of 350 is a player of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, tzinfo
from functools import cache
from typing import Literal

from msgspec import Struct, field

from daemon.admin.history.classes import SOURCES, ClassSource, PlayerClass, PlayerPools, classify_players
from daemon.admin.history.digest import DRAWN, DigestedMatch, Shown, digest_matches
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection
from daemon.admin.players.names import PlayerNames
from engine.games import is_handicapped
from engine.ratings import glicko2, plackett_luce
from engine.ratings.plackett_luce import Belief, rate_match
from protocol.player_names import name_key

Method = Literal["glicko2", "plackett_luce"]
_POINTS = 20
"""How many points of the way of a player are told, the latest."""
_SCALE = glicko2.START.deviation / plackett_luce.START.deviation
"""Of a deviation by Plackett–Luce, to that by Glicko-2."""
_EVERYBODY, _NOBODY = slice(0, None), slice(0, 0)
_is_handicapped = cache(is_handicapped)


class RatingPoint(Struct, frozen=True):
    """A rating after the matches of a day (Glicko-2), or after a match on that day (Plackett–Luce)."""

    day: str
    rating: float
    deviation: float


class RatedPlayer(Struct, frozen=True):
    """A player in a list. `least` is the rating minus two deviations, by which the list is ordered.

    `matches` is how many the rating is from, and `last` the day of the last one. `points` is the way there, oldest
    first, the latest twenty.
    """

    name: str
    rating: float
    deviation: float
    least: float
    matches: int
    last: str
    points: tuple[RatingPoint, ...]


class RatedGame(Struct, frozen=True):
    """The ratings in one variant by one method, the best player first."""

    variant: str
    label: str
    method: Method
    matches: int
    players: tuple[RatedPlayer, ...]


class Ratings(Struct, frozen=True):
    """The ratings in each variant, that with the most matches first; and averages with their classes by `tables`."""

    games: tuple[RatedGame, ...]
    players: tuple[PlayerClass, ...]
    tables: tuple[ClassSource, ...]


class _Player(Struct, array_like=True):
    """How strong a player was after the last match, on that day; by Plackett–Luce the mean and its deviation."""

    rating: float
    deviation: float
    volatility: float
    last: int = 0
    matches: int = 0
    points: list[tuple[int, float, float]] = []

    def note(self, day: int, matches: int, rating: float, deviation: float) -> None:
        self.last = day
        self.matches += matches
        self.points.append((day, round(rating, 1), round(deviation, 1)))
        del self.points[:-_POINTS]


class _GameBook(Struct):
    """The players of a variant by one method; and the matches of `day`, which are rated once it is over.

    Such a match has the keys of the two and what the first one has won: 1, 0.5 or 0.
    """

    game: str
    variant: str
    title: str
    method: Method
    matches: int = 0
    players: dict[str, _Player] = field(default_factory=dict[str, _Player])
    day: int = 0
    played: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])

    @property
    def kind(self) -> PlayedMatch:
        """A match of this variant."""
        return PlayedMatch("", "", "", self.game, self.variant, self.title)


class RatingBook(Struct):
    """Ratings as far as matches were added to them, as JSON too; the next match must be none before these.

    It has no names: players are called by their keys.
    """

    games: dict[str, _GameBook] = field(default_factory=dict[str, _GameBook])
    pools: dict[str, PlayerPools] = field(default_factory=dict[str, PlayerPools])

    def add(self, match: DigestedMatch) -> None:
        """Adds the next match."""
        for part in match.digest.parts:
            if (key := match.keys[part.seat]) not in self.pools:
                self.pools[key] = PlayerPools()
            self.pools[key].add(part)
        if match.digest.winner is not None and not _is_handicapped(match.kind.variant):
            game = self._find_game(match, "glicko2")
            if game.day != match.day:
                _end_day(game)
                game.day = match.day
            first = 0.5 if match.digest.winner == DRAWN else 1.0 - match.digest.winner
            game.played.append((match.keys[0], match.keys[1], first))
        elif len(match.digest.sides) > 1 and not _is_handicapped(match.kind.variant):
            _rate_party(self._find_game(match, "plackett_luce"), match)

    def _find_game(self, match: DigestedMatch, method: Method) -> _GameBook:
        kind, name = match.kind, f"{method} {match.kind.variant}"
        if name not in self.games:
            self.games[name] = _GameBook(kind.game, kind.variant, kind.title, method)
        game = self.games[name]
        game.title = kind.title
        game.matches += 1
        return game


def _end_day(game: _GameBook) -> None:
    """Rates what was played on the day: all by what they were before it."""
    outcomes: dict[str, list[tuple[str, float]]] = {}
    for one, other, score in game.played:
        outcomes.setdefault(one, []).append((other, score))
        outcomes.setdefault(other, []).append((one, 1 - score))
    before = {key: _find_before(game.players.get(key), game.day) for key in outcomes}
    for key, found in outcomes.items():
        now = glicko2.rate_period(before[key], [glicko2.Outcome(before[other], score) for other, score in found])
        player = game.players.setdefault(key, _Player(*glicko2.START))
        player.rating, player.deviation, player.volatility = now
        player.note(game.day, len(found), now.rating, now.deviation)
    game.played.clear()


def _find_before(player: _Player | None, day: int) -> glicko2.Rating:
    if player is None:
        return glicko2.START
    return glicko2.rest_for(_rating_of(player), max(0, day - player.last - 1))


def _rating_of(player: _Player) -> glicko2.Rating:
    return glicko2.Rating(player.rating, player.deviation, player.volatility)


def _rate_party(game: _GameBook, match: DigestedMatch) -> None:
    sides = [[match.keys[seat] for seat in seats] for seats, _ in match.digest.sides]
    players = [[game.players.get(key) or _Player(*plackett_luce.START, 0.0) for key in side] for side in sides]
    teams = [tuple(Belief(each.rating, each.deviation) for each in side) for side in players]
    rated = rate_match(teams, [place for _, place in match.digest.sides])
    for keys, side, team in zip(sides, players, rated, strict=True):
        for key, player, belief in zip(keys, side, team, strict=True):
            game.players[key] = player
            player.rating, player.deviation = belief
            player.note(match.day, 1, *_convert(belief))


def _convert(belief: Belief) -> tuple[float, float]:
    """The rating and the deviation on the scale of Glicko-2."""
    return glicko2.START.rating + _SCALE * (belief.mean - plackett_luce.START.mean), _SCALE * belief.deviation


def add_up(matches: Iterable[DigestedMatch]) -> RatingBook:
    """Returns the ratings after these matches, which are in their order."""
    book = RatingBook()
    for match in matches:
        book.add(match)
    return book


def tell_ratings(
    book: RatingBook,
    shown: Shown,
    game: str | None,
    today: date,
    *,
    method: str | None = None,
    piece: slice = _EVERYBODY,
) -> Ratings:
    """Returns the ratings in this game or variant, or in all; averages are those of all matches.

    Each list has this piece of its players. A piece with an end is that of one list: the others have no players.
    Nothing can be added to the book afterwards. Who is not in `shown` is left out.
    """
    selection = Selection(game)
    games = [each for each in book.games.values() if selection.has(each.kind) and method in (None, each.method)]
    is_piece = piece.stop is not None
    games.sort(key=lambda each: (is_piece and each.variant != game, -each.matches, each.variant, each.method))
    told = [
        _tell_game(each, shown, today, _NOBODY if is_piece and place else piece) for place, each in enumerate(games)
    ]
    return Ratings(games=tuple(told), players=tuple(classify_players(book.pools, shown)[piece]), tables=SOURCES)


def rate_players(
    matches: Iterable[PlayedMatch], names: PlayerNames, today: date, zone: tzinfo | None = None
) -> list[RatedGame]:
    """Returns the ratings as they are today, the list with the most matches first, by the days of this zone."""
    digests, shown = digest_matches(matches, names, zone)
    return [*tell_ratings(add_up(digests), shown, None, today).games]


def _tell_game(game: _GameBook, shown: Shown, today: date, piece: slice) -> RatedGame:
    _end_day(game)
    listed = []
    for key, player in game.players.items() if piece != _NOBODY else ():
        if (name := shown.get(key)) is None:
            continue
        now = player.points[-1][1:]
        if game.method == "glicko2":
            rested = glicko2.rest_for(_rating_of(player), max(0, today.toordinal() - player.last))
            now = round(rested.rating, 1), round(rested.deviation, 1)
        listed.append((round(now[0] - 2 * now[1], 1), name, now, player))
    listed.sort(key=lambda each: (-each[0], name_key(each[1])))
    players = tuple(
        RatedPlayer(
            name=name,
            rating=now[0],
            deviation=now[1],
            least=least,
            matches=player.matches,
            last=_write_day(player.last),
            points=tuple(RatingPoint(_write_day(day), *point) for day, *point in player.points),
        )
        for least, name, now, player in listed[piece]
    )
    return RatedGame(game.variant, game.kind.label, game.method, game.matches, players)


@cache
def _write_day(day: int) -> str:
    return date.fromordinal(day).isoformat()
