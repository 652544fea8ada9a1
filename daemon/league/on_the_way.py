"""What is said again, ever less often, until somebody answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from daemon.league.records import Taker, Wanted
from drivers.backoff import Backoff
from protocol.league_messages import MOST_ORDER, LeagueForget, LeagueOffer, LeaguePlayers, LeagueResults

Message = LeagueOffer | LeaguePlayers | LeagueForget | LeagueResults
Name = tuple[str, str]
"""Of what is said: the id of a match and for whom it is offered, or what else it is."""


class Said(Struct):
    """Messages on a topic of this kind. They are due at `due_s`, by the clock of the event loop.

    They were said so many `times`, first at `since_s`. An offer is of what was `wanted`, and its record has `sha256`.
    `order` is that of the messages.
    `is_doubted`: meanwhile something older was answered, so one answer is not enough.
    """

    kind: str
    messages: tuple[Message, ...]
    wanted: Wanted | None = None
    sha256: str = ""
    times: int = 0
    due_s: float = 0.0
    since_s: float = 0.0
    is_doubted: bool = False
    order: int = 0


class OnTheWay:
    """All of it, in the order in which it is said; `now_s` is the clock, and `read_time_s` the time (Unix)."""

    def __init__(self, now_s: Callable[[], float], read_time_s: Callable[[], float] = time.time) -> None:
        self._now_s = now_s
        self._read_time_s = read_time_s
        self._order = 0
        """The highest so far."""
        self._said: dict[Name, Said] = {}
        self._random = Random()

    def get(self, name: Name) -> Said | None:
        """What has this name."""
        return self._said.get(name)

    def add(self, name: Name, said: Said) -> None:
        """Has this said from now on, in the place of what has the name, and as newer than all before it."""
        self._number(said)
        self._said[name] = said

    def renew(self, name: Name, order: int) -> None:
        """Has this said at once as newer than the message of that order, unless it is already."""
        said = self._said[name]
        self._order = max(self._order, order)
        if said.order <= order:
            self._number(said)
            said.times, said.due_s = 0, 0.0

    def _number(self, said: Said) -> None:
        """The order of the time, or after a jump of the clock that of the latest message and one."""
        self._order = said.order = min(max(self._order + 1, int(self._read_time_s() * 1000)), MOST_ORDER)
        said.messages = tuple(
            each if isinstance(each, LeagueForget) else replace(each, order=said.order) for each in said.messages
        )

    def remove(self, name: Name) -> Said | None:
        """Has it said no more, and returns it."""
        return self._said.pop(name, None)

    def list_offers(self, by: Taker) -> list[tuple[Name, Said]]:
        """The offers for these."""
        return [(name, said) for name, said in self._said.items() if said.wanted is not None and said.wanted.by == by]

    def list_names(self, kind: str) -> list[str]:
        """The first parts of the names of what is said on this kind of topic."""
        return [name for (name, _), said in self._said.items() if said.kind == kind]

    def list_due(self) -> Iterator[tuple[Name, Said]]:
        """Yields what is due, which may have been removed meanwhile; what is no offer comes first."""
        due = [(name, said) for name, said in self._said.items() if said.due_s <= self._now_s()]
        for name, said in sorted(due, key=lambda each: each[1].wanted is not None):
            if self._said.get(name) is said:
                yield name, said

    def note_said(self, said: Said, again: Backoff) -> None:
        """Notes that it was said once more."""
        now_s = self._now_s()
        said.since_s = said.since_s or now_s
        said.times += 1
        said.due_s = now_s + again.delay_s(said.times, self._random)

    def hurry(self, by: Taker | None = None) -> None:
        """Has all that waits for these, or all, said at once, and then as often as at first."""
        for said in self._said.values():
            if by is None or (said.wanted.by if said.wanted else "league") == by:
                said.times, said.due_s = 0, 0.0

    def settle(self, name: Name) -> bool:
        """Has what was answered said no more, or once more if it is doubted; returns which of these."""
        said = self._said[name]
        if said.is_doubted:
            said.is_doubted, said.times, said.due_s = False, 0, 0.0
            return False
        del self._said[name]
        return True

    def find_wait_s(self) -> float | None:
        """After how many seconds the next is due; None: there is nothing."""
        due = [said.due_s for said in self._said.values()]
        return max(min(due) - self._now_s(), 0.0) if due else None
