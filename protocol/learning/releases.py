"""What a board says when a contact opens again: frames like those of presses, but for a word or a number.

Such a frame is no press, and the profile is to ignore it. It is supposed by the words that boards use (P and R, down
and up, 1 and 0), or because the same change has followed two presses. But two beds may differ by such a word as well.
So it is believed only when the same change came by itself after two different presses, without being the press that
was asked for; and a frame that comes again when the press was asked for once more is a contact. A matrix board's own
press is never taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from protocol.standard import merged

_TOKEN = re.compile(r"\d+|[A-Za-z]+|.", re.DOTALL | re.ASCII)
_HEX = re.compile(r"(?<=0[xX])[\dA-Fa-f]+", re.ASCII)
_TWICE = 2
_PAIRS = 3
"""So many presses one after the other that were each followed by the same change are enough to know it."""

_WORDS = frozenset(
    [
        *(("p", "r"), ("press", "release"), ("pressed", "released"), ("press", "released"), ("hit", "release")),
        *(("down", "up"), ("d", "u"), ("on", "off"), ("+", "-"), ("h", "l"), ("high", "low"), ("hit", "released")),
        *(("close", "open"), ("closed", "open"), ("closed", "opened"), ("make", "break"), ("true", "false")),
        *(("keydown", "keyup"), ("set", "clear"), ("start", "end")),
        *(("", "r"), ("", "up"), ("", "-"), ("", "!"), ("", "release"), ("", "released"), ("", "off"), ("", "open")),
    ]
)


_ALONE = frozenset({"up", "release", "released", "open", "opened", "off"})
"""Frames that say it without saying which contact."""


class _Change(NamedTuple):
    """`before` becomes `after` at the token of this number, from the end if it is negative."""

    at: int
    before: str
    after: str

    def find_beginning(self, press: str) -> str:
        """How the release of this press begins, up to the word that tells it."""
        tokens = _TOKEN.findall(press)
        return "".join(tokens[: self.at]) + self.after

    def apply(self, press: str) -> str | None:
        """The release of this press; None if the press has no such word there."""
        tokens = _TOKEN.findall(press)
        if self.before == "":
            return self.after + press if self.at == 0 else press + self.after
        if not -len(tokens) <= self.at < len(tokens) or tokens[self.at] != self.before:
            return None
        tokens[self.at] = self.after
        return "".join(tokens)


class _Bit(NamedTuple):
    """This bit of the one number in hex, 0x80 or above, is another."""

    mask: int
    is_set: bool

    def apply(self, press: str) -> str | None:
        """The release of this press; None if there is no such number, or the bit is so already."""
        found = _HEX.findall(press)
        if len(found) != 1 or bool(int(found[0], 16) & self.mask) is self.is_set:
            return None
        (digits,) = found
        letters = "x" if digits != digits.upper() else "X"
        return _HEX.sub(f"{int(digits, 16) ^ self.mask:0{len(digits)}{letters}}", press)


_Kind = _Change | _Bit | str
"""What a release is known by: how it differs from its press, or the frame, if that is the same for all contacts."""


class Releases:
    """The releases that were noticed so far."""

    def __init__(self, examples: Iterable[tuple[str, str]] = ()) -> None:
        self.examples: list[tuple[str, str]] = []
        """Presses and releases that came by themselves, as many as it takes; another Releases goes on from them."""
        self._kinds: list[_Kind] = []
        """What is supposed: frames of these kinds are no presses, unless they come again."""
        self._refuted: set[_Kind] = set()
        self._expected: set[tuple[str, str]] = set()
        self._followed: dict[_Change | _Bit, set[str]] = {}
        """The presses that each change has followed, as long as it is not supposed."""
        self._pending: list[tuple[str, str]] = []
        """What came since the press was asked for: releases, if the press comes as well."""
        for press, frame in examples:
            self._suppose(_find_kind(press, frame))
            self._confirm(press, frame)

    def expect(self, press: str, frames: Iterable[str]) -> None:
        """Notes that these frames came after this press: if one follows it once more, it is the release."""
        self._expected |= {(press, frame) for frame in frames}

    def is_known(self, press: str, frame: str) -> bool:
        """The same as `is_release`, without noticing anything new."""
        return self._find_known(press, frame) is not None

    def is_believed(self, press: str, frame: str) -> bool:
        """Whether frames of this kind came by themselves after two different presses."""
        kind = self._find_known(press, frame)
        return kind is not None and self._is_believed(kind)

    def is_release(self, press: str, frame: str, *, is_strange: bool = False, is_alone: bool = False) -> bool:
        """Whether this frame says that the contact of `press`, the latest, is open again. What is noticed is kept.

        `is_strange`: it cannot be a press; `is_alone`: no press was asked for when it came.
        """
        kind = self._find_known(press, frame)
        if kind is None:
            kind = _find_kind(press, frame)
            if kind in self._refuted or not self._is_sure(press, frame, kind, is_strange=is_strange):
                return False
            self._suppose(kind)
        if is_alone:
            self._confirm(press, frame)
        elif (press, frame) not in self._pending:
            self._pending.append((press, frame))
        return True

    def refute(self, press: str, frame: str) -> None:
        """Notes that this frame, which was taken for the release of this press, is a contact."""
        while (kind := self._find_known(press, frame)) is not None:
            self._kinds.remove(kind)
            self._refuted.add(kind)
        self.examples = [each for each in self.examples if _find_kind(*each) not in self._refuted]
        self._pending.clear()

    def find_first(self, frames: Sequence[tuple[str, str]]) -> int | None:
        """Which of these answers, segments and their frames, is the first that was the release of the one before.

        They are releases if each of the latest presses was followed by the same change. Not so for the halves of
        singles, which are asked for one after the other and may differ in just that. What is found is kept.
        """
        pairs = list(pairwise(frames))
        latest = pairs[-2 * _PAIRS + 1 :: 2]
        kinds = {_find_kind(press, frame) for (_, press), (_, frame) in latest}
        presses = {press for (_, press), _ in latest}
        if len(latest) < _PAIRS or len(kinds) > 1 or len(presses) < _PAIRS:
            return None
        (kind,) = kinds
        are_halves = any(a != b and merged(a) == merged(b) for (a, _), (b, _) in latest)
        if isinstance(kind, str) or kind in self._refuted or are_halves:
            return None
        self._suppose(kind)
        for (_, press), (_, frame) in latest:
            self._confirm(press, frame)
        return next(at for at, ((_, press), (_, frame)) in enumerate(pairs, 1) if kind.apply(press) == frame)

    def note_press(self) -> None:
        """Notes that the press that was asked for came: so what came before was none."""
        for press, frame in self._pending:
            self._confirm(press, frame)
        self._pending.clear()

    def forget(self, presses: Collection[str]) -> None:
        """Forgets what followed these presses: they were taken back."""
        self.examples = [each for each in self.examples if each[0] not in presses]
        self._expected = {each for each in self._expected if each[0] not in presses}
        self._kinds = list(dict.fromkeys(_find_kind(*each) for each in self.examples))
        self._followed.clear()
        self._pending.clear()

    def _find_known(self, press: str, frame: str) -> _Kind | None:
        for kind in self._kinds:
            if frame == (kind if isinstance(kind, str) else kind.apply(press)):
                return kind
        return None

    def _is_sure(self, press: str, frame: str, kind: _Kind, *, is_strange: bool) -> bool:
        if isinstance(kind, _Bit):
            is_said = False
        else:
            is_said = frame.strip().lower() in _ALONE if isinstance(kind, str) else _is_said(kind, press)
        if is_said or (press, frame) in self._expected:
            return True
        if not is_strange or isinstance(kind, str):
            return False
        followed = self._followed.setdefault(kind, set())
        followed.add(press)
        return len(followed) >= _TWICE

    def _suppose(self, kind: _Kind) -> None:
        if kind not in self._kinds:
            self._kinds.append(kind)

    def _confirm(self, press: str, frame: str) -> None:
        if not self.is_believed(press, frame) and (press, frame) not in self.examples:
            self.examples.append((press, frame))

    def _is_believed(self, kind: _Kind) -> bool:
        return len({press for press, frame in self.examples if self._find_known(press, frame) == kind}) >= _TWICE

    def list_frames(self, presses: Iterable[str]) -> list[str]:
        """What the profile is to ignore, where these are the frames of all presses; `*` stands for any rest."""
        presses = list(presses)
        believed = [kind for kind in self._kinds if self._is_believed(kind)]
        found = dict.fromkeys(sorted(kind for kind in believed if isinstance(kind, str)))
        for change in believed:
            if isinstance(change, str):
                continue
            released = [(press, frame) for press in presses if (frame := change.apply(press)) is not None]
            begin = set[str]()
            if isinstance(change, _Change) and change.at >= 0:
                begin = {change.find_beginning(press) for press, _ in released}
            if len(begin) == 1 and not any(press.startswith(tuple(begin)) for press in presses):
                found |= {f"{beginning}*": None for beginning in begin}
            else:
                found |= {frame: None for _, frame in released}
        return [frame for frame in found if frame not in presses]


def _find_kind(press: str, frame: str) -> _Kind:
    if len(digits := _HEX.findall(press)) == 1 and len(others := _HEX.findall(frame)) == 1:
        before, after = int(digits[0], 16), int(others[0], 16)
        mask = before ^ after
        bit = _Bit(mask, bool(after & mask))
        if mask >= 0x80 and mask & (mask - 1) == 0 and bit.apply(press) == frame:
            return bit
    return _compare(press, frame) or frame


def _compare(press: str, frame: str) -> _Change | None:
    """The one word or number by which the two differ; None if there is more."""
    if frame.endswith(press) and frame != press:
        return _Change(0, "", frame.removesuffix(press))
    if frame.startswith(press) and frame != press:
        return _Change(-1, "", frame.removeprefix(press))
    before, after = _TOKEN.findall(press), _TOKEN.findall(frame)
    differing = [at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]]
    if len(before) != len(after) or len(differing) != 1 or len(before) == 1:
        return None
    (at,) = differing
    return _Change(-1 if at == len(before) - 1 else at, before[at], after[at])


def _is_said(change: _Change, press: str) -> bool:
    """Whether these are words that boards use; of numbers 1 and 0, beside two others."""
    if (change.before, change.after) == ("1", "0"):
        return len(re.findall(r"\d+", press)) > 2
    return (change.before.strip(" :,;").lower(), change.after.strip(" :,;").lower()) in _WORDS
