"""SDB-BT: packets that are counted and summed up, and a code that is both a miss and a released button.

The count tells a packet that came twice from two darts; it starts again with each connection, as this object does. The
code of a miss is also what the board says when its button is let go: it is a miss unless a press is waiting for that.
No press waits for long: where its release was lost, the next miss would be taken for it, however much later it came.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from protocol.codebook import Codebook
from protocol.dialogue import MS, BoardDialogue, HostDialogue, decode_frame
from protocol.events import BoardCommand, BoardEvent, Button, Echo, Garbage, MissSensed
from protocol.framing import Frame

_BYTES: Final = 10
_REMEMBERED: Final = 256
_PRESS: Final = bytes.fromhex("0000ff")
_HELD: Final = bytes.fromhex("0000cc")
_PATIENCE_MS: Final = 5_000
"""How long after a button was last heard of it may be let go."""
_HELD_MS: Final = 120
"""How long a simulated press lasts."""


class SdbBtHost(HostDialogue):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._seen: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._pressed_ns: int | None = None
        """When the button was last heard of, while it is down."""

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        data = frame.data
        if frame.broken or len(data) != _BYTES or data[9] != _sum(data):
            return [Garbage(raw=data, time_ns=now)]
        if data in self._seen:
            return [Echo(raw=data, time_ns=now)]
        self._seen.append(data)
        events = decode_frame(self.codebook, frame, now)
        pressed, key = self._pressed_ns, data[6:9]
        if key == _PRESS or (key == _HELD and pressed is not None):
            self._pressed_ns = now
        elif pressed is not None and any(isinstance(event, MissSensed) for event in events):
            self._pressed_ns = None
            return [] if now - pressed < _PATIENCE_MS * MS else events
        return events


class SdbBtBoard(BoardDialogue):
    """The board's side. A press is followed by its release, which is a packet of its own."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._count = 0

    def encode(self, event: BoardEvent) -> bool:
        has_said = super().encode(event)
        if has_said and isinstance(event, Button) and self.packets[-1][6:9] == _PRESS:
            self.deadline = event.time_ns + _HELD_MS * MS
        return has_said

    def tick(self, now: int) -> list[BoardCommand]:
        self.deadline = None
        super().encode(MissSensed())
        return []

    def say(self, frame: bytes) -> None:
        if len(frame) == _BYTES:
            self._count += 1
            frame = self._count.to_bytes(4, "little") + frame[4:9] + bytes([_sum(frame)])
        super().say(frame)


def _sum(packet: bytes) -> int:
    return sum(packet[6:9]) & 0xFF
