"""Play by ear on a page: the sentences of daemon/outlets/play_by_ear.py as events of the streams that ask for them.

What makes them is handed in, and loaded with the first stream that asks. They are made after the update has been sent,
so a dart waits for none of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol

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
    """Makes sentences of states and events; `side` is that of a seat whose states they are."""

    def tell(
        self,
        before: State | None,
        state: State,
        events: Sequence[Event],
        layout: Layout,
        detail: Detail,
        language: str,
        side: int | None,
    ) -> Sequence[Struct]:
        """Returns what is to be said of an update, in order."""

    def describe(self, state: State, layout: Layout, language: str, side: int | None) -> Struct:
        """Returns where one stands."""


def read_language(query: dict[str, str]) -> str:
    """Returns the language that a request asks for; English for one that oche does not speak."""
    wanted = query.get("lang", "")
    return wanted if wanted in LANGUAGES else "en"


def find_side(table: Table, seat: int | None) -> int | None:
    """Returns the side of this seat; None for the public view."""
    sides = table.match.seating.sides
    return next((index for index, side in enumerate(sides) if seat in side.seats), None)


class EarListener:
    """A display that plays by ear, with the state that it was told of last. `seat`: whose view it has."""

    def __init__(self, ear: Ear, table: Table, seat: int | None, detail: Detail, language: str) -> None:
        self._ear = ear
        self._table = table
        self._seat = seat
        self._detail: Detail = detail
        self._language = language
        self._state = table.state(seat)

    def note(self, update: Update) -> tuple[State, State]:
        """Returns the states before and after this update; to be asked at once, for the table goes on."""
        before = self._state
        if update.state is not None:
            self._state = self._table.state(self._seat)
        return before, self._state

    def tell(self, states: tuple[State, State], events: Sequence[Event]) -> Sequence[Struct]:
        """Returns what is to be said."""
        layout, side = self._table.codebook.layout, find_side(self._table, self._seat)
        return self._ear.tell(*states, events, layout, self._detail, self._language, side)
