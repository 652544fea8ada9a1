"""Frame templates: one line of a profile stands for a whole ring of a board, written as text or as hex.

A template is filled in for every segment it stands for when the profile is loaded, so it runs both ways without
anybody writing a second one. What varies is written as a small sum, `{n}`, `{n+20}`, `{16*row+col}`: boards count
from some base in some step, and nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Notation = Literal["text", "hex"]

Values = Mapping[str, int | str]
"""What a template's words stand for; a number is written in decimal, in hex notation as one byte."""

NUMBERED = frozenset({"n", "nn", "ones", "tens", "place"})
"""The words that stand for the number of a segment."""


def words(template: str) -> frozenset[str]:
    """The words this template varies by."""
    return frozenset(word for _, terms in _sums(template) for _, word in terms if word)


def fill(template: str, notation: Notation, values: Values) -> bytes:
    """The frame this template stands for; raises ValueError with what is wrong.

    In text, braces around anything but known words are just characters.
    """

    def written(found: re.Match[str]) -> str:
        terms = _terms(found[1])
        if terms is None or any(word and word not in values for _, word in terms):
            return found[0]
        return _written(terms, values, notation, found[0])

    text = _BRACES.sub(written, template)
    if notation == "hex":
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise ValueError(f"{template!r} is not hex; write each byte as two digits, as in 54 32 0d") from None
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} holds characters no board sends") from None


_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBER = r"(?:0x[0-9a-f]+|\d+)"
_TERM = re.compile(rf"([+-]?)\s*(?:({_NUMBER})(?![\s0-9a-fx]*\*)|(?:({_NUMBER})\s*\*\s*)?([a-z]+))\s*")

_Terms = list[tuple[int, str]]
"""Factor and word of each term; a plain number is a factor without a word."""


def _sums(template: str) -> Iterator[tuple[str, _Terms]]:
    for found in _BRACES.finditer(template):
        terms = _terms(found[1])
        if terms is not None:
            yield found[0], terms


def _terms(inside: str) -> _Terms | None:
    """The terms of what stands in braces, None when it is no sum."""
    terms: _Terms = []
    at = 0
    while at < len(inside):
        found = _TERM.match(inside, at)
        if found is None or (terms and not found[1]):
            return None
        size = int(found[2] or found[3] or "1", 0)
        terms.append((-size if found[1] == "-" else size, found[4] or ""))
        at = found.end()
    return terms or None


def _written(terms: _Terms, values: Values, notation: Notation, braces: str) -> str:
    total = 0
    for factor, word in terms:
        value = values[word] if word else 1
        if isinstance(value, str):
            if len(terms) > 1 or factor != 1:
                raise ValueError(f"{braces} counts with {word}, which is no number")
            return value.encode("latin-1", "replace").hex() if notation == "hex" else value
        total += factor * value
    if notation == "text":
        return str(total)
    if not 0 <= total <= 255:
        raise ValueError(f"{braces} is {total}, which does not fit into a byte")
    return f"{total:02x}"
