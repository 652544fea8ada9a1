"""A guard of the rules that only calls them: nothing is bounded, counted or withdrawn, and errors leave the block."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from daemon.rules import AnyGame


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
