"""Hammer Cricket against a scorer written a second time, and the numbers that are drawn."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.hammer_cricket import WILD
from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.naive_drills import Rounds
from tests.engine.records import Record, header
from tests.engine.side_by_side import TEAMS, Pick, play
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep


class NaiveHammer(Rounds):
    """Eight rounds and one more when the lead is shared; the wild numbers are read off the board."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.marks = [0] * len(teams)
        self.cells: list[list[int]] = [[] for _ in teams]
        self.number = 0

    def told(self, state: dict[str, Any]) -> None:
        label = state["board"]["rows"][state["board"]["row"]]
        wanted = ["20", "19", "18", "WILD", "17", "16", "15", "WILD", "WILD"][self.round - 1]
        assert label.split()[0] == wanted
        number = label.split()[-1]
        if self.side == next(side for side, out in enumerate(self.out) if not out):
            self.number = 25 if number == "B" else int(number)
        assert number == ("B" if self.number == 25 else str(self.number)), "not the same for all"
        assert wanted != "WILD" or self.number in (12, 13, 14, 15, 16, 17, 18, 19, 20, 25)

    def score_visit(self, side: int, darts: list[str]) -> int:
        times = [1, 3, 5] if self.round >= 8 else [1, 2, 3]
        self.worth, any_hit = 0, False
        for dart, factor in zip(darts, times, strict=True):
            number, ring = number_and_ring(dart)
            if number != self.number or not ring:
                continue
            if self.options["masters"] and dart != "DB" and ring != 3:
                continue
            any_hit = True
            self.worth += number * ring * factor
            self.marks[side] += ring
        if not any_hit:
            self.worth = -3 * self.number
        self.scores[side] += self.worth
        self.cells[side].append(self.worth)
        return 3

    def end_round(self) -> None:
        if self.round < 8:
            return
        sides = [side for side, out in enumerate(self.out) if not out]
        best = max(self.scores[side] for side in sides)
        level = [side for side in sides if self.scores[side] == best]
        if len(level) > 1 and self.round == 8:
            self.out = [side not in level for side in range(len(self.teams))]
            return
        marks = max(self.marks[side] for side in level)
        self.end([side for side in level if self.marks[side] == marks])

    def detail(self, side: int) -> dict[str, Any]:
        cells = [*self.cells[side], *[None] * (max(8, self.round) - len(self.cells[side]))]
        return {"cells": cells, "mpr": round(3 * self.marks[side] / (3 * len(self.cells[side])), 2)}


def near(often: float) -> Pick:
    """Darts in the number of the round so often, and anywhere else."""

    def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
        return [chance.choice(_beds(state) if chance.random() < often else ANYWHERE) for _ in range(3)]

    return pick


def level(state: dict[str, Any], chance: random.Random) -> list[str]:
    """Nothing before the last round, and there mostly the same points, for three marks or for one."""
    beds = _beds(state)
    if state["round"] < 8 or "SB" in beds:
        return ["MISS"] * 3
    return chance.choice([[beds[-1], "MISS", "MISS"], ["MISS", beds[0], "MISS"], [beds[0], "MISS", beds[0]]])


def _beds(state: dict[str, Any]) -> list[str]:
    number = state["board"]["rows"][state["board"]["row"]].split()[-1]
    return ["SB", "DB"] if number == "B" else [ring + number for ring in "SIODTT"]


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed == 0))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ties = shared = 0
    for _ in range(25):
        options, teams = {"masters": chance.random() < 0.5}, chance.choice(TEAMS)
        naive = NaiveHammer(options, teams)

        pick = level if chance.random() < 0.5 else near(chance.choice([0.3, 0.7]))
        play("hammer_cricket", naive, teams, options, chance, pick)
        ties += naive.round == 9
        shared += len(naive.winners) > 1
    assert ties
    assert shared


def test_perft() -> None:
    """A visit of each and a dart that misses: 17 sums of 1, 2 and 3 times none, one or three 20s, for both."""
    rules = referee("hammer_cricket", {})
    found = perft(rules, rules.start()[0], ("T20", "S20", "MISS"), 7)
    seen = [(p.state.sheet, p.visit.round, p.visit.side, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (3**7, 17 * 17)
    first = {_visit(darts, 20) for darts in _three("T20", "S20", "MISS")}
    second = {rules.game.score(p.state, 1) for p in found}
    assert second == first


def _three(*darts: str) -> list[tuple[str, str, str]]:
    return [(one, two, three) for one in darts for two in darts for three in darts]


def _visit(darts: tuple[str, ...], number: int) -> int:
    worth = {f"T{number}": 3 * number, f"S{number}": number}
    return sum(worth.get(dart, 0) * (place + 1) for place, dart in enumerate(darts)) or -3 * number


def test_a_wild_number_is_of_ten_and_told_at_its_round() -> None:
    seen = set()
    for k in range(60):
        given = Record({**header("hammer_cricket"), "seed": f"wild {k}"})
        assert given.state["board"]["rows"][3] == "WILD"
        given.play("/ " * 6)
        label = given.state["board"]["rows"][3]
        given.play({"undo": True})
        assert given.state["board"]["rows"][3] == "WILD"
        given.play({"redo": True}, "T5 /")
        assert given.state["board"]["rows"][3] == label, "no undo draws again, and it is the same for the other side"
        seen.add(label.removeprefix("WILD "))
    assert seen == {"B" if number == 25 else str(number) for number in WILD}
