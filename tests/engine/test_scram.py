"""Scram against a scorer written a second time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.scram import NUMBERS
from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.side_by_side import play
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep


class NaiveScram:
    """Two halves. Rounds are two visits each, of either side."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        self.options, self.teams = options, teams
        self.scores = [0, 0]
        self.turns = [0, 0]
        self.side, self.stopper, self.half = 0, 0, 1
        self.visits = self.in_half = 0
        self.over = False
        self.winners: list[int] = []
        self.worth = 0
        self.marks = [self.board(), self.board()]
        self.all_marks, self.stopping = [0, 0], [0, 0]
        self.by_limit = 0

    def board(self) -> dict[int, int]:
        low = 15 if self.options["numbers"].startswith("15") else 1
        numbers = [*range(20, low - 1, -1), *([25] if self.options["numbers"].endswith("bull") else [])]
        return dict.fromkeys(numbers, 0)

    @property
    def seat(self) -> int:
        team = self.teams[self.side]
        return team[self.turns[self.side] % len(team)]

    @property
    def round(self) -> int:
        return self.visits // 2 + 1

    def told(self, state: dict[str, Any]) -> None:
        """There is no luck in it."""

    def open(self) -> list[int]:
        return [n for n, marks in self.marks[self.stopper].items() if marks < self.options["marks"]]

    def visit(self, darts: list[str]) -> int:
        side, used = self.side, 0
        self.worth = 0
        for dart in darts:
            used += 1
            number, ring = number_and_ring(dart)
            if side == self.stopper:
                self.stopping[side] += 1
            if not ring or number not in self.open():
                continue
            if side == self.stopper:
                room = self.options["marks"] - self.marks[side][number]
                self.marks[side][number] += min(ring, room)
                self.all_marks[side] += min(ring, room)
                if not self.open():
                    break
            else:
                self.worth += number * ring
        self.scores[side] += self.worth
        self.turns[side] += 1
        self.visits += 1
        self.in_half += 1
        self.after(side)
        return used

    def after(self, side: int) -> None:
        other = 1 - side
        closed, limit = not self.open(), self.in_half == 2 * self.options["rounds"]
        self.side = other
        if not closed and not limit:
            return
        if self.half == 2:
            self.over = True
            self.winners = [s for s in (0, 1) if self.scores[s] == max(self.scores)]
            return
        self.half, self.in_half, self.stopper = 2, 0, 1 - self.stopper
        self.by_limit += not closed
        self.side = self.stopper

    def detail(self, side: int) -> dict[str, Any]:
        return {
            "marks": [*(self.marks[side] if side == self.stopper else self.board()).values()],
            "role": "stopper" if side == self.stopper else "scorer",
            "stopping": [self.all_marks[side], self.stopping[side]],
        }


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed == 0))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    limits = matches = 0
    for _ in range(12):
        options = {
            "numbers": chance.choice([*NUMBERS]),
            "marks": chance.choice([1, 3]),
            "rounds": chance.choice([2, 9, 30]),
        }
        teams = chance.choice([[[0], [1]], [[1], [0]], [[0, 2], [1]], [[2, 0], [1, 3]]])
        naive = NaiveScram(options, teams)

        def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
            numbers = [target for target in state["targets"] if target != "bull"]
            beds = [ring + number for ring in "SIODT" for number in numbers] + (
                ["SB", "DB"] * 3 if "bull" in state["targets"] else []
            )
            return [chance.choice(beds if chance.random() < 0.5 else ANYWHERE) for _ in range(3)]

        play("scram", naive, teams, options, chance, pick)
        limits += naive.by_limit
        matches += 1
    assert 0 < limits < matches


def test_perft() -> None:
    """Ann closes the 20 at once, or Bo makes one of nine scores on it and she closes it then or not."""
    rules = referee("scram", {})
    found = perft(rules, rules.start()[0], ("T20", "S20", "DB"), 7)
    seen = [(p.state.scores, p.state.marks, p.visit.side) for p in found]
    assert (len(seen), len(set(seen))) == (3**7, 9 * 2)
    open_ = {sum(points) for points in _three(60, 20, 0)}
    assert {scores for scores, *_ in seen} == {(0, score) for score in open_}


def _three(*points: int) -> list[tuple[int, int, int]]:
    return [(one, two, three) for one in points for two in points for three in points]
