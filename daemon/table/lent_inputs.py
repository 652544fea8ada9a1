"""The inputs of a table that plays along in a match at another table: numbered, and kept until they are decided there.

Pure: it takes what happened and the time (monotonic, ns), and says what is to be sent. Nothing is sent before it is
written to the disk, so that a power cut takes no dart back that the other table has counted; and nothing is forgotten
before the other table has said that it is decided. What is lost on the way is said again, ever less often.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Struct

from protocol.league_messages import LeagueInput, LeagueInputTaken
from protocol.match_spec import Ordinal

_FIRST_NS, _LAST_NS = 1_000_000_000, 30_000_000_000
"""After how long what is not acknowledged is said again, at first and at last."""
_DARTS = 3
"""Those of a visit."""
_MOST_AT_ONCE = 64
"""Inputs that are said at once; more than a visit has."""


class LentInput(Struct, frozen=True, omit_defaults=True):
    """An input as it is kept; the fields are those of LeagueInput."""

    seq: Ordinal
    mono_ms: int
    input: dict[str, Any]  # Any: JSON
    visit: int | None = None
    timer: bool = False


class LentInputs:
    """Those of one session: for the match of this id at the table `to`.

    `kept` are those on the disk, of which the ones up to the number `taken` are decided.
    """

    def __init__(self, to: str, match: str, session: str, kept: Iterable[LentInput] = (), taken: int = 0) -> None:
        self.to = to
        self.match = match
        self.session = session
        self.waiting = [each for each in kept if each.seq > taken]
        """Not decided yet, as far as it is known here; the oldest first."""
        self.taken = taken
        self._last = max(taken, self.waiting[-1].seq if self.waiting else 0)
        self._written = self._last
        """All up to this number are on the disk."""
        self._said = taken
        self._times = 0
        self._due: int | None = None
        """When all that wait are said again."""

    def add(self, given: dict[str, Any], now: int, visit: int | None = None, *, timer: bool = False) -> LentInput:
        """Keeps a new input; `given` is its JSON."""
        self._last += 1
        added = LentInput(self._last, now // 1_000_000, given, visit, timer)
        self.waiting.append(added)
        return added

    @property
    def is_leaving(self) -> bool:
        """Whether the table plays along no more once all that waits is decided."""
        last = next((each.input for each in reversed(self.waiting) if {"join", "leave"} & each.input.keys()), {})
        return "leave" in last

    @property
    def waiting_darts(self) -> int:
        """How many darts wait: a total is of three where it does not say of how many, and undo takes its own back."""
        counts = list[int]()
        for given in (each.input for each in self.waiting):
            if "undo" in given and counts:
                counts.pop()
            elif "amend" not in given and {"throw", "total"} & given.keys():
                counts.append(1 if "throw" in given else given.get("darts", _DARTS))
        return sum(counts)

    @property
    def unwritten(self) -> list[LentInput]:
        """What is to be written to the disk."""
        return [each for each in self.waiting if each.seq > self._written]

    def note_written(self, seq: int) -> None:
        """All up to this number are on the disk."""
        self._written = max(self._written, seq)

    def say(self, now: int) -> list[LeagueInput]:
        """What is to be sent now: what was never said, and all that waits if it is time for that."""
        written = [each for each in self.waiting if each.seq <= self._written]
        if not written:
            self._due = None
            return []
        is_again = self._due is not None and now >= self._due
        said = [each for each in written if is_again or each.seq > self._said][:_MOST_AT_ONCE]
        if is_again:
            self._times += 1
        if is_again or self._due is None:
            self._due = now + min(_FIRST_NS << min(self._times, 10), _LAST_NS)
        self._said = max([self._said, *(each.seq for each in said)])
        first = self.waiting[0].seq
        return [self._write(each, first) for each in said]

    def _write(self, each: LentInput, first: int) -> LeagueInput:
        return LeagueInput(
            v=1,
            to=self.to,
            match=self.match,
            session=self.session,
            seq=each.seq,
            first=first,
            mono_ms=each.mono_ms,
            input=each.input,
            visit=UNSET if each.visit is None else each.visit,
            timer=each.timer,
        )

    @property
    def deadline(self) -> int | None:
        """When `say` is to be called if nothing happens before."""
        return self._due if self.waiting else None

    def hurry(self, now: int) -> None:
        """Has all that waits said again at once, and then as often as at first: there is a connection again."""
        self._times, self._due = 0, now

    def take(self, taken: LeagueInputTaken, now: int) -> tuple[LentInput, ...]:
        """Forgets what is decided; returns it. What was never written or said cannot be."""
        if taken.session != self.session or not self.taken < taken.seq <= self._said:
            return ()
        decided = tuple(each for each in self.waiting if each.seq <= taken.seq)
        del self.waiting[: len(decided)]
        self.taken, self._times = taken.seq, 0
        self._due = now + _FIRST_NS if self.waiting else None
        return decided


class EarlyInputs:
    """At the table where the match is: the inputs of another one that came before those that they follow."""

    def __init__(self) -> None:
        self._kept: dict[int, LeagueInput] = {}
        self._session = ""

    def keep(self, said: LeagueInput, decided: int) -> None:
        """Keeps an input that was not decided, if only those up to the number `decided` of its session are."""
        if said.session != self._session:
            self._session = said.session
            self._kept.clear()
        if said.seq > decided + 1 and len(self._kept) < _MOST_AT_ONCE:
            self._kept[said.seq] = said

    def take_next(self, session: str, decided: int) -> LeagueInput | None:
        """Removes and returns the one after the number `decided` of this session, if it is here."""
        return self._kept.pop(decided + 1, None) if session == self._session else None
