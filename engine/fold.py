"""Folding a journal: its entries played again from the start, each in the visit in which it was made.

Three rules keep a correction from shifting what others threw:

* every input belongs to the visit in which it was made, and a visit closes by the very entry that closed it first;
* what no longer fits its visit is void (kept, without effect); a question left open by that takes its default;
* a correction after which a later visit would belong to somebody else is refused.
"""

from __future__ import annotations

from msgspec import Struct

from engine.position import Position
from engine.record import Amend, Choose, Input, Next, Refused, Retire, Stop, Throw
from engine.referee import Referee


class Entry(Struct):
    """An accepted input; `visit` (number and owner), `closes` and a choose's prompt are as when it was made."""

    line: int
    input: Input
    visit: tuple[int, ...]
    closes: bool = False


class Folded(Struct):
    """What folding the entries gave: the position, which lines are void and why."""

    position: Position
    void: dict[int, str]


class Shift(Refused):
    """A correction would change more than the dart: somebody else's visit, or a question nobody can answer now."""


def fold(referee: Referee, entries: list[Entry], amended: int | None) -> Folded:
    """Raises Refused when the `amended` line is not legal as it is now, or would shift what came after it."""
    amends = {e.input.line: e.input for e in entries if isinstance(e.input, Amend)}
    folded = Folded(referee.start()[0], {})
    for at, entry in enumerate(entries):
        given: Input | None = amends[entry.line].was if entry.line in amends else entry.input
        if given is None or isinstance(given, Amend):
            continue
        if isinstance(given, Choose) and isinstance(entry.input, Choose):
            given = Choose(given.answer, entry.input.prompt)
        try:
            position = _thrown(referee, folded.position, entries, at) if isinstance(given, Choose) else folded.position
            folded.position = _again(referee, position, entry, given)
        except Refused as refused:
            if isinstance(refused, Shift) or entry.line == amended:
                raise
            folded.void[entry.line] = str(refused)
    return folded


def _again(referee: Referee, position: Position, entry: Entry, given: Input) -> Position:
    """An entry once more, in the visit it was made in and without reaching into another one."""
    if position.over:
        raise Refused("the match is over before it")
    if isinstance(given, Retire | Stop):
        return referee.rule(position, entry.line, given)[0]
    if owner(position) != entry.visit:
        raise Shift(f"would change who threw line {entry.line}; undo to there")
    if isinstance(given, Choose):
        return referee.rule(position, entry.line, given)[0]
    position = _with_defaults(referee, position, entry.line)
    if isinstance(given, Throw):
        return referee.rule(position, entry.line, given)[0]
    position, _ = referee.next(position, entry.line, close=False)
    if not entry.closes:
        return position
    while position.blocking:
        position = _with_defaults(referee, position, entry.line)
        position, _ = referee.next(position, entry.line, close=False)
    return position if position.over else referee.next(position, entry.line)[0]


def _thrown(referee: Referee, position: Position, entries: list[Entry], at: int) -> Position:
    """With misses for what a correction took away before an answer, when the very next input closed its visit.

    So the answer finds the question again that came after the last dart; its default would be somebody else's.
    """
    answer = entries[at]
    asked = answer.input.prompt if isinstance(answer.input, Choose) else None
    if position.phase != "throwing" or owner(position) != answer.visit or _open(position, asked):
        return position
    then = next((e for e in entries[at + 1 :] if isinstance(e.input, Throw | Next)), answer)
    if not (isinstance(then.input, Next) and then.closes and then.visit == answer.visit):
        return position
    thrown, _ = referee.next(position, then.line, close=False)
    return thrown if thrown.blocking and thrown.blocking.id == asked else position


def _with_defaults(referee: Referee, position: Position, line: int) -> Position:
    """With the questions answered that a correction has left open before this line."""
    while position.blocking:
        if position.blocking.default is None:
            raise Shift(f"would ask {position.blocking.id} before line {line}; undo to there")
        position, _ = referee.choose(position, position.blocking.id, position.blocking.default)
    return position


def owner(position: Position) -> tuple[int, ...]:
    """Which visit is at the oche, and whose it is."""
    visit = position.visit
    return visit.number, visit.side, visit.seat, visit.leg, visit.set


def _open(position: Position, prompt_id: str | None) -> bool:
    return any(prompt.id == prompt_id for prompt in position.prompts)
