"""Courses: beds to hit one after the other, the first through wins. Football Field, Steeplechase, Chase the Dragon.

A course is a list of segments and groups, for each side its own. That a dart moves on one step at most, and that the
darts that are left go for the next one, is the same in all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say
from protocol.standard import NUMBERS, merged

O = TypeVar("O", bound=Struct)  # noqa: E741  (options)
Rounds = Annotated[int, Meta(ge=1, le=1000)] | None


class CourseState(Struct, Generic[O], frozen=True):
    """The course of each side, as segments and groups of the layout, and how many of its steps are done."""

    options: O
    courses: tuple[tuple[str, ...], ...]
    at: tuple[int, ...]


class Course(Game[O, CourseState[O]]):
    """The rules of the family; see its games."""

    team_size = range(1, 9)

    @abstractmethod
    def course(self, options: O, side: int, luck: Luck) -> tuple[str, ...]:
        """The steps of this side: segments or groups of the layout."""

    @abstractmethod
    def limit(self, options: O) -> int | None:
        """After so many rounds the side with the most steps wins; None for no limit."""

    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> CourseState[O]:
        count = len(seating.sides)
        return CourseState(options, tuple(self.course(options, side, luck) for side in range(count)), (0,) * count)

    def dart(self, state: CourseState[O], segment: Segment, turn: Turn, luck: Luck) -> Step[CourseState[O]]:
        side, at = turn.side, state.at[turn.side]
        if not _hits(state.courses[side][at], segment):
            return Step(state)
        state = replace(state, at=put(state.at, side, at + 1))
        is_done = at + 1 == len(state.courses[side])
        return Step(
            state,
            points=turn.points + 1,
            ends_visit=is_done,
            winners=(side,) if is_done else None,
            counts={"on_target": 1},
        )

    def round_over(self, state: CourseState[O], turn: Turn, luck: Luck) -> Step[CourseState[O]]:
        if turn.round != self.limit(state.options):
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: state.at[side]))

    def leading(self, state: CourseState[O], sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.at[side])

    def score(self, state: CourseState[O], side: int) -> int:
        return state.at[side]

    def view(self, state: CourseState[O], turn: Turn, seat: int | None) -> Panel:
        """The steps are those of the side at the oche."""
        detail = tuple(
            {"at": at, "hits": [tally.counts.get("on_target", 0), tally.darts]}
            for at, tally in zip(state.at, turn.tallies, strict=True)
        )
        course, at = state.courses[turn.side], state.at[turn.side]
        steps = ["B" if step == "bull" else step for step in course]
        legend = {"B": "bull"} if "B" in steps else {}
        targets = course[at : at + min(1, turn.darts_left)]
        board: dict[str, Any] = {"steps": steps, "legend": legend, "unit": "steps"}  # Any: JSON
        if any(step[0] in "IO" for step in course):
            board["split_singles"] = True
        return Panel("track", detail, targets=targets, board=board)

    def task(self, state: CourseState[O], turn: Turn, panel: Panel) -> Sentence:
        course, at = state.courses[turn.side], state.at[turn.side]
        target = course[at]
        if at + 1 == len(course):
            return say("courses.last", "Hit {target}: the last step, and you win", target=target)
        if target[0] == "I":
            return say(
                "courses.inner", "Hit {number} between triple and bull; first to the end wins", number=target[1:]
            )
        if target[0] == "O":
            return say(
                "courses.outer", "Hit {number} between double and triple; first to the end wins", number=target[1:]
            )
        return say("courses.hit", "Hit {target}, then the next; first to the end wins", target=target)

    def advise(self, state: CourseState[O], turn: Turn, seat: int, skill: Skill) -> Advice:
        target = state.courses[turn.side][state.at[turn.side]]
        return Advice(aim=skill.best(lambda segment: _hits(target, segment), _aims(target)))


def _hits(target: str, segment: Segment) -> bool:
    """Whether the dart is in the target. A single of a board that cannot tell them apart is in either of the two."""
    if target[0] == "S" and target != "SB":
        return {target[1:], "single"} <= segment.groups
    return target in segment.groups or segment.id in (target, merged(target))


def _aims(target: str) -> tuple[str, ...]:
    """The beds that may be worth aiming at for this target."""
    if target.isdigit() or target == "bull":
        return beds(target)
    return beds(target[1:], "OI") if target[0] == "S" and target != "SB" else (target,)


class FieldOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`field`: the number at which the field begins; `fields`: that of each side; `draw`: it is drawn by chance."""

    field: Annotated[int, Meta(ge=1, le=20)] = 20
    fields: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=20)], ...],
        Meta(description="a list with a number for each side, 1 to 20", examples=[[20, 6]]),
    ] = ()
    draw: bool = False
    rounds: Rounds = None


class FootballField(Course[FieldOptions]):
    """Run the field: eleven beds in a line across the board, from double to double.

    The field begins at the double of the 20 (`First number`: 1 to 20) and runs through the bull to the double on the
    other side: double, outer single, triple, inner single, outer bull, inner bull, outer bull, inner single, triple,
    outer single, double. With `First number of each side` every side has a field of its own (give a list of first
    numbers, in the order of the sides). With `Draw the fields` a field is drawn for every side when the leg begins.

    Every side throws three darts a visit and must hit these eleven beds in order, each with a dart of its own. After a
    hit, throw your next dart at the next bed. If a board cannot tell the two singles of a number apart, either counts.
    The members of a team take turns.

    The first side to hit all eleven wins at once. With a limit of `Rounds` the side that has come farthest wins after
    the last one; equally far sides share the win.

    Source: the manual of the BullShooter EDB400 (Football); drawing a field is a house rule of oche.
    """

    id = "football_field"
    group = "races"
    options_type = FieldOptions
    by_side = frozenset({"fields"})

    def title(self, options: FieldOptions) -> str:
        return "Football Field"

    def resolve(self, options: FieldOptions, seating: Seating) -> FieldOptions:
        if options.fields and options.draw:
            raise Refusal(say("courses.refuse_draw", "fields sets the field of each side: leave out fields or draw"))
        if options.fields and len(options.fields) != len(seating.sides):
            raise Refusal(
                say(
                    "courses.refuse_fields",
                    "fields needs one number for each side ({sides} here), or none at all",
                    sides=len(seating.sides),
                )
            )
        if len({*options.fields}) == 1:  # the same field for all, which is no variant of its own
            return replace(options, field=options.fields[0], fields=())
        return options

    def course(self, options: FieldOptions, side: int, luck: Luck) -> tuple[str, ...]:
        if options.draw:
            near = luck.die("field", side, 20)
        else:
            near = options.fields[side] if options.fields else options.field
        far = NUMBERS[(NUMBERS.index(near) + 10) % 20]
        run = (f"D{near}", f"O{near}", f"T{near}", f"I{near}")
        return (*run, "SB", "DB", "SB", f"I{far}", f"T{far}", f"O{far}", f"D{far}")

    def limit(self, options: FieldOptions) -> int | None:
        return options.rounds


_FENCES = (13, 17, 8, 5)


class ChaseOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`ring`: what counts of a number; `fences`: the triples on the way."""

    ring: Literal["inner", "single", "any"] = "inner"
    fences: bool = True
    rounds: Rounds = None


class Steeplechase(Course[ChaseOptions]):
    """Around the board on the inner singles and over four fences (triples) to the bull.

    The course begins at the 20, runs clockwise around the board to the 5 and ends at the bull. Only the inner single
    of each number counts, the one between the bull and the triple. With `Ring` `Single` both singles count, with `Any`
    the whole number.

    There is a fence after the 13, the 17, the 8 and the 5: hit the triple of that number before you go on. With
    `Fences` off there is none.

    Every side throws three darts a visit. A dart moves you one step at most; after a hit, throw your next dart at the
    next step. If a board cannot tell the two singles of a number apart, either counts. The members of a team take
    turns.

    The first side to hit the bull (either part) at the end of its course wins at once. With a limit of `Rounds` the
    side that has come farthest wins after the last one; equally far sides share the win.

    Source: the manual of the BullShooter EDB400 (Steeplechase).
    """

    id = "steeplechase"
    group = "races"
    options_type = ChaseOptions

    def title(self, options: ChaseOptions) -> str:
        return "Steeplechase"

    def course(self, options: ChaseOptions, side: int, luck: Luck) -> tuple[str, ...]:
        prefix = {"inner": "I", "single": "S", "any": ""}[options.ring]
        steps: list[str] = []
        for number in NUMBERS:
            steps.append(f"{prefix}{number}")
            if options.fences and number in _FENCES:
                steps.append(f"T{number}")
        return (*steps, "bull")

    def task(self, state: CourseState[ChaseOptions], turn: Turn, panel: Panel) -> Sentence:
        target = state.courses[turn.side][state.at[turn.side]]
        if target[0] == "T":
            return say("courses.fence", "A fence: hit {target} to get over it, then go on", target=target)
        return super().task(state, turn, panel)

    def limit(self, options: ChaseOptions) -> int | None:
        return options.rounds


class DragonOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`heads`: how often the dragon is chased."""

    heads: Annotated[int, Meta(ge=1, le=3)] = 1
    rounds: Rounds = None


class ChaseTheDragon(Course[DragonOptions]):
    """The triples of 10 to 20 in order, then the outer and the inner bull; first to finish wins.

    Every side throws three darts a visit and must hit the triple 10, the triple 11 and so on up to the triple 20, then
    the outer bull, then the inner bull, strictly in that order. After a hit, throw your next dart at the next target.
    The members of a team take turns.

    `Heads of the dragon`, one to three: with two or three heads, the sides must go the whole way two or three times.

    The first side to finish wins at once. With a limit of `Rounds` the side that has come farthest wins after the last
    one; equally far sides share the win.

    Source: Chase the Dragon as dartsdude.com prints it; more heads than one are a house rule of oche.
    """

    id = "chase_the_dragon"
    group = "races"
    options_type = DragonOptions

    def title(self, options: DragonOptions) -> str:
        return "Chase the Dragon"

    def course(self, options: DragonOptions, side: int, luck: Luck) -> tuple[str, ...]:
        return (*(f"T{number}" for number in range(10, 21)), "SB", "DB") * options.heads

    def limit(self, options: DragonOptions) -> int | None:
        return options.rounds


GAMES = (FootballField(), Steeplechase(), ChaseTheDragon())
