"""Three Dice: the dice give the targets, and a side that falls 25 points behind is out.

The heads of Cerberus are sides without seats: the referee gives them no visit, and they only add points when a round
ends. One function scores a visit from its roll, its darts and the wild number; the question after the darts, the score
and the advice share it.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Award, Eliminated, Fact, Game, Numbers, Panel, Prompt, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say

BEHIND = 25
PENALTY = 3
MULTIPLIERS = (0, 1, 3, 5)
"""The factors, by how many different targets were hit."""
BEST = 50
"""The most that a visit can be worth."""
_NUMBER = "(?:[1-9]|1[0-9]|20)"

Heads = Annotated[tuple[Annotated[int, Meta(ge=1, le=1000)], ...], Meta(max_length=3)]
Roll = tuple[int, ...]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`cerberus`: the points of each head in a round. None: one head of 4 against one person, else no head."""

    dice: Literal["rolled", "manual"] = "rolled"
    cerberus: Heads | None = None
    cerberus_must_fall: bool = True
    auto_wild: bool = False


class Worth(NamedTuple):
    """The worth of a visit's darts. `penalty`: none of them hit a target or could still claim one."""

    marks: int
    multiplier: int
    penalty: bool

    @property
    def points(self) -> int:
        """0 to 50."""
        return self.marks * self.multiplier


class ThreeDiceState(Struct, frozen=True):
    """Scores and latest visits by side, people first; the roll and the wild number of the current visit."""

    options: Options
    people: int
    scores: tuple[int, ...]
    last: tuple[Worth | None, ...]
    gone: frozenset[int] = frozenset()
    roll: Roll | None = None
    wild: int | None = None


class ThreeDice(Game[Options, ThreeDiceState]):
    """Three 20-sided dice set the targets, and sides that fall too far behind are out.

    All sides start at 0, and the last side left wins. A visit is one roll of three 20-sided dice and three darts. When
    all sides have thrown, the round ends, and every side that is 25 points or more behind the leader is out (24 behind
    stays in).

    The numbers rolled are the targets. A single in a target is one mark, a double two, a triple three. The visit scores
    its marks times 1 if it hit one target, times 3 if it hit two different targets, times 5 if it hit all three. A
    visit that hits no target costs 3 points, but no score falls below 0.

    If two dice are alike, the bull is the third target: the outer bull is 3 marks, the inner 4. (When the bull is no
    target, it counts as a miss.) If all three are alike, the targets are that number, the bull and a wild number: any
    other number, which you name after your darts. The most profitable number is proposed; with `Choose the wild number
    automatically` it is taken without asking. As you can name any number, such a visit costs 3 points only if no dart
    is in a number or the bull.

    Cerberus does not throw. At the end of every round each of his heads adds its points to its own score, and only then
    sides go out. A head can lead, and it can go out. `Heads of Cerberus` gives the points of each head, up to three
    heads. Unless you change it, one person plays against one head of 4, and several people play without Cerberus. With
    `Cerberus must fall` the last person left must outlive the heads too; without it a match among people ends when one
    of them is left. When no person is left, the head with the highest score wins.

    `Dice`: the program rolls them; with `Real dice` you roll them yourself and type what they show, such as 7 16 10.

    Source: the game's founding text, an untitled set of rules for darts with three 20-sided dice.
    """

    id = "d20_elimination"
    group = "lives"
    options_type = Options
    aside = frozenset({"cerberus", "dice"})

    def title(self, options: Options) -> str:
        return "Three Dice"

    def resolve(self, options: Options, seating: Seating) -> Options:
        alone = len(seating.sides) == 1
        if options.cerberus is None:
            return replace(options, cerberus=(4,) if alone else ())
        if alone and not options.cerberus:
            raise Refusal(
                say("d20_elimination.alone", "one person needs an opponent: give cerberus a head, such as [4]")
            )
        return options

    def extra_sides(self, options: Options) -> tuple[str, ...]:
        return ("Cerberus", "Cerberus 2", "Cerberus 3")[: len(options.cerberus or ())]

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> ThreeDiceState:
        count = len(seating.sides)
        return ThreeDiceState(options, count - len(options.cerberus or ()), (0,) * count, (None,) * count)

    def begin(self, state: ThreeDiceState, turn: Turn, luck: Luck) -> Step[ThreeDiceState]:
        rolled = tuple(luck.die("roll", k, 20) for k in (1, 2, 3)) if state.options.dice == "rolled" else None
        state = replace(state, roll=rolled, wild=None)
        return Step(state, winners=_winners(state, turn))  # who left since may have been the last opponent

    def dart(self, state: ThreeDiceState, segment: Segment, turn: Turn, luck: Luck) -> Step[ThreeDiceState]:
        return Step(state, points=_score_darts(state.roll or (), turn.darts).points)

    def visit_over(self, state: ThreeDiceState, turn: Turn, luck: Luck) -> Step[ThreeDiceState]:
        if not turn.darts:  # won as it began
            return Step(state)
        roll = state.roll or ()
        if _is_wild(roll) and state.wild is None:
            state = replace(state, wild=_best_wild(roll, turn.darts))
        worth = _score_darts(roll, turn.darts, state.wild)
        score = max(0, state.scores[turn.side] + (-PENALTY if worth.penalty else worth.points))
        state = replace(state, scores=put(state.scores, turn.side, score), last=put(state.last, turn.side, worth))
        facts = (Award(side=turn.side, award="fifty", great=True),) if worth.points == BEST else ()
        return Step(state, facts, points=worth.points)

    def round_over(self, state: ThreeDiceState, turn: Turn, luck: Luck) -> Step[ThreeDiceState]:
        scores = state.scores
        for side, level in enumerate(state.options.cerberus or (), state.people):
            if side not in state.gone:
                scores = put(scores, side, scores[side] + level)
        state = replace(state, scores=scores)
        lost = [side for side in _sides_left(state, turn) if _leading_score(state, turn) - scores[side] >= BEHIND]
        state = replace(state, gone=state.gone | set(lost))
        facts: tuple[Fact, ...] = tuple(Eliminated(side=side) for side in lost)
        return Step(state, facts, winners=_winners(state, turn))

    def out(self, state: ThreeDiceState) -> frozenset[int]:
        return state.gone

    def prompts(self, state: ThreeDiceState, turn: Turn) -> tuple[Prompt, ...]:
        if state.roll is None:
            text = say(
                "prompt.d20_elimination_roll",
                "What do the three dice show? Three numbers from 1 to 20, such as 7 16 10.",
            ).text
            pattern, numbers = " ".join([_NUMBER] * 3), Numbers(3, 1, 20)
            return (Prompt(turn.prompt_id("roll"), turn.seat, text, pattern=pattern, numbers=numbers),)
        if turn.darts_left or not _is_wild(state.roll) or state.wild is not None or state.options.auto_wild:
            return ()
        values = {str(n): _score_darts(state.roll, turn.darts, n).points for n in range(1, 21) if n not in state.roll}
        best = str(_best_wild(state.roll, turn.darts))
        text = say("prompt.d20_elimination_wild", "Three alike: which other number is your wild one?").text
        return (Prompt(turn.prompt_id("wild"), turn.seat, text, tuple(values), values=values, default=best),)

    def decide(
        self, state: ThreeDiceState, prompt: Prompt, answer: str, turn: Turn, luck: Luck
    ) -> Step[ThreeDiceState]:
        if state.roll is None:
            return Step(replace(state, roll=tuple(int(number) for number in answer.split())))
        return Step(replace(state, wild=int(answer)))

    def dart_counts(self, state: ThreeDiceState, segment: Segment, turn: Turn, step: Step[ThreeDiceState]) -> bool:
        return segment.multiplier > 0 if _is_wild(state.roll or ()) else step.points != turn.points

    def leading(self, state: ThreeDiceState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.scores[side])

    def score(self, state: ThreeDiceState, side: int) -> int:
        return state.scores[side]

    def view(self, state: ThreeDiceState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "last": last
                and {
                    "marks": last.marks,
                    "multiplier": last.multiplier,
                    "points": last.points,
                    "penalty": PENALTY * last.penalty,
                }
            }
            for last in state.last
        )
        roll, leader = state.roll, _leading_score(state, turn)
        targets = _targets(roll, state.wild) if roll else ()
        board = {
            "roll": roll,
            "stands_for": _stands_for(roll or ()),
            "behind": [max(0, leader - score) for score in state.scores],
            "out_behind": BEHIND,
            "multipliers": MULTIPLIERS,
            "penalty": PENALTY,
        }
        return Panel("three_dice", detail, targets, board=board)

    def task(self, state: ThreeDiceState, turn: Turn, panel: Panel) -> Sentence:
        if turn.points or not turn.darts_left:
            return say(
                "d20_elimination.hit",
                "Hit {targets} (double 2, triple 3): times 3 for two of them, times 5 for all",
                targets=panel.targets,
            )
        return say(
            "d20_elimination.first",
            "Hit {targets} (double 2, triple 3): times 3 for two of them, times 5 for all, minus {penalty} for none",
            targets=panel.targets,
            penalty=PENALTY,
        )

    def advise(self, state: ThreeDiceState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The best bed for the points of the visit: a new target counts more than another mark in an old one."""
        if state.roll is None:
            return Advice(answer="20 19 18")  # any answer: it cannot see the dice
        if not turn.darts_left:
            return Advice(answer=str(_best_wild(state.roll, turn.darts)) if self.prompts(state, turn) else None)
        wild = (19 if state.roll[0] == 20 else 20) if _is_wild(state.roll) else None
        targets, roll, left = _targets(state.roll, wild), state.roll, turn.darts_left - 1

        def worth(landed: Segment) -> float:
            """The points of this visit if each dart after this one adds a mark, in a new target if there is one."""
            darts = (*turn.darts, landed)
            hit = {target for target in targets if any(target in dart.groups for dart in darts)}
            marks = _score_darts(roll, darts, wild).marks + left
            if "bull" in landed.groups and len(hit) < len(targets):
                marks -= 2  # it is the hardest, so it comes last
            return marks * MULTIPLIERS[min(len(hit) + left, len(targets))]

        numbers = [target for target in targets if target != "bull"]
        beds = [f"{ring}{number}" for number in numbers for ring in "TIO"]
        return Advice(aim=skill.best(worth, [*beds, *(("DB", "SB") if "bull" in targets else ())]))


def _is_wild(roll: Roll) -> bool:
    """Whether all three dice are alike."""
    return len(set(roll)) == 1


def _targets(roll: Roll, wild: int | None) -> tuple[str, ...]:
    """The targets as groups of the layout: the numbers rolled, the bull for a second one alike, the wild number."""
    numbers = tuple(dict.fromkeys(str(number) for number in roll))
    return numbers + ("bull",) * (len(numbers) < 3) + ((str(wild),) if wild else ())


def _stands_for(roll: Roll) -> list[str]:
    """The target of each die: its number; the bull for the second of two alike, any number for the third of three."""
    return [(str(number), "bull", "any")[roll[:place].count(number)] for place, number in enumerate(roll)]


def _score_darts(roll: Roll, darts: tuple[Segment, ...], wild: int | None = None) -> Worth:
    marks, hit = 0, set()
    for target in _targets(roll, wild):
        for dart in darts:
            if target in dart.groups:
                hit.add(target)
                marks += dart.multiplier + 2 if target == "bull" else dart.multiplier
    found = any(dart.multiplier for dart in darts) if _is_wild(roll) else bool(hit)
    return Worth(marks, MULTIPLIERS[len(hit)], penalty=not found)


def _best_wild(roll: Roll, darts: tuple[Segment, ...]) -> int:
    """The most profitable number that was not rolled, the lowest of equals."""
    numbers = (number for number in range(1, 21) if number not in roll)
    return max(numbers, key=lambda number: _score_darts(roll, darts, number).points)


def _sides_left(state: ThreeDiceState, turn: Turn) -> list[int]:
    """The sides that are neither out nor have left."""
    return [side for side in turn.playing if side not in state.gone]


def _leading_score(state: ThreeDiceState, turn: Turn) -> int:
    """The highest score of a side that is still in."""
    return max((state.scores[side] for side in _sides_left(state, turn)), default=0)


def _winners(state: ThreeDiceState, turn: Turn) -> tuple[int, ...] | None:
    """The sides that have won; None while the match goes on."""
    left = _sides_left(state, turn)
    people = [side for side in left if side < state.people]
    if not people:
        best = max((state.scores[side] for side in left), default=0)
        return tuple(side for side in left if state.scores[side] == best)
    among_people = state.people > 1 and not state.options.cerberus_must_fall
    return tuple(people) if len(people if among_people else left) == 1 else None


GAMES = (ThreeDice(),)
