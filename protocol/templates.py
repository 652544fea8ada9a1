"""Every frame that a kind of board can send: the templates of its profile, filled in.

A template is one line of a profile that stands for all segments of a ring, written as text or as hex. It is filled in
for each of them when the profile is loaded, so it runs both ways and is written once. What varies is
written as a small sum, `{n}`, `{n+20}`, `{16*row+col}`, in text with a form where digits are padded or hex: `{row:02}`,
`{16*row+col:02X}`. Each frame comes with its place in the file, so that an error
names the right line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from protocol.mat import Wiring, list_mats, load_mat, locate_segments, turn_segment
from protocol.profile import Notation, Profile
from protocol.segment import Layout, Segment, UnknownSegment
from protocol.sentence import Refusal, Sentence, get_reason, say
from protocol.source import Source
from protocol.standard import NUMBERS

Values = Mapping[str, int | str]
"""What a template's words stand for; a number is written in decimal, in hex notation as one byte."""

NUMBERED = frozenset({"n", "nn", "ones", "tens", "place"})
"""The words that stand for the number of a segment."""


@lru_cache
def find_words(template: str) -> frozenset[str]:
    """The words this template varies by."""
    return frozenset(word for _, terms in _sums(template) for _, word in terms if word)


def find_factors(template: str, words: Sequence[str]) -> tuple[int, ...] | None:
    """What each of these words is multiplied by in the sum that holds all of them; None if there is no such sum."""
    for _, terms in _sums(template):
        factors = [sum(factor for factor, word in terms if word == wanted) for wanted in words]
        if all(factors):
            return tuple(factors)
    return None


def fill(template: str, notation: Notation, values: Values) -> bytes:
    """The frame this template stands for; raises ValueError with what is wrong.

    In text, braces around anything but known words are just characters.
    """

    def written(found: re.Match[str]) -> str:
        terms, form = _split(found[1])
        if terms is None or (form and notation == "hex") or any(word and word not in values for _, word in terms):
            return found[0]
        return _written(terms, form, values, notation, found[0])

    text = _BRACES.sub(written, template)
    if notation == "hex":
        try:
            return bytes.fromhex(text)
        except ValueError:
            said = say(
                "profile.hex", "{given} is not hex: write each byte as two digits, as in 54 32 0d", given=repr(template)
            )
            raise Refusal(said) from None
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise Refusal(say_odd_characters(text)) from None


def say_odd_characters(text: str) -> Sentence:
    """Returns the sentence for a text that no board can send: a frame consists of Latin-1 characters."""
    return say("profile.characters", "{given} contains characters that no board sends", given=repr(text))


_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBER = r"(?:0x[0-9a-f]+|\d+)"
_TERM = re.compile(rf"([+-]?)\s*(?:({_NUMBER})(?![\s0-9a-fx]*\*)|(?:({_NUMBER})\s*\*\s*)?([a-z]+))\s*")

_FORM = re.compile(r"([^:]*[a-z][^:]*):((?:0[1-9])?[Xx]|0[1-9])")
"""A sum with a word in it, and the form of its digits, as Python has it: 02, X, 02X."""

_Terms = tuple[tuple[int, str], ...]
"""Factor and word of each term; a plain number is a factor without a word."""


def _sums(template: str) -> Iterator[tuple[str, _Terms]]:
    for found in _BRACES.finditer(template):
        terms, _ = _split(found[1])
        if terms is not None:
            yield found[0], terms


@lru_cache  # while a board is learned, one template is filled in for thousands of cells
def _split(inside: str) -> tuple[_Terms | None, str]:
    """The terms of what stands in braces, None when it is no sum; and the form of its digits, "" for plain decimal."""
    found = _FORM.fullmatch(inside)
    return (_terms(inside), "") if found is None else (_terms(found[1]), found[2])


def _terms(inside: str) -> _Terms | None:
    """The terms of what stands in braces, None when it is no sum."""
    terms: list[tuple[int, str]] = []
    at = 0
    while at < len(inside):
        found = _TERM.match(inside, at)
        if found is None or (terms and not found[1]):
            return None
        size = int(found[2] or found[3] or "1", 0)
        terms.append((-size if found[1] == "-" else size, found[4] or ""))
        at = found.end()
    return tuple(terms) or None


def _written(terms: _Terms, form: str, values: Values, notation: Notation, braces: str) -> str:
    total = 0
    for factor, word in terms:
        value = values[word] if word else 1
        if isinstance(value, str):
            if len(terms) > 1 or factor != 1 or form:
                said = say(
                    "profile.no_number",
                    "{given} calculates with {name}, which is not a number",
                    given=braces,
                    name=word,
                )
                raise Refusal(said)
            return value.encode("latin-1", "replace").hex() if notation == "hex" else value
        total += factor * value
    if notation == "text":
        return format(total, form)
    if not 0 <= total <= 255:
        said = say("profile.no_byte", "{given} is {total}, and a byte must be 0 to 255", given=braces, total=total)
        raise Refusal(said)
    return f"{total:02x}"


class Meaning(Struct, frozen=True):
    """What one frame means: a hit on this segment, a miss, a button of this name, or that a contact will not open."""

    kind: Literal["hit", "miss", "button", "stuck"]
    segment: Segment | None = None
    button: str = ""

    def __str__(self) -> str:
        return self.segment.id if self.segment else self.button or self.kind


_KINDS = ("T", "D", "S", "O", "I")
"""The rings of the standard layout that a template with a number stands for."""


class CodeEntry(Struct, frozen=True):
    """A frame and what it means; `path` is where in the file it comes from, `text` how it is written there."""

    frame: bytes
    text: str
    meaning: Meaning
    path: tuple[str, ...]
    cell: tuple[int, int] | None = None


class Writer(Struct, frozen=True):
    """Fills in the templates of one profile."""

    profile: Profile
    source: Source

    def entry(
        self,
        template: str,
        meaning: Meaning,
        path: tuple[str, ...],
        values: Values | None = None,
        cell: tuple[int, int] | None = None,
    ) -> CodeEntry:
        """The entry of a template, filled in; raises SourceError."""
        frame = self.frame(template, path, values)
        text = frame.decode("latin-1") if self.profile.notation == "text" else frame.hex(" ")
        return CodeEntry(frame, text, meaning, path, cell)

    def frame(self, template: str, path: tuple[str, ...], values: Values | None = None) -> bytes:
        """A template, filled in; raises SourceError."""
        try:
            return fill(template, self.profile.notation, values or {})
        except ValueError as error:
            raise self.source.error(get_reason(error), *path) from None


def expand_templates(profile: Profile, layout: Layout, source: Source) -> Iterator[CodeEntry]:
    """Yields every frame the board can send; none of a board that sends JSON, which its dialogue reads.

    Raises SourceError; duplicate frames are not detected here.
    """
    hits, writer = profile.hits, Writer(profile, source)
    if profile.web is not None:
        return
    is_matrix = hits.mat is not None or hits.frame is not None
    if is_matrix == bool(hits.names):
        raise source.error(say("profile.hits", "hits needs either a frame and a mat, or names"), "hits")
    wiring = _wiring(profile, source)
    if hits.frame is not None and "id" in find_words(hits.frame):
        yield from _by_id(writer, layout)
    else:
        yield from _by_mat(writer, layout, wiring) if is_matrix else _by_name(writer, layout, wiring)
    for name, texts in profile.buttons.items():
        for text in _listed(texts):
            yield writer.entry(text, Meaning("button", button=name), ("buttons", name))
    for text in _listed(profile.miss):
        yield writer.entry(text, Meaning("miss"), ("miss",))
    for text in _listed(profile.stuck):
        yield writer.entry(text, Meaning("stuck"), ("stuck",))


def _wiring(profile: Profile, source: Source) -> Wiring:
    """The wiring, with the place of the rim button written as a turn."""
    hits = profile.hits
    wiring = hits.wiring
    if wiring.button_at is None:
        return wiring
    if hits.button_at is None:
        said = say(
            "profile.no_button",
            "wiring.button_at needs hits.button_at, which this board does not have: use wiring.turn",
        )
        raise source.error(said, "hits", "wiring")
    if wiring.turn:
        said = say("profile.turn", "wiring.turn and wiring.button_at both set the turn: keep one of them")
        raise source.error(said, "hits", "wiring")
    turn = (NUMBERS.index(wiring.button_at) - NUMBERS.index(hits.button_at)) % len(NUMBERS)
    return replace(wiring, turn=turn)


def _by_id(writer: Writer, layout: Layout) -> Iterator[CodeEntry]:
    """Every segment under its own id; the layout's miss is a miss."""
    hits = writer.profile.hits
    if hits.mat is not None:
        said = say(
            "profile.frame_mat",
            "hits.frame {given} names the segment itself, and needs no mat: leave out the mat",
            given=repr(hits.frame),
        )
        raise writer.source.error(said, "hits", "mat")
    for segment in layout:
        if segment != layout.miss:
            yield writer.entry(hits.frame or "", Meaning("hit", segment=segment), ("hits", "frame"), {"id": segment.id})


def _by_mat(writer: Writer, layout: Layout, wiring: Wiring) -> Iterator[CodeEntry]:
    hits, source = writer.profile.hits, writer.source
    template = hits.frame or ""
    if not find_words(template) >= {"row", "col"} and "key" not in find_words(template):
        said = say(
            "profile.frame",
            "hits.frame {given} must contain {row} and {col}, or {contact}, or {segment}",
            given=repr(template),
            row="{row}",
            col="{col}",
            contact="{key}",
            segment="{id}",
        )
        raise source.error(said, "hits", "frame")
    if hits.mat is None:
        possible = say("value.possible", "; possible here: {possible}", possible=", ".join(list_mats()))
        raise source.error(say("profile.no_mat", "hits.mat is missing{possible}", possible=possible), "hits", "mat")
    try:
        foil = load_mat(hits.mat)
    except ValueError as error:
        raise source.error(get_reason(error), "hits", "mat") from None
    try:
        contacts = locate_segments(foil, wiring)
    except ValueError as error:
        raise source.error(get_reason(error), "hits", "wiring") from None
    for segment_id, (row, col) in contacts.items():
        values: dict[str, int | str] = {"row": row, "col": col}
        if "key" in find_words(template):
            try:
                values["key"] = hits.keys[row][col]
            except IndexError:
                said = say(
                    "profile.no_key",
                    "hits.keys has no character for row {row}, column {col} of the mat {name} (from 0): add "
                    "one, or change the wiring",
                    row=row,
                    col=col,
                    name=foil.id,
                )
                raise source.error(said, "hits", "keys" if hits.keys else "frame") from None
        segment = _segment(layout, segment_id, source, "hits", "mat")
        yield writer.entry(template, Meaning("hit", segment=segment), ("hits", "frame"), values, (row, col))


def _by_name(writer: Writer, layout: Layout, wiring: Wiring) -> Iterator[CodeEntry]:
    profile, source = writer.profile, writer.source
    if wiring != Wiring(turn=wiring.turn, mirror=wiring.mirror, button_at=wiring.button_at):
        said = say(
            "profile.no_lines",
            "a board with hits.names has no rows and columns: of wiring, only turn, mirror and button_at apply",
        )
        raise source.error(said, "hits", "wiring")
    for name, texts in profile.hits.names.items():
        path = ("hits", "names", name)
        for text in _listed(texts):
            has_number = bool(find_words(text) & NUMBERED)
            if name in _KINDS and not has_number:
                said = say(
                    "profile.needs_number",
                    "hits.names.{name} {given} must contain {one} or {other}",
                    name=name,
                    given=repr(text),
                    one="{n}",
                    other="{nn}",
                )
                raise source.error(said, *path)
            if not has_number:
                segment = _segment(layout, name, source, *path)
                yield writer.entry(text, Meaning("hit", segment=_turned(layout, segment, wiring)), path)
                continue
            if name not in _KINDS:
                said = say(
                    "profile.no_kind",
                    "{name} is not a ring, and only a ring can contain {given}: {possible}",
                    name=repr(name),
                    given="{n}",
                    possible=", ".join(_KINDS),
                )
                raise source.error(said, *path)
            for number in range(1, 21):
                segment = _segment(layout, f"{name}{number}", source, *path)
                values = _number(number, profile.hits.order)
                yield writer.entry(text, Meaning("hit", segment=_turned(layout, segment, wiring)), path, values)


def _number(number: int, order: tuple[int, ...]) -> Values:
    """The words by which a template can write a number."""
    place = order.index(number)
    return {"n": number, "nn": f"{number:02}", "ones": number % 10, "tens": number // 10, "place": place}


def _turned(layout: Layout, segment: Segment, wiring: Wiring) -> Segment:
    return layout[turn_segment(segment.id, wiring)] if wiring.turn or wiring.mirror else segment


def _segment(layout: Layout, segment_id: str, source: Source, *path: str) -> Segment:
    try:
        return layout[segment_id]
    except UnknownSegment as error:
        raise source.error(get_reason(error), *path) from None


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts
