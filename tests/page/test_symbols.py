"""Symbols are drawings: a font of the device may lack a character, or have it in another size and weight."""

from __future__ import annotations

import re

from tests.page.test_weight import FILES

_SYMBOL = re.compile("[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u2bff\U0001f000-\U0001faff]")
_DRAWN = set(re.findall('"(.)": \\["', FILES["glyphs.js"]))
"""The characters that texts have for symbols, and that are drawn in their place."""
_WRITTEN = set("←→⇒")
"""Parts of sentences, and of what boards say."""


def test_no_symbol_is_left_to_a_font() -> None:
    found = {name: set(_SYMBOL.findall(text)) for name, text in FILES.items()}
    assert len(_DRAWN) == 6
    left = {name: symbols - (_DRAWN | _WRITTEN if name.endswith(".js") else set()) for name, symbols in found.items()}
    assert not {name: symbols for name, symbols in left.items() if symbols}
