"""Which goals a player can set."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.admin.requests import Goal
from protocol.sentence import Sentence, say

_MOST: dict[str, int] = {"darts": 10_000, "days": 365, "weeks": 104, "average": 180}
"""The highest amount of each kind."""


def check_goals(goals: Iterable[Goal]) -> Sentence | None:
    """Returns why one of these goals is impossible; None: all are possible."""
    for goal in goals:
        most = _MOST[goal.kind]
        if goal.amount > most:
            return say("players.goal_amount", "the amount of this goal may be at most {most}", most=most)
        if goal.kind != "average" and goal.amount != int(goal.amount):
            return say("players.goal_whole", "the amount of this goal must be a whole number")
        if goal.kind == "average" and not goal.game:
            return say("players.goal_game", "choose the game in which the average is to be reached")
    return None
