"""Games of a target that one side sets for the next: Big-6 asks for its very bed, Big Little for its number.

Who hits the target with a dart to spare names the next one with it; who does not hit it loses a life. There is no fact
for a target that is named: `Claimed` tells it, with the target as its cell.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Game, Panel, Reason, Seating, Step, Turn, put
from engine.games.survival import last_in, lose
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import merged

O = TypeVar("O", bound=Struct)  # noqa: E741  (options)
Lives = Annotated[int, Meta(ge=1, le=21)]
Rounds = Annotated[int, Meta(ge=1, le=1000)] | None
Third = Literal["stays", "drawn"]
"""What becomes of a target that the third dart hits, after which there is none left to name another."""


class ChallengeState(Struct, Generic[O], frozen=True):
    """Lives by side and the target (None: there is none yet). In the current visit: `hit`, whether the target was hit
    and the next dart names one; `safe`, whether no life is lost; `lost`, whether one was. `first`: the side that began
    the leg, None before that.
    """

    options: O
    lives: tuple[int, ...]
    target: str | None
    hit: bool = False
    safe: bool = False
    lost: bool = False
    first: int | None = None


class Challenge(Game[O, ChallengeState[O]]):
    """The rules of the family; see its games."""

    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    @abstractmethod
    def settings(self, options: O) -> tuple[int, Third, int | None]:
        """The lives at the start, what becomes of a target that the third dart hits, and the last round."""

    @abstractmethod
    def name(self, segment: Segment) -> str | None:
        """The target that a dart there names; None for a miss."""

    @abstractmethod
    def draw(self, luck: Luck) -> str:
        """A target drawn by chance."""

    @abstractmethod
    def hardness(self, segment: Segment) -> float:
        """How hard the target is that a dart there names, to be compared with others."""

    def begin(self, state: ChallengeState[O], turn: Turn, luck: Luck) -> Step[ChallengeState[O]]:
        first = turn.side if state.first is None else state.first
        state = replace(state, hit=False, safe=False, lost=False, first=first)
        return Step(state, winners=last_in(self.out(state), turn))

    def dart(self, state: ChallengeState[O], segment: Segment, turn: Turn, luck: Luck) -> Step[ChallengeState[O]]:
        named = self.name(segment)
        if state.hit or state.target is None:
            if named is None:
                return Step(state, ends_visit=state.hit)
            fact = Claimed(side=turn.side, cell=named)
            return Step(replace(state, target=named, safe=True), (fact,), ends_visit=True)
        if named != state.target:
            return Step(state)
        target = state.target
        if not turn.darts_left and self.settings(state.options)[1] == "drawn":
            target = self.draw(luck)
        return Step(replace(state, hit=True, safe=True, target=target), points=1, counts={"hits": 1})

    def visit_over(self, state: ChallengeState[O], turn: Turn, luck: Luck) -> Step[ChallengeState[O]]:
        alone = last_in(self.out(state), turn)
        if alone is not None or state.safe or state.target is None:
            return Step(state, winners=alone)
        side = turn.side
        state = replace(state, lives=put(state.lives, side, state.lives[side] - 1), lost=True)
        return Step(state, lose(side, 1, state.lives[side]), winners=last_in(self.out(state), turn))

    def round_over(self, state: ChallengeState[O], turn: Turn, luck: Luck) -> Step[ChallengeState[O]]:
        """At the limit lives decide: two sides that never miss would throw for ever."""
        if turn.round != self.settings(state.options)[2]:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: state.lives[side]))

    def out(self, state: ChallengeState[O]) -> frozenset[int]:
        return frozenset(side for side, lives in enumerate(state.lives) if not lives)

    def leading(self, state: ChallengeState[O], sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.lives[side])

    def score(self, state: ChallengeState[O], side: int) -> int:
        return state.lives[side]

    def view(self, state: ChallengeState[O], turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"lives": lives, "hits": tally.counts.get("hits", 0)}
            for lives, tally in zip(state.lives, turn.tallies, strict=True)
        )
        lit = (state.target,) if state.target and not state.hit and turn.darts_left else ()
        board = {"lives": self.settings(state.options)[0], "target": state.target, "unit": "lives"}
        return Panel("lives", detail, targets=lit, board=board)

    def task(self, state: ChallengeState[O], turn: Turn, panel: Panel) -> Sentence:
        following = self._name_next(state, turn)
        if state.hit or state.target is None:
            if following is None:
                return say("challenge.free", "The last visit: nothing more depends on it")
            if state.target is None:
                return say("challenge.first", "Hit anything: {name} must hit the same next", name=following)
            return say("challenge.name", "Hit anything: what you hit now, {name} must hit next", name=following)
        number, is_last = _single(state.target), turn.darts_left == 1 or following is None
        if number and is_last:
            return say("big_6.last", "Hit a single {number}, or lose a life", number=number)
        if number:
            return say(
                "big_6.hit",
                "Hit a single {number}, then set a new target with the next dart; no hit costs a life",
                number=number,
            )
        if is_last:
            return say("challenge.last", "Hit {target}, or lose a life", target=state.target)
        return say(
            "challenge.hit",
            "Hit {target}, then set a new target with the next dart; no hit costs a life",
            target=state.target,
        )

    def reason(self, state: ChallengeState[O], turn: Turn, bust: bool) -> Reason | None:
        if state.target is None:
            return None
        number = _single(state.target)
        if state.lost and number:
            said = say("big_6.lost", "A life lost: no single {number} was hit", number=number)
            return Reason(said, "life_lost")
        if state.lost:
            said = say("challenge.lost", "A life lost: {target} was not hit", target=state.target)
            return Reason(said, "life_lost")
        following = self._name_next(state, turn)
        if following is None:
            return None
        if number:
            said = say(
                "big_6.chosen",
                "Target for {name}: a single {number}; no hit costs a life",
                name=following,
                number=number,
            )
            return Reason(said, "neutral")
        said = say(
            "challenge.chosen",
            "Target for {name}: {target}; no hit costs a life",
            name=following,
            target=state.target,
        )
        return Reason(said, "neutral")

    def _name_next(self, state: ChallengeState[O], turn: Turn) -> str | None:
        """The name of the side that throws after this one; None where the last visit of the last round is this one."""
        out, count, first = self.out(state), len(state.lives), state.first or 0
        order = [(first + place) % count for place in range(count)]
        at = order.index(turn.side)
        after = [side for side in order[at + 1 :] if side in turn.playing and side not in out]
        if not after and turn.round == self.settings(state.options)[2]:
            return None
        before = [side for side in order[: at + 1] if side in turn.playing and side not in out]
        return turn.names[(after or before)[0]]

    def advise(self, state: ChallengeState[O], turn: Turn, seat: int, skill: Skill) -> Advice:
        target = state.target
        if state.hit or target is None:
            return Advice(aim=skill.best(self.hardness, ("T20", "T19", "D20", "D16", "DB", "O20")))
        if target.isdigit() or target == "bull":
            among = beds(target)
        else:
            among = beds(target[1:], "OI") if target[0] == "S" and target != "SB" else (target,)
        return Advice(aim=skill.best(lambda segment: self.name(segment) == target, among))


def _single(target: str) -> str:
    """The number of which a single is asked for; "" for other targets, which say by themselves what counts."""
    return target[1:] if target[0] == "S" and target != "SB" else ""


class SixOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`lives` at the start; `third`: what becomes of a target that the third dart hits; `rounds` at most."""

    lives: Lives = 3
    third: Third = "stays"
    rounds: Rounds = 100


class BigSix(Challenge[SixOptions]):
    """Hit the bed that is asked for, then name the next. A visit that misses it costs a life.

    The first target is the single 6. Every bed is a target of its own: single, double and triple of each number, the
    outer bull and the inner bull. The two singles of a number are one target. Every side has three lives (`Lives`: 1
    to 21) and throws three darts a visit; the members of a team take turns.

    If you hit the target with your first or second dart, your following dart names the next target: the bed that it
    hits. If that dart hits nothing, the target stays. The visit then ends. If you hit the target with your third dart,
    you lose no life and the target stays. `After a hit with the third dart`: with `Next one drawn` a new target is
    drawn instead.

    A visit that does not hit the target costs a life, and the target stays. A side without lives is out, and the last
    side left wins. After 100 rounds (`Rounds`) the most lives win; equal lives share the win.

    Source: the manual of the Bull's X-Dartor (Big Six); drawing a target is a house rule of oche.
    """

    id = "big_6"
    group = "lives"
    options_type = SixOptions

    def title(self, options: SixOptions) -> str:
        return "Big-6"

    def settings(self, options: SixOptions) -> tuple[int, Third, int | None]:
        return options.lives, options.third, options.rounds

    def setup(self, options: SixOptions, seating: Seating, layout: Layout, luck: Luck) -> ChallengeState[SixOptions]:
        return ChallengeState(options, (options.lives,) * len(seating.sides), "S6")

    def name(self, segment: Segment) -> str | None:
        return merged(segment.id) if segment.points else None

    def draw(self, luck: Luck) -> str:
        return f"{'SDT'[luck.number('ring', 0, 3)]}{luck.die('number', 0, 20)}"

    def hardness(self, segment: Segment) -> float:
        if "bull" in segment.groups:
            return 4 if "double" in segment.groups else 3
        return {0: 0, 1: 1}.get(segment.multiplier, 3)


class LittleOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`lives` at the start; `third`: what becomes of a target that the third dart hits; `rounds` at most."""

    lives: Lives = 3
    third: Third = "drawn"
    rounds: Rounds = 100


class BigLittle(Challenge[LittleOptions]):
    """Hit the number that is asked for, then name the next. A visit that misses it costs a life.

    The first side may hit what it likes: its first dart in a number or in the bull makes that the target and ends the
    visit. If it hits nothing, it loses no life, and the next side may hit what it likes. Once there is a target, any
    ring of it is a hit. Every side has three lives (`Lives`: 1 to 21) and throws three darts a visit; the members of a
    team take turns.

    If you hit the target with your first or second dart, your following dart names the next target: the number that it
    hits. If that dart hits nothing, the target stays. The visit then ends. If you hit the target with your third dart,
    you lose no life and the next target is drawn. `After a hit with the third dart`: with `Target stays` it stays.

    A visit that does not hit the target costs a life, and the target stays. A side without lives is out, and the last
    side left wins. After 100 rounds (`Rounds`) the most lives win; equal lives share the win.

    Source: the manual of the Basetech board BT-2108947 (Big Little, Simple).
    """

    id = "big_little"
    group = "lives"
    options_type = LittleOptions

    def title(self, options: LittleOptions) -> str:
        return "Big Little"

    def settings(self, options: LittleOptions) -> tuple[int, Third, int | None]:
        return options.lives, options.third, options.rounds

    def setup(
        self, options: LittleOptions, seating: Seating, layout: Layout, luck: Luck
    ) -> ChallengeState[LittleOptions]:
        return ChallengeState(options, (options.lives,) * len(seating.sides), None)

    def name(self, segment: Segment) -> str | None:
        if not segment.points:
            return None
        return "bull" if "bull" in segment.groups else str(segment.value)

    def draw(self, luck: Luck) -> str:
        return str(luck.die("number", 0, 20))

    def hardness(self, segment: Segment) -> float:
        return 3 if "bull" in segment.groups else float(segment.points > 0)


GAMES = (BigSix(), BigLittle())
