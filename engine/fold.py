"""Folding entries of a journal: they are played again, each in the visit in which it was made.

Four rules keep a correction from shifting what others threw:

* every input belongs to the visit in which it was made, and a visit closes by the very entry that closed it first;
* what no longer fits its visit is void (kept, without effect); a question left open by that takes its default;
* a total that corrects another one is of as many darts, where it does not say how many and can be;
* a correction after which a later visit would belong to another side is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from engine.position import Position, Visit
from engine.referee import Referee
from protocol.commands import Amend, Choose, Concede, IllegalInput, Input, Next, Retire, Stop, Throw, Total
from protocol.sentence import Sentence, say


class Entry(Struct, gc=False):
    """An accepted input; `visit` (number and owner), `closes` and a choose's prompt are as when it was made.

    `before` is the index of the entry that it follows (engine/entries.py), `depth` how many it follows in all. `void`:
    which lines up to this one have no effect, and why. `position` is the one after it, None where it is not kept. The
    garbage collector need not look at entries: they make no circles.
    """

    line: int
    input: Input | None
    visit: tuple[int, ...]
    closes: bool
    before: int
    depth: int = 0
    void: Mapping[int, str | Sentence] = MappingProxyType({})
    position: Position | None = None


class Folded(Struct):
    """What folding entries gave: the position, which of them are void and why, the visits by their numbers."""

    position: Position
    void: dict[int, str | Sentence]
    visits: dict[int, Visit]

    def move(self, position: Position) -> None:
        """Takes the position after one more entry, and notes its visits: an entry closes one visit at most."""
        self.position = position
        self.visits.update((visit.number, visit) for visit in (position.last, position.visit) if visit is not None)


class WouldShift(IllegalInput):
    """A correction would change more than the dart: whose a later visit is, or a question without a default."""


def fold(referee: Referee, position: Position, entries: Sequence[Entry], amended: int | None = None) -> Folded:
    """Plays these entries from this position, as those of them that are amends have corrected them.

    Raises IllegalInput when the `amended` line is not legal as it is now, or would shift what came after it.
    """
    folded = Folded(position, {}, {})
    for _ in fold_stepwise(referee, folded, entries, amended):
        pass
    return folded


def fold_stepwise(
    referee: Referee, folded: Folded, entries: Sequence[Entry], amended: int | None = None
) -> Iterator[Position]:
    """As `fold`, into `folded`; yields the position after each entry that has an effect."""
    amends = _list_amends(entries)
    folded.move(folded.position)
    for at, entry in enumerate(entries):
        ways = amends.get(entry.line, (entry.input,))
        given = ways[-1]
        if given is None or isinstance(given, Amend):
            continue
        if isinstance(given, Choose) and isinstance(entry.input, Choose):
            given = Choose(given.answer, entry.input.prompt)
        try:
            position = (
                _fill_visit(referee, folded.position, entries, at) if isinstance(given, Choose) else folded.position
            )
            folded.move(_replay_first(referee, position, entry, [*ways[:-1], given]))
        except IllegalInput as refused:
            if isinstance(refused, WouldShift) or entry.line == amended:
                raise
            folded.void[entry.line] = refused.said
        else:
            yield folded.position


def _list_amends(entries: Sequence[Entry]) -> Mapping[int, Sequence[Input | None]]:
    """Returns what each line that was corrected may be now, as it is tried in order; the last is as it was given."""
    lines = {each.input.line for each in entries if isinstance(each.input, Amend)}
    found: dict[int, Sequence[Input | None]] = {each.line: (each.input,) for each in entries if each.line in lines}
    for each in entries:
        if isinstance(each.input, Amend):
            was, before = each.input.was, found.get(each.input.line, (None,))[0]
            found[each.input.line] = (was,) if was is None else (*_keep_darts(was, before), was)
    return found


def _keep_darts(given: Input, before: Input | None) -> Iterator[Total]:
    """Yields a total without `darts` with those of the total `before` it, and with those of them at a finish first."""
    if isinstance(given, Total) and isinstance(before, Total) and given.darts is None:
        if given.at_finish is None and before.at_finish is not None:
            yield replace(given, darts=before.darts, at_finish=before.at_finish)
        if before.darts is not None:
            yield replace(given, darts=before.darts)


def _replay_first(referee: Referee, position: Position, entry: Entry, ways: Sequence[Input | None]) -> Position:
    """The position after the first of these that is legal. Raises IllegalInput for the last when none is."""
    *kept, given = [way for way in ways if way is not None]
    for way in kept:
        try:
            return _replay_entry(referee, position, entry, way)
        except WouldShift:
            raise
        except IllegalInput:
            continue
    return _replay_entry(referee, position, entry, given)


def _replay_entry(referee: Referee, position: Position, entry: Entry, given: Input) -> Position:
    """An entry once more, in the visit it was made in and without reaching into another one."""
    if position.over:
        raise IllegalInput(say("refused.over_before", "the match would be over before this line"))
    if isinstance(given, Retire | Concede | Stop):
        return referee.rule(position, entry.line, given)[0]
    if position.owner != entry.visit:
        raise WouldShift(
            say("refused.shifts", "this would change who threw line {line}: undo back to that line", line=entry.line)
        )
    if isinstance(given, Choose):
        return referee.rule(position, entry.line, given)[0]
    position = _answer_with_defaults(referee, position, entry.line)
    if isinstance(given, Throw | Total):
        return referee.rule(position, entry.line, given)[0]
    position, _ = referee.next(position, entry.line, close=False)
    if not entry.closes:
        return position
    while position.blocking:
        position = _answer_with_defaults(referee, position, entry.line)
        position, _ = referee.next(position, entry.line, close=False)
    return position if position.over else referee.next(position, entry.line)[0]


def _fill_visit(referee: Referee, position: Position, entries: Sequence[Entry], at: int) -> Position:
    """With misses for what a correction took away before an answer, when the very next input closed its visit.

    So the answer finds the question again that came after the last dart; its default would be another answer.
    """
    answer = entries[at]
    asked = answer.input.prompt if isinstance(answer.input, Choose) else None
    if position.phase != "throwing" or position.owner != answer.visit or _is_open(position, asked):
        return position
    then = next((e for e in islice(entries, at + 1, None) if isinstance(e.input, Throw | Total | Next)), answer)
    if not (isinstance(then.input, Next) and then.closes and then.visit == answer.visit):
        return position
    thrown, _ = referee.next(position, then.line, close=False)
    return thrown if thrown.blocking and thrown.blocking.id == asked else position


def _answer_with_defaults(referee: Referee, position: Position, line: int) -> Position:
    """With the questions answered that a correction has left open before this line."""
    while position.blocking:
        if position.blocking.default is None:
            asked = position.blocking.id
            raise WouldShift(
                say(
                    "refused.would_ask",
                    "this would add the question {prompt} before line {line}: undo back to that line",
                    prompt=asked,
                    line=line,
                )
            )
        position, _ = referee.choose(position, position.blocking.id, position.blocking.default)
    return position


def _is_open(position: Position, prompt_id: str | None) -> bool:
    return any(prompt.id == prompt_id for prompt in position.prompts)
