"""Pikado: receives how many lines to drive, confirms that, and is then asked for its version.

The version is a text that ends with 00. Segments have numbers up to 40 (hex), of which some are digits and signs too:
the text begins with a letter, which is no segment, and from there on what can be printed belongs to it.
"""

from __future__ import annotations

from typing import Final

from protocol.codebook import Codebook
from protocol.dialogue import MS, BoardDialogue, HostDialogue, decode_frame
from protocol.events import BoardCommand, BoardEvent, Garbage, Status
from protocol.framing import Frame

_DONE, _TESTED = b"\x00", b"\xff"
_LAST_SEGMENT: Final = 0x40
_ASK_VERSION: Final = b"\x11"
_LONGEST: Final = 64
_VERSION_MS: Final = 1000


class PikadoHost(HostDialogue):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._version: bytearray | None = None
        """What we know of it so far; None: not asked yet."""

    def on_answer(self, now: int) -> None:
        self.say(_ASK_VERSION)
        self._version = bytearray()
        self.deadline = now + _VERSION_MS * MS

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        if self._version is None:
            return super().read(frame, now)
        if frame.data == b"\0":
            return self._told(now)
        lowest = 0x20 if self._version else _LAST_SEGMENT + 1
        if lowest <= frame.data[0] < 0x7F and len(self._version) < _LONGEST:
            self._version += frame.data
            return []
        return decode_frame(self.codebook, frame, now)

    def tick(self, now: int) -> list[BoardEvent]:
        return super().tick(now) if self._version is None else self._told(now, is_late=True)

    def _told(self, now: int, *, is_late: bool = False) -> list[BoardEvent]:
        raw = bytes(self._version or b"")
        self._version = None
        self.deadline = None
        if not raw:
            return []
        return [Garbage(raw=raw, time_ns=now) if is_late else Status(text=raw.decode("latin-1"), raw=raw, time_ns=now)]


class PikadoBoard(BoardDialogue):
    """The board's side."""

    version = b"Pikado_2010_02_13"

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._outputs = b"\x04"

    def read(self, frame: Frame, now: int) -> list[BoardCommand]:
        match frame.data:
            case b"\x00":
                self.say(_TESTED)
            case b"\x04" | b"\x05" | b"\x06" | b"\x07" | b"\x08":
                self._outputs = frame.data
                self.say(_DONE)
            case b"\x10":
                self.say(self._outputs)
            case b"\x11":
                self.packets.append(self.version + b"\0")
            case _:
                return super().read(frame, now)
        return []
