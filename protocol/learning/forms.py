"""How the frames of a board may look, as a template: read off the frames themselves.

One frame seldom decides: `10,11` may be followed by `03,07`, and `0x43` by `0x1A`. So the template is always the first
that reads all frames which presses gave so far, and a frame that contradicts it changes it. Where none reads all of
them, each frame is a contact of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec.structs import replace

from protocol.learning.contacts import OPAQUE, FrameContacts
from protocol.learning.survey import Contact
from protocol.profile import Profile

_ENOUGH = 3
"""So many different frames make a form believed that one of them alone would not."""
_SHORT = 4
"""What stands around two numbers is at most so long, unless its words are known."""

_NUMBER = re.compile(r"\d+", re.ASCII)
_HEX = re.compile(r"(?:0[xX]|(?<![0-9A-Za-z]))([0-9A-Fa-f]{1,4})(?![0-9A-Za-z])")
_WORD = re.compile(r"[A-Za-z]+")
_ROWS = frozenset({"r", "row", "rows", "line", "y", "zeile", "reihe"})
_COLS = frozenset({"c", "col", "cols", "column", "x", "spalte"})
_KNOWN = (
    _ROWS | _COLS | frozenset({"hit", "dart", "press", "pressed", "p", "d", "down", "key", "contact", "cell", "pin"})
)


class _Guess(NamedTuple):
    """A template; `is_plain`: one frame is enough to believe it."""

    template: str
    is_plain: bool


class _Digits(NamedTuple):
    """Where digits of a row, a column or both stand in a text, and what stands for them in a template."""

    start: int
    end: int
    template: str


class FrameForms:
    """The forms that the frames of a board on this profile may have; its `hits.frame` is open."""

    def __init__(self, base: Profile) -> None:
        self._base = base
        self._contacts: dict[str, FrameContacts | None] = {}

    def choose(self, frames: Sequence[bytes], *, is_sure: bool = False) -> str:
        """The template of all these frames of contacts, OPAQUE if there is none.

        `is_sure`: they are known to be presses; else a frame with other words than row and column may be a greeting.
        """
        distinct = list(dict.fromkeys(frames))
        for guess in dict.fromkeys(guess for frame in distinct for guess in _guess_all(frame.decode("latin-1"))):
            if len(distinct) >= _ENOUGH or guess.is_plain or (is_sure and _is_pair(guess.template)):
                contacts = self.find_contacts(guess.template)
                cells = [None if contacts is None else contacts.read(frame) for frame in distinct]
                if None not in cells and (_is_alone(guess.template) or _vary(cells)):
                    return guess.template
        return OPAQUE

    def find_contacts(self, template: str) -> FrameContacts | None:
        """What reads frames of this template; None if this board cannot have such."""
        if template not in self._contacts:
            try:
                made = FrameContacts(replace(self._base, hits=replace(self._base.hits, frame=template)))
            except ValueError:
                made = None
            self._contacts[template] = made
        return self._contacts[template]


def guess_template(frame: bytes) -> str:
    """The template of a single frame, OPAQUE where that is not plain; two numbers are row and column, as in `3,7`."""
    guesses = _guess_all(frame.decode("latin-1"))
    return next((guess.template for guess in guesses if guess.is_plain), OPAQUE)


def _guess_all(text: str) -> Iterator[_Guess]:
    """The templates that this frame may have, the likeliest first."""
    hexes, numbers = list(_HEX.finditer(text)), list(_NUMBER.finditer(text))
    is_hex = any(found[0][:2] in ("0x", "0X") for found in hexes)
    if not is_hex and len(numbers) >= 2 and all(int(found[0]) < 256 for found in numbers):
        # Of three numbers or more one is row, one column, and the others stay the same.
        for pair in combinations(numbers, 2):
            is_plain = len(numbers) == 2 and _is_plain(_words(text, pair))
            yield from _pair(text, [(found.start(), found.end()) for found in pair], "", is_plain=is_plain)
    for letters in "Xx":
        spans = [found.span(1) for found in hexes]
        is_one_case = all(_case(text[start:end]) in ("", letters) for start, end in spans)
        if len(spans) == 2 and is_one_case:
            yield from _pair(text, spans, letters, is_plain=is_hex)
        if len(spans) == 1 and is_one_case and text[spans[0][0] : spans[0][1]] != "0":
            around = [text[: hexes[0].start()], text[hexes[0].end() :]]
            yield from _code(text, spans[0], letters, is_plain=is_hex and _is_plain(around))


def _pair(text: str, spans: Sequence[tuple[int, int]], letters: str, *, is_plain: bool) -> Iterator[_Guess]:
    first, second = ("col", "row") if _is_column_first(text, spans) else ("row", "col")
    (start, end), (then, last) = spans
    if end == then:
        return
    for form in _forms([text[start:end], text[then:last]], letters):
        places = [_Digits(start, end, f"{{{first}{form}}}"), _Digits(then, last, f"{{{second}{form}}}")]
        yield _Guess(_put(text, places), is_plain)


def _code(text: str, span: tuple[int, int], letters: str, *, is_plain: bool) -> Iterator[_Guess]:
    """One number in hex: half of its digits is the row, the other the column."""
    digits = text[slice(*span)]
    lines = 16 if len(digits) < 4 else 256
    for form in _forms([digits], letters):
        yield _Guess(_put(text, [_Digits(*span, f"{{{lines}*row+col{form}}}")]), is_plain)


def _forms(numbers: Sequence[str], letters: str) -> Iterator[str]:
    """How these digits may be written."""
    widths = {len(number) for number in numbers}
    is_padded = any(number[0] == "0" and len(number) > 1 for number in numbers)
    if not is_padded:
        yield f":{letters}" if letters else ""
    if len(widths) == 1 and widths != {1}:
        yield f":0{min(widths)}{letters}"


def _put(text: str, places: Sequence[_Digits]) -> str:
    parts, at = [], 0
    for start, end, template in places:
        parts += [text[at:start], template]
        at = end
    return "".join([*parts, text[at:]])


def _words(text: str, pair: Sequence[re.Match[str]]) -> list[str]:
    """What stands before, between and behind the two."""
    first, second = pair
    return [text[: first.start()], text[first.end() : second.start()], text[second.end() :]]


def _is_plain(around: Sequence[str]) -> bool:
    """Whether what stands around numbers is short, or made of words for row and column."""
    is_short = all(len(part) <= _SHORT for part in around)
    return is_short or all(word.lower() in _KNOWN for part in around for word in _WORD.findall(part))


def _is_column_first(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether the words before the numbers say that the first is the column."""
    before = (_WORD.findall(text[: spans[0][0]]), _WORD.findall(text[spans[0][1] : spans[1][0]]))
    first, second = ((words[-1].lower() if words else "") for words in before)
    return first in _COLS and second in _ROWS


def _is_pair(template: str) -> bool:
    return template.count("{row") == 1 and template.count("{col") == 1 and _is_alone(template)


_PLACES = re.compile(r"\{[^{}]*(?:row|col)[^{}]*\}|0[xX]")


def _is_alone(template: str) -> bool:
    """Whether there are no other numbers in frames of this template."""
    return not _NUMBER.search(_PLACES.sub("", template))


def _vary(cells: Sequence[Contact | None]) -> bool:
    """Whether there are several rows and several columns among these."""
    return all(len({cell[axis] for cell in cells if isinstance(cell, tuple)}) > 1 for axis in (0, 1))


def _case(digits: str) -> str:
    """X if there are capitals among these digits, x if there are small letters, "" if there are none."""
    return "X" if digits.upper() == digits != digits.lower() else "x" if digits != digits.upper() else ""
