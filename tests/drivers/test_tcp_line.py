"""A board on the network, over real sockets: its addresses, and what people are told when it fails."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from contextlib import aclosing
from pathlib import Path

import msgspec
import pytest

from drivers.schemes import parse
from drivers.tcp_line import TcpTransport, open_tcp, parse_host_port
from drivers.transport import Refused, Unavailable
from protocol.profile import Tcp
from tests.drivers.far_ends import OVER_TCP, NetBoard
from tests.drivers.listening import PATIENCE_S


async def test_what_is_said_last_is_heard_though_the_line_is_closed(net_board: NetBoard) -> None:
    loop = asyncio.get_running_loop()
    narrow = socket.socket()
    narrow.setblocking(False)
    net_board.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    await loop.sock_connect(narrow, ("127.0.0.1", net_board.port))
    _, line = await loop.create_connection(lambda: TcpTransport("board"), sock=narrow)
    await net_board.accept()
    await line.send(bytes(50_000))
    closing = asyncio.create_task(line.aclose())
    assert await net_board.hear(50_000) == bytes(50_000)
    await closing


async def test_small_messages_go_at_once_and_a_silent_end_is_looked_after(net_board: NetBoard) -> None:
    loop = asyncio.get_running_loop()
    transport, line = await loop.create_connection(lambda: TcpTransport("board"), "127.0.0.1", net_board.port)
    async with aclosing(line):
        set_for = transport.get_extra_info("socket").getsockopt
        assert set_for(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert set_for(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        quiet_s = set_for(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        asking_s = set_for(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) * set_for(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        assert quiet_s + asking_s <= 30
        assert set_for(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000


async def test_a_board_that_is_not_listening(net_board: NetBoard) -> None:
    net_board.listener.close()
    for host in ("127.0.0.1", "localhost"):
        place = f"{host}:{net_board.port}"
        with pytest.raises(Unavailable, match=f"{place} refuses the connection: check that the board is on"):
            await open_tcp(parse(f"tcp:{place}"), OVER_TCP)


async def test_a_board_that_never_answers(net_board: NetBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    full = NetBoard()
    full.listener.listen(0)
    fillers = [socket.socket() for _ in range(4)]
    for filler in fillers:
        filler.setblocking(False)
        assert filler.connect_ex(("127.0.0.1", full.port)) == errno.EINPROGRESS
    monkeypatch.setattr("drivers.tcp_line._CONNECT_S", 0.2)
    with pytest.raises(Unavailable, match=r"nothing answers at .*: switch the board on"):
        await open_tcp(parse(full.address), OVER_TCP)
    for end in (*fillers, full.listener):
        end.close()


@pytest.mark.parametrize("host", ["no-such-net_board.invalid", "a" * 64 + ".local", "x..y"])
async def test_an_unknown_host_name_is_unavailable(host: str) -> None:
    with pytest.raises(Unavailable, match=rf"{re.escape(host)} is not known in this network"):
        await open_tcp(parse(f"tcp:{host}:11080"), OVER_TCP)


async def test_a_network_we_are_not_in() -> None:
    with pytest.raises((Unavailable, Refused), match=r"connect this machine to the board's network|check its firewall"):
        await open_tcp(parse("tcp:255.255.255.255:9"), OVER_TCP)


async def test_the_port_is_the_profiles_where_the_address_has_none(net_board: NetBoard) -> None:
    profile = msgspec.structs.replace(OVER_TCP, tcp=Tcp(port=net_board.port))
    async with asyncio.timeout(PATIENCE_S):
        line = await open_tcp(parse("tcp:127.0.0.1"), profile)
    await line.aclose()
    with pytest.raises(
        Refused,
        match=r"the address tcp:127.0.0.1 nor the profile opendarts has a port: add it, as in tcp:127.0.0.1:11080",
    ):
        await open_tcp(parse("tcp:127.0.0.1"), OVER_TCP)


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="needs IPv6")
async def test_an_ipv6_address_is_written_in_brackets() -> None:
    board = NetBoard(socket.AF_INET6)
    async with asyncio.timeout(PATIENCE_S):
        line = await open_tcp(parse(f"tcp:[::1]:{board.port}"), OVER_TCP)
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
    assert parse_host_port(parse(text)) == (host, port)
    assert f"tcp:{parse_host_port(parse(text))}" == text
