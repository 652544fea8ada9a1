"""What a board says when a contact opens again: frames like those of presses, but for a word or a number.

Such a frame is no press, and the profile is to ignore it. It is known by the words that boards use (P and R, down and
up, 1 and 0), or because the same change has followed two presses. A matrix board's own press is never taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_TOKEN = re.compile(r"\d+|[A-Za-z]+|.", re.DOTALL | re.ASCII)
_TWICE = 2

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


class Releases:
    """The releases that were noticed so far."""

    def __init__(self, examples: Iterable[tuple[str, str]] = ()) -> None:
        self.examples: list[tuple[str, str]] = []
        """A press and its release for all that was noticed; another Releases goes on from them."""
        self._changes: list[_Change] = []
        self._constant: set[str] = set()
        """Releases that are the same for all contacts."""
        self._expected: set[tuple[str, str]] = set()
        self._followed: dict[_Change, set[str]] = {}
        """The presses that each change has followed, as long as it is not believed."""
        for press, frame in examples:
            self.expect(press, [frame])
            self.is_release(press, frame)

    def expect(self, press: str, frames: Iterable[str]) -> None:
        """Notes that these frames came after this press: if one follows it once more, it is the release."""
        self._expected |= {(press, frame) for frame in frames}

    def is_known(self, press: str, frame: str) -> bool:
        """The same, without noticing anything new."""
        return frame in self._constant or any(change.apply(press) == frame for change in self._changes)

    def is_release(self, press: str, frame: str, *, is_strange: bool = False) -> bool:
        """Whether this frame says that the contact of `press`, the latest, is open again. What is noticed is kept.

        `is_strange`: it cannot be a press.
        """
        if self.is_known(press, frame):
            return True
        change = _compare(press, frame)
        is_said = frame.strip().lower() in _ALONE if change is None else _is_said(change, press)
        is_sure = is_said or (press, frame) in self._expected
        if is_strange and change is not None and not is_sure:
            followed = self._followed.setdefault(change, set())
            followed.add(press)
            is_sure = len(followed) >= _TWICE
        if is_sure:
            self.examples.append((press, frame))
            if change is None:
                self._constant.add(frame)
            else:
                self._changes.append(change)
        return is_sure

    def list_frames(self, presses: Iterable[str]) -> list[str]:
        """What the profile is to ignore, where these are the frames of all presses; `*` stands for any rest."""
        presses = list(presses)
        found = dict.fromkeys(sorted(self._constant))
        for change in self._changes:
            released = [(press, frame) for press in presses if (frame := change.apply(press)) is not None]
            begin = {change.find_beginning(press) for press, _ in released} if change.at >= 0 else set()
            if len(begin) == 1 and not any(press.startswith(tuple(begin)) for press in presses):
                found |= {f"{beginning}*": None for beginning in begin}
            else:
                found |= {frame: None for _, frame in released}
        return [frame for frame in found if frame not in presses]


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
