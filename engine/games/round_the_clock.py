"""Round the Clock: a race along steps. Rule books differ in which steps there are and what a hit is."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Closed, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import RINGS, beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

Ring = Literal["any", "single", "double", "triple"]
BULLS = ("bull", "inner")
"""The steps that are no number: the bull with both parts, and its inner part alone."""
_RINGS: dict[Ring, str] = {"any": RINGS, "single": "OI", "double": "D", "triple": "T"}


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`ring`: what of a number counts. `skip`: a double moves on two steps, a triple three."""

    ring: Ring = "any"
    start: Annotated[int, Meta(ge=1, le=20)] = 1
    order: Literal["up", "down", "random"] = "up"
    bull: Literal["none", "any", "inner"] = "none"
    skip: bool = False
    finish: Literal["first", "equal_turns", "share"] = "first"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None


class ClockState(Struct, frozen=True):
    """The steps, the same for all, and how many of them each side has done.

    `last`: the darts of the visit in which each side did its last step (0: not yet).
    """

    options: Options
    steps: tuple[str, ...]
    at: tuple[int, ...]
    last: tuple[int, ...]


class RoundTheClock(Game[Options, ClockState]):
    """Hit the numbers from 1 to 20 in order; the first side to hit them all wins.

    Every side throws three darts a round at its number. The members of a team take turns, one round each. After a hit
    the side moves on to the next number, and its remaining darts go for that one. The first side to hit the last number
    wins.

    Only the numbers from the `First number` to 20 are in play (1; machines also have 5, 10 and 15). `Order`: with
    `Down` you throw at them from 20 downwards, with `Random` in an order that is drawn once and is the same for all
    sides.

    Any ring of the number counts; with the `Ring` `Single`, `Double` or `Triple` only that ring does. `Bull at the
    end`: with `Any part` the bull comes last, and both parts count whatever the `Ring` is. With `Inner` only the inner
    part counts.

    With `Doubles and triples skip numbers` a double moves on two steps and a triple three. No dart skips the last step:
    you have to hit it.

    `Finish`: with `Equal turns` the round is played to its end. If several sides finish in the same round, the one that
    needed the fewest darts in that round wins; sides that are level share the win. With `Equal turns, shared win` the
    round is also played to its end, and all sides that have finished by then share the win. With a limit of `Rounds`
    the side with the most steps wins after the last round; sides that are level share the win.

    Source: the manual of the Sunflex Excellence (Round-the-Clock and its levels of difficulty).
    """

    id = "round_the_clock"
    group = "races"
    tile = 5
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "Round the Clock" if options.ring == "any" else f"Round the Clock, {options.ring}s"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> ClockState:
        numbers = tuple(str(number) for number in range(options.start, 21))
        if options.order == "down":
            numbers = numbers[::-1]
        elif options.order == "random":
            numbers = luck.shuffled("order", numbers)
        last = {"none": (), "any": ("bull",), "inner": ("inner",)}[options.bull]
        none = (0,) * len(seating.sides)
        return ClockState(options, (*numbers, *last), at=none, last=none)

    def dart(self, state: ClockState, segment: Segment, turn: Turn, luck: Luck) -> Step[ClockState]:
        side = turn.side
        gain = _steps_gained(state, side, segment)
        if not gain:
            return Step(state, points=turn.points)
        target = _label(state.steps[state.at[side]])
        state = replace(state, at=put(state.at, side, state.at[side] + gain))
        done = state.at[side] == len(state.steps)
        if done:
            state = replace(state, last=put(state.last, side, len(turn.darts)))
        return Step(
            state,
            (Closed(side=side, target=target),),
            points=turn.points + gain,
            ends_visit=done,
            winners=(side,) if done and state.options.finish == "first" else None,
            counts={"on_target": 1},
        )

    def round_over(self, state: ClockState, turn: Turn, luck: Luck) -> Step[ClockState]:
        is_shared = state.options.finish == "share"
        done = leaders((side for side in turn.playing if state.last[side]), lambda side: is_shared or -state.last[side])
        if not done and turn.round == state.options.rounds:
            done = leaders(turn.playing, lambda side: state.at[side])
        return Step(state, winners=done or None)

    def leading(self, state: ClockState, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Of those who have finished in this round the one that needed the fewest darts, where that wins."""
        is_shared = state.options.finish == "share"
        return leaders(sides, lambda side: (state.at[side], is_shared or -state.last[side]))

    def score(self, state: ClockState, side: int) -> int:
        return state.at[side]

    def view(self, state: ClockState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "at": at,
                "number": _name(state.steps[at]) if at < len(state.steps) else None,
                "hits": [tally.counts.get("on_target", 0), tally.darts],
            }
            for at, tally in zip(state.at, turn.tallies, strict=True)
        )
        at = state.at[turn.side]
        targets = (_step_target(state, state.steps[at]),) if turn.darts_left else ()
        steps = [_name(step) for step in state.steps]
        last = state.steps[-1]
        legend = {"B": _label(last)} if last in BULLS else {}
        return Panel("track", detail, targets=targets, board={"steps": steps, "legend": legend, "unit": "steps"})

    def task(self, state: ClockState, turn: Turn, panel: Panel) -> Sentence:
        ahead = [_step_target(state, step) for step in state.steps[state.at[turn.side] :][:2]]
        if len(ahead) == 1:
            return say("round_the_clock.last", "Hit {target}, the last step, to finish", target=ahead[0])
        return say(
            "round_the_clock.hit",
            "Hit {target}, then {after} and so on; the first to hit them all wins",
            target=ahead[0],
            after=ahead[1],
        )

    def advise(self, state: ClockState, turn: Turn, seat: int, skill: Skill) -> Advice:
        step = state.steps[state.at[turn.side]]
        among = beds("bull" if step in BULLS else step, _RINGS[state.options.ring])
        return Advice(aim=skill.best(lambda segment: _steps_gained(state, turn.side, segment), among))


def _steps_gained(state: ClockState, side: int, segment: Segment) -> int:
    """How many steps this dart moves the side on; the last step has to be hit itself."""
    options, at, last = state.options, state.at[side], len(state.steps) - 1
    step = state.steps[at]
    if not _hits(step, options.ring, segment):
        return 0
    return min(segment.multiplier if options.skip else 1, max(1, last - at))


def _hits(step: str, ring: Ring, segment: Segment) -> bool:
    if step in BULLS:
        return "bull" in segment.groups and (step == "bull" or "double" in segment.groups)
    return step in segment.groups and (ring == "any" or ring in segment.groups)


def _step_target(state: ClockState, step: str) -> str:
    """The target of a step, as a panel has it."""
    ring = state.options.ring
    return _label(step) if step in BULLS or ring == "any" else f"{ring[0].upper()}{step}"


def _label(step: str) -> str:
    return "DB" if step == "inner" else step


def _name(step: str) -> str:
    return "B" if step in BULLS else step


GAMES = (RoundTheClock(),)
