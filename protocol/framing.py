"""Where one message ends on a wire: delimited, of fixed size, or one a datagram.

A framer is fed whatever arrived and gives back whole frames. How the bytes were cut into chunks never shows (except
for datagrams, where the cut is the message). Its buffer is bounded: what grows beyond the limit without an end is
handed out as one `broken` frame, and everything up to the next end is dropped, which is how it finds its feet again.
Where frames have a start marker, it does so at once: noise before the marker costs no frame, however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct


class Frame(NamedTuple):
    """`broken` frames have no end within the limit: garbage by definition."""

    data: bytes
    broken: bool = False


class Framing(Struct, frozen=True, forbid_unknown_fields=True):
    """How a profile says it, in bytes as Latin-1 characters.

    `delimited`: a frame ends with `end` (one character, or CR LF) and begins after `start`, if there is one; read,
    empty frames and white space at the edges of one (so a CR before LF) are forgiven. `fixed`: frames of `size` bytes.
    `datagram`: each chunk fed is a frame. A frame holds at most `limit` bytes; the start marker and a CR count.
    """

    kind: Literal["delimited", "fixed", "datagram"] = "delimited"
    start: str = ""
    end: str = "\r\n"
    size: Annotated[int, Meta(ge=1)] = 1
    limit: Annotated[int, Meta(ge=1)] = 64

    def wrap(self, data: bytes) -> bytes:
        """The bytes that carry this frame."""
        if self.kind == "delimited":
            return self.start.encode("latin-1") + data + self.end.encode("latin-1")
        return data


class Framer:
    """Cuts a stream into frames. Bounded by `framing.limit` bytes; never raises."""

    def __init__(self, framing: Framing) -> None:
        self._framing = framing
        self._start = framing.start.encode("latin-1")
        self._end = framing.end.encode("latin-1").lstrip(b"\r") or b"\r"
        self._buffer = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame]:
        """All frames that end within `data`, in order."""
        if self._framing.kind == "datagram":
            return [Frame(bytes(data[: self._framing.limit]), len(data) > self._framing.limit)] if data else []
        if self._framing.kind == "fixed":
            return list(self._fixed(data))
        return list(self._delimited(data))

    def _fixed(self, data: bytes) -> Iterator[Frame]:
        self._buffer += data
        size = self._framing.size
        whole = len(self._buffer) // size * size
        for at in range(0, whole, size):
            yield Frame(bytes(self._buffer[at : at + size]))
        del self._buffer[:whole]

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
            yield Frame(bytes(self._buffer[:limit]), broken=True)
            self._skipping = True
        del self._buffer[:-limit]  # skipping, the last bytes are kept: a start marker may be among them

    def _close(self) -> Iterator[Frame]:
        frame = bytes(self._buffer).strip(b"\r\n \t")
        self._buffer.clear()
        self._skipping, skipped = False, self._skipping
        if self._start:
            noise, found, body = frame.rpartition(self._start)
            if not found:
                noise, body = frame, b""
        else:
            noise, body = (frame, b"") if skipped else (b"", frame)
        if noise and not skipped:  # else it was handed out already
            yield Frame(noise, broken=True)
        if body:
            yield Frame(body)
