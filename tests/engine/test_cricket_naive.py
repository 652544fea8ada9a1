"""Cricket, its kin and Cricket Count-Up against scorers written a second time from the rules, over random matches."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.naive_marks import NaiveMarks, NaiveTactics, NaiveWildMouse
from tests.engine.records import Record, header
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep

PEOPLE = ("Ann", "Bo", "Cy", "Di")
TEAMS = [[[0], [1]], [[0], [1], [2]], [[0, 2], [1, 3]], [[3], [0, 1], [2]], [[0]]]
SHORT = {"bull": "B", "double": "D", "triple": "T"}
POOLS = {"random": range(1, 21), "hidden": range(1, 21), "wild_card": range(7, 21), "crazy": range(1, 21)}

NUMBERS_AND_ORDERS = [
    *({"numbers": numbers, "order": "free"} for numbers in ("standard", *POOLS)),
    *({"numbers": numbers, "order": order} for numbers in ("standard", "random") for order in ("down", "up")),
]


def drawn_rows(given: Record) -> list[str]:
    rows: tuple[str, ...] = given.match.position.state.rows
    return list(rows)


def options_of(chance: random.Random) -> dict[str, Any]:  # Any: JSON
    scoring = chance.choice(["standard", "standard", "cut_throat", "no_score"])
    return {
        "scoring": scoring,
        "spread": chance.choice([None, 40, 100]) if scoring == "standard" else None,
        "rounds": chance.choice([None, None, 2, 9]),
        "tie": chance.choice(["share", "one_more_round"]),
        "marks": chance.choice([3, 3, 1, 2, 5]),
        "bull_marks": chance.choice(["split", "one"]),
        "places": chance.random() < 0.5,
    }


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 1))
def test_cricket_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for match in range(7):
        options = {
            **options_of(chance),
            "lock": chance.choice(["mark", "closed"]),
            **chance.choice(NUMBERS_AND_ORDERS),
        }
        teams = chance.choice(TEAMS)
        sizes = {len(team) for team in teams}
        options["team_close"] = chance.choice(["shared", *["one"] * (sizes != {1}), *["both"] * (sizes == {2})])
        people = PEOPLE[: sum(map(len, teams))]
        given = Record(header("cricket", people, teams=teams, options=options, seed=str(100 * seed + match)))
        naive = NaiveMarks(options, teams, drawn_rows(given))
        ended += _match(given, naive, chance)
    assert ended > 3, "too few matches came to their end"


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_tactics_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for _ in range(6):
        lowest, multiples = chance.choice([10, 12, 13, 15, 15]), chance.choice(["slop", "strict"])
        rings = chance.choice(["both", "both", "double", "triple", "none"])
        options = {**options_of(chance), "lowest": lowest, "multiples": multiples, "rings": rings}
        teams = chance.choice(TEAMS)
        given = Record(header("tactics", PEOPLE[: sum(map(len, teams))], teams=teams, options=options))
        ended += _match(given, NaiveTactics(options, teams), chance)
    assert ended > 2, "too few matches came to their end"


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_wild_mouse_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for _ in range(6):
        options = {
            **options_of(chance),
            "rounds": chance.choice([2, 9, 30]),
            "multiples": chance.choice(["slop", "slop", "strict"]),
            "beds": chance.choice(["three", "three", "one"]),
        }
        teams = chance.choice(TEAMS)
        given = Record(header("wild_mouse", PEOPLE[: sum(map(len, teams))], teams=teams, options=options))
        ended += _match(given, NaiveWildMouse(options, teams), chance)
    assert ended > 2, "too few matches came to their end"


def _match(given: Record, naive: NaiveMarks, chance: random.Random) -> bool:
    visits = 0
    found: set[str] = set()
    while not naive.over() and visits < 60:
        visits += 1
        visit = given.match.position.visit
        assert (visit.side, visit.seat, visit.round) == (naive.side, naive.seat, naive.round)
        _check_rows(given, naive)
        while not naive.visit_ended():
            _dart(given, naive, chance, found)
        _same(given.state, naive)
        closed = naive.over()
        if not naive.over() and len(naive.playing) > 1 and chance.random() < 0.03:
            side = chance.choice(naive.playing)
            naive.leave(side)
            given.feed({"retire": side})
            closed = naive.over() or side == naive.side
        if not closed:
            given.feed({"next": True})
        if not naive.over():
            naive.open_visit()
    assert (given.state["phase"] == "over") == naive.over()
    assert given.state["winners"] == naive.winners
    return naive.over()


def _dart(given: Record, naive: NaiveMarks, chance: random.Random, found: set[str]) -> None:
    dart = _aimed(naive, chance) if chance.random() < 0.7 else chance.choice(ANYWHERE)
    choices = naive.choices(dart)
    given.play({"throw": dart})
    choice = choices[0] if choices else None
    if len(choices) > 1:
        prompt = given.state["prompts"][0]
        assert prompt["options"] == choices
        assert given.state["phase"] == "deciding"
        choice = chance.choice([*choices, prompt["default"]])
        given.feed({"choose": choice})
    naive.throw(dart, choice)
    state = given.state
    assert [side["score"] for side in state["sides"]] == naive.scores()
    assert state["phase"] == ("over" if naive.over() else "takeout" if naive.visit_ended() else "throwing")
    assert state.get("ranks") == (naive.placed if naive.options["places"] else None)
    if "in_vain" in state["board"]:
        found.add(dart[1:])
        rows = ["?" if row not in found and row != "bull" else SHORT.get(row, row) for row in naive.rows]
        assert state["board"]["rows"] == rows


def _aimed(naive: NaiveMarks, chance: random.Random) -> str:
    needed = [row for index, row in enumerate(naive.rows) if naive.own[naive.seat][index] < naive.need] or naive.rows
    row = chance.choice(needed)
    number = chance.randrange(1, 21)
    if row == "bed" or ("bed" in naive.rows and chance.random() < 0.5):
        dart = naive.darts[-1] if naive.darts and naive.darts[-1] != "MISS" else "S20"
        return dart if dart[1:] == "B" else f"{chance.choice('SD')}{dart[1:]}"
    if row == "bull":
        return chance.choice(["SB", "DB"])
    return f"{row[0].upper()}{number}" if row in ("double", "triple") else f"{chance.choice('SIODT')}{row}"


def _check_rows(given: Record, naive: NaiveMarks) -> None:
    """Drawn rows are different numbers of the pool; those that stay have stayed. The others are told to the scorer."""
    numbers = naive.options.get("numbers", "standard")
    rows = drawn_rows(given)
    if numbers in POOLS:
        assert len(set(rows[:6])) == 6
        assert {int(row) for row in rows[:6]} <= set(POOLS[numbers])
    sides = range(len(naive.teams))
    for index, (before, after) in enumerate(zip(naive.rows, rows, strict=True)):
        if naive.options.get("lock") == "closed":
            stays = any(naive.closed(side, index) for side in sides)
        else:
            stays = any(marks[index] for marks in naive.own)
        assert before == after or (numbers in ("wild_card", "crazy") and before != "bull" and not stays)
    naive.rows = rows


def _same(state: dict[str, Any], naive: NaiveMarks) -> None:  # Any: JSON
    for side, shown in enumerate(state["sides"]):
        assert shown["detail"] == naive.detail(side)
    assert state["winners"] == naive.winners


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
def test_cricket_count_up_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        rounds, tie = chance.choice([1, 2, 8, 9]), chance.choice(["share", "one_more_round"])
        teams, order = chance.choice(TEAMS), chance.choice(["down", "down", "free"])
        options = {"rounds": rounds, "tie": tie, "order": order}
        given = Record(header("cricket_count_up", PEOPLE[: sum(map(len, teams))], teams=teams, options=options))
        points, winners, played = [0] * len(teams), list[int](), 0
        while not winners:
            played += 1
            targets = [20, 19, 18, 17, 16, 15, 25]
            if order == "down" and played < 8:
                targets = targets[played - 1 : played]
            near = [bed for bed in ANYWHERE if number_and_ring(bed)[0] in targets]
            for side in range(len(teams)):
                darts = [chance.choice(ANYWHERE if chance.random() < 0.5 else near) for _ in range(3)]
                points[side] += sum(n * ring for n, ring in map(number_and_ring, darts) if n in targets)
                last = side == len(teams) - 1
                best = [one for one in range(len(teams)) if points[one] == max(points)]
                if last and played >= rounds and (len(best) == 1 or tie == "share"):
                    winners = best
                state = given.play(" ".join(darts) + ("" if winners else " /"))
                assert [shown["score"] for shown in state["sides"]] == points
        assert given.state["winners"] == winners


@pytest.mark.slow
def test_perft_of_cricket() -> None:
    """Every match of six darts out of these, counted twice."""
    darts, depth = ("T20", "D20", "S19", "MISS"), 6
    rules = referee("cricket", {"order": "down", "spread": 100})
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.points, p.state.marks, p.state.in_visit) for p in found]
    assert (len(seen), len(set(seen))) == (4096, 81)
    naive = NaiveMarks({"order": "down", "spread": 100}, [[0], [1]], ["20", "19", "18", "17", "16", "15", "bull"])
    assert sorted(points for points, *_ in seen) == sorted(_leaves(naive, darts, depth))


def _leaves(naive: NaiveMarks, darts: tuple[str, ...], depth: int) -> list[tuple[int, ...]]:
    if len(naive.darts) == 3:
        naive.open_visit()
    if not depth:
        return [tuple(naive.points)]
    found = []
    for dart in darts:
        branch = copy.deepcopy(naive)
        branch.throw(dart, next(iter(branch.choices(dart)), None))
        found += _leaves(branch, darts, depth - 1)
    return found
