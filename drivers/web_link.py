"""A board that speaks HTTP and WebSocket, as a link of packets: see protocol/web_frames.py.

One WebSocket is kept, and requests go beside it, each on a connection of its own, at most two at once. Where a profile
names a `state` to be asked for, a board can do without its socket: the link stands while requests are answered, and
tries the socket again by itself. Otherwise the link ends with the socket, after the dialogue was told of its code.

What this puts out is bounded: messages, what waits of them, requests, and how fast a board may send. Where nothing is
taken, nothing is read, and the board has to wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from random import Random
from typing import Any

import msgspec
from msgspec import UNSET

from drivers.address import Address
from drivers.backoff import Backoff
from drivers.tcp_line import HUNG_UP, SILENT
from drivers.transport import LinkError, Lost, Refused, Transport, make_printable
from drivers.web_paths import WebPaths
from drivers.web_peer import Deadlines, Peer
from drivers.web_request import Answer, request
from drivers.web_socket import WebSocket, open_socket
from protocol.json_depth import check_depth
from protocol.profile import Profile, Web
from protocol.sentence import say
from protocol.web_frames import Received, Wanted, decode_wanted, encode_packet

_AT_ONCE = 2
_MOST_REQUESTS = 16
"""That wait for their answer, or for their turn."""
_MOST_WAITING_BYTES = 256 * 1024
"""Of packets that were not taken yet; then nothing more is read."""
_PACKET_BYTES = 200
"""That a packet takes beside its own."""
_DEADLINES = Deadlines()
_FLAPPING_S = 1.0
"""A board whose socket ends without a single message is not tried at once."""
_CLOUD_RETRY_S = 15.0
"""A server of many boards is not asked as often as one in the house."""


class WebTransport(Transport):
    """An open link. Made by `open_web`."""

    def __init__(self, peer: Peer, web: Web, paths: WebPaths) -> None:
        self._peer = peer
        self._web = web
        self._paths = paths
        self._has_polls = "state" in web.paths
        self._socket: WebSocket | None = None
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._lost: Lost | None = None
        self._answered_s = self._heard_s = asyncio.get_running_loop().time()
        self._backoff = Backoff(peer.deadlines.retry_s, peer.deadlines.most_retry_s)

    async def begin(self) -> None:
        """Opens the socket, or finds that the board answers without. Raises a LinkError."""
        socket: WebSocket | None = None
        try:
            socket = await self._open_socket()
        except LinkError:
            if not self._has_polls:
                raise
            answer = await request(self._peer, "GET", self._paths.fill(self._web.paths["state"]))
            if not isinstance(answer, Answer) or answer.status != 200:
                raise
            self._add(Received(self._web.socket, socket="closed"))
        self._start(self._keep(socket))

    async def receive(self) -> bytes:
        """Waits for the next packet, and returns it."""
        while not self._waiting:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        packet = self._waiting.popleft()
        self._waiting_bytes -= len(packet) + _PACKET_BYTES
        self._room.set()
        return packet

    async def send(self, data: bytes) -> None:
        """Begins what this packet asks for; its answer, or that there is none, is received."""
        if self._lost is not None:
            raise self._lost
        wanted = decode_wanted(data)
        if wanted.method is not None:
            source = f"{wanted.method} {wanted.path}"
            if len(self._tasks) > _MOST_REQUESTS:
                self._add(Received(source, failed="no answer"))
            else:
                self._start(self._request(source, wanted))
        elif self._socket is not None:
            self._socket.write(msgspec.json.encode(wanted.say).decode())
        else:
            self._add(Received(self._web.socket, failed="not connected"))

    async def aclose(self) -> None:
        """Ends the socket and all requests."""
        self._end(Lost(f"the connection to {self._peer.name} is closed"))
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _open_socket(self) -> WebSocket:
        return await open_socket(self._peer, self._paths.fill(self._web.socket))

    async def _keep(self, socket: WebSocket | None) -> None:
        """Reads one socket after the other, until there is no link any more."""
        loop, failures = asyncio.get_running_loop(), 0
        try:
            while True:
                if socket is not None:
                    since = loop.time()
                    count = await self._read(socket)
                    if not self._has_polls:
                        said = say(*(SILENT if socket.is_silent else HUNG_UP), name=self._peer.name)
                        unheard_s = self._peer.deadlines.silent_s if socket.is_silent else 0.0
                        raise Lost(said, retry_s=0.0 if count else _FLAPPING_S, unheard_s=unheard_s)
                    if loop.time() - since > self._backoff.most_s:
                        failures = 0
                failures += 1
                await asyncio.sleep(self._backoff.delay_s(failures, Random()))
                socket = await self._try_socket()
        except LinkError as error:
            retry_s = _CLOUD_RETRY_S if self._web.is_cloud else error.retry_s
            self._end(Lost(error.said, retry_s=retry_s, unheard_s=error.unheard_s or self._count_unheard_s()))

    async def _try_socket(self) -> WebSocket | None:
        """Raises a LinkError when no request was answered for long, either."""
        try:
            return await self._open_socket()
        except LinkError:
            if asyncio.get_running_loop().time() - self._answered_s > self._peer.deadlines.silent_s:
                raise
            return None

    async def _read(self, socket: WebSocket) -> int:
        """Puts out what the socket brings, from its opening to its end. Returns how many messages that were."""
        path, count = self._web.socket, 0
        self._socket = socket
        watch = asyncio.create_task(socket.watch())
        try:
            await self._put(Received(path, socket="open"))
            async with aclosing(socket.read()) as messages:
                async for message in messages:
                    count += 1
                    self._heard_s = asyncio.get_running_loop().time()
                    if (packet := self._make_packet(message)) is not None:
                        await self._put(packet)
        finally:
            watch.cancel()
            self._socket = None
            await socket.aclose()
        await self._put(Received(path, socket="closed", code=socket.code))
        return count

    def _make_packet(self, message: bytes | None) -> Received | None:
        """Returns what a dialogue gets of a message of the socket; None: it is not for a dialogue."""
        path, types = self._web.socket, self._web.types
        if message is None:
            return Received(path, failed="too long")
        value = parse_json(message)
        if not types:
            return make_received(path, value, message)
        kind = value.get("type") if isinstance(value, dict) else None
        return make_received(path, value, message) if isinstance(kind, str) and kind in types else None

    async def _request(self, source: str, wanted: Wanted) -> None:
        assert wanted.method is not None
        body = None if wanted.body is UNSET else msgspec.json.encode(wanted.body)
        async with self._turns:
            answer = await request(self._peer, wanted.method, self._paths.fill(wanted.path), body)
        if isinstance(answer, LinkError):
            await self._put(Received(source, failed="refused" if isinstance(answer, Refused) else "no answer"))
            if self._socket is None:
                self._end(Lost(answer.said, unheard_s=self._count_unheard_s()))
            return
        self._answered_s = self._heard_s = asyncio.get_running_loop().time()
        if answer.body is None:
            await self._put(Received(source, status=answer.status, failed="too long"))
        else:
            await self._put(make_received(source, parse_json(answer.body), answer.body, answer.status))

    def _count_unheard_s(self) -> float:
        """How long a board that is asked again and again has said nothing; of others silence says nothing."""
        return asyncio.get_running_loop().time() - self._heard_s if self._has_polls else 0.0

    async def _put(self, received: Received) -> None:
        """Adds a packet, once there is room."""
        while self._waiting_bytes > _MOST_WAITING_BYTES:
            self._room.clear()
            await self._room.wait()
        self._add(received)

    def _add(self, received: Received) -> None:
        packet = encode_packet(received)
        self._waiting.append(packet)
        self._waiting_bytes += len(packet) + _PACKET_BYTES
        self._news.set()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:  # Any: as asyncio has it
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self, lost: Lost) -> None:
        self._lost = self._lost or lost
        self._news.set()


def parse_json(text: bytes) -> object:
    """Returns the object or list in this text; None where it is anything else, or nested too deep."""
    try:
        check_depth(text)
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError):  # msgspec's are ValueErrors
        return None
    return value if isinstance(value, dict | list) else None


def make_received(source: str, value: object, text: bytes, status: int | None = None) -> Received:
    """Returns a message with this value, which is in JSON as it came; with the beginning of the text without one."""
    if value is None:
        return Received(source, text=make_printable(text.decode(errors="replace").strip()), status=status)
    return Received(source, json=msgspec.Raw(text), status=status)


async def open_web(
    address: Address,
    profile: Profile,
    *,
    read_token: Callable[[], str] | None = None,
    deadlines: Deadlines = _DEADLINES,
) -> WebTransport:
    """Connects. Raises a LinkError with what to do. `read_token` returns the token of the board, or raises Refused."""
    peer = Peer(address, profile, deadlines)
    assert profile.web is not None  # Peer has raised
    link = WebTransport(peer, profile.web, WebPaths(address, profile.web, read_token() if read_token else None))
    try:
        await link.begin()
    except LinkError as error:
        await link.aclose()
        if profile.web.is_cloud:
            error.retry_s = _CLOUD_RETRY_S
        raise
    except BaseException:
        await link.aclose()
        raise
    return link
