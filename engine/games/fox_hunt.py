"""Fox Hunt and Hare and Hound: one side runs around the board, the other comes after it; then they change places.

The fox throws first in each half. When the hound ends the first one it is the next fox, so the order of the rounds
turns; when the fox ends it, the hound is up anyway.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Game, Panel, Preset, Seating, Step, Turn, put
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`way`: what fox and hound have to hit. `hare`: its first number. `rounds`: the limit of a half."""

    way: Literal["doubles", "any"] = "doubles"
    hare: Literal[1, 20] = 1
    rounds: Annotated[int, Meta(ge=1, le=500)] = 100


class HuntState(Struct, frozen=True):
    """By side the steps made as the fox; the hound's steps in this half. `fox` is None before the first visit.

    `turned`: the rounds now begin with the other side.
    """

    options: Options
    steps: tuple[int, int]
    hound: int = 0
    half: int = 1
    fox: int | None = None
    caught: bool = False
    visits: int = 0
    turned: bool = False


class FoxHunt(Game[Options, HuntState]):
    """A fox runs around the board, a hound chases it; then swap. The fox that gets farther wins.

    Two sides play, alone or in teams whose members take turns, three darts a visit. Each leg has two halves: the
    side that throws first is the fox in the first half, the other side in the second.

    The fox begins at the 20 and goes counter-clockwise around the board. At each number it must hit first the double,
    then a single (either one), and at the end the double of the 20 brings it home. The hound begins at the 18 and goes
    the same way on doubles alone: 18, 1, 20, 5 and so on. A dart moves you one step at most; after a hit, throw your
    next dart at the next step.

    `Rings that count`: with `Any ring` the game is called Hare and Hound, and the fox is the hare. Any ring of a number
    counts for both sides, and both go clockwise, the hare from the 1 to the 20, the hound from the 5. If the `First
    number of the hare` is 20, the hare must hit the 20 first, and again at the end.

    The hound catches the fox when it hits the bed it needs in the number that the fox is throwing at. The half ends
    when the fox is caught or is home, and the sides swap. A half ends after 100 visits of each side at the latest
    (`Rounds`).

    The side whose fox made more steps wins. The second fox wins as soon as it is farther than the first. With equal
    steps they share the win. If one side leaves, the other wins.

    Source: Fox Hunt as chinadart.com and mobsea.com print it; Hare and Hound as gldproducts.com does.
    """

    id = "fox_hunt"
    group = "races"
    options_type = Options
    sides = range(2, 3)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Fox Hunt" if options.way == "doubles" else "Hare and Hound"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> HuntState:
        return HuntState(options, (0, 0))

    def resolve(self, options: Options, seating: Seating) -> Options:
        return replace(options, hare=1) if options.way == "doubles" else options  # it begins at the 20 in any case

    def order(self, state: HuntState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return sides[::-1] if state.turned else sides

    def begin(self, state: HuntState, turn: Turn, luck: Luck) -> Step[HuntState]:
        return Step(state if state.fox is not None else replace(state, fox=turn.side))

    def dart(self, state: HuntState, segment: Segment, turn: Turn, luck: Luck) -> Step[HuntState]:
        if not _hits(_target(state, turn.side), segment):
            return Step(state)
        side, points = turn.side, turn.points + 1
        if side != state.fox:
            caught = _number(_target(state, side)) == _number(_target(state, 1 - side))
            state = replace(state, hound=state.hound + 1, caught=caught)
            facts = (Claimed(side=side, cell="fox"),) if caught else ()
            return Step(state, facts, points=points, ends_visit=caught)
        first, second = put(state.steps, side, state.steps[side] + 1)
        state = replace(state, steps=(first, second))
        is_won = state.half == 2 and state.steps[side] > state.steps[1 - side]
        return Step(
            state,
            points=points,
            ends_visit=is_won or _is_home(state),
            winners=(side,) if is_won else None,
        )

    def visit_over(self, state: HuntState, turn: Turn, luck: Luck) -> Step[HuntState]:
        state = replace(state, visits=state.visits + 1)
        if not state.caught and not _is_home(state) and state.visits < 2 * state.options.rounds:
            return Step(state)
        if state.half == 2:
            return Step(state, winners=leaders(turn.playing, lambda side: state.steps[side]))
        fox = 1 - (state.fox or 0)
        return Step(replace(state, half=2, fox=fox, hound=0, caught=False, visits=0, turned=turn.side == fox))

    def score(self, state: HuntState, side: int) -> int:
        return state.steps[side]

    def view(self, state: HuntState, turn: Turn, seat: int | None) -> Panel:
        """The steps are those of the side at the oche, around the board from where it began.

        `home` is how many steps the fox has to its end, `behind` how many numbers the hound is behind it.
        """
        ways = [_fox_way(state.options) if side == state.fox else _hound_way(state.options) for side in range(2)]
        detail = tuple(
            {
                "at": state.steps[side] if side == state.fox else state.hound % len(NUMBERS),
                "of": None,
                "role": "fox" if side == state.fox else "hound",
                **({"home": len(ways[side]) - state.steps[side]} if side == state.fox else {"behind": _gap(state)}),
            }
            for side in range(2)
        )
        can_throw = turn.darts_left and not state.caught and not _is_home(state)
        targets = (_target(state, turn.side),) if can_throw else ()
        board = {"steps": ways[turn.side], "half": state.half, "unit": "fox_steps"}
        board["stands"] = [_number(_target(state, side)) for side in range(2)]
        return Panel("track", detail, targets=targets, board=board)

    def task(self, state: HuntState, turn: Turn, panel: Panel) -> Sentence:
        target, other = _target(state, turn.side), _number(_target(state, 1 - turn.side))
        if turn.side == state.fox:
            return say(
                "fox_hunt.fox",
                "You are the fox: hit {target}; stay ahead of the hound at {hound}",
                target=target,
                hound=other,
            )
        return say(
            "fox_hunt.hound", "You are the hound: hit {target}; catch the fox at {fox}", target=target, fox=other
        )

    def advise(self, state: HuntState, turn: Turn, seat: int, skill: Skill) -> Advice:
        target = _target(state, turn.side)
        if target[0] == "D":
            return Advice(aim=target)
        among = beds(_number(target), "OI" if target[0] == "S" else "OITD")
        return Advice(aim=skill.best(lambda segment: _hits(target, segment), among))


def _fox_way(options: Options) -> tuple[str, ...]:
    """The fox's targets, in order."""
    if options.way == "any":
        return (*map(str, NUMBERS[options.hare == 1 :]), "20")
    around = (20, *NUMBERS[:0:-1])
    return (*(f"{ring}{number}" for number in around for ring in "DS"), "D20")


def _hound_way(options: Options) -> tuple[str, ...]:
    """The hound's targets of one time around, in order; then they begin again."""
    if options.way == "any":
        return tuple(map(str, (5, *NUMBERS[:-1])))
    return tuple(f"D{number}" for number in (*NUMBERS[2::-1], *NUMBERS[:2:-1]))


def _target(state: HuntState, side: int) -> str:
    """What this side has to hit now; the last target for a fox that is home."""
    if side == state.fox:
        way = _fox_way(state.options)
        return way[min(state.steps[side], len(way) - 1)]
    way = _hound_way(state.options)
    return way[state.hound % len(way)]


def _is_home(state: HuntState) -> bool:
    return state.fox is not None and state.steps[state.fox] == len(_fox_way(state.options))


def _gap(state: HuntState) -> int:
    """How many numbers around the board the hound is behind the fox."""
    numbers = [int(target.lstrip("D")) for target in _hound_way(state.options)]
    fox = 0 if state.fox is None else state.fox
    return (numbers.index(_number(_target(state, fox))) - numbers.index(_number(_target(state, 1 - fox)))) % len(
        numbers
    )


def _number(target: str) -> int:
    return int(target.lstrip("DS"))


def _hits(target: str, segment: Segment) -> bool:
    if target[0] == "S":
        return {target[1:], "single"} <= segment.groups
    return target in segment.groups or target == segment.id


GAMES = (FoxHunt(),)
PRESETS = (Preset("hare_and_hound", "fox_hunt", {"way": "any"}, "Fox Hunt on any ring of each number, clockwise."),)
