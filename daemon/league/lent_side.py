"""A table of this daemon that plays along in a match at another one: its file, and what is sent and heard."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable

from msgspec import UNSET

from daemon.league.lent_file import LentFile
from daemon.table.lent_inputs import LentInput, LentInputs
from daemon.table.scoresheet import explain_stray
from daemon.table.table import Table
from drivers.session import now_ns
from protocol.facts import FACTS, Event
from protocol.league_messages import LeagueInput, LeagueInputTaken
from protocol.messages import State
from protocol.sentence import say

_MOST_EVENTS = 64
"""More than the darts of one visit lead to."""


class LentSide:
    """The `table`, which is lent to the table `to`. `send` takes what is to be said now.

    `inputs` are those that an earlier run has left.
    """

    def __init__(
        self,
        table: Table,
        to: str,
        file: LentFile,
        send: Callable[[str, LeagueInput], None],
        inputs: LentInputs | None = None,
    ) -> None:
        self.table = table
        self.to = to
        self.state: State | None = None
        """The match at the other table as it was seen last, also one that is not for this table."""
        self.is_over = False
        """Nothing more is to be done, and the file is gone."""
        self._file = file
        self._send = send
        self._inputs = inputs
        self._noted = 0 if inputs is None else inputs.taken
        """How far the file says that inputs are decided."""
        self._connection = -1
        self.is_leaving = inputs is not None and inputs.is_leaving
        """The board is of its own table again, and the other one is still to be told."""
        self._is_new = inputs is None
        self._events: deque[Event] = deque(maxlen=_MOST_EVENTS)
        """What happened there, until the state that it led to was seen."""
        if not self.is_leaving and inputs is not None:
            table.scorer.lend(inputs)

    @property
    def waiting(self) -> int:
        """How many inputs are not decided yet, as far as it is known here."""
        return 0 if self._inputs is None else len(self._inputs.waiting)

    @property
    def waiting_darts(self) -> int:
        """How many darts they are of."""
        return 0 if self._inputs is None else self._inputs.waiting_darts

    @property
    def deadline(self) -> int | None:
        """When `work` is to be called if nothing happens before (monotonic, ns)."""
        return None if self._inputs is None else self._inputs.deadline

    @property
    def shown(self) -> State | None:
        """The match that this table plays along in, as it was seen last; None: it does in none yet."""
        lent = self.table.scorer.lent
        return None if lent is None else lent.state

    def see(self, state: State) -> None:
        """Takes the state of the other table."""
        self.state = state
        if (lent := self.table.scorer.lent) is not None:
            lent.see(state, now_ns())
            self.table.wake()

    def hear(self, event: Event) -> None:
        """Takes what happened at the other table. What only its board did stays there, and what a newer oche says."""
        kind = FACTS.get(event.event_type)
        if kind is not None and kind.shared:
            self._events.append(event)

    def take_events(self) -> list[Event]:
        """Returns, once, what has led to the state that is shown."""
        state = self.shown
        if state is None:
            return []
        found = [
            each
            for each in self._events
            if each.match == state.match and isinstance(each.line, int) and each.line <= state.line
        ]
        for each in found:
            self._events.remove(each)
        return found

    def take(self, taken: LeagueInputTaken) -> None:
        """Notes what was decided there, and tells the people here what did not count."""
        if self._inputs is None:
            return
        for each in self._inputs.take(taken, now_ns()):
            if (why := taken.refused.get(str(each.seq))) is not None:
                self._tell_refused(each, why)
        self.table.wake()

    def _tell_refused(self, each: LentInput, why: str) -> None:
        lent = self.table.scorer.lent
        if lent is not None:
            lent.forget(each, now_ns())
        if "amend" not in each.input and isinstance(bed := each.input.get("throw"), str):
            self.table.notify(explain_stray(bed, why))
        elif not each.timer:
            self.table.notify(why)

    def leave(self) -> None:
        """The board is of this table again; the other one is told."""
        if self.is_leaving:
            return
        self.is_leaving = True
        self.table.scorer.lend(None)
        if self._inputs is not None:
            self._inputs.add({"leave": True}, now_ns())

    def join_again(self) -> None:
        """The other table asks, as it did not hear or has forgotten that this one plays along."""
        if self._inputs is not None and not self.is_leaving:
            self._inputs.add({"join": True}, now_ns())

    def hurry(self) -> None:
        """Has what waits said at once: the other table is there again."""
        if self._inputs is not None:
            self._inputs.hurry(now_ns())

    def come_back(self) -> None:
        """The table plays along again, before the other one has heard that it does not."""
        if self.is_over or self._inputs is None:
            return
        self.is_leaving = False
        self._inputs.add({"join": True}, now_ns())
        self.table.scorer.lend(self._inputs)
        if self.state is not None:
            self.see(self.state)

    async def work(self, connection: int) -> None:
        """Writes and sends what is new. `connection` is the number of the connection to the broker, 0: there is none.

        To a table of this daemon there always is one.
        """
        if self._is_new:
            self._is_new = False
            await asyncio.to_thread(self._file.begin, self.to)
        await self._follow_match()
        inputs = self._inputs
        if inputs is not None:
            if new := inputs.unwritten:
                await asyncio.to_thread(self._file.add, new)
                inputs.note_written(new[-1].seq)
            if connection:
                if connection != self._connection:
                    self._connection = connection
                    inputs.hurry(now_ns())
                for said in inputs.say(now_ns()):
                    self._send(self.table.name, said)
            if inputs.taken > self._noted:
                self._noted = inputs.taken
                await asyncio.to_thread(self._file.note_taken, inputs.taken)
        if self.is_leaving and not self.waiting:
            await self._end()

    async def _follow_match(self) -> None:
        """Begins with a match that has this table among its places; what waits for an earlier one is lost with it."""
        state, inputs = self.state, self._inputs
        if state is None or state.match is None or (inputs is not None and inputs.match == state.match):
            return
        if self.waiting and not self.is_leaving:
            self.table.notify(
                say(
                    "refused.lent_gone",
                    "the table {table} has begun another match: what waited here no longer counts",
                    table=self.to,
                )
            )
        names = () if state.places is UNSET else [place.table for place in state.places]
        if self.is_leaving or self.table.name not in names:
            if inputs is not None or self.is_leaving:
                await self._end()
            return
        own = self.table.match
        if inputs is None and own.line > 1 and not own.position.over:
            return  # until the match that was begun here meanwhile is over
        self._inputs = inputs = LentInputs(self.to, state.match, secrets.token_hex(8))
        self._noted = 0
        inputs.add({"join": True}, now_ns())
        await asyncio.to_thread(self._file.begin, self.to, inputs)
        inputs.note_written(1)
        self.table.scorer.lend(inputs)
        self.see(self.state or state)

    async def _end(self) -> None:
        self.is_over = True
        self._inputs = None
        self.table.scorer.lend(None)
        await asyncio.to_thread(self._file.remove)
