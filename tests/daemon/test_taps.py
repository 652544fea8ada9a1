"""Quick taps on the page of a simulated board, through its bytes, in time of its own; and where there is no sensor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.errors import UserError
from daemon.table.lent_inputs import LentInputs
from daemon.table.table import Table
from daemon.web.taps import EnteredDarts, Tap, TappedBoard, TappedDart
from drivers.session import Session
from protocol.codebook import Codebook, expand, shipped
from protocol.commands import CommandError
from protocol.naming import name_bed
from simulator.habits import find_habits
from simulator.memory_board import MemoryBoard
from tests.commanding import give
from tests.daemon.process import journal
from tests.plain_guard import PlainGuard
from tests.protocol.hearing import FRAMED
from tests.simulator.hurry import in_no_time
from tests.sweep import BOARDS, sweep

GAMES = {"standard": "x01", "yatzy": "yatzy_dart", "ground_round": "ground_round"}
BEDS = {"standard": "T20", "yatzy": "6i", "ground_round": "1,0"}
SENSING = [name for name in FRAMED if (book := shipped(name)).profile.miss and book.layout.name == "standard"]
"""Boards with a sensor of misses."""


class Page:
    """What the page does at one table; `board` is the simulated one, `listening` hands what it says to the table."""

    def __init__(self, table: Table, board: MemoryBoard, listening: asyncio.Task[None]) -> None:
        self.table = table
        self.board = board
        self.listening = listening
        self._tapped = TappedBoard(table, board)
        self._entered = EnteredDarts(table)
        table.subscribe(self._tapped)

    def tap(self, segment: str, visit: int | None = None) -> asyncio.Task[TappedDart]:
        """A tap; the next one need not wait for what becomes of it."""
        return asyncio.ensure_future(self._tapped.throw(Tap(segment=segment, visit=visit)))

    def enter(self, segment: str) -> asyncio.Task[TappedDart]:
        """The same where no board takes taps."""
        return asyncio.ensure_future(self._entered.throw(Tap(segment=segment)))

    async def taps(self, *segments: str) -> list[str]:
        """Taps at once: the segments as they were reported, or why they did not count."""
        found = await asyncio.gather(*map(self.tap, segments), return_exceptions=True)
        return [each.segment if isinstance(each, TappedDart) else str(each) for each in found]

    @property
    def darts(self) -> list[str]:
        """Those of the visit that is shown."""
        return [dart.segment for dart in self.table.state().turn.darts]


@asynccontextmanager
async def sitting(folder: Path, book: Codebook, *, is_on: bool = True) -> AsyncIterator[Page]:
    game = GAMES[book.layout.name]
    config = TableConfig(board=f"sim:{book.profile.id}", game=game, players=("Ann", "Bo"), takeout="button", seed="1")
    (folder / "state").mkdir()
    table = Table(config, book, folder / "state" / "main.sqlite3", "test", PlainGuard())
    await table.open()
    board = MemoryBoard(book, habits=find_habits(book.profile))
    session = Session("main", board.address, book, schemes={"sim": board.scheme})

    async def listen() -> None:
        async for item in session:
            await table.feed(item)

    async with session:
        running, listening = asyncio.create_task(table.run()), asyncio.create_task(listen())
        if is_on:
            board.plug()
            await board.wait_until_open()
            await asyncio.sleep(board.firmware.habits.wake_ms / 1000)
        yield Page(table, board, listening)
        for task in (running, listening):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    await table.close()


@pytest.mark.parametrize("name", sweep(FRAMED, BOARDS.__contains__))
@in_no_time
async def test_three_quick_taps_are_three_darts_and_the_fourth_is_refused(tmp_path: Path, name: str) -> None:
    book = shipped(name)
    bed = BEDS[book.layout.name]
    async with sitting(tmp_path, book) as page:
        reported = page.board.codebook.reported(book.layout[bed])
        assert reported is not None
        assert await page.taps(bed, bed, bed) == page.darts == [reported.id] * 3
        assert (await page.taps(bed))[0].startswith(f"{name_bed(reported.id)} did not count: ")
        assert page.table.scorer.status.counts.stray == 1


@pytest.mark.parametrize("name", sweep(["fynn", *SENSING], {"fynn", "opendarts", "granboard"}.__contains__))
@in_no_time
async def test_misses_and_neighbours_count_in_the_order_of_the_taps(tmp_path: Path, name: str) -> None:
    book = shipped(name)
    async with sitting(tmp_path, book) as page:
        miss = book.layout.miss.id
        for darts in (["T20", miss, "T20"], [miss, "T20", miss], ["DB", "SB", "DB"], [miss, miss, "D20"]):
            assert await page.taps(*darts) == page.darts == darts
            assert (await page.taps(miss))[0].startswith("all darts of this visit are thrown")
            await give(page.table, {"next": True}, "page")


@in_no_time
async def test_a_tap_that_waits_is_not_the_next_players(tmp_path: Path) -> None:
    async with sitting(tmp_path, shipped("opendarts")) as page:
        first, second = page.tap("T20"), page.tap("T20")
        await first
        await give(page.table, {"next": True}, "page")
        with pytest.raises(CommandError, match="T20 did not count: it was meant for another visit"):
            await second
        with pytest.raises(CommandError, match="T5 did not count: it was meant for another visit"):
            await page.tap("T5", visit=1)
        assert page.darts == []
        assert (await page.tap("T5", visit=2)).segment == "T5"


@in_no_time
async def test_a_tap_that_waits_is_of_the_match_that_was_seen(tmp_path: Path) -> None:
    """Not of one at another table in which this one plays along since then; and the other way round."""
    async with sitting(tmp_path, shipped("opendarts")) as page:
        table, inputs = page.table, LentInputs("north", "m1", "aaaaaaaa")
        for tap, lent in ((page.tap, inputs), (page.enter, None), (page.enter, inputs)):
            several = [tap("T20"), tap("T20")]
            await asyncio.sleep(0)  # the first one is on its way
            table.scorer.lend(lent)
            _, said = await asyncio.gather(*several, return_exceptions=True)
            assert "it was meant for another visit" in str(said)


@pytest.mark.parametrize("name", ["opendarts", "unicorn"])
@in_no_time
async def test_what_the_board_does_not_notice_is_entered_by_hand(tmp_path: Path, name: str) -> None:
    async with sitting(tmp_path, shipped(name), is_on=False) as page:
        assert await page.taps("T20", "T20", "T20") == page.darts == ["T20"] * 3
    assert journal(tmp_path) == [{"throw": "T20"}] * 3


@in_no_time
async def test_a_tap_after_one_entered_by_hand_is_a_dart_of_its_own(tmp_path: Path) -> None:
    """The table would take the board's report for the dart that was entered."""
    async with sitting(tmp_path, shipped("unicorn"), is_on=False) as page:
        assert await page.taps("T20", "T19") == ["T20", "T19"]
        page.board.plug()
        await page.board.wait_until_open()
        await asyncio.sleep(page.board.firmware.habits.wake_ms / 1000)
        assert await page.taps("T20") == ["T20"]
        assert page.darts == ["T20", "T19", "T20"]


@in_no_time
async def test_a_tap_while_the_board_starts_does_not_take_the_next_one_with_it(tmp_path: Path) -> None:
    async with sitting(tmp_path, shipped("opendarts"), is_on=False) as page:
        page.board.plug()
        await page.board.wait_until_open()
        assert await page.taps("T20") == ["T20"]
        assert journal(tmp_path) == [{"throw": "T20"}]  # by hand: the board can be heard, and does not notice darts yet
        await asyncio.sleep(page.board.firmware.habits.wake_ms / 1000)
        assert await page.taps("T20", "T20") == ["T20", "T20"]
        assert page.darts == ["T20"] * 3


@in_no_time
async def test_a_tap_that_would_wait_for_long_is_refused_at_once(tmp_path: Path) -> None:
    slow = shipped("granboard").profile
    book = expand(replace(slow, timing=replace(slow.timing, repeat_ms=60_000)))
    async with sitting(tmp_path, book) as page:
        before = asyncio.get_running_loop().time()
        assert await page.taps("T20", "T20", "T19") == [
            "T20",
            "T20 did not count: for another 60 s the board takes it for the previous dart",
            "T19",
        ]
        assert asyncio.get_running_loop().time() - before < 1
        assert page.darts == ["T20", "T19"]


@in_no_time
async def test_taps_on_a_board_that_has_fallen_silent_are_refused(tmp_path: Path) -> None:
    async with sitting(tmp_path, shipped("granboard")) as page:
        page.listening.cancel()
        assert await page.taps("T20", "D20") == [
            "T20 has not counted yet: look again before you tap again",
            "D20 has not counted yet: look again before you tap again",
        ]
        assert page.darts == []


@in_no_time
async def test_the_boards_late_report_of_a_dart_entered_by_hand_counts_once(tmp_path: Path) -> None:
    async with sitting(tmp_path, shipped("opendarts")) as page:
        await give(page.table, {"throw": "T20"}, "mqtt")
        await asyncio.sleep(0.5)
        assert page.board.hit(page.board.codebook.layout["T20"])
        await asyncio.sleep(1.2)
        assert page.darts == ["T20"]
        assert page.table.scorer.status.counts.stray == 1
        assert page.board.hit(page.board.codebook.layout["T20"])  # one entry takes one report
        await asyncio.sleep(0.5)
        assert page.darts == ["T20", "T20"]


@asynccontextmanager
async def without_sensor(folder: Path, *players: str) -> AsyncIterator[Table]:
    """A table without a sensor; the profile was that of a board which has to be asked, and has a button."""
    (folder / "oche.toml").write_text(
        f'[[table]]\nboard = "none"\nprofile = "pikado"\nplayers = {list(players)}\ntakeout_s = 1\n', encoding="utf-8"
    )
    setup = read_config(folder / "oche.toml")
    table = Table(setup.config.table[0], setup.codebooks[0], folder / "main.sqlite3", "test", PlainGuard())
    await table.open()
    running = asyncio.create_task(table.run())
    yield table
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await table.close()


def points(table: Table) -> list[int]:
    """What each side has left."""
    return [int(side.score) for side in table.state().sides]


async def test_without_a_sensor_a_tap_opens_the_next_visit_and_a_late_one_does_not(tmp_path: Path) -> None:
    async with without_sensor(tmp_path, "Ann", "Bo") as table:
        entered = EnteredDarts(table)
        for number in range(3):
            await entered.throw(Tap(segment="T20", visit=1))
            assert table.match.position.visit.darts_left == 2 - number
        for _ in range(3):  # the page that still shows Ann's visit is only slow
            await entered.throw(Tap(segment="S1", visit=1))
        assert points(table) == [321, 498]
        with pytest.raises(CommandError, match="it was meant for another visit"):
            await entered.throw(Tap(segment="S1", visit=1))
        assert points(table) == [321, 498]


@in_no_time
async def test_without_a_sensor_the_timer_opens_the_next_visit(tmp_path: Path) -> None:
    async with without_sensor(tmp_path, "Ann", "Bo") as table:
        for _ in range(3):
            await give(table, {"throw": "T20"}, "mqtt")
        await asyncio.sleep(1.1)
        await give(table, {"throw": "S1"}, "mqtt")
        assert points(table) == [321, 500]


async def test_without_a_sensor_a_tap_does_not_close_a_visit_before_a_bot(tmp_path: Path) -> None:
    async with without_sensor(tmp_path, "Ann", "bot:45") as table:
        entered = EnteredDarts(table)
        for _ in range(3):
            await entered.throw(Tap(segment="T20"))
        with pytest.raises(CommandError, match="all darts of this visit are thrown"):
            await entered.throw(Tap(segment="T20"))
        assert table.match.position.phase == "takeout"


def test_takeout_by_hits_is_refused_without_a_sensor(tmp_path: Path) -> None:
    (tmp_path / "oche.toml").write_text('[[table]]\nboard = "none"\ntakeout = "hits"\n', encoding="utf-8")
    with pytest.raises(UserError, match="needs a board with a sensor"):
        read_config(tmp_path / "oche.toml")
