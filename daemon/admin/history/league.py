"""The league of a month: a table of all who played against each other in it.

Every match between two people, each a side alone, that began in the month counts: three points for a win, one for a
draw. Players with equal points are put in order by the points of the matches among them, then by the figure of the
game that was played most in the month.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from daemon.admin.history.head_to_head import Duel, list_duels
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, start_of_day
from daemon.admin.players.names import PlayerNames
from engine.played import PlayerPart
from engine.statistics import collect_figures
from engine.tally import Figure, pool_tallies

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


class _Entry(NamedTuple):
    """A player with the matches of the month, in each of which the player has the first place."""

    key: str
    duels: list[Duel]

    @property
    def points(self) -> int:
        return sum(map(_count_points, self.duels))


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


def make_league(matches: Iterable[PlayedMatch], month: str, others: Collection[str], names: PlayerNames) -> League:
    """Returns the table of the month; these other months are among those that are offered."""
    by_month: dict[str, list[Duel]] = {}
    for duel in list_duels(matches, Selection(), names):
        by_month.setdefault(month_of(datetime.fromisoformat(duel.match.at).astimezone()), []).append(duel)
    duels = by_month.get(month, [])
    variant = _find_main_variant(duels)
    main = [duel.match for duel in duels if duel.match.variant == variant]
    return League(
        month=month,
        months=tuple(sorted({*by_month, month, *others}, reverse=True)[:MOST_MONTHS]),
        label=main[-1].label if main else None,
        figure=main[-1].figure if main else None,
        players=_rank(duels, variant),
    )


def _find_main_variant(duels: Collection[Duel]) -> str | None:
    """The variant that was played most; of several the one played first."""
    counts: dict[str, int] = {}
    for duel in duels:
        counts[duel.match.variant] = counts.get(duel.match.variant, 0) + 1
    return max(counts, key=counts.__getitem__, default=None)


def _rank(duels: Iterable[Duel], variant: str | None) -> tuple[LeaguePlayer, ...]:
    found: dict[str, list[Duel]] = {}
    for duel in duels:
        for each in (duel, duel.turn()):
            found.setdefault(each.keys[0], []).append(each)
    entries = [_Entry(key, of_one) for key, of_one in found.items()]
    values = {entry.key: _find_value(entry.duels, variant) for entry in entries}
    ranked: list[LeaguePlayer] = []
    for _, level in groupby(sorted(entries, key=lambda entry: -entry.points), key=lambda entry: entry.points):
        among = [*level]
        first = len(ranked) + 1
        before: object = None
        for n, (order, entry) in enumerate(_order(among, values)):
            place = ranked[-1].place if order == before else first + n
            ranked.append(_describe(entry, place, values[entry.key]))
            before = order
    return tuple(ranked)


def _order(
    entries: Collection[_Entry], values: Mapping[str, tuple[float | None, int]]
) -> list[tuple[tuple[int, float], _Entry]]:
    """Those with equal points in their order, each with what it was put in order by."""
    keys = {entry.key for entry in entries}
    found = [
        (
            (-sum(_count_points(duel) for duel in entry.duels if duel.keys[1] in keys), -(values[entry.key][0] or 0.0)),
            entry,
        )
        for entry in entries
    ]
    return sorted(found, key=lambda each: (each[0], each[1].key))


def _count_points(duel: Duel) -> int:
    """Points of the one in the first place."""
    return DRAW if duel.winner is None else WIN if duel.winner == 0 else 0


def _find_value(duels: Iterable[Duel], variant: str | None) -> tuple[float | None, int]:
    """The figure of the one in the first place in this variant, and the darts that it is of."""
    those = [duel for duel in duels if duel.match.variant == variant]
    if not those:
        return None, 0
    tally = pool_tallies(duel.parts[0].tally for duel in those)
    figure = those[-1].match.figure
    return collect_figures(tally, figure).value(figure), tally.darts


def _describe(entry: _Entry, place: int, value: tuple[float | None, int]) -> LeaguePlayer:
    winners = [duel.winner for duel in entry.duels]
    mine = [duel.parts[0] for duel in entry.duels]
    won, played = (sum(_count_legs(part, name) for part in mine) for name in ("legs_won", "legs"))
    return LeaguePlayer(
        place=place,
        name=mine[-1].player,
        points=entry.points,
        played=len(winners),
        won=winners.count(0),
        drawn=winners.count(None),
        lost=winners.count(1),
        legs=(won, played - won),
        value=value[0],
        value_darts=value[1],
    )


def _count_legs(part: PlayerPart, name: str) -> int:
    return part.tally.counts.get(name, 0)


def read_month(text: str) -> str:
    """Returns the month that is written, as in 2026-11. Raises ValueError."""
    return month_of(date.fromisoformat(f"{text}-01"))
