"""Where one message ends on a wire: delimited, of fixed size, one a datagram, or in the two odd ways of two boards.

A framer is fed whatever arrived and gives back complete frames. How the bytes were cut into chunks never shows (except
for datagrams, where the cut is the message). Its buffer is bounded: what grows beyond the limit without an end is
handed out as one `broken` frame, and everything up to the next end is dropped, so that it is in step again.
Where frames have a start marker, noise before it costs no frame, however long it is, and is not handed out at all if a
frame follows: time stamps, debug output. Without an end it is handed out once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from protocol import camera
from protocol.keyboard import Keys, press_keys

_MOST_NOISE = 16
"""Noise without an end is handed out when it is so many times as long as a frame may be."""


class Frame(NamedTuple):
    """`broken` frames have no end within the limit: garbage by definition."""

    data: bytes
    broken: bool = False


class Framing(Struct, frozen=True, forbid_unknown_fields=True):
    """How a profile describes the framing; characters are bytes, as in Latin-1.

    `delimited`: a frame ends with `end` (one character, or CR LF) and begins after `start`, if there is one; read,
    empty frames and white space at the edges of one (so a CR before LF) are forgiven. `fixed`: frames of `size` bytes.
    `datagram`: each chunk fed is a frame. `keyboard`: each chunk is a report of the keys that are down, and a key that
    went down a frame of one character. `camera`: the stream of Darts Connect, with a photograph after each throw.
    A frame holds at most `limit` bytes; the start marker and a CR count.
    """

    kind: Literal["delimited", "fixed", "datagram", "keyboard", "camera"] = "delimited"
    start: str = ""
    end: str = "\r\n"
    size: Annotated[int, Meta(ge=1)] = 1
    limit: Annotated[int, Meta(ge=1)] = 64

    def wrap(self, data: bytes) -> bytes:
        """The bytes that carry this frame."""
        return b"".join(self.packets(data))

    def packets(self, data: bytes) -> list[bytes]:
        """The same as packets, for links that carry packets: one, but two for each key of a keyboard (down, up)."""
        match self.kind:
            case "delimited":
                return [self.start.encode("latin-1") + data + self.end.encode("latin-1")]
            case "keyboard":
                return press_keys(data)
            case "camera":
                return [camera.wrap(data)]
        return [data]

    @property
    def is_packets(self) -> bool:
        """Whether the cut into chunks is part of the message."""
        return self.kind in ("datagram", "keyboard")


class Framer:
    """Cuts a stream into frames. Bounded by `framing.limit` bytes; never raises."""

    def __init__(self, framing: Framing) -> None:
        self._framing = framing
        self._start = framing.start.encode("latin-1")
        self._end = framing.end.encode("latin-1").lstrip(b"\r") or b"\r"
        self._buffer = bytearray()
        self._skipping = False
        self._noise = b""
        """How noise began that is too long; it may be before a start marker."""
        self._noise_bytes = 0
        self._keys = Keys()
        self._stream = camera.FrameCutter()

    def feed(self, data: bytes) -> list[Frame]:
        """All frames that end within `data`, in order."""
        match self._framing.kind:
            case "datagram":
                return [Frame(bytes(data[: self._framing.limit]), len(data) > self._framing.limit)] if data else []
            case "fixed":
                return list(self._fixed(data))
            case "keyboard":
                return self._typed(data) if data else []
            case "camera":
                return [Frame(frame, broken) for frame, broken in self._stream.feed(data)]
        return list(self._delimited(data))

    def _typed(self, data: bytes) -> list[Frame]:
        characters, is_all = self._keys.pressed(data)
        frames = [Frame(bytes([character])) for character in characters]
        return frames if is_all else [*frames, Frame(bytes(data[: self._framing.limit]), broken=True)]

    def _fixed(self, data: bytes) -> Iterator[Frame]:
        self._buffer += data
        size = self._framing.size
        complete = len(self._buffer) // size * size
        for at in range(0, complete, size):
            yield Frame(bytes(self._buffer[at : at + size]))
        del self._buffer[:complete]

    def _delimited(self, data: bytes) -> Iterator[Frame]:
        pieces = data.split(self._end)
        for piece in pieces[:-1]:
            yield from self._grow(piece)
            yield from self._close()
        yield from self._grow(pieces[-1])

    def _grow(self, piece: bytes) -> Iterator[Frame]:
        limit = self._framing.limit
        self._buffer += piece
        if len(self._buffer) > limit and not self._skipping:
            self._skipping, self._noise = True, bytes(self._buffer[:limit])
        self._noise_bytes += len(piece)
        if self._noise and (not self._start or self._noise_bytes > _MOST_NOISE * limit):
            yield Frame(self._noise, broken=True)
            self._noise = b""
        del self._buffer[:-limit]  # skipping, the last bytes are kept: a start marker may be among them

    def _close(self) -> Iterator[Frame]:
        frame = bytes(self._buffer).strip(b"\r\n \t")
        skipped, noise = self._skipping, self._noise
        self._buffer.clear()
        self._skipping, self._noise, self._noise_bytes = False, b"", 0
        if not self._start:
            if frame and not skipped:  # else its beginning was handed out already
                yield Frame(frame)
            return
        before, found, body = frame.rpartition(self._start)
        if found:  # what began after a start marker, and did not end, was a frame once
            cut_off = (noise or before).partition(self._start)
            broken = b"".join(cut_off[1:])
        else:
            broken, body = noise if skipped else frame, b""
        if broken:
            yield Frame(broken, broken=True)
        if body:
            yield Frame(body)
