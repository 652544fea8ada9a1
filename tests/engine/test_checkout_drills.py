"""The checkout drills against the scorer written a second time, and what they count, refuse and advise."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine.checkouts import route
from engine.facts import Award, Closed
from engine.record import Unreadable
from engine.skill import Skill
from tests.engine.naive_checkout_drills import NaiveDrill
from tests.engine.records import Record, header
from tests.engine.test_perft import perft, referee

DRILLS = ("checkout_121", "checkout_170", "catch_40", "random_checkout")
PEOPLE = ("Ann", "Bo", "Cy")
ANYWHERE = [f"{ring}{number}" for ring in "TDSIO" for number in range(1, 21)] + ["SB", "DB", "MISS"] * 3


def some_options(game: str, chance: random.Random) -> dict[str, Any]:  # Any: JSON
    own: dict[str, dict[str, Any]] = {
        "checkout_121": {
            "start": chance.choice([61, 121, 167]),
            "fail": chance.choice(["start", "one_down", "stay"]),
            "turns": chance.choice([4, 9, 20]),
        },
        "checkout_170": {"rounds": chance.choice([1, 3])},
        "catch_40": {},
        "random_checkout": {
            "lowest": chance.choice([2, 41]),
            "highest": chance.choice([41, 170]),
            "darts": chance.choice([3, 6, 9]),
            "rounds": chance.choice([1, 6]),
        },
    }
    out, bull = chance.choice(["double", "master", "straight"]), chance.choice(["25/50", "50/50"])
    return {"out": out, "bull": bull, **own[game]}


@pytest.mark.parametrize("game", DRILLS)
def test_it_is_scored_as_the_rules_say(game: str) -> None:
    chance, ended = random.Random(game), 0
    for _ in range(8):
        options, people = some_options(game, chance), chance.choice([1, 1, 2, 3])
        given = Record(header(game, PEOPLE[:people], options=options, seed=str(chance.random())))
        numbers = list(given.match.position.state.plan.numbers)
        if game != "random_checkout":
            start = options.get("start")
            assert (
                numbers
                == {
                    "checkout_121": list(range(start or 121, 171)),
                    "checkout_170": [170] * options.get("rounds", 5),
                    "catch_40": list(range(61, 101)),
                }[game]
            )
        naive = NaiveDrill(game, numbers, people, **options)
        for _ in range(100):
            _visit(given, naive, chance)
            if naive.winners is not None:
                break
        ended += naive.winners is not None
    assert ended > 1, "too few came to their end"


def _visit(given: Record, naive: NaiveDrill, chance: random.Random) -> None:
    position, side = given.match.position, naive.side
    assert (position.visit.side, position.visit.round) == (side, naive.round)
    darts: list[str] = []
    for _ in range(3 if chance.random() < 0.9 else 1):
        if given.state["phase"] == "throwing":
            aimed = given.match.advice().aim or "MISS"
            darts.append(aimed if chance.random() < 0.6 else chance.choice(ANYWHERE))
            given.play({"throw": darts[-1]})
    if given.state["phase"] == "throwing":
        given.play("/")
    taken = naive.visit(darts)
    assert taken >= len(darts)
    player = naive.players[side]
    state = given.state
    assert state["winners"] == (naive.winners or [])
    if state["phase"] == "takeout":
        state = given.play("/")
    detail = state["sides"][side]["detail"]
    assert (detail["points"], detail["tries"]) == (player.points, player.tries)
    assert detail["number"] == player.numbers[min(player.place, len(player.numbers) - 1)]
    if naive.side != side and naive.winners is None:
        assert state["sides"][side]["score"] == player.left


def test_the_numbers_are_the_same_for_everybody_and_can_be_finished() -> None:
    given = Record(header("random_checkout", PEOPLE, options={"lowest": 150, "highest": 170, "rounds": 100}))
    numbers = given.match.position.state.plan.numbers
    assert set(numbers) <= {n for n in range(150, 171) if route(n, 3)}
    assert len(set(numbers)) > 8
    assert [side["score"] for side in given.state["sides"]] == [numbers[0]] * 3
    given.play("/ / /")
    assert given.state["sides"][0]["score"] == numbers[1]


def test_numbers_that_nobody_can_finish_are_refused() -> None:
    with pytest.raises(Unreadable, match="there is no number from 168 to 169 that 3 darts can finish"):
        Record(header("random_checkout", options={"lowest": 168, "highest": 169}))
    for darts in (3, 9):
        with pytest.raises(Unreadable, match="lowest is 90 and highest 61: lowest must not be above highest"):
            Record(header("random_checkout", options={"lowest": 90, "highest": 61, "darts": darts}))
    assert Record(header("random_checkout", options={"lowest": 168, "highest": 169, "darts": 6})).state["hint"] == []


def test_a_checkout_tells_its_number_and_counts_the_double() -> None:
    given = Record(header("checkout_170", ("Ann",)))
    facts = [fact for dart in ("T20", "T20", "DB") for fact in given.add({"throw": dart}).facts]
    assert Closed(side=0, target="170") in facts
    assert Award(side=0, award="high_ton") in facts
    tally = given.match.position.tallies[0]
    assert {
        name: tally.counts[name] for name in ("at:DB", "hit:DB", "tries", "successes", "100+ out")
    } == dict.fromkeys(("at:DB", "hit:DB", "tries", "successes", "100+ out"), 1)
    assert tally.highs["finish"] == 170


def test_the_hint_is_the_way_out_with_the_darts_left() -> None:
    given = Record(header("catch_40", ("Ann",)))
    assert given.state["hint"] == list(route(61, 3))
    given.play("S1 S20")
    assert given.state["hint"] == ["D20"]
    assert given.state["targets"] == ["D20"]


@pytest.mark.parametrize("game", DRILLS)
def test_people_of_any_skill_come_to_its_end(game: str) -> None:
    chance = random.Random(2)
    given = Record(header(game, options={"turns": 12} if game == "checkout_121" else {}))
    skill = Skill(given.match.layout, 30.0)
    for _ in range(1200):
        if given.match.position.over:
            break
        if given.match.position.phase == "takeout":
            given.play("/")
        beds = skill.chances(given.match.advice(skill).aim or "")
        ((segment, _),) = chance.choices(beds, [share for _, share in beds])
        given.play({"throw": segment.id})
    assert given.match.position.over


def test_a_golden_count() -> None:
    """Every visit of a few darts by each of two, with one turn each: what is left, the points, who has won."""
    darts = ("T20", "S1", "D20", "MISS")
    rules = referee("checkout_121", {"start": 101, "turns": 1})
    found = perft(rules, rules.start()[0], darts, 6)
    seen = Counter((p.state.points, p.state.left, p.winners) for p in found)
    numbers, expected = list(range(101, 171)), Counter[Any]()
    visits = set()
    for three in product(darts, repeat=3):
        alone = NaiveDrill("checkout_121", numbers, 1)
        visits.add(three[: alone.visit(list(three))])
    for one, other in product(visits, repeat=2):
        naive = NaiveDrill("checkout_121", numbers, 2, turns=1)
        naive.visit(list(one))
        naive.visit(list(other))
        points, left = zip(*[(player.points, player.left) for player in naive.players], strict=True)
        expected[points, left, tuple(naive.winners or ())] += 1
    assert seen == expected
    assert (seen.total(), len(seen)) == (3025, 169)
