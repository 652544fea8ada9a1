"""The referee: is an input legal, and what follows from it? No game has to know darts left, phases, prompts or teams.

Every ruling is a function from one position to the next; facts are collected on the way. The phases: `throwing`;
`deciding` (a blocking prompt is open); `takeout` (the visit is thrown: hits are refused, because pulling darts out
makes ghost hits); `over`. What follows from a ruling for visits, rounds and legs is engine/course.py.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.course import Course, Facts
from engine.position import Position, Thrown
from engine.totals import check_total
from protocol import facts as told
from protocol.commands import Choose, IllegalInput, Input, Next, Retire, Stop, Throw, Total, refuse
from protocol.segment import Segment, UnknownSegment, make_total
from protocol.sentence import Refusal, get_reason


class Referee(Course):
    """The referee of one match; holds nothing that changes."""

    def rule(self, position: Position, line: int, given: Input) -> tuple[Position, Facts]:
        """An input of this line, other than undo, redo and amend. Raises IllegalInput."""
        match given:
            case Throw(segment):
                return self.throw(position, line, segment)
            case Total():
                return self.total(position, line, given)
            case Next():
                return self.next(position, line)
            case Choose(answer, prompt):
                return self.choose(position, prompt, answer)
            case Retire(side):
                return self.retire(position, side)
            case Stop():
                return self.stop(position)
        raise AssertionError(given)

    def throw(self, position: Position, line: int, segment_id: str) -> tuple[Position, Facts]:
        """A dart. Raises IllegalInput."""
        if position.phase != "throwing":
            raise IllegalInput(position.refusal)
        try:
            segment = self.layout[segment_id]
        except UnknownSegment as error:
            raise IllegalInput(get_reason(error)) from None
        facts: Facts = []
        position = self._dart(position, line, segment, facts)
        return self._settle(position, facts), facts

    def total(self, position: Position, line: int, given: Total) -> tuple[Position, Facts]:
        """The points of several darts together. Raises IllegalInput."""
        if position.phase != "throwing":
            raise IllegalInput(position.refusal)
        totals = self.game.totals(position.state, self.turn(position))
        if totals is None:
            title = self.game.title(self.options)
            raise refuse("refused.needs_beds", "{game} needs the bed of each dart: enter them one by one", game=title)
        beds = frozenset([self.game.bed_points(self.options, segment) for segment in self.layout])
        total = check_total(given, position.visit.darts_left, totals, beds)
        facts: Facts = []
        position = self._dart(position, line, make_total(total.points), facts, total)
        return self._settle(position, facts), facts

    def next(self, position: Position, line: int, close: bool = True) -> tuple[Position, Facts]:
        """The button: fills the darts left with misses, and closes the visit unless a prompt holds it open.

        `close` False only fills: an early next that a prompt had held open, played again after a correction.
        Raises IllegalInput.
        """
        if position.phase in ("deciding", "over"):
            raise IllegalInput(position.refusal)
        facts: Facts = []
        while position.phase == "throwing":
            position = self._dart(position, line, self.layout.miss, facts)
        position = self._settle(position, facts)
        if close and position.phase == "takeout":
            position = self._close(position, facts)
        return position, facts

    def choose(self, position: Position, prompt_id: str | None, answer: str) -> tuple[Position, Facts]:
        """An answer, to the oldest open prompt when none is named. It never closes a visit. Raises IllegalInput."""
        if position.over:
            raise IllegalInput(position.refusal)
        if not position.prompts:
            raise refuse("refused.no_question", "no question is open")
        prompt = next((p for p in position.prompts if prompt_id in (None, p.id)), None)
        if prompt is None:
            ids = ", ".join(p.id for p in position.prompts)
            raise refuse("refused.closed", "no prompt {prompt} is open; open: {open}", prompt=repr(prompt_id), open=ids)
        try:
            prompt.check(answer)
            step = self.game.decide(position.state, prompt, answer, self.turn(position), self._luck(position))
        except ValueError as error:
            raise IllegalInput(get_reason(error)) from None
        facts: Facts = []
        position = self._take(position, step, facts)
        if position.visit.darts_left and position.visit.judged:
            position = replace(position, visit=replace(position.visit, judged=False), round_closed=False)
        return self._settle(position, facts), facts

    def retire(self, position: Position, side: int) -> tuple[Position, Facts]:
        """A side leaves, its open visit with it; the match ends when no side is left. Raises IllegalInput."""
        if position.over:
            raise IllegalInput(position.refusal)
        if not (last := len(self.seating.sides) - 1) >= side >= 0:
            raise refuse("refused.no_side", "there is no side {side}; the sides are 0 to {last}", side=side, last=last)
        name = self.seating.sides[side].name
        if not self.seating.sides[side].seats:
            raise refuse("refused.no_players", "{name} has no players and cannot retire", name=name)
        if side in position.retired:
            raise refuse("refused.retired", "{name} has left already", name=name)
        facts: Facts = [told.Retired(side=side)]
        position = replace(
            position,
            retired=position.retired | {side},
            queue=tuple(s for s in position.queue if s != side),
        )
        left = [s for s, who in enumerate(self.seating.sides) if who.seats and s not in position.retired]
        if not left or (len(left) == 1 and self.game.alone_wins):
            return self._end(position, tuple(left), facts), facts
        if position.visit.side == side:
            position = self._end_round(replace(position, visit=replace(position.visit, ended=True, judged=True)), facts)
            if not position.over:
                position = self._close(position, facts)
            return position, facts
        position = self._ask(position, facts)  # a side that has left is asked nothing
        if position.visit.judged:
            position = self._end_round(position, facts)
        return self._settle(position, facts), facts

    def stop(self, position: Position) -> tuple[Position, Facts]:
        """The match is abandoned. Raises IllegalInput."""
        if position.over:
            raise IllegalInput(position.refusal)
        stopped = replace(position, over=True, stopped=True, winners=(), prompts=())
        return stopped, [told.MatchStopped()]

    def _dart(
        self, position: Position, line: int, segment: Segment, facts: Facts, total: Total | None = None
    ) -> Position:
        """The position after a dart; with a `total` after as many as that says, for which `segment` stands."""
        visit, thrown = position.visit, 1 if total is None or total.darts is None else total.darts
        summed = visit.summed + thrown - 1
        position = replace(position, visit=replace(visit, darts=(*visit.darts, Thrown(line, segment)), summed=summed))
        before, turn = position.state, self.turn(position)
        found: Facts = []
        if total is None:
            step = self.game.dart(before, segment, turn, self._luck(position))
            position = self._take(position, step, found, thrown, segment.id)
        else:
            try:
                step = self.game.total(before, total, turn, self._luck(position))
            except Refusal as refused:  # any other error is a fault of the game
                raise IllegalInput(refused.said) from None
            position = self._take(position, step, found, thrown)
        if not self.game.dart_counts(before, segment, turn, step):
            darts = (*visit.darts, Thrown(line, segment, counts=False))
            position = replace(position, visit=replace(position.visit, darts=darts))
        score = self.game.score(position.state, visit.side)
        facts.append(told.Dart(side=visit.side, segment=segment.id, points=segment.points, score=score))
        facts.extend(found)
        return position
