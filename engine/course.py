"""The course of a match: when a visit is thrown, whose turn it is, which round and leg, and where it ends.

At each of these the game is asked. What rules on inputs is engine/referee.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from engine.game import Game, Seating, Step, Turn
from engine.luck import Luck
from engine.position import Position, SideTallies, Visit
from engine.ranking import leaders
from engine.rotation import find_next_loser, rotate
from engine.tally import Tally
from engine.tuples import put
from protocol import facts as told
from protocol.facts import Fact
from protocol.match_spec import Format
from protocol.segment import Layout

Facts = list[Fact]
_NO_SIDES: frozenset[int] = frozenset()
_luck_of = lru_cache(maxsize=64)(Luck)  # all darts of a visit have the same


class Course:
    """The course of one match; holds nothing that changes. A hook that the game does not override is never called."""

    def __init__(
        self,
        game: Game[Any, Any],  # Any: each game has its own options and state
        options: Any,  # Any: the game's own options
        seating: Seating,
        layout: Layout,
        seed: str,
        format: Format,
    ) -> None:
        self.game = game
        self.options = options
        self.seating = seating
        self.layout = layout
        self.format = format
        self._seed = seed
        self._everyone = tuple(range(len(seating.sides)))
        self._each_alone = all(side.seats == (index,) for index, side in enumerate(seating.sides))
        """Whether the figures of the players are those of the sides."""
        kind = type(game)
        self._has_begin = kind.begin is not Game.begin
        self._has_darts = kind.darts is not Game.darts
        hooks = (kind.out, kind.ranks, kind.passed_over)
        self._has_passed_over = hooks != (Game.out, Game.ranks, Game.passed_over)
        self._has_prompts = game.has_prompts(options)
        self._has_visit_over = kind.visit_over is not Game.visit_over
        self._has_round_over = kind.round_over is not Game.round_over

    def start(self) -> tuple[Position, Facts]:
        """The position before the first dart. Raises ValueError when the game cannot be played like this."""
        none = (0,) * len(self.seating.sides)
        before = Position(
            state=None,
            visit=Visit(number=0, side=0, seat=0, round=0, leg=1, set=1),
            last=None,
            queue=(),
            legs=none,
            sets=none,
            leg_visits=none,
            leg_darts=none,
            tallies=tuple(Tally() for _ in self.seating.players),
        )
        facts: Facts = []
        return self._open_leg(before, 1, 1, facts), facts

    def turn(self, position: Position) -> Turn:
        """The visit as a game sees it."""
        visit, tallies, gone = position.visit, position.tallies, position.retired
        return Turn(
            visit=visit.number,
            side=visit.side,
            seat=visit.seat,
            round=visit.round,
            darts=tuple([thrown.segment for thrown in visit.darts]),
            darts_left=visit.darts_left,
            playing=tuple([side for side in self._everyone if side not in gone]) if gone else self._everyone,
            tallies=tallies if self._each_alone else SideTallies(tallies, self.seating.sides),
            points=visit.points,
            summed=visit.summed,
        )

    def passed_over(self, position: Position) -> frozenset[int]:
        """The sides that throw no more in this leg."""
        return self.game.passed_over(position.state) if self._has_passed_over else _NO_SIDES

    def _luck(self, position: Position) -> Luck:
        return _luck_of(self._seed, position.visit.number)

    def _take(
        self, position: Position, step: Step[Any], facts: Facts, thrown: int = 0, bed: str | None = None
    ) -> Position:
        """The position with what a step said: that of so many darts `thrown`, in this `bed` if it is known, or another.

        Raises TypeError for what is no step.
        """
        if not isinstance(step, Step):
            raise TypeError(
                f"dart, decide, begin, visit_over and round_over must give a Step, and one gave {step!r:.99}"
            )
        visit, leg_darts, leg_winners = position.visit, position.leg_darts, position.leg_winners
        bust, ended = visit.bust, visit.ended or step.ends_visit
        points = visit.points if step.points is None else step.points
        if step.facts:
            facts.extend(step.facts)
            bust = bust or any(isinstance(fact, told.Bust) and fact.side == visit.side for fact in step.facts)
        if step.winners is not None and leg_winners is None:
            leg_winners, ended = step.winners, True
        if thrown:
            leg_darts = put(leg_darts, visit.side, leg_darts[visit.side] + thrown)
        position = replace(
            position,
            state=step.state,
            tallies=position.tally_step(step, points - visit.points, thrown, bed),
            leg_darts=leg_darts,
            leg_winners=leg_winners,
            visit=replace(
                visit,
                points=points,
                marks=visit.marks + step.counts.get("marks", 0),
                bust=bust,
                allowed=visit.allowed + step.extra_darts,
                ended=ended,
                checkout=visit.checkout or "finished" in step.counts,
            ),
        )
        return self._ask(position, facts) if self._has_prompts else position

    def _ask(self, position: Position, facts: Facts) -> Position:
        """The position with the prompts that are open in it."""
        prompts = () if position.leg_winners is not None else self.game.prompts(position.state, self.turn(position))
        if prompts == position.prompts == ():  # what is no tuple of prompts fails below
            return position
        known = {prompt.id for prompt in position.prompts}
        facts.extend(
            told.PromptOpened(side=position.visit.side, id=p.id, seat=p.seat) for p in prompts if p.id not in known
        )
        return replace(position, prompts=prompts)

    def _settle(self, position: Position, facts: Facts) -> Position:
        """When nothing is left to throw or to answer, the visit is judged, once."""
        visit = position.visit
        if visit.darts_left or position.blocking:
            return position
        if not visit.judged:
            position = self._judge(position, facts)
            if not position.over:
                facts.append(told.TakeoutStarted(side=visit.side))
        return self._end_leg(position, facts)

    def _judge(self, position: Position, facts: Facts) -> Position:
        """The visit is thrown: what the game makes of it, its award and its player's figures, the end of the round."""
        visit = position.visit
        found: Facts = []
        position = replace(position, visit=replace(visit, judged=True, tallied=True))
        if self._has_visit_over:
            step = self.game.visit_over(position.state, self.turn(position), self._luck(position))
            position = self._take(position, step, found)
        darts = tuple([thrown.segment.id for thrown in visit.darts])
        checkout = True if position.visit.checkout else UNSET
        facts.append(told.Visit(side=visit.side, points=position.visit.points, darts=darts, checkout=checkout))
        facts.extend(found)
        if not visit.tallied:
            award = None
            if darts and not (found and any(isinstance(fact, told.Award) for fact in found)):
                award = self.game.award(position.state, self.turn(position))
            if award is not None:
                facts.append(told.Award(side=visit.side, award=award))
            position = replace(position, tallies=position.tally_visit(award, self.game.tons))
        return self._end_round(position, facts)

    def _end_round(self, position: Position, facts: Facts) -> Position:
        """The round's end, once no side is left to throw in it."""
        is_thrown = self.passed_over(position).issuperset(position.queue)
        if is_thrown and position.leg_winners is None and not position.round_closed:
            position = replace(position, round_closed=True)
            if self._has_round_over:
                step = self.game.round_over(position.state, self.turn(position), self._luck(position))
                position = self._take(position, step, facts)
        return self._end_leg(position, facts)

    def _end(self, position: Position, winners: tuple[int, ...], facts: Facts) -> Position:
        facts.append(told.MatchWon(winners=winners))
        return replace(position, over=True, winners=winners, prompts=())

    def _close(self, position: Position, facts: Facts) -> Position:
        """The darts are out: the next visit, round, leg or set opens, or no side is left to throw."""
        visit = position.visit
        facts.append(told.TakeoutFinished(side=visit.side))
        if position.leg_winners is None:
            after = self._open_visit(position, visit.round, facts)
        else:
            after = self._open_next_leg(position, facts)
        return replace(after, last=visit) if after.visit.number > visit.number else after

    def _end_leg(self, position: Position, facts: Facts) -> Position:
        """Counts a leg that was won, once, and ends the match with the last one."""
        winners = position.leg_winners
        if winners is None or position.leg_counted:
            return position
        legs = tuple(n + (side in winners) for side, n in enumerate(position.legs))
        if plays_all := self.format.play == "all":
            set_over = position.visit.leg >= self.format.legs
            set_winners = self._find_most(position, legs) if set_over else ()
        else:
            set_winners = tuple(side for side in winners if self.format.wins_set(side, legs, position.sets))
            set_over = bool(set_winners)
        sets = tuple(n + (side in set_winners) for side, n in enumerate(position.sets))
        position = replace(position, legs=legs, sets=sets, leg_counted=True, set_over=set_over)
        by_dart = not position.round_closed
        finished = tuple(side for side in winners if by_dart or self.game.score(position.state, side) == 0)
        position = position.tally_leg(self.seating.sides, winners, finished)
        single = self.format.legs == self.format.sets == 1 and self.format.clear_legs is UNSET
        if not single:
            facts.extend(told.LegWon(side=side) for side in winners)
            facts.extend(told.SetWon(side=side) for side in set_winners if self.format.sets > 1)
        if plays_all:
            is_last = set_over and position.visit.set >= self.format.sets
            return self._end(position, self._find_most(position, sets), facts) if is_last else position
        best = tuple(side for side in winners if sets[side] >= self.format.sets)
        return self._end(position, best, facts) if best or single else position

    def _find_most(self, position: Position, won: tuple[int, ...]) -> tuple[int, ...]:
        """The sides still there that have won most legs or sets; none where nobody has won any."""
        return leaders((side for side in self._everyone if side not in position.retired and won[side]), won.__getitem__)

    def _open_next_leg(self, position: Position, facts: Facts) -> Position:
        visit = position.visit
        if self.format.first == "loser":
            position = replace(position, starter=find_next_loser(position))
        if position.set_over:
            position = replace(position, legs=(0,) * len(position.legs))
            return self._open_leg(position, 1, visit.set + 1, facts)
        return self._open_leg(position, visit.leg + 1, visit.set, facts)

    def _open_leg(self, position: Position, leg: int, set: int, facts: Facts) -> Position:
        luck = Luck(self._seed, position.visit.number + 1)
        position = replace(
            position,
            state=self.game.setup(self.options, self.seating, self.layout, luck),
            visit=replace(position.visit, leg=leg, set=set),
            queue=(),
            leg_visits=(0,) * len(self.seating.sides),
            leg_darts=(0,) * len(self.seating.sides),
            leg_winners=None,
            leg_counted=False,
            set_over=False,
        )
        return self._open_visit(position, 0, facts)

    def _open_visit(self, position: Position, round: int, facts: Facts) -> Position:
        """The visit of the next side in the queue; of a new round when the queue is empty."""
        over = self.passed_over(position)
        queue = tuple([side for side in position.queue if side not in over]) if over else position.queue
        round_closed = position.round_closed and bool(queue)
        if not queue:
            round += 1
            sides = rotate(position, self.seating, self.format, over)
            if not sides and over:  # those who are left have their places: `begin` ends the leg
                sides = rotate(position, self.seating, self.format, self.game.out(position.state))
            queue = self.game.order(position.state, round, sides)
        if not queue:
            return self._end(replace(position, round_closed=False), (), facts)
        side, before, waiting = queue[0], position.visit, replace(position, queue=queue[1:])
        seats = self.seating.sides[side].seats
        visits = position.leg_visits[side]
        opened = Visit(
            number=before.number + 1,
            side=side,
            seat=seats[visits % len(seats)],
            round=round,
            leg=before.leg,
            set=before.set,
        )
        position = replace(
            position,
            visit=opened,
            queue=queue[1:],
            leg_visits=put(position.leg_visits, side, visits + 1),
            prompts=(),
            round_closed=round_closed,
        )
        if self._has_darts:
            darts = self.game.darts(position.state, self.turn(position))
            position = replace(position, visit=replace(opened, allowed=darts))
        found: Facts = [told.TurnChanged(side=side)]
        if self._has_begin:
            step = self.game.begin(position.state, self.turn(position), self._luck(position))
            position = self._take(position, step, found)
        elif self._has_prompts:
            position = self._ask(position, found)
        if position.leg_winners is None and side not in over and side in self.passed_over(position):
            return self._pass_over(replace(waiting, state=position.state, round_closed=round_closed), round, facts)
        facts.extend(found)
        return self._settle(position, facts)

    def _pass_over(self, position: Position, round: int, facts: Facts) -> Position:
        """The visit after one that is not opened: what the game said at its opening gave that side its place.

        Only the game's state is kept of that opening.
        """
        position = self._end_round(replace(position, visit=replace(position.visit, round=round)), facts)
        if position.over:
            return position
        if position.leg_winners is not None:
            return self._open_next_leg(position, facts)
        return self._open_visit(position, round, facts)
