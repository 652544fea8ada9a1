"""Halve-It and Bermuda against a scorer written a second time from the rules."""

from __future__ import annotations

import random
from itertools import product

import pytest

from engine.games.halve_it_plan import Plan
from protocol.layouts import layout
from tests.engine.naive_halve_it import CLOCK, NaiveHalveIt, visit
from tests.engine.records import Record, header
from tests.engine.test_naive import ANYWHERE
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep


@pytest.mark.parametrize("seed", sweep(range(4), lambda seed: seed < 2))
def test_matches_are_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    thrown_on = shared = 0
    for _ in range(40):
        game = chance.choice(["halve_it", "halve_it", "bermuda"])
        sequence = chance.choice(["machine", "bar", "pub", "41"]) if game == "halve_it" else "bermuda"
        options = {
            "round_up": chance.random() < 0.5,
            "bull": chance.choice(["25/50", "50/50"]),
            "bull_is_double": chance.random() < 0.5,
            "tie": chance.choice(["share", "one_more_round"] if game == "halve_it" else ["share", "fewest_halves"]),
        }
        people = ("Ann", "Bo", "Cy")[: chance.choice([1, 2, 3])]
        naive = NaiveHalveIt(sequence, options, len(people))
        given = Record(
            header(game, people, options={**options, **({"sequence": sequence} if game == "halve_it" else {})})
        )
        hitting = chance.choice([0.0, 0.1, 0.7])
        while not naive.winners and naive.round < 60:
            _visit(given, naive, chance, hitting)
        assert given.state["winners"] == naive.winners
        thrown_on += naive.round > len(naive.targets) + 1
        shared += len(naive.winners) > 1
    assert min(thrown_on, shared) > 1, "too few ties"


def _visit(given: Record, naive: NaiveHalveIt, chance: random.Random, hitting: float) -> None:
    state, side = given.state, naive.queue[0]
    assert (state["turn"]["side"], state["round"]) == (side, naive.round)
    assert state["board"]["rows"] == naive.targets
    assert naive.targets[state["board"]["row"]] == naive.target
    darts = _darts(naive.target, chance) if chance.random() < hitting else ["MISS"] * 3
    thrown = darts[: chance.randrange(3) if chance.random() < 0.1 else 3]
    points = naive.visit(thrown + ["MISS"] * (3 - len(thrown)))
    state = given.play(" ".join(thrown) if len(thrown) == 3 else " ".join([*thrown, "/"]))
    assert [s["score"] for s in state["sides"]] == naive.scores
    assert [s["detail"]["cells"] for s in state["sides"]] == naive.cells
    assert [s["detail"]["halves"] for s in state["sides"]] == naive.halves
    assert state["sides"][side]["detail"]["last"] == {"points": points, "halved": not points, "shanghai": False}
    if state["phase"] == "takeout":
        given.play("/")


def _darts(target: str, chance: random.Random) -> list[str]:
    if target == "H":
        at = chance.randrange(20)
        return [f"{chance.choice('SDTIO')}{CLOCK[(at + step) % 20]}" for step in (0, 2, chance.choice([2, 4, 4]))]
    if target == "3C":
        return [chance.choice(["S20", "I1", "T20", "D1", "O4", "SB", "DB"]) for _ in range(3)]
    if target == "41":
        return chance.choice([["S20", "D10", "I1"], ["DB", "S1", "S1"], ["SB", "S15", "S1"], ["T13", "S1", "O1"]])
    near = {"T": ["T20", "T5"], "D": ["D20", "DB"], "B": ["SB", "DB"], "DB": ["SB", "DB"]}
    beds = near.get(target, [f"{ring}{target}" for ring in "TDSIO"])
    return [chance.choice(beds if chance.random() < 0.5 else ANYWHERE) for _ in range(3)]


@pytest.mark.parametrize("target", ["3C", "H", "41"])
@pytest.mark.parametrize("bull", ["25/50", "50/50"])
def test_three_darts_together_in_every_way_they_can_land(target: str, bull: str) -> None:
    face = layout("standard")
    plan = Plan((target,), 0, bull="50/50" if bull == "50/50" else "25/50")
    beds = ["S20", "D18", "T13", "D10", "T20", "I1", "O4", "T4", "S12", "D5", "S18", "S13", "SB", "DB", "S15", "MISS"]
    found = 0
    for darts in product(beds, repeat=3):
        points = visit(target, list(darts), {"bull": bull})
        assert plan.points(plan.hits(target, tuple(face[dart] for dart in darts))) == points
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
    naive.visit(list(darts))
    return naive.scores[0]
