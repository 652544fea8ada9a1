"""Scram: against the naive scorer, and what the rules name by themselves."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.scram import NUMBERS
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.naive_scram import NaiveScram
from tests.engine.records import Record, header
from tests.engine.side_by_side import play
from tests.engine.test_naive import ANYWHERE
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep

MACHINE = "T20 T19 T18 / / T17 T16 T15 / / SB DB"
"""A half of the machines' form: the scorer throws nothing."""


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


def test_the_dart_that_closes_the_last_number_ends_the_half_and_the_scorer_begins_the_next() -> None:
    given = Record(header("scram_cricket"))
    state = given.play(MACHINE)
    assert state["phase"] == "takeout"
    assert len(state["turn"]["darts"]) == 2
    state = given.play("/")
    assert (state["turn"]["side"], state["board"]["half"]) == (1, 2)
    assert [side["detail"]["role"] for side in state["sides"]] == ["scorer", "stopper"]
    assert state["sides"][1]["detail"]["marks"] == [0] * 7
    state = given.play("T20 / T20 T19 /")
    assert [side["score"] for side in state["sides"]] == [57, 0], "the 20 is closed, the 19 is not"


def test_a_half_that_ends_by_its_limit_is_followed_by_the_side_that_threw_last() -> None:
    given = Record(header("scram", options={"rounds": 1}))
    state = given.play("S20 / T20 T19 S1 /")
    assert (state["turn"]["side"], state["round"], state["board"]["half"]) == (1, 2, 2)
    state = given.play("S19 /")
    assert state["turn"]["side"] == 0
    state = given.play("T20 T19 S18")
    assert [side["score"] for side in state["sides"]] == [78, 58]
    assert state["winners"] == [0]


def test_the_starter_of_the_second_leg_is_its_first_stopper() -> None:
    given = Record(header("scram_cricket", format={"legs": 2}))
    state = given.play(MACHINE, "/ T20 T20 S19 / T20 S19 / T19 T18 T17 / / T16 T15 DB / / SB")
    assert [side["legs"] for side in state["sides"]] == [1, 0]
    state = given.play("/")
    assert [side["detail"]["role"] for side in state["sides"]] == ["scorer", "stopper"]
    assert state["turn"]["side"] == 1


def test_closed_is_told_and_marks_that_closed_are_counted() -> None:
    given = Record(header("scram_cricket"))
    outcome = given.add({"throw": "T20"})
    assert [fact.target for fact in outcome.facts if fact.__class__.__name__ == "Closed"] == ["20"]  # type: ignore[attr-defined]
    given.play("T20 D19")
    detail = given.state["sides"][0]["detail"]
    assert detail["stopping"] == [5, 3], "three and two; the second triple closed nothing"
    assert detail["marks"] == [3, 2, 0, 0, 0, 0, 0]


def test_who_is_left_alone_has_won() -> None:
    given = Record(header("scram"))
    given.play("S20 / T19", {"retire": 1})
    assert given.state["phase"] == "over"
    assert given.state["winners"] == [0]
    other = Record(header("scram"))
    other.play("S20", {"retire": 0})
    assert other.state["winners"] == [1]


def test_advice() -> None:
    def aim(given: Record, sigma: float = 0) -> str | None:
        match = given.match
        seat = match.position.visit.seat
        return match.game.advise(match.position.state, match.turn, seat, Skill(layout("standard"), sigma)).aim

    pub = Record(header("scram"))
    assert aim(pub) == "O20", "any ring closes it"
    pub.play("S20 S19 S18 /")
    assert aim(pub) == "T17", "the dearest that is open"
    assert aim(pub, 60) != "T17"
    machine = Record(header("scram_cricket"))
    assert aim(machine) == "T20"
    machine.play(MACHINE.removesuffix("SB DB"))
    assert aim(machine) == "DB"
