"""Boards that present themselves as a USB keyboard: reports of the keys that are down become one-character frames.

A key that is down in this report and was not in the last one is a frame; one that stays down is no second dart. The
characters are those of the American layout, which is what the keyboard libraries of small controllers send whatever
layout the computer has. Reports come in two shapes: eight bytes (the boot protocol), or nine with a report id before
them, which is how a Leonardo sends them.
"""

from __future__ import annotations

import string
from typing import Final

REPORT_BYTES: Final = 8
_REPORT_ID: Final = 2
_SHIFT: Final = 0x22
"""Left or right shift, as bits of a report's first byte."""

_PLAIN: Final = (
    dict(zip(string.ascii_lowercase, range(0x04, 0x1E), strict=True))
    | dict(zip("1234567890\n\x1b\b\t -=[]\\", range(0x1E, 0x32), strict=True))
    | dict(zip(";'`,./", range(0x33, 0x39), strict=True))
)
_SHIFTED: Final = (
    dict(zip(string.ascii_uppercase, range(0x04, 0x1E), strict=True))
    | dict(zip("!@#$%^&*()", range(0x1E, 0x28), strict=True))
    | dict(zip("_+{}|", range(0x2D, 0x32), strict=True))
    | dict(zip(':"~<>?', range(0x33, 0x39), strict=True))
)

_CHARACTERS: Final = {(usage, False): c for c, usage in _PLAIN.items()} | {
    (usage, True): c for c, usage in _SHIFTED.items()
}


class Keys:
    """The keys of one keyboard. Never raises; remembers at most the six keys a report holds."""

    def __init__(self) -> None:
        self._down: frozenset[int] = frozenset()

    def pressed(self, report: bytes) -> tuple[bytes, bool]:
        """The characters of the keys that went down with this report, and whether that is all of it.

        It is not where a key is unknown, which costs no other, and where this is no report.
        """
        if len(report) == REPORT_BYTES + 1 and report[0] == _REPORT_ID:
            report = report[1:]
        if len(report) != REPORT_BYTES:
            return b"", False
        usages = [usage for usage in report[2:] if usage]
        if 0x01 in usages:
            return b"", True  # too many keys at once: the keyboard cannot say which, and says so
        fresh = [usage for usage in usages if usage not in self._down]
        self._down = frozenset(usages)
        is_shifted = bool(report[0] & _SHIFT)
        typed = [_CHARACTERS.get((usage, is_shifted)) for usage in dict.fromkeys(fresh)]
        return "".join(c for c in typed if c is not None).encode("latin-1"), None not in typed


def press_keys(frame: bytes) -> list[bytes]:
    """The reports that press and release the keys of these characters, as a Leonardo sends them.

    One key after the other; what no key types is left out.
    """
    said: list[bytes] = []
    for character in frame.decode("latin-1"):
        usage = _PLAIN.get(character) or _SHIFTED.get(character)
        if usage is not None:
            shift = 0x02 if character in _SHIFTED else 0
            said += [bytes([_REPORT_ID, shift, 0, usage, 0, 0, 0, 0, 0]), bytes([_REPORT_ID, *bytes(REPORT_BYTES)])]
    return said
