"""What a match came to by the rules of its day: kept with its record, so that no change of the rules changes it.

A match is played again to be looked at, and that is where its figures come from, as long as it comes to the same. When
its game is gone, or its rules have changed, what was kept stands. Nobody is named in it: the header of the match does.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.journal.lines import Result
from daemon.rules import Guard, RulesFailed
from engine.games import variant
from engine.match import Match
from engine.played import find_parts


def make_result(match: Match, guard: Guard) -> Result | None:
    """The result of this match; None while it is not over, where its rules fail, and where they are not those of it."""
    if not match.position.over or match.is_of_other_rules:
        return None
    try:
        with guard.call(match.game, is_vital=False, may_refuse=False, even_withdrawn=True):
            return read_result(match)
    except RulesFailed:
        return None


def read_result(match: Match, with_points: bool = False) -> Result:
    """What this match, which is over, comes to when it is played again. Raises what its rules raise.

    `with_points` as for `find_parts`: a table, whose players wait for the end, leaves them out.
    """
    return Result(
        rules=match.rules,
        game=match.game.id,
        variant=variant(match.game, match.options),
        title=match.game.title(match.options),
        layout=match.layout.name,
        figure=match.game.figure,
        was_stopped=match.position.stopped,
        winners=tuple(match.position.winners),
        scores=tuple(match.score(side) for side in range(len(match.seating.sides))),
        parts={seat: replace(part, player="") for seat, part in find_parts(match, with_points).items()},
    )


def is_same(kept: Result, now: Result) -> bool:
    """Whether a match that is played again comes to what was kept."""
    return (kept.was_stopped, {*kept.winners}, kept.scores) == (now.was_stopped, {*now.winners}, now.scores)
