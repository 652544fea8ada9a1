"""Burma Road against the scorer written a second time from the rules: a thousand matches must come out the same."""

from __future__ import annotations

import random

import pytest

from tests.engine.naive import ANYWHERE, BURMA_ROUNDS, NaiveBurma
from tests.engine.records import Record, header
from tests.engine.side_by_side import many
from tests.sweep import sweep


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 2))
def test_burma_road_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    sudden = 0
    for _ in range(many(60, 400)):
        options = {
            "bull_is_double": chance.random() < 0.5,
            "three_bulls": chance.random() < 0.5,
            "bull": chance.choice(["25/50", "50/50"]),
            "one_number_shanghai": chance.random() < 0.5,
            "tie": chance.choice(["leaders", "all"]),
        }
        teams = chance.choice([[[0], [1]], [[0, 2], [1, 3]], [[3], [0, 1], [2]], [[0], [1], [2], [3]]])
        people = ("Ann", "Bo", "Cy", "Di")[: 1 + max(seat for team in teams for seat in team)]
        naive = NaiveBurma(options, teams)
        given = Record(header("burma_road", people, teams=teams, options=options))
        bad = chance.random() < 0.5
        while not naive.winners and naive.round < 40:
            _burma_visit(given, naive, chance, bad)
        assert given.state["winners"] == naive.winners
        sudden += naive.round > 13
    assert sudden > 9, "too few matches came to sudden death"


@pytest.mark.parametrize(
    ("darts", "task"),
    [
        ("", "Three darts in one number, or 21 in all; else your score is halved"),
        ("S19", "Stay in 19, or make exactly 2 more; else your score is halved"),
        ("T19", "Stay in 19 with every dart, or your score is halved"),
        ("SB DB", "Stay in the bull with every dart, or your score is halved"),
        ("S5 D3", "Make exactly 10 more, for 21 in all; else your score is halved"),
        ("S5 MISS", "No three in one number and no 21 any more: your score will be halved"),
    ],
)
def test_round_nine_says_what_is_left_to_do(darts: str, task: str) -> None:
    given = Record(header("burma_road"))
    given.play("/ " * 16 + darts)
    assert given.state["task"]["text"] == task


def _burma_visit(given: Record, naive: NaiveBurma, chance: random.Random, bad: bool) -> None:
    """Bad players miss most rounds, so that low scores meet and there is sudden death to be seen."""
    state, side = given.state, naive.side
    assert (state["turn"]["side"], state["turn"]["seat"], state["round"]) == (side, naive.seat, naive.round)
    darts = ["MISS"] * 3 if bad and chance.random() < 0.95 else _burma_darts(naive.round, chance)
    thrown = darts[: chance.randrange(3) if chance.random() < 0.1 else 3]
    points, halved, shanghai = naive.visit(thrown + ["MISS"] * (3 - len(thrown)))
    state = given.play(" ".join(thrown) if len(thrown) == 3 else " ".join([*thrown, "/"]))
    assert [s["score"] for s in state["sides"]] == naive.scores
    came = {"points": points, "halved": halved, "shanghai": shanghai}
    assert state["sides"][side]["detail"]["last"] == came
    assert (state["phase"] == "over") == bool(naive.winners)
    if state["phase"] == "takeout":
        state = given.play("/")
    if state["phase"] != "over":
        assert state["last"]["points"] == points


def _burma_darts(round: int, chance: random.Random) -> list[str]:
    target = BURMA_ROUNDS[(round - 1) % 12]
    if target == "BED21":
        number = chance.randrange(1, 21)
        bed = [f"{chance.choice('SDT')}{number}" for _ in range(3)]
        twenty_one = chance.choice([["S17", "S2", "S2"], ["S3", "D3", "T4"], ["T1", "D1", "S16"], ["I7", "O7", "S7"]])
        bulls = [chance.choice(["SB", "DB"]) for _ in range(3)]
        return chance.choice([bed, twenty_one, bulls, [chance.choice(ANYWHERE) for _ in range(3)]])
    aim = {"T": ["T20", "T5"], "D": ["D20", "DB", "D1"], "BULL": ["SB", "DB"]}
    near = aim.get(target, [f"{ring}{target}" for ring in "SDTIO"])
    return [chance.choice(near if chance.random() < 0.6 else ANYWHERE) for _ in range(3)]
