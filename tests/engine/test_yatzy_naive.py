"""Yatzy-Dart against a scorer written a second time: three darts, thousands of matches, and one golden count."""

from __future__ import annotations

import copy
import random
from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import pytest

from engine.games import GAMES
from engine.games.yatzy_dart import Area, Options, values
from engine.match import Match
from engine.position import Position
from protocol.commands import Choose, Next, Throw
from protocol.layouts import find_layout
from protocol.match_spec import read_header
from tests.engine.records import header
from tests.engine.test_perft import referee
from tests.sweep import many, sweep

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


LAYOUT = find_layout("yatzy")
IDS = [segment.id for segment in LAYOUT]


@pytest.mark.parametrize("seed", range(4))
def test_three_darts_are_valued_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(many(100, 2000)):
        darts = chance.choices(IDS, k=3)
        options = Options(
            star_in_chance=chance.random() < 0.5,
            straight=chance.choice(["any", "thrown"]),
            foul=chance.choice(["dart", "visit"]),
        )
        found = values(tuple(Area.of(LAYOUT[dart]) for dart in darts), options)
        naive = worth(tuple(darts), options.star_in_chance, options.straight, options.foul)
        assert dict(zip(ROWS, found, strict=True)) == naive, darts


@pytest.mark.parametrize("seed", sweep(range(8), lambda seed: seed < 3))
def test_matches_are_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    pool = [*chance.sample(IDS, 9), "OFF", "NONE", "FOUL", "STAR", "456i"]
    shared = 0
    for _ in range(many(30, 520)):
        options = {
            "star_in_chance": chance.random() < 0.5,
            "straight": chance.choice(["any", "thrown"]),
            "rethrows": chance.choice([None, 0, 1, 2]),
            "foul": chance.choice(["dart", "visit"]),
        }
        sides = chance.choice([1, 1, 2, 3])
        naive, first = NaiveYatzy(options, sides), header("yatzy_dart", ("Ann", "Bo", "Cy")[:sides], options=options)
        match = Match(read_header(first), GAMES["yatzy_dart"], "oche")
        few = [*pool, *["NONE"] * chance.choice([0, 0, 60, 600])]
        while not naive.over:
            _visit(match, naive, few, chance)
            assert [match.score(side) for side in range(sides)] == naive.scores
        assert list(match.panel().detail) == naive.details
        assert (match.position.phase, list(match.position.winners)) == ("over", naive.winners)
        shared += len(naive.winners) > 1
    assert shared, "no tie was seen"


def _visit(match: Match, naive: NaiveYatzy, pool: list[str], chance: random.Random) -> None:
    """Thrown, or broken off by the button; any row is chosen."""
    while naive.left:
        assert (match.position.visit.number, match.position.visit.side) == (naive.visits, naive.side)
        assert match.position.visit.darts_left == naive.left
        if chance.random() < 0.05:
            assert match.apply(match.line + 1, Next()).accepted
            naive.darts += ["NONE"] * naive.left
            break
        naive.darts.append(chance.choice(pool))
        assert match.apply(match.line + 1, Throw(naive.darts[-1])).accepted
    (prompt,) = match.position.prompts
    assert (prompt.id, prompt.seat, prompt.blocking) == (f"row@{naive.visits}", naive.side, True)
    assert (list(prompt.options or ()), prompt.values) == (list(naive.values), naive.values)
    assert naive.values[prompt.default or ""] == max(naive.values.values())
    assert match.advice().answer in naive.values
    row = chance.choice(list(naive.values))
    naive.choose(row)
    assert match.apply(match.line + 1, Choose(row)).accepted
    if not naive.over:
        assert match.apply(match.line + 1, Next()).accepted


@pytest.mark.long
def test_perft() -> None:
    """How many ways five visits' first darts and rows can go; any change of who throws or what is asked changes it."""
    darts, rows, options = ("6i", "45m", "STAR", "OFF"), ("sixes", "two_pairs", "yatzy"), {"rethrows": 1}
    rules = referee("yatzy_dart", options)

    def leaves(position: Position, depth: int) -> list[tuple[tuple[int, ...], int]]:
        if position.phase == "takeout":
            position, _ = rules.next(position, 0)
        if not depth:
            return [(tuple(rules.game.score(position.state, side) for side in (0, 1)), position.visit.darts_left)]
        if position.blocking:
            after = [rules.choose(position, None, row)[0] for row in rows if row in (position.blocking.options or ())]
        else:
            after = [rules.throw(position, 0, Throw(dart))[0] for dart in darts]
        return [leaf for one in after for leaf in leaves(one, depth - 1)]

    def naive_leaves(naive: NaiveYatzy, depth: int) -> list[tuple[tuple[int, ...], int]]:
        if not depth:
            return [(tuple(naive.scores), naive.left)]
        found = []
        for step in [row for row in rows if row in naive.values] if not naive.left else darts:
            branch = copy.deepcopy(naive)
            if naive.left:
                branch.darts.append(step)
            else:
                branch.choose(step)
            found += naive_leaves(branch, depth - 1)
        return found

    found = leaves(rules.start()[0], 7)
    assert (len(found), len(set(found))) == (12288, 18)
    assert sorted(found) == sorted(naive_leaves(NaiveYatzy(options, 2), 7))
