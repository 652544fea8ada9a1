"""One match of the history, for the page: what it came to, side by side and leg by leg, its states, its record.

A match at the oche is not shown. Nor is what is hidden in one that may go on after an undo: of a match that was stopped
or conceded, or has hands, the darts and the record wait until another one has begun at its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple, TypeVar

from msgspec import Struct

from daemon.admin.answers import Refused
from daemon.admin.history.ghost import has_ghost, plan_ghost
from daemon.admin.history.played_matches import replay_match
from daemon.admin.history.source import FoundMatch, HistorySource
from daemon.admin.players.names import PlayerNames
from daemon.errors import UserError
from daemon.journal.lines import StoredMatch, encode_record
from daemon.plugins.rule_guard import call_rules
from daemon.rules import RulesFailed
from daemon.snapshot import take_snapshot
from engine.lead_curve import BestVisit, CurvePoint, draw_curve, find_best_visits
from engine.match import Match
from engine.played import ThrowRow, list_throws
from engine.position import Position, SideTallies
from engine.statistics import Figures, collect_figures
from engine.tally import Figure, Tally
from protocol.match_spec import read_header
from protocol.messages import Plan, State
from protocol.segment import Dartboard

T = TypeVar("T")
MOST_STEPS = 60
"""States in one answer, some 100 kB before they are compressed."""
_LIMIT_S = 30.0
"""Processor time for one question on a match."""


class SideReport(Struct, frozen=True):
    """What a side came to. `figures` are those of all its players together."""

    name: str
    players: tuple[str, ...]
    score: int
    legs: int
    sets: int
    won: bool
    figures: Figures
    has_ghost: bool
    """Whether one can play against its legs: it is one player, and the darts are known."""


class LegReport(Struct, frozen=True):
    """A leg. `first` is the side that began it, `winners` those who won it, none where it was stopped or conceded.

    `darts` and `values` have an element for each side: the darts thrown, and the figure of the game over them (None
    without a dart). `checkout` are the points that the last visit finished with, None where it was no checkout.
    """

    set: int
    leg: int
    first: int
    winners: tuple[int, ...]
    darts: tuple[int, ...]
    values: tuple[float | None, ...]
    checkout: int | None


class FinalVisit(Struct, frozen=True):
    """The visit that ended the match, dart by dart; "?" is a dart that its board could not read."""

    side: int
    player: str
    points: int
    darts: tuple[str, ...]


class MatchReport(Struct, frozen=True):
    """A match that is over; `at` is when it began (ISO 8601, UTC).

    `ref` is what it was asked for as, null where it was not. `layout` is the board by its name, `dartboard` which of
    those with the standard layout it is (null: it has another one), `face` how the page draws the game, `figure` what
    its players compare themselves by. `steps` is how many states there are of it, 0 while it may go on.

    `curve` is by how much the first of two sides led after each visit, `turning` the index there from which on the
    winner led for good; `best_visits` are three at most, and `match_darts_missed` has a number for each side.
    """

    match: str
    at: str
    table: str
    ref: str | None
    game: str
    title: str
    layout: str
    dartboard: Dartboard | None
    face: str
    figure: Figure
    was_stopped: bool
    format: dict[str, int]
    sides: tuple[SideReport, ...]
    legs: tuple[LegReport, ...]
    last: FinalVisit
    steps: int
    curve: tuple[CurvePoint, ...]
    turning: int | None
    best_visits: tuple[BestVisit, ...]
    match_darts_missed: tuple[int, ...]


class _Replayed(NamedTuple):
    """A match of the history, played again with the present `names`; `may_go_on` after an undo."""

    id: str
    stamp: str
    table: str
    names: PlayerNames
    at: str
    stored: StoredMatch
    match: Match
    positions: tuple[Position, ...]
    may_go_on: bool


class MatchReader:
    """Reads single matches of a history; the one that was read last is kept, for its next steps."""

    def __init__(self, source: HistorySource) -> None:
        self._source = source
        self._latest: _Replayed | None = None

    def describe(self, match_id: str) -> MatchReport | None:
        """What the match of this id came to; None when no match of that id is over. Raises UserError."""
        found = self._find(match_id)
        return found and _contain(found.id, lambda: _report_match(found))

    def list_steps(self, match_id: str, first: int) -> list[State] | None:
        """The public states from that one on, counted from 0, MOST_STEPS at most; else as `describe`."""
        found = self._find_open(match_id)
        if found is None:
            return None
        return _contain(
            found.id,
            lambda: [
                take_snapshot(found.match.at(position), found.id)
                for position in found.positions[max(0, first) :][:MOST_STEPS]
            ],
        )

    def read_record(self, match_id: str) -> tuple[str, bytes] | None:
        """The name and the content of its record; else as `describe`."""
        found = self._find_open(match_id)
        if found is None:
            return None
        return name_record(found.at, found.match.game.id, found.id), b"".join(encode_record(found.stored))

    def list_throws(self, wanted: Mapping[str, frozenset[str]]) -> Iterator[ThrowRow]:
        """Yields every dart of these players, by the ids of matches; without those that cannot be read."""
        for match_id, players in wanted.items():
            found = None
            with suppress(UserError):  # it could be read a moment ago
                found = self._find(match_id)
            if found is not None:
                at = {line.number: line.at for line in found.stored.lines}
                rows = list_throws(found.match, found.id, found.table, at)
                yield from (throw for throw in rows if throw.player in players)

    def plan_ghost(self, match_id: str, name: str, leg: int | None) -> Plan | None:
        """The match against this leg of this player; else as `describe`. Raises Refused too."""
        found = self._find_open(match_id)
        if found is None:
            return None
        plan = _contain(found.id, lambda: plan_ghost(found.match, found.positions, name, leg))
        if plan is None:
            raise Refused("unknown", "there is no such leg with one player whose darts are known one by one")
        return plan

    def write_for_newton(self, match_id: str) -> str | None:
        """The text of the QR code with which it goes back to NewTon; else as `describe`. Raises Refused too."""
        from daemon.admin.history.newton_result import write_result  # noqa: PLC0415  few matches need it

        found = self._find(match_id)
        if found is None:
            return None
        header = read_header(found.stored.header)
        return write_result(header, found.positions, found.stored.lines[-1].at)

    def _find_open(self, match_id: str) -> _Replayed | None:
        found = self._find(match_id)
        if found is not None and found.may_go_on:
            raise UserError("an undo can still continue this match: you can see its darts once another match has begun")
        return found

    def _find(self, match_id: str) -> _Replayed | None:
        for found in self._source.find_matches(match_id):
            if (replayed := self._replay(found)) is not None:
                return replayed
        return None

    def _replay(self, found: FoundMatch) -> _Replayed | None:
        """The match; None when it is not over. Raises UserError."""
        kept = self._latest
        key = found.id, found.stamp, found.table, found.names
        if kept is None or (kept.id, kept.stamp, kept.table, kept.names) != key:
            stored, result = found.read()

            def replay() -> tuple[Match, tuple[Position, ...]]:
                renamed = stored._replace(header=found.names.rename_header(stored.header))
                match = replay_match(renamed, found.layout, result)
                return match, tuple(match.list_positions()) if match.position.over else ()

            match, positions = _contain(found.id, replay)
            if not positions:
                return None
            kept = _Replayed(*key, found.at, stored, match, positions, may_go_on=False)
        position = kept.match.position
        is_hidden = position.stopped or position.conceded or kept.match.game.has_secrets(kept.match.options)
        self._latest = kept._replace(may_go_on=is_hidden and found.is_latest())
        return self._latest


def _contain(match_id: str, work: Callable[[], T]) -> T:
    """Returns what `work` does, which plays by the rules of a game; raises UserError where they fail or do not end."""
    try:
        return call_rules(work, _LIMIT_S)
    except RulesFailed as error:
        raise UserError(f"the match {match_id} cannot be replayed: {error}") from None


def _report_match(found: _Replayed) -> MatchReport:
    match, position = found.match, found.match.position
    figure, tallies = match.game.figure, _tally_sides(match, position)
    visit = position.visit
    curve, turning = draw_curve(match, found.positions)
    return MatchReport(
        match=found.id,
        at=found.at,
        table=found.table,
        ref=match.header.ref,
        game=match.game.id,
        title=match.game.title(match.options),
        layout=match.layout.name,
        dartboard=match.layout.dartboard,
        face=match.panel().face,
        figure=figure,
        was_stopped=position.stopped,
        format={"legs": match.header.format.legs, "sets": match.header.format.sets},
        sides=tuple(
            SideReport(
                name=side.name,
                players=tuple(match.seating.players[seat] for seat in side.seats),
                score=match.score(index),
                legs=position.legs[index],
                sets=position.sets[index],
                won=index in position.winners,
                figures=collect_figures(tallies[index], figure),
                has_ghost=has_ghost(match, found.positions, index),
            )
            for index, side in enumerate(match.seating.sides)
        ),
        legs=tuple(_report_legs(match, found.positions)),
        last=FinalVisit(
            visit.side,
            match.seating.players[visit.seat],
            visit.points,
            tuple(dart.bed for dart in visit.darts),
        ),
        steps=0 if found.may_go_on else len(found.positions),
        curve=curve,
        turning=turning,
        best_visits=find_best_visits(match, found.positions),
        match_darts_missed=tuple(tally.counts.get("match_darts_missed", 0) for tally in tallies),
    )


def _report_legs(match: Match, positions: Sequence[Position]) -> Iterator[LegReport]:
    """Yields the legs in which a dart was thrown."""
    before = (Tally(),) * len(match.seating.sides)
    for (set_number, leg), group in groupby(positions, lambda position: (position.visit.set, position.visit.leg)):
        first, *others = group
        last = others[-1] if others else first
        after = _tally_sides(match, last)
        darts = tuple(now.darts - then.darts for now, then in zip(after, before, strict=True))
        if any(darts):
            yield LegReport(
                set=set_number,
                leg=leg,
                first=first.visit.side,
                winners=last.leg_winners or (() if last.conceded else last.winners),
                darts=darts,
                values=tuple(
                    _compute_value_between(match.game.figure, now, then)
                    for now, then in zip(after, before, strict=True)
                ),
                checkout=last.visit.points if last.visit.checkout else None,
            )
        before = after


def _compute_value_between(figure: Figure, now: Tally, then: Tally) -> float | None:
    """The figure over the darts between two moments; None without a dart."""
    darts = now.darts - then.darts
    if not darts:
        return None
    if figure == "mpr":
        return round(3 * (now.counts.get("marks", 0) - then.counts.get("marks", 0)) / darts, 2)
    return round(3 * (now.points - then.points) / darts, 2)


def _tally_sides(match: Match, position: Position) -> tuple[Tally, ...]:
    return SideTallies(position.tallies, match.seating.sides)[:]


def name_record(at: str, game: str, match_id: str) -> str:
    """The name of the file of a record."""
    return f"{at[:10]}_{game}_{match_id}.jsonl"
