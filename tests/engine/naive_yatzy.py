"""Yatzy-Dart scored a second time, naively, from its rules page: what the engine is compared with.

Nothing here knows the engine or the face. A dart is turned into dice: so many of one of its numbers, from none to as
many as its ring allows. A row is filled when some choice makes exactly the dice that it asks for, and then it is worth
their sum.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

ROWS = (
    "ones twos threes fours fives sixes pair two_pairs three_kind villa "
    "single_straight double_straight triple_straight yatzy chance"
).split()
DEFAULTS: dict[str, Any] = {"star_in_chance": False, "straight": "any", "rethrows": None, "foul": "dart"}
SHAPES = {(2,): "pair", (2, 2): "two_pairs", (3,): "three_kind", (3, 3): "villa"}
STRAIGHTS = {1: "single_straight", 2: "double_straight", 3: "triple_straight"}


def dice(dart: str) -> list[tuple[int, int]]:
    """What a dart can be taken for: (number, how many)."""
    if dart in ("STAR", "NONE", "OFF", "FOUL"):
        return [(0, 0)]
    most = {"i": 3, "m": 2, "o": 1}[dart[-1]]
    return [(0, 0), *((int(digit), count) for digit in dart[:-1] for count in range(1, most + 1))]


@cache
def worth(darts: tuple[str, ...], star_in_chance: bool, straight: str, foul: str) -> dict[str, int]:
    """The most that each row can be worth with these darts, fallen ones included."""
    best = dict.fromkeys(ROWS, 0)
    if foul == "visit" and "FOUL" in darts:
        return best
    for taken in set(product(*map(dice, darts))):
        used = [(number, count) for number, count in taken if count]
        for row in _filled(used, straight):
            best[row] = max(best[row], sum(number * count for number, count in used))
    best["yatzy"] = 50 * ("STAR" in darts)
    best["chance"] += 50 * darts.count("STAR") * star_in_chance
    return best


def _filled(used: list[tuple[int, int]], straight: str) -> list[str]:
    """The rows that ask for exactly these dice."""
    rows = ["chance"]
    copies: Counter[int] = Counter()
    for number, count in used:
        copies[number] += count
    if len(copies) == 1:
        rows.append(ROWS[next(iter(copies)) - 1])
    shape = SHAPES.get(tuple(copies.values()))
    if shape:
        rows.append(shape)
    numbers = [number for number, _ in used]
    if straight == "any":
        numbers.sort()
    if len(used) == 3 and len({count for _, count in used}) == 1:
        low, middle, high = numbers
        if high - middle == middle - low == 1:
            rows.append(STRAIGHTS[used[0][1]])
    return rows


class NaiveYatzy:
    """A match by methods that mutate, one visit at a time."""

    def __init__(self, options: dict[str, Any], sides: int) -> None:
        self.options = {**DEFAULTS, **options}
        self.sheets: list[dict[str, int]] = [{} for _ in range(sides)]
        self.side, self.visits = 0, 1
        self.darts: list[str] = []

    @property
    def left(self) -> int:
        """Darts left to throw."""
        limit = self.options["rethrows"]
        fallen = self.darts.count("OFF")
        again = fallen if limit is None else min(fallen, limit)
        return 3 - len(self.darts) + again

    @property
    def values(self) -> dict[str, int]:
        """The open rows and what they are worth now."""
        rules = self.options["star_in_chance"], self.options["straight"], self.options["foul"]
        found = worth(tuple(self.darts), *rules)
        return {row: found[row] for row in ROWS if row not in self.sheets[self.side]}

    def choose(self, row: str) -> None:
        """Fills a row and hands over to the next side."""
        self.sheets[self.side][row] = self.values[row]
        self.side = (self.side + 1) % len(self.sheets)
        self.darts = []
        self.visits += 1

    @property
    def over(self) -> bool:
        return all(len(sheet) == 15 for sheet in self.sheets)

    @property
    def details(self) -> list[dict[str, Any]]:
        """What the outside sees of each side."""
        found = []
        for sheet in self.sheets:
            upper = sum(sheet.get(row, 0) for row in ROWS[:6])
            found.append({"rows": sheet, "upper": upper, "bonus": 50 * (upper >= 101)})
        return found

    @property
    def scores(self) -> list[int]:
        return [sum(one["rows"].values()) + one["bonus"] for one in self.details]

    @property
    def winners(self) -> list[int]:
        return [side for side, score in enumerate(self.scores) if score == max(self.scores)] if self.over else []
