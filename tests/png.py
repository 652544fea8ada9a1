"""Writes the pictures that tests need."""

from __future__ import annotations

import struct
import zlib


def make_png(width: int, height: int, kind: int, pixels: bytes, *more: tuple[bytes, bytes]) -> bytes:
    """A picture of a byte a channel. `kind`: 2 for red, green and blue, 3 for places in a palette, which `more` has."""
    row = len(pixels) // height
    rows = b"".join(b"\0" + pixels[begin : begin + row] for begin in range(0, len(pixels), row))
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    chunks = ((b"IHDR", head), *more, (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
