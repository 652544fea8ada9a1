"""Segment training: one target, and so many darts or hits at it.

A target is a text: a segment or a group of the layout. What hits it is decided in one place, `hits`, for the score, the
lamps and the advice alike.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Better, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import beds, rate, tried
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tally import Tally
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say
from protocol.spelling import suggest_nearest

_NUMBERS = tuple(str(number) for number in range(1, 21))
RANDOM = {
    "random": (*_NUMBERS, "bull"),
    "random_double": (*(f"D{number}" for number in _NUMBERS), "DB"),
    "random_triple": tuple(f"T{number}" for number in _NUMBERS),
}
"""The targets that each kind of draw draws from."""
_LABELS = ("single", "inner", "outer", "double", "triple", "bull")
_BEDS = (*(f"{ring}{number}" for ring in "SIOTD" for number in _NUMBERS), "SB", "DB")
_TARGETS = (*_BEDS, *_NUMBERS, *_LABELS, *RANDOM)
_FORM = r"^(random(_double|_triple)?|[SIOTD]?([1-9]|1[0-9]|20)|SB|DB|single|inner|outer|double|triple|bull)$"
"""The pattern of a target, for forms; `resolve` refuses with a sentence."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`target`: a segment or group of the layout, or how it is drawn. `until`: the end, after `count` darts or hits."""

    target: Annotated[str, Meta(extra_json_schema={"pattern": _FORM})] = "T20"
    until: Literal["darts", "hits"] = "darts"
    count: Annotated[int, Meta(ge=1, le=1000)] = 30
    rounds: Annotated[int, Meta(ge=1, le=500)] = 100


class TrainingState(Struct, frozen=True):
    """The target, and the round it was drawn for; by side: hits, darts, and the hits in a row so far."""

    options: Options
    target: str
    round: int
    hits: tuple[int, ...]
    darts: tuple[int, ...]
    streaks: tuple[int, ...]


class SegmentTraining(Game[Options, TrainingState]):
    """Throw at one target, for a fixed number of darts or until you have a fixed number of hits.

    `Target` says what to hit: a bed (T20, D16, S5, SB, DB), half of a single (I20 is the inner, O20 the outer half), a
    number in any ring (20), or any bed of one kind: single (the outer bull is not one), inner, outer, double, triple or
    bull. On a board that cannot tell the halves apart, every single counts as outer. With random, random_double or
    random_triple one target is drawn for each round, the same for all sides: random draws a number or the bull,
    random_double a double, random_triple a triple.

    `Ends after a number of`: with `Darts` each side throws the number of darts that `Number of darts or hits` says
    (30), and the most hits win. With `Hits` a side has finished when it has that many hits. The round is then played to
    its end, and the finished side with the fewest darts wins. After 100 rounds (`Rounds`) the leg ends anyway, and the
    most hits win. Sides that are level share the win.

    Source: the Segment Training of Autodarts; how targets are drawn is a house rule of oche.
    """

    id = "segment_training"
    group = "practice"
    options_type = Options
    team_size = range(1, 9)
    notes_all_darts = True

    def title(self, options: Options) -> str:
        return f"Segment Training: {options.target.replace('_', ' ')}"

    def resolve(self, options: Options, seating: Seating) -> Options:
        target = options.target
        if target not in _TARGETS:
            *others, last = (*_LABELS, *RANDOM)
            words = f"{', '.join(others)} or {last}"
            possible = f"a bed (T20, D16, S5, I20, O20, SB, DB), a number (1 to 20), {words}"
            meant = suggest_nearest(target, _TARGETS, otherwise="")
            raise Refusal(
                say(
                    "segment_training.no_target",
                    'option target of {game} is "{given}": this must be {details}',
                    game=self.id,
                    given=target,
                    details=f"{possible}{meant}",
                )
            )
        return options

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> TrainingState:
        none = (0,) * len(seating.sides)
        return TrainingState(options, options.target, 0, none, none, none)

    def darts(self, state: TrainingState, turn: Turn) -> int:
        options = state.options
        return 3 if options.until == "hits" else min(3, options.count - state.darts[turn.side])

    def begin(self, state: TrainingState, turn: Turn, luck: Luck) -> Step[TrainingState]:
        if state.options.target not in RANDOM or state.round == turn.round:
            return Step(state)
        pool = RANDOM[state.options.target]
        return Step(replace(state, target=pool[luck.number("target", 1, len(pool))], round=turn.round))

    def dart(self, state: TrainingState, segment: Segment, turn: Turn, luck: Luck) -> Step[TrainingState]:
        side, hit = turn.side, hits(segment, state.target)
        streak = state.streaks[side] + 1 if hit else 0
        state = replace(
            state,
            hits=put(state.hits, side, state.hits[side] + hit),
            darts=put(state.darts, side, state.darts[side] + 1),
            streaks=put(state.streaks, side, streak),
        )
        done, counts = _has_finished(state, side), tried(state.target, hit)
        return Step(state, points=turn.points + hit, ends_visit=done, counts=counts, highs={"streak": streak})

    def round_over(self, state: TrainingState, turn: Turn, luck: Luck) -> Step[TrainingState]:
        options = state.options
        done = [side for side in turn.playing if _has_finished(state, side)]
        if done and options.until == "hits":
            return Step(state, winners=leaders(done, lambda side: -state.darts[side]))
        if done or (options.until == "hits" and turn.round == options.rounds):
            return Step(state, winners=leaders(turn.playing, lambda side: state.hits[side]))
        return Step(state)

    def leading(self, state: TrainingState, sides: tuple[int, ...]) -> tuple[int, ...]:
        done = [side for side in sides if state.options.until == "hits" and _has_finished(state, side)]
        if done:
            return leaders(done, lambda side: -state.darts[side])
        return leaders(sides, lambda side: state.hits[side])

    def score(self, state: TrainingState, side: int) -> int:
        return state.hits[side]

    def better(self, options: Options) -> Better:
        return "high" if options.until == "darts" else "low"

    def result(self, state: TrainingState, side: int, tally: Tally) -> int | None:
        """The hits; where so many hits are to be made, the darts that they took."""
        if state.options.until == "darts":
            return state.hits[side]
        return state.darts[side] if state.hits[side] >= state.options.count else None

    def view(self, state: TrainingState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"hits": rate(tally), "darts": darts, "streak": streak, "best_streak": tally.highs.get("streak", 0)}
            for darts, streak, tally in zip(state.darts, state.streaks, turn.tallies, strict=True)
        )
        board: dict[str, Any] = {"target": state.target, "unit": "hits"}  # Any: JSON
        board["notes"] = [int(hits(dart, state.target)) for dart in turn.darts]
        if state.target in ("inner", "outer") or state.target[0] in "IO":
            board["split_singles"] = True
        return Panel("plain", detail, targets=(state.target,) if turn.darts_left else (), board=board)

    def task(self, state: TrainingState, turn: Turn, panel: Panel) -> Sentence:
        options, side = state.options, turn.side
        if options.until == "hits":
            left = options.count - state.hits[side]
            return say(
                "segment_training.hits",
                "Hit {target}, hits to go: {left}; the fewest darts win",
                target=state.target,
                left=left,
            )
        left = options.count - state.darts[side]
        return say(
            "segment_training.darts",
            "Hit {target}, darts left: {left}; the most hits win",
            target=state.target,
            left=left,
        )

    def advise(self, state: TrainingState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim=skill.best(lambda segment: hits(segment, state.target), among=_beds_of_target(state.target)))


def hits(segment: Segment, target: str) -> bool:
    """Whether this segment is the target or in its group. A single without halves counts as the outer one."""
    if segment.id == target or target in segment.groups:
        return True
    ring, number = target[0], target[1:]
    outer = "single" in segment.groups and "inner" not in segment.groups
    is_any_single = "single" in segment.groups and ring == "S"
    return (outer and target == "outer") or (number in segment.groups and (is_any_single or (outer and ring == "O")))


def _has_finished(state: TrainingState, side: int) -> bool:
    reached = state.darts if state.options.until == "darts" else state.hits
    return reached[side] >= state.options.count


def _beds_of_target(target: str) -> tuple[str, ...]:
    """The beds to aim at for the target: the widest that hit it."""
    if target in (*_NUMBERS, "bull"):
        return beds(target)
    fat = {"single": "O20", "outer": "O20", "inner": "I20", "double": "D20", "triple": "T20"}
    if target in fat:
        return (fat[target],)
    return (f"O{target[1:]}", f"I{target[1:]}") if target[0] == "S" and target != "SB" else (target,)


GAMES = (SegmentTraining(),)
