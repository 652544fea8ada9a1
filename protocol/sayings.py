"""Everything a board of some kind can say, frame by frame: the templates of its profile, filled in.

What comes out is finite and in the order a reader of the profile expects, each frame with the place in the file it
comes from, so that whoever collects them can complain about the right line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from protocol.mat import Wiring, cells, mat, mat_names, turned
from protocol.profile import Profile
from protocol.segment import Layout, Segment, UnknownSegment
from protocol.source import Source
from protocol.standard import NUMBERS
from protocol.template import NUMBERED, Values, fill, words


class Meaning(Struct, frozen=True):
    """What one frame says: a hit on this segment, a miss, a button of this name, or that a contact will not open."""

    kind: Literal["hit", "miss", "button", "stuck"]
    segment: Segment | None = None
    button: str = ""

    def __str__(self) -> str:
        return self.segment.id if self.segment else self.button or self.kind


_KINDS = ("T", "D", "S", "O", "I")
"""The rings of the standard face that a template with a number stands for."""


class Saying(NamedTuple):
    """A frame and what it means; `path` is where in the file it comes from, `text` how it is written there."""

    frame: bytes
    text: str
    meaning: Meaning
    path: tuple[str, ...]
    cell: tuple[int, int] | None = None


class Writer(NamedTuple):
    """Fills in the templates of one profile."""

    profile: Profile
    source: Source

    def say(
        self,
        template: str,
        meaning: Meaning,
        path: tuple[str, ...],
        values: Values | None = None,
        cell: tuple[int, int] | None = None,
    ) -> Saying:
        """The saying of a template, filled in."""
        frame = self.frame(template, path, values)
        text = frame.decode("latin-1") if self.profile.notation == "text" else frame.hex(" ")
        return Saying(frame, text, meaning, path, cell)

    def frame(self, template: str, path: tuple[str, ...], values: Values | None = None) -> bytes:
        """A template, filled in; raises SourceError."""
        try:
            return fill(template, self.profile.notation, values or {})
        except ValueError as error:
            raise self.source.error(str(error), *path) from None


def sayings(profile: Profile, face: Layout, source: Source) -> Iterator[Saying]:
    """What the board can say; raises SourceError. Nothing is checked for being said twice."""
    hits, writer = profile.hits, Writer(profile, source)
    is_matrix = hits.mat is not None or hits.frame is not None
    if is_matrix == bool(hits.names):
        raise source.error("hits needs either a frame and a mat, or names", "hits")
    wiring = _wiring(profile, source)
    if hits.frame is not None and "id" in words(hits.frame):
        yield from _by_id(writer, face)
    else:
        yield from _by_mat(writer, face, wiring) if is_matrix else _by_name(writer, face, wiring)
    for name, texts in profile.buttons.items():
        for text in _listed(texts):
            yield writer.say(text, Meaning("button", button=name), ("buttons", name))
    for text in _listed(profile.miss):
        yield writer.say(text, Meaning("miss"), ("miss",))
    for text in _listed(profile.stuck):
        yield writer.say(text, Meaning("stuck"), ("stuck",))


def _wiring(profile: Profile, source: Source) -> Wiring:
    """The wiring, with the place of the rim button told as a turn."""
    hits = profile.hits
    wiring = hits.wiring
    if wiring.button_at is None:
        return wiring
    if hits.button_at is None:
        raise source.error("wiring.button_at is for boards with hits.button_at; use wiring.turn", "hits", "wiring")
    if wiring.turn:
        raise source.error("wiring.turn and wiring.button_at say the same; keep one of them", "hits", "wiring")
    turn = (NUMBERS.index(wiring.button_at) - NUMBERS.index(hits.button_at)) % len(NUMBERS)
    return replace(wiring, turn=turn)


def _by_id(writer: Writer, face: Layout) -> Iterator[Saying]:
    """Every segment under its own id; the face's miss is a miss."""
    hits = writer.profile.hits
    if hits.mat is not None:
        raise writer.source.error(f"hits.frame {hits.frame!r} says the segment itself and needs no mat", "hits", "mat")
    for segment in face:
        if segment != face.miss:
            yield writer.say(hits.frame or "", Meaning("hit", segment=segment), ("hits", "frame"), {"id": segment.id})


def _by_mat(writer: Writer, face: Layout, wiring: Wiring) -> Iterator[Saying]:
    hits, source = writer.profile.hits, writer.source
    template = hits.frame or ""
    if not words(template) >= {"row", "col"} and "key" not in words(template):
        raise source.error(
            f"hits.frame {template!r} must hold {{row}} and {{col}}, or {{key}}, or {{id}}", "hits", "frame"
        )
    if hits.mat is None:
        raise source.error(f"hits.mat is missing; possible here: {', '.join(mat_names())}", "hits", "mat")
    try:
        foil = mat(hits.mat)
    except ValueError as error:
        raise source.error(str(error), "hits", "mat") from None
    try:
        contacts = cells(foil, wiring)
    except ValueError as error:
        raise source.error(str(error), "hits", "wiring") from None
    for segment_id, (row, col) in contacts.items():
        values: dict[str, int | str] = {"row": row, "col": col}
        if "key" in words(template):
            try:
                values["key"] = hits.keys[row][col]
            except IndexError:
                raise source.error(
                    f"hits.keys has no character for row {row}, column {col} of the mat {foil.id} (from 0); "
                    "give it one, or another wiring",
                    "hits",
                    "keys" if hits.keys else "frame",
                ) from None
        segment = _segment(face, segment_id, source, "hits", "mat")
        yield writer.say(template, Meaning("hit", segment=segment), ("hits", "frame"), values, (row, col))


def _by_name(writer: Writer, face: Layout, wiring: Wiring) -> Iterator[Saying]:
    profile, source = writer.profile, writer.source
    if wiring != Wiring(turn=wiring.turn, mirror=wiring.mirror, button_at=wiring.button_at):
        raise source.error("a board that names its segments has no lines; only turn and mirror go", "hits", "wiring")
    for name, texts in profile.hits.names.items():
        path = ("hits", "names", name)
        for text in _listed(texts):
            has_number = bool(words(text) & NUMBERED)
            if name in _KINDS and not has_number:
                raise source.error(f"hits.names.{name} {text!r} must hold {{n}} or {{nn}}", *path)
            if not has_number:
                segment = _segment(face, name, source, *path)
                yield writer.say(text, Meaning("hit", segment=_turned(face, segment, wiring)), path)
                continue
            if name not in _KINDS:
                raise source.error(f"{name!r} cannot go with {{n}}; possible here: {', '.join(_KINDS)}", *path)
            for number in range(1, 21):
                segment = _segment(face, f"{name}{number}", source, *path)
                values = _number(number, profile.hits.order)
                yield writer.say(text, Meaning("hit", segment=_turned(face, segment, wiring)), path, values)


def _number(number: int, order: tuple[int, ...]) -> Values:
    """What a template may say a number by."""
    place = order.index(number)
    return {"n": number, "nn": f"{number:02}", "ones": number % 10, "tens": number // 10, "place": place}


def _turned(face: Layout, segment: Segment, wiring: Wiring) -> Segment:
    return face[turned(segment.id, wiring)] if wiring.turn or wiring.mirror else segment


def _segment(face: Layout, segment_id: str, source: Source, *path: str) -> Segment:
    try:
        return face[segment_id]
    except UnknownSegment as error:
        raise source.error(str(error), *path) from None


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts
