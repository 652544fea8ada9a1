"""Bots: they play for the players of a table who have a level. A bot needs no board.

A bot sees what its seat may see, waits a moment, and sends its moves to the table as commands, with the line that it
has seen: so a phone, an undo or a restart meanwhile makes its move stale. Where its darts land follows from the match's
seed, the seat, the visit and the dart, as dice and cards do: after an undo a dart lands where it did before. A bot that
is a ghost throws the darts of a recorded leg, in each leg from its start, and misses once they are all thrown.
"""

from __future__ import annotations

import asyncio
import logging
import re
from random import Random
from typing import TYPE_CHECKING

from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from engine.bots import make_skill
from engine.game import Advice, Prompt, Turn
from engine.match import Match
from engine.position import Position
from protocol.commands import Choose, CommandError, Input, Next, Throw, encode_line
from protocol.segment import Segment

if TYPE_CHECKING:
    from simulator.thrower import Landing

log = logging.getLogger("oche.bots")

_REST_S = 6.0
"""How long a bot waits after a correction by a player, and after a move that was refused."""


class Bots(Part):
    """The bots of one table. A Part."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rests_until = 0.0
        self._refused = ""
        """The reason why the last move was refused."""
        self._has_move = False
        """A move waits for its time."""
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Looks at the table again when its state has changed."""
        if any(event.event_type in ("undone", "corrected") for event in update.events):
            self._rest()
        if update.state is not None and (self._has_move or self._table.match.header.bots is not None):
            self._news.set()

    async def run(self) -> None:
        """Plays for them until cancelled."""
        loop, table = asyncio.get_running_loop(), self._table
        while True:
            self._news.clear()
            seen_at = loop.time()
            match, match_id, line = table.match, table.match_id, table.match.line
            command = None
            is_on = not match.position.over and table.guard.find_withdrawal_reason(match.game) is None
            if match.header.bots is not None and is_on:
                # In a thread: a game may have much to reckon when it meets a level for the first time.
                command = await asyncio.to_thread(self._move, match, match.position, match.turn)
            self._has_move = command is not None
            tempo_s = match.header.tempo_s(match.position.mover)
            ready_at = seen_at + (table.config.bot_s if tempo_s is None else tempo_s)
            try:
                async with asyncio.timeout_at(None if command is None else max(ready_at, self._rests_until)):
                    await self._news.wait()
            except TimeoutError:
                if command is not None and table.match_id == match_id:
                    await self._send(command, line)

    async def _send(self, command: Input, line: int) -> None:
        try:
            await self._table.command(command, "bot", line)
            self._refused = ""
        except CommandError as error:
            if error.code == "stale":  # a player was faster
                return
            if self._refused != str(error):  # a disk that stays full is logged once
                self._refused = str(error)
                log.warning(
                    "%s: a bot was refused %s: %s",
                    self._table.name,
                    encode_line(command),
                    error,
                    extra={"table": self._table.name},
                )
            self._rest()

    def _rest(self) -> None:
        self._rests_until = asyncio.get_running_loop().time() + _REST_S

    def _move(self, match: Match, position: Position, turn: Turn) -> Input | None:
        """The bot's next input: an answer, a dart or `next`; None when no bot has to move.

        It runs in a thread while the match may go on, so of the match it reads only what never changes.
        """
        prompt = position.blocking or next(iter(position.prompts), None)
        if prompt is not None and match.header.bot(prompt.seat) is not None:
            answer = _answer(prompt, self._ask_advice(match, position, turn, prompt.seat))
            if answer is not None:
                return Choose(answer, prompt.id)
        if position.blocking or match.header.bot(turn.seat) is None:
            return None
        return Next() if position.phase == "takeout" else Throw(self._throw_dart(match, position, turn))

    def _throw_dart(self, match: Match, position: Position, turn: Turn) -> str:
        """Where the bot's next dart lands."""
        if (ghost := match.header.ghost(turn.seat)) is not None:
            visit = position.leg_visits[turn.side] - 1
            return ghost.find_segment(visit, len(turn.darts)) or match.layout.miss.id
        aim = self._ask_advice(match, position, turn, turn.seat).aim or match.layout.at(0, 0)
        return throw_dart(match, turn, aim).segment.id

    def _ask_advice(self, match: Match, position: Position, turn: Turn, seat: int) -> Advice:
        skill = make_skill(match, seat)
        assert skill is not None, "a person is not asked here"
        return self._table.guard.ask_advice(match, position, turn, seat, skill)


def throw_dart(match: Match, turn: Turn, aim: str | Segment) -> Landing:
    """Where the next dart of the bot in this turn lands, that is aimed at this bed."""
    from simulator.thrower import Thrower  # noqa: PLC0415  most matches are played without bots

    skill, model = make_skill(match, turn.seat), match.header.model(turn.seat)
    assert skill is not None, "only bots throw here"
    chance = Random(f"{match.header.seed}/bot {turn.seat}/{turn.visit}/{len(turn.darts)}")
    off_mm = (0.0, 0.0) if model is None else (model.right_mm, model.up_mm)
    return Thrower(skill.sigma_mm, chance, match.layout, off_mm).throw(aim)


def _answer(prompt: Prompt, advice: Advice) -> str | None:
    """The bot's answer to this question; None to a question that need not be answered."""
    if advice.answer is not None and _fits(prompt, advice.answer):
        return advice.answer
    if not prompt.blocking:
        return None
    return prompt.default if prompt.default is not None else next(iter(prompt.options or ()), None)


def _fits(prompt: Prompt, answer: str) -> bool:
    if prompt.options is not None:
        return answer in prompt.options
    return prompt.pattern is None or re.fullmatch(prompt.pattern, answer) is not None
