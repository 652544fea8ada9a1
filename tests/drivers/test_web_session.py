"""Boards with HTTP and WebSocket from end to end: darts through a session, and how often one is tried that refuses."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.capture import Recording
from drivers.schemes import parse
from drivers.session import Session
from protocol.codebook import Codebook, shipped
from protocol.events import Correct, Hit, LinkDown, LinkUp, Readiness, TakeoutSeen
from protocol.web_frames import Received, encode_packet
from tests.drivers.listening import PATIENCE_S, SOON, take, take_until
from tests.drivers.web_ends import WebBoard
from tests.protocol.test_scolia import FINISHED, HELLO, THROW

FEW_S = 0.3
"""Seconds in which a board that is tried again at once would be tried many times."""


def make_local(profile: str) -> Codebook:
    """The codebook of a board that is not encrypted, whose socket is at `/live`."""
    book = shipped(profile)
    assert book.profile.web is not None
    web = replace(book.profile.web, tls=False, socket="/live", is_cloud=False)
    return replace(book, profile=replace(book.profile, web=web))


def listen(board: WebBoard, profile: str) -> Session:
    """A session with this board, which tries soon again."""
    return Session("bar", str(board.address), make_local(profile), backoff=SOON, refused_backoff=SOON)


async def test_a_visit_through_a_session_and_a_correction_back() -> None:
    async with WebBoard().serve() as board, listen(board, "scolia") as session:
        socket = await board.sockets.get()
        for message in (HELLO, FINISHED, THROW):
            await socket.send_json(message)
        items = await take(session, 4)
        assert [type(each) for each in items] == [LinkUp, Readiness, TakeoutSeen, Hit]
        assert await session.send(Correct(THROW["id"], None))
        async with asyncio.timeout(PATIENCE_S):
            said = await board.said.get()
        assert (said["type"], said["payload"]) == ("DELETE_THROW", {"throwIndex": 0})


async def test_a_visit_of_opendartboard_across_a_broken_connection() -> None:
    async with WebBoard().serve() as board, listen(board, "opendartboard") as session:
        for stamp in range(2):
            socket = await board.sockets.get()
            await socket.send_json({"score": "T20", "timestamp": stamp})
            assert isinstance((await take_until(session, Hit))[-1], Hit)
            await socket.close()
        assert session.reconnects >= 1


@pytest.mark.parametrize("code", [4100, 4101, 4102, 4103, 4104])
async def test_a_board_that_sends_us_away_is_left_alone(code: int) -> None:
    async with (
        WebBoard().serve() as board,
        Session("bar", str(board.address), make_local("scolia"), backoff=SOON, refused_backoff=SOON) as session,
    ):
        await (await board.sockets.get()).close(code=code)
        down = (await take_until(session, LinkDown))[-1]
        assert isinstance(down, LinkDown)
        assert down.kind == "refused"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(FEW_S):
                await anext(session)
        assert len(board.queries) == 1


async def test_a_board_that_just_ends_is_tried_again() -> None:
    async with WebBoard().serve() as board, listen(board, "scolia") as session:
        for code in (4000, 1001, 1011):
            async with asyncio.timeout(PATIENCE_S):
                socket = await board.sockets.get()
            await socket.close(code=code)
        await take_until(session, LinkDown)


async def test_a_recording_need_not_answer(tmp_path: Path) -> None:
    """It has the answers to what was asked then."""
    file, opened = tmp_path / "evening.jsonl", Received("/live", socket="open")
    with Recording(file, parse("web:host?serial=x"), version="1", profile="scolia") as recording:
        recording.write_up()
        for received in (*[Received("/live", json=each) for each in (HELLO, THROW)], *[opened] * 20):
            recording.write_received(encode_packet(received))
        recording.write_received(encode_packet(Received("/live", json=FINISHED)))
    late = count(0, 4_000_000_000)  # each look at the clock is four seconds later
    address = f"replay:{file}?speed=0"
    async with Session("bar", address, shipped("scolia"), clock=lambda: next(late)) as session:
        items = await take_until(session, TakeoutSeen)
    assert not any(isinstance(each, LinkDown) for each in items)
