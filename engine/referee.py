"""The referee: is an input legal, and what does it change? No game has to know darts left, phases, prompts or teams.

Every ruling is a function from one position to the next; facts are collected on the way. The phases: `throwing`;
`deciding` (a blocking prompt is open); `takeout` (the visit is thrown: hits are refused, because pulling darts out
makes ghost hits); `over`. What follows from a ruling (visits, rounds, legs, sets) is the course's, in course.py.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from engine.course import Course, Facts
from engine.facts import Dart, MatchStopped
from engine.facts import Retired as SideRetired
from engine.position import Position, Thrown
from engine.record import Choose, Input, Next, Refused, Retire, Stop, Throw
from protocol.segment import UnknownSegment


class Referee(Course):
    """The referee of one match; holds nothing that changes."""

    def rule(self, position: Position, line: int, given: Input) -> tuple[Position, Facts]:
        """An input of this line, other than undo, redo and amend. Raises Refused."""
        match given:
            case Throw(segment):
                return self.throw(position, line, segment)
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
        """A dart. Raises Refused."""
        self._refuse_if_over(position)
        if position.blocking:
            raise Refused(f"answer {position.blocking.id} first: {position.blocking.text}")
        if position.phase == "takeout":
            raise Refused("the visit is thrown: pull the darts, then next")
        facts: Facts = []
        position = self._dart(position, line, segment_id, facts)
        return self._settle(position, facts), facts

    def next(self, position: Position, line: int, close: bool = True) -> tuple[Position, Facts]:
        """The button: fills the darts left with misses, and closes the visit unless a prompt holds it open.

        `close` False only fills: an early next that a prompt had held open, played again after a correction.
        Raises Refused.
        """
        self._refuse_if_over(position)
        if position.blocking:
            raise Refused(f"answer {position.blocking.id} first: {position.blocking.text}")
        facts: Facts = []
        while position.phase == "throwing":
            position = self._dart(position, line, self.layout.miss.id, facts)
        position = self._settle(position, facts)
        if close and position.phase == "takeout":
            position = self._close(position, facts)
        return position, facts

    def choose(self, position: Position, prompt_id: str | None, answer: str) -> tuple[Position, Facts]:
        """An answer, to the oldest open prompt when none is named. It never closes a visit. Raises Refused."""
        self._refuse_if_over(position)
        if not position.prompts:
            raise Refused("no question is open")
        prompt = next((p for p in position.prompts if prompt_id in (None, p.id)), None)
        if prompt is None:
            raise Refused(f"no prompt {prompt_id!r} is open; open: {', '.join(p.id for p in position.prompts)}")
        if prompt.options is not None and answer not in prompt.options:
            possible = "" if prompt.secret else f"; possible: {', '.join(prompt.options)}"
            raise Refused(f"{answer!r} is not an answer to {prompt.id}{possible}")
        if prompt.options is None and prompt.pattern is not None and not re.fullmatch(prompt.pattern, answer):
            raise Refused(f"{answer!r} is not an answer to {prompt.id}: {prompt.text}")
        try:
            step = self.game.decide(position.state, prompt, answer, self.turn(position), self._luck(position))
        except ValueError as error:
            raise Refused(str(error)) from None
        facts: Facts = []
        position = self._take(position, step, facts)
        if position.visit.darts_left and position.visit.judged:
            position = replace(position, visit=replace(position.visit, judged=False), round_closed=False)
        return self._settle(position, facts), facts

    def retire(self, position: Position, side: int) -> tuple[Position, Facts]:
        """A side leaves, its open visit with it; the match ends when nobody is left. Raises Refused."""
        self._refuse_if_over(position)
        if not 0 <= side < len(self.seating.sides):
            raise Refused(f"there is no side {side}; the sides are 0 to {len(self.seating.sides) - 1}")
        if not self.seating.sides[side].seats:
            raise Refused(f"{self.seating.sides[side].name} is nobody who could leave")
        if side in position.retired:
            raise Refused(f"{self.seating.sides[side].name} has left already")
        facts: Facts = [SideRetired(side=side)]
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
        position = self._ask(position, facts)  # nobody waits for an answer of somebody who has left
        if position.visit.judged:
            position = self._end_round(position, facts)
        return self._settle(position, facts), facts

    def stop(self, position: Position) -> tuple[Position, Facts]:
        """The match is abandoned. Raises Refused."""
        self._refuse_if_over(position)
        stopped = replace(position, over=True, stopped=True, winners=(), prompts=())
        return stopped, [MatchStopped()]

    def _refuse_if_over(self, position: Position) -> None:
        if position.stopped:
            raise Refused("the match was stopped: start another")
        if position.over:
            raise Refused("the match is over: undo, or start another")

    def _dart(self, position: Position, line: int, segment_id: str, facts: Facts) -> Position:
        try:
            segment = self.layout[segment_id]
        except UnknownSegment as error:
            raise Refused(str(error)) from None
        visit = position.visit
        position = replace(position, visit=replace(visit, darts=(*visit.darts, Thrown(line, segment))))
        step = self.game.dart(position.state, segment, self.turn(position), self._luck(position))
        found: Facts = []
        position = self._take(position, step, found, darts=1)
        score = self.game.score(position.state, visit.side)
        facts.append(Dart(side=visit.side, segment=segment.id, points=segment.points, score=score))
        facts.extend(found)
        return position
