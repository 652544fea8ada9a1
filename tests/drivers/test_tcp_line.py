"""A board on the network, over real sockets: nothing lost, nothing blocked, and what people are told when it fails."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from drivers.address import AddressError, parse
from drivers.session import LinkDown, LinkUp, Session
from drivers.tcp_line import TcpLine, open_tcp, place
from drivers.transport import Lost, Refused, Unavailable
from protocol.codebook import shipped
from protocol.events import Hit
from protocol.profile import Tcp
from tests.drivers.listening import PATIENCE_S, SOON, take_until

BOOK = shipped("opendarts")
PROFILE = msgspec.structs.replace(BOOK.profile, link="tcp")


class Board:
    """The board's end: a listening socket, and the connection that was made to it last."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET) -> None:
        self.listener = socket.create_server(
            ("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family, backlog=5
        )
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.end = self.listener

    @property
    def address(self) -> str:
        return f"tcp:127.0.0.1:{self.port}"

    async def accept(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            self.end, _ = await asyncio.get_running_loop().sock_accept(self.listener)
        self.end.setblocking(False)

    async def say(self, data: bytes) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.get_running_loop().sock_sendall(self.end, data)

    async def hear(self, size: int) -> bytes:
        data = b""
        async with asyncio.timeout(PATIENCE_S):
            while len(data) < size:
                data += await asyncio.get_running_loop().sock_recv(self.end, 65536)
        return data

    def reset(self) -> None:
        """Its power is back: what was sent to it finds nobody."""
        self.end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end.close()


@pytest_asyncio.fixture
async def board() -> AsyncIterator[Board]:
    board = Board()
    yield board
    board.end.close()
    board.listener.close()


async def connect(board: Board) -> TcpLine:
    async with asyncio.timeout(PATIENCE_S):
        line = await open_tcp(parse(board.address), PROFILE)
    await board.accept()
    return line


async def read(line: TcpLine, size: int) -> bytes:
    data = bytearray()
    async with asyncio.timeout(PATIENCE_S):
        while len(data) < size:
            data += await line.receive()
    return bytes(data)


async def lost(line: TcpLine) -> tuple[bytes, str]:
    """What still comes before the loss, and the loss's sentence."""
    data = b""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                data += await line.receive()
            except Lost as error:
                return data, str(error)


async def noticed(line: TcpLine) -> None:
    """Waits until the line knows that it is over."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(Lost):
            while True:
                await line.send(b"")
                await asyncio.sleep(0.001)


async def test_bytes_pass_both_ways_as_they_are(board: Board) -> None:
    every_byte = bytes(range(256))
    async with aclosing(await connect(board)) as line:
        await board.say(every_byte)
        assert await read(line, 256) == every_byte
        await line.send(every_byte)
        assert await board.hear(256) == every_byte


async def test_pieces_arrive_when_they_come(board: Board) -> None:
    async with aclosing(await connect(board)) as line:
        for piece in (b"3", b",", b"4\r", b"\n"):
            await board.say(piece)
            assert await read(line, 1) == piece


@pytest.mark.parametrize("ending", ["hangs up", "resets"])
async def test_what_arrived_before_the_end_is_delivered_before_the_loss(board: Board, ending: str) -> None:
    async with aclosing(await connect(board)) as line:
        await board.say(b"1,2\r\n")
        assert await read(line, 5) == b"1,2\r\n"
        await board.say(b"3,4\r\n5,")
        if ending == "resets":
            board.reset()
        else:
            board.end.close()
        await noticed(line)
        data, sentence = await lost(line)
        assert data == b"3,4\r\n5,"
        assert "hung up" in sentence
        with pytest.raises(Lost):
            await line.send(b"x")
        with pytest.raises(Lost):
            await line.receive()


async def test_a_waiting_reader_learns_of_the_loss(board: Board) -> None:
    async with aclosing(await connect(board)) as line:
        waiting = asyncio.create_task(lost(line))
        await asyncio.sleep(0)
        board.end.close()
        assert (await waiting)[0] == b""


async def test_a_cancelled_read_loses_nothing(board: Board) -> None:
    async with aclosing(await connect(board)) as line:
        sent = b"".join(b"%d,%d\r\n" % (n, n % 7) for n in range(400))
        got = b""
        for at in range(0, len(sent), 50):
            waiting = asyncio.create_task(line.receive())
            await asyncio.sleep(0)
            await board.say(sent[at : at + 50])
            if at % 100:
                await asyncio.sleep(0.001)
            waiting.cancel()
            await asyncio.wait([waiting])
            got += b"" if waiting.cancelled() else waiting.result()
        assert got + await read(line, len(sent) - len(got)) == sent


async def test_a_reader_who_takes_his_time_makes_the_board_wait_and_gets_every_byte(board: Board) -> None:
    sent = os.urandom(12_000_000)
    async with aclosing(await connect(board)) as line:
        writing = asyncio.create_task(board.say(sent))
        await asyncio.sleep(0.3)
        assert not writing.done(), "more than line and system keep must hold the writer up"
        assert await read(line, len(sent)) == sent
        await writing


async def test_a_board_that_reads_nothing_does_not_stop_the_program(board: Board) -> None:
    async with aclosing(await connect(board)) as line:

        async def light() -> None:
            for _ in range(1_000):
                await line.send(bytes(100_000))

        with pytest.raises(Lost, match="takes no more bytes"):
            await light()
        with pytest.raises(Lost, match="takes no more bytes"):
            await line.receive()


async def test_what_is_said_last_is_heard_though_the_line_is_closed(board: Board) -> None:
    loop = asyncio.get_running_loop()
    narrow = socket.socket()
    narrow.setblocking(False)
    board.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    await loop.sock_connect(narrow, ("127.0.0.1", board.port))
    _, line = await loop.create_connection(lambda: TcpLine("board"), sock=narrow)
    await board.accept()
    await line.send(bytes(50_000))
    closing = asyncio.create_task(line.aclose())
    assert await board.hear(50_000) == bytes(50_000)
    await closing


async def test_closing_twice_is_harmless_and_ends_the_reading(board: Board) -> None:
    line = await connect(board)
    waiting = asyncio.create_task(lost(line))
    await asyncio.sleep(0)
    await asyncio.gather(line.aclose(), line.aclose())
    await line.aclose()
    assert "closed" in (await waiting)[1]
    with pytest.raises(Lost, match="closed"):
        await line.send(b"x")
    assert await asyncio.get_running_loop().sock_recv(board.end, 10) == b""


async def test_small_messages_go_at_once_and_a_silent_end_is_looked_after(board: Board) -> None:
    loop = asyncio.get_running_loop()
    transport, line = await loop.create_connection(lambda: TcpLine("board"), "127.0.0.1", board.port)
    async with aclosing(line):
        set_for = transport.get_extra_info("socket").getsockopt
        assert set_for(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert set_for(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        quiet_s = set_for(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        asking_s = set_for(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) * set_for(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        assert quiet_s + asking_s <= 30
        assert set_for(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000


async def test_a_board_that_is_not_listening(board: Board) -> None:
    board.listener.close()
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(Unavailable, match=f"{host}:{board.port} takes no connection: see whether the board is on"):
            await open_tcp(parse(f"tcp:{host}:{board.port}"), PROFILE)


async def test_a_board_that_never_answers(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Board()
    full.listener.listen(0)
    fillers = [socket.socket() for _ in range(4)]
    for filler in fillers:
        filler.setblocking(False)
        assert filler.connect_ex(("127.0.0.1", full.port)) == errno.EINPROGRESS
    monkeypatch.setattr("drivers.tcp_line._CONNECT_S", 0.2)
    with pytest.raises(Unavailable, match=r"nothing answers at .*: switch the board on"):
        await open_tcp(parse(full.address), PROFILE)
    for end in (*fillers, full.listener):
        end.close()


@pytest.mark.parametrize("host", ["no-such-board.invalid", "a" * 64 + ".local", "x..y"])
async def test_a_name_nobody_knows(host: str) -> None:
    with pytest.raises(Unavailable, match=rf"no {re.escape(host)} is known in this network"):
        await open_tcp(parse(f"tcp:{host}:11080"), PROFILE)


async def test_a_network_we_are_not_in() -> None:
    with pytest.raises((Unavailable, Refused), match=r"join the board's network|look at its firewall"):
        await open_tcp(parse("tcp:255.255.255.255:9"), PROFILE)


async def test_the_port_is_the_profiles_where_the_address_has_none(board: Board) -> None:
    profile = msgspec.structs.replace(PROFILE, tcp=Tcp(port=board.port))
    async with asyncio.timeout(PATIENCE_S):
        line = await open_tcp(parse("tcp:127.0.0.1"), profile)
    await line.aclose()
    with pytest.raises(
        Refused, match=r"names no port, nor does the profile opendarts: add it, as in tcp:127.0.0.1:11080"
    ):
        await open_tcp(parse("tcp:127.0.0.1"), PROFILE)


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="this machine has no IPv6")
async def test_an_ipv6_address_is_written_in_brackets() -> None:
    board = Board(socket.AF_INET6)
    async with asyncio.timeout(PATIENCE_S):
        line = await open_tcp(parse(f"tcp:[::1]:{board.port}"), PROFILE)
    await line.aclose()
    board.listener.close()


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("tcp:192.168.0.1:11080", "192.168.0.1", 11080),
        ("tcp:darts.local", "darts.local", None),
        ("tcp:[fe80::1%wlan0]:23", "fe80::1%wlan0", 23),
        ("tcp:[::1]", "::1", None),
    ],
)
def test_an_address_says_where_a_board_is(text: str, host: str, port: int | None) -> None:
    assert place(parse(text)) == (host, port)
    assert f"tcp:{place(parse(text))}" == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tcp:fe80::1:23", "in brackets"),
        ("tcp://192.168.0.1:23/", "without the slashes, as in tcp:192.168.0.1:23"),
        ("tcp:board:http", "a whole number from 1 to 65535"),
        ("tcp:board:0", "a whole number from 1 to 65535"),
        ("tcp:board:65536", "a whole number from 1 to 65535"),
        ("tcp:board:", "a whole number from 1 to 65535"),
        ("tcp::23", "is no host"),
        ("tcp:my board:23", "is no host"),
        ("tcp:[board]:23", "is no IPv6 address"),
        ("tcp:[::1]23", "write it like tcp:192.168.0.1:11080"),
        ("tcp:[::1", "write it like tcp:192.168.0.1:11080"),
    ],
)
def test_an_address_that_cannot_work_says_what_would_be_right(text: str, sentence: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse(text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_session_outlives_a_board_that_goes_and_comes_back(board: Board) -> None:
    thrown = BOOK.segments[:40]
    items: list[object] = []
    async with Session("bar", board.address, BOOK, backoff=SOON, refused_backoff=SOON) as session:
        for at in range(0, 40, 8):
            await board.accept()
            items += await take_until(session, LinkUp)
            for segment in thrown[at : at + 8]:
                frame = next(f for m, f in BOOK.frames.items() if m.segment == segment)
                await board.say(BOOK.profile.framing.wrap(frame))
            board.end.close()
            items += await take_until(session, LinkDown)
        assert [item.segment for item in items if isinstance(item, Hit)] == list(thrown)
