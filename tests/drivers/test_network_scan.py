"""Finding boards on the network: which hosts are known, and what answers there, over real sockets on the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.network_scan import AnsweringHost, find_answers, list_known_hosts
from drivers.scan import Found, ProfileFit, match_answers
from drivers.schemes import parse
from drivers.tcp_line import open_tcp
from protocol.codebook import shipped
from protocol.profile import Profile, Tcp
from simulator.tcp_board import TcpBoard
from tests.drivers.listening import PATIENCE_S

ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
wlan0\t00000000\t0100A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
wlan0\t0000A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0
tun0\t0000000A\t0900A8C0\t0003\t0\t0\t0\t000000FF\t0\t0\t0
ppp0\t00000000\t08080808\t0003\t0\t0\t0\t00000000\t0\t0\t0
"""
"""A gateway; a route that is no default; and a gateway outside the local networks."""
NEIGHBOURS = """\
IP address       HW type     Flags       HW address            Mask     Device
192.168.0.20     0x1         0x2         02:00:00:00:00:05     *        wlan0
192.168.0.21     0x1         0x0         00:00:00:00:00:00     *        wlan0
192.168.0.1      0x1         0x2         02:00:00:00:00:06     *        wlan0
203.0.114.9      0x1         0x2         02:00:00:00:00:07     *        eth0
10.4.0.3         0x1         0x6         02:00:00:00:00:08     *        eth1
"""
"""One of them does not answer, one is the gateway, and one is of a public network."""
GREETING = bytes.fromhex("23080000 01000000 06010000 1c000000 a0ef7240").ljust(48, b"\0")
HOST = "127.0.0.1"


def at_port(name: str, port: int) -> Profile:
    """The shipped profile, link and port apart."""
    return replace(shipped(name).profile, link="tcp", tcp=Tcp(port))


def test_hosts_are_known_by_the_gateway_and_the_neighbours(tmp_path: Path) -> None:
    assert list_known_hosts(tmp_path) == []
    (tmp_path / "route").write_text(ROUTES, encoding="ascii")
    (tmp_path / "arp").write_text(NEIGHBOURS, encoding="ascii")
    assert list_known_hosts(tmp_path) == ["192.168.0.1", "192.168.0.20", "10.4.0.3"]


async def find(*profiles: Profile, ask: bool = False, listen_s: float = PATIENCE_S) -> list[AnsweringHost]:
    return await find_answers(profiles, [HOST], ask=ask, connect_s=PATIENCE_S, listen_s=listen_s)


@asynccontextmanager
async def serving(said: bytes) -> AsyncIterator[int]:
    """A program that says this to everyone who connects; its port."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(greet, HOST, 0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("ask", [False, True])
async def test_a_board_that_wants_to_be_asked_is_asked_only_on_demand(ask: bool) -> None:
    async with TcpBoard(shipped("darts-connect")) as board:
        profile = at_port("darts-connect", board.port)
        answers = await find(profile, ask=ask, listen_s=PATIENCE_S if ask else 0)
    assert answers == [AnsweringHost(HOST, board.port, "darts-connect" if ask else None)]


async def test_a_port_where_nothing_listens_is_no_answer(unused_tcp_port: int) -> None:
    assert await find(at_port("darts-connect", unused_tcp_port)) == []


async def test_what_is_connected_already_is_left_alone() -> None:
    async with serving(GREETING) as port:
        profile = at_port("darts-connect", port)
        async with aclosing(await open_tcp(parse(f"tcp:{HOST}:{port}"), profile)):
            assert await find(profile, ask=True) == [AnsweringHost(HOST, port)]


@pytest.mark.parametrize(("said", "profile"), [(GREETING, "darts-connect"), (b"SSH-2.0-OpenSSH\r\n" * 3, None)])
async def test_what_comes_by_itself_tells_a_board_from_another_program(said: bytes, profile: str | None) -> None:
    async with serving(said) as port:
        profiles = [at_port("darts-connect", port), at_port("opendarts", port)]
        (answer,) = await find(*profiles)
    assert answer == AnsweringHost(HOST, port, profile)
    possible = (ProfileFit("darts-connect", "possible"), ProfileFit("opendarts", "possible"))
    fits = (ProfileFit(profile, "likely"),) if profile else possible
    assert match_answers([answer], profiles) == [Found(f"tcp:{HOST}:{port}", f"answers on port {port}", fits)]
