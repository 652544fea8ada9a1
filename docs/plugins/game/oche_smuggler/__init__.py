"""Smuggler: a whole game, with chance, a question, targets, a hint and advice for bots. Begin your own with a copy."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Bust, Game, Panel, Preset, Prompt, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.standard import NUMBERS


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    goal: Annotated[int, Meta(ge=100, le=2000)] = 500
    patrol: Literal[1, 3, 5] = 3
    rounds: Annotated[int, Meta(ge=1, le=50)] = 15


class State(Struct, frozen=True):
    options: Options
    scores: tuple[int, ...]
    cargo: int = 0
    patrolled: tuple[int, ...] = ()


class Smuggler(Game[Options, State]):
    """Load your boat dart by dart, and land it before the coast guard finds you.

    Each dart loads its points: the first of a visit once, the second twice, the third three times. In every visit the
    coast guard patrols `Patrol` (3) numbers side by side. A dart in one of these, or beside the layout, and the boat is
    lost. After any dart the player may land; after the third the boat lands by itself. The bulls are open sea.

    The first to land the `Goal` (500) wins; after so many `Rounds` (15) those with the most do.

    Source: made up for this example.
    """

    id = "smuggler"
    options_type = Options
    group = "rounds"
    sides = range(1, 9)
    team_size = range(1, 5)

    def title(self, options: Options) -> str:
        return "Smuggler"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        return State(options, (0,) * len(seating.sides))

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        middle, reach = luck.number("patrol", 0, len(NUMBERS)), state.options.patrol // 2
        around = range(middle - reach, middle + reach + 1)
        return Step(replace(state, cargo=0, patrolled=tuple(NUMBERS[place % len(NUMBERS)] for place in around)))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        if _is_lost(state, segment):
            return Step(replace(state, cargo=0), (Bust(side=turn.side),), points=0, ends_visit=True)
        cargo = state.cargo + segment.points * len(turn.darts)
        return Step(replace(state, cargo=cargo), points=cargo)

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        if not state.cargo or not turn.darts_left:
            return ()
        text = f"Land {state.cargo}, or throw on?"
        land = Prompt(turn.prompt_id("land"), turn.seat, text, ("land",), default="land", ends_visit=True)
        return (replace(land, blocking=False),)

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state, ends_visit=True)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        landed = state.scores[turn.side] + state.cargo
        state = replace(state, scores=put(state.scores, turn.side, landed), cargo=0)
        return Step(state, winners=(turn.side,) if landed >= state.options.goal else None)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        is_last = turn.round >= state.options.rounds
        return Step(state, winners=leaders(turn.playing, lambda side: state.scores[side]) if is_last else None)

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        best = next(number for number in range(20, 0, -1) if number not in state.patrolled)
        return Panel(
            "plain",
            tuple({"cargo": state.cargo} if side == turn.side else {} for side in range(len(state.scores))),
            targets=(f"T{best}",),
            hint=(f"T{best}",) if turn.darts_left else (),
            board={"patrolled": state.patrolled},
        )

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        times = len(turn.darts) + 1

        def worth(landed: Segment) -> float:
            return -state.cargo if _is_lost(state, landed) else landed.points * times

        aim = skill.best(worth)
        return Advice(aim=aim, answer="land" if state.cargo and skill.worth(aim, worth) < 0 else None)


def _is_lost(state: State, segment: Segment) -> bool:
    return not segment.points or segment.value in state.patrolled


GAMES = [Smuggler()]
PRESETS = [
    Preset("moonless_night", "smuggler", {"patrol": 1, "goal": 800}, "Smuggler with one number patrolled, to 800.")
]
