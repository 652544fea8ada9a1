"""The sheet of Yatzy-Dart: what three darts are worth in each of its rows, and what a sheet comes to.

Apart from the game because nothing here knows of turns or players: it is one function, from darts to values.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.segment import Segment

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
"""The rows in the order of the sheet, and the most that each can be worth (without stars in Chance)."""
ROWS = tuple(MOST)
UPPER = ROWS[:6]
_ENOUGH = 100
"""The upper rows must pass this for the bonus."""
_FIFTY = 50
"""What a star is worth, and the bonus."""

Sheet = tuple[int | None, ...]
"""What stands in each row; None is open."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the rules that houses differ in; `rethrows` None is no limit."""

    star_in_chance: bool = False
    straight: Literal["any", "thrown"] = "any"
    rethrows: Annotated[int, Meta(ge=0, le=1000)] | None = None
    foul: Literal["dart", "visit"] = "dart"


class Area(Struct, frozen=True):
    """Where a dart lies, as the sheet sees it: the numbers it may be taken for, and as how many copies at most."""

    id: str
    numbers: tuple[int, ...]
    copies: int

    @staticmethod
    def of(segment: Segment) -> Area:
        """The area of this segment of the face."""
        numbers = tuple(number for number in range(1, 7) if str(number) in segment.groups)
        return Area(segment.id, numbers, segment.multiplier)


@lru_cache(maxsize=4096)  # the same few darts are valued for the prompt, the answer and every screen
def values(darts: tuple[Area, ...], options: Options) -> tuple[int, ...]:
    """What each row would be worth with these darts, in the order of the sheet."""
    if options.foul == "visit" and any(dart.id == "FOUL" for dart in darts):
        return (0,) * len(ROWS)
    counting = [[(number, dart.copies) for number in dart.numbers] for dart in darts if dart.numbers]
    ways = [_values(taken, in_order=options.straight == "thrown") for taken in product(*counting)]
    best = dict(zip(ROWS, map(max, zip(*ways, strict=True)), strict=True))
    stars = sum(dart.id == "STAR" for dart in darts)
    best["yatzy"] = _FIFTY if stars else 0
    best["chance"] += _FIFTY * stars * options.star_in_chance
    return tuple(best.values())


def _values(taken: tuple[tuple[int, int], ...], in_order: bool) -> tuple[int, ...]:
    """The same when each dart has been taken for one number: (number, copies at most), as thrown. No stars."""
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
    """What the rows that are still open are worth."""
    return {row: new for row, old, new in zip(ROWS, sheet, worth, strict=True) if old is None}


def gain(row: str, value: int) -> float:
    """How well a value fills a row: above or below half of what the row can be worth."""
    return value - MOST[row] / 2


def upper(sheet: Sheet) -> int:
    """The sum of the upper rows."""
    return sum(value or 0 for value in sheet[: len(UPPER)])


def bonus(sheet: Sheet) -> int:
    """What the upper rows earn."""
    return _FIFTY if upper(sheet) > _ENOUGH else 0


def total(sheet: Sheet) -> int:
    """What the sheet comes to."""
    return sum(value or 0 for value in sheet) + bonus(sheet)
