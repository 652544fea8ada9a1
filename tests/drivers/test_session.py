"""A session over a pty: every line of a board is one event, in order, whatever happens to the cable; its waits."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.address import Address, AddressError, Scheme
from drivers.backoff import Backoff
from drivers.schemes import SCHEMES
from drivers.session import RECONNECT, Session
from drivers.transport import Transport
from protocol.codebook import Codebook, shipped
from protocol.events import BoardEvent, BoardItem, Button, Garbage, Hit, LinkDown, LinkUp, MissSensed, Status, Write
from protocol.profile import Profile
from protocol.segment import Segment
from simulator.pty_board import PtyBoard
from tests.drivers.listening import PATIENCE_S, SOON, hits, take, take_until

BOOK = shipped("opendarts")
T20, D5, DB = BOOK.layout["T20"], BOOK.layout["D5"], BOOK.layout["DB"]


def session(address: str, *, schemes: Mapping[str, Scheme] = SCHEMES, book: Codebook = BOOK) -> Session:
    return Session("bar", address, book, schemes=schemes, backoff=SOON, refused_backoff=SOON, random=random.Random(1))


async def test_bytes_become_events_in_order_with_table_and_number() -> None:
    async with PtyBoard(BOOK) as board, session(board.address) as line:
        up = (await take(line, 1))[0]
        assert isinstance(up, LinkUp)
        assert (up.table, up.address) == ("bar", board.address)
        assert board.hit(T20)
        assert board.miss()
        board.write_raw(b"nonsense\r\n")
        assert board.press("next")
        events = await take(line, 5)
        assert [type(event) for event in events] == [Status, Hit, MissSensed, Garbage, Button]
        stamps = [(e.table, e.seq) for e in events if isinstance(e, BoardEvent)]
        assert stamps == [("bar", n) for n in range(1, 6)]
        times = [e.time_ns for e in events]
        assert times == sorted(times)
        assert up.time_ns <= times[0]
        assert (line.garbage, line.reconnects, line.status) == (1, 0, up)


@pytest.mark.slow
@pytest.mark.parametrize("pause_s", [0.0, 0.001])
async def test_a_burst_arrives_whole_and_in_order(pause_s: float) -> None:
    rng = random.Random(5)
    thrown = rng.choices(BOOK.segments, k=1000)
    async with PtyBoard(BOOK) as board, session(board.address) as line:
        await take_until(line, Status)
        for segment in thrown:
            assert board.hit(segment)
            if pause_s:
                await asyncio.sleep(pause_s)
        items = await take(line, 1000)
        assert hits(items) == thrown
        assert [item.seq for item in items if isinstance(item, BoardEvent)] == list(range(2, 1002))


@pytest.mark.slow
async def test_a_consumer_who_takes_his_time_loses_nothing() -> None:
    thrown = random.Random(6).choices(BOOK.segments, k=30_000)
    async with PtyBoard(BOOK) as board, session(board.address) as line:
        await take_until(line, Status)
        for segment in thrown:
            board.hit(segment)
        await asyncio.sleep(0.5)  # read-ahead, line and kernel are full by now
        assert hits(await take(line, 30_000)) == thrown


async def test_an_event_has_the_time_at_which_it_came_in() -> None:
    now = 1
    async with PtyBoard(BOOK) as board, Session("bar", board.address, BOOK, clock=lambda: now) as line:
        await take_until(line, Status)
        async with asyncio.timeout(PATIENCE_S):
            for now in (1000, 2000):
                board.hit(T20)
                board.write_raw(b"?\r\n")
                while line.garbage < now // 1000:  # noqa: ASYNC110  counted when it is read, long before it is taken
                    await asyncio.sleep(0.001)
        now = 9000
        assert [item.time_ns for item in await take(line, 4)] == [1000, 1000, 2000, 2000]


async def test_unplugging_at_any_time_loses_and_doubles_nothing(tmp_path: Path) -> None:
    rng = random.Random(7)
    thrown: list[Segment] = []
    async with PtyBoard(BOOK, tmp_path / "board") as board, session(board.address) as line:
        received: list[BoardItem] = []
        for _ in range(25):
            received += await take_until(line, LinkUp)
            for segment in rng.choices(BOOK.segments, k=rng.randrange(40)):
                assert board.hit(segment)
                thrown.append(segment)
                if rng.random() < 0.2:
                    await asyncio.sleep(rng.random() / 500)
            if rng.random() < 0.5:
                board.write_raw(b"3,")  # the cable is pulled in the middle of a line
            await board.unplug(PATIENCE_S)
            if rng.random() < 0.5:
                await asyncio.sleep(rng.random() / 10)
            board.plug()
        received += await take_until(line, LinkUp)
        assert hits(received) == thrown
        assert [e.seq for e in received if isinstance(e, BoardEvent)] == list(
            range(1, sum(isinstance(e, BoardEvent) for e in received) + 1)
        )
        assert not [e for e in received if isinstance(e, Garbage)]
        assert line.reconnects == 25


async def test_a_pulled_cable_is_reported_with_what_to_do(tmp_path: Path) -> None:
    async with PtyBoard(BOOK, tmp_path / "board") as board, session(board.address) as line:
        await take_until(line, LinkUp)
        await board.unplug()
        lost, gone = [item for item in await take(line, 3) if isinstance(item, LinkDown)]
        assert (lost.kind, gone.kind) == ("lost", "unavailable")
        assert "plug it in again" in lost.reason
        assert "plug the board in" in gone.reason
        assert line.status == gone
        assert not await line.send(Write(b"lamp"))


async def test_a_missing_port_is_said_once_and_heals_when_it_appears(tmp_path: Path) -> None:
    place = tmp_path / "board"
    async with session(f"serial:{place}") as line:
        down = (await take(line, 1))[0]
        assert isinstance(down, LinkDown)
        assert down.kind == "unavailable"
        assert str(place) in down.reason
        await asyncio.sleep(0.3)  # several attempts
        async with PtyBoard(BOOK, place) as board:
            assert isinstance((await take(line, 1))[0], LinkUp)
            board.hit(DB)
            assert hits(await take(line, 2)) == [DB]


async def test_a_second_daemon_on_a_port_is_told_and_takes_over_later() -> None:
    async with PtyBoard(BOOK) as board, session(board.address) as second:
        async with session(board.address) as first:
            for line in (first, second):
                await take(line, 1)
            holder, other = (first, second) if isinstance(first.status, LinkUp) else (second, first)
            assert isinstance(other.status, LinkDown)
            assert other.status.kind == "refused"
            assert f"another program uses {board.path}: close it" in other.status.reason
            board.hit(D5)
            assert hits(await take(holder, 2)) == [D5]
        if second.reconnects == 0 and not isinstance(second.status, LinkUp):
            await take_until(second, LinkUp)
        board.hit(T20)
        assert T20 in hits(await take_until(second, Hit))


async def test_a_command_reaches_the_board() -> None:
    async with PtyBoard(BOOK) as board, session(board.address) as line:
        await take_until(line, LinkUp)
        assert await line.send(Write(b"lamp on"))
        async with asyncio.timeout(PATIENCE_S):
            assert await board.commands.get() == Write(b"lamp on")


async def test_leaving_the_block_frees_the_port_at_any_moment() -> None:
    async with PtyBoard(BOOK) as board:
        for pause in range(30):
            async with session(board.address):
                for _ in range(pause):
                    await asyncio.sleep(0)
        async with session(board.address) as line:
            await take_until(line, LinkUp)
        with pytest.raises(StopAsyncIteration):
            await take(line, 10)


async def test_cancelling_the_consumer_closes_the_link() -> None:
    async with PtyBoard(BOOK) as board:

        async def consume() -> None:
            async with session(board.address) as line:
                async for _ in line:
                    pass

        consumer = asyncio.create_task(consume())
        async with asyncio.timeout(PATIENCE_S):
            await board.wait_until_open()
        consumer.cancel()
        await asyncio.wait([consumer])
        assert consumer.cancelled()
        async with session(board.address) as line:
            await take_until(line, LinkUp)


async def test_the_profile_says_the_speed_where_the_address_does_not() -> None:
    asked: list[int] = []

    async def note(address: Address, profile: Profile) -> Transport:
        asked.append(address.number("baud", profile.serial.baud))
        return await SCHEMES["serial"].open(address, profile)

    schemes = {"serial": SCHEMES["serial"]._replace(open=note)}
    async with PtyBoard(BOOK) as board:
        for address in (board.address, f"{board.address}?baud=57600"):
            async with session(address, schemes=schemes) as line:
                await take_until(line, LinkUp)
    assert asked == [115200, 57600]


async def test_a_wrong_address_is_an_error_at_once() -> None:
    with pytest.raises(AddressError, match="did you mean 'serial'"):
        session("serail:/dev/ttyUSB0")
    with pytest.raises(AddressError, match=r"baud=fast .* must be a whole number above 0"):
        session("serial:/dev/ttyUSB0?baud=fast")


async def test_a_broken_link_does_not_hide_behind_silence() -> None:
    async def broken(address: Address, profile: Profile) -> Transport:
        raise ZeroDivisionError

    async with session("serial:x", schemes={"serial": Scheme(broken, (), "serial:x")}) as line:
        with pytest.raises(ZeroDivisionError):
            await take(line, 1)


def test_a_plugged_in_cable_is_found_within_five_seconds() -> None:
    assert max(RECONNECT.delay_s(n, random.Random(n)) for n in range(1, 1000)) < 5
    assert RECONNECT.delay_s(1, random.Random(0)) <= 0.5


backoffs = st.builds(lambda first, factor: Backoff(first, first * factor), st.floats(0.01, 10), st.floats(1, 1000))


@given(backoffs, st.integers(1, 10**6), st.integers())
def test_a_wait_is_at_most_a_quarter_below_its_bound(backoff: Backoff, failures: int, seed: int) -> None:
    bound = min(backoff.most_s, backoff.first_s * 2 ** min(failures - 1, 60))
    assert 0.75 * bound <= backoff.delay_s(failures, Random(seed)) <= bound


@given(backoffs, st.integers(1, 10**6), st.integers())
def test_the_same_chance_never_waits_less_after_more_failures(backoff: Backoff, failures: int, seed: int) -> None:
    assert backoff.delay_s(failures, Random(seed)) <= backoff.delay_s(failures + 1, Random(seed))


@given(st.integers(1, 100))
def test_two_boards_do_not_wait_alike(failures: int) -> None:
    random = Random(1)
    assert len({Backoff().delay_s(failures, random) for _ in range(50)}) > 40


def test_the_first_wait_is_short_and_the_last_a_minute() -> None:
    assert 0.375 <= Backoff().delay_s(1, Random(3)) <= 0.5
    assert 45 <= Backoff().delay_s(10**9, Random(3)) <= 60
