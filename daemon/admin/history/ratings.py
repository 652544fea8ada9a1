"""Ratings: how strong players are in each variant of a game, from the matches in the order in which they were played.

A match between two people, each a side alone, counts by Glicko-2; what two play on one day is one period. A match of
three sides or more, and one of teams, counts by Plackett–Luce, one after the other, and is a list of its own. Nothing
is stored: a corrected match corrects the ratings, and the order in which matches became known does not matter.

Both lists are on one scale: 1500 and a deviation of 350 is a player of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple

from msgspec import Struct

from daemon.admin.history.classes import SOURCES, ClassSource, PlayerClass, classify_players
from daemon.admin.history.head_to_head import find_duel
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


class _Rated(NamedTuple):
    """A match that is rated: the day, and the sides with the keys of their people and the place of each."""

    match: PlayedMatch
    day: date
    sides: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]


def tell_ratings(matches: Sequence[PlayedMatch], names: PlayerNames, game: str | None, today: date) -> Ratings:
    """Returns the ratings in this game or variant, or in all; averages are those of all matches."""
    selection = Selection(game)
    return Ratings(
        games=tuple(rate_players((match for match in matches if selection.has(match)), names, today)),
        players=tuple(classify_players(matches, names)),
        tables=SOURCES,
    )


def rate_players(
    matches: Iterable[PlayedMatch], names: PlayerNames, today: date, zone: tzinfo | None = None
) -> list[RatedGame]:
    """Returns the ratings as they are today, the list with the most matches first.

    `zone` is the one whose days are the periods; None: that of this machine.
    """
    found: dict[tuple[str, Method], list[_Rated]] = {}
    shown: dict[str, str] = {}
    is_handicap = cache(is_handicapped)
    for match in sorted(matches, key=lambda each: (each.at, each.id)):
        if is_handicap(match.variant):
            continue
        method, sides = _find_sides(match, names)
        if len(sides) < 2:
            continue
        shown |= {name_key(part.player): part.player for part in match.parts}
        keys = tuple(tuple(name_key(match.parts[seat].player) for seat in seats) for seats, _ in sides)
        day = datetime.fromisoformat(match.at).astimezone(zone).date()
        rated = _Rated(match, day, keys, tuple(place for _, place in sides))
        found.setdefault((match.variant, method), []).append(rated)
    games = [
        RatedGame(
            variant=variant,
            label=rated[-1].match.label,
            method=method,
            matches=len(rated),
            players=_rank(_rate_duels(rated, today) if method == "glicko2" else _rate_parties(rated), rated, shown),
        )
        for (variant, method), rated in found.items()
    ]
    return sorted(games, key=lambda game: (-game.matches, game.variant, game.method))


def _find_sides(match: PlayedMatch, names: PlayerNames) -> tuple[Method, list[tuple[tuple[int, ...], int]]]:
    """How the match is rated; and its sides that are, each with its seats and its place; [] if it is not."""
    if (duel := find_duel(match, names)) is not None:
        places = {None: (1, 1), 0: (1, 2), 1: (2, 1)}[duel.winner]
        return "glicko2", [((0,), places[0]), ((1,), places[1])]
    standings = match.standings
    is_duel = len(standings) == 2 and all(len(side.seats) == 1 for side in standings)
    if is_duel or match.was_stopped or match.has_player_twice or len(match.parts) != len(match.players):
        return "plackett_luce", []
    counted = [not part.is_bot and names.is_counted(part.player) for part in match.parts]
    return "plackett_luce", [
        (side.seats, side.place) for side in standings if all(counted[seat] for seat in side.seats)
    ]


_Way = dict[str, list[RatingPoint]]
"""The points of each player, by key; the last one is the rating of today."""


def _rate_duels(rated: Sequence[_Rated], today: date) -> _Way:
    ratings: dict[str, glicko2.Rating] = {}
    last: dict[str, date] = {}
    ways: _Way = {}
    for day, group in groupby(rated, key=lambda each: each.day):
        outcomes: dict[str, list[tuple[str, float]]] = {}
        for each in group:
            (one,), (other,) = each.sides
            score = 0.5 if each.places[0] == each.places[1] else float(each.places[0] < each.places[1])
            outcomes.setdefault(one, []).append((other, score))
            outcomes.setdefault(other, []).append((one, 1 - score))
        before = {
            key: glicko2.rest_for(ratings[key], max(0, (day - last[key]).days - 1)) if key in ratings else glicko2.START
            for key in outcomes
        }
        for key, games in outcomes.items():
            ratings[key] = glicko2.rate_period(
                before[key], [glicko2.Outcome(before[other], score) for other, score in games]
            )
            last[key] = day
            ways.setdefault(key, []).append(_describe(day, ratings[key].rating, ratings[key].deviation))
    for key, rating in ratings.items():
        now = glicko2.rest_for(rating, max(0, (today - last[key]).days))
        ways[key].append(_describe(today, now.rating, now.deviation))
    return ways


def _rate_parties(rated: Sequence[_Rated]) -> _Way:
    beliefs: dict[str, Belief] = {}
    ways: _Way = {}
    for each in rated:
        teams = [tuple(beliefs.get(key, plackett_luce.START) for key in side) for side in each.sides]
        for side, team in zip(each.sides, rate_match(teams, each.places), strict=True):
            for key, belief in zip(side, team, strict=True):
                beliefs[key] = belief
                ways.setdefault(key, []).append(_convert(each.day, belief))
    for way in ways.values():
        way.append(way[-1])
    return ways


def _convert(day: date, belief: Belief) -> RatingPoint:
    """The point on the scale of Glicko-2."""
    rating = glicko2.START.rating + _SCALE * (belief.mean - plackett_luce.START.mean)
    return _describe(day, rating, _SCALE * belief.deviation)


def _describe(day: date, rating: float, deviation: float) -> RatingPoint:
    return RatingPoint(day.isoformat(), round(rating, 1), round(deviation, 1))


def _rank(ways: _Way, rated: Sequence[_Rated], shown: Mapping[str, str]) -> tuple[RatedPlayer, ...]:
    counts: dict[str, int] = {}
    for key in _list_keys(rated):
        counts[key] = counts.get(key, 0) + 1
    listed = []
    for key, (*way, now) in ways.items():
        least = round(now.rating - 2 * now.deviation, 1)
        listed.append(
            (
                -least,
                key,
                RatedPlayer(
                    name=shown[key],
                    rating=now.rating,
                    deviation=now.deviation,
                    least=least,
                    matches=counts[key],
                    last=way[-1].day,
                    points=tuple(way[-_POINTS:]),
                ),
            )
        )
    listed.sort(key=lambda each: each[:2])
    return tuple(player for _, _, player in listed)


def _list_keys(rated: Iterable[_Rated]) -> Iterator[str]:
    return (key for each in rated for side in each.sides for key in side)
