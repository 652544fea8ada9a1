"""Darts Connect's stream: a header of twenty bytes, a payload, and a photograph after every throw.

The photograph is skipped without being kept. Whether the header's size counts it is not known from the published
programs, so both are understood: what the size counts is skipped, and a photograph that begins right after it is
skipped to its end. A photograph may hold anything, the magic number too, so it is never searched for frames.

A frame is the header with as much of the payload as says which key it was: 25 bytes, fewer if the payload is shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

MAGIC: Final = bytes.fromhex("23080000")
HEADER_BYTES: Final = 20
FRAME_BYTES: Final = 25
THROW: Final = bytes.fromhex("0100000002010000")
"""Type and subtype of a throw: these come with a photograph."""
_TYPES: Final = (0x01, 0x02, 0xFE, 0xFF)
_MOST: Final = 1 << 20
"""No payload is larger; a header that says so is none."""
_JPEG: Final = (b"\xff\xd8", b"\xff\xd9")


def throw_image() -> bytes:
    """The smallest image: what a photograph begins and ends with."""
    return b"".join(_JPEG)


def wrap(frame: bytes) -> bytes:
    """The bytes that carry this frame: the payload as long as its header says, and after a throw a photograph."""
    size = int.from_bytes(frame[12:16], "little")
    image = throw_image() if frame[4:12] == THROW else b""
    return frame.ljust(HEADER_BYTES + min(size, _MOST), b"\0") + image


class FrameCutter:
    """Cuts the stream into frames, each with whether it is broken. Buffers less than a frame; never raises."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skip = 0
        """Bytes of a payload that are still to come, and are dropped."""
        self._after_throw = False
        """Behind a throw's payload, where a photograph may begin."""
        self._in_image = False
        self._noise = bytearray()
        self._is_told = False
        """Whether the noise before the next frame was handed out."""

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """The frames that are complete within `data`, in order."""
        self._buffer += data
        while self._buffer:
            before = len(self._buffer)
            yield from self._step()
            if len(self._buffer) == before:
                return

    def _step(self) -> Iterator[tuple[bytes, bool]]:
        buffer = self._buffer
        if self._skip:
            taken = min(self._skip, len(buffer))
            del buffer[:taken]
            self._skip -= taken
        elif self._in_image:
            end = buffer.find(_JPEG[1])
            self._in_image = end < 0
            del buffer[: end + 2 if end >= 0 else max(0, len(buffer) - 1)]
        elif self._after_throw and _JPEG[0].startswith(buffer[:2]):
            if len(buffer) >= 2:
                self._after_throw, self._in_image = False, True
                del buffer[:2]
        else:
            self._after_throw = False
            yield from self._frame()

    def _frame(self) -> Iterator[tuple[bytes, bool]]:
        buffer = self._buffer
        start = _magic(buffer)
        if start:
            yield from self._drop(start)
            return
        if len(buffer) < HEADER_BYTES:
            return
        size = int.from_bytes(buffer[12:16], "little")
        if size > _MOST or int.from_bytes(buffer[4:8], "little") not in _TYPES:
            yield from self._drop(1)
            return
        length = min(HEADER_BYTES + size, FRAME_BYTES)
        if len(buffer) < length:
            return
        if self._noise and not self._is_told:
            yield bytes(self._noise), True
        self._noise.clear()
        self._is_told = False
        self._skip = HEADER_BYTES + size - length
        self._after_throw = buffer[4:12] == THROW
        yield bytes(buffer[:length]), False
        del buffer[:length]

    def _drop(self, count: int) -> Iterator[tuple[bytes, bool]]:
        """Drops noise. Its beginning is handed out once, as a broken frame, when it is long enough or over."""
        self._noise += self._buffer[: min(count, FRAME_BYTES - len(self._noise))]
        del self._buffer[:count]
        if len(self._noise) == FRAME_BYTES and not self._is_told:
            self._is_told = True
            yield bytes(self._noise), True


def _magic(buffer: bytearray) -> int:
    """Where the next header may begin: the magic number, or the beginning of one at the end."""
    found = buffer.find(MAGIC)
    if found >= 0:
        return found
    for length in range(min(len(MAGIC) - 1, len(buffer)), 0, -1):
        if buffer.endswith(MAGIC[:length]):
            return len(buffer) - length
    return len(buffer)
