"""Play by ear on a page: the sentences of daemon/outlets/play_by_ear.py as events of the streams that ask for them.

What makes them is handed in, and loaded with the first stream that asks. They are made after the update has been sent,
so a dart waits for none of this.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from daemon.languages import LANGUAGES
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.facts import Event
from protocol.messages import State
from protocol.segment import Layout

Detail = Literal["full", "brief"]
DETAILS: Mapping[str, Detail] = MappingProxyType({"full": "full", "brief": "brief"})
"""What a stream can ask for."""


class Ear(Protocol):
    """Makes sentences of states and events; `side` is that of a seat whose states they are.

    `has_button`: the board has a button that ends the visit.
    """

    async def prepare(self, layout: Layout) -> None:
        """Computes in a thread what sentences about darts on this layout need."""

    def tell(
        self,
        before: State | None,
        state: State,
        events: Sequence[Event],
        layout: Layout,
        detail: Detail,
        language: str,
        side: int | None,
        *,
        has_button: bool,
    ) -> Sequence[Struct]:
        """Returns what is to be said of an update, in order."""

    def describe(
        self, state: State, layout: Layout, language: str, side: int | None, prompt: str, *, has_button: bool
    ) -> Struct:
        """Returns the question with this id; where one stands if none is open that has it."""


def read_language(query: dict[str, str]) -> str:
    """Returns the language that a request asks for; English for one that oche does not speak."""
    wanted = query.get("lang", "")
    return wanted if wanted in LANGUAGES else "en"


def find_side(table: Table, seat: int | None) -> int | None:
    """Returns the side of this seat; None for the public view."""
    sides = table.match.seating.sides
    return next((index for index, side in enumerate(sides) if seat in side.seats), None)


def find_state(table: Table, seat: int | None) -> State:
    """Returns the state that is spoken of: of the match at another table where this one plays along in it."""
    lent = table.scorer.lent
    return table.state(seat) if lent is None or lent.state is None else lent.state


class _Noted(NamedTuple):
    """An update with the states before and after it, and the layout and side of then: the table goes on."""

    before: State
    state: State
    events: Sequence[Event]
    layout: Layout
    side: int | None


class EarListener:
    """A display that plays by ear, with the state that it was told of last. `seat`: whose view it has."""

    def __init__(self, ear: Ear, table: Table, seat: int | None, detail: Detail, language: str) -> None:
        self._ear = ear
        self._table = table
        self._seat = seat
        self._detail: Detail = detail
        self._language = language
        self._state = find_state(table, seat)
        self._noted: deque[_Noted] = deque()
        self._preparing = asyncio.create_task(ear.prepare(table.codebook.layout))
        self._telling: asyncio.Task[None] | None = None

    def tell(self, update: Update, send: Callable[[Sequence[Struct]], object]) -> None:
        """Has what is to be said of the update sent, in order, as soon as it is found: never before this returns."""
        before = self._state
        if update.state is not None:
            self._state = find_state(self._table, self._seat)
        layout, side = self._table.codebook.layout, find_side(self._table, self._seat)
        self._noted.append(_Noted(before, self._state, update.events, layout, side))
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_all(send))

    async def _tell_all(self, send: Callable[[Sequence[Struct]], object]) -> None:
        await self._preparing
        while self._noted:
            before, state, events, layout, side = self._noted.popleft()
            await self._ear.prepare(layout)
            detail, language, has_button = self._detail, self._language, self._table.codebook.has_next
            send(self._ear.tell(before, state, events, layout, detail, language, side, has_button=has_button))
            await asyncio.sleep(0)  # a dart comes first
