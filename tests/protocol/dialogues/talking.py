"""A host that talks with a board of HTTP and WebSocket: what it is told, what it hears in that, what it asks for."""

from __future__ import annotations

from typing import Any

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import (
    Amended,
    BoardCommand,
    BoardEvent,
    Complaint,
    Found,
    Garbage,
    Hit,
    Readiness,
    Status,
    TakeoutSeen,
    Unread,
)
from protocol.segment import Point
from protocol.web_frames import Received, Wanted, decode_wanted, encode_packet

SECOND = 1_000_000_000


class Talk:
    """One connection. `now` is in ns; `asked` holds what it wants and was not looked at, with when."""

    def __init__(self, profile: str, now: int = 0) -> None:
        codebook = shipped(profile)
        assert codebook.profile.web is not None
        self.socket = codebook.profile.web.socket
        self.now = now
        self.host = Host(codebook)
        self.host.on_open(now)
        self.asked: list[tuple[int, Wanted]] = []
        self._take_asked()

    def hear(self, received: Received) -> list[BoardEvent]:
        """The events of a message."""
        events = self.host.feed(encode_packet(received), self.now)
        self._take_asked()
        return events

    def live(self, *messages: Any) -> list[str]:  # Any: JSON
        """What is heard of these messages of the socket, one after another."""
        return [tell(event) for each in messages for event in self.hear(Received(self.socket, json=each))]

    def answer(self, source: str, **said: Any) -> list[str]:  # Any: JSON
        """What is heard of this answer."""
        return [tell(event) for event in self.hear(Received(source, **({"status": 200} | said)))]

    def wait(self, seconds: float) -> list[str]:
        """What is heard while time passes; a deadline is looked after when it is due."""
        heard, until = list[BoardEvent](), self.now + round(seconds * SECOND)
        while (due := self.host.deadline()) is not None and due <= until:
            assert due > self.now or not heard, "a deadline that does not move"
            self.now = max(due, self.now)
            heard += self.host.tick(self.now)
            self._take_asked()
        self.now = until
        return [tell(event) for event in heard]

    def send(self, command: BoardCommand) -> None:
        self.host.send(command)
        self._take_asked()

    def take(self) -> list[str]:
        """What was asked for since: method and path, and the body in JSON if there is one."""
        asked, self.asked = self.asked, []
        bodies = [f" {each.body}" if isinstance(each.body, dict) else "" for _, each in asked]
        return [f"{each.method} {each.path}{body}" for (_, each), body in zip(asked, bodies, strict=True)]

    def _take_asked(self) -> None:
        self.asked += [(self.now, decode_wanted(packet)) for packet in self.host.packets()]


def _tell_place(point: Point | None) -> str:
    return "" if point is None else f" at {point[0]},{point[1]}"


def tell(event: BoardEvent) -> str:
    """An event in a few words."""
    match event:
        case Hit(segment=segment, point=point):
            return f"{segment.id}{_tell_place(point)}"
        case Unread(point=point):
            return f"unread{_tell_place(point)}"
        case Amended(key=key, segment=segment, point=point):
            return f"{key} is {segment.id}{_tell_place(point)}"
        case TakeoutSeen(step=step):
            return f"takeout {step}"
        case Found(darts=darts, is_over=is_over, is_exact=is_exact):
            words = ["found", *map(tell, darts), *(["over"] if is_over else []), *([] if is_exact else ["inexact"])]
            return " ".join(words)
        case Readiness(said=said, remedy=remedy):
            return "ready" if said is None else f"{said.key} {remedy or '-'}"
        case Complaint(said=said):
            return said.key
        case Status(text=text):
            return text
        case Garbage():
            return "garbage"
    return type(event).__name__.lower()


def key_of(event: BoardEvent) -> str:
    """The key of a dart."""
    assert isinstance(event, Hit | Unread | Amended)
    return event.key
