"""A guest has his share of the daemon and no more, and the other guests do not notice him."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.http.limits import ConnectionLimit, make_client_key
from daemon.web.page_files import FOLDER
from daemon.web.token import make_token
from drivers.rate_limit import Rate
from tests.daemon.process import PATIENCE_S, configure, eventually
from tests.manners.guest import ANYWHERE, enter, status_of

GUEST, OTHER = "127.0.0.2", "127.0.0.3"


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


def from_(address: str, running: RunningDaemon) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(limit=0, local_addr=(address, 0))
    return aiohttp.ClientSession(running.page, connector=connector, timeout=aiohttp.ClientTimeout(PATIENCE_S))


async def test_who_writes_too_fast_is_told_when_to_try_again(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.web.auth._WRITES", Rate(burst=60, per_s=1))  # a slow machine writes less than 20
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        from_(GUEST, running) as guest,
        from_(OTHER, running) as other,
    ):

        async def write(who: aiohttp.ClientSession) -> aiohttp.ClientResponse:
            async with who.post("/api/table/main/throw", data=b"T99") as answer:
                await answer.read()
                return answer

        answers = await asyncio.gather(*(write(guest) for _ in range(150)))
        assert {answer.status for answer in answers} == {409, 429, 503}  # ruled on, too fast, too many at once
        assert sum(answer.status == 409 for answer in answers) >= 60
        refused = next(answer for answer in answers if answer.status == 429)
        assert refused.headers["Retry-After"] == "1"
        assert (await write(other)).status == 409


@pytest.mark.slow
@pytest.mark.parametrize("has_token", [pytest.param(False, marks=pytest.mark.long), True])
async def test_phones_behind_one_address_that_open_the_page_at_once_have_it_whole(
    *, has_token: bool, tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as there are connections for, six each; a browser asks for no module again that was refused."""
    monkeypatch.setattr("daemon.http.connection._REST_OF_STRANGERS", 0.0)
    token = make_token(tmp_path / "state")
    shown = f"Authorization: Bearer {token}\r\n" if has_token else ""
    paths = ["/", *(f"/static/{path.relative_to(FOLDER)}" for path in FOLDER.glob("**/*.*"))]
    heads = [f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n{shown}" for path in paths]
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)

    async def load(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(GUEST, 0))
        writer.write(("\r\n".join(heads) + "Connection: close\r\n\r\n").encode())
        async with asyncio.timeout(PATIENCE_S):
            answers = await reader.read()
        writer.close()
        return answers.count(b"HTTP/1.1 200 ")

    async with run_daemon(read_config(file)) as running:
        port = int(str(running.page).rstrip("/").rpartition(":")[2])
        assert await asyncio.gather(*(load(port) for _ in range(21))) == [len(paths)] * 21


@pytest.mark.slow
async def test_connections_and_displays_are_counted(running: RunningDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.web.event_stream._PING_S", 0.05)  # at which it is noticed that a display has gone
    async with from_(GUEST, running) as guest, from_(OTHER, running) as other:
        streams = [await guest.get("/api/table/main/events") for _ in range(48)]
        assert {stream.status for stream in streams} == {200}
        async with guest.get("/api/table/main/events") as full:
            assert (full.status, full.headers["Retry-After"]) == (503, "10")
        async with other.get("/api/table/main/events") as stream:
            assert stream.status == 200
        host, port = str(running.page).removeprefix("http://").rstrip("/").split(":")
        idle = [await asyncio.open_connection(host, int(port), local_addr=(GUEST, 0)) for _ in range(84)]
        async with asyncio.timeout(PATIENCE_S):
            assert (await idle[-1][0].read()).startswith(b"HTTP/1.1 503 ")
        for _, writer in idle:
            writer.close()
        for stream in streams:
            stream.close()
        assert await status_of(other.get("/api/tables")) == 200

        async def has_room() -> bool:
            async with guest.get("/api/table/main/events") as stream:
                return stream.status == 200

        await eventually(has_room)


@pytest.mark.long
async def test_a_dozen_phones_behind_one_router(running: RunningDaemon) -> None:
    """A browser opens six connections each."""
    host, port = str(running.page).removeprefix("http://").rstrip("/").split(":")
    phones = [await asyncio.open_connection(host, int(port), local_addr=(GUEST, 0)) for _ in range(72)]
    for _, writer in phones:
        writer.write(b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        assert {await reader.readline() for reader, _ in phones} == {b"HTTP/1.1 200 OK\r\n"}
    for _, writer in phones:
        writer.close()


async def test_who_never_ends_his_request_is_hung_up_on(
    running: RunningDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.http.connection._IDLE_S", 0.05)
    monkeypatch.setattr("daemon.web.auth._BODY_S", 0.05)
    host, port = str(running.page).removeprefix("http://").rstrip("/").split(":")
    head = b"POST /api/table/main/throw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
    for sent, answered in ((b"", b""), (head[:40], b""), (head, b""), (head + b"\r\nT9", b"HTTP/1.1 408 ")):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent)
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.read()).startswith(answered)
        writer.close()


@pytest.mark.parametrize(
    ("peer", "ours", "who"),
    [
        ("192.168.1.5", "192.168.1.2", "192.168.1.5"),
        ("::ffff:192.168.1.5", "::ffff:192.168.1.2", "192.168.1.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:3::2", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", None, "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::2", "2001:db8:1:2::9"),
        ("2001:db8:1:2::9", "", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::2%eth0", "fe80::1"),
        ("fd00:1::9", "fd00:2::9", "fd00:1::9"),
        ("", None, ""),
        (None, None, ""),
    ],
)
def test_who_is_one_client(peer: str | None, ours: str | None, who: str) -> None:
    assert make_client_key(peer, ours) == who


@pytest.mark.long
async def test_who_waits_waits_on_however_many_others_come(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From one network there is no end of addresses: none that waits is forgotten for them, and they keep none out."""
    monkeypatch.setattr("daemon.web.auth._MOST_CLIENTS", 2)
    right = make_token(tmp_path / "state")
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)
    async with run_daemon(read_config(file)) as running:

        async def try_token(address: str, token: str = "no") -> int:
            async with from_(address, running) as client:
                return await enter(client, token)

        tried = [await try_token(GUEST) for _ in range(11)]
        others = [await try_token(f"127.0.0.{number}") for number in range(3, 20)]
        assert [*tried, *others] == [*[401] * 10, 429, *[401] * 17]
        assert await try_token(GUEST) == 429
        assert await try_token("127.0.0.20", right) == 200


def test_a_room_holds_so_many() -> None:
    limit = ConnectionLimit(each=2, most=3)
    assert [limit.enter(who) for who in ("Ann", "Ann", "Ann", "Bo", "Cy")] == [True, True, False, True, False]
    limit.leave("Ann")
    assert [limit.enter(who) for who in ("Cy", "Ann")] == [True, False]


@pytest.mark.slow
async def test_strangers_with_half_a_request_close_the_page_to_no_other(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From five addresses, as of another machine, one of them that of the client with the token."""
    monkeypatch.setattr("daemon.http.connection.is_this_machine", lambda peer, ours: peer == "127.0.0.1")
    token = make_token(tmp_path / "state")
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)
    async with run_daemon(read_config(file)) as running, from_(GUEST, running) as holder:
        with_token = {"Authorization": f"Bearer {token}"}
        stream = await holder.get("/api/table/main/events", headers=with_token)
        port = int(str(running.page).rstrip("/").rpartition(":")[2])
        halves = []
        for address in (GUEST, OTHER, "127.0.0.4", "127.0.0.5", "127.0.0.6"):
            for _ in range(140):
                halves.append(await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))
                halves[-1][1].write(b"GET /api/tables HTTP/1.1\r\nHost: local")
        for address in (GUEST, "127.0.0.7", "127.0.0.1"):
            async with (
                from_(address, running) as client,
                client.get("/api/tables", headers=with_token) as answer,
            ):
                assert answer.status == 200, address
        assert await stream.content.readline() == b"event: board\n", "who has shown the token keeps the place"
        stream.close()
        for _, writer in halves:
            writer.transport.abort()
