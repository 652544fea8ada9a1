"""Servers of a test's own that take the place of a broker or stand before one, each while a block lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from daemon.http.connection import close_servers

CONNECT, CONNACK, PUBLISH, PUBACK, SUBACK, DISCONNECT = 1, 2, 3, 4, 9, 14
"""Types of packets."""
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Meddle = Callable[[int, bytes], Awaitable[bytes]]
"""Takes the type of a packet of the broker and the packet, and gives what is passed on in its place."""


@asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[int]:
    """The port of a server that treats each connection like this."""
    server = await asyncio.start_server(serve, "127.0.0.1")
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await close_servers([server])
    await server.wait_closed()


@asynccontextmanager
async def between(
    port: int,
    meddle: Meddle,
    admits: Callable[[bytes], bool] = lambda greeting: True,
    farewell: bytes = b"",
    takes: Callable[[bytes], bool] = lambda data: True,
) -> AsyncIterator[int]:
    """The port of a relay that passes everything on to the broker at `port`, and back through `meddle`.

    `admits` is asked of each CONNECT; where it says no, the connection is closed, and so is one that begins otherwise.
    `takes` is asked of what a client says later; where it says no, the client is hung up on. `farewell` is said to a
    client that the broker or the relay hangs up on.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            greeting = await read_packet(reader)
            if greeting[0] == CONNECT << 4 and admits(greeting):  # the first byte of TLS is another
                there, back = await asyncio.open_connection("127.0.0.1", port)
                back.write(greeting)
                ways = [
                    asyncio.create_task(_pass_on(reader, back, takes)),
                    asyncio.create_task(_answer(there, writer, meddle)),
                ]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await asyncio.wait(ways)
                writer.write(farewell)
                back.close()
        writer.close()

    async with serving(serve) as relay:
        yield relay


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, takes: Callable[[bytes], bool]) -> None:
    while (data := await reader.read(4096)) and takes(data):
        writer.write(data)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, meddle: Meddle) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            packet = await read_packet(reader)
            writer.write(await meddle(packet[0] >> 4, packet))


async def read_packet(reader: asyncio.StreamReader) -> bytes:
    """One packet of MQTT, whole."""
    head = await reader.readexactly(2)
    while head[-1] & 128:
        head += await reader.readexactly(1)
    length = sum((byte & 127) << 7 * place for place, byte in enumerate(head[1:]))
    return head + await reader.readexactly(length)


@asynccontextmanager
async def saying(*words: bytes) -> AsyncIterator[int]:
    """The port of a broker that says this to every client, word by word, and hangs up."""

    async def be_rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        for word in words:
            await asyncio.sleep(0.005)  # one is read, and answered, before the next
            writer.write(word)
        writer.close()

    async with serving(be_rude) as port:
        yield port
