"""Bots: whoever sits at a table for its players of a stated level. A bot needs no board, and hits none.

It sees what its seat may see, takes its time, and gives its moves to the table as everybody does, naming the line that
it has looked at: so it never fights a phone, an undo or a restart. Where its darts land follows from the match's seed,
the seat, the visit and the dart, as dice and cards do: an undo does not throw again, and a seed is a match.
"""

from __future__ import annotations

import asyncio
import logging
import re
from random import Random
from typing import Any

from daemon import rules
from daemon.rights import BOT
from daemon.table import Table
from daemon.updates import Update
from engine.game import Advice, Prompt, Turn
from engine.levels import sigma_mm
from engine.match import Match
from engine.position import Position
from engine.skill import Skill
from protocol.commands import CommandError
from simulator.thrower import Thrower

log = logging.getLogger("oche.bots")

_REST_S = 6.0
"""How long a bot leaves the table to whoever has corrected something, and waits after a move that was refused."""

Command = dict[str, Any]  # Any: JSON


class Bots:
    """The bots of one table. An Outlet; run it as a task."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rests_until = 0.0
        self._refused = ""
        """What the last move was refused for."""
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Looks up when the scoreboard changes."""
        if any(event.event_type in ("undone", "corrected") for event in update.events):
            self._rest()
        if update.state is not None:
            self._news.set()

    async def run(self) -> None:
        """Plays for them until cancelled."""
        loop, table = asyncio.get_running_loop(), self._table
        while True:
            self._news.clear()
            ready_at = loop.time() + table.config.bot_s
            match, match_id, line = table.match, table.match_id, table.match.line
            command = None
            is_on = not match.position.over and rules.withdrawn(match.game) is None
            if match.header.bots is not None and is_on:
                # In a thread: a game may have much to reckon when it meets a level for the first time.
                command = await asyncio.to_thread(self._move, match, match.position, match.turn)
            try:
                async with asyncio.timeout_at(None if command is None else max(ready_at, self._rests_until)):
                    await self._news.wait()
            except TimeoutError:
                if command is not None and table.match_id == match_id:
                    await self._say({**command, "at": line})

    async def _say(self, command: Command) -> None:
        try:
            await self._table.command(command, BOT)
            self._refused = ""
        except CommandError as error:
            if error.code == "stale":  # somebody was faster
                return
            if self._refused != str(error):  # a disk that stays full is told of once
                self._refused = str(error)
                log.warning(
                    "%s: a bot was refused %s: %s", self._table.name, command, error, extra={"table": self._table.name}
                )
            self._rest()

    def _rest(self) -> None:
        self._rests_until = asyncio.get_running_loop().time() + _REST_S

    def _move(self, match: Match, position: Position, turn: Turn) -> Command | None:
        """What a bot is to do here: answer, throw, or walk to the board; None when it is not for a bot to move.

        Of the match only what never changes is looked at, since it may go on meanwhile.
        """
        prompt = position.blocking or next(iter(position.prompts), None)
        if prompt is not None and match.header.bot(prompt.seat) is not None:
            answer = _answer(prompt, self._advice(match, position, turn, prompt.seat))
            if answer is not None:
                return {"choose": answer, "prompt": prompt.id}
        if position.blocking or match.header.bot(turn.seat) is None:
            return None
        return {"next": True} if position.phase == "takeout" else {"throw": self._dart(match, position, turn)}

    def _dart(self, match: Match, position: Position, turn: Turn) -> str:
        """Where the bot's next dart lands."""
        aim = self._advice(match, position, turn, turn.seat).aim or match.layout.at(0, 0)
        chance = Random(f"{match.header.seed}/bot {turn.seat}/{turn.visit}/{len(turn.darts)}")
        return Thrower(_skill(match, turn.seat).sigma_mm, chance, match.layout).throw(aim).segment.id

    def _advice(self, match: Match, position: Position, turn: Turn, seat: int) -> Advice:
        return rules.advice(match, position, turn, seat, _skill(match, seat))


def _skill(match: Match, seat: int) -> Skill:
    return Skill(match.layout, sigma_mm(match.header.bot(seat) or 0))


def _answer(prompt: Prompt, advice: Advice) -> str | None:
    """What the bot says; None: nothing, where nothing must be said."""
    if advice.answer is not None and _fits(prompt, advice.answer):
        return advice.answer
    if not prompt.blocking:
        return None
    return prompt.default if prompt.default is not None else next(iter(prompt.options or ()), None)


def _fits(prompt: Prompt, answer: str) -> bool:
    if prompt.options is not None:
        return answer in prompt.options
    return prompt.pattern is None or re.fullmatch(prompt.pattern, answer) is not None
