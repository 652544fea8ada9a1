"""Servers that lie to a link of HTTP and WebSocket: nothing hangs, nothing is filled, and each end is one sentence."""

from __future__ import annotations

import asyncio
import socket
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drivers.rate_limit import Rate
from drivers.transport import LinkError, Lost, Refused, Unavailable
from drivers.web_link import open_web
from protocol.web_frames import Received, Wanted
from tests.drivers.listening import PATIENCE_S
from tests.drivers.web_ends import (
    HASTY,
    OPENED,
    PATIENT,
    ask,
    frame,
    grant,
    hear,
    lie,
    make_profile,
    opened,
    shake_hands,
)

LIVE = make_profile()
OPEN = Received("/live", socket="open")
STATE = '{"type":"state","name":"\\u001b[2J\u00e9","n":[1,2.5,null]}'.encode()


async def test_a_handshake_that_never_ends() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\n")
        while True:
            writer.write(b"X: y\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with lie(drip) as address:
        with pytest.raises(Unavailable, match="does not answer in time"):
            await open_web(address, LIVE, deadlines=HASTY)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
        b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: \xff\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000,
        b"\0" * 100_000,
    ],
)
async def test_what_is_no_handshake(said: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        await writer.drain()

    async with lie(answer) as address:
        with pytest.raises((Refused, Unavailable), match=r"correct the address|does not answer in time"):
            await open_web(address, LIVE)


async def test_a_gigabyte_frame_is_the_end_and_is_never_kept() -> None:
    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        writer.write(frame(b"", size=1 << 30))
        while True:
            writer.write(b"[" * 65536)
            await writer.drain()

    tracemalloc.start()
    try:
        async with lie(flood) as address, opened(address, LIVE) as link:
            assert await hear(link) == OPEN
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            assert await hear(link) == Received("/live", failed="too long")
            assert await hear(link) == Received("/live", socket="closed", code=1009)
            with pytest.raises(Lost):
                await link.receive()
            assert tracemalloc.get_traced_memory()[1] - before < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("piece", [b"", b"["])
async def test_a_message_of_endless_parts_costs_nothing(piece: bytes) -> None:
    parts = 3000

    async def fragment(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        writer.write(frame(piece, is_last=False))
        for _ in range(parts):
            writer.write(frame(piece, 0, is_last=False))
        writer.write(frame(b"x", 0) + frame(STATE))
        await reader.read()

    async with lie(fragment) as address, opened(address, LIVE) as link:
        assert await hear(link) == OPEN
        assert (await hear(link)).text is not None
        assert (await hear(link)).json["type"] == "state"


async def test_compression_that_was_not_offered_is_the_end() -> None:
    bomb = zlib.compress(bytes(1 << 20))[2:-4]

    async def inflate(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await shake_hands(reader, writer)
        assert "extensions" not in question.lower()
        writer.write(frame(bomb, 0x41))
        await reader.read()

    async with lie(inflate) as address, opened(address, LIVE) as link:
        assert await hear(link) == OPEN
        assert await hear(link) == Received("/live", socket="closed", code=1002)
        with pytest.raises(Lost):
            await link.receive()


async def test_compression_that_was_not_offered_is_no_handshake() -> None:
    async def offer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = (await reader.readuntil(b"\r\n\r\n")).decode()
        writer.write(grant(question)[:-2] + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
        await reader.read()

    async with lie(offer) as address:
        with pytest.raises(Refused, match="does not speak WebSocket"):
            await open_web(address, LIVE)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(b"\xff\xfe"), 1007),
        (frame(b"x", 3), 1002),
        (frame(b"x" * 126, 9), 1002),
        (b"\x81\x81abcde", 1002),
        (frame(b"x", 0), 1002),
        (frame(b"\x03", 8), 1002),
        (frame(b"", 8), 1005),
    ],
)
async def test_frames_that_break_the_rules_are_the_end(sent: bytes, code: int) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        writer.write(frame(STATE) + sent)
        await reader.read()

    async with lie(tell) as address, opened(address, LIVE) as link:
        assert await hear(link) == OPEN
        assert (await hear(link)).json["type"] == "state"
        assert await hear(link) == Received("/live", socket="closed", code=code)
        with pytest.raises(Lost):
            await link.receive()


async def test_text_for_json_and_json_that_is_too_deep_are_told_in_short() -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        for text in (b"[" * 60_000, b"[" * 33 + b"]" * 33, b'{"a": 1e999', b"\x1b[2J", b'{"n": 1' + b"0" * 400 + b"}"):
            writer.write(frame(text))
        writer.write(frame(STATE))
        await reader.read()

    async with lie(tell) as address, opened(address, LIVE) as link:
        assert await hear(link) == OPEN
        for _ in range(4):
            text = (await hear(link)).text
            assert text is not None
            assert text.isprintable()
            assert len(text) <= 64
        assert (await hear(link)).json["n"] == 10**400
        assert (await hear(link)).json["name"] == "\x1b[2J\u00e9"


@pytest.mark.long
async def test_a_flood_of_pings_that_reads_no_answer_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.web_socket._FAIR_SHARE", Rate(burst=10**9, per_s=1))  # else it takes half a minute

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await shake_hands(reader, writer)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        while True:
            writer.write(frame(b"x" * 125, 9) * 100)
            await writer.drain()

    tracemalloc.start()
    try:
        async with lie(flood) as address, opened(address, LIVE) as link:
            assert await hear(link) == OPEN
            assert (await hear(link)).socket == "closed"
            assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


async def test_a_board_that_answered_a_ping_and_falls_silent_is_lost() -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        await reader.readexactly(6)
        writer.write(frame(b"", 10))
        await asyncio.sleep(PATIENCE_S)

    async with lie(tell) as address, opened(address, LIVE, OPENED) as link:
        assert await hear(link) == OPEN
        assert await hear(link) == Received("/live", socket="closed", code=1006)
        with pytest.raises(Lost, match="can no longer be heard"):
            await link.receive()


async def test_a_board_that_never_reads_a_ping_is_not_cut() -> None:
    """As OpenDartboard: nothing that it is sent is read."""

    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await shake_hands(reader, writer)
        await reader.readexactly(3 * 6)  # pings, and no more of them
        await asyncio.sleep(HASTY.silent_s * 3)
        with suppress(TimeoutError):
            async with asyncio.timeout(HASTY.ping_s):
                await reader.readexactly(1)
                return
        writer.write(frame(STATE))
        await asyncio.sleep(PATIENCE_S)

    async with lie(tell) as address, opened(address, LIVE, OPENED) as link:
        assert await hear(link) == OPEN
        assert (await hear(link)).json["type"] == "state"


ENDLESS = [
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n[\r\n" * 100,
    b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + b"[" * 1000,
    b"HTTP/1.1 103 Early Hints\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10,
    b"HTTP/1.1 200 OK\r\n\r\n[",
    b"",
]


@pytest.mark.parametrize("said", ENDLESS)
async def test_an_answer_that_never_ends_is_none(said: bytes) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.readuntil(b"\r\n\r\n")
        if b"/live" in question:
            writer.write(grant(question.decode()))
        else:
            writer.write(said)
        await reader.read()

    async with lie(tell) as address, opened(address, LIVE, OPENED) as link:
        assert await hear(link) == OPEN
        assert await ask(link, Wanted("GET", "/state")) == Received("GET /state", failed="no answer")


@pytest.mark.parametrize(
    "piece", [b"X: yyyyyyyyyyyy\r\n", b"40\r\n" + b"[" * 64 + b"\r\n", b"1;" + b"x" * 100, b"HTTP/1.1 103 H\r\n\r\n"]
)
async def test_an_answer_that_floods_fills_nothing(piece: bytes) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.readuntil(b"\r\n\r\n")
        if b"/live" in question:
            writer.write(grant(question.decode()))
            await reader.read()
        if not piece.startswith(b"HTTP"):
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
        writer.write(b"" if piece.startswith((b"X", b"HTTP")) else b"\r\n")
        while True:
            writer.write(piece * 1000)
            await writer.drain()

    async with lie(tell) as address, opened(address, LIVE, OPENED) as link:
        assert await hear(link) == OPEN
        tracemalloc.start()
        try:
            answer = await ask(link, Wanted("GET", "/state"))
            assert answer.failed in ("no answer", "too long")
            assert tracemalloc.get_traced_memory()[1] < 3_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", b"garbage\r\n\r\n", b"HTTP/1.1 101 X\r\n\r\n"]
)
async def test_an_answer_that_breaks_off_is_none(said: bytes) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.readuntil(b"\r\n\r\n")
        if b"/live" in question:
            writer.write(grant(question.decode()))
            await reader.read()
        writer.write(said)

    async with lie(tell) as address, opened(address, LIVE, PATIENT) as link:
        assert await hear(link) == OPEN
        assert await ask(link, Wanted("GET", "/state")) == Received("GET /state", failed="no answer")


SCRIPT = frame(STATE) + frame(b"", 9) + frame(b'{"a"', is_last=False) + frame(b":1}", 0) + frame(b"\x03\xe9", 8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 300), max_size=4), end=st.integers(0, 300))
def test_a_conversation_cut_at_any_byte(cuts: list[int], end: int) -> None:
    asyncio.run(_cut(sorted(set(cuts)), end))


async def _cut(cuts: list[int], end: int) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = (await reader.readuntil(b"\r\n\r\n")).decode()
        whole = (grant(question) + SCRIPT)[:end]
        for one, other in zip([0, *cuts], [*cuts, end], strict=True):
            writer.write(whole[one:other])
            await writer.drain()
            await asyncio.sleep(0)

    heard: list[Received] = []
    async with lie(tell) as address:
        try:
            async with opened(address, LIVE) as link:
                while True:
                    heard.append(await hear(link))
        except LinkError:
            pass
    told = [OPEN, Received("/live", json={"type": "state", "name": "\x1b[2J\u00e9", "n": [1, 2.5, None]})]
    told.append(Received("/live", json={"a": 1}))
    codes = [each.code for each in heard if each.socket == "closed"]
    assert [each for each in heard if each.socket != "closed"] == told[: max(0, len(heard) - 1)]
    assert codes in ([], [1006], [1001])
    assert codes != [1001] or len(heard) == 4
