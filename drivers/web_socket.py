"""One WebSocket, by wsproto: its handshake, its messages one by one, and whether the far end still lives.

No compression is offered, so that no message can be larger than what was sent. A message that is too long is read past
without being kept. Pings of the board are answered, and it is asked now and then; but some boards (OpenDartboard) never
read what they are sent. So one that has never answered a ping is not held to be gone when it is silent, and after a few
it is asked no more: the system's own test of the connection is left.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import suppress

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import ProtocolError

from drivers.rate_limit import Rate, RateLimit
from drivers.transport import Refused, Unavailable
from drivers.web_peer import NO_SOCKET, SLOW, Connection, Peer
from protocol.sentence import say
from protocol.web_frames import MOST_BYTES

_READ_BYTES = 4096
_MOST_PASSED_BYTES = 4 * 1024 * 1024
"""Of one message that is read past. A longer one is no message of a board."""
_MOST_PINGS = 3
"""That a board may leave unanswered before it is asked no more."""

_FAIR_SHARE = Rate(burst=2000, per_s=1000)
"""Frames, of which a long one counts for several: far more than the busiest board sends (30 a second)."""
_WEIGHT_BYTES = 4096

ABNORMAL = 1006
"""The code of a socket that has ended without one."""
_TOO_LARGE = 1009


class WebSocket:
    """An open socket. Made by `open_socket`. `code` is why it has ended; None: it has not."""

    def __init__(self, peer: Peer, connection: Connection, socket: WSConnection) -> None:
        self.code: int | None = None
        self._peer = peer
        self._connection = connection
        self._socket = socket
        self._limit = RateLimit(_FAIR_SHARE)
        self._kept = bytearray()
        self._bytes = 0
        """Of the message that has begun, kept or not."""
        self._is_passed = False
        """Whether that one is too long."""
        self._heard_s = self._clock()
        self.is_silent = False
        """Whether it has ended because nothing was heard."""
        self._has_answered = False
        self._pings = 0

    async def read(self) -> AsyncGenerator[bytes | None, None]:
        """Yields each message; None in the place of one that is too long. Ends with the socket, once `code` is set.

        What is not asked for is not read: then the board waits.
        """
        while True:
            for event in list(self._socket.events()):
                weight = 1 + len(getattr(event, "data", b"")) // _WEIGHT_BYTES
                await asyncio.sleep(self._limit.count(weight, round(self._clock() * 1e9)))
                if not isinstance(event, TextMessage | BytesMessage):
                    self._answer(event)
                elif self._join(event):
                    self._heard_s = math.inf  # it is not silent: it is not asked
                    yield self._take()
                    self._heard_s = self._clock()
                if self.code is not None:
                    return
            await self._receive()
            if self.code is not None:
                return

    def write(self, text: str) -> None:
        """Sends a message."""
        self._send(TextMessage(data=text))

    async def watch(self) -> None:
        """Asks whether the board is there. When it is not, ends the socket and returns."""
        deadlines = self._peer.deadlines
        while True:
            await asyncio.sleep(deadlines.ping_s)
            if self._has_answered and self._clock() - self._heard_s > deadlines.silent_s:
                self.is_silent = True
                self._connection.abort()
                return
            if self._has_answered or self._pings < _MOST_PINGS:
                self._pings += 1
                self._send(Ping())

    def close(self) -> None:
        """Says that it is the end; nothing is waited for."""
        if self.code is None:
            self.code = ABNORMAL
            self._send(CloseConnection(code=1000))
        self._connection.writer.close()

    async def aclose(self) -> None:
        """Closes it, and leaves a moment for what was sent last."""
        self.close()
        try:
            with suppress(OSError):
                async with asyncio.timeout(self._peer.deadlines.close_s):
                    await self._connection.writer.wait_closed()
        finally:
            self._connection.abort()

    async def _receive(self) -> None:
        try:
            data = await self._connection.reader.read(_READ_BYTES)
            self._heard_s = self._clock()
            self._socket.receive_data(data or None)  # None: the end, of which an event tells
        except (OSError, ProtocolError):
            self.code = self.code or ABNORMAL

    def _answer(self, event: Event) -> None:
        match event:
            case Ping():
                self._send(event.response())
            case Pong():
                self._has_answered = True
            case CloseConnection():
                self._send(event.response())
                self.code = self.code or int(event.code)

    def _join(self, event: TextMessage | BytesMessage) -> bool:
        """Adds a part of a message; returns whether that was the last one."""
        part = event.data.encode() if isinstance(event, TextMessage) else bytes(event.data)
        self._bytes += len(part)
        if self._bytes > MOST_BYTES:
            self._is_passed = True
        else:
            self._kept += part
        if self._bytes > _MOST_PASSED_BYTES:
            self._send(CloseConnection(code=_TOO_LARGE))
            self.code = _TOO_LARGE
            return True
        return event.message_finished

    def _take(self) -> bytes | None:
        message = None if self._is_passed else bytes(self._kept)
        self._kept.clear()
        self._bytes, self._is_passed = 0, False
        return message

    def _send(self, event: Event) -> None:
        """Hands it to the connection; where the far end reads nothing, that is the end."""
        if self._connection.writer.is_closing():
            return
        with suppress(ProtocolError):  # the closing of one that is closed
            self._connection.writer.write(self._socket.send(event))
        if self._connection.is_full:
            self.code = self.code or ABNORMAL
            self._connection.abort()

    @staticmethod
    def _clock() -> float:
        return asyncio.get_running_loop().time()


async def open_socket(peer: Peer, target: str) -> WebSocket:
    """Opens the socket at this path. Raises Unavailable or Refused. `target` may hold a secret: no sentence has it."""
    connection = await peer.connect()
    try:
        async with asyncio.timeout(peer.deadlines.open_s):
            return WebSocket(peer, connection, await _shake_hands(peer, connection, target))
    except OSError:
        connection.abort()
        raise Unavailable(say(*SLOW, name=peer.name)) from None
    except BaseException:
        connection.abort()
        raise


async def _shake_hands(peer: Peer, connection: Connection, target: str) -> WSConnection:
    socket = WSConnection(ConnectionType.CLIENT)
    asked = Request(host=peer.authority, target=target, extra_headers=[(b"User-Agent", b"oche")])
    connection.writer.write(socket.send(asked))
    while True:
        data = await connection.reader.read(_READ_BYTES)
        if not data:
            raise Unavailable(say(*NO_SOCKET, name=peer.name))
        try:
            socket.receive_data(data)
        except (ProtocolError, ValueError):  # ValueError: a header that is not ASCII
            raise Refused(say(*NO_SOCKET, name=peer.name)) from None
        match next(socket.events(), None):
            case None:
                continue
            case AcceptConnection():
                return socket
            case RejectConnection(status_code=status):
                raise peer.explain_status(status)
            case _:
                raise Refused(say(*NO_SOCKET, name=peer.name))
