"""The lamps of a board: what is worth aiming at is lit, and an accepted dart is shown where it landed.

No dart waits for a lamp. A task of its own sends what is to be lit, however slow the board reads; the newest replaces
what was not sent yet. A board that was away knows nothing of what it was sent before, so it is sent again when it is
back. A board without lamps has no Lamps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from daemon.part import Part
from daemon.table.effects import Update
from protocol.events import Flash, Light
from protocol.messages import State
from protocol.segment import Layout, Segment

Send = Callable[[Light | Flash], Awaitable[bool]]
"""Sends a command to the board; False when the command could not be sent."""


class Lamps(Part):
    """The lamps of one table. A Part. `send` may take as long as it likes."""

    def __init__(self, layout: Layout, send: Send) -> None:
        self._layout = layout
        self._send = send
        self._wanted = Light()
        self._sent: Light | None = None
        """The last command sent on this connection; None: nothing."""
        self._flash: Flash | None = None
        self._is_online = False
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Notes what is to be lit; `run` sends it."""
        if update.board is not None:
            self._is_online = update.board.online
        if update.state is not None:
            self._wanted = Light(_find_aimed(update.state, self._layout))
        for event in update.events:
            if event.event_type in ("board_online", "board_offline"):  # one update may hold both
                self._sent = self._flash = None
            if event.event_type == "dart" and event.segment in self._layout and event.segment != self._layout.miss.id:
                self._flash = Flash(self._layout[str(event.segment)])
        self._news.set()

    async def run(self) -> None:
        """Sends what is to be lit until cancelled."""
        self._sent = None
        while True:
            await self._news.wait()
            self._news.clear()
            if not self._is_online:
                continue
            flash, self._flash = self._flash, None
            if flash is not None:
                await self._send(flash)
            wanted = self._wanted
            if wanted != self._sent:
                self._sent = wanted  # noted before it is sent: a connection that is lost meanwhile forgets it
                await self._send(wanted)


def _find_aimed(state: State, layout: Layout) -> tuple[Segment, ...]:
    """The segments its targets stand for, in the order of the layout; none while no dart is awaited."""
    if state.phase in ("takeout", "over"):
        return ()
    wanted = frozenset(state.targets)
    return tuple(s for s in layout.segments if s.id in wanted or not s.groups.isdisjoint(wanted))
