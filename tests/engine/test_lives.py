"""Games of lives, whichever it is: what happens when sides leave, and that many can play."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.contract import check
from tests.engine.records import Record, header

PEOPLE = ("Ann", "Bo", "Cy", "Di")
ALL = ("knockout", "legs", "overs", "overs_leader", "sudden_death", "nine_lives", "killer", "blind_killer")


def game(name: str, people: int = 2, **options: Any) -> Record:  # Any: JSON
    return Record(header(name, PEOPLE[:people], options=options))


@pytest.mark.parametrize("name", [*ALL, "tic_tac_toe", "football", "scram", "scram_cricket", "snooker"])
def test_who_is_left_alone_has_won_at_once(name: str) -> None:
    for darts, leaves in ((0, 0), (0, 1), (1, 0), (1, 1), (3, 0), (3, 1)):
        for format in ({"legs": 1}, {"legs": 3, "sets": 2}):
            given = Record(header(name, format=format))
            for _ in range(darts):
                if given.state["phase"] == "throwing":  # in snooker a miss ends the visit
                    given.play("MISS")
            visit = given.match.position.visit.number
            state = given.play({"retire": leaves})
            assert (state["phase"], state["winners"]) == ("over", [1 - leaves])
            assert given.match.position.visit.number == visit, "no dart was thrown in it"
            assert given.refused({"throw": "S20"}) == "the match is over: undo, or start a new one"
            check(given.encoded())


@pytest.mark.parametrize("name", ALL)
def test_the_match_goes_on_after_one_of_several_leaves(name: str) -> None:
    given = game(name, 4)
    given.play("S20 / S19 / D10 / ", {"retire": 1}, {"retire": 3})
    assert given.state["phase"] == "throwing"
    assert {given.state["turn"]["side"], given.play("/")["turn"]["side"]} == {0, 2}
    given.play({"retire": 2})
    given.play("S20" if given.state["phase"] == "throwing" else {"undo": True})
    check(given.encoded())


def test_sixteen_can_play_and_every_number_can_be_in_play() -> None:
    all_numbers = game("blind_killer", 2, decoys=18)
    assert len(all_numbers.state["board"]["cells"]) == 20
    check(all_numbers.encoded())
    for name in ALL:
        many = Record(header(name, [f"P{n}" for n in range(16)]))
        check(many.encoded(), 16)


@pytest.mark.parametrize(
    ("name", "darts", "outcome"),
    [
        ("knockout", "T20 T20 T20 / S1 S1 S1", "life_lost"),
        ("nine_lives", "MISS MISS MISS", "life_lost"),
        ("big_6", "MISS MISS MISS", "life_lost"),
        ("big_little", "S9 / MISS MISS MISS", "life_lost"),
        ("big_6", "S6 T20", "neutral"),
        ("big_little", "S9", "neutral"),
        ("killer", "S7", "neutral"),
        ("bull_off", "SB", "neutral"),
        ("301", "T20 T20 T20 / / T20 T20", "loss"),
        ("halve_it", "MISS MISS MISS", "loss"),
        ("killer", "MISS MISS MISS", None),
    ],
)
def test_a_task_that_says_why_says_what_the_visit_came_to(name: str, darts: str, outcome: str | None) -> None:
    state = Record(header(name)).play(darts)
    assert (state["phase"], state["task"].get("outcome")) == ("takeout", outcome)
    assert (state["task"]["key"] == "task.takeout") == (outcome is None)
