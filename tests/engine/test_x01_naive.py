"""X01 against the scorer written a second time from the rules: hundreds of matches must come out the same."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from engine.tally import pool_tallies
from tests.engine.naive import ANYWHERE
from tests.engine.naive_x01 import NaiveX01
from tests.engine.records import Record, header
from tests.sweep import sweep

RULES = ("straight", "double", "master")
PAIRS = [[0, 2], [3, 1]]
TEAMS = [[[0], [1], [2]], [[0, 2], [1]], [[1], [0], [2]], [[2, 0, 1]], PAIRS, PAIRS]


def aimed_at_zero(naive: NaiveX01, chance: random.Random, bad: bool) -> str:
    """Bad players miss almost always, so that they are level after the last round."""
    left = naive.left[naive.side]
    if bad and chance.random() < 0.9:
        return "MISS"
    if naive.options["split_11"] and left in (1, 2, 3, 21) and chance.random() < 0.8:
        return "MISS" if left == 1 else f"S{left - 1}"
    if chance.random() < 0.4:
        return chance.choice(ANYWHERE)
    if left <= 40 and left % 2 == 0 and chance.random() < 0.5:
        return f"D{left // 2}"
    if left <= 60 and left % 3 == 0 and chance.random() < 0.5:
        return f"T{left // 3}"
    return chance.choice(["T20", "T20", "T19", "D20", "D12", "S1", "S3", "S20", "SB", "DB"])


def _splits(options: dict[str, Any], chance: random.Random) -> dict[str, Any]:  # Any: JSON
    """Places and the split 11, where they go with the rest."""
    first = options["finish"] == "first" and options["freeze"] == "off"
    places = first and options["tie"] != "highest_visit" and chance.random() < 0.6
    return {**options, "places": places, "split_11": options["out"] != "straight" and chance.random() < 0.5}


def some_options(chance: random.Random, teams: list[list[int]]) -> dict[str, Any]:  # Any: JSON
    return {
        "start": chance.choice([101, 101, 170, 301]),
        "in": chance.choice(RULES),
        "out": chance.choice(RULES),
        "bull": chance.choice(["25/50", "50/50"]),
        "rounds": chance.choice([None, 3, 7]),
        "tie": chance.choice(["share", "one_more_round", "deciding_visit", "highest_visit"]),
        "finish": chance.choice(["first", "equal_turns"]),
        "starts": [chance.choice([2, 40, 101, 160]) for _ in teams] if chance.random() < 0.3 else [],
        "shared": chance.random() < 0.5,
        "freeze": chance.choice(["lose", "bust"]) if teams == PAIRS else "off",
        "reopen_after_bust": chance.random() < 0.5,
        "bust_counts_3": chance.random() < 0.5,
        "bull_at_finish": chance.choice(["always", "third", "never"]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", sweep(range(4), lambda seed: seed < 1))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended, level = 0, 0
    for _ in range(50):
        teams = chance.choice(TEAMS)
        options = _splits(some_options(chance, teams), chance)
        shape = {
            "legs": chance.choice([1, 2]),
            "sets": chance.choice([1, 1, 2]),
            **chance.choice([{}, {}, {"clear_legs": 2}, {"play": "all"}]),
            **chance.choice([{}, {}, {"first": "loser"}, {"first": "same"}]),
        }
        naive = NaiveX01(options, teams, shape)
        people = ("Ann", "Bo", "Cy", "Di")[: sum(map(len, teams))]
        given = Record(header("x01", people, teams=teams, options=options, format=shape))
        visits, bad = 0, options["rounds"] == 3 and chance.random() < 0.6
        while not naive.over and visits < 40:
            visits += 1
            _visit(given, naive, chance, bad)
        _same_figures(given, naive)
        ended += naive.over
        level += naive.level > 0
    assert ended > 20, "too few matches came to their end"
    assert level, "no match ended level"


def _visit(given: Record, naive: NaiveX01, chance: random.Random, bad: bool) -> None:
    position = given.match.position
    assert (position.visit.side, position.visit.seat, position.visit.round) == (naive.side, naive.seat, naive.round)
    for _ in range(chance.randrange(3) if chance.random() < 0.1 else 3):
        if not naive.ended:
            dart = aimed_at_zero(naive, chance, bad)
            asks, splits = naive.asks(dart), chance.random() < 0.3
            naive.throw(dart, asks and splits)
            given.feed({"throw": dart})
            assert (given.match.position.phase == "deciding") == asks
            if asks:
                given.feed({"choose": "yes" if splits else "no"})
            assert [given.match.score(side) for side in range(len(naive.teams))] == naive.left
    if naive.ended:
        _same(given.state, naive)
    if not naive.over:
        while not naive.ended and naive.asks("MISS"):
            naive.throw("MISS")
            given.feed({"throw": "MISS"}, {"choose": "no"})
        naive.next()
        _same(given.play({"next": True}), naive)


def _same(state: dict[str, Any], naive: NaiveX01) -> None:  # Any: JSON
    assert state["phase"] == ("over" if naive.over else "takeout" if naive.ended else "throwing")
    assert [side["score"] for side in state["sides"]] == naive.left
    assert [side["legs"] for side in state["sides"]] == naive.legs
    assert [side["sets"] for side in state["sides"]] == naive.sets
    assert [side["detail"] for side in state["sides"]] == naive.detail()
    assert state.get("ranks") == (naive.placed if naive.options["places"] else None)
    assert state["winners"] == (naive.winners if naive.over else [])


def _same_figures(given: Record, naive: NaiveX01) -> None:
    for side, team in enumerate(naive.teams):
        counts = pool_tallies(given.match.position.tallies[seat] for seat in team).counts
        kept = {name: n for name, n in counts.items() if name[:3] in ("at:", "hit", "100", "poi", "dar", "180")}
        kept.pop("100+", None)
        assert Counter(kept) == Counter(naive.counts[side]), side
