"""Where a match stands: one frozen value, computed from the journal, never stored, never inverted.

Beside the score it holds what every player has thrown, alike in all games; nothing of that decides what happens. With
`gc=False` the garbage collector passes over such values: they are made of older ones, so they form no circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Prompt, Side, Step, put
from engine.tally import UNREAD, Tally, pool_tallies
from protocol.commands import Phase, Throw
from protocol.facts import Award, Bust, Fact
from protocol.segment import Segment
from protocol.sentence import Sentence, say


class Thrown(Struct, frozen=True, gc=False):
    """A dart, the line of the journal it came from, and whether it is worth anything in its game.

    `sensed` is the line itself where a sensor has told more than the segment; no rule needs it.
    """

    line: int
    segment: Segment
    counts: bool = True
    sensed: Throw | None = None

    @property
    def bed(self) -> str:
        """The id of its segment; "?" if a sensor could not read it."""
        return "?" if self.sensed is not None and self.sensed.unread else self.segment.id


class Visit(Struct, frozen=True, gc=False):
    """One side's turn at the oche. It keeps its number and side from the moment it was opened."""

    number: int
    side: int
    seat: int
    round: int
    leg: int
    set: int
    darts: tuple[Thrown, ...] = ()
    summed: int = 0
    """Darts beyond those: a total stands there once, for several darts."""
    unread: int = 0
    """How many of its darts a sensor could not read: misses, but in no figure."""
    allowed: int = 3
    points: int = 0
    marks: int = 0
    at_finish: int = 0
    """Its darts that would have finished the leg, the one that did among them."""
    bust: bool = False
    ended: bool = False
    """The game said that no dart may follow: a bust, a checkout."""
    checkout: bool = False
    """Its last dart brought the score to zero as the finish demands."""
    judged: bool = False
    """`visit_over` has run."""
    tallied: bool = False
    """It is in the figures; judged once more after an answer that gave darts, it is not counted again."""

    @property
    def darts_left(self) -> int:
        """0 once the visit is thrown."""
        left = self.allowed - len(self.darts) - self.summed
        return 0 if self.ended or left < 0 else left


class Scored(Struct, frozen=True, gc=False):
    """What became of a visit that was closed: its points, and the score of its side after it."""

    side: int
    points: int
    score: int
    bust: bool


class Lag(Struct, frozen=True, gc=False):
    """How far a side was behind: `points` at most after a round of this leg, `match` at most in legs (or sets).

    `rounds`: after so many rounds, the latest ones, another side was ahead alone.
    """

    points: int = 0
    rounds: int = 0
    match: int = 0


class SideTallies(Sequence[Tally]):
    """Each side's figures: those of its only player, or of all of them together, which are pooled when asked for.

    Pooling is lazy: a Turn is made several times per dart and few rules read tallies.
    """

    def __init__(self, tallies: tuple[Tally, ...], sides: tuple[Side, ...]) -> None:
        self._tallies = tallies
        self._sides = sides

    def __len__(self) -> int:
        return len(self._sides)

    @overload
    def __getitem__(self, side: int) -> Tally: ...

    @overload
    def __getitem__(self, side: slice) -> tuple[Tally, ...]: ...

    def __getitem__(self, side: int | slice) -> Tally | tuple[Tally, ...]:
        if isinstance(side, slice):
            return tuple(map(self._of, self._sides[side]))
        return self._of(self._sides[side])

    def _of(self, side: Side) -> Tally:
        return pool_tallies(self._tallies[seat] for seat in side.seats)


class Position(Struct, frozen=True, gc=False):
    """Where a match stands. Tuples without a name are indexed by side."""

    state: Any  # Any: the game's own Struct
    visit: Visit
    last: Visit | None
    queue: tuple[int, ...]
    """The sides still to throw in this round, after this visit."""
    legs: tuple[int, ...]
    sets: tuple[int, ...]
    leg_visits: tuple[int, ...]
    """How many visits each side has had in this leg, this one included."""
    leg_darts: tuple[int, ...]
    tallies: tuple[Tally, ...]
    """Indexed by seat."""
    recent: tuple[Scored, ...] = ()
    """The latest closed visits of this leg, oldest first, at most 24; in games in which totals are entered."""
    retired: frozenset[int] = frozenset()
    prompts: tuple[Prompt, ...] = ()
    round_closed: bool = False
    """`round_over` has run for this round."""
    leader: int | None = None
    """The side that was ahead alone after the last round of this leg in which one was."""
    lags: tuple[Lag, ...] = ()
    leg_winners: tuple[int, ...] | None = None
    """The leg is over; the next one opens when the visit is closed."""
    leg_counted: bool = False
    starter: int = 0
    """The side that throws first in this leg, where the loser of the one before does."""
    set_over: bool = False
    over: bool = False
    stopped: bool = False
    """Over because it was abandoned, not won."""
    conceded: bool = False
    """Over because the others had left; what was being played is not finished."""
    winners: tuple[int, ...] = ()

    @property
    def blocking(self) -> Prompt | None:
        """The oldest prompt that must be answered before anything else."""
        for prompt in self.prompts:
            if prompt.blocking:
                return prompt
        return None

    @property
    def mover(self) -> int:
        """The seat whose move it is: the one of the blocking prompt, else the one at the oche."""
        blocking = self.blocking
        return blocking.seat if blocking else self.visit.seat

    @property
    def phase(self) -> Phase:
        """What may be done now; see the referee."""
        if self.over:
            return "over"
        if self.prompts and self.blocking:
            return "deciding"
        return "throwing" if self.visit.darts_left and self.leg_winners is None else "takeout"

    @property
    def refusal(self) -> Sentence:
        """Why no dart may be thrown now, and what to do."""
        if self.over:
            return say("refused.over", "the match is over: undo, or start a new one")
        if blocking := self.blocking:
            return say("refused.asked", "answer {prompt} first: {question}", prompt=blocking.id, question=blocking.text)
        return say("refused.thrown", "all darts of this visit are thrown: pull them, then press next")

    @property
    def owner(self) -> tuple[int, ...]:
        """Which visit is at the oche, and whose it is."""
        visit = self.visit
        return visit.number, visit.side, visit.seat, visit.leg, visit.set

    def take_step(
        self, step: Step[Any], facts: list[Fact], thrown: int = 0, bed: str | None = None, is_unread: bool = False
    ) -> Position:
        """The position with what a step said: that of so many darts `thrown`, in this `bed` if it is known, or of none.

        A dart that `is_unread` is thrown, but in no figure. Raises TypeError for what is no step.
        """
        if not isinstance(step, Step):
            raise TypeError(
                f"dart, decide, begin, visit_over and round_over must return a Step, and one returned {step!r:.99}"
            )
        visit, leg_darts, leg_winners = self.visit, self.leg_darts, self.leg_winners
        bust, ended = visit.bust, visit.ended or step.ends_visit
        points = visit.points if step.points is None else step.points
        if step.facts:
            facts.extend(step.facts)
            bust = bust or any(isinstance(fact, Bust) and fact.side == visit.side for fact in step.facts)
        if step.winners is not None and leg_winners is None:
            leg_winners, ended = step.winners, True
        if thrown:
            leg_darts = put(leg_darts, visit.side, leg_darts[visit.side] + thrown)
        return replace(
            self,
            state=step.state,
            tallies=self._tally_step(step, points - visit.points, thrown, bed, is_unread),
            leg_darts=leg_darts,
            leg_winners=leg_winners,
            visit=replace(
                visit,
                points=points,
                marks=visit.marks + step.counts.get("marks", 0),
                at_finish=visit.at_finish + (0 if is_unread else step.counts.get("at_finish", 0)),
                bust=bust,
                allowed=visit.allowed + step.extra_darts,
                ended=ended,
                checkout=visit.checkout or "finished" in step.counts,
            ),
        )

    def _tally_step(
        self, step: Step[Any], points: int, thrown: int, bed: str | None, is_unread: bool
    ) -> tuple[Tally, ...]:
        """The tallies with so many points and darts `thrown` of the current visit, and what the game counts.

        `bed` is the segment that was hit, where it is known. Of a dart that `is_unread` nothing is counted but that
        there was one.

        A step without any of that, as most are that open or end a visit, leaves them as they are.
        """
        if is_unread:
            step, thrown, bed = replace(step, counts={UNREAD: 1}, highs={}), 0, None
        visit, tallies = self.visit, self.tallies
        before = tally = tallies[visit.seat]
        darts = step.unthrown + thrown
        if darts or points:
            tally = tally.add(points, darts, self.leg_visits[visit.side] <= 3, bed)
        if step.counts:
            tally = tally.count(step.counts)
        if step.highs:
            tally = tally.high(step.highs)
        if step.facts:
            tally = tally.count({f"award:{fact.award}": 1 for fact in step.facts if isinstance(fact, Award)})
        return tallies if tally is before else put(tallies, visit.seat, tally)

    def tally_visit(self, award: str | None, tons: bool, missed: int = 0) -> tuple[Tally, ...]:
        """The tallies with the thrown visit (in a bucket, where there are `tons`), its award and missed match darts."""
        visit, tallies = self.visit, self.tallies
        tally = tallies[visit.seat].visit(visit.points, tons, award)
        return put(tallies, visit.seat, tally.count({"match_darts_missed": missed}) if missed else tally)

    def tally_leg(self, sides: tuple[Side, ...], winners: tuple[int, ...], finished: tuple[int, ...]) -> Position:
        """The position with its leg in the figures of all who stayed; its darts only for winners who `finished` it.

        A leg that was won by a limit of rounds was no short one.
        """
        tallies = self.tallies
        for index, side in enumerate(sides):
            won = index in winners
            for seat in side.seats if index not in self.retired else ():
                tally = tallies[seat].count({"legs": 1, "legs_won": 1} if won else {"legs": 1})
                if index in finished and len(side.seats) == 1:
                    tally = tally.low({"leg": self.leg_darts[index]})
                tallies = put(tallies, seat, tally)
        return replace(self, tallies=tallies)

    def tally_comeback(self, seats: Iterable[int]) -> Position:
        """The position with a comeback in the figures of these players."""
        tallies = self.tallies
        for seat in seats:
            tallies = put(tallies, seat, tallies[seat].count({"comebacks": 1}))
        return replace(self, tallies=tallies)


def make_position(sides: int, players: int) -> Position:
    """The position of so many sides and players before the first leg is opened."""
    none = (0,) * sides
    return Position(
        state=None,
        visit=Visit(number=0, side=0, seat=0, round=0, leg=1, set=1),
        last=None,
        queue=(),
        legs=none,
        sets=none,
        leg_visits=none,
        leg_darts=none,
        lags=(Lag(),) * sides,
        tallies=tuple(Tally() for _ in range(players)),
    )
