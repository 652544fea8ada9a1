"""Where the page is served: for this machine only, without a token, or for others too."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.http.addresses import is_loopback
from daemon.http.connection import open_port
from daemon.http.limits import ConnectionLimit
from daemon.http.messages import HttpRequest, HttpResponse
from daemon.web.public_url import PublicUrl
from daemon.web.token import make_token
from tests.daemon.process import configure
from tests.daemon.serving import serve_http
from tests.manners.guest import ANYWHERE, guest, oche_token


async def respond(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"here")


@pytest.mark.parametrize(
    ("host", "is_so"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("fe80::1%eth0", False),
        ("pi.local", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_what_only_this_machine_reaches(host: str, is_so: bool) -> None:
    assert is_loopback(host) is is_so


async def test_the_loopback_needs_no_token(tmp_path: Path, unused_tcp_port: int) -> None:
    make_token(tmp_path / "state")
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        guest(running) as client,
        client.post("/api/table/main/throw", data=b"T20") as answer,
    ):
        assert answer.status == 200


async def test_a_neighbour_is_a_visitor_and_not_the_whole_network() -> None:
    limit = ConnectionLimit(each=1, most=9)
    async with serve_http(respond, limit, "::1") as port:
        _, first = await asyncio.open_connection("::1", port)
        refused, last = await asyncio.open_connection("::1", port)
        assert (await refused.readline()).startswith(b"HTTP/1.1 503 ")
        assert [limit.enter(who) for who in ("::1", "::")] == [False, True]
        for each in (first, last):
            each.close()


@pytest.mark.parametrize("host", ["::", "0:0::0"])
async def test_every_address_means_those_of_ipv4_too(tmp_path: Path, unused_tcp_port: int, host: str) -> None:
    file = configure(tmp_path, unused_tcp_port, web=f'host = "{host}"\n')
    async with run_daemon(read_config(file)) as running:
        port = URL(running.page or "").port or 0
        assert running.page == f"http://127.0.0.1:{port}/"
        for address in ("127.0.0.1", "[::1]"):
            async with aiohttp.ClientSession() as web, web.get(f"http://{address}:{port}/api/tables") as answer:
                assert answer.status == 503, "there is no token yet"
        taken = f"^the page cannot be served at {host}:{port}: address already in use; set another web.port$"
        with pytest.raises(UserError, match=taken):
            await open_port(host, port).__aenter__()
    address = URL(oche_token(file).output.split()[3]).host or ""
    assert "." in address or address == socket.gethostname().lower()


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("192.0.2.1", "cannot assign requested address"),  # of no machine: it is for documentation
        ("2001:db8::1", "cannot assign requested address|address family not supported by protocol"),
        ("no.such.host.invalid", "name or service not known|temporary failure in name resolution"),
    ],
)
async def test_an_address_that_this_machine_does_not_have(host: str, reason: str) -> None:
    with pytest.raises(UserError, match=f"^the page cannot be served at {host}:0: ({reason}); set another web.host$"):
        await open_port(host, 0).__aenter__()


async def test_the_code_of_a_wall_on_this_machine_is_for_phones(tmp_path: Path, unused_tcp_port: int) -> None:
    """It has the address that `oche token` shows."""
    file = configure(tmp_path, unused_tcp_port, 'game = "dards"\noptions = { mode = "dealt" }', web=ANYWHERE)
    _, token, _, address, *_ = oche_token(file).output.split()
    async with run_daemon(read_config(file)) as running, guest(running, Authorization=f"Bearer {token}") as wall:
        port = URL(running.page or "").port
        near = ("http://127.0.0.1:8180/", "https://localhost/darts/", "http://pi.localhost/", "http://[::1]:80/")
        for asked in ({}, *({"base": base} for base in (*near, "http://0.0.0.0:8180/"))):
            async with wall.get("/api/table/main/seats", params=asked) as answer:
                url = URL((await answer.json())[0]["url"])
            assert url.with_query(None) == URL(address).with_fragment(None).with_port(port), asked


@pytest.mark.parametrize(
    ("host", "names", "base"),
    [
        ("0.0.0.0", ("darts.example.org", "other"), "http://darts.example.org:8180/"),
        ("192.168.1.5", (), "http://192.168.1.5:8180/"),
        ("fe80::5", (), "http://[fe80::5]:8180/"),
        ("127.0.0.1", (), "http://127.0.0.1/"),
        ("::1", ("darts.example.org",), "http://127.0.0.1/"),
    ],
)
def test_where_a_phone_is_sent(host: str, names: tuple[str, ...], base: str) -> None:
    assert PublicUrl(host, 8180, names).for_phones("http://127.0.0.1/") == base
