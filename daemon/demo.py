"""Simulated people at the oche: they look at the scoreboard, aim as somebody should who scatters as they do, and miss.

They know the table only as people do: they throw at a board (its bytes take the long way round), press its button, and
wait until the scoreboard has changed. What their board does not notice they enter on a phone, and where it has no
button they wait for the table's timer. Where a bot sits, they leave it to the bot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from daemon import rules
from daemon.table import Table
from daemon.updates import Update
from engine.game import Advice
from engine.skill import Skill
from protocol.commands import CommandError
from protocol.messages import Phase
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
        self._skills = [Skill(table.match.layout, thrower.sigma_mm) for thrower in throwers]
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
            match, line = self._table.match, self._table.match.line
            if match.header.bot(match.position.mover) is None:
                await self._move(match.position.phase)
            await self._look_beyond(line)

    async def watch(self) -> None:
        """Waits for the end of a match that others play."""
        while not self._table.match.position.over:
            self._news.clear()
            await self._news.wait()

    async def _move(self, phase: Phase) -> None:
        match phase:
            case "throwing":
                await asyncio.sleep(self._throw_s)
                await self._throw()
            case "deciding":
                await self._rest(_THROW_S)
                await self._answer()
            case _:
                await self._rest(_WALK_S)
                self._go_on()

    async def _throw(self) -> None:
        game, line = self._table.match, self._table.match.line
        position, seat = game.position, game.position.visit.seat
        if position.phase != "throwing":
            return  # somebody else was faster
        advice, asked = await self._advice(seat), next((p for p in position.prompts if p.seat == seat), None)
        if asked is not None and advice.answer is not None:
            await self._say({"choose": advice.answer, "prompt": asked.id, "at": line}, f"seat {seat}")
        elif game.line == line:
            dart = self._throwers[seat].throw(advice.aim or "DB").segment
            is_seen = self._board.miss() if dart == game.layout.miss else self._board.hit(dart)
            if not is_seen:
                await self._say({"throw": dart.id}, "page")

    def _go_on(self) -> None:
        """The darts are out: whoever has a button presses it."""
        if self._table.match.position.phase == "takeout" and not self._board.press("next"):
            self._board.press("takeout")

    async def _answer(self) -> None:
        prompt = self._table.match.position.blocking
        if prompt is not None:
            answer = (await self._advice(prompt.seat)).answer or prompt.default
            if answer is not None:
                await self._say({"choose": answer, "prompt": prompt.id}, f"seat {prompt.seat}")

    async def _say(self, command: dict[str, Any], source: str) -> None:  # Any: JSON
        with suppress(CommandError):  # somebody else was faster
            await self._table.command(command, source)

    async def _advice(self, seat: int) -> Advice:
        """What comes to mind in this seat; in a thread, for a game may have much to reckon the first time."""
        match = self._table.match
        return await asyncio.to_thread(rules.advice, match, match.position, match.turn, seat, self._skills[seat])

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
