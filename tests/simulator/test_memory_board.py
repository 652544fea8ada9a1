"""Boards in memory: what a radio does to those who listen, through the session that heals it; in time of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from drivers.schemes import parse
from drivers.session import Session
from drivers.transport import Lost, Refused, Transport, Unavailable
from protocol.codebook import Codebook, shipped
from protocol.events import Battery, BoardEvent, BoardItem, Garbage, Hit, Light, LinkDown
from simulator.habits import HABITS, PLAIN, Habits, find_habits
from simulator.memory_board import MemoryBoard
from tests.simulator.hurry import in_no_time

GRANBOARD = shipped("granboard")
UNICORN = shipped("unicorn")
T20 = GRANBOARD.layout["T20"]


async def connect(board: MemoryBoard) -> Transport:
    return await board.scheme.open(parse(board.address, {"sim": board.scheme}), board.codebook.profile)


class Listening:
    """A session, and what it has said so far."""

    def __init__(self, board: MemoryBoard) -> None:
        self.session = Session("main", board.address, board.codebook, schemes={"sim": board.scheme})
        self.heard: list[BoardItem] = []
        self._news = asyncio.Event()

    async def run(self) -> None:
        async for item in self.session:
            self.heard.append(item)
            self._news.set()

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._news.clear()
            await self._news.wait()

    async def until_darts(self, count: int) -> None:
        await self.until(lambda: len(self.darts) >= count)

    @property
    def darts(self) -> list[str]:
        return [item.segment.id for item in self.heard if isinstance(item, Hit)]

    @property
    def charges(self) -> list[int]:
        return [item.percent for item in self.heard if isinstance(item, Battery)]

    @property
    def links(self) -> list[str]:
        """up, or the kind of trouble."""
        return [
            item.kind if isinstance(item, LinkDown) else "up" for item in self.heard if not isinstance(item, BoardEvent)
        ]


@asynccontextmanager
async def listening(board: MemoryBoard) -> AsyncIterator[Listening]:
    ear = Listening(board)
    async with ear.session:
        task = asyncio.create_task(ear.run())
        yield ear
        task.cancel()


def board_of(book: Codebook, habits: Habits = PLAIN) -> MemoryBoard:
    return MemoryBoard(book, habits=habits)


@in_no_time
async def test_a_board_that_is_off_comes_when_it_is_switched_on() -> None:
    board = board_of(GRANBOARD)
    async with listening(board) as ear:
        await ear.until(lambda: ear.links == ["unavailable"])
        async with board:
            await board.wait_until_open()
            board.hit(T20)
            await ear.until(lambda: ear.darts == ["T20"])
        await ear.until(lambda: ear.links == ["unavailable", "up", "lost", "unavailable"])


@in_no_time
async def test_a_drop_in_the_middle_of_a_frame_heals() -> None:
    async with board_of(GRANBOARD, HABITS["granboard"]) as board, listening(board) as ear:
        await board.wait_until_open()
        for count in range(1, 6):
            board.write_raw(b"3.")
            board.drop()
            await board.wait_until_open()
            board.hit(T20)
            await ear.until_darts(2 * count)  # it says each twice
        assert set(ear.darts) == {"T20"}
        assert not [item for item in ear.heard if isinstance(item, Garbage)]


@in_no_time
async def test_a_second_link_is_refused() -> None:
    async with board_of(GRANBOARD) as board:
        phone = await connect(board)
        with pytest.raises(Refused, match="already has a connection"):
            await connect(board)
        await phone.aclose()
        await (await connect(board)).aclose()


@in_no_time
async def test_a_unicorn_is_hidden_for_a_while_after_its_last_host() -> None:
    async with board_of(UNICORN) as board:
        await (await connect(board)).aclose()
        freed = asyncio.get_running_loop().time()
        async with listening(board) as ear:
            await ear.until(lambda: "up" in ear.links)
            assert asyncio.get_running_loop().time() - freed >= 2.5
            assert ear.links == ["unavailable", "up"]


@in_no_time
async def test_a_unicorn_falls_asleep_and_is_woken_by_a_dart() -> None:
    async with board_of(UNICORN, HABITS["unicorn"]) as board, listening(board) as ear:
        await ear.until(lambda: ear.links == ["up"])
        await asyncio.sleep(3600)
        assert ear.links == ["up", "lost", "unavailable"]
        assert not board.hit(T20), "that dart only wakes it"
        await board.wait_until_open()
        board.hit(T20)
        await ear.until(lambda: ear.darts[:1] == ["T20"])


@in_no_time
async def test_a_unicorn_tells_its_charge() -> None:
    async with board_of(UNICORN, HABITS["unicorn"]) as board, listening(board) as ear:
        await ear.until(lambda: ear.charges == [80])
        board.firmware.charge = 35
        await ear.until(lambda: ear.charges == [80, 35])


@in_no_time
async def test_a_slow_reader_is_dropped_by_a_dartslive() -> None:
    book = shipped("dartslive-home")
    async with board_of(book, find_habits(book.profile)) as board:
        link = await connect(board)
        board.hit(book.layout["T20"])
        await asyncio.sleep(2)
        assert await link.receive() == bytes.fromhex("a203500004")
        await asyncio.sleep(60)  # nothing lies there unread
        board.hit(book.layout["T20"])
        await asyncio.sleep(5)
        assert await link.receive() == bytes.fromhex("a203500004")
        with pytest.raises(Lost):
            await link.receive()


@in_no_time
async def test_a_packet_link_gives_one_at_a_time_and_pulling_waits() -> None:
    async with board_of(GRANBOARD) as board:
        link = await connect(board)
        board.hit(T20)
        board.hit(GRANBOARD.layout["D5"])
        pulling = asyncio.create_task(board.unplug(1000))
        assert await link.receive() == b"3.4@"
        await asyncio.sleep(1)
        assert not pulling.done()
        assert await link.receive() == b"4.6@"
        await pulling
        with pytest.raises(Lost):
            await link.receive()
        with pytest.raises(Unavailable, match="switch it on"):
            await connect(board)


@in_no_time
async def test_commands_arrive() -> None:
    async with board_of(GRANBOARD) as board, listening(board) as ear:
        await board.wait_until_open()
        assert await ear.session.send(Light((T20,)))
        assert await board.commands.get() == Light((T20,))


@in_no_time
async def test_commands_that_are_not_read_make_room_for_the_latest() -> None:
    async with board_of(GRANBOARD) as board, listening(board) as ear:
        await board.wait_until_open()
        for turn in range(1000):
            assert await ear.session.send(Light((T20,) if turn == 999 else ()))
        kept = [board.commands.get_nowait() for _ in range(board.commands.qsize())]
        assert len(kept) == 256
        assert kept[-2:] == [Light(()), Light((T20,))]


@in_no_time
async def test_a_hasty_host_gets_no_word_out_of_a_smartness() -> None:
    book = shipped("smartness")
    assert book.profile.ble is not None
    async with board_of(book, find_habits(book.profile)) as board:
        hasty = replace(book.profile, ble=replace(book.profile.ble, settle_ms=0))
        link = await board.scheme.open(parse(board.address, {"sim": board.scheme}), hasty)
        await asyncio.sleep(60)
        board.hit(book.layout["T20"])
        await board.unplug()
        with pytest.raises(Lost):
            await link.receive()
