"""The two ends of a board's wire, over one codec: Host is ours, Board is the board's.

Neither knows a socket, a port or a clock. Time is an argument in nanoseconds, timers are deadlines the caller keeps,
and `feed` never raises, whatever comes in. They are mirrors: what one sends the other understands, which is what the
simulator is made of. That proves consistency, not truth; truth comes from real captures in the tests.
"""

from __future__ import annotations

from protocol.codebook import Codebook, Meaning
from protocol.events import Button, Command, Event, Garbage, Hit, Miss, Status, Write
from protocol.framing import Framer


class _End:
    """What both ends have: a codebook, a framer, and bytes that wait to be written."""

    def __init__(self, codebook: Codebook) -> None:
        self._codebook = codebook
        self._framer = Framer(codebook.profile.framing)
        self._outgoing = bytearray()

    def outgoing(self) -> bytes:
        """What is to be written now; empty when nothing is."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def deadline(self) -> int | None:
        """When `tick` wants to be called (monotonic, ns); None: never. A line board has no dialogue."""
        return None


class Host(_End):
    """Our end of one connection: bytes from a board become events, commands become bytes for it.

    A connection that was lost begins anew with a new Host: half a frame from before must not meet the next one.
    """

    def opened(self, now: int) -> None:
        """The connection stands: queues what the board has to be told first. Called once, before anything else."""

    def feed(self, data: bytes, now: int) -> list[Event]:
        """The events in these bytes, in order. `now` is monotonic, in ns."""
        events: list[Event] = []
        for frame, broken in self._framer.feed(data):
            meaning = None if broken else self._codebook.meaning(frame)
            if meaning is not None:
                events.append(_event(meaning, frame, now))
            elif not broken and self._codebook.ignores(frame):
                events.append(Status(text=frame.decode("latin-1"), raw=frame, time_ns=now))
            else:
                events.append(Garbage(raw=frame, time_ns=now))
        return events

    def send(self, command: Command) -> None:
        """Queues a command; `outgoing` hands its bytes out. What this board cannot do is no bytes."""
        if isinstance(command, Write):
            self._outgoing += self._codebook.profile.framing.wrap(command.frame)

    def tick(self, now: int) -> list[Event]:
        """Called at the deadline."""
        return []


class Board(_End):
    """The board's end: events become bytes, bytes from the host become commands."""

    def feed(self, data: bytes, now: int) -> list[Write]:
        """The commands in these bytes."""
        return [Write(frame) for frame, broken in self._framer.feed(data) if not broken]

    def send(self, event: Event) -> bool:
        """Queues an event; Status and Garbage are said as their `raw`, of the others the meaning counts.

        False, and nothing said, when this board has no way to say it (a miss, mostly).
        """
        if isinstance(event, Status | Garbage):
            self._outgoing += self._codebook.profile.framing.wrap(event.raw)
            return True
        meaning = _meaning(event, self._codebook)
        frame = self._codebook.frames.get(meaning) if meaning else None
        if frame is None:
            return False
        self._outgoing += self._codebook.profile.framing.wrap(frame)
        return True

    def tick(self, now: int) -> list[Write]:
        """Called at the deadline."""
        return []


def _event(meaning: Meaning, frame: bytes, now: int) -> Event:
    if meaning.segment is not None:
        return Hit(segment=meaning.segment, raw=frame, time_ns=now)
    if meaning.kind == "button":
        return Button(name=meaning.button, raw=frame, time_ns=now)
    return Miss(raw=frame, time_ns=now)


def _meaning(event: Event, codebook: Codebook) -> Meaning | None:
    match event:
        case Hit(segment=segment):
            seen = codebook.reported(segment)
            return Meaning("hit", segment=seen) if seen else None
        case Button(name=name):
            return Meaning("button", button=name)
        case Miss():
            return Meaning("miss")
    return None
