"""Three Dice against the scorer written a second time: random matches, and one golden count of what visits come to."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.engine.effort import many
from tests.engine.naive_three_dice import Naive, best_wild_points, score_visit
from tests.engine.records import Record, header
from tests.sweep import sweep

PEOPLE = ("Ann", "Bo", "Cy", "Di")


def game(people: int, **options: Any) -> Record:  # Any: JSON
    return Record(header("d20_elimination", PEOPLE[:people], options=options))


def some_roll(chance: random.Random) -> list[int]:
    a, b, c = (chance.randrange(1, 21) for _ in range(3))
    return chance.choice([[a, b, c], [a, b, a], [a, a, b], [a, a, a]])


def some_darts(roll: list[int], chance: random.Random, skill: float) -> list[str]:
    aims = [f"{ring}{number}" for ring in "SDTIO" for number in roll] + ["SB", "DB"]
    any_dart = [f"{ring}{number}" for ring in "SDTIO" for number in range(1, 21)] + ["SB", "DB", *["MISS"] * 40]
    thrown = 3 if chance.random() < 0.9 else chance.randrange(3)
    return [chance.choice(aims if chance.random() < skill else any_dart) for _ in range(thrown)]


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 2))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended, asked = random.Random(seed), 0, 0
    for _ in range(many(90, 500)):
        people = chance.randrange(1, 5)
        levels = chance.choice([[4], [9], [4, 5], [14, 14, 3], *([] if people == 1 else [[], [], []])])
        manual, auto, must_fall = chance.random() < 0.7, chance.random() < 0.3, chance.random() < 0.5
        dice = "manual" if manual else "rolled"
        given = game(people, cerberus=levels, dice=dice, auto_wild=auto, cerberus_must_fall=must_fall)
        naive = Naive(people, levels, must_fall)
        skills = [chance.choice([0.1, 0.4, 0.8]) for _ in range(people)]
        for _ in range(25):
            visit = given.match.position.visit
            assert (visit.side, visit.round) == (naive.side, naive.round)
            side, roll = naive.side, some_roll(chance)
            if manual:
                given.play({"choose": " ".join(map(str, roll))})
            roll = given.state["board"]["roll"]
            darts = some_darts(roll, chance, skills[side])
            given.play(" ".join(darts) + " /" * (len(darts) < 3))
            wild = None
            if len(set(roll)) == 1:
                wild, was_asked = _wild(given, roll, darts, auto, chance)
                asked += was_asked
            marks, multiplier, points = naive.visit(roll, darts, wild)
            _same(given, naive, side, {"marks": marks, "multiplier": multiplier, "points": points})
            if naive.winners is not None:
                break
            if given.state["phase"] == "takeout":
                given.play("/")
        ended += naive.winners is not None
    assert ended > 40, "too few matches came to their end"
    assert asked > 40, "too few wild numbers were asked for"


def _wild(given: Record, roll: list[int], darts: list[str], auto: bool, chance: random.Random) -> tuple[int, bool]:
    """The wild number of this visit, the proposed one or any, and whether it was asked for."""
    if auto:
        numbers = [n for n in range(1, 21) if n not in roll]
        return max(numbers, key=lambda n: score_visit(roll, darts, n)[0] * score_visit(roll, darts, n)[1]), False
    (prompt,) = given.state["prompts"]
    assert len(prompt["options"]) == 19
    for option, value in prompt["values"].items():
        marks, multiplier, _ = score_visit(roll, darts, int(option))
        assert value == marks * multiplier
    assert prompt["values"][prompt["default"]] == best_wild_points(roll, darts)
    wild = prompt["default"] if chance.random() < 0.5 else chance.choice(prompt["options"])
    given.play({"choose": wild})
    return int(wild), True


def _same(given: Record, naive: Naive, side: int, last: dict[str, int]) -> None:
    """The same scores; a visit closed by an early next is judged all the same."""
    state = given.state
    assert [one["score"] for one in state["sides"]] == naive.score
    assert [one["out"] for one in state["sides"]] == [not alive for alive in naive.alive]
    assert state["sides"][side]["detail"] == {"last": last}
    assert state["winners"] == (naive.winners or [])
    assert (state["phase"] == "over") == (naive.winners is not None)


@pytest.mark.long
def test_a_golden_count() -> None:
    """Every visit of three darts of a small set, by each of two people: scores, who is out, who has won."""
    darts = ("T7", "S16", "SB", "MISS")
    visits = [[a, b, c] for a in darts for b in darts for c in darts]
    seen: Counter[tuple[Any, ...]] = Counter()  # Any: a state
    expected: Counter[tuple[Any, ...]] = Counter()  # Any: the same, scored a second time
    for level, must_fall in ((26, True), (4, False)):
        for one in visits:
            for two in visits[::3]:
                given = game(2, dice="manual", cerberus=[level], cerberus_must_fall=must_fall)
                given.play({"choose": "7 16 7"}, " ".join(one), "/", {"choose": "7 16 10"}, " ".join(two))
                position = given.match.position
                seen[position.state.scores, tuple(sorted(position.state.gone)), position.winners] += 1
                naive = Naive(2, [level], must_fall)
                naive.visit([7, 16, 7], one, None)
                naive.visit([7, 16, 10], two, None)
                gone = tuple(side for side, alive in enumerate(naive.alive) if not alive)
                expected[tuple(naive.score), gone, tuple(naive.winners or ())] += 1
    assert seen == expected
    assert (seen.total(), len(seen)) == (2816, 144)
