"""The referee: is an input legal, and what follows from it? No game has to know darts left, phases, prompts or teams.

Every ruling is a function from one position to the next; facts are collected on the way. The phases: `throwing`;
`deciding` (a blocking prompt is open); `takeout` (the visit is thrown: hits are refused, because pulling darts out
makes ghost hits); `over`.

To read it in order: the rulings, one for each input; what a dart or an answer does; the end of a visit, a round, a leg
and the match; how the next leg and the next visit are opened. At each of these the game is asked.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from engine import awards
from engine.comeback import find_comeback, note_leg, note_round
from engine.game import Game, Seating, Step, Turn, put
from engine.leg_count import count_leg, count_missed, is_single
from engine.luck import Luck
from engine.position import Lag, Position, Scored, SideTallies, Thrown, Visit, make_position
from engine.throwing_order import ThrowingOrder, find_next_loser
from engine.totals import check_total
from protocol import facts as told
from protocol.commands import Choose, Concede, IllegalInput, Input, Next, Retire, Stop, Throw, Total, refuse
from protocol.facts import Fact
from protocol.match_spec import Format
from protocol.segment import Layout, Segment, UnknownSegment, make_total
from protocol.sentence import Refusal, get_reason

Facts = list[Fact]
_RECENT = 24
"""So many closed visits a position has: a bounded number, as each is copied with the next."""


class Referee:
    """The referee of one match. A hook that the game does not override is never called.

    It holds nothing that changes but `drawn`: what luck was asked for so far, also in what was undone since.
    """

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
        self.drawn = set[str]()
        self._luck_of = lru_cache(maxsize=4)(partial(Luck, seed, drawn=self.drawn))
        """That of a visit, which all its darts have."""
        self._everyone = tuple(range(len(seating.sides)))
        self._names = tuple(side.name for side in seating.sides)
        self.order = ThrowingOrder(game, seating, format)
        self._each_alone = all(side.seats == (index,) for index, side in enumerate(seating.sides))
        """Whether the figures of the players are those of the sides."""
        kind = type(game)
        self._has_begin = kind.begin is not Game.begin
        self._has_darts = kind.darts is not Game.darts
        self._has_prompts = game.has_prompts(options)
        self._finish_wins = game.finish_wins(options)
        self._has_visit_over = kind.visit_over is not Game.visit_over
        self._has_round_over = kind.round_over is not Game.round_over
        self._keeps_visits = kind.totals is not Game.totals

    def start(self) -> tuple[Position, Facts]:
        """The position before the first dart. Raises ValueError when the game cannot be played like this."""
        facts: Facts = []
        before = make_position(len(self.seating.sides), len(self.seating.players))
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
            names=self._names,
            unread=visit.unread,
        )

    def find_next(self, position: Position) -> tuple[int, int] | None:
        """The side and the seat that throw after this visit, as it stands now; None once the leg or the match is over.

        What is still thrown in this round may change it: a side goes out, or only those who are level throw on.
        Nobody is named where the round ends the leg as it stands.
        """
        if position.over or position.leg_winners is not None:
            return None
        return self.order.find_next(position, self._foresee_round)

    def rule(self, position: Position, line: int, given: Input) -> tuple[Position, Facts]:
        """An input of this line, other than undo, redo and amend. Raises IllegalInput."""
        match given:
            case Throw():
                return self.throw(position, line, given)
            case Total():
                return self.total(position, line, given)
            case Next():
                return self.next(position, line)
            case Choose(answer, prompt):
                return self.choose(position, prompt, answer)
            case Retire(side):
                return self.retire(position, side)
            case Concede():
                return self.concede(position)
            case Stop():
                return self.stop(position)
        raise AssertionError(given)

    def throw(self, position: Position, line: int, given: Throw) -> tuple[Position, Facts]:
        """A dart. Raises IllegalInput."""
        if position.phase != "throwing":
            raise IllegalInput(position.refusal)
        try:
            segment = self.layout[given.segment]
        except UnknownSegment as error:
            raise IllegalInput(get_reason(error)) from None
        facts: Facts = []
        position = self._dart(position, line, segment, facts, given if given.is_sensed else None)
        return self._settle(position, facts), facts

    def total(self, position: Position, line: int, given: Total) -> tuple[Position, Facts]:
        """The points of several darts together. Raises IllegalInput."""
        if position.phase != "throwing":
            raise IllegalInput(position.refusal)
        totals = self.game.totals(position.state, self.turn(position))
        if totals is None:
            title = self.game.title(self.options)
            raise refuse(
                "refused.needs_beds", "{game} needs the bed of each dart: enter the darts one by one", game=title
            )
        beds = frozenset([self.game.bed_points(self.options, segment) for segment in self.layout])
        total = check_total(given, position.visit.darts_left, totals, beds)
        facts: Facts = []
        position = self._dart(position, line, make_total(total.points), facts, total=total)
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
            raise refuse(
                "refused.closed", "the question {prompt} is not open; open: {open}", prompt=repr(prompt_id), open=ids
            )
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

    def concede(self, position: Position) -> tuple[Position, Facts]:
        """The side that is left wins; the leg that is being played counts for nobody. Raises IllegalInput."""
        if position.over:
            raise IllegalInput(position.refusal)
        alone = self.order.find_alone(position)
        if alone is None:
            raise refuse(
                "refused.not_alone", "a match can be conceded only to a side that is left when all others have left"
            )
        facts: Facts = []
        return self._end(replace(position, conceded=True), (alone,), facts), facts

    def stop(self, position: Position) -> tuple[Position, Facts]:
        """The match is abandoned. Raises IllegalInput."""
        if position.over:
            raise IllegalInput(position.refusal)
        stopped = replace(position, over=True, stopped=True, winners=(), prompts=())
        return stopped, [told.MatchStopped()]

    def _dart(
        self,
        position: Position,
        line: int,
        segment: Segment,
        facts: Facts,
        sensed: Throw | None = None,
        total: Total | None = None,
    ) -> Position:
        """The position after a dart; with a `total` after as many as that says, for which `segment` stands."""
        visit, thrown = position.visit, 1 if total is None or total.darts is None else total.darts
        summed = visit.summed + thrown - 1
        darts = (*visit.darts, Thrown(line, segment, sensed=sensed))
        is_unread = sensed is not None and sensed.unread
        opened = replace(visit, darts=darts, summed=summed, unread=visit.unread + is_unread)
        position = replace(position, visit=opened)
        before, turn = position.state, self.turn(position)
        found: Facts = []
        if total is None:
            step = self.game.dart(before, segment, turn, self._luck(position))
            position = position.take_step(step, found, thrown, segment.id, is_unread)
        else:
            try:
                step = self.game.total(before, total, turn, self._luck(position))
            except Refusal as refused:  # any other error is a fault of the game
                raise IllegalInput(refused.said) from None
            position = position.take_step(step, found, thrown)
        if self._has_prompts:
            position = self._ask(position, found)
        if not self.game.dart_counts(before, segment, turn, step):
            darts = (*visit.darts, Thrown(line, segment, counts=False, sensed=sensed))
            position = replace(position, visit=replace(position.visit, darts=darts))
        score = self.game.score(position.state, visit.side)
        facts.append(told.Dart(side=visit.side, segment=segment.id, points=segment.points, score=score))
        facts.extend(found)
        return position

    def _take(self, position: Position, step: Step[Any], facts: Facts) -> Position:
        """The position with what a step said that is no dart, and what is asked in it. Raises TypeError for no step."""
        position = position.take_step(step, facts)
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
            if darts and not visit.unread and not (found and any(isinstance(fact, told.Award) for fact in found)):
                award = self.game.award(position.state, self.turn(position))
            if award is not None:
                great = True if award in awards.GREAT else UNSET
                facts.append(told.Award(side=visit.side, award=award, great=great))
            missed = count_missed(self.game, self.format, position) if self._finish_wins else 0
            if missed and (self.format.legs > 1 or self.format.sets > 1):  # in a single leg each missed double is one
                facts.append(told.MatchDartMissed(side=visit.side, missed=missed))
            position = replace(position, tallies=position.tally_visit(award, self.game.tons, missed))
        return self._end_round(position, facts)

    def _end_round(self, position: Position, facts: Facts) -> Position:
        """The round's end, once no side is left to throw in it."""
        is_thrown = self.order.find_passed_over(position).issuperset(position.queue)
        if is_thrown and position.leg_winners is None and not position.round_closed:
            position = replace(position, round_closed=True)
            if self._has_round_over:
                step = self.game.round_over(position.state, self.turn(position), self._luck(position))
                position = self._take(position, step, facts)
            position = note_round(self.game, position, facts)
        return self._end_leg(position, facts)

    def _foresee_round(self, position: Position) -> Position | None:
        """The position after this round if no more darts were thrown in it; None if that ends the leg."""
        if not self._has_round_over or position.round_closed:
            return position
        try:
            step = self.game.round_over(position.state, self.turn(position), self._luck(position))
        except Exception:  # noqa: BLE001  a game may need the whole round, and is asked in the last visit of it
            return position
        return None if step.winners is not None else replace(position, state=step.state)

    def _end_leg(self, position: Position, facts: Facts) -> Position:
        """Counts a leg that was won, once, and ends the match with the last one."""
        winners = position.leg_winners
        if winners is None or position.leg_counted:
            return position
        won = count_leg(self.format, position, winners)
        position = replace(position, legs=won.legs, sets=won.sets, leg_counted=True, set_over=won.set_over)
        finished = tuple(s for s in winners if not position.round_closed or self.game.score(position.state, s) == 0)
        position = position.tally_leg(self.seating.sides, winners, finished)
        if (comeback := find_comeback(self.game, self.format, position, winners, won)) is not None:
            facts.append(comeback)
            seats = self.seating.sides[comeback.side].seats if comeback.side is not None else ()
            position = position.tally_comeback(seats)
        position = note_leg(self.format, position, won)
        if not is_single(self.format):
            facts.extend(told.LegWon(side=side) for side in winners)
            facts.extend(told.SetWon(side=side) for side in won.set_winners if self.format.sets > 1)
        return position if won.match_winners is None else self._end(position, won.match_winners, facts)

    def _end(self, position: Position, winners: tuple[int, ...], facts: Facts) -> Position:
        """The match is over, won by these sides."""
        facts.append(told.MatchWon(winners=winners))
        return replace(position, over=True, winners=winners, prompts=())

    def _close(self, position: Position, facts: Facts) -> Position:
        """The darts are out: the next visit, round, leg or set opens, or no side is left to throw."""
        visit = position.visit
        facts.append(told.TakeoutFinished(side=visit.side))
        if self._keeps_visits and visit.darts:
            scored = Scored(visit.side, visit.points, self.game.score(position.state, visit.side), visit.bust)
            position = replace(position, recent=(*position.recent, scored)[-_RECENT:])
        if position.leg_winners is None:
            after = self._open_visit(position, visit.round, facts)
        else:
            after = self._open_next_leg(position, facts)
        return replace(after, last=visit) if after.visit.number > visit.number else after

    def _open_next_leg(self, position: Position, facts: Facts) -> Position:
        """The first visit of the leg after this one, which is over; of a new set where that is over, too."""
        visit = position.visit
        if self.format.first == "loser":
            position = replace(position, starter=find_next_loser(position))
        if position.set_over:
            position = replace(position, legs=(0,) * len(position.legs))
            return self._open_leg(position, 1, visit.set + 1, facts)
        return self._open_leg(position, visit.leg + 1, visit.set, facts)

    def _open_leg(self, position: Position, leg: int, set: int, facts: Facts) -> Position:
        """The first visit of a leg: the game sets up a new state, and all that is counted in a leg begins at 0."""
        luck = self._luck_of(position.visit.number + 1)
        position = replace(
            position,
            state=self.game.setup(self.options, self.seating, self.layout, luck),
            visit=replace(position.visit, leg=leg, set=set),
            queue=(),
            leg_visits=(0,) * len(self.seating.sides),
            leg_darts=(0,) * len(self.seating.sides),
            recent=(),
            leader=None,
            lags=tuple([Lag(match=lag.match) for lag in position.lags]),
            leg_winners=None,
            leg_counted=False,
            set_over=False,
        )
        return self._open_visit(position, 0, facts)

    def _open_visit(self, position: Position, round: int, facts: Facts) -> Position:
        """The visit of the next side in the queue; of a new round when the queue is empty."""
        over = self.order.find_passed_over(position)
        queue = tuple([side for side in position.queue if side not in over]) if over else position.queue
        round_closed = position.round_closed and bool(queue)
        if not queue:
            round += 1
            sides = self.order.list_sides(position, over)
            if not sides and over:  # those who are left have their places: `begin` ends the leg
                sides = self.order.list_sides(position, self.game.out(position.state))
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
        if position.leg_winners is None and side not in over and side in self.order.find_passed_over(position):
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

    def _luck(self, position: Position) -> Luck:
        return self._luck_of(position.visit.number)
