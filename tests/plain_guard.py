"""A guard of the rules that only calls them: nothing is bounded, counted or withdrawn, and errors leave the block."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from daemon.rules import AnyGame
from engine.game import Advice, Turn
from engine.match import Match
from engine.position import Position
from engine.skill import Skill


class PlainGuard:
    """A daemon.rules.Guard for what is played without a daemon."""

    def call(
        self,
        game: AnyGame,
        *,
        lines: int = 0,
        is_vital: bool = True,
        may_refuse: bool = True,
        even_withdrawn: bool = False,
    ) -> AbstractContextManager[None, None]:
        return nullcontext()

    def find_withdrawal_reason(self, game: AnyGame) -> str | None:
        return None

    def ask_advice(self, match: Match, position: Position, turn: Turn, seat: int, skill: Skill) -> Advice:
        return match.game.advise(position.state, turn, seat, skill)
