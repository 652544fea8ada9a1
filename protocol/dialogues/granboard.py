"""GRANBOARD: a greeting without an end, clones that count their frames, and lamps.

The greeting (`GB8;102`) has no `@`, so it comes glued to the first frame. Some clones put a byte behind each `@` that
counts up, and some a lone 00 between packets; in the stream both stand before the next frame. A count can look like a
digit, and `1` before `1.6` would make another segment of it: it is taken for a count only where the last frame had the
count before it, so a board that does not count is never misread.

The lamps: a ring of twenty numbers, one palette colour each, and effects around one number. Frames of twelve bytes
change settings that the board keeps, so none is ever sent.
"""

from __future__ import annotations

import re
from typing import Final

from protocol.codebook import Codebook
from protocol.dialogue import BoardDialogue, HostDialogue, decode_frame
from protocol.events import BoardCommand, BoardEvent, Flash, Light, Status, Write
from protocol.framing import Frame, Framing
from protocol.segment import Segment
from protocol.standard import NUMBERS

_GREETING: Final = re.compile(rb"GB[0-9]+;[0-9]{3}")
_PART_OF_A_FRAME: Final = re.compile(rb"[0-9A-Za-z]")
_SWALLOWED: Final = b"\0\t\n\r @"
"""Counts that look like an end or like nothing, and so are not seen."""
_RING_BYTES: Final = 20
_EFFECT_BYTES: Final = 16
_SETTING_BYTES: Final = 12

_COLOURS: Final = {"T": 1, "D": 4}
"""Red and green: colours that all published palettes agree on."""
_WHITE: Final = 7
_EFFECTS: Final = {1: 0x01, 2: 0x02, 3: 0x03}
"""Opcode by multiplier."""
_RINGS: Final = {0x01: "O", 0x02: "D", 0x03: "T"}
_BULL_LAMP: Final = 0
_LAMPS: Final = {number: 1 + 3 * ((place + 8) % 20) for place, number in enumerate(NUMBERS)}
"""The lamp below each number, on a ring of sixty that begins below the 7."""
_NUMBERED: Final = frozenset(map(str, NUMBERS))
_SPEED: Final = 20
_INK: Final = bytes.fromhex("ff0000ff9500000000")
"""Three colours of an effect: red, orange, none."""


class GranboardHost(HostDialogue):
    """The host's side."""

    has_lamps = True

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self.host_framing = Framing(kind="datagram")
        self._count: int | None = None
        """What a clone put before its last frame."""

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        if frame.broken:
            return super().read(frame, now)
        events: list[BoardEvent] = []
        data = frame.data.lstrip(b"\0")
        if greeting := _GREETING.match(data):
            events.append(Status(text=greeting[0].decode(), raw=greeting[0], time_ns=now))
            data = data[greeting.end() :].lstrip(b"\0")
        if data:
            events += decode_frame(self.codebook, Frame(self._uncounted(data)), now)
        return events

    def _uncounted(self, data: bytes) -> bytes:
        """A clone's frame without its count."""
        due = None if self._count is None else (self._count + 1) % 256
        self._count = None
        rest = data[1:].lstrip(b"\0")
        if self._is_known(rest) and (data[0] == due or not _PART_OF_A_FRAME.match(data)):
            self._count = data[0]
            return rest
        if due is not None and due in _SWALLOWED:
            self._count = due
        return data

    def encode(self, command: BoardCommand) -> None:
        match command:
            case Light(segments=segments):
                self.say(_ring(segments))
            case Flash(segment=segment):
                self.say(_effect(segment))
            case Write(frame=data) if len(data) != _SETTING_BYTES:
                self.say(data)

    def _is_known(self, data: bytes) -> bool:
        return self.codebook.meaning(data) is not None or self.codebook.ignores(data)


class GranboardBoard(BoardDialogue):
    """The board's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self.host_framing = Framing(kind="datagram")

    def encode(self, event: BoardEvent) -> bool:
        if isinstance(event, Status) and _GREETING.fullmatch(event.raw):
            self.packets.append(event.raw)
            return True
        return super().encode(event)

    def read(self, frame: Frame, now: int) -> list[BoardCommand]:
        layout, data = self.codebook.layout, frame.data
        if len(data) == _RING_BYTES:
            rings = {colour: ring for ring, colour in _COLOURS.items()}
            lit = [f"{rings.get(colour, 'O')}{number}" for number, colour in enumerate(data, 1) if colour]
            return [Light(tuple(layout[segment_id] for segment_id in lit if segment_id in layout))]
        if len(data) == _EFFECT_BYTES and data[0] in _RINGS:
            lamp = int.from_bytes(data[10:12], "little")
            beds = {place: f"{_RINGS[data[0]]}{number}" for number, place in _LAMPS.items()}
            beds[_BULL_LAMP] = "DB" if data[0] == _EFFECTS[2] else "SB"
            if lamp in beds and beds[lamp] in layout:
                return [Flash(layout[beds[lamp]])]
        return super().read(frame, now)


def _ring(segments: tuple[Segment, ...]) -> bytes:
    """A colour for each number; several beds of one number are white. The bull has no lamp: alone, it lights all."""
    ring = bytearray(_RING_BYTES)
    for segment in segments:
        if segment.id[1:] in _NUMBERED:
            colour = _COLOURS.get(segment.id[0], _WHITE)
            at = int(segment.id[1:]) - 1
            ring[at] = colour if ring[at] in (0, colour) else _WHITE
    if not any(ring) and any("bull" in segment.groups for segment in segments):
        return bytes([_WHITE] * _RING_BYTES)
    return bytes(ring)


def _effect(segment: Segment) -> bytes:
    """The effect of a hit around its number."""
    if segment.multiplier not in _EFFECTS:
        return b""
    lamp = _LAMPS.get(segment.value, _BULL_LAMP)
    return bytes([_EFFECTS[segment.multiplier]]) + _INK + lamp.to_bytes(2, "little") + bytes([_SPEED, 0, 0, 1])
