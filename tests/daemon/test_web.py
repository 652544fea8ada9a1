"""The door for displays without MQTT: what it answers, how it streams, and whom it does not let in."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, configure, eventually, throw


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int, board: PtyBoard) -> AsyncIterator[RunningDaemon]:
    """A daemon whose broker is away: the page does not wait for it."""
    file = configure(tmp_path, unused_tcp_port, "title = 'The <Old> Oak'", web='names = ["darts.example.org"]')
    async with run_daemon(read_config(file)) as running:
        await eventually(lambda: running.tables["main"].board.info.firmware is not None)  # all of its greeting
        yield running


class News(NamedTuple):
    """One server-sent event."""

    kind: str
    data: Any  # Any: JSON


async def news(stream: aiohttp.ClientResponse) -> AsyncIterator[News]:
    """The events of a stream; comments are passed over, and what is not about the table."""
    kind = ""
    async for line in stream.content:
        if line.startswith(b"event: "):
            kind = line[7:].decode().strip()
        elif line.startswith(b"data: ") and kind not in ("broker", "page"):
            yield News(kind, json.loads(line[6:]))


async def test_what_is_served(web: aiohttp.ClientSession, running: RunningDaemon) -> None:
    async with web.get("/") as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    async with web.get("/api/tables") as answer:
        (table,) = await answer.json()
        assert (table["table"], table["name"]) == ("main", "The <Old> Oak")
    async with web.get("/api/table/main/state") as answer:
        assert await answer.json() == json.loads(json.dumps((await answer.json()) | {"line": 1, "game": "x01"}))
    async with web.get("/api/table/main/layout") as answer:
        layout = await answer.json()
        assert (layout["name"], layout["miss"], len(layout["segments"])) == ("standard", "MISS", 103)
    async with web.post("/api/table/main/throw", json={"throw": "T20"}) as answer:
        assert (answer.status, await answer.json()) == (200, {"line": 2, "phase": "throwing"})
    assert running.tables["main"].state().line == 2


REFUSED = (
    ("/api/table/kitchen/throw", b"T20", 404, "there is no table 'kitchen'"),
    ("/api/table/main/nxt", b"", 404, "there is no command 'nxt'; did you mean 'next'?"),
    ("/api/table/main/throw", b"T21", 409, "T21"),
    ("/api/table/main/throw", b"\xff", 400, "the body is not UTF-8 text"),
    (
        "/api/table/main/throw",
        b'{"throw": "T20", "at": 9}',
        409,
        "the match is at line 1, not at 9: check the score, and try again",
    ),
    ("/api/table/main/throw", b"x" * 100_000, 413, ""),
)


async def test_what_is_refused(web: aiohttp.ClientSession) -> None:
    for path, body, status, text in REFUSED:
        async with web.post(path, data=body) as answer:
            assert answer.status == status, path
            assert text in (await answer.text()).replace('\\"', '"')
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_what_is_not_there(web: aiohttp.ClientSession) -> None:
    for path in ("/api/table/kitchen/state", "/api/table/kitchen/events", "/static/../cli.py", "/x"):
        async with web.get(path) as answer:
            assert answer.status == 404, path
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_stream_begins_with_everything_and_goes_on_with_news(
    web: aiohttp.ClientSession, board: PtyBoard, running: RunningDaemon
) -> None:
    throw(board, "T20")
    await eventually(lambda: running.tables["main"].state().line == 2)
    async with web.get("/api/table/main/events") as stream:
        assert stream.content_type == "text/event-stream"
        coming = news(stream)
        assert (await anext(coming)).kind == "board"
        first = await anext(coming)
        assert (first.kind, first.data["line"], first.data["sides"][0]["score"]) == ("state", 2, 441)
        plan = await anext(coming)
        assert (plan.kind, plan.data["players"]) == ("plan", ["Ann", "Bo"])
        throw(board, "DB")
        second = await anext(coming)
        assert (second.kind, second.data["line"]) == ("state", 3)
        assert second.data["seq"] > first.data["seq"]
        facts = [await anext(coming), await anext(coming)]
        assert [fact.data["event_type"] for fact in facts] == ["hit", "dart"]
        await board.unplug()
        lost = [await anext(coming), await anext(coming)]
        assert lost[0].data["state"] == "offline"
        assert "was pulled" in lost[0].data["text"]
        assert lost[1].data["event_type"] == "board_offline"


async def test_what_one_input_leads_to_comes_in_one_piece(web: aiohttp.ClientSession) -> None:
    """The page shows the greatest of the facts that come together, with what the others tell of it."""
    async with web.get("/api/table/main/events") as stream:
        for dart in ("T20", "T20", "T20"):
            await (await web.post("/api/table/main/throw", json={"throw": dart})).read()
        piece = b""
        while b'"award"' not in piece:
            piece, _ = await stream.content.readchunk()
        assert piece.startswith(b"event: state")
        assert b'"event_type":"visit"' in piece


async def test_a_slow_reader_is_cut_off_and_holds_up_no_other(
    web: aiohttp.ClientSession, board: PtyBoard, running: RunningDaemon
) -> None:
    """It is sent more than all buffers on the way can hold, and reads nothing of it."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(address_of(running))
    slow.sendall(b"GET /api/table/main/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    async with web.get("/api/table/main/events") as quick:
        coming = news(quick)
        assert [(await anext(coming)).kind for _ in range(3)] == ["board", "state", "plan"]
        for _ in range(2000):
            running.tables["main"].notify("x" * 10_000)
            assert (await anext(coming)).kind == "notice"
        throw(board, "T20")
        assert (await anext(coming)).data["line"] == 2
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)  # the kernel still sends what was in its buffers
    with slow:
        await asyncio.to_thread(read_all, slow)


def read_all(connection: socket.socket) -> None:
    """Reads to the end, which a stream has only when it was cut off."""
    connection.settimeout(PATIENCE_S)
    while connection.recv(65536):
        pass


def address_of(running: RunningDaemon) -> tuple[str, int]:
    host, port = (running.page or "").removeprefix("http://").rstrip("/").split(":")
    return host, int(port)


async def test_readers_that_hang_do_not_hold_up_the_stop(tmp_path: Path, unused_tcp_port: int, board: PtyBoard) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
            reader, writer = await asyncio.open_connection(*address_of(running))
            writer.write(b"GET /api/table/main/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"event: state")
            _, half = await asyncio.open_connection(*address_of(running))
            half.write(b"POST /api/table/main/throw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nT")
            await half.drain()
        writer.close()
        half.close()


ELSEWHERE = {"Origin": "https://evil.example"}


SENT_FROM: tuple[tuple[dict[str, str], int], ...] = (
    ({}, 200),
    ({"Sec-Fetch-Site": "same-origin"}, 200),
    ({"Sec-Fetch-Site": "none"}, 200),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    (ELSEWHERE, 403),
    ({"Origin": "null"}, 403),
    ({"Host": "pi.local:8180", "Origin": "http://pi.local:8180"}, 200),
    ({"Host": "pi.local:8180", "Origin": "http://pi.local:8181"}, 403),
    ({"Host": "darts.example.org", "Origin": "https://darts.example.org"}, 200),
    ({"Host": "[::1]:8180", "Origin": "http://[::1]:8180"}, 200),
    ({"Host": "192.168.1.5", "Origin": "http://192.168.1.5"}, 200),
    ({"Host": "evil.example:8180", "Origin": "http://evil.example:8180", "Sec-Fetch-Site": "same-origin"}, 403),
    ({"Host": "127.0.0.1.evil.example", "Origin": "http://127.0.0.1.evil.example"}, 403),
    ({"Host": "null", "Origin": "null"}, 403),
    ({"Host": "pi.local", "Origin": "file://pi.local"}, 403),
    ({"Host": "pi.local:80", "Origin": "http://evil.example//pi.local:80"}, 403),
    ({"Host": "pi.local.", "Origin": "http://pi.local."}, 403),
    ({"Host": "pi local"}, 403),
    ({"Content-Encoding": "gzip"}, 415),
    ({"Host": ""}, 200),
)
"""Headers of a command, and the status that it gets."""


async def test_commands_are_taken_from_our_own_page_only(web: aiohttp.ClientSession) -> None:
    for headers, status in SENT_FROM:
        async with web.post("/api/table/main/game", data=b"cricket", headers=headers) as answer:
            assert answer.status == status, (headers, await answer.text())


async def test_another_site_cannot_read_us_by_pointing_its_name_here(web: aiohttp.ClientSession) -> None:
    for path in ("/", "/api/tables", "/api/table/main/state", "/api/table/main/events"):
        async with web.get(path, headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
            sentence = "the page is not served as 'evil.example': add that name to web.names, if this machine has it"
            assert await answer.text() == sentence
    async with web.get("/api/tables", headers=ELSEWHERE) as answer:
        assert "Access-Control-Allow-Origin" not in answer.headers


async def test_an_absolute_address_counts_as_the_host_does(web: aiohttp.ClientSession, running: RunningDaemon) -> None:
    for target, status in (
        (b"http://evil.example/", b"403"),
        (b"HTTP://127.0.0.1@evil.example/api/tables", b"403"),
        (b"https://evil.example", b"403"),
        (b"http://localhost/api/tables", b"200"),
        (b"http://127.0.0.1:8180/?x=http://evil.example/", b"200"),
    ):
        reader, writer = await asyncio.open_connection(*address_of(running))
        writer.write(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 " + status), target
        writer.close()


async def test_what_is_large_is_packed_beside_the_event_loop_and_once(
    web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, compress = [], gzip.compress

    def note(*arguments: Any, **more: Any) -> bytes:  # Any: of gzip
        threads.append(threading.current_thread())
        return compress(*arguments, **more)

    monkeypatch.setattr("gzip.compress", note)
    for path in ("/api/table/main/layout", "/api/layout/standard", "/api/table/main/games", "/static/app.js"):
        answers = []
        for _ in range(2):
            async with web.get(path) as answer:
                assert answer.headers["Content-Encoding"] == "gzip"
                answers.append(await answer.read())
        assert answers[0] == answers[1]
    assert len(threads) == 4
    assert threading.main_thread() not in threads


async def test_values_are_not_nested_deeper_than_any_needs(web: aiohttp.ClientSession) -> None:
    for depth, code in ((32, None), (33, "invalid"), (2000, "invalid")):
        body = b'{"next": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
        async with web.post("/api/table/main/next", data=body) as answer:
            assert answer.status == (400 if code else 200), await answer.text()
            assert (await answer.json()).get("error", {}).get("code") == code
        async with web.post("/api/players", data=body) as answer:
            assert (answer.status, "32 deep" in await answer.text()) == (400, code is not None)


async def test_another_site_may_link_to_us_and_no_more(web: aiohttp.ClientSession) -> None:
    requests = (
        ("/", "navigate", 200),
        ("/static/app.js", "no-cors", 200),
        ("/api/tables", "navigate", 200),
        ("/api/tables", "no-cors", 403),
        ("/api/table/main/events", "cors", 403),
    )
    for site, (path, mode, status) in product(("cross-site", "same-site"), requests):
        async with web.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}) as answer:
            assert (answer.status, answer.headers["Cross-Origin-Resource-Policy"]) == (status, "same-origin")


async def test_every_answer_is_dressed(web: aiohttp.ClientSession) -> None:
    for path in ("/", "/api/tables", "/api/table/main/events", "/nothing", "/api/seat/0"):
        async with web.get(path) as answer:
            assert answer.headers["Server"] == "oche"
            assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
            assert answer.headers["Cache-Control"] == ("no-store" if path.startswith("/api/") else "no-cache")
            policy = answer.headers["Content-Security-Policy"]
            assert "script-src 'self' 'sha256-" in policy if path == "/" else "script-src 'self';" in policy
            assert "unsafe" not in policy


async def test_a_part_of_the_page_has_no_headers_that_only_a_document_needs(web: aiohttp.ClientSession) -> None:
    """Some forty parts would have brought 400 bytes each."""
    for part in ("app.js", "scoreboard.css"):
        async with web.get(f"/static/{part}") as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert "Content-Security-Policy" not in answer.headers


async def test_one_stream_has_all_tables(tmp_path: Path, unused_tcp_port: int) -> None:
    """A browser keeps six connections to a server at most, which a club with more boards would need for its events."""
    second = '[[table]]\nname = "second"\nboard = "none"\nplayers = ["Cy", "Di"]'
    file = configure(tmp_path, unused_tcp_port, second, board="none")
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with (
        run_daemon(read_config(file)) as running,
        aiohttp.ClientSession(running.page, timeout=timeout) as web,
        web.get("/api/tables/events") as stream,
    ):
        coming = news(stream)
        found = {each.data["table"]: each for each in [await anext(coming), await anext(coming)]}
        assert {each.kind for each in found.values()} == {"table"}
        assert [side["name"] for side in found["second"].data["state"]["sides"]] == ["Cy", "Di"]
        async with web.get("/api/table/main/state") as answer:
            assert found["main"].data["state"] == await answer.json()
        for table in ("second", "main"):
            await (await web.post(f"/api/table/{table}/throw", json={"throw": "T20"})).read()
            changed = await anext(coming)
            assert (changed.kind, changed.data["table"], changed.data["state"]["line"]) == ("table", table, 2)
