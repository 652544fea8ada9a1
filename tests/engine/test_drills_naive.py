"""The drills against scorers written a second time: hundreds of matches must come out the same, dart by dart.

The random numbers are seeded, so a difference that is found once is found again.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engine.naive import ANYWHERE
from tests.engine.naive_drills import (
    NaiveA1,
    NaiveBobs,
    NaiveEagle,
    NaiveFourTwenty,
    NaiveJdc,
    NaiveKillBull,
    NaiveTraining,
)
from tests.engine.side_by_side import TEAMS, Pick, play
from tests.sweep import sweep


def near(beds: list[str], often: float) -> Pick:
    """Darts among these beds so often, and anywhere else."""
    return lambda state, chance: [chance.choice(beds if chance.random() < often else ANYWHERE) for _ in range(3)]


def lit(often: float) -> Pick:
    """Darts at what the lamps show so often: at a number in any ring, at a bed, at any of a group."""

    def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
        [target] = state["targets"]
        beds = [f"{ring}{target}" for ring in "SIOTD"] if target.isdigit() else [target]
        beds = {"bull": ["SB", "DB"], "outer": ["O1", "S2"], "inner": ["I1"]}.get(target, beds)
        beds = {"single": ["S3", "I4"], "double": ["D1", "DB"], "triple": ["T1"]}.get(target, beds)
        return near(beds, often)(state, chance)

    return pick


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_bobs_27_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    lengths = []
    for _ in range(20):
        options, teams = {"allow_negative": chance.random() < 0.5}, chance.choice(TEAMS)
        often = chance.choice([0.1, 0.3, 0.9])
        lengths.append(play("bobs_27", NaiveBobs(options, teams), teams, options, chance, lit(often)) // len(teams))
    assert min(lengths) < 21 == max(lengths), "some must be out, and some come to the bull"


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
def test_420_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(12):
        options, teams = {"order": chance.choice(["clockwise", "upwards"])}, chance.choice(TEAMS)
        play("doubles_420", NaiveFourTwenty(options, teams), teams, options, chance, lit(0.4))


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_the_jdc_challenge_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)

    def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
        targets = state["hint"] or [chance.choice("SIOTD") + state["targets"][0] for _ in range(3)]
        return [target if chance.random() < often else chance.choice(ANYWHERE) for target in targets]

    for _ in range(12):
        options, teams, often = {"bull_bonus": chance.random() < 0.5}, chance.choice(TEAMS), chance.choice([0.2, 0.8])
        play("jdc_challenge", NaiveJdc(options, teams), teams, options, chance, pick)


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_the_a1_drill_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    unfinished = 0
    for _ in range(25):
        options = {
            "order": chance.choice(["up", "down"]),
            "hits": chance.choice([1, 1, 2]),
            "rounds": chance.choice([6, 15, 100]),
        }
        teams = chance.choice(TEAMS)
        naive = NaiveA1(options, teams)
        play("a1_drill", naive, teams, options, chance, lit(0.7))
        unfinished += min(min(marks) for marks in naive.marks) == 0
    assert 0 < unfinished < 25


TARGETS = ["T20", "D16", "DB", "SB", "S5", "I7", "O7", "18", "bull", "single", "inner", "outer", "double", "triple"]


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_segment_training_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        options = {
            "target": chance.choice([*TARGETS, "random", "random_double", "random_triple"]),
            "until": chance.choice(["darts", "hits"]),
            "count": chance.randrange(1, 12),
            "rounds": chance.choice([2, 10]),
        }
        teams = chance.choice(TEAMS)
        play("segment_training", NaiveTraining(options, teams), teams, options, chance, lit(0.5))


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
def test_the_bull_games_are_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    limits = 0
    for _ in range(40):
        teams, often = chance.choice(TEAMS), chance.choice([0.2, 0.6])
        bull = chance.choice(["25/50", "50/50"])
        eagle = {"rounds": chance.choice([1, 3]), "bull": bull}
        play("eagles_eye", NaiveEagle(eagle, teams), teams, eagle, chance, lit(often))
        kill = {"start": chance.choice([50, 110, 200]), "rounds": chance.choice([2, 12]), "bull": bull}
        naive = NaiveKillBull(kill, teams)
        play("kill_bull", naive, teams, kill, chance, lit(often))
        limits += min(naive.scores) > 0
    assert 0 < limits < 40
