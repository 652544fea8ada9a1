"""How wide and high a picture is, as its head says: a file of a few kB can be hundreds of MB when it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG that begin a frame; those left out are tables and a reserved one."""
_SCAN, _ALONE = 0xDA, (0x00, 0x01, *range(0xD0, 0xDA))
"""Where the picture itself begins, and the markers without a length, of which none comes before that."""


def read_size(content: bytes) -> tuple[int, int] | None:
    """Returns width and height of a JPEG, PNG or WebP, the greatest that its head names.

    None: it does not say, or the picture moves.
    """
    read = _read_jpeg if content[:1] == b"\xff" else _read_png if content[:1] == b"\x89" else _read_webp
    try:
        found = list(read(content))
    except (IndexError, ValueError):
        return None
    if not found or not all(width and height for width, height in found):
        return None
    return max(width for width, _ in found), max(height for _, height in found)


def _read_jpeg(content: bytes) -> Iterator[tuple[int, int]]:
    """Yields the size of each frame. A thumbnail lies within a segment, which is skipped."""
    at = 2
    while True:
        marker = content[at + 1]
        if content[at] != 0xFF or marker in _ALONE:
            raise ValueError
        if marker == _SCAN:
            return
        if marker == 0xFF:  # any number of these may stand before a marker
            at += 1
            continue
        if marker in _FRAMES:
            yield _number(content, at + 7, 2, "big"), _number(content, at + 5, 2, "big")
        at += 2 + _number(content, at + 2, 2, "big")


def _read_png(content: bytes) -> Iterator[tuple[int, int]]:
    at = 8
    while (kind := content[at + 4 : at + 8]) != b"IDAT":
        if kind == b"acTL":
            raise ValueError
        if kind == b"IHDR":
            yield _number(content, at + 8, 4, "big"), _number(content, at + 12, 4, "big")
        at += 12 + _number(content, at, 4, "big")


def _read_webp(content: bytes) -> Iterator[tuple[int, int]]:
    """Yields the size of the canvas, where there is one, and of the picture."""
    at = 12
    while at < len(content):
        kind, data = content[at : at + 4], at + 8
        if kind == b"VP8X":
            if content[data] & 0x02:
                raise ValueError
            yield _number(content, data + 4, 3, "little") + 1, _number(content, data + 7, 3, "little") + 1
        if kind in (b"ANIM", b"ANMF"):
            raise ValueError
        if kind == b"VP8 ":
            yield _number(content, data + 6, 2, "little") & 0x3FFF, _number(content, data + 8, 2, "little") & 0x3FFF
        if kind == b"VP8L":
            bits = _number(content, data + 1, 4, "little")
            yield (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        length = _number(content, at + 4, 4, "little")
        at = data + length + length % 2


def _number(content: bytes, at: int, length: int, order: Literal["big", "little"]) -> int:
    """Returns the number there. Raises IndexError where the content ends before."""
    if at + length > len(content):
        raise IndexError
    return int.from_bytes(content[at : at + length], order)
