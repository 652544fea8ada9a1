"""Simulated players: they aim as a player of their scatter should, throw, and miss.

They use a table as people do: they throw at a simulated board, press its button, and wait until the scoreboard changes.
A dart that their board does not notice is entered on the page; without a button they wait for the table's timer. They
play every match at the table but not for its bots, also a match that was started on the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from daemon.table.effects import Update
from daemon.table.matches import find_exercise, find_sequel
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.table import Table
from engine.game import Advice
from engine.match import Match
from engine.skill import Skill
from protocol.commands import Choose, CommandError, Input, Start, Throw
from simulator.board import SimulatedBoard
from simulator.thrower import Thrower

_THROW_S = 1.2
_WALK_S = 2.5
_PATIENCE_S = 3.0
"""How long a player waits for the scoreboard to change before throwing again."""
_READ_S = 5.0
"""How long a match that was no result stays on the scoreboard."""


class SimulatedPlayers:
    """The players of one table; an Outlet. `make_thrower` makes the thrower of a new player, by a running number."""

    def __init__(
        self, table: Table, board: SimulatedBoard, make_thrower: Callable[[int], Thrower], speed: float
    ) -> None:
        self._table = table
        self._board = board
        self._make_thrower = make_thrower
        self._speed = speed
        self._throw_s = max(_THROW_S / speed, board.shortest_interval_s)
        self._throwers: dict[tuple[str, int], Thrower] = {}
        """By name, and by number among players of one name in a match."""
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Notes that the scoreboard has changed."""
        if update.state is not None:
            self._news.set()

    async def play(self) -> None:
        """Plays every match to its end, until cancelled."""
        await self._board.wait_until_open()
        await asyncio.sleep(self._board.wake_s * 1.25)
        while True:
            self._news.clear()
            match = self._table.match
            if match.position.over or match.header.bot(match.position.mover) is not None:
                if self._board.has_darts:
                    await self._pause(_WALK_S)
                    self._board.pull_darts()
                await self._news.wait()
            else:
                await self._move(match)
                await self._wait_for_change(match)

    async def _move(self, match: Match) -> None:
        match match.position.phase:
            case "throwing":
                await asyncio.sleep(self._throw_s)
                await self._throw(self._table.match)
            case "deciding":
                await self._pause(_THROW_S)
                await self._answer(self._table.match)
            case _:
                await self._pause(_WALK_S)
                if self._table.match.position.phase == "takeout":
                    self._board.pull_darts()

    async def _throw(self, match: Match) -> None:
        line, position, seat = match.line, match.position, match.position.visit.seat
        if position.phase != "throwing" or match.header.bot(position.mover) is not None:
            return  # the match went on meanwhile
        advice, asked = await self._ask_advice(match, seat), next((p for p in position.prompts if p.seat == seat), None)
        if self._table.match is not match:
            return
        if asked is not None and advice.answer is not None:
            await self._send(Choose(advice.answer, asked.id), SeatSender(seat), line)
            return
        dart = self._find_thrower(match, seat).throw(advice.aim or "DB")
        if not self._board.throw(dart):
            await self._send(Throw(dart.segment.id), "page", line)

    async def _answer(self, match: Match) -> None:
        line, prompt = match.line, match.position.blocking
        if prompt is not None:
            answer = (await self._ask_advice(match, prompt.seat)).answer or prompt.default
            if answer is not None and self._table.match is match:
                await self._send(Choose(answer, prompt.id), SeatSender(prompt.seat), line)

    async def _send(self, command: Input, sender: Sender, at: int) -> None:
        with suppress(CommandError):  # the match went on meanwhile
            await self._table.command(command, sender, at)

    async def _ask_advice(self, match: Match, seat: int) -> Advice:
        """The game's advice for this seat, in a thread: the first calculation may be long."""
        skill = Skill(match.layout, self._find_thrower(match, seat).sigma_mm)
        return await asyncio.to_thread(self._table.guard.ask_advice, match, match.position, match.turn, seat, skill)

    def _find_thrower(self, match: Match, seat: int) -> Thrower:
        """The thrower in this seat: the same for a name that has played before."""
        names = match.seating.players
        for n, name in enumerate(names):
            if (name, names[:n].count(name)) not in self._throwers:
                self._throwers[name, names[:n].count(name)] = self._make_thrower(len(self._throwers))
        return self._throwers[names[seat], names[:seat].count(names[seat])]

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)

    async def _wait_for_change(self, match: Match) -> None:
        """Waits until the scoreboard changes or patience is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                while self._table.match is match:
                    self._news.clear()
                    await self._news.wait()


class Rematch:
    """Waits for the results at one table, and starts the next match; an Outlet."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._news = asyncio.Event()
        self._line: int | None = None
        """The last line of the match that is over."""

    def publish(self, update: Update) -> None:
        """Notes that the scoreboard has changed."""
        if update.state is not None:
            self._news.set()

    async def result(self, hold_s: float) -> bool:
        """Waits until a match has been over for `hold_s` without a correction; returns whether it was a result.

        A match that was stopped, was played for another one as a throw for the bull is, or is an exercise before others
        of a routine, is no result, and waited for only as long as it takes to read.
        """
        while True:
            match = self._table.match
            is_followed = find_sequel(match, self._table.guard) is not None or find_exercise(match) is not None
            is_result = not match.position.stopped and not is_followed
            patience_s = hold_s if is_result else min(hold_s, _READ_S)
            try:
                async with asyncio.timeout(patience_s if match.position.over else None):
                    while self._table.match is match:
                        self._news.clear()
                        await self._news.wait()
            except TimeoutError:
                self._line = match.line
                return is_result

    async def start(self) -> None:
        """Starts the next match: the one that a throw for the bull was for, the planned one, or the same again.

        Not when another match has begun since the result, or it was undone.
        """
        with suppress(CommandError):  # it cannot be played like this: the page says why
            await self._table.command(Start(), "page", self._line)
