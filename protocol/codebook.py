"""What each frame of a board means, and back: a profile, expanded.

All frames of a board are a finite set, so a profile is expanded once, when it is loaded: frames to meanings and
meanings to frames. A template such as `{row},{col}` therefore runs both ways by construction, and a table that names
one frame twice or a segment that does not exist is found before a dart is thrown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from msgspec import Struct
from msgspec.structs import replace

from protocol import layouts
from protocol.framing import Frame, Framer, Framing
from protocol.profile import Hits, Profile, check_link
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, get_reason, say
from protocol.source import Source
from protocol.spelling import say_nearest, suggest_nearest
from protocol.standard import NUMBERS, merged
from protocol.templates import Meaning, Writer, expand_templates, fill, say_odd_characters

ACTING = ("next", "undo", "miss", "takeout")
"""The buttons that do something at a table; see daemon.table.scorer."""

_STREAMS = ("serial", "tcp", "rfc2217")

ADDED: dict[str, Source] = {}
"""The texts of profiles that do not ship, by id, from daemon/plugins/loader.py: this room reads its own files only."""
WITHHELD: dict[str, Sentence] = {}
"""Profiles that were added and cannot be used, by id: the reason, a sentence."""


class Mask(Struct, frozen=True):
    """The bits of a frame that mean something. `is_open`: bytes behind them do not."""

    bits: bytes
    is_open: bool

    def beginning(self, part: bytes) -> bytes:
        """The bits that count of the first bytes of a frame."""
        known = len(self.bits)
        return bytes(byte & bits for byte, bits in zip(part, self.bits, strict=False)) + (
            b"" if self.is_open else part[known:]
        )

    def kept(self, frame: bytes) -> bytes | None:
        """The bits that count of this frame; None when its length is wrong."""
        if len(frame) < len(self.bits) or (len(frame) > len(self.bits) and not self.is_open):
            return None
        return bytes(byte & bits for byte, bits in zip(frame, self.bits, strict=False))


class Codebook(Struct, frozen=True):
    """A profile, expanded: `meanings` is how to read a frame (as `key` makes it), `frames` how to say it.

    A meaning with several frames is sent as the first of them.
    `cells` gives the row and column line of a segment, for boards that are a matrix; empty for the others.
    `ignored` holds frames that are known to mean nothing, each with whether that goes for any frame that begins so; the
    greeting of a serial board is one of them.
    """

    profile: Profile
    layout: Layout
    meanings: Mapping[bytes, Meaning]
    frames: Mapping[Meaning, bytes]
    cells: Mapping[str, tuple[int, int]]
    ignored: tuple[tuple[bytes, bool], ...] = ()
    mask: Mask | None = None

    def key(self, frame: bytes) -> bytes | None:
        """The part of this frame that counts, as `meanings` has it; None when it cannot mean anything."""
        if self.mask is not None:
            return self.mask.kept(frame)
        return frame.lower() if self.profile.hits.ignore_case else frame

    def meaning(self, frame: bytes) -> Meaning | None:
        """The meaning of this frame; None: it has none."""
        key = self.key(frame)
        return None if key is None else self.meanings.get(key)

    def ignores(self, frame: bytes) -> bool:
        """Whether this frame is known to carry no event: a greeting, a debug line."""
        return any(
            self._begins(frame, word) if is_open else self.is_same(frame, word) for word, is_open in self.ignored
        )

    def is_banner(self, frame: bytes) -> bool:
        """Whether this frame is the greeting by which this kind of board is known."""
        banner = self.profile.serial.banner
        return banner is not None and self.is_same(frame, banner.encode("latin-1"))

    def is_same(self, frame: bytes, word: bytes) -> bool:
        """Whether the two are equal in the part that counts."""
        key = self.key(word)
        return frame == word if key is None else self.key(frame) == key

    def _begins(self, frame: bytes, word: bytes) -> bool:
        begin = frame[: len(word)]
        if self.mask is None:
            return self.key(begin) == self.key(word)
        return len(begin) == len(word) and self.mask.beginning(begin) == self.mask.beginning(word)

    @property
    def has_next(self) -> bool:
        """Whether the board has a button that ends the visit."""
        return "next" in self.profile.buttons

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments this board can report, in the order of the layout."""
        if self.profile.web is not None:
            return self.layout.areas
        known = {m.segment.id for m in self.frames if m.segment is not None}
        return tuple(s for s in self.layout if s.id in known)

    def reported(self, segment: Segment) -> Segment | None:
        """The segment this board would report for a dart there (its merged single, say); None if it sees nothing."""
        if self.profile.web is not None:
            return segment
        for candidate in (segment.id, merged(segment.id)):
            if candidate in self.layout and Meaning("hit", segment=self.layout[candidate]) in self.frames:
                return self.layout[candidate]
        return None


def load(source: Source) -> Codebook:
    """The codebook of a profile in a file; raises SourceError."""
    return expand(source.read(Profile), source)


def make_blank_codebook(profile: Profile) -> Codebook:
    """A codebook without a single meaning: every frame is Garbage, but for those that the profile ignores.

    For boards that are not described yet: the profile's hits may be left open. Raises ValueError for an unknown layout.
    """
    ignored = _ignored(profile, Source("", profile.id))
    layout = layouts.with_dartboard(layouts.find_layout(profile.layout), profile.dartboard)
    return Codebook(profile, layout, {}, {}, {}, ignored)


def list_shipped() -> tuple[str, ...]:
    """The ids of the profiles that ship."""
    folder = resources.files("protocol") / "boards"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def list_profiles() -> tuple[str, ...]:
    """The ids of the profiles that ship, and of those that were added."""
    return tuple(sorted((*list_shipped(), *ADDED)))


def read_shipped(name: str) -> Source:
    """The text of a profile that ships or was added (`_` is `-`); raises ValueError with the nearest spelling."""
    wanted = name.replace("_", "-").lower()
    if wanted in ADDED:
        return ADDED[wanted]
    if wanted in WITHHELD:
        raise Refusal(WITHHELD[wanted])
    if wanted not in list_shipped():
        meant = say_nearest(wanted, list_profiles(), _LIST)
        raise Refusal(
            say("settings.no_profile", "there is no board profile {given}{meant}", given=repr(name), meant=meant)
        )
    text = (resources.files("protocol") / "boards" / f"{wanted}.toml").read_text(encoding="utf-8")
    return Source(text, f"{wanted}.toml")


_LIST = say("settings.list_boards", "; oche boards list shows them all")
"""Instead of all of them in one sentence."""


@cache
def shipped(name: str) -> Codebook:
    """The codebook of a profile that ships or was added; raises ValueError with the nearest spelling."""
    return load(read_shipped(name))


def expand(profile: Profile, source: Source | None = None, layout: Layout | None = None) -> Codebook:
    """The codebook of a profile, on another `layout` than the profile's if it is given.

    Raises SourceError for unknown names and for frames with two meanings or none; without a source its sentences name
    the profile but no line.
    """
    source = source or Source("", profile.id)
    if layout is None:
        try:
            layout = layouts.find_layout(profile.layout)
        except ValueError as error:
            raise source.error(get_reason(error), "layout") from None
        try:
            layout = layouts.with_dartboard(layout, profile.dartboard)
        except ValueError as error:
            raise source.error(get_reason(error), "dartboard") from None
    _check_words(profile, source)
    check_link(profile, source)
    mask = _mask(profile, source)
    book = Codebook(profile, layout, {}, {}, {}, _ignored(profile, source), mask)
    meanings: dict[bytes, Meaning] = {}
    frames: dict[Meaning, bytes] = {}
    places: dict[str, tuple[int, int]] = {}
    for entry in expand_templates(profile, layout, source):
        if not _can_be_read(profile.framing, entry.frame) or (key := book.key(entry.frame)) is None:
            said = say(
                "profile.unreadable",
                "{given} can never be read: it is empty, has white space at an end, contains "
                "framing.start or framing.end, or does not fit framing.size, framing.limit or hits.mask",
                given=repr(entry.text),
            )
            raise source.error(said, *entry.path)
        if meanings.setdefault(key, entry.meaning) != entry.meaning:
            said = say(
                "profile.two_meanings",
                "{name} means both {given} and {possible}",
                name=repr(entry.text),
                given=str(meanings[key]),
                possible=str(entry.meaning),
            )
            raise source.error(said, *entry.path)
        frames.setdefault(entry.meaning, entry.frame)
        if entry.cell and entry.meaning.segment:
            places[entry.meaning.segment.id] = entry.cell
    return replace(book, meanings=meanings, frames=frames, cells=places)


def _can_be_read(framing: Framing, frame: bytes) -> bool:
    framer = Framer(framing)
    heard = [each for packet in framing.packets(frame) for each in framer.feed(packet)]
    return heard == [Frame(frame)]


def _check_words(profile: Profile, source: Source) -> None:
    if not profile.id or profile.id.strip("abcdefghijklmnopqrstuvwxyz0123456789-"):
        said = say("profile.id", "id {given} may only contain a to z, 0 to 9 and dashes", given=repr(profile.id))
        raise source.error(said, "id")
    framing = profile.framing
    if framing.kind == "delimited" and len(framing.end.replace("\r\n", "\n")) != 1:
        said = say("profile.end", "framing.end {given} must be one character, or CR LF", given=repr(framing.end))
        raise source.error(said, "framing", "end")
    for key, text in (("start", framing.start), ("end", framing.end)):
        _text(text, source, "framing", key)
    writer = Writer(profile, source)
    if profile.handshake is not None:
        writer.frame(profile.handshake.send, ("handshake", "send"))
        writer.frame(profile.handshake.expect, ("handshake", "expect"))
    banner = profile.serial.banner
    if banner is not None and not _can_be_read(framing, _text(banner, source, "serial", "banner")):
        said = say(
            "profile.banner",
            "serial.banner {given} can never be read: write it as one frame, without white space at "
            "its ends and without framing.start and framing.end",
            given=repr(banner),
        )
        raise source.error(said, "serial", "banner")
    if sorted(profile.hits.order) != sorted(NUMBERS):
        said = say("profile.order", "hits.order must name the numbers 1 to 20, each once")
        raise source.error(said, "hits", "order")


def _text(text: str, source: Source, *path: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise source.error(say_odd_characters(text), *path) from None


def _mask(profile: Profile, source: Source) -> Mask | None:
    text = profile.hits.mask
    if not text:
        return None
    if profile.hits.ignore_case:
        said = say("profile.mask", "hits.mask and hits.ignore_case exclude each other: keep one of them")
        raise source.error(said, "hits", "mask")
    try:
        return Mask(fill(text.removesuffix("*"), "hex", {}), text.endswith("*"))
    except ValueError as error:
        raise source.error(get_reason(error), "hits", "mask") from None


def _ignored(profile: Profile, source: Source) -> tuple[tuple[bytes, bool], ...]:
    writer, banner = Writer(profile, source), profile.serial.banner
    words = [(writer.frame(word.removesuffix("*"), ("ignore",)), word.endswith("*")) for word in profile.ignore]
    return (*words, *([] if banner is None else [(_text(banner, source, "serial", "banner"), False)]))


def check_packets(profile: Profile, link: str) -> None:
    """Raises ValueError when the frames are packets and the link is a stream of bytes."""
    if profile.framing.is_packets and link in _STREAMS:
        raise Refusal(
            say(
                "settings.packets",
                "the profile {name} reads packets ({given}), and a {possible} link has none: use framing "
                "delimited or fixed",
                name=profile.id,
                given=profile.framing.kind,
                possible=link,
            )
        )


def find_misspelled_buttons(profile: Profile, source: Source) -> list[str]:
    """A sentence for each button that does nothing and whose name is close to that of one that does."""
    names = [name for name in profile.buttons if name not in ACTING]
    meant = {name: suggest_nearest(name.lower(), ACTING, "") for name in names}
    errors = {name: source.error(f"the button {name!r} does nothing{meant[name]}", "buttons", name) for name in names}
    return [str(error) for name, error in errors.items() if meant[name]]


def make_raw_codebook() -> Codebook:
    """A codebook without any code, in which every chunk is a frame."""
    framing = Framing(kind="datagram", limit=1 << 20)
    return make_blank_codebook(Profile(id="raw", name="raw", hits=Hits(), framing=framing))
