"""A small game for tests alone, with everything that the games which ship do not have.

It asks before the darts (a die that may be real, a secret card) and after them (with a default, and without one), lets
a question stand open, gives darts back, ends a visit before its first dart, eliminates, orders the sides its own way,
and is won at the opening of a visit, at its end and at the end of a round.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn, put
from engine.luck import Luck
from engine.skill import Skill
from protocol.facts import Eliminated
from protocol.segment import Layout, Segment

HAND = 3


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What is played with."""

    dice: Literal["rolled", "manual"] = "rolled"
    cards: bool = False
    target: int = 200
    rounds: int | None = None
    behind: int = 150
    machine_points: int = 0


class State(Struct, frozen=True):
    """Scores by side, hands by seat, and what was asked in this visit."""

    options: Options
    scores: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...]
    gone: frozenset[int] = frozenset()
    roll: int | None = None
    card: str | None = None
    times: str | None = None
    name: str | None = None
    again: bool = False
    counted: int = 0


class Toy(Game[Options, State]):
    """Every side starts at 0 and adds its darts, times the card it laid when there are cards.

    A die is rolled before the darts: who rolls a 1 does not throw. A dart in a 5 ends the visit and voids it; the
    first inner bull of a visit gives one more dart. After a double the side says whether the visit counts once or
    twice; after a triple it names the dart, and there is no telling how. After an outer bull it may, once a visit,
    throw one dart more, even when the last dart is thrown.

    Exactly the target wins at once; more than the target wins when the side's next visit begins. After the last round
    the highest score wins. At the end of a round a side that is too far behind is out. Even rounds go backwards. With
    `machine_points` there is a side without players, which gets as many points a round.

    Source: made up.
    """

    id = "toy"
    options_type = Options
    sides = range(1, 5)
    team_size = range(1, 3)

    def title(self, options: Options) -> str:
        return f"Toy {options.target}"

    def resolve(self, options: Options, seating: Seating) -> Options:
        if options.machine_points >= 100 * len(seating.players):
            raise ValueError("the machine would win for sure against so few")
        return replace(options, rounds=options.rounds or 6)

    def extra_sides(self, options: Options) -> tuple[str, ...]:
        return ("Machine",) if options.machine_points else ()

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        if options.cards and len(seating.players) > 6:
            raise ValueError("there are cards for six people only")
        deck = luck.shuffled("deck", [str(1 + card % 4) for card in range(24)])
        hands = tuple(deck[HAND * seat : HAND * (seat + 1)] for seat in range(len(seating.players)))
        return State(options, (0,) * len(seating.sides), hands if options.cards else ((),) * len(seating.players))

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        state = replace(state, roll=None, card=None, times=None, name=None, again=False, counted=0)
        if state.scores[turn.side] > state.options.target:
            return Step(state, winners=(turn.side,))
        return Step(state) if state.options.dice == "manual" else self._rolled(state, luck.die("roll", 1, 6))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        if "5" in segment.groups:
            return Step(state, points=0, ends_visit=True, counts={"fives": 1})
        first_bull = segment.id == "DB" and sum(dart.id == "DB" for dart in turn.darts) == 1
        return Step(state, points=self._worth(state, turn), extra_darts=int(first_bull))

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        points = self._worth(state, turn)
        score = state.scores[turn.side] + points - state.counted
        state = replace(state, scores=put(state.scores, turn.side, score), counted=points)
        won = score == state.options.target
        return Step(state, points=points, winners=(turn.side,) if won else None)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        if state.options.machine_points:
            state = replace(state, scores=(*state.scores[:-1], state.scores[-1] + state.options.machine_points))
        left = [side for side in turn.playing if side not in state.gone]
        best = max((state.scores[side] for side in left), default=0)
        if turn.round >= (state.options.rounds or 0):
            return Step(state, winners=tuple(side for side in left if state.scores[side] == best))
        lost = [side for side in left if best - state.scores[side] >= state.options.behind]
        state = replace(state, gone=state.gone | set(lost))
        return Step(state, tuple(Eliminated(side=side) for side in lost))

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return sides if round % 2 else sides[::-1]

    def out(self, state: State) -> frozenset[int]:
        return state.gone

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        found = []
        if state.roll is None and state.options.dice == "manual":
            found.append(Prompt(turn.prompt_id("roll"), turn.seat, "What did the die show?", pattern="[1-6]"))
        hand = state.hands[turn.seat]
        if hand and state.card is None and state.roll != 1:
            found.append(
                Prompt(
                    turn.prompt_id("card"),
                    turn.seat,
                    "Which card?",
                    options=tuple(sorted(set(hand))),
                    values={card: int(card) for card in sorted(set(hand))},
                    default=min(hand),
                    secret=True,
                )
            )
        void = any("5" in dart.groups for dart in turn.darts)
        if not turn.darts_left and not void:
            if state.times is None and any("double" in dart.groups for dart in turn.darts):
                text = "Once or twice?"
                found.append(
                    Prompt(turn.prompt_id("times"), turn.seat, text, options=("once", "twice"), default="once")
                )
            if state.name is None and any("triple" in dart.groups for dart in turn.darts):
                found.append(Prompt(turn.prompt_id("name"), turn.seat, "What is it called?", pattern="[a-z]{1,9}"))
        if turn.darts and turn.darts[-1].id == "SB" and not state.again:
            found.append(Prompt(turn.prompt_id("again"), turn.seat, "One more?", options=("yes",), blocking=False))
        return tuple(found)

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        kind = prompt.id.partition("@")[0]
        if kind == "roll":
            return self._rolled(state, int(answer))
        if kind == "card":
            hand = list(state.hands[turn.seat])
            hand.remove(answer)
            return Step(replace(state, card=answer, hands=put(state.hands, turn.seat, tuple(hand))))
        if kind == "name":
            if answer == "toy":
                raise ValueError("that name is taken")
            return Step(replace(state, name=answer))
        if kind == "times":
            return Step(replace(state, times=answer))
        return Step(replace(state, again=True), extra_darts=1)

    def score(self, state: State, side: int) -> int:
        return state.scores[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple({"fives": tally.counts.get("fives", 0)} for tally in turn.tallies)
        board = {
            "roll": state.roll,
            "cards": [len(hand) for hand in state.hands],
            "hand": None if seat is None else sorted(state.hands[seat]),
        }
        return Panel("toy", detail, targets=("20",), board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim="T20")

    def _rolled(self, state: State, roll: int) -> Step[State]:
        return Step(replace(state, roll=roll), ends_visit=roll == 1)

    def _worth(self, state: State, turn: Turn) -> int:
        if any("5" in dart.groups for dart in turn.darts):
            return 0
        times = int(state.card or 1) * (2 if state.times == "twice" else 1)
        return sum(dart.points for dart in turn.darts) * times


TOY = Toy()
