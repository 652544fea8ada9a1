"""Halve-It, Bermuda and the Fifteen Contracts against a scorer written a second time from the rules."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from engine.games.halving_targets import HalvingRules
from protocol.layouts import find_layout
from tests.engine.naive import ANYWHERE, CLOCK, number_and_ring
from tests.engine.naive_drills import Rounds
from tests.engine.side_by_side import Pick, play
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep

SEQUENCES = {
    "machine": (40, "15 16 D 17 18 T 19 20 B"),
    "bar": (0, "12 13 14 D 15 16 17 T 18 19 20 B"),
    "pub": (0, "20 19 T 18 D 17 16 3C 15 H 14 B"),
    "41": (40, "20 19 D 18 17 T 16 15 41 B"),
    "contracts": (0, "C 20 57 19 3S 18 3R 17 3C 16 T 15 D 14 B"),
    "bermuda": (0, "12 13 14 D 15 16 17 T 18 19 20 B DB"),
}
MEANT = {
    "20": "20", "Treble 7": "T7", "any double": "D", "d16": "D16", "T": "T", "bull": "B", "bullseye": "DB", "25": "SB",
    "three colours": "3C", "hurdles": "H", "41": "41", " 7 ": "7",
}  # fmt: skip
"""What players say, and what they mean."""
BLACK = {20, 18, 13, 10, 2, 3, 7, 8, 14, 12}


def colour(number: int, ring: int) -> str:
    """As on a bristle board."""
    if number == 25:
        return "green" if ring == 1 else "red"
    if ring == 1:
        return "black" if number in BLACK else "white"
    return "red" if number in BLACK else "green"


def counts(target: str, number: int, ring: int, options: dict[str, Any]) -> bool:
    """Whether a dart is in the target."""
    if target == "C":
        return ring > 0
    if target == "T":
        return ring == 3
    if target == "D":
        return ring == 2 and (number != 25 or options["bull_is_double"])
    if target in ("DB", "SB"):
        return number == 25 and ring == 1 + (target == "DB")
    if target[0] in "DT" and len(target) > 1:
        return (number, ring) == (int(target[1:]), 3 if target[0] == "T" else 2)
    return ring > 0 and number == (25 if target == "B" else int(target))


def visit(target: str, darts: list[str], options: dict[str, Any]) -> int:
    """What a visit brings; 0 halves."""
    layouts = [number_and_ring(dart) for dart in darts]
    value = [n * ring if n != 25 else 50 if ring == 2 or options["bull"] == "50/50" else 25 for n, ring in layouts]
    if target == "57":
        return 57 if sum(value) == 57 else 0
    if target in ("3S", "3R"):
        line = CLOCK * 2 if target == "3S" else [*range(1, 21), 25]
        threes = [{*line[at : at + 3]} for at in range(len(line) - 2)]
        return sum(value) if all(ring for _, ring in layouts) and {n for n, _ in layouts} in threes else 0
    if target in ("3C", "H", "41"):
        good = len(darts) == 3 and all(ring for _, ring in layouts)
        if good and target == "3C":
            good = len({colour(*one) for one in layouts}) == 3
        elif good and target == "H":
            at = [CLOCK.index(n) if n in CLOCK else 99 for n, _ in layouts]
            good = 99 not in at and (at[1] - at[0]) % 20 == 2 and (at[2] - at[1]) % 20 == 2
        elif good:
            good = sum(value) == 41
        return sum(value) if good else 0
    total = 0
    for (number, ring), points in zip(layouts, value, strict=True):
        if counts(target, number, ring, options):
            total += 25 if target == "B" and options.get("bull_round") == "25" else points
    return total


class NaiveHalveIt(Rounds):
    """A whole match, visit by visit; without teams."""

    def __init__(self, sequence: str, options: dict[str, Any], players: int) -> None:
        super().__init__(options, [[seat] for seat in range(players)])
        start, targets = SEQUENCES[sequence]
        start = start if options.get("start") is None else options["start"]
        targets = " ".join(MEANT[said] for said in options.get("targets", ())) or targets
        targets = " ".join(options.get("contracts", ())) or targets
        self.targets = targets.split()
        self.scores, self.halves = [start] * players, [0] * players
        self.cells: list[list[int | None]] = [[None] * len(self.targets) for _ in range(players)]

    @property
    def target(self) -> str:
        return self.targets[(self.round - 1) % len(self.targets)]

    def told(self, state: dict[str, Any]) -> None:
        assert state["board"]["rows"] == self.targets
        assert self.targets[state["board"]["row"]] == self.target

    def score_visit(self, side: int, darts: list[str]) -> int:
        made = [n for n in (1, 2, 3) if self.target == "57" and visit("57", darts[:n], self.options)]
        used = (*made, 3)[0]
        self.worth = visit(self.target, darts[:used], self.options)
        if self.worth:
            self.scores[side] += self.worth
        else:
            whole, rest = divmod(self.scores[side], 2)
            self.scores[side] = whole + (rest if self.options["round_up"] else 0)
            self.halves[side] += 1
        self.cells[side][(self.round - 1) % len(self.targets)] = self.worth
        return used

    def end_round(self) -> None:
        if self.round < len(self.targets):
            return
        tie = self.options["tie"]
        fewest = [-halves if tie == "fewest_halves" else 0 for halves in self.halves]
        level = self.highest([*zip([not out for out in self.out], self.scores, fewest, strict=True)])
        if len(level) == 1 or tie in ("share", "fewest_halves"):
            self.end(level)
        else:
            self.out = [side not in level for side in range(len(self.teams))]

    def detail(self, side: int) -> dict[str, Any]:
        last = {"points": self.worth, "halved": not self.worth, "shanghai": False}
        return {"cells": self.cells[side], "halves": self.halves[side], "last": last}


@pytest.mark.parametrize("seed", sweep(range(4), lambda seed: seed < 2))
def test_matches_are_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    thrown_on = shared = some_out = 0
    for _ in range(40):
        game = chance.choice(["halve_it", "halve_it", "bermuda", "fifteen_contracts"])
        sequence = {"bermuda": "bermuda", "fifteen_contracts": "contracts"}.get(game, "")
        sequence = sequence or chance.choice(["machine", "bar", "pub", "41"])
        options = {
            "round_up": chance.random() < 0.5,
            "bull": chance.choice(["25/50", "50/50"]),
            "bull_is_double": chance.random() < 0.5,
            "tie": chance.choice(["share", "fewest_halves"] if game == "bermuda" else ["share", "one_more_round"]),
        }
        if game == "bermuda":
            options["bull_round"] = chance.choice(["value", "25"])
        elif game == "fifteen_contracts" and chance.random() < 0.5:
            options["contracts"] = chance.sample(SEQUENCES["contracts"][1].split(), 15)
        elif game == "halve_it" and chance.random() < 0.5:
            options["start"] = chance.choice([None, 0, 7, 100])
            options["targets"] = chance.sample([*MEANT], chance.randrange(1, 5))
        naive = NaiveHalveIt(sequence, options, chance.choice([1, 2, 3]))
        if game == "halve_it":
            options["sequence"] = sequence
        least = 0.05 if options["tie"] == "one_more_round" else 0.0  # who never hit would be level for ever
        is_level = naive.targets[-1] == "B" and chance.random() < 0.4
        play(game, naive, naive.teams, options, chance, level if is_level else aimed(chance.choice([least, 0.1, 0.7])))
        some_out += any(naive.out)
        thrown_on += naive.round > len(naive.targets)
        shared += len(naive.winners) > 1
    assert min(thrown_on, shared) > 1, "too few ties"
    assert some_out, "no tie of some of them"


def level(state: dict[str, Any], chance: random.Random) -> list[str]:
    """Nothing but the bull or nothing in its round, so that some of them are level."""
    hit = state["board"]["rows"][state["board"]["row"]] == "B" and chance.random() < 0.5
    return ["SB" if hit else "MISS", "MISS", "MISS"]


def aimed(often: float) -> Pick:
    """Darts that may make the round so often, and else none."""

    def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
        target = state["board"]["rows"][state["board"]["row"]]
        return _darts(target, chance) if chance.random() < often else ["MISS"] * 3

    return pick


def _darts(target: str, chance: random.Random) -> list[str]:
    if target == "H":
        at = chance.randrange(20)
        return [f"{chance.choice('SDTIO')}{CLOCK[(at + step) % 20]}" for step in (0, 2, chance.choice([2, 4, 4]))]
    if target == "3C":
        return [chance.choice(["S20", "I1", "T20", "D1", "O4", "SB", "DB"]) for _ in range(3)]
    if target == "57":
        return chance.choice(
            ["T19 S1 S1", "S20 S20 S17", "S19 D19 MISS", "DB S7 S1", "SB T20 MISS", "S1 T19 MISS"]
        ).split()
    if target in ("3S", "3R"):
        line = CLOCK if target == "3S" else [*range(1, 21), 25]
        at = chance.randrange(len(line) - 2)
        three = [chance.choice(["SB", "DB"]) if n == 25 else f"{chance.choice('SDT')}{n}" for n in line[at : at + 3]]
        return chance.sample(three, 3) if chance.random() < 0.7 else [three[0], three[0], three[2]]
    if target == "41":
        return chance.choice([["S20", "D10", "I1"], ["DB", "S1", "S1"], ["SB", "S15", "S1"], ["T13", "S1", "O1"]])
    near = {
        "C": ["T20", "S5"],
        "T": ["T20", "T5"],
        "D": ["D20", "DB"],
        "B": ["SB", "DB"],
        "DB": ["SB", "DB"],
        "SB": ["SB", "DB"],
    }
    if target[0] in "DT" and len(target) > 1 and target != "DB":
        near[target] = [target]
    beds = near.get(target, [f"{ring}{target}" for ring in "TDSIO"])
    return [chance.choice(beds if chance.random() < 0.5 else ANYWHERE) for _ in range(3)]


@pytest.mark.parametrize("target", ["3C", "H", "41", "57", "3S", "3R"])
@pytest.mark.parametrize("bull", ["25/50", "50/50"])
def test_three_darts_together_in_every_way_they_can_land(target: str, bull: str) -> None:
    layout = find_layout("standard")
    plan = HalvingRules((target,), 0, bull="50/50" if bull == "50/50" else "25/50")
    beds = "S20 D18 T13 D10 T20 I1 O4 T4 S12 D5 S18 S13 SB DB S15 S19 MISS".split()
    found = 0
    for darts in product(beds, repeat=3):
        points = visit(target, list(darts), {"bull": bull})
        assert plan.points(plan.hits(target, tuple(layout[dart] for dart in darts))) == points
        found += points > 0
    assert found > 3


def test_how_many_matches_a_few_darts_make() -> None:
    darts, depth = ("S15", "T15", "D20", "MISS"), 6
    rules = referee("halve_it", {})
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.scores, p.state.halves, p.visit.side, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (4096, 81)
    after = {after_first(three) for three in product(darts, repeat=3)}
    assert {scores for scores, *_ in seen} == set(product(after, repeat=2))


def after_first(darts: tuple[str, ...]) -> int:
    """The score after a first visit."""
    naive = NaiveHalveIt("machine", {"bull": "25/50", "bull_is_double": True, "round_up": True, "tie": "share"}, 2)
    naive.visit([*darts])
    return naive.scores[0]
