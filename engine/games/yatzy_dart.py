"""Yatzy-Dart: three darts are the dice, and every visit fills one row of a score sheet.

A visit has no value of its own: each row values the same three darts in its own way, as good as it can be for the
player. So the rules are one function, from darts to the values of all rows, and the game around it asks which row.
It is asked again whenever a dart is corrected, and the row that was chosen keeps its place with its new value.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Award, Claimed, Fact, Game, Panel, Prompt, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

MOST = {
    "ones": 9,
    "twos": 18,
    "threes": 27,
    "fours": 36,
    "fives": 45,
    "sixes": 54,
    "pair": 12,
    "two_pairs": 22,
    "three_kind": 18,
    "villa": 33,
    "single_straight": 15,
    "double_straight": 30,
    "triple_straight": 45,
    "yatzy": 50,
    "chance": 54,
}
"""The rows in the order of the sheet, with the most that each can be worth (without stars in Chance)."""
ROWS = tuple(MOST)
UPPER = ROWS[:6]
ENOUGH = 100
"""The sum of the upper rows must be greater than this for the bonus."""
BONUS = 50
STAR = 50
"""What it is worth where it counts."""

Sheet = tuple[int | None, ...]
"""The value of each row; None is open."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in; `rethrows` None is no limit."""

    star_in_chance: bool = False
    straight: Literal["any", "thrown"] = "any"
    rethrows: Annotated[int, Meta(ge=0, le=1000)] | None = None
    foul: Literal["dart", "visit"] = "dart"


class Area(Struct, frozen=True):
    """Where a dart lies: the numbers it may be taken for, and how many times at most."""

    id: str
    numbers: tuple[int, ...]
    copies: int

    @staticmethod
    def of(segment: Segment) -> Area:
        """The area of this segment of the layout."""
        numbers = tuple(number for number in range(1, 7) if str(number) in segment.groups)
        return Area(segment.id, numbers, segment.multiplier)


@lru_cache(maxsize=4096)  # the same few darts are valued for the prompt, the answer and every screen
def values(darts: tuple[Area, ...], options: Options) -> tuple[int, ...]:
    """The value of each row with these darts, in the order of the sheet."""
    if options.foul == "visit" and any(dart.id == "FOUL" for dart in darts):
        return (0,) * len(ROWS)
    counting = [[(number, dart.copies) for number in dart.numbers] for dart in darts if dart.numbers]
    ways = [_values(taken, in_order=options.straight == "thrown") for taken in product(*counting)]
    best = dict(zip(ROWS, map(max, zip(*ways, strict=True)), strict=True))
    stars = sum(dart.id == "STAR" for dart in darts)
    best["yatzy"] = STAR if stars else 0
    best["chance"] += STAR * stars * options.star_in_chance
    return tuple(best.values())


def _values(taken: tuple[tuple[int, int], ...], in_order: bool) -> tuple[int, ...]:
    """The same for darts that are each taken for one number, as pairs of it and the copies at most. Without stars."""
    copies = [sum(most for number, most in taken if number == n) for n in range(7)]
    numbers = [number for number, _ in taken] if in_order else sorted(number for number, _ in taken)
    follow = len(numbers) == 3 and numbers == list(range(numbers[0], numbers[0] + 3))
    level = min(most for _, most in taken) if follow else 0

    def same(count: int, kinds: int) -> int:
        highest = [number for number in range(6, 0, -1) if copies[number] >= count][:kinds]
        return count * sum(highest) if len(highest) == kinds else 0

    def straight(count: int) -> int:
        return count * sum(numbers) if level >= count else 0

    singles = [number * copies[number] for number in range(1, 7)]
    sets = same(2, 1), same(2, 2), same(3, 1), same(3, 2)
    return (*singles, *sets, straight(1), straight(2), straight(3), 0, sum(singles))


def open_rows(sheet: Sheet, worth: tuple[int, ...]) -> dict[str, int]:
    """The values of the rows that are still open, by row."""
    return {row: new for row, old, new in zip(ROWS, sheet, worth, strict=True) if old is None}


def gain(row: str, value: int) -> float:
    """How much a value is above half of the most that the row can be worth."""
    return value - MOST[row] / 2


def upper(sheet: Sheet) -> int:
    """The sum of the upper rows."""
    return sum(value or 0 for value in sheet[: len(UPPER)])


def bonus(sheet: Sheet) -> int:
    """The bonus that the upper rows earn: 0 or 50."""
    return BONUS if upper(sheet) > ENOUGH else 0


def total(sheet: Sheet) -> int:
    """The sum of the sheet, the bonus included."""
    return sum(value or 0 for value in sheet) + bonus(sheet)


class YatzyState(Struct, frozen=True):
    """The sheets by side, and the row that this visit has filled. `aims` are the areas worth aiming at."""

    options: Options
    sheets: tuple[Sheet, ...]
    aims: tuple[Area, ...]
    row: str | None = None


class YatzyDart(Game[Options, YatzyState]):
    """Yatzy with darts on a board of six overlapping circles.

    The board has six overlapping circles, numbered 1 to 6, and a star in the middle. In fifteen visits of three darts
    you fill the fifteen rows of the score sheet, one row a visit. Then the most points win, and sides with equal points
    share the win.

    A dart counts for the circle it lies in: three times in the inner ring, twice in the middle ring, once in the outer
    ring. It may also count fewer times. Where circles overlap, a dart counts for one of them. The game counts every
    dart in the way that is best for the row. Your visit is scored after the third dart, from where all three lie then:
    if a later dart has pushed an earlier one, correct it, and the rows are counted again.

    After the third dart you choose one of the open rows, even one worth nothing. Each row can be chosen only once.

    Ones to Sixes: all of that number. More than 100 points in these six rows earn a bonus of 50. Pair: two of a number.
    Two Pairs: two each of two numbers. Three of a Kind: three of a number. Villa: three each of two numbers. A row
    counts only what it asks for: a pair of sixes is 12, whatever else you have hit. Single, Double and Triple Straight:
    three darts in three consecutive numbers (such as 3, 4, 5), each at least once, twice or three times, thrown in any
    order; `Straights`: with `From lowest to highest` you must throw them from the lowest to the highest. Yatzy: a dart
    in the star, 50 points. In every other row the star is worth nothing; with `Star counts in Chance` each star is
    worth 50 in Chance. Chance: everything, each dart for its highest number.

    A dart that falls off the board is thrown again, as often as needed; `Rethrows per visit` can limit how often in a
    visit, and after that it is a miss. A dart that sticks in no circle or outside the outer ring is a miss. A dart
    thrown with a foot over the line is a foul and counts nothing. `Foul costs`: with `The visit` the whole visit counts
    nothing.

    Source: Yatzy-Dart, rules of the game, Tvikstaps Spel (www.tvikstaspel.se).
    """

    id = "yatzy_dart"
    group = "boards"
    options_type = Options
    layouts = ("yatzy",)

    def title(self, options: Options) -> str:
        return "Yatzy-Dart"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> YatzyState:
        # The inner ring is always worth most; where circles overlap there is more to choose from. Most room first.
        inner = [area for area in map(Area.of, layout.group("inner")) if len(area.numbers) > 1]
        aims = sorted(inner, key=lambda area: (len(area.numbers), -sum(area.numbers)))
        return YatzyState(options, ((None,) * len(ROWS),) * len(seating.sides), tuple(aims))

    def begin(self, state: YatzyState, turn: Turn, luck: Luck) -> Step[YatzyState]:
        return Step(replace(state, row=None))

    def dart(self, state: YatzyState, segment: Segment, turn: Turn, luck: Luck) -> Step[YatzyState]:
        limit, fallen = state.options.rethrows, sum(dart.id == "OFF" for dart in turn.darts)
        again = segment.id == "OFF" and (limit is None or fallen <= limit)
        return Step(state, extra_darts=int(again))

    def prompts(self, state: YatzyState, turn: Turn) -> tuple[Prompt, ...]:
        if turn.darts_left or state.row is not None:
            return ()
        worth = open_rows(state.sheets[turn.side], values(_areas(turn), state.options))
        best = max(worth, key=lambda row: worth[row])
        text, prompt_id = say("prompt.yatzy_dart_row", "Which row takes this visit?").text, turn.prompt_id("row")
        return (Prompt(prompt_id, turn.seat, text, tuple(worth), values=worth, default=best, options_are="rows"),)

    def decide(self, state: YatzyState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[YatzyState]:
        before, row = state.sheets[turn.side], ROWS.index(answer)
        value = values(_areas(turn), state.options)[row]
        sheet = put(before, row, value)
        facts: list[Fact] = [Claimed(side=turn.side, cell=answer)]
        if answer == "yatzy" and value:
            facts.append(Award(side=turn.side, award="yatzy", great=True))
        if bonus(sheet) > bonus(before):
            facts.append(Award(side=turn.side, award="bonus"))
        state = replace(state, sheets=put(state.sheets, turn.side, sheet), row=answer)
        return Step(state, tuple(facts), points=total(sheet) - total(before))

    def round_over(self, state: YatzyState, turn: Turn, luck: Luck) -> Step[YatzyState]:
        if turn.round < len(ROWS):
            return Step(state)
        best = max(self.score(state, side) for side in turn.playing)
        return Step(state, winners=tuple(side for side in turn.playing if self.score(state, side) == best))

    def dart_counts(self, state: YatzyState, segment: Segment, turn: Turn, step: Step[YatzyState]) -> bool:
        return segment.multiplier > 0

    def leading(self, state: YatzyState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: self.score(state, side))

    def score(self, state: YatzyState, side: int) -> int:
        return total(state.sheets[side])

    def view(self, state: YatzyState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "rows": {row: value for row, value in zip(ROWS, sheet, strict=True) if value is not None},
                "upper": upper(sheet),
                "bonus": bonus(sheet),
            }
            for sheet in state.sheets
        )
        aim = self._aim(state, turn)
        board: dict[str, Any] = {  # Any: JSON
            "rows": ROWS,
            "upper": len(UPPER),
            "bonus": {"over": ENOUGH, "points": BONUS},
        }
        if turn.darts and aim:
            worth = open_rows(state.sheets[turn.side], values(_areas(turn), state.options))
            board["so_far"] = {row: value for row, value in worth.items() if value}
        return Panel("yatzy", detail, targets=(aim,) if aim else (), board=board)

    def task(self, state: YatzyState, turn: Turn, panel: Panel) -> Sentence:
        bed = panel.targets[0]
        if bed == "STAR":
            return say("yatzy_dart.star", "Hit the star in the middle: a Yatzy")
        area = next(area for area in state.aims if area.id == bed)
        rows = self._rows_worth(state, turn, area)
        row = max(rows, key=lambda row: gain(row, rows[row]))
        so_far = panel.board.get("so_far", {}).get(row, 0)
        if row == "yatzy":
            return say("yatzy_dart.made", "You have a Yatzy: {points} points", points=so_far)
        if not so_far:
            return say("yatzy_dart.first", "Hit {bed}: best for {row}", bed=bed, row=row)
        return say(
            "yatzy_dart.then",
            "Hit {bed}: best for {row}, {points} so far",
            bed=bed,
            row=row,
            points=so_far,
        )

    def advise(self, state: YatzyState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if turn.darts_left or state.row is not None:
            return Advice(aim=self._aim(state, turn, skill))
        worth = open_rows(state.sheets[turn.side], values(_areas(turn), state.options))
        return Advice(answer=max(worth, key=lambda row: gain(row, worth[row])))

    def _aim(self, state: YatzyState, turn: Turn, skill: Skill | None = None) -> str | None:
        """The area that would pay best if every dart left landed where this one does; without a skill, right in it.

        The star is small, so it is the last resort.
        """
        if not turn.darts_left:
            return None

        def worth(area: Area) -> float:
            return max(gain(row, value) for row, value in self._rows_worth(state, turn, area).items())

        areas = {area.id: area for area in state.aims}
        best = max(state.aims, key=worth)
        if skill is not None:
            best = areas[skill.best(lambda landed: worth(Area.of(landed)), areas)]
        return "STAR" if worth(best) <= 0 and state.sheets[turn.side][ROWS.index("yatzy")] is None else best.id

    def _rows_worth(self, state: YatzyState, turn: Turn, area: Area) -> dict[str, int]:
        """The values of the open rows if every dart left lands in this area."""
        worth = values((*_areas(turn), *(area,) * turn.darts_left), state.options)
        return open_rows(state.sheets[turn.side], worth)


def _areas(turn: Turn) -> tuple[Area, ...]:
    return tuple(map(Area.of, turn.darts))


GAMES = (YatzyDart(),)
