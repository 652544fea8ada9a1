"""Somebody between us and a real broker, packet by packet: who delays what it says, adds to it, or hangs up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

CONNECT, CONNACK, PUBLISH, PUBACK, SUBACK = 1, 2, 3, 4, 9
Meddle = Callable[[int, bytes], Awaitable[bytes]]
"""Takes the type of a packet of the broker and the packet, and gives what is passed on in its place."""


@asynccontextmanager
async def between(
    port: int, meddle: Meddle, admits: Callable[[bytes], bool] = lambda greeting: True
) -> AsyncIterator[int]:
    """The port where somebody listens who passes everything on to the broker at `port`, and back through `meddle`.

    `admits` is asked of each CONNECT; where it says no, the connection is hung up on.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            greeting = await _packet(reader)
            if admits(greeting):
                there, back = await asyncio.open_connection("127.0.0.1", port)
                back.write(greeting)
                ways = [
                    asyncio.create_task(_pass_on(reader, back)),
                    asyncio.create_task(_answer(there, writer, meddle)),
                ]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await asyncio.wait(ways)
                back.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1")
    async with server:
        yield server.sockets[0].getsockname()[1]
    await server.wait_closed()


def publish(topic: bytes, payload: bytes, *, qos: int = 0, number: int = 7) -> bytes:
    """A short PUBLISH of MQTT 5, whatever its topic."""
    identifier = number.to_bytes(2, "big") if qos else b""
    content = len(topic).to_bytes(2, "big") + topic + identifier + b"\x00" + payload
    return bytes([PUBLISH << 4 | qos << 1, len(content)]) + content


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, meddle: Meddle) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            packet = await _packet(reader)
            writer.write(await meddle(packet[0] >> 4, packet))


async def _packet(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(2)
    while head[-1] & 128:
        head += await reader.readexactly(1)
    length = sum((byte & 127) << 7 * place for place, byte in enumerate(head[1:]))
    return head + await reader.readexactly(length)
