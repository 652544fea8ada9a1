"""How large a GIF is and how long it runs, as its blocks say; its pixels are not unpacked."""

from __future__ import annotations

from typing import NamedTuple

_EXTENSION, _IMAGE, _END, _CONTROL = 0x21, 0x2C, 0x3B, 0xF9
_SHORTEST = 2
"""In hundredths of a second: what is shorter takes browsers a tenth."""
_TENTH = 10


class Gif(NamedTuple):
    """Width and height in pixels, the number of pictures, and how long they take once, in seconds."""

    width: int
    height: int
    pictures: int
    seconds: float


def read_gif(content: bytes) -> Gif | None:
    """Returns what is in a GIF. None: it is none, it is damaged, or a picture in it is larger than it says itself."""
    if content[:6] not in (b"GIF87a", b"GIF89a"):
        return None
    try:
        return _read(content)
    except IndexError:
        return None


def _read(content: bytes) -> Gif | None:
    """Raises IndexError where it ends too early."""
    width, height = _number(content, 6), _number(content, 8)
    at = 13 + _measure_table(content[10])
    pictures, hundredths, delay = 0, 0, 0
    while (kind := content[at]) != _END:
        if kind == _EXTENSION:
            if content[at + 1] == _CONTROL:
                delay = _number(content, at + 4)
            at += 2
        elif kind == _IMAGE:
            right = _number(content, at + 1) + _number(content, at + 5)
            bottom = _number(content, at + 3) + _number(content, at + 7)
            if right > width or bottom > height:
                return None
            pictures += 1
            hundredths += delay if delay >= _SHORTEST else _TENTH
            delay = 0
            at += 11 + _measure_table(content[at + 9])
        else:
            return None
        while length := content[at]:  # the pieces of its data
            at += length + 1
        at += 1
    return Gif(width, height, pictures, hundredths / 100) if width and height and pictures else None


def _measure_table(flags: int) -> int:
    """Returns how many bytes the colours take that these flags tell of."""
    return 3 << (flags & 0x07) + 1 if flags & 0x80 else 0


def _number(content: bytes, at: int) -> int:
    """Raises IndexError where the content ends before."""
    return content[at] | content[at + 1] << 8
