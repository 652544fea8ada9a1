"""What two ends say besides frames that mean something by themselves: the interface of a dialogue, and the plain one.

Most boards only talk. Some want to be asked first, count their packets, or have lamps; each of those is a small module
in protocol/dialogues with both sides of the conversation, and neither side knows a clock or a wire. A profile that only
needs one question answered says so in its `handshake` and needs no code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Generic, TypeVar

from protocol.codebook import Codebook
from protocol.events import Button, Command, Event, Garbage, Hit, Miss, Status, Stuck, Unanswered, Write
from protocol.framing import Frame, Framing
from protocol.sayings import Meaning
from protocol.template import fill

MS = 1_000_000
"""In ns."""


Heard = TypeVar("Heard", Event, Command)
"""What one side makes of the frames of the other."""


class Side(ABC, Generic[Heard]):
    """One side: a codebook, packets that wait to be written, and the time it wants to be called at (None: never)."""

    def __init__(self, codebook: Codebook) -> None:
        self.codebook = codebook
        self.packets: deque[bytes] = deque()
        self.deadline: int | None = None
        profile = codebook.profile
        self.host_framing = Framing(kind="datagram") if profile.framing.kind == "keyboard" else profile.framing
        """How what the host says is cut."""

    @abstractmethod
    def read(self, frame: Frame, now: int) -> list[Heard]:
        """What this frame says."""

    @abstractmethod
    def tick(self, now: int) -> list[Heard]:
        """The deadline is here."""


class HostSide(Side[Event]):
    """Our side. This one listens; if its profile has a handshake it asks first."""

    def opened(self, now: int) -> None:
        """The connection stands."""
        handshake = self.codebook.profile.handshake
        if handshake is not None:
            self.say(fill(handshake.send, self.codebook.profile.notation, {}))
            self.deadline = now + handshake.within_ms * MS

    def arrived(self, now: int) -> None:
        """Bytes came, whatever they will turn out to be."""

    def read(self, frame: Frame, now: int) -> list[Event]:
        """What this frame says."""
        if self._is_answer(frame):
            self.deadline = None
            self.answered(now)
            return []
        return said(self.codebook, frame, now)

    def answered(self, now: int) -> None:
        """The handshake was answered."""

    def command(self, command: Command) -> None:
        """Queues what tells the board so; nothing when it cannot be told."""
        if isinstance(command, Write):
            self.say(command.frame)

    def tick(self, now: int) -> list[Event]:
        """The deadline is here."""
        self.deadline = None
        return [Unanswered(text=NOBODY, time_ns=now)]

    def say(self, frame: bytes) -> None:
        """Queues one frame."""
        self.packets.extend(self.host_framing.packets(frame))

    def _is_answer(self, frame: Frame) -> bool:
        profile = self.codebook.profile
        if profile.handshake is None or self.deadline is None or frame.broken:
            return False
        return self.codebook.is_same(frame.data, fill(profile.handshake.expect, profile.notation, {}))


NOBODY = "the board does not answer: check that this port is the board's and that the profile is the right one"


class BoardSide(Side[Command]):
    """The board's side. This one talks; if its profile has a handshake it answers."""

    def read(self, frame: Frame, now: int) -> list[Command]:
        """What the host wants with this frame."""
        profile = self.codebook.profile
        if frame.broken:
            return []
        if profile.handshake is not None and frame.data == fill(profile.handshake.send, profile.notation, {}):
            self.say(fill(profile.handshake.expect, profile.notation, {}))
            return []
        return [Write(frame.data)]

    def event(self, event: Event) -> bool:
        """Queues what says so. False, and nothing said, when this board has no way to say it."""
        if isinstance(event, Status | Garbage):
            self.say(event.raw)
            return True
        meaning = meant(event, self.codebook)
        frame = self.codebook.frames.get(meaning) if meaning else None
        if frame is None:
            return False
        self.say(frame)
        return True

    def tick(self, now: int) -> list[Command]:
        """The deadline is here."""
        self.deadline = None
        return []

    def say(self, frame: bytes) -> None:
        """Queues one frame."""
        self.packets.extend(self.codebook.profile.framing.packets(frame))


def said(codebook: Codebook, frame: Frame, now: int) -> list[Event]:
    """The event this frame stands for by itself; none when it is known to mean nothing."""
    data, broken = frame
    meaning = None if broken else codebook.meaning(data)
    if meaning is None:
        if broken or not codebook.ignores(data):
            return [Garbage(raw=data, time_ns=now)]
        return [Status(text=data.decode("latin-1"), raw=data, time_ns=now)] if codebook.is_banner(data) else []
    match meaning.kind:
        case "hit":
            assert meaning.segment is not None
            return [Hit(segment=meaning.segment, raw=data, time_ns=now)]
        case "button":
            return [Button(name=meaning.button, raw=data, time_ns=now)]
        case "stuck":
            return [Stuck(raw=data, time_ns=now)]
    return [Miss(raw=data, time_ns=now)]


def meant(event: Event, codebook: Codebook) -> Meaning | None:
    """What of the codebook says this event; None when it cannot be said."""
    match event:
        case Hit(segment=segment):
            seen = codebook.reported(segment)
            return Meaning("hit", segment=seen) if seen else None
        case Button(name=name):
            return Meaning("button", button=name)
        case Miss():
            return Meaning("miss")
        case Stuck():
            return Meaning("stuck")
    return None
