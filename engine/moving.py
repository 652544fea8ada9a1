"""A match that moves to another table: what was played so far as lines that can be entered there.

They are the lines of a record without those of a visit that is not thrown to its end, which is thrown again at the
other table. Lines that were
undone are left out, so an amend names its line by the number that it has now. A match with dice, cards or hands cannot
move: another table draws others.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.match import Match
from protocol.commands import MOST_LINES, Amend, Input, Redo, Retire, Undo, refuse

_MOST_PLAYED_AGAIN = 50_000
"""A correction plays again all lines from the first that was corrected: so many may come together."""
_MOST_OF_UNDO = 32
"""So many lines an undo plays again (engine/entries.py)."""


def list_lines(match: Match) -> list[Input] | None:
    """The lines of the visits that are thrown, numbered from 2; None where a match cannot move, or is over."""
    position = match.position
    if position.over or not _can_move(match):
        return None
    begun = None if position.phase == "takeout" else position.visit.number
    lines, numbers = list[Input](), dict[int, int]()
    for entry in match.list_entries():
        given = entry.input
        if isinstance(given, Amend):
            if given.line not in numbers:
                continue
            given = Amend(numbers[given.line], given.was)
        elif given is None or (entry.visit[0] == begun and not isinstance(given, Retire)):
            continue
        lines.append(given)
        numbers[entry.line] = len(lines) + 1
    return lines if len(lines) <= MOST_LINES and _count_played_again(lines) <= _MOST_PLAYED_AGAIN else None


def enter_lines(match: Match, lines: Sequence[Input]) -> None:
    """Enters these lines in a new match. Raises IllegalInput with the first that is not legal, or why none can be."""
    if _count_played_again(lines) > _MOST_PLAYED_AGAIN:
        raise refuse("refused.corrected_lines", "the lines have too many corrections")
    for number, given in enumerate(lines, match.line + 1):
        outcome = match.apply(number, given)
        if not outcome.accepted:
            raise refuse("refused.line", "line {line} is refused: {why}", line=number, why=outcome.said or "")
    if not _can_move(match):
        raise refuse("refused.lucky_lines", "a match with dice, cards or hands begins anew: leave out lines")


def _count_played_again(lines: Sequence[Input]) -> int:
    """How many lines are played again by the corrections among these."""
    count, first = 0, len(lines) + 2
    for number, given in enumerate(lines, 2):
        if isinstance(given, Undo | Redo | Amend):
            first = min(first, given.line) if isinstance(given, Amend) else first
            count += _MOST_OF_UNDO + max(0, number - first)
    return count


def _can_move(match: Match) -> bool:
    return not match.has_luck and not match.game.has_secrets(match.options)
