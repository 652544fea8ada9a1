"""One request of HTTP/1.1 and its answer, on a connection of its own, by h11.

An answer is read to its end within one deadline, and no further than a board's messages may be long. No redirect is
followed, no compression is offered, nothing is kept of the headers.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import h11

from drivers.transport import LinkError, Unavailable
from drivers.web_peer import SLOW, Connection, Peer
from protocol.sentence import say
from protocol.web_frames import MOST_BYTES, Method

_READ_BYTES = 16_384


class Answer(NamedTuple):
    """What came. `body` is None where it is longer than a board's messages are."""

    status: int
    body: bytes | None


class BrokenAnswer(Exception):
    """What came is no HTTP, or ended too early."""


async def request(peer: Peer, method: Method, target: str, body: bytes | None = None) -> Answer | LinkError:
    """Returns the answer, or why there is none. `target` may hold a secret: no sentence has it."""
    try:
        async with asyncio.timeout(peer.deadlines.answer_s):
            connection = await peer.connect()
            try:
                return await _exchange(connection, _write(peer, method, target, body))
            finally:
                connection.abort()
    except LinkError as error:
        return error
    except (OSError, BrokenAnswer):  # of which TimeoutError is one
        return Unavailable(say(*SLOW, name=peer.name))


def _write(peer: Peer, method: Method, target: str, body: bytes | None) -> list[h11.Event]:
    headers = [("Host", peer.authority), ("User-Agent", "oche"), ("Accept", "*/*"), ("Connection", "close")]
    if body is not None:
        headers.append(("Content-Type", "application/json"))
    if method != "GET":
        headers.append(("Content-Length", str(len(body or b""))))
    events: list[h11.Event] = [h11.Request(method=method, target=target, headers=headers)]
    return [*events, *([h11.Data(data=body)] if body else []), h11.EndOfMessage()]


async def _exchange(connection: Connection, events: list[h11.Event]) -> Answer:
    """Sends and reads. Raises OSError and BrokenAnswer."""
    http = h11.Connection(h11.CLIENT)
    for event in events:
        connection.writer.write(http.send(event) or b"")
    status, body = 0, bytearray()
    while len(body) <= MOST_BYTES:
        match await _next_event(http, connection):
            case h11.Response(status_code=status) | h11.InformationalResponse(status_code=status):
                pass
            case h11.Data(data=data):
                body += data
            case h11.EndOfMessage():
                return Answer(status, bytes(body))
            case _:
                raise BrokenAnswer
    return Answer(status, None)


async def _next_event(http: h11.Connection, connection: Connection) -> object:
    while True:
        try:
            event = http.next_event()
        except h11.RemoteProtocolError:
            raise BrokenAnswer from None
        if event is not h11.NEED_DATA:
            return event
        http.receive_data(await connection.reader.read(_READ_BYTES))
        await asyncio.sleep(0)  # what comes fast must not keep the loop
