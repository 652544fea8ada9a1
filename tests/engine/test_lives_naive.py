"""Games of lives against scorers written a second time from the rules: thousands of visits must come out the same.

Darts are drawn so that matches end; now and then a player presses next early, and one leaves.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engine.naive_lives import (
    NaiveBlindKiller,
    NaiveKiller,
    NaiveKnockout,
    NaiveNineLives,
    NaiveSuddenDeath,
    Table,
)
from tests.engine.records import Record, header
from tests.engine.test_perft import naive_perft, perft, referee
from tests.sweep import sweep

PEOPLE = ("Ann", "Bo", "Cy", "Di")
VISITS = 60


def anywhere(chance: random.Random) -> str:
    return chance.choice([f"{chance.choice('TDSIO')}{chance.randrange(1, 21)}"] * 6 + ["SB", "DB", "MISS"])


def play(given: Record, naive: Table, darts: Any, same: Any, chance: random.Random) -> bool:  # Any: functions
    """A match to its end, or for so many visits; whether it ended."""
    for _ in range(VISITS):
        assert given.match.position.visit.side == naive.side
        assert given.match.position.visit.round == naive.round
        thrown = chance.randrange(3) if chance.random() < 0.1 else 3
        for _ in range(thrown):
            if chance.random() < 0.01 and not naive.over:
                leaving = chance.choice([side for side, here in enumerate(naive.here) if here])
                given.feed({"retire": leaving})
                naive.retire(leaving)
                break
            if not naive.ended and not naive.over:
                dart = chance.choice(darts) if chance.random() < 0.6 else anywhere(chance)
                given.feed({"throw": dart})
                naive.throw(dart)
                _same(given, naive)
                same(given)
        if not naive.over:
            given.feed({"next": True})
            naive.next()
        _same(given, naive)
        same(given)
        if naive.over:
            return True
    return False


def _same(given: Record, naive: Table) -> None:
    match, position = given.match, given.match.position
    phase = "over" if naive.over else "takeout" if naive.ended else "throwing"
    assert (position.phase, list(position.winners)) == (phase, naive.winners)
    out = {side for side, here in enumerate(naive.here) if not here or naive.out[side]}
    assert match.out == out


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_knockout_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended = random.Random(seed), 0
    for _ in range(40):
        people = chance.randrange(2, 5)
        options = {
            "lives": chance.randrange(1, 5),
            "mark": chance.choice(["last", "best", "own"]),
            "tie_loses": chance.random() < 0.5,
        }
        given = Record(header("knockout", PEOPLE[:people], options=options))
        naive = NaiveKnockout(people, options)

        def same(given: Record, naive: NaiveKnockout = naive) -> None:
            state = given.match.position.state
            assert list(state.lives) == naive.lives
            assert list(state.marks) == [naive.mark(side) for side in range(len(naive.lives))]

        ended += play(given, naive, chance.choice([["S20"], ["T20", "S5"]]), same, chance)
    assert ended > 30


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_sudden_death_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended, again = random.Random(seed), 0, 0
    for _ in range(60):
        people = chance.randrange(2, 5)
        options = {"tie": chance.choice(["tied", "all"])}
        given = Record(header("sudden_death", PEOPLE[:people], options=options))
        naive = NaiveSuddenDeath(people, options)

        def same(given: Record, naive: NaiveSuddenDeath = naive) -> None:
            assert [given.match.score(side) for side in range(len(naive.here))] == naive.wall()

        ended += play(given, naive, ["MISS"] * 8 + ["S1"], same, chance)
        again += naive.round > people - 1
    assert ended > 50
    assert again > 5, "too few rounds were level"


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_nine_lives_is_scored_as_the_rules_say(seed: int) -> None:
    chance, won, lost = random.Random(seed), 0, 0
    for _ in range(40):
        people, skill = chance.randrange(1, 5), chance.choice([0.1, 0.95])
        options = {"lives": chance.randrange(1, 5), "bull": chance.random() < 0.5}
        given = Record(header("nine_lives", PEOPLE[:people], options=options))
        naive = NaiveNineLives(people, options)

        class Aimed:
            def __len__(self) -> int:
                return 1

            def __getitem__(self, at: int, naive: NaiveNineLives = naive, skill: float = skill) -> str:
                target = naive.way[min(naive.at[naive.side], len(naive.way) - 1)]
                if chance.random() > skill:
                    return "MISS"
                return chance.choice(["SB", "DB"]) if target == 25 else f"{chance.choice('TDSIO')}{target}"

        def same(given: Record, naive: NaiveNineLives = naive) -> None:
            state = given.match.position.state
            assert (list(state.lives), list(state.at)) == (naive.lives, naive.at)

        play(given, naive, Aimed(), same, chance)
        won += any(naive.at[side] == len(naive.way) for side in naive.winners)
        lost += naive.over and not naive.winners
    assert won > 3
    assert lost > 3


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_killer_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended = random.Random(seed), 0
    for _ in range(25):
        people = chance.randrange(2, 5)
        options = {
            "numbers": chance.choice(["thrown", "drawn"]),
            "ring": chance.choice(["double", "triple", "any"]),
            "multi": chance.choice(["ring", "one"]),
            "lives": chance.randrange(1, 6),
            "self_hit": chance.choice(["life", "lose_killer", "off"]),
            "places": chance.random() < 0.5,
        }
        given = Record({**header("killer", PEOPLE[:people], options=options), "seed": str(chance.random())})
        drawn = [detail["number"] for detail in given.match.panel().detail]
        if options["numbers"] == "drawn":
            assert len({*drawn}) == people
            assert {*drawn} <= {*range(1, 21)}
        naive = NaiveKiller(people, options, drawn if options["numbers"] == "drawn" else None)
        few = [n for n in drawn if n] or [20, 1, 18, 4, 13][: people + 1]

        def same(given: Record, naive: NaiveKiller = naive) -> None:
            detail = given.match.panel().detail
            assert [one["number"] for one in detail] == naive.number
            assert [one["lives"] for one in detail] == naive.lives
            assert [one["killer"] for one in detail] == naive.killer
            assert [one["taken"] for one in detail] == naive.taken
            if naive.options["places"] and naive.over and all(naive.here):
                assert given.state["ranks"] == [*naive.winners, *reversed(naive.fallen)]
            elif not naive.over:
                assert given.state.get("ranks") == ([] if naive.options["places"] else None)

        ended += play(given, naive, [f"{ring}{n}" for n in few for ring in "DDTTS"], same, chance)
    assert ended > 15


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_blind_killer_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended = random.Random(seed), 0
    for _ in range(40):
        people = chance.randrange(2, 5)
        options = {"lives": chance.randrange(1, 6), "decoys": chance.randrange(6)}
        given = Record({**header("blind_killer", PEOPLE[:people], options=options), "seed": str(chance.random())})
        numbers = [int(cell["label"]) for cell in given.match.panel().board["cells"]]
        mine = [given.match.panel(seat).detail[seat]["number"] for seat in range(people)]
        assert len({*mine}) == people
        assert len(numbers) == people + options["decoys"]
        naive = NaiveBlindKiller(people, options, numbers, {number: side for side, number in enumerate(mine)})

        def same(given: Record, naive: NaiveBlindKiller = naive) -> None:
            seen = [(int(c["label"]), c["lives"], c["owner"]) for c in given.match.panel().board["cells"]]
            assert seen == [(number, lives, naive.told(number)) for number, lives in naive.lives.items()]
            assert [given.match.score(side) for side in range(len(naive.here))] == naive.taken

        ended += play(given, naive, [f"{ring}{n}" for n in numbers for ring in "DTS"], same, chance)
    assert ended > 30


GOLDEN: list[tuple[str, dict[str, Any], tuple[str, ...], int, int, int]] = [  # Any: JSON
    ("knockout", {"lives": 1, "tie_loses": True}, ("T20", "S20", "MISS"), 7, 1359, 2),
    ("sudden_death", {}, ("T20", "S20", "MISS"), 7, 927, 75),
    ("nine_lives", {"lives": 1}, ("S1", "D2", "MISS"), 7, 1243, 7),
    ("killer", {"lives": 1}, ("D1", "D2", "S1"), 7, 1579, 6),
]


@pytest.mark.parametrize(("game", "options", "darts", "depth", "leaves", "distinct"), GOLDEN)
def test_a_golden_count(
    game: str,
    options: dict[str, Any],  # Any: JSON
    darts: tuple[str, ...],
    depth: int,
    leaves: int,
    distinct: int,
) -> None:
    rules = referee(game, options)
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(tuple(rules.game.score(p.state, side) for side in (0, 1)), p.winners, p.visit.side) for p in found]
    scorers = {"knockout": NaiveKnockout, "sudden_death": NaiveSuddenDeath, "nine_lives": NaiveNineLives}
    full = {"mark": "last", "tie": "tied", "bull": False, "ring": "double", "self_hit": "life", **options}
    naive = NaiveKiller(2, full) if game == "killer" else scorers[game](2, full)
    leaves_again = naive_perft(naive, darts, depth)
    walls = [one.lives if game == "killer" else one.wall() for one in leaves_again]
    assert sorted(seen) == sorted(
        (tuple(wall), tuple(one.winners), one.side) for wall, one in zip(walls, leaves_again, strict=True)
    )
    assert (len(seen), len(set(seen))) == (leaves, distinct)
