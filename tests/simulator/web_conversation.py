"""A camera and a host that hear each other without a socket between them, in time of their own."""

from __future__ import annotations

from random import Random

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import BoardCommand, BoardEvent, Hit, Unread
from protocol.web_frames import Received, Wanted, decode_wanted, encode_packet
from simulator.cameras.camera import Quirks, read_target
from simulator.web_board import MakeCamera, find_maker

_MS = 1_000_000


class WebConversation:
    """What a host of this profile hears of a camera: `events`, in order over all connections."""

    def __init__(
        self,
        name: str,
        quirks: Quirks,
        seed: int = 0,
        make_camera: MakeCamera | None = None,
    ) -> None:
        self.book = shipped(name)
        self.camera = (make_camera or find_maker(self.book.profile))(self.book.layout, quirks, Random(seed))
        self.events: list[BoardEvent] = []
        self.asked: list[Wanted] = []
        self.packets: list[bytes] = []
        """What the host was fed with."""
        self._now = 0
        self._host: Host | None = None
        assert self.book.profile.web is not None
        self._socket = self.book.profile.web.socket
        self.wait(0)

    @property
    def hits(self) -> list[Hit | Unread]:
        """The darts that the host has heard of as new ones."""
        return [event for event in self.events if isinstance(event, Hit | Unread)]

    def connect(self) -> None:
        """The host connects; its link is lost first, if it has one."""
        self.cut()
        self._host = Host(self.book)
        self._host.on_open(self._now)
        self._feed(Received(self._socket, socket="open"))
        for message in self.camera.greet():
            self._feed(Received(self._socket, json=message))
        self.pump()

    def cut(self, heard: int = 0) -> None:
        """The link is lost: of what the camera has to say only so many messages are heard."""
        for message in self.camera.outgoing()[:heard]:
            self._feed(Received(self._socket, json=message))
        if self._host is not None:
            self._feed(Received(self._socket, socket="closed"))
        self._host = None

    def send(self, command: BoardCommand) -> None:
        """The host tells the board something."""
        if self._host is not None:
            self._host.send(command)
            self.pump()

    def wait(self, ms: int) -> None:
        """Time passes."""
        end = self._now + ms * _MS
        while self._host is not None and (due := self._host.deadline()) is not None and due <= end:
            self._now = max(self._now, due)
            self.events += self._host.tick(self._now)
            self.pump()
            after = self._host.deadline()
            assert after is None or after > self._now, "it would be called again and again"
        self._now = end
        self.camera.now_s = 1_795_000_000 + self._now / 1e9

    def hear(self, packet: bytes) -> None:
        """The host hears this, which the camera has not said; what it asks for then is not answered."""
        assert self._host is not None
        self.events += self._host.feed(packet, self._now)
        self._host.packets()

    def pump(self) -> None:
        """Hands over what the two have to say, until both are silent."""
        for _ in range(1000):
            said, wanted = self.camera.outgoing(), [] if self._host is None else self._host.packets()
            if not said and not wanted:
                return
            for message in said:
                self._feed(Received(self._socket, json=message))
            for packet in wanted:
                self._answer(decode_wanted(packet))
        raise AssertionError("they never fall silent")

    def _answer(self, wanted: Wanted) -> None:
        self.asked.append(wanted)
        if wanted.method is None:
            for message in self.camera.hear(wanted.say):
                self._feed(Received(self._socket, json=message))
            return
        answer = self.camera.answer(read_target(wanted.method, wanted.path, wanted.body))
        source = f"{wanted.method} {wanted.path}"
        if answer.text is None:
            self._feed(Received(source, status=answer.status, json=answer.value))
        else:
            self._feed(Received(source, status=answer.status, text=answer.text))

    def _feed(self, received: Received) -> None:
        if self._host is not None:
            self.packets.append(encode_packet(received))
            self.events += self._host.feed(self.packets[-1], self._now)
