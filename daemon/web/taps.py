"""Taps on the page: where the board of a table is simulated, or has no sensor, a finger on the drawn board throws.

A tap at a table without a sensor is a dart, and the first one after a visit opens the next. A simulated board is one
that the daemon hears. A finger is quicker than an arm, and three taps on one segment are three darts, while three
contacts within a moment are one. So taps are thrown one after the other, in the order in which they came, and each only
when the table would not take it for the dart before it. The bytes of the board go the usual way. What the board does
not notice (it is asleep, starting or not connected, or has no contact there) is entered as on a phone. A tap that does
not count is refused with the reason, never dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct

from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.hand_darts import LATE_S
from daemon.table.scoresheet import explain_no_dart
from protocol.commands import CommandError, Next, Throw
from protocol.segment import Segment, UnknownSegment
from protocol.sentence import Sentence, say

if TYPE_CHECKING:
    from daemon.table.table import Table
    from simulator.board import SimulatedBoard

_PATIENCE_S = 6.0
"""The longest that a tap takes; the page gives up a little later."""
_MARGIN_S = 0.001
"""Times are rounded."""


class Tap(Struct):
    """Where a finger touched the board: a point (tenths of a millimetre), or a segment by its id.

    `visit` is the number of the visit on the screen then; None: it is for the player at the oche.
    """

    x: float | None = None
    y: float | None = None
    segment: str | None = None
    visit: int | None = None


class TappedDart(Struct):
    """A tap that became a dart: the segment as the board reported it, and its line in the match."""

    segment: str
    line: int


ThrowTap = Callable[[Tap, str], Awaitable[TappedDart]]
"""Takes a tap and its client, as `Table.command` does."""


class EnteredDarts:
    """The darts of a table without a sensor, or whose board is away."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._order = asyncio.Lock()
        self._opened: tuple[str, int] | None = None
        """The visit that a tap has opened: who tapped quickly still saw the one before."""

    async def throw(self, tap: Tap, client: str = "") -> TappedDart:
        """Enters a dart. Raises UnknownSegment, and CommandError when it does not count."""
        landed, lent = _locate(tap, self._table), self._table.scorer.lent
        async with self._order:
            if self._table.scorer.lent is not lent:
                raise _make_stale(landed)
            if lent is not None:
                if tap.visit not in (None, lent.visit):
                    raise _make_stale(landed)
                await self._table.command(Throw(landed.id), "page", client=client)
                return TappedDart(landed.id, lent.line)
            visit, match = _find_visit(self._table), self._table.match
            is_thrown = match.position.phase == "takeout"
            seen = (None, visit[1], visit[1] - 1) if visit == self._opened and not is_thrown else (None, visit[1])
            if tap.visit not in seen:
                raise _make_stale(landed)
            if is_thrown and match.header.bots is None:  # else it may be a bot that is next
                await self._table.command(Next(), "page", client=client)
                self._opened = _find_visit(self._table)
            answer = await self._table.command(Throw(landed.id), "page", client=client)
        return TappedDart(landed.id, answer.line)


class TappedBoard:
    """A simulated board whose darts are taps on the page."""

    def __init__(self, table: Table, board: SimulatedBoard) -> None:
        self._table = table
        self._board = board
        self._order = asyncio.Lock()
        self._news = asyncio.Event()
        self._thrown: tuple[str, asyncio.Future[TappedDart]] | None = None
        """The dart on its way: the segment that the board is to report, and its result."""
        self._visit = _find_visit(table)
        """In which a dart was thrown last."""
        self._entered: dict[str, float] = {}
        """By segment: until when a report is taken for the dart entered while the board was away or starting."""

    def publish(self, update: Update) -> None:
        """Looks for the dart that was thrown. In another visit the darts of the last one are pulled."""
        self._news.set()
        if self._board.has_darts and self._visit != _find_visit(self._table):
            self._board.pull_darts()
        if self._thrown is None:
            return
        segment, result = self._thrown
        for event in update.events:
            if event.segment == segment and not result.done():
                if event.event_type == "dart" and event.line is not UNSET:
                    result.set_result(TappedDart(segment, event.line))
                elif event.event_type == "stray":
                    result.set_exception(CommandError(update.notice or _say_stray(segment), "illegal"))

    async def throw(self, tap: Tap, client: str = "") -> TappedDart:
        """Throws a dart where a finger touched. Raises UnknownSegment, and CommandError when it does not count."""
        landed = _locate(tap, self._table)
        seen = _find_visit(self._table)
        try:
            async with asyncio.timeout(_PATIENCE_S), self._order:
                await self._wait_turn(landed)
                is_lent = self._table.scorer.lent is not None  # since the tap, which was for the match here
                if is_lent or seen != _find_visit(self._table) or tap.visit not in (None, seen[1]):
                    raise _make_stale(landed)
                return await self._throw(landed, tap, client)
        except TimeoutError:
            said = say("refused.not_yet", "{bed} has not counted yet: look again before you tap again", bed=landed.id)
            raise CommandError(said, "unavailable") from None

    async def _wait_turn(self, landed: Segment) -> None:
        """Waits until the table has taken what came before, and would count this as a dart of its own."""
        loop = asyncio.get_running_loop()
        contact = None if landed == self._table.match.layout.miss else self._reported(landed)
        while True:
            self._news.clear()
            if self._table.backlog.waiting_s > 0:
                await self._news.wait()
                continue
            counts_from = self._table.scorer.debounce.counts_from(contact) / 1e9
            if self._board.is_heard:
                counts_from = max(counts_from, self._entered.get(self._reported(landed).id, 0.0))
            rest_s = counts_from + _MARGIN_S - loop.time()
            if rest_s <= 0:
                return
            if rest_s > _PATIENCE_S:
                said = say(
                    "refused.repeat",
                    "{bed} did not count: for another {seconds} s the board takes it for the previous dart",
                    bed=landed.id,
                    seconds=round(rest_s),
                )
                raise CommandError(said, "illegal")
            await asyncio.sleep(rest_s)

    async def _throw(self, landed: Segment, tap: Tap, client: str) -> TappedDart:
        result: asyncio.Future[TappedDart] = asyncio.get_running_loop().create_future()
        self._thrown, self._visit = (self._reported(landed).id, result), _find_visit(self._table)
        try:
            is_heard = self._board.is_heard
            if landed == self._table.match.layout.miss:
                is_noticed = self._counts_misses and self._land(landed, tap)
            else:
                is_noticed = self._land(landed, tap)
            if is_heard and is_noticed:
                return await result
        finally:
            self._thrown = None
        answer = await self._table.command(Throw(landed.id), "page", client=client)
        if not is_heard or self._board.reported(landed) is not None:  # else it never reports such a dart
            self._entered[self._reported(landed).id] = asyncio.get_running_loop().time() + LATE_S
        return TappedDart(landed.id, answer.line)

    def _land(self, landed: Segment, tap: Tap) -> bool:
        """Returns whether the board notices a dart where the finger was; of a segment, in its middle."""
        if tap.x is not None and tap.y is not None:
            from simulator.thrower import Landing  # noqa: PLC0415  no real board needs it

            return self._board.throw(Landing(round(tap.x), round(tap.y), landed))
        return self._board.miss() if landed == self._table.match.layout.miss else self._board.hit(landed)

    def _reported(self, landed: Segment) -> Segment:
        return self._board.reported(landed) or landed

    @property
    def _counts_misses(self) -> bool:
        """Whether the table would count a miss that the board senses: others it ignores in silence."""
        match = self._table.match
        return match.position.phase == "throwing" and explain_no_dart(match, "board") is None


def _locate(tap: Tap, table: Table) -> Segment:
    layout = table.match.layout
    if tap.segment is not None:
        return layout.find(tap.segment)
    if tap.x is None or tap.y is None:
        raise UnknownSegment("a tap needs x and y, or a segment")
    return layout.landed(tap.x, tap.y)


def _find_visit(table: Table) -> tuple[str, int]:
    return table.match_id, table.match.position.visit.number


def _make_stale(landed: Segment) -> CommandError:
    said = say("refused.other_visit", "{bed} did not count: it was meant for another visit", bed=landed.id)
    return CommandError(said, "stale")


def _say_stray(segment_id: str) -> Sentence:
    return say("refused.no_count", "{bed} did not count", bed=segment_id)


class Taps(Part):
    """The taps on the page of all tables. A Part.

    `boards` are the simulated ones at which they throw, by table. None: no tap throws, as long as the table has a board
    that is there.
    """

    def __init__(self, tables: Mapping[str, Table], boards: Mapping[str, SimulatedBoard] | None) -> None:
        self._tables = tables
        self._boards = {name: TappedBoard(tables[name], board) for name, board in (boards or {}).items()}
        self._entered = {name: EnteredDarts(table) for name, table in tables.items()}
        without_sensor = {name for name, table in tables.items() if not table.config.has_sensor}
        self.tables = {*self._boards, *(without_sensor if boards is not None else ())}
        """Those that take darts from the page at any time."""

    def publish(self, update: Update) -> None:
        """Tells who waits for a dart at that table."""
        if (board := self._boards.get(update.table)) is not None:
            board.publish(update)

    def find(self, table: str) -> ThrowTap | None:
        """Returns how a tap throws at this table now; None: it has a board of its own.

        In a match at another table no tap goes by way of a board: what that reports is no dart of the match here.
        """
        if (board := self._boards.get(table)) is not None and self._tables[table].scorer.lent is None:
            return board.throw
        is_taken = table in self.tables or not self._tables[table].board.sees_darts
        return self._entered[table].throw if is_taken else None
