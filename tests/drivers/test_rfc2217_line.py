"""A serial port at another computer: pyserial's own server with RFC 2217 before a pty, and servers that are odd."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, cast

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st
from serial.rfc2217 import PortManager

from drivers import rfc2217_line
from drivers.address import AddressError
from drivers.port_control import IAC, PortControl, escape
from drivers.rfc2217_line import Rfc2217Transport
from drivers.schemes import SCHEMES, parse
from drivers.transport import LinkError, Lost, Refused, Unavailable
from tests.daemon.relay import Serve, serving
from tests.drivers.far_ends import OVER_TCP, Cable, read
from tests.drivers.listening import PATIENCE_S

EVERY_BYTE = bytes(range(256)) + b"\xff\xff\xf0\xff"
WILL, DO, DONT, SB, SE, COM_PORT = b"\xfb", b"\xfd", b"\xfe", b"\xfa", b"\xf0", b"\x2c"


class PtyPort(serial.Serial):
    """A pty as a port, which has no lines beside its bytes."""

    cts = dsr = ri = cd = False

    def _update_dtr_state(self) -> None:
        pass

    def _update_rts_state(self) -> None:
        pass


@asynccontextmanager
async def serving_to_the_end(serve: Serve) -> AsyncIterator[int]:
    """As `serving`, and each connection has ended on this side, too, when the block is left."""
    running = set[asyncio.Task[None]]()

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.add(task := asyncio.ensure_future(serve(reader, writer)))
        await task
        writer.close()

    async with serving(note) as number:
        yield number
        await asyncio.gather(*running)


@asynccontextmanager
async def serve_port(cable: Cable) -> AsyncIterator[tuple[int, PtyPort]]:
    """The number of pyserial's server for this cable, and the port as the server sets it."""
    port = PtyPort(cable.path, timeout=0)
    loop = asyncio.get_running_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        manager = PortManager(cast("Any", port), cast("Any", writer))  # of which it needs little
        loop.add_reader(port.fileno(), lambda: writer.write(b"".join(manager.escape(port.read(4096)))))
        with suppress(OSError):
            while data := await reader.read(4096):
                port.write(b"".join(manager.filter(data)))
        loop.remove_reader(port.fileno())

    async with serving_to_the_end(serve) as number:
        yield number, port
    port.close()


async def connect(port: int, more: str = "") -> Rfc2217Transport:
    line = await SCHEMES["rfc2217"].open(parse(f"rfc2217:127.0.0.1:{port}{more}"), OVER_TCP)
    assert isinstance(line, Rfc2217Transport)
    return line


async def test_the_server_sets_the_port_and_passes_every_byte(cable: Cable) -> None:
    async with serve_port(cable) as (number, port), aclosing(await connect(number, "?baud=19200")) as line:
        assert (port.baudrate, port.bytesize, port.parity, port.stopbits) == (19200, 8, "N", 1)
        await line.send(EVERY_BYTE)
        assert await cable.hear(len(EVERY_BYTE)) == EVERY_BYTE
        await cable.write(EVERY_BYTE)
        assert await read(line, len(EVERY_BYTE)) == EVERY_BYTE


async def test_the_speed_is_that_of_the_profile(cable: Cable) -> None:
    async with serve_port(cable) as (number, port), aclosing(await connect(number)):
        assert port.baudrate == OVER_TCP.serial.baud != 9600


def answering(*words: bytes) -> Serve:
    """A server that says this once it has heard something, and then nothing more."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        for word in words:
            writer.write(word)
        with suppress(OSError):
            while await reader.read(4096):
                pass

    return serve


def said(block: bytes) -> bytes:
    return IAC + SB + COM_PORT + escape(block) + IAC + SE


def set_to(baud: int) -> bytes:
    return said(b"\x65" + baud.to_bytes(4))


@pytest.mark.parametrize(
    ("words", "kind", "sentence"),
    [
        ((), Refused, "does not speak RFC 2217"),
        ((b"T20\r\n",), Refused, "does not speak RFC 2217"),
        ((IAC + DONT + COM_PORT,), Refused, "does not speak RFC 2217"),
        ((IAC + SB + bytes(1000),), Unavailable, "does not speak RFC 2217"),
        ((IAC + DO + COM_PORT, set_to(9600)), Refused, "does not set its port to 115200 baud"),
    ],
)
async def test_a_server_that_cannot_be_used_is_named(
    words: tuple[bytes, ...], kind: type[LinkError], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_told = kind is Unavailable or "set" in sentence
    monkeypatch.setattr(rfc2217_line, "_ANSWER_S", PATIENCE_S if is_told else 0.1)
    async with serving_to_the_end(answering(*words)) as number:
        with pytest.raises(kind, match=sentence):
            await connect(number)


async def test_a_server_that_sets_the_port_and_does_not_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rfc2217_line, "_ANSWER_S", 1.0)
    words = IAC + WILL + COM_PORT, b"T20\r\n"
    async with serving_to_the_end(answering(*words)) as number, aclosing(await connect(number)) as line:
        assert await read(line, 5) == b"T20\r\n", "what came meanwhile is kept"


async def test_a_server_that_hangs_up_at_once() -> None:
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with serving_to_the_end(serve) as number:
        with pytest.raises(Unavailable, match="ended the connection"):
            await connect(number)


async def test_nonsense_later_ends_the_link() -> None:
    settings = (set_to(115200), *(said(bytes((code, value))) for code, value in ((102, 8), (103, 1), (104, 1))))
    later = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(IAC + DO + COM_PORT + b"".join(settings))
        await later.wait()
        writer.write(b"3.4@" + IAC + SB + bytes(1000))
        with suppress(OSError):
            while await reader.read(4096):
                pass

    async with serving_to_the_end(serve) as number, aclosing(await connect(number)) as line:
        later.set()
        assert await read(line, 4) == b"3.4@"
        with pytest.raises(Lost, match="does not speak RFC 2217"):
            await line.receive()


@given(st.data())
def test_it_is_the_same_however_it_is_cut(data: st.DataObject) -> None:
    plain = data.draw(st.lists(st.one_of(st.binary(max_size=20), st.sampled_from([IAC, b"\r\x00"])), max_size=10))
    between = st.sampled_from([b"", IAC + WILL + b"\x00", IAC + b"\xf1", set_to(115200), said(b"\xff")])
    sent = b"".join(escape(each) + data.draw(between) for each in plain)
    whole, cut = PortControl(115200), PortControl(115200)
    assert whole.feed(sent) == b"".join(plain)
    at = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=20)))
    pieces = [sent[begin:end] for begin, end in zip([0, *at], [*at, len(sent)], strict=True)]
    assert b"".join(map(cut.feed, pieces)) == b"".join(plain)
    assert cut.outgoing() == whole.outgoing()


@given(st.lists(st.one_of(st.binary(max_size=50), st.sampled_from([IAC + verb for verb in (WILL, DO, DONT, SB, SE)]))))
def test_whatever_a_server_says_little_is_answered_and_kept(pieces: list[bytes]) -> None:
    control, line, answered = PortControl(9600), 0, 0
    for piece in pieces * 20:
        line += len(control.feed(piece))
        answered += len(control.outgoing())
    assert line <= len(b"".join(pieces)) * 20
    assert answered <= 4 * 3 * 256 + 100
    assert control.is_broken or len(control._block or b"") <= 256  # noqa: SLF001  what it may keep


def test_addresses_as_pyserial_has_them() -> None:
    assert str(parse("serial:rfc2217://10.0.0.5:4000?baud=9600")) == "rfc2217:10.0.0.5:4000?baud=9600"
    assert str(parse("serial:socket://board.local:23")) == "tcp:board.local:23"
    assert parse("rfc2217:[::1]:4000").number("baud", 1200) == 1200
    for wrong in ("10.0.0.5", "auto", "10.0.0.5:99999", "fe80::1:4000"):
        with pytest.raises(AddressError, match="write it like rfc2217:"):
            parse(f"rfc2217:{wrong}")
    with pytest.raises(AddressError, match="must be 4294967295 at most"):
        parse("rfc2217:10.0.0.5:4000?baud=4294967296")
    with pytest.raises(AddressError, match="as in rfc2217:"):
        parse("serial:esphome://10.0.0.5:6053")
