"""What a device says about itself, made fit to be shown: in a sentence, on a terminal, in lines for a configuration.

Any person in reach can name a device, and people paste what is shown. So it is done where such a text comes in,
and all of the program knows the device by the same name.
"""

from __future__ import annotations

_MOST = 64


def printable(text: str) -> str:
    """The text in printable characters of one line, "?" for each that is none; at most 64."""
    return "".join(each if each.isprintable() else "?" for each in text[:_MOST])
