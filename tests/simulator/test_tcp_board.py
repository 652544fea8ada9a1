"""The board on the network, seen from a host that knows nothing of ours: plain sockets."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import pytest

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Hit, Write
from simulator.habits import HABITS
from simulator.tcp_board import TcpBoard
from simulator.web_board import WebBoard

BOOK = shipped("opendarts")
T20 = BOOK.layout["T20"]
PATIENCE_S = 60


async def connect(board: TcpBoard) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", board.port)


async def line(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(PATIENCE_S):
        return await reader.readline()


async def is_cut_off(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(PATIENCE_S):
        try:
            while await reader.read(100):
                pass
        except ConnectionError:
            pass
    return True


async def test_a_host_is_greeted_hears_darts_and_is_heard() -> None:
    async with TcpBoard(BOOK) as board:
        board.hit(T20)  # no host listens yet
        reader, writer = await connect(board)
        await board.wait_until_open()
        board.hit(T20)
        board.press("next")
        assert [await line(reader) for _ in range(3)] == [b"OpenDarts\r\n", b"1,0\r\n", b"next\r\n"]
        writer.write(b"lamp on\r\n")
        async with asyncio.timeout(PATIENCE_S):
            assert await board.commands.get() == Write(b"lamp on")
        writer.close()


async def test_a_second_host_is_sent_away_and_the_next_one_is_not() -> None:
    async with TcpBoard(BOOK) as board:
        first, writer = await connect(board)
        await board.wait_until_open()
        assert await line(first) == b"OpenDarts\r\n"
        second, other = await connect(board)
        assert await is_cut_off(second)
        board.hit(T20)
        assert await line(first) == b"1,0\r\n"
        writer.close()
        other.close()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                reader, writer = await connect(board)
                try:
                    if await line(reader) == b"OpenDarts\r\n":
                        break
                except ConnectionError:
                    pass  # the board has not noticed yet that the first one left
                writer.close()
        writer.close()


async def test_the_plug_is_pulled_and_the_board_comes_back_on_its_port() -> None:
    async with TcpBoard(BOOK) as board:
        port = board.port
        for _ in range(3):
            reader, writer = await connect(board)
            await board.wait_until_open()
            board.hit(T20)
            await board.unplug()
            assert await line(reader) == b"OpenDarts\r\n"
            assert await line(reader) == b"1,0\r\n"
            assert await is_cut_off(reader)
            writer.close()
            with pytest.raises(ConnectionRefusedError):
                await connect(board)
            board.plug()
            assert board.port == port


async def test_photographs_come_in_pieces_and_every_dart_is_found() -> None:
    book = shipped("darts-connect")
    host = Host(book)
    async with TcpBoard(book, habits=HABITS["darts-connect"]) as board:
        reader, writer = await connect(board)
        await board.wait_until_open()
        for segment in book.segments:
            board.hit(segment)
        heard: list[str] = []
        async with asyncio.timeout(PATIENCE_S):
            while len(heard) < len(book.segments):
                events = host.feed(await reader.read(997), 0)
                heard += [event.segment.id for event in events if isinstance(event, Hit)]
        assert heard == [segment.id for segment in book.segments]
        writer.close()


@pytest.mark.parametrize("turns", range(5))
@pytest.mark.parametrize("profile", ["opendarts", "opendartboard-apaiko"])
async def test_who_connects_when_it_is_unplugged_is_hung_up_on(profile: str, turns: int) -> None:
    """However many turns of the event loop ago that was, and whether it is a board or cameras."""
    book = shipped(profile)
    async with TcpBoard(book) if profile == "opendarts" else WebBoard(book) as board:
        await asyncio.sleep(0)  # it takes hosts from now on
        client = socket.create_connection(("127.0.0.1", board.port), PATIENCE_S)
        for _ in range(turns):
            await asyncio.sleep(0)
        await board.unplug()
        with client, suppress(ConnectionResetError):
            while client.recv(100):
                pass
