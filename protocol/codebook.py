"""What each frame of a board means, and back: a profile, expanded.

Everything a line board can say is finite, so a profile is expanded once, when it is loaded: frames to meanings and
meanings to frames. A template such as `{row},{col}` therefore runs both ways by construction, and a table that names
one frame twice or a segment that does not exist is found before a dart is thrown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

from msgspec import Struct

from protocol import layouts
from protocol.framing import Frame, Framer
from protocol.mat import cells, mat, mat_names
from protocol.profile import Profile
from protocol.segment import Layout, Segment, UnknownSegment
from protocol.source import Source
from protocol.spelling import nearest
from protocol.standard import merged


class Meaning(Struct, frozen=True):
    """What one frame says: a hit on this segment, a miss, or a button of this name."""

    kind: Literal["hit", "miss", "button"]
    segment: Segment | None = None
    button: str = ""

    def __str__(self) -> str:
        return self.segment.id if self.segment else self.button or self.kind


class Codebook(Struct, frozen=True):
    """A profile, expanded: `meanings` is how to read (in lower case where case does not count), `frames` how to say it.

    A meaning with several frames is said as the first of them.
    `cells` gives the row and column line of a segment, for boards that are a matrix; empty for the others.
    """

    profile: Profile
    layout: Layout
    meanings: Mapping[bytes, Meaning]
    frames: Mapping[Meaning, bytes]
    cells: Mapping[str, tuple[int, int]]

    def meaning(self, frame: bytes) -> Meaning | None:
        """What this frame says, None if nothing."""
        return self.meanings.get(frame.lower() if self.profile.hits.ignore_case else frame)

    def ignores(self, frame: bytes) -> bool:
        """A greeting or a debug line that is known to mean nothing. A trailing `*` stands for any rest."""
        text = frame.decode("latin-1")
        words = self.profile.ignore
        return any(text.startswith(w[:-1]) if w.endswith("*") else text == w for w in words)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments this board can report, in the order of the face."""
        known = {m.segment.id for m in self.frames if m.segment is not None}
        return tuple(s for s in self.layout if s.id in known)

    def reported(self, segment: Segment) -> Segment | None:
        """The segment this board would report for a dart there (its merged single, say); None if it sees nothing."""
        for candidate in (segment.id, merged(segment.id)):
            if candidate in self.layout and Meaning("hit", segment=self.layout[candidate]) in self.frames:
                return self.layout[candidate]
        return None


def load(source: Source) -> Codebook:
    """The codebook of a profile that somebody wrote; raises SourceError."""
    return expand(source.read(Profile), source)


def shipped_names() -> tuple[str, ...]:
    """The ids of the profiles that ship."""
    folder = resources.files("protocol") / "boards"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def shipped_source(name: str) -> Source:
    """The text of a shipped profile (`_` is read as `-`); raises ValueError with the nearest spelling."""
    wanted = name.replace("_", "-").lower()
    if wanted not in shipped_names():
        raise ValueError(f"there is no board profile {name!r}{nearest(wanted, shipped_names())}")
    text = (resources.files("protocol") / "boards" / f"{wanted}.toml").read_text(encoding="utf-8")
    return Source(text, f"{wanted}.toml")


@cache
def shipped(name: str) -> Codebook:
    """The codebook of a shipped profile; raises ValueError with the nearest spelling."""
    return load(shipped_source(name))


def expand(profile: Profile, source: Source | None = None, face: Layout | None = None) -> Codebook:
    """The codebook of a profile, on a `face` of one's own if there is one.

    Raises SourceError for unknown names and for frames with two meanings or none; without a source its sentences name
    the profile but no line.
    """
    source = source or Source("", profile.id)
    if face is None:
        try:
            face = layouts.layout(profile.layout)
        except ValueError as error:
            raise source.error(str(error), "layout") from None
    _check_words(profile, source)
    meanings: dict[bytes, Meaning] = {}
    frames: dict[Meaning, bytes] = {}
    places: dict[str, tuple[int, int]] = {}
    for said in _said(profile, face, source):
        frame = _bytes(said.frame, source, *said.path)
        if Framer(profile.framing).feed(profile.framing.wrap(frame)) != [Frame(frame)]:
            raise source.error(
                f"{said.frame!r} can never be read: it is empty, has white space at an edge, holds framing.start or "
                "framing.end, or does not fit framing.size or framing.limit",
                *said.path,
            )
        key = frame.lower() if profile.hits.ignore_case else frame
        if meanings.setdefault(key, said.meaning) != said.meaning:
            raise source.error(f"{said.frame!r} stands for {meanings[key]} and for {said.meaning}", *said.path)
        frames.setdefault(said.meaning, frame)
        if said.cell and said.meaning.segment:
            places[said.meaning.segment.id] = said.cell
    return Codebook(profile, face, meanings, frames, places)


_KINDS = ("T", "D", "S", "O", "I")
"""The rings of the standard face that a template with a number stands for."""


class _Said(NamedTuple):
    """One line of the codebook, and where in the file it comes from."""

    frame: str
    meaning: Meaning
    path: tuple[str, ...]
    cell: tuple[int, int] | None = None


def _check_words(profile: Profile, source: Source) -> None:
    if not profile.id or profile.id.strip("abcdefghijklmnopqrstuvwxyz0123456789-"):
        raise source.error(f"id {profile.id!r} may only hold a to z, 0 to 9 and dashes", "id")
    framing = profile.framing
    if framing.kind == "delimited" and len(framing.end.replace("\r\n", "\n")) != 1:
        raise source.error(f"framing.end {framing.end!r} must be one character, or CR LF", "framing", "end")
    _bytes(framing.start, source, "framing", "start")
    _bytes(framing.end, source, "framing", "end")


def _said(profile: Profile, face: Layout, source: Source) -> Iterator[_Said]:
    hits = profile.hits
    is_matrix = hits.mat is not None or hits.frame is not None
    if is_matrix == bool(hits.names):
        raise source.error("hits needs either a frame and a mat, or names", "hits")
    if hits.frame is not None and "{id}" in hits.frame:
        yield from _by_id(profile, face, source)
    else:
        yield from _by_mat(profile, face, source) if is_matrix else _by_name(profile, face, source)
    for name, words in profile.buttons.items():
        for word in _listed(words):
            yield _Said(word, Meaning("button", button=name), ("buttons", name))
    for word in _listed(profile.miss):
        yield _Said(word, Meaning("miss"), ("miss",))


def _by_id(profile: Profile, face: Layout, source: Source) -> Iterator[_Said]:
    """Every segment under its own id; the face's miss is a miss."""
    template = profile.hits.frame or ""
    if profile.hits.mat is not None:
        raise source.error(f"hits.frame {template!r} says the segment itself and needs no mat", "hits", "mat")
    for segment in face:
        if segment != face.miss:
            frame = template.replace("{id}", segment.id)
            yield _Said(frame, Meaning("hit", segment=segment), ("hits", "frame"))


def _by_mat(profile: Profile, face: Layout, source: Source) -> Iterator[_Said]:
    template = profile.hits.frame or ""
    if "{row}" not in template or "{col}" not in template:
        raise source.error(f"hits.frame {template!r} must hold {{row}} and {{col}}, or {{id}}", "hits", "frame")
    if profile.hits.mat is None:
        raise source.error(f"hits.mat is missing; possible here: {', '.join(mat_names())}", "hits", "mat")
    try:
        foil = mat(profile.hits.mat)
    except ValueError as error:
        raise source.error(str(error), "hits", "mat") from None
    try:
        contacts = cells(foil, profile.hits.wiring)
    except ValueError as error:
        raise source.error(str(error), "hits", "wiring") from None
    for segment_id, (row, col) in contacts.items():
        frame = template.replace("{row}", str(row)).replace("{col}", str(col))
        segment = _segment(face, segment_id, source, "hits", "mat")
        yield _Said(frame, Meaning("hit", segment=segment), ("hits", "frame"), (row, col))


def _by_name(profile: Profile, face: Layout, source: Source) -> Iterator[_Said]:
    for name, words in profile.hits.names.items():
        path = ("hits", "names", name)
        for word in _listed(words):
            has_number = "{n}" in word or "{nn}" in word
            if name in _KINDS and not has_number:
                raise source.error(f"hits.names.{name} {word!r} must hold {{n}} or {{nn}}", *path)
            if not has_number:
                yield _Said(word, Meaning("hit", segment=_segment(face, name, source, *path)), path)
                continue
            if name not in _KINDS:
                raise source.error(f"{name!r} cannot go with {{n}}; possible here: {', '.join(_KINDS)}", *path)
            for number in range(1, 21):
                segment = _segment(face, f"{name}{number}", source, *path)
                text = word.replace("{n}", str(number)).replace("{nn}", f"{number:02}")
                yield _Said(text, Meaning("hit", segment=segment), path)


def _bytes(text: str, source: Source, *path: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise source.error(f"{text!r} holds characters no board sends", *path) from None


def _segment(face: Layout, segment_id: str, source: Source, *path: str) -> Segment:
    try:
        return face[segment_id]
    except UnknownSegment as error:
        raise source.error(str(error), *path) from None


def _listed(words: str | list[str]) -> list[str]:
    return [words] if isinstance(words, str) else words
