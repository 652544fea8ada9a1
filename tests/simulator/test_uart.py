"""Bits on a wire, read at the right speed and at wrong ones."""

from __future__ import annotations

import asyncio

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Garbage
from simulator.habits import Habits
from simulator.pty_board import PtyBoard
from simulator.uart import misread

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


async def test_a_port_opened_at_the_wrong_speed_says_garbage_and_at_the_right_one_darts() -> None:
    book = shipped("opendarts")
    async with PtyBoard(book, habits=Habits(baud=115200)) as board:
        for baud, is_right in ((9600, False), (115200, True), (19200, False)):
            with serial.Serial(board.path, baud, timeout=60, exclusive=True) as port:
                await board.opened()
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
