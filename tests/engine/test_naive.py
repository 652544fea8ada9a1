"""The games against scorers written a second time from the rules: thousands of matches must come out the same.

The darts are drawn so that matches end: half of them are aimed at what is needed. The random numbers are seeded, so a
difference that is found once is found again.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engine.naive import BURMA_ROUNDS, NaiveBurma, NaiveX01
from tests.engine.records import Record, header

ANYWHERE = [f"{ring}{number}" for ring in "TDSIO" for number in range(1, 21)] + ["SB", "DB", "MISS"] * 3


def aimed_at_zero(naive: NaiveX01, chance: random.Random) -> str:
    left = naive.left[naive.side]
    if chance.random() < 0.4:
        return chance.choice(ANYWHERE)
    if left <= 40 and left % 2 == 0 and chance.random() < 0.5:
        return f"D{left // 2}"
    if left <= 60 and left % 3 == 0 and chance.random() < 0.5:
        return f"T{left // 3}"
    return chance.choice(["T20", "T19", "D20", "D12", "S1", "S3", "S20", "SB", "DB"])


@pytest.mark.parametrize("seed", range(8))
def test_x01_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for _ in range(150):
        rules = ("straight", "double", "master")
        options = {
            "start": chance.choice([101, 101, 170, 301]),
            "in": chance.choice(rules),
            "out": chance.choice(rules),
            "bull": chance.choice(["25/50", "50/50"]),
            "rounds": chance.choice([None, 3, 7]),
        }
        teams = chance.choice([[[0], [1], [2]], [[0, 2], [1]], [[1], [0], [2]], [[2, 0, 1]]])
        shape = {"legs": chance.choice([1, 2]), "sets": chance.choice([1, 1, 2])}
        naive = NaiveX01(options, teams, **shape)
        given = Record(header("x01", ("Ann", "Bo", "Cy"), teams=teams, options=options, format=shape))
        visits = 0
        while not naive.over and visits < 60:
            visits += 1
            _x01_visit(given, naive, chance)
        ended += naive.over
    assert ended > 60, "too few matches came to their end"


def _x01_visit(given: Record, naive: NaiveX01, chance: random.Random) -> None:
    position = given.match.position
    assert (position.visit.side, position.visit.seat, position.visit.round) == (naive.side, naive.seat, naive.round)
    for _ in range(chance.randrange(3) if chance.random() < 0.1 else 3):
        if not naive.ended:
            dart = aimed_at_zero(naive, chance)
            naive.throw(dart)
            given.play({"throw": dart})
            assert [given.match.score(side) for side in range(len(naive.teams))] == naive.left
    if naive.ended:
        _same(given.state, naive)
    if not naive.over:
        naive.next()
        _same(given.play({"next": True}), naive)


def _same(state: dict[str, Any], naive: NaiveX01) -> None:  # Any: JSON
    assert state["phase"] == ("over" if naive.over else "takeout" if naive.ended else "throwing")
    assert [side["score"] for side in state["sides"]] == naive.left
    assert [side["legs"] for side in state["sides"]] == naive.legs
    assert [side["sets"] for side in state["sides"]] == naive.sets
    assert [side["detail"] for side in state["sides"]] == naive.detail()
    assert state["winners"] == (naive.winners if naive.over else [])


@pytest.mark.parametrize("seed", range(6))
def test_burma_road_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    sudden = 0
    for _ in range(180):
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


def _burma_visit(given: Record, naive: NaiveBurma, chance: random.Random, bad: bool) -> None:
    """Bad players miss most rounds, so that low scores meet and there is sudden death to be seen."""
    state, side = given.state, naive.side
    assert (state["turn"]["side"], state["turn"]["seat"], state["round"]) == (side, naive.seat, naive.round)
    darts = ["MISS"] * 3 if bad and chance.random() < 0.95 else _burma_darts(naive.round, chance)
    thrown = darts[: chance.randrange(3) if chance.random() < 0.1 else 3]
    points, halved, shanghai = naive.visit(thrown + ["MISS"] * (3 - len(thrown)))
    state = given.play(" ".join(thrown) if len(thrown) == 3 else " ".join([*thrown, "/"]))
    assert [s["score"] for s in state["sides"]] == naive.scores
    assert state["sides"][side]["detail"] == {"last": {"points": points, "halved": halved, "shanghai": shanghai}}
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
