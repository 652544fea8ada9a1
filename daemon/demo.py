"""Simulated people at the oche: they look at the scoreboard, aim as a sensible player would, and miss as people do.

They know the table only as people do: they throw at a board (its bytes take the long way round), press its button, and
wait until the scoreboard has changed. What their board does not notice they enter on a phone, and where it has no
button they wait for the table's timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from daemon.table import Table
from daemon.updates import Update
from protocol.commands import CommandError
from simulator.link import SimulatedBoard
from simulator.thrower import Thrower

_THROW_S = 1.2
_WALK_S = 2.5
_PATIENCE_S = 3.0
"""How long somebody waits for the scoreboard before looking again."""


class People:
    """The players of one table, a thrower each. An Outlet: they see what a display sees."""

    def __init__(self, table: Table, board: SimulatedBoard, throwers: Sequence[Thrower], speed: float) -> None:
        self._table = table
        self._board = board
        self._throwers = throwers
        self._speed = speed
        self._throw_s = max(_THROW_S / speed, _slowly_s(board))
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Looks up when the scoreboard changes."""
        if update.state is not None:
            self._news.set()

    async def play(self) -> None:
        """Plays the match at hand to its end."""
        await self._board.opened()
        await asyncio.sleep(self._board.firmware.habits.wake_ms * 1.25 / 1000)
        while not self._table.match.position.over:
            line = self._table.match.line
            match self._table.match.position.phase:
                case "throwing":
                    await asyncio.sleep(self._throw_s)
                    await self._throw()
                case "deciding":
                    await self._rest(_THROW_S)
                    await self._answer()
                case _:
                    await self._rest(_WALK_S)
                    self._go_on()
            await self._look_beyond(line)

    async def watch(self) -> None:
        """Waits for the end of a match that others play."""
        while not self._table.match.position.over:
            self._news.clear()
            await self._news.wait()

    async def _throw(self) -> None:
        game = self._table.match
        if game.position.phase != "throwing":
            return  # somebody else was faster
        aim = game.advice().aim or "DB"
        dart = self._throwers[game.position.visit.seat].throw(aim).segment
        is_seen = self._board.miss() if dart == game.layout.miss else self._board.hit(dart)
        if not is_seen:
            with suppress(CommandError):
                await self._table.command({"throw": dart.id}, "page")

    def _go_on(self) -> None:
        """The darts are out: whoever has a button presses it."""
        if self._table.match.position.phase == "takeout" and not self._board.press("next"):
            self._board.press("takeout")

    async def _answer(self) -> None:
        prompt = self._table.match.position.prompts[0]
        answer = self._table.match.advice().answer or prompt.default
        if answer is not None:
            await self._table.command({"choose": answer, "prompt": prompt.id}, f"seat {prompt.seat}")

    async def _rest(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)

    async def _look_beyond(self, line: int) -> None:
        """Waits for the scoreboard to change; a dart it does not notice is thrown again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                while self._table.match.line == line:
                    self._news.clear()
                    await self._news.wait()


def _slowly_s(board: SimulatedBoard) -> float:
    """How long to wait between two darts so that this board can tell them apart."""
    timing = board.codebook.profile.timing
    calm_ms = board.firmware.habits.calm_ms + max(timing.repeat_ms, timing.miss_ms, timing.contact_ms)
    return calm_ms * 1.25 / 1000
