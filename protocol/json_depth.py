"""How deep JSON from others may be nested: what walks through a value must not run out of stack."""

from __future__ import annotations

import re

DEEPEST = 32
_MARK = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]')
"""A string, which may have brackets within, or a bracket."""


def check_depth(text: bytes) -> None:
    """Raises ValueError where lists or objects are nested deeper than DEEPEST, or may be, in what is no JSON."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return
    depth = 0
    for found in _MARK.finditer(text):
        mark = found[0]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth > DEEPEST:
            raise ValueError(f"lists and objects may be nested at most {DEEPEST} deep")
