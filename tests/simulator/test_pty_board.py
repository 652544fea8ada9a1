"""The board behind its pty, seen from plain pyserial; and bits read at a wrong speed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Garbage, Write
from simulator.contacts import Faults
from simulator.habits import Habits
from simulator.pty_board import PtyBoard
from simulator.uart import misread

BOOK = shipped("opendarts")
T20 = BOOK.layout["T20"]
PATIENCE_S = 60


def port(path: str) -> serial.Serial:
    return serial.Serial(path, 115200, timeout=PATIENCE_S, exclusive=True)


async def lines(host: serial.Serial, count: int) -> list[bytes]:
    return [await asyncio.to_thread(host.readline) for _ in range(count)]


def is_cut_off(host: serial.Serial) -> bool:
    """Reads what is left; True at the hang-up, False when it does not come."""
    try:
        while host.read(1):
            pass
    except serial.SerialException:
        return True
    return False


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_a_host_is_greeted_and_hears_darts() -> None:
    async with PtyBoard(BOOK) as board:
        board.hit(T20)  # no host listens yet
        with port(board.path) as host:
            await board.wait_until_open()
            board.hit(T20)
            board.press("next")
            assert await lines(host, 3) == [b"OpenDarts\r\n", b"1,0\r\n", b"next\r\n"]


async def test_every_host_is_greeted_and_none_hears_what_was_for_another() -> None:
    async with PtyBoard(BOOK) as board:
        for _ in range(5):
            with port(board.path) as host:
                await board.wait_until_open()
                assert await lines(host, 1) == [b"OpenDarts\r\n"]
                board.hit(T20)
            board.hit(BOOK.layout["DB"])
            waiting = asyncio.create_task(board.wait_until_open())
            await asyncio.sleep(0)
            assert not waiting.done(), "no host is there"
            waiting.cancel()


async def test_the_board_hears_its_host() -> None:
    async with PtyBoard(BOOK) as board:
        with port(board.path) as host:
            host.write(b"lamp on\r\nlamp off\r\n")
            async with asyncio.timeout(PATIENCE_S):
                assert [await board.commands.get() for _ in range(2)] == [Write(b"lamp on"), Write(b"lamp off")]


async def test_faults_that_take_time_come_by_themselves() -> None:
    async with PtyBoard(BOOK, faults=Faults(bounce_ms=(3,), stuck_ms=20, chunk=1)) as board:
        with port(board.path) as host:
            await board.wait_until_open()
            board.hit(T20)
            assert (await lines(host, 6))[1:] == [b"1,0\r\n"] * 5
            board.firmware.free()


async def test_a_link_keeps_its_place_when_the_cable_is_replugged(tmp_path: Path) -> None:
    place = tmp_path / "ttyBoard"
    async with PtyBoard(BOOK, place) as board:
        assert board.address == f"serial:{place}"
        for _ in range(3):
            with port(board.path) as host:
                await board.wait_until_open()
                board.hit(T20)
                assert (await lines(host, 2))[1] == b"1,0\r\n"
                board.hit(T20)
                await board.unplug(patience_s=0)
                assert not place.is_symlink()
                assert await asyncio.to_thread(is_cut_off, host)
            assert board.hit(T20), "the board works on without a cable"
            board.plug()
    assert names_in(tmp_path) == []


async def test_a_file_is_not_overwritten_by_a_port(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.write_text("mine")
    with pytest.raises(FileExistsError, match="choose another place"):
        PtyBoard(BOOK, place).plug()
    assert place.read_text() == "mine"


async def test_a_link_left_by_a_board_that_died_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "ttyBoard"
    place.symlink_to("/dev/pts/nowhere")
    async with PtyBoard(BOOK, place) as board:
        with port(board.path):
            await board.wait_until_open()


BAUDS = (1200, 9600, 19200, 38400, 57600, 115200)


@given(st.binary(max_size=200), st.sampled_from(BAUDS), st.floats(-0.03, 0.03))
def test_a_clock_that_is_off_by_three_percent_reads_everything(data: bytes, baud: int, error: float) -> None:
    assert misread(data, baud, baud) == data
    assert misread(data, baud, round(baud * (1 + error))) == data
    assert misread(data, None, baud) == misread(data, baud, None) == data


@given(st.binary(max_size=200), st.sampled_from(BAUDS), st.sampled_from(BAUDS))
def test_any_other_speed_is_bounded(data: bytes, sent: int, read: int) -> None:
    assert len(misread(data, sent, read)) <= len(data) * max(1, read / sent) + 1


@pytest.mark.parametrize(("sent", "read"), [(9600, 115200), (115200, 9600), (9600, 19200)])
def test_a_wrong_speed_is_garbage(sent: int, read: int) -> None:
    assert b"T20" not in misread(b"T20\r\nD5\r\n" * 10, sent, read)


async def test_a_port_gives_garbage_at_a_wrong_speed_and_darts_otherwise() -> None:
    book = shipped("opendarts")
    async with PtyBoard(book, habits=Habits(baud=115200)) as board:
        for baud, is_right in ((9600, False), (115200, True), (19200, False)):
            with serial.Serial(board.path, baud, timeout=60, exclusive=True) as port:
                await board.wait_until_open()
                heard = await asyncio.to_thread(port.read, 1) if is_right else b""
                for _ in range(20):
                    board.hit(book.layout["T20"])
                if is_right:
                    heard += await asyncio.to_thread(port.read, len("OpenDarts\r\n") - 1)
                    assert heard == b"OpenDarts\r\n"
                    assert await asyncio.to_thread(port.read, 5) == b"1,0\r\n"
                else:
                    heard = await asyncio.to_thread(port.read, 3)
                    assert b"1,0" not in heard
                    events = Host(book).feed(heard + b"\r\n", 0)
                    assert [type(event) for event in events] == [Garbage]
                port.write(b"lamp on\r\n" if is_right else b"lamp on\r\n" * 5)
        async with asyncio.timeout(60):
            while (await board.commands.get()).frame != b"lamp on":  # type: ignore[union-attr]  # a wrong speed may say anything
                pass
