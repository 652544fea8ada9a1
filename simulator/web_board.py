"""A simulated board with cameras: a server of HTTP and WebSocket on the loopback, as its maker's program is one.

What is said is the camera's (simulator/cameras); here are connections, which come, are cut, and come again. Any number
of hosts is served, as the programs do.
"""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import h11
import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Message, Ping, Pong, TextMessage

from protocol.aiming import aim_at
from protocol.codebook import Codebook, expand
from protocol.profile import Profile
from protocol.segment import Layout, Segment
from protocol.standard import merged
from simulator.board import SimulatedBoard
from simulator.cameras.autodarts import AutodartsCamera
from simulator.cameras.camera import PLAIN, Answer, Asked, Camera, Json, Quirks, read_target
from simulator.cameras.opendartboard import ApaikoCamera, OpendartboardCamera
from simulator.cameras.opendarts import OpendartsCamera
from simulator.cameras.scolia import ExternalScoliaCamera, ScoliaCamera
from simulator.serving import serve_until_cancelled
from simulator.thrower import Landing

_READ_BYTES = 65_536
_MOST_BODY_BYTES = 65_536
_KEPT_REQUESTS = 256
_CLOSED_BY_CODE = 4000
"""From here on a refusal is a code with which the socket is closed, below it is an HTTP status."""
MakeCamera = Callable[[Layout, Quirks, Random | None], Camera]
_MAKERS: dict[str, MakeCamera] = {
    "opendarts-cameras": OpendartsCamera,
    "autodarts": AutodartsCamera,
    "opendartboard": OpendartboardCamera,
    "scolia": ScoliaCamera,
}
"""By the dialogue."""
_OPTION = re.compile(r"\{(\w+)\}")


class WebBoard(SimulatedBoard):
    """A board that listens on the loopback, on the same port (`port`, 0: any) whenever it is plugged in.

    `make_camera` is what stands behind it, by default that of the profile. Raises ValueError for a profile that is none
    of a board with HTTP and WebSocket.
    """

    def __init__(
        self,
        codebook: Codebook,
        port: int = 0,
        *,
        quirks: Quirks = PLAIN,
        rng: Random | None = None,
        make_camera: MakeCamera | None = None,
    ) -> None:
        super().__init__(without_tls(codebook))
        make_camera = make_camera or find_maker(codebook.profile)
        self.port = port
        self.requests: list[Asked] = []
        """What the hosts asked for, the latest; older ones are dropped."""
        self.heard: list[Json] = []
        """What the hosts said in their sockets, likewise."""
        self._camera = make_camera(codebook.layout, quirks, rng)
        self._server: asyncio.Task[None] | None = None
        self._visitors: set[_Visitor] = set()
        self._beating: asyncio.Task[None] | None = None
        self._is_baseline_known = False

    @property
    def camera(self) -> Camera:
        """What stands behind it, at this moment. Call `tell` after an action of yours."""
        self._camera.now_s = time.time()
        return self._camera

    @property
    def address(self) -> str:
        """For a driver: with every option that the profile's paths ask for."""
        web = self.codebook.profile.web
        paths = "" if web is None else web.socket
        serial = getattr(self._camera, "serial", "")
        options = [f"{name}={serial}" for name in _OPTION.findall(paths) if name != "token"]
        return f"web:127.0.0.1:{self.port}{'?' if options else ''}{'&'.join(options)}"

    @property
    def token(self) -> str:
        """What a host has to show to reach it; empty: nothing."""
        return getattr(self._camera, "token", "")

    @property
    def has_darts(self) -> bool:
        """Whether there are darts in it that it has seen."""
        return bool(self._camera.darts)

    def plug(self) -> None:
        """Switches it on; raises OSError when its port has been taken by another program meanwhile."""
        if self._server is None:
            listener = socket.create_server(("127.0.0.1", self.port))
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            self._server = asyncio.create_task(self._serve(listener), name=f"simulated cameras on port {self.port}")
            self._server.add_done_callback(lambda _: listener.close())
            self._beating = asyncio.create_task(self._beat(), name=f"beat of the cameras on port {self.port}")

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Switches it off, once all that it said is on its way, or when patience is over; it forgets its memory."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self.drained()
        server = self._server
        self._pull()
        self._camera.restart()
        if server is not None:
            await asyncio.wait([server])

    async def drained(self) -> None:
        """Waits until all that was said is with the system."""
        for visitor in [*self._visitors]:
            await visitor.drained()

    def drop(self) -> None:
        """All connections are cut; the board stays where it is, and sees darts meanwhile."""
        self._is_baseline_known = False
        for visitor in [*self._visitors]:
            visitor.abort()

    def reported(self, segment: Segment) -> Segment | None:
        """The segment itself, or both singles of its number in one."""
        return segment if self._camera.tells_singles else self.codebook.layout[merged(segment.id)]

    def throw(self, landing: Landing) -> bool:
        """A dart comes down there. False: the cameras do not see it."""
        seen = self.camera.land((landing.x, landing.y))
        self.tell()
        return seen

    def hit(self, segment: Segment) -> bool:
        """A dart lands in the middle of this segment."""
        aim = aim_at(self.codebook.layout, segment)
        return self.throw(Landing(aim.x, aim.y, segment))

    def miss(self) -> bool:
        """A dart falls down. False: the cameras do not see that."""
        seen = self.camera.bounce()
        self.tell()
        return seen

    def press(self, button: str) -> bool:
        """It has no buttons."""
        return False

    def pull_darts(self) -> bool:
        """The player walks up, pulls all darts and leaves."""
        self.camera.begin_takeout()
        self.camera.end_takeout()
        self.tell()
        return True

    def tell(self) -> None:
        """Says what the camera has to say, to every host."""
        for message in self.camera.outgoing():
            self.say(message)

    def say(self, message: Json | bytes) -> None:
        """Says this, whatever it is, to every host."""
        data = message if isinstance(message, bytes) else msgspec.json.encode(message)
        text = data.decode("utf-8", "replace")
        for visitor in [*self._visitors]:
            visitor.say(text)

    @property
    def hosts(self) -> int:
        """How many hosts have a socket open."""
        return sum(visitor.is_open for visitor in self._visitors)

    def on_open(self, visitor: _Visitor) -> None:
        """A host has opened a socket."""
        for message in self.camera.greet():
            visitor.say(msgspec.json.encode(message).decode())
        self._heard.set()

    def on_message(self, text: str) -> list[Json]:
        """Takes what a host says in its socket; returns the answers to it."""
        try:
            message = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return []
        if not isinstance(message, dict):
            return []
        self.heard = [*self.heard[1 - _KEPT_REQUESTS :], message]
        answers = self.camera.hear(message)
        self.tell()
        return answers

    def on_request(self, asked: Asked) -> Answer:
        """Answers a request of a host."""
        self.requests = [*self.requests[1 - _KEPT_REQUESTS :], asked]
        answer = self.camera.answer(asked)
        if asked.path == self._camera.asked_first:
            self._is_baseline_known = True
            self._heard.set()
        self.tell()
        return answer

    def on_come(self, visitor: _Visitor) -> None:
        """Somebody has connected."""
        self._visitors.add(visitor)

    def on_leave(self, visitor: _Visitor) -> None:
        """A connection is over."""
        self._visitors.discard(visitor)

    def _is_open(self) -> bool:
        return self.hosts > 0 if self._camera.asked_first is None else self._is_baseline_known

    def _pull(self) -> None:
        self.drop()
        for task in (self._server, self._beating):
            if task is not None:
                task.cancel()
        self._server = self._beating = None

    async def _serve(self, listener: socket.socket) -> None:
        async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _Visitor(self, reader, writer).run()

        # Not at once: cancelled in between, the loop would go on to watch a number that soon is another socket's.
        server = await asyncio.start_server(visit, sock=listener, start_serving=False)
        await serve_until_cancelled(server, self.drop)

    async def _beat(self) -> None:
        """Says what is said although nothing happens, and looks whether the hosts are still there."""
        waits_s = [wait_s for wait_s in (self._camera.beat_s, self._camera.ping_s) if wait_s]
        while waits_s:
            await asyncio.sleep(min(waits_s))
            if self._camera.beat_s:
                self.camera.beat()
                self.tell()
            if self._camera.ping_s:
                for visitor in [*self._visitors]:
                    visitor.ping()


class _Visitor:
    """One connection of a host: requests, and a socket if it asks for one."""

    def __init__(self, board: WebBoard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._board = board
        self._reader = reader
        self._writer = writer
        self._socket: WSConnection | None = None
        self._is_pinged = False
        self._text = ""
        """Of a message in several parts, what has come."""

    @property
    def is_open(self) -> bool:
        """Whether there is a socket."""
        return self._socket is not None

    async def run(self) -> None:
        """Serves it to its end."""
        self._board.on_come(self)
        try:
            await self._serve_requests()
        except (OSError, h11.RemoteProtocolError, h11.LocalProtocolError, EOFError):
            pass  # the host has left, or speaks something else
        finally:
            self._socket = None
            self._board.on_leave(self)
            self._writer.close()

    def say(self, text: str) -> None:
        """Says this in the socket, if there is one."""
        self._send(Message(data=text))

    def ping(self) -> None:
        """Asks whether the host is there, and hangs up where it has not answered the time before."""
        if self._is_pinged:
            self.abort()
        elif self._socket is not None:
            self._is_pinged = True
            self._send(Ping())

    def abort(self) -> None:
        """Hangs up at once."""
        self._socket = None
        self._writer.transport.abort()

    async def drained(self) -> None:
        """Waits until all that was said is with the system."""
        with suppress(OSError):
            while self._writer.transport.get_write_buffer_size():  # noqa: ASYNC110  the transport sends no word
                await asyncio.sleep(0.002)

    def _send(self, event: Event) -> None:
        if self._socket is not None and not self._writer.is_closing():
            self._writer.write(self._socket.send(event))

    async def _serve_requests(self) -> None:
        connection = h11.Connection(h11.SERVER)
        while True:
            request, body = await self._read_request(connection)
            method, target = request.method.decode(), request.target.decode()
            headers = {name.decode(): value.decode("latin-1") for name, value in request.headers}
            if headers.get("upgrade", "").lower() == "websocket":
                rest, _ = connection.trailing_data
                await self._open_socket(read_target(method, target), request, rest)
                return
            answer = self._board.on_request(read_target(method, target, _decode(body)))
            self._writer.write(_write_answer(connection, answer))
            await self._writer.drain()
            if connection.our_state is h11.MUST_CLOSE:
                return
            connection.start_next_cycle()

    async def _read_request(self, connection: h11.Connection) -> tuple[h11.Request, bytes]:
        request, body = None, b""
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                data = await self._reader.read(_READ_BYTES)
                if not data and connection.their_state is h11.IDLE:
                    raise EOFError
                connection.receive_data(data)
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > _MOST_BODY_BYTES:
                    raise EOFError
            elif isinstance(event, h11.EndOfMessage) and request is not None:
                return request, body
            else:
                raise EOFError

    async def _open_socket(self, asked: Asked, request: h11.Request, rest: bytes) -> None:
        refusal = self._board.camera.refuses(asked) if asked.path == self._board.camera.socket else 404
        if refusal is not None and refusal < _CLOSED_BY_CODE:
            self._writer.write(f"HTTP/1.1 {refusal} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await self._writer.drain()
            return
        self._socket = WSConnection(ConnectionType.SERVER)
        self._socket.initiate_upgrade_connection(list(request.headers), request.target)
        for _ in self._socket.events():
            pass  # its own request
        self._send(AcceptConnection())
        if refusal is not None:
            self._send(CloseConnection(refusal))
            await self._writer.drain()
            return
        self._board.on_open(self)
        await self._serve_socket(rest)

    async def _serve_socket(self, data: bytes) -> None:
        while self._socket is not None:
            if data:
                self._socket.receive_data(data)
                for event in self._socket.events():
                    self._take(event)
            data = await self._reader.read(_READ_BYTES)
            if not data:
                return

    def _take(self, event: Event) -> None:
        """Takes what a host says in its socket."""
        match event:
            case TextMessage():
                self._text += event.data
                if event.message_finished:
                    whole, self._text = self._text, ""
                    for answer in self._board.on_message(whole):
                        self.say(msgspec.json.encode(answer).decode())
            case Ping():
                self._send(event.response())
            case Pong():
                self._is_pinged = False
            case CloseConnection():
                self._send(event.response())
                self._socket = None


def find_maker(profile: Profile) -> MakeCamera:
    """What stands behind a board of this profile. Raises ValueError where that is no web server."""
    if profile.web is None:
        raise ValueError(f"{profile.id} is no board with HTTP and WebSocket")
    if profile.dialogue == "opendartboard" and "{token}" in profile.web.socket:
        return ApaikoCamera
    if profile.web.socket.startswith(ExternalScoliaCamera.socket):
        return ExternalScoliaCamera
    return _MAKERS[profile.dialogue]


def without_tls(codebook: Codebook) -> Codebook:
    """The same board on this machine: without TLS, and not over the internet."""
    profile = codebook.profile
    if profile.web is None or not (profile.web.tls or profile.web.is_cloud):
        return codebook
    return expand(replace(profile, web=replace(profile.web, tls=False, is_cloud=False)), layout=codebook.layout)


def _decode(body: bytes) -> Any:  # Any: JSON
    try:
        return msgspec.json.decode(body) if body else UNSET
    except msgspec.DecodeError:
        return UNSET


def _write_answer(connection: h11.Connection, answer: Answer) -> bytes:
    is_text = answer.text is not None
    body = (answer.text or "").encode() if is_text else msgspec.json.encode(answer.value)
    kind = "text/plain" if is_text else "application/json"
    headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
    parts: list[h11.Event] = [
        h11.Response(status_code=answer.status, headers=headers),
        h11.Data(data=body),
        h11.EndOfMessage(),
    ]
    return b"".join(connection.send(part) or b"" for part in parts)
