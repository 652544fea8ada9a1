"""Letters and spaces of what is read from near by come from one scale, which stands at the head of scoreboard.css."""

from __future__ import annotations

import re

from tests.page.test_weight import FILES

_FITTED = {
    "scoreboard.css",
    "wall/phone.css",
    "wall/moments.css",
    "wall/summary.css",
    "faces/faces.css",
    "stream/stream.css",
}
"""They fit their sizes to the screen, or to the box of a stream."""
_LETTERS = re.compile(r"font-size: ([\d.]+)rem")
_SPACES = re.compile(r"(?<![\w-])(?:gap|padding|margin)[a-z-]*: [^;}(]*?(?<![\d.])\d*\.?\d+rem[^;}]*")
_FIGURE_REM = 2.3
"""Above it are great figures, each of a size of its own."""


def test_sizes_come_from_the_scale() -> None:
    found = {}
    for name, text in FILES.items():
        if name.endswith(".css") and name not in _FITTED:
            letters = [size for size in _LETTERS.findall(text) if float(size) < _FIGURE_REM]
            found[name] = letters + _SPACES.findall(text)
    assert found
    assert not {name: own for name, own in found.items() if own}
