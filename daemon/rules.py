"""How a game's rules are called: through a guard, which the daemon is put together with.

Here is what its callers know of it. The one of the daemon is daemon/plugins/rule_guard.py, which bounds the time of a
call and withdraws a game that fails; a plain one, for tests, only calls.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from engine.game import Advice, Game, Turn
from engine.match import Match
from engine.position import Position
from engine.skill import Skill
from protocol.match_spec import Unreadable

AnyGame = Game[Any, Any]  # Any: each has its own options and state


class RulesFailed(Unreadable):
    """The rules of a game failed; says where and how, in one sentence."""


class Guard(Protocol):
    """Guards all calls into the rules of games, for all tables of a daemon."""

    def call(
        self,
        game: AnyGame,
        *,
        lines: int = 0,
        is_vital: bool = True,
        may_refuse: bool = True,
        even_withdrawn: bool = False,
    ) -> AbstractContextManager[None, None]:
        """A block in which a game's rules are called. Errors become RulesFailed, raised also if the game is withdrawn.

        IllegalInput and Unreadable pass if `may_refuse`. An error counts towards the withdrawal of the game if
        `is_vital`: not while a match begins, because any client can ask for a match that cannot be. A block that does
        not come to an end always counts; of a match of so many `lines`, which it may play again, it may take longer.
        `even_withdrawn` calls a withdrawn game as well, for what it has answered before.
        """

    def find_withdrawal_reason(self, game: AnyGame) -> str | None:
        """Why this game is withdrawn until oche is started again; None when it is not."""

    def ask_advice(self, match: Match, position: Position, turn: Turn, seat: int, skill: Skill) -> Advice:
        """What this seat should do; empty when the rules fail. It may take long: to be called in a thread."""
