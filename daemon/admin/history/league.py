"""The league of a month: a table of all who played against each other in it.

Every match between two people, each a side alone, that began in the month counts: three points for a win, one for a
draw. Players with equal points are put in order by the points of the matches among them, then by the figure of the
game that was played most in the month.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from msgspec import Struct, field

from daemon.admin.history.digest import DRAWN, DigestedMatch, PartDigest, Shown
from daemon.admin.history.player_figures import start_of_day
from engine.statistics import collect_figures
from engine.tally import Figure
from protocol.player_names import name_key

WIN, DRAW = 3, 1
"""Points."""
MOST_MONTHS = 60


class LeaguePlayer(Struct, frozen=True):
    """A line of the table. Those who are level in everything share the `place`, counted from 1.

    `legs` are won and lost; `value` is the average or the marks per round in the game of the table, over `value_darts`.
    """

    place: int
    name: str
    points: int
    played: int
    won: int
    drawn: int
    lost: int
    legs: tuple[int, int]
    value: float | None
    value_darts: int


class League(Struct, frozen=True):
    """The table of a month (2026-11). `months` are those that have one, and this month, the latest first.

    `label` is the game that was played most, and `figure` says what `value` is in it; None if nobody has played.
    """

    month: str
    months: tuple[str, ...]
    label: str | None
    figure: Figure | None
    players: tuple[LeaguePlayer, ...]


class _Player(Struct, array_like=True):
    """The matches of a player in a month, what was thrown in them by variant, and the points against each other one."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    legs: int = 0
    legs_won: int = 0
    thrown: dict[str, PartDigest] = field(default_factory=dict[str, PartDigest])
    points_against: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def points(self) -> int:
        return WIN * self.won + DRAW * self.drawn

    def add(self, other: str, place: int, match: DigestedMatch) -> None:
        """Adds a match in which the player has this place."""
        part, winner = match.digest.parts[place], match.digest.winner
        self.won += winner == place
        self.drawn += winner == DRAWN
        self.lost += winner == 1 - place
        self.legs += part.legs
        self.legs_won += part.legs_won
        points = DRAW if winner == DRAWN else WIN if winner == place else 0
        self.points_against[other] = self.points_against.get(other, 0) + points
        if match.kind.variant not in self.thrown:
            self.thrown[match.kind.variant] = PartDigest()
        self.thrown[match.kind.variant].add(part)


class _Variant(Struct, array_like=True):
    """How often a variant was played in a month, and what it is called."""

    label: str
    figure: Figure
    matches: int = 0


class MonthBook(Struct):
    """A month as far as matches were added to it, as JSON too. It has no names: players are called by their keys."""

    variants: dict[str, _Variant] = field(default_factory=dict[str, _Variant])
    players: dict[str, _Player] = field(default_factory=dict[str, _Player])

    def add(self, match: DigestedMatch) -> None:
        """Adds the next match of the month, if two people have played against each other in it."""
        if match.digest.winner is None:
            return
        kind = match.kind
        variant = self.variants.setdefault(kind.variant, _Variant(kind.label, kind.figure))
        variant.label, variant.figure = kind.label, kind.figure
        variant.matches += 1
        keys = match.keys[0], match.keys[1]
        for place, key in enumerate(keys):
            self.players.setdefault(key, _Player()).add(keys[1 - place], place, match)


def month_of(moment: datetime | date) -> str:
    """The month in which it is, as in 2026-11."""
    return f"{moment:%Y-%m}"


def find_bounds(month: str) -> tuple[datetime, datetime]:
    """Returns when this month (2026-11) begins and ends in the local time zone."""
    first = date.fromisoformat(f"{month}-01")
    try:
        after = (first + timedelta(days=31)).replace(day=1)
    except OverflowError:  # the last month of the calendar
        return start_of_day(first), datetime.max.replace(tzinfo=UTC)
    return start_of_day(first), start_of_day(after)


def add_up_month(matches: Iterable[DigestedMatch], month: str) -> MonthBook:
    """Returns what these of the matches come to that were played in the month."""
    book = MonthBook()
    for match in matches:
        if month_of(date.fromordinal(match.day)) == month:
            book.add(match)
    return book


def make_league(book: MonthBook, shown: Shown, month: str, others: Collection[str]) -> League:
    """Returns the table of the month; these other months are among those that are offered."""
    variants = book.variants
    most = max(variants, key=lambda name: variants[name].matches, default=None)  # of several the one played first
    main = None if most is None else variants[most]
    return League(
        month=month,
        months=tuple(sorted({month, *others}, reverse=True)[:MOST_MONTHS]),
        label=None if main is None else main.label,
        figure=None if main is None else main.figure,
        players=_rank(book.players, shown, most, main),
    )


def _rank(
    players: Mapping[str, _Player], shown: Shown, most: str | None, main: _Variant | None
) -> tuple[LeaguePlayer, ...]:
    known = [key for key in players if key in shown]
    values = {key: _find_value(players[key], most, main) for key in known}
    ranked: list[LeaguePlayer] = []
    for _, level in groupby(sorted(known, key=lambda key: -players[key].points), key=lambda key: players[key].points):
        among = {*level}
        first = len(ranked) + 1
        before: object = None
        orders = {key: (-_count_among(players[key], among), -(values[key][0] or 0.0)) for key in among}
        for n, key in enumerate(sorted(among, key=lambda key: (orders[key], name_key(shown[key])))):
            place = ranked[-1].place if orders[key] == before else first + n
            ranked.append(_describe(players[key], shown[key], place, values[key]))
            before = orders[key]
    return tuple(ranked)


def _count_among(player: _Player, others: Collection[str]) -> int:
    return sum(points for other, points in player.points_against.items() if other in others)


def _find_value(player: _Player, most: str | None, main: _Variant | None) -> tuple[float | None, int]:
    """The figure in the variant played most, and the darts that it is of."""
    if most is None or main is None or most not in player.thrown:
        return None, 0
    tally = player.thrown[most].tally
    return collect_figures(tally, main.figure).value(main.figure), tally.darts


def _describe(player: _Player, name: str, place: int, value: tuple[float | None, int]) -> LeaguePlayer:
    return LeaguePlayer(
        place=place,
        name=name,
        points=player.points,
        played=player.won + player.drawn + player.lost,
        won=player.won,
        drawn=player.drawn,
        lost=player.lost,
        legs=(player.legs_won, player.legs - player.legs_won),
        value=value[0],
        value_darts=value[1],
    )


def read_month(text: str) -> str:
    """Returns the month that is written, as in 2026-11. Raises ValueError."""
    return month_of(date.fromisoformat(f"{text}-01"))
