"""What a connection to the page answers to the bytes of requests, right ones and wrong ones, one after the other."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import h11
import pytest

from daemon.errors import PortTaken
from daemon.http.connection import open_port
from daemon.http.limits import ConnectionLimit
from daemon.http.messages import HttpRequest, HttpResponse
from daemon.http.turns import Turns
from tests.daemon.process import PATIENCE_S, eventually
from tests.daemon.serving import serve_http

HOST, LAST = b"Host: localhost\r\n", b"Host: localhost\r\nConnection: close\r\n\r\n"
THREE = HOST + b"Content-Length: 3\r\n\r\nabc"


async def read_whole(request: HttpRequest) -> bytes:
    return b"".join([piece async for piece in request.connection.receive_pieces()])


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
    if request.path == "/busy":
        return HttpResponse(b"busy", status=429)
    if request.path == "/late":
        return HttpResponse(b"late", status=408)
    if request.path == "/mistake":
        raise ZeroDivisionError
    if request.path == "/caught":
        with suppress(h11.RemoteProtocolError):
            await read_whole(request)
        return HttpResponse(b"no body", status=400)
    return HttpResponse(b"much" * 5_000_000 if request.path == "/much" else b"got " + await read_whole(request))


async def exchange(sent: bytes) -> bytes:
    """All that comes back for these bytes on a connection of their own, until it is closed."""
    async with serve_http(respond, ConnectionLimit(each=1, most=1)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        async with asyncio.timeout(PATIENCE_S):
            received = await reader.read()
        writer.close()
    return received


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
        (b"GET /mistake HTTP/1.1\r\n" + HOST + b"\r\n", ["500"], b"see its log"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"\r\nnonsense\r\n\r\n", ["200", "400"], b"this HTTP request"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + THREE, ["400"], b"this HTTP request"),
        (b"GET / HTTP/1.2\r\n" + HOST + b"\r\n", ["400"], b"this HTTP request"),
        (b"GET /" + b"a" * 4096 + b" HTTP/1.1\r\n" + HOST + b"\r\n", ["400"], b"this HTTP request"),
        (b"GET /" + b"?a&" * 33 + b" HTTP/1.1\r\n" + LAST, ["200"], b"got "),
        (b"GET /?" + b"a&" * 65 + b" HTTP/1.1\r\n" + HOST + b"\r\n", ["400"], b"this HTTP request"),
        (b"GET " + b"/" * 65 + b" HTTP/1.1\r\n" + HOST + b"\r\n", ["400"], b"this HTTP request"),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 62 + LAST, ["200"], b"got "),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 64 + HOST + b"\r\n", ["400"], b"this HTTP request"),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 2000, ["400"], b"this HTTP request"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"\r\nGET /busy HTTP/1.1\r\n" + HOST + b"\r\n" * 9, ["200", "429"], b"busy"),
        (b"POST /busy HTTP/1.1\r\n" + THREE + b"GET / HTTP/1.1\r\n" + LAST, ["429"], b"busy"),
    ],
)
async def test_each_request_has_its_response(sent: bytes, statuses: list[str], end: bytes) -> None:
    received = await exchange(sent)
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
    assert b"\r\nConnection: close\r\n" in await exchange(sent)


class Counted:
    """How many turns the event loop has had."""

    turns = 0


@asynccontextmanager
async def count_turns() -> AsyncIterator[Counted]:
    """Counts those within the block."""
    counted = Counted()

    async def count() -> None:
        while True:
            counted.turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    yield counted
    counting.cancel()


@pytest.mark.slow
async def test_who_sends_on_hears_why_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and also a client that takes the answer only once it has sent all, however long that takes."""
    monkeypatch.setattr("daemon.http.connection._LINGER_S", 2.0)
    async with serve_http(respond, ConnectionLimit(each=1, most=1)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /unread HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\na")
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.readuntil(b"unread")).startswith(b"HTTP/1.1 413")
            writer.write(b"b")
            await asyncio.sleep(2.2)
            writer.write(b"cGET / HTTP/1.1\r\n" + LAST)
            assert (await reader.read()).endswith(b"got ")
        writer.close()


@pytest.mark.slow
async def test_tiny_chunks_do_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.http.connection._LINGER_S", PATIENCE_S)
    monkeypatch.setattr("daemon.http.connection._REST_OF_STRANGERS", 0.0)
    chunks = 20_000
    head = b"POST /unread HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + LAST
    async with count_turns() as counted:
        assert (await exchange(head + b"1\r\na\r\n" * chunks + b"0\r\n\r\n")).endswith(b"unread")
    assert counted.turns >= chunks


@pytest.mark.slow
@pytest.mark.parametrize("may_play", [False, True])
async def test_requests_that_come_at_once_are_answered_one_in_a_turn(
    may_play: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of all connections together: one of a stranger, as each is at first, and one of those who may play."""
    monkeypatch.setattr("daemon.http.connection._REST_OF_STRANGERS", 0.0)
    at: list[int] = []

    async def note(request: HttpRequest) -> HttpResponse:
        request.connection.may_play = may_play
        at.append(counted.turns)
        return HttpResponse(b"")

    async def ask(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write((b"GET / HTTP/1.1\r\n" + HOST + b"\r\n") * 499 + b"GET / HTTP/1.1\r\n" + LAST)
        async with asyncio.timeout(PATIENCE_S):
            await reader.read()
        writer.close()

    async with serve_http(note, ConnectionLimit(each=4, most=4)) as port, count_turns() as counted:
        await asyncio.gather(*(ask(port) for _ in range(4)))
    assert len(at) == 2000
    assert max(Counter(at).values()) <= (2 if may_play else 1)


async def test_who_goes_beyond_the_limit_is_told_so_once_and_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much it has sent, it is not reset before it has read why."""
    monkeypatch.setattr("daemon.http.connection._LINGER_S", PATIENCE_S)
    told = await exchange((b"GET /busy HTTP/1.1\r\n" + HOST + b"\r\n") * 7000)
    assert (told.count(b"HTTP/1.1 "), b"\r\nConnection: close\r\n" in told) == (1, True)


async def test_clients_alternate_whatever_each_asks_for() -> None:
    turns, order = Turns(), []

    async def ask(client: str) -> None:
        await turns.take(client)
        order.append(client)

    gone = asyncio.create_task(ask("Ann"))
    asking = [asyncio.create_task(ask(client)) for client in ("Ann", "Ann", "Ann", "Bo", "Cy", "Bo")]
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait(asking)
    assert order == ["Ann", "Bo", "Cy", "Ann", "Bo", "Ann"]


async def test_who_is_preferred_alternates_with_all_others_together() -> None:
    turns, order = Turns(), []

    async def ask(client: str, *, is_preferred: bool = False) -> None:
        await turns.take(client, is_preferred=is_preferred)
        order.append(client)

    asking = [asyncio.create_task(ask(client)) for client in ("Ann", "Bo", "Cy")]
    asking += [asyncio.create_task(ask("Dee", is_preferred=True)) for _ in range(3)]
    await asyncio.wait(asking)
    assert order == ["Dee", "Ann", "Dee", "Bo", "Dee", "Cy"]


async def test_who_has_shown_the_token_lately_waits_for_few_strangers() -> None:
    """Also with the first request of a new connection, which shows nothing before its turn."""
    order: list[str] = []

    async def note(request: HttpRequest) -> HttpResponse:
        order.append(request.connection.client)
        request.connection.may_play = request.header("authorization") != ""
        time.sleep(0.005)  # noqa: ASYNC251  work
        return HttpResponse(b"")

    async with serve_http(note, ConnectionLimit(each=2, most=99)) as port:

        async def connect(address: str, sent: bytes) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            writer.write(sent)
            with suppress(ConnectionError):
                await reader.read()
            writer.close()

        device = partial(connect, "127.0.0.2", b"GET / HTTP/1.1\r\nAuthorization: token\r\n" + LAST)
        await device()
        requests = (b"GET / HTTP/1.1\r\n" + HOST + b"\r\n") * 1000
        strangers = [asyncio.create_task(connect(f"127.0.1.{1 + number}", requests)) for number in range(30)]
        await eventually(lambda: len(set(order)) == 31)
        before = len(order)
        await device()
        assert order.index("127.0.0.2", before) - before < 15
    for stranger in strangers:
        stranger.cancel()


async def test_who_connects_to_a_port_is_answered_whenever_it_is_served() -> None:
    """Before the daemon is put together, and while what serves it is started again after a failure."""
    async with open_port("127.0.0.1", 0) as port:
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
            writer.write(b"GET / HTTP/1.1\r\n" + LAST)
            async with asyncio.timeout(PATIENCE_S), port.serve(respond, ConnectionLimit(each=1, most=1)):
                assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            writer.close()
        with pytest.raises(PortTaken):
            await open_port("127.0.0.1", port.number).__aenter__()


@pytest.mark.parametrize("turns", range(4))
async def test_who_connects_when_serving_ends_is_hung_up_on(turns: int) -> None:
    """However many turns of the event loop ago that was."""
    async with open_port("127.0.0.1", 0) as port, port.serve(respond, ConnectionLimit(each=1, most=1)):
        client = socket.create_connection(("127.0.0.1", port.number), PATIENCE_S)
        for _ in range(turns):
            await asyncio.sleep(0)
    with client, suppress(ConnectionResetError):
        assert client.recv(1) == b""


@pytest.mark.parametrize(("turns", "again"), [(1, False), (5, False), (5, True)])
async def test_serving_that_is_cancelled_leaves_nothing(turns: int, again: bool) -> None:
    """In the turn of the event loop in which it begins, and a second time while it ends."""
    async with open_port("127.0.0.1", 0) as port:

        async def serve() -> None:
            async with port.serve(respond, ConnectionLimit(each=1, most=1)):
                await asyncio.Event().wait()

        with socket.create_connection(("127.0.0.1", port.number), PATIENCE_S):
            before, serving = asyncio.all_tasks(), asyncio.create_task(serve())
            for _ in range(turns):
                await asyncio.sleep(0)
            serving.cancel()
            await asyncio.sleep(0)
            if again:
                serving.cancel()
            await asyncio.wait([serving])
            assert asyncio.all_tasks() == before


async def test_turns_leave_the_loop_its_share() -> None:
    turns, took_s = Turns(rest=3.0), 0.02
    began = time.monotonic()
    for _ in range(4):
        await turns.take("Ann")
        time.sleep(took_s)  # noqa: ASYNC251  work
    assert time.monotonic() - began >= 4 * took_s + 3 * 3 * took_s


async def test_a_client_that_resets_in_its_body_is_no_mistake_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    limit = ConnectionLimit(each=1, most=1)
    async with serve_http(respond, limit) as port:
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
    monkeypatch.setattr("daemon.http.connection._IDLE_S", 0.2)
    limit = ConnectionLimit(each=1, most=1)
    async with serve_http(respond, limit) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(b"GET " + path + b" HTTP/1.1\r\n" + LAST)
        await eventually(lambda: not limit.enter("127.0.0.1"))
        await eventually(lambda: limit.enter("127.0.0.1"))
        taken = 0
        async with asyncio.timeout(PATIENCE_S):
            while piece := await reader.read(65536):  # all at once would come byte by byte, by the limit
                taken += len(piece)
        assert taken < 20_000_000
        writer.close()
