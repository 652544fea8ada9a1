"""What host and board exchange besides frames that each carry an event: the interface of a dialogue, and the plain one.

Most boards only talk. Some want to be asked first, count their packets, or have lamps; each of those is a small module
in protocol/dialogues with both sides of the conversation, and neither side knows a clock or a wire. A profile that only
needs one question answered says so in its `handshake` and needs no code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar, Generic, TypeVar

from protocol.codebook import Codebook
from protocol.events import BoardCommand, BoardEvent, Button, Garbage, Hit, MissSensed, Status, Stuck, Unanswered, Write
from protocol.framing import Frame, Framing
from protocol.sentence import say
from protocol.templates import Meaning, fill

MS = 1_000_000
"""A millisecond, in ns."""


Heard = TypeVar("Heard", BoardEvent, BoardCommand)
"""What one end decodes from the frames of the other: events or commands."""


class DialogueEnd(ABC, Generic[Heard]):
    """One end: a codebook, packets that wait to be written, and when to call `tick` (ns, None: never)."""

    def __init__(self, codebook: Codebook) -> None:
        self.codebook = codebook
        self.packets: deque[bytes] = deque()
        self.deadline: int | None = None
        profile = codebook.profile
        self.host_framing = Framing(kind="datagram") if profile.framing.kind == "keyboard" else profile.framing
        """How the stream from the host is cut into frames."""

    @abstractmethod
    def read(self, frame: Frame, now: int) -> list[Heard]:
        """The events or commands in this frame. `now` is monotonic, in ns."""

    @abstractmethod
    def tick(self, now: int) -> list[Heard]:
        """Called at the deadline; returns what follows from it."""


class HostDialogue(DialogueEnd[BoardEvent]):
    """The host's side. This one listens; if its profile has a handshake it asks first."""

    has_lamps: ClassVar[bool] = False
    """Whether the board receives what to light."""

    def on_open(self, now: int) -> None:
        """Called once the connection is established; queues the handshake."""
        handshake = self.codebook.profile.handshake
        if handshake is not None:
            self.say(fill(handshake.send, self.codebook.profile.notation, {}))
            self.deadline = now + handshake.within_ms * MS

    def on_bytes(self, now: int) -> None:
        """Called for each chunk of bytes, which may be part of a frame."""

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        """The events in this frame."""
        if self._is_answer(frame):
            self.deadline = None
            self.on_answer(now)
            return []
        return decode_frame(self.codebook, frame, now)

    def on_answer(self, now: int) -> None:
        """Called when the board has answered the handshake."""

    def encode(self, command: BoardCommand) -> None:
        """Queues this command; nothing when the board does not know it."""
        if isinstance(command, Write):
            self.say(command.frame)

    def tick(self, now: int) -> list[BoardEvent]:
        """Called at the deadline; returns what follows from it."""
        self.deadline = None
        return [Unanswered(said=NO_ANSWER, time_ns=now)]

    def say(self, frame: bytes) -> None:
        """Queues one frame."""
        self.packets.extend(self.host_framing.packets(frame))

    def _is_answer(self, frame: Frame) -> bool:
        profile = self.codebook.profile
        if profile.handshake is None or self.deadline is None or frame.broken:
            return False
        return self.codebook.is_same(frame.data, fill(profile.handshake.expect, profile.notation, {}))


NO_ANSWER = say(
    "link.no_answer",
    "the board does not answer: check that this is the board's port and that the profile is right",
)


class BoardDialogue(DialogueEnd[BoardCommand]):
    """The board's side. This one talks; if its profile has a handshake it answers."""

    def read(self, frame: Frame, now: int) -> list[BoardCommand]:
        """The commands in this frame."""
        profile = self.codebook.profile
        if frame.broken:
            return []
        if profile.handshake is not None and frame.data == fill(profile.handshake.send, profile.notation, {}):
            self.say(fill(profile.handshake.expect, profile.notation, {}))
            return []
        return [Write(frame.data)]

    def encode(self, event: BoardEvent) -> bool:
        """Queues the frame for this event. Returns False, and queues none, when the board has no frame for it."""
        if isinstance(event, Status | Garbage):
            self.say(event.raw)
            return True
        meaning = find_meaning(event, self.codebook)
        frame = self.codebook.frames.get(meaning) if meaning else None
        if frame is None:
            return False
        self.say(frame)
        return True

    def tick(self, now: int) -> list[BoardCommand]:
        """Called at the deadline; returns what follows from it."""
        self.deadline = None
        return []

    def say(self, frame: bytes) -> None:
        """Queues one frame."""
        self.packets.extend(self.codebook.profile.framing.packets(frame))


def decode_frame(codebook: Codebook, frame: Frame, now: int) -> list[BoardEvent]:
    """The event that this frame stands for by itself: one, or none when it is known to mean nothing."""
    data, broken = frame
    meaning = None if broken else codebook.meaning(data)
    if meaning is None:
        if not codebook.ignores(data):
            return [Garbage(raw=data, time_ns=now)]
        if broken:  # a line without a start marker, or the beginning of a long one
            return []
        return [Status(text=data.decode("latin-1"), raw=data, time_ns=now)] if codebook.is_banner(data) else []
    match meaning.kind:
        case "hit":
            assert meaning.segment is not None
            return [Hit(segment=meaning.segment, raw=data, time_ns=now)]
        case "button":
            return [Button(name=meaning.button, raw=data, time_ns=now)]
        case "stuck":
            return [Stuck(raw=data, time_ns=now)]
    return [MissSensed(raw=data, time_ns=now)]


def find_meaning(event: BoardEvent, codebook: Codebook) -> Meaning | None:
    """The meaning by which the codebook says this event; None when this board cannot say it."""
    match event:
        case Hit(segment=segment):
            seen = codebook.reported(segment)
            return Meaning("hit", segment=seen) if seen else None
        case Button(name=name):
            return Meaning("button", button=name)
        case MissSensed():
            return Meaning("miss")
        case Stuck():
            return Meaning("stuck")
    return None
