"""Burma Road against the scorer written a second time from the rules: many matches must come out the same."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.naive_drills import Rounds
from tests.engine.records import Record, header
from tests.engine.side_by_side import play
from tests.engine.test_perft import perft, referee
from tests.sweep import many, sweep

BURMA_ROUNDS = ("20", "19", "T", "18", "17", "D", "16", "15", "BED21", "14", "13", "BULL")


def burma_visit(score: int, target: str, darts: list[str], options: dict[str, Any]) -> tuple[int, int, bool, bool]:
    """A visit of Burma Road: the new score, the points, whether it was halved and whether it was a Shanghai."""
    layouts = [number_and_ring(dart) for dart in darts]

    def value(number: int, ring: int) -> int:
        if number == 25 and ring:
            return 50 if ring == 2 or options.get("bull") == "50/50" else 25
        return number * ring

    def counts(number: int, ring: int) -> bool:
        if target == "T":
            return ring == 3
        if target == "D":
            return ring == 2 and (number != 25 or options.get("bull_is_double", True))
        return ring > 0 and number == (25 if target == "BULL" else int(target))

    if target == "BED21":
        all_score = all(ring for _, ring in layouts)
        bed = len({number for number, _ in layouts}) == 1 and (layouts[0][0] != 25 or options.get("three_bulls", True))
        good = all_score and (bed or sum(value(*dart) for dart in layouts) == 21)
        hits = layouts if good else []
    else:
        hits = [dart for dart in layouts if counts(*dart)]
    if not hits:
        return score - score // 2, 0, True, False
    shanghai = sorted(ring for _, ring in hits) == [1, 2, 3]
    if options.get("one_number_shanghai", True):
        shanghai = shanghai and len({number for number, _ in hits}) == 1
    points = sum(value(*dart) for dart in hits) * (2 if shanghai else 1)
    return score + points, points, False, shanghai


class NaiveBurma(Rounds):
    """Twelve rounds, and more for those who are level then."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.scores = [32] * len(teams)
        self.last: dict[str, Any] = {}

    def score_visit(self, side: int, darts: list[str]) -> int:
        target = BURMA_ROUNDS[(self.round - 1) % 12]
        self.scores[side], self.worth, halved, shanghai = burma_visit(self.scores[side], target, darts, self.options)
        self.last = {"points": self.worth, "halved": halved, "shanghai": shanghai}
        return 3

    def end_round(self) -> None:
        leaders = self.highest([(not out, score) for out, score in zip(self.out, self.scores, strict=True)])
        if self.round >= 12 and len(leaders) == 1:
            self.end(leaders)
        elif self.round >= 12 and self.options["tie"] == "leaders":
            self.out = [side not in leaders for side in range(len(self.teams))]

    def detail(self, side: int) -> dict[str, Any]:
        return {"last": self.last}


def good(state: dict[str, Any], chance: random.Random) -> list[str]:
    """Darts at what the round asks for, and anywhere."""
    target = BURMA_ROUNDS[(state["round"] - 1) % 12]
    if target == "BED21":
        number = chance.randrange(1, 21)
        bed = [f"{chance.choice('SDT')}{number}" for _ in range(3)]
        twenty_one = chance.choice([["S17", "S2", "S2"], ["S3", "D3", "T4"], ["T1", "D1", "S16"], ["I7", "O7", "S7"]])
        bulls = [chance.choice(["SB", "DB"]) for _ in range(3)]
        return chance.choice([bed, twenty_one, bulls, [chance.choice(ANYWHERE) for _ in range(3)]])
    aim = {"T": ["T20", "T5"], "D": ["D20", "DB", "D1"], "BULL": ["SB", "DB"]}
    near = aim.get(target, [f"{ring}{target}" for ring in "SDTIO"])
    return [chance.choice(near if chance.random() < 0.6 else ANYWHERE) for _ in range(3)]


def bad(state: dict[str, Any], chance: random.Random) -> list[str]:
    """Nothing before the last round, and from there on the same points or none, so that some of them are level."""
    target = BURMA_ROUNDS[(state["round"] - 1) % 12]
    hit = {"T": "T20", "D": "D20", "BULL": "SB", "BED21": "MISS"}.get(target, f"S{target}")
    return [hit if state["round"] >= 12 and chance.random() < 0.5 else "MISS", "MISS", "MISS"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 1))
def test_burma_road_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    sudden = some_out = 0
    for _ in range(many(60, 400)):
        options = {
            "bull_is_double": chance.random() < 0.5,
            "three_bulls": chance.random() < 0.5,
            "bull": chance.choice(["25/50", "50/50"]),
            "one_number_shanghai": chance.random() < 0.5,
            "tie": chance.choice(["leaders", "all"]),
        }
        teams = chance.choice([[[0], [1]], [[0, 2], [1, 3]], [[3], [0, 1], [2]], [[0], [1], [2], [3]]])
        naive = NaiveBurma(options, teams)
        play("burma_road", naive, teams, options, chance, chance.choice([good, bad]))
        sudden += naive.round > 12
        some_out += any(naive.out)
    assert sudden > 9, "too few matches came to sudden death"
    assert some_out > 1, "too few came to one of some of the sides"


@pytest.mark.slow
def test_how_many_matches_a_few_darts_make() -> None:
    darts, depth = ("S20", "T20", "D19", "MISS"), 7
    rules = referee("burma_road", {})
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.scores, p.visit.round, p.visit.side, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (16384, 162)
    after = [burma_visit(32, BURMA_ROUNDS[0], [*three], {})[0] for three in product(darts, repeat=3)]
    whole = {
        tuple(score - points * (at == side) for at, score in enumerate(scores)) for scores, _, side, points in seen
    }
    assert whole == set(product(after, repeat=2)), "without the first dart of the visit that is open"


@pytest.mark.parametrize(
    ("darts", "task"),
    [
        ("", "Three darts in one number, or 21 in total; else your score is halved"),
        ("S19", "Stay in 19, or make exactly 2 more; else your score is halved"),
        ("T19", "Stay in 19 with every dart, or your score is halved"),
        ("SB DB", "Stay in the bull with every dart, or your score is halved"),
        ("S5 D3", "Make exactly 10 more, for 21 in total; else your score is halved"),
        ("S5 MISS", "Three in one number or 21 is no longer possible: your score will be halved"),
    ],
)
def test_round_nine_says_what_is_left_to_do(darts: str, task: str) -> None:
    given = Record(header("burma_road"))
    given.play("/ " * 16 + darts)
    assert given.state["task"]["text"] == task
