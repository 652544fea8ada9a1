"""Three Dice against the scorer written a second time, its odds, and who has won with which scores."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from engine.game import Turn
from engine.games.three_dice import ThreeDice
from engine.luck import Luck
from engine.tally import Tally
from tests.engine.records import Record, header
from tests.sweep import many, sweep


class Naive:
    """The rules page as bookkeeping: names, dicts and loops, and nothing of the engine."""

    def __init__(self, people: int, levels: list[int], must_fall: bool) -> None:
        self.people, self.levels, self.must_fall = people, levels, must_fall
        self.score = [0] * (people + len(levels))
        self.alive = [True] * len(self.score)
        self.winners: list[int] | None = None
        self.round, self.side = 1, 0

    def visit(self, roll: list[int], darts: list[str], wild: int | None) -> tuple[int, int, int]:
        marks, multiplier, penalty = score_visit(roll, darts, wild)
        self.score[self.side] += -3 if penalty else marks * multiplier
        self.score[self.side] = max(self.score[self.side], 0)
        throwers = [side for side in range(self.people) if self.alive[side]]
        later = [side for side in throwers if side > self.side]
        if later:
            self.side = later[0]
        else:
            self._end_round()
        return marks, multiplier, marks * multiplier

    def _end_round(self) -> None:
        for head, level in enumerate(self.levels):
            if self.alive[self.people + head]:
                self.score[self.people + head] += level
        top = max(score for score, alive in zip(self.score, self.alive, strict=True) if alive)
        self.alive = [alive and top - score <= 24 for score, alive in zip(self.score, self.alive, strict=True)]
        left = [side for side, alive in enumerate(self.alive) if alive]
        persons = [side for side in left if side < self.people]
        if not persons:
            highest = max(self.score[side] for side in left)
            self.winners = [side for side in left if self.score[side] == highest]
        elif len(left) == 1 or (len(persons) == 1 and self.people >= 2 and not self.must_fall):
            self.winners = persons
        else:
            self.round += 1
            self.side = persons[0]


def score_visit(roll: list[int], darts: list[str], wild: int | None) -> tuple[int, int, bool]:
    """Marks, multiplier and whether it costs 3."""
    different = sorted(set(roll))
    boxes: dict[object, int] = dict.fromkeys(different, 0)
    if len(different) < 3:
        boxes["bull"] = 0
    if wild is not None:
        boxes[wild] = 0
    claimable = False
    for dart in darts:
        if dart == "MISS":
            continue
        claimable = True
        if dart in ("SB", "DB"):
            if "bull" in boxes:
                boxes["bull"] += 3 if dart == "SB" else 4
        elif int(dart[1:]) in boxes:
            boxes[int(dart[1:])] += {"T": 3, "D": 2}.get(dart[0], 1)
    hit = [marks for marks in boxes.values() if marks]
    penalty = not claimable if len(different) == 1 else not hit
    return sum(hit), {0: 0, 1: 1, 2: 3, 3: 5}[len(hit)], penalty


def best_wild_points(roll: list[int], darts: list[str]) -> int:
    return max(a * b for n in range(1, 21) if n not in roll for a, b, _ in [score_visit(roll, darts, n)])


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


@pytest.mark.slow
@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 1))
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
    seen = state["sides"][side]["detail"]["last"]
    assert seen == {**last, "penalty": seen["penalty"]}
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


def turn(side: int = 0, people: int = 2, visit: int = 1) -> Turn:
    return Turn(visit, side, side, 1, (), 3, tuple(range(people)), (Tally(),) * people)


def test_the_odds_of_the_dice() -> None:
    """The text's odds are those of fair dice: ours show every layout, and differ from visit to visit."""
    rules, state = ThreeDice(), Record(header("d20_elimination")).match.position.state
    rolls = [
        rules.begin(state, turn(visit=visit), Luck(f"seed {n}", visit)).state.roll or ()
        for n in range(2000)
        for visit in range(1, 11)
    ]
    kinds = Counter(len(set(roll)) for roll in rolls)
    seen = [kinds[different] / len(rolls) for different in (3, 2, 1)]
    assert seen == pytest.approx([0.855, 0.1425, 0.0025], abs=0.01)
    assert seen[2] == pytest.approx(0.0025, rel=0.5)
    layouts = Counter(layout for roll in rolls for layout in roll)
    assert set(layouts) == set(range(1, 21))
    assert all(2700 < count < 3300 for count in layouts.values())


@pytest.mark.parametrize(
    ("scores", "options", "winners"),
    [
        ((40, 10), {}, (0,)),
        ((24, 0), {}, None),
        ((40, 10, 39), {"cerberus": []}, None),
        ((40, 10), {"cerberus": [20]}, None),  # 40 to 30: the head is in the way
        ((40, 10), {"cerberus": [20], "cerberus_must_fall": False}, (0,)),
        ((40, 60, 10), {"cerberus": [20], "cerberus_must_fall": False}, None),
        ((0, 0), {"cerberus": [30, 26]}, (2,)),  # no player is left, and both heads are
        ((0, 0), {"cerberus": [30, 30]}, (2, 3)),
        ((24, 0), {"cerberus": [25]}, None),
    ],
)
def test_who_has_won(scores: tuple[int, ...], options: dict[str, Any], winners: tuple[int, ...] | None) -> None:
    given, rules = Record(header("d20_elimination", ("Ann", "Bo", "Cy")[: len(scores)], options=options)), ThreeDice()
    heads = len(options.get("cerberus", []))
    state = replace(given.match.position.state, scores=scores + (0,) * heads)
    step = rules.round_over(state, turn(people=len(scores) + heads), Luck("oche", 1))
    assert step.winners == winners
