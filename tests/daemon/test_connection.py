"""What a connection to the page answers to the bytes of requests, right ones and wrong ones, one after the other."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from contextlib import suppress

import h11
import pytest

from daemon.web.connection import ConnectionLimit, serve_http
from daemon.web.http_messages import HttpRequest, HttpResponse
from tests.daemon.process import PATIENCE_S, eventually

HOST, LAST = b"Host: localhost\r\n", b"Host: localhost\r\nConnection: close\r\n\r\n"
THREE = HOST + b"Content-Length: 3\r\n\r\nabc"


async def read_whole(request: HttpRequest) -> bytes:
    return b"".join([piece async for piece in request.link.receive_pieces()])


class Endless:
    """A BodyStream that has always more to send."""

    async def next(self) -> bytes | None:
        return b"much" * 10_000

    def end(self) -> None:
        pass

    def close(self) -> None:
        pass


async def respond(request: HttpRequest) -> HttpResponse:
    """Echoes the body, unless the path says otherwise."""
    if request.path == "/endless":
        return HttpResponse(Endless())
    if request.path == "/role":
        return HttpResponse(request.role.encode())
    if request.path == "/unread":
        return HttpResponse(b"unread", status=413)
    if request.path == "/late":
        return HttpResponse(b"late", status=408)
    if request.path == "/mistake":
        raise ZeroDivisionError
    if request.path == "/caught":
        with suppress(h11.RemoteProtocolError):
            await read_whole(request)
        return HttpResponse(b"no body", status=400)
    return HttpResponse(b"much" * 5_000_000 if request.path == "/much" else b"got " + await read_whole(request))


@pytest.mark.parametrize(
    ("sent", "statuses", "end"),
    [
        (b"GET / HTTP/1.1\r\n" + HOST + b"\r\nGET / HTTP/1.1\r\n" + LAST, ["200", "200"], b"got "),
        (b"POST / HTTP/1.1\r\n" + THREE + b"GET / HTTP/1.1\r\n" + LAST, ["200", "200"], b"got "),
        (b"POST /unread HTTP/1.1\r\n" + THREE + b"GET / HTTP/1.1\r\n" + LAST, ["413", "200"], b"got "),
        (b"POST / HTTP/1.0\r\n" + THREE, ["200"], b"got abc"),
        (b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\n" + THREE, ["100", "200"], b"got abc"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + LAST + b"3\r\nabc\r\n0\r\n\r\n", ["200"], b"got abc"),
        (b"GET /role HTTP/1.1\r\n" + LAST, ["200"], b"look"),
        (b"HEAD / HTTP/1.1\r\n" + LAST, ["200"], b"Content-Length: 4\r\nConnection: close\r\n\r\n"),
        (b"GET http://localhost/unread HTTP/1.1\r\n" + LAST, ["413"], b"unread"),
        (b"GET /mistake HTTP/1.1\r\n" + HOST + b"\r\n", ["500"], b"its log says more"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"\r\nnonsense\r\n\r\n", ["200", "400"], b"understands"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + THREE, ["400"], b"understands"),
        (b"GET / HTTP/1.2\r\n" + HOST + b"\r\n", ["400"], b"understands"),
        (b"GET /" + b"a" * 4096 + b" HTTP/1.1\r\n" + HOST + b"\r\n", ["400"], b"understands"),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 64 + HOST + b"\r\n", ["400"], b"understands"),
    ],
)
async def test_each_request_has_its_response(sent: bytes, statuses: list[str], end: bytes) -> None:
    async with serve_http(respond, "127.0.0.1", 0, ConnectionLimit(each=1, most=1)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        async with asyncio.timeout(PATIENCE_S):
            received = await reader.read()
        writer.close()
    assert (re.findall(r"HTTP/1\.1 (\d+)", received.decode()), received.lower().endswith(end.lower())) == (
        statuses,
        True,
    )


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /late HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\n",
        b"POST /caught HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + HOST + b"\r\nnonsense\r\n",
    ],
)
async def test_a_response_after_which_we_hang_up_says_so(sent: bytes) -> None:
    async with serve_http(respond, "127.0.0.1", 0, ConnectionLimit(each=1, most=1)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        async with asyncio.timeout(PATIENCE_S):
            assert b"\r\nConnection: close\r\n" in await reader.read()
        writer.close()


async def test_tiny_chunks_do_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.web.connection._LINGER_S", PATIENCE_S)
    turns, chunks = 0, 20_000

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with serve_http(respond, "127.0.0.1", 0, ConnectionLimit(each=1, most=1)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        counting = asyncio.create_task(count_turns())
        writer.write(b"POST /unread HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + LAST)
        writer.write(b"1\r\na\r\n" * chunks + b"0\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.read()).endswith(b"unread")
        counting.cancel()
        writer.close()
    assert turns >= chunks


async def test_a_client_that_resets_in_its_body_is_no_mistake_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    limit = ConnectionLimit(each=1, most=1)
    async with serve_http(respond, "127.0.0.1", 0, limit) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\n" + HOST + b"Content-Length: 3\r\n\r\na")
        await eventually(lambda: not limit.enter("127.0.0.1"))
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await eventually(lambda: limit.enter("127.0.0.1"))
    assert not caplog.records


@pytest.mark.parametrize("path", [b"/much", b"/endless"])
async def test_a_client_that_does_not_take_its_response_is_hung_up_on(
    path: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.web.connection._IDLE_S", 0.2)
    limit = ConnectionLimit(each=1, most=1)
    async with serve_http(respond, "127.0.0.1", 0, limit) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(b"GET " + path + b" HTTP/1.1\r\n" + LAST)
        await eventually(lambda: not limit.enter("127.0.0.1"))
        await eventually(lambda: limit.enter("127.0.0.1"))
        async with asyncio.timeout(PATIENCE_S):
            assert len(await reader.read()) < 20_000_000
        writer.close()
