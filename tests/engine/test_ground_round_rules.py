"""Ground Round: what the text leaves to be read: cancelled darts, pins that come back, the options and the end."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from engine.facts import Claimed
from engine.skill import Skill
from tests.engine.contract import check
from tests.engine.hexagons import FACE, choose, given, owners, prompts, record
from tests.engine.records import Record, header

# Cancelling


@pytest.mark.parametrize("segment", ["1,0!", "0,0", "1,1", "-2,1", "0,1", "2,-1", "0,0|1,0", "MISS", "2,0"])
def test_a_cancelled_dart_leaves_nothing_but_a_try_less(segment: str) -> None:
    held, pins = {"-1,2": 0, "-1,-1": 0, "-2,1": 1, "1,-2": 1, "0,0": 0}, ((), ("-2,1", "1,-2"))
    match = given(held, pins)
    before = match.play("0,0")
    assert before["board"]["unlimited"]
    after = match.play({"throw": segment}, choose("cancel", "cancel@1.2"))
    assert after["board"] == before["board"] | {"cancels": 1}
    assert after["targets"] == before["targets"]
    assert after["sides"] == before["sides"]
    assert after["turn"]["darts_left"] == before["turn"]["darts_left"]
    assert after["prompts"] == []


def test_cancelling_gives_back_the_pin_that_another_took_off_and_takes_back_what_was_placed() -> None:
    held = {"2,-1": 0, "1,-1": 0, "-1,1": 0, "1,1": 1, "-2,1": 1, "-1,2": 1}
    match = given(held, ((), ("-2,1", "-1,2")))
    before = match.state
    match.play("1,1", choose("-2,1", "remove@1"), choose("1,1", "place@1"))
    after = match.play(choose("cancel"))
    assert after["board"] == before["board"] | {"cancels": 0}


def test_cancelling_the_last_dart_goes_back_to_throwing_and_takes_back_moves() -> None:
    match = given({"2,-1": 0, "1,1": 0}, (("1,1",), ()))
    state = match.play("MISS MISS 0,0", choose("1,1>2,-1", "move@1"))
    assert state["board"]["cells"]["2,-1"]["pins"] == [0]
    assert (state["phase"], state["board"]["unlimited"]) == ("takeout", True)
    state = match.play(choose("cancel", "cancel@1.3"))
    assert (state["phase"], state["turn"]["darts_left"]) == ("throwing", 1)
    assert state["board"]["cells"]["1,1"]["pins"] == [0]
    assert owners(state) == {"2,-1": 0, "1,1": 0}
    state = match.play("-1,1")
    assert prompts(state) == ["move@1.2"]
    assert owners(state) == {"2,-1": 0, "1,1": 0, "-1,1": 0}


def test_the_darts_that_a_cancelled_dart_gave_are_gone_and_can_be_had_again() -> None:
    match = given({"2,-1": 0})
    assert match.play("1,0!")["turn"]["darts_left"] == 4
    assert match.play(choose("cancel"))["turn"]["darts_left"] == 3
    assert match.play("1,0!")["turn"]["darts_left"] == 4


def test_an_amended_dart_does_not_hand_its_cancel_to_another_dart() -> None:
    match = record()
    match.play("2,-1 1,-1 -1,1", choose("cancel"))
    assert owners(match.state) == {"2,-1": 0, "1,-1": 0}
    state = match.play({"amend": 4, "throw": None})
    assert owners(state) == {"2,-1": 0, "1,-1": 0}
    assert state["turn"]["darts_left"] == 1
    assert prompts(state) == ["cancel@1"]


# Pins that come back


def test_a_pin_on_a_hexagon_that_is_taken_is_placed_again_in_the_next_visit_of_its_owner() -> None:
    match = record()
    match.play("1,1 2,-1 -1,2", choose("2,-1", "place@1"), "/")
    match.play("1,-1 -1,1 2,-1")
    state = match.state
    assert owners(state)["2,-1"] == 1
    assert state["sides"][0]["detail"]["in_hand"] == 1
    state = match.play("/")
    assert prompts(state) == ["place@3"]
    assert not state["prompts"][0]["blocking"]
    state = match.play(choose("-1,2"))
    assert state["prompts"][0]["options"] == ["-1,2>1,1"]
    match.play({"undo": True})
    assert match.play("MISS MISS MISS")["phase"] == "deciding"
    assert "answer place@3 first" in match.refused({"next": True})
    match.play(choose("1,1"))
    assert match.play("/")["turn"]["side"] == 1


def test_an_early_next_waits_for_the_pin() -> None:
    match = record()
    state = match.play("1,1 /")
    assert (state["phase"], state["turn"]["side"], len(state["turn"]["darts"])) == ("deciding", 0, 3)
    state = match.play(choose("1,1"))
    assert (state["phase"], state["turn"]["side"]) == ("takeout", 0)
    assert match.play("/")["turn"]["side"] == 1


def test_nobody_who_has_left_is_asked() -> None:
    match = Record(header("ground_round", ("Ann", "Bo", "Cy")))
    match.play("/ 1,1 -2,1 -1,1", choose("-1,1"), choose("-2,1"), "/ /", {"retire": 1})
    state = match.play("1,1")
    assert (state["phase"], prompts(state)) == ("throwing", ["place@4"])
    assert [h for h, cell in state["board"]["cells"].items() if cell["pins"]] == ["-1,1"]


# The options, and the end


def test_free_hexagons_without_defense() -> None:
    match = given({"1,1": 1}, ((), ("1,1",)), free_hexes_undefended=True)
    assert match.state["board"]["cells"]["2,-2"]["defense"] == 0
    assert owners(match.play("2,-2 1,0")) == {"1,1": 1, "2,-2": 0, "1,0": 0}


def test_whom_a_pin_keeps_off_free_hexagons() -> None:
    mine = ({"1,1": 0}, (("1,1",), ()))
    assert "1,0" not in given(*mine).state["targets"]
    assert "1,0" in given(*mine, pin_on_free="enemies").state["targets"]
    theirs = ({"1,1": 1}, ((), ("1,1",)))
    assert "1,0" not in given(*theirs, pin_on_free="enemies").state["targets"]


def test_how_far_a_tower_reaches() -> None:
    held = {"0,1": 1, "1,0": 1, "2,-1": 1, "2,-2": 1, "-2,1": 1}
    near, far = ((given(held, ((), ("0,1",)), tower_reach=reach)).state for reach in ("adjacent", "territory"))
    seen = [[state["board"]["cells"][h]["defense"] for h in held] for state in (near, far)]
    assert seen == [[1, 2, 0, 1, 0], [1, 2, 1, 2, 0]]


@pytest.mark.parametrize(
    ("darts", "winners"),
    [("1,-1 2,-2 / 1,0 -1,0 0,1", [0]), ("2,-1 / 1,0 -1,0 /", [1]), ("2,-1 / 1,0 /", [0, 1]), ("/ /", [0, 1])],
)
def test_after_the_last_round_flags_then_hexagons(darts: str, winners: list[int]) -> None:
    state = record(max_rounds=1).play(darts)
    assert (state["phase"], state["winners"]) == ("over", winners)


def test_the_last_dart_of_the_last_round_can_be_cancelled_too() -> None:
    match = record(max_rounds=1)
    state = match.play("1,-1 -1,1 1,0 / 2,-1 -1,2 MISS")
    assert (state["phase"], prompts(state)) == ("takeout", ["cancel@2.2"])
    state = match.play(choose("cancel"), "0,1")
    assert prompts(state) == ["cancel@2.3"]
    state = match.play("/")
    assert (state["phase"], state["winners"]) == ("over", [0, 1])
    plain = record(max_rounds=1).play("1,-1 -1,1 1,0 / 0,1 -1,0 MISS")
    assert (plain["phase"], plain["winners"], plain["round"]) == ("over", [0], 1)


# What is seen, and what a sensible player does


def test_a_state_with_all_there_can_be_in_it_stays_under_the_limit() -> None:
    """Three pins that can go anywhere, and in two visits as many darts as there can be, on the longest lines."""
    pins = tuple(segment.id for segment in FACE.group("pin"))
    held = {segment.id: 0 for segment in FACE if segment.outline and not segment.groups & {"blank", "red"}}
    match = given(held | {"2,-2": 1}, (pins, ()), darts=9)
    match.line, longest = 9000, "-1,-1|-1,0|0,-1"
    for visit in (1, 2, 3):
        for dart in range(9):
            state = match.play({"throw": "1,0!" if dart == 5 else longest})
            check(match.encoded())
            if state["phase"] == "deciding":
                match.play(choose("-1,-1", state["prompts"][0]["id"]))
        while (state := match.state)["phase"] != "takeout" or f"cancel@{visit}" in str(prompts(state)):
            asked = state["prompts"]
            match.play({"throw": longest} if not asked else choose(asked[0]["options"][0]))
            check(match.encoded())
        assert len(state["turn"]["darts"]) == (9, 9 + 3 + 3)[visit != 2]
        match.play("/")
        check(match.encoded())


def test_a_capture_is_told_and_a_hit_is_not() -> None:
    match = record()
    told = [match.add({"throw": dart}).facts for dart in ("0,1", "0,1", "2,0")]
    assert [[fact.cell for fact in facts if isinstance(fact, Claimed)] for facts in told] == [["0,1"], [], []]


def test_every_seat_sees_what_the_public_sees() -> None:
    match = record()
    match.play("1,1 1,0! 0,0|1,0")
    assert match.match.panel(0) == match.match.panel(1) == match.match.panel()


def test_sensible_players_come_to_an_end_and_their_answers_are_legal() -> None:
    chance, ends = Random(3), 0
    for _ in range(40):
        match = record()
        for _ in range(400):
            position, advice = match.match.position, match.match.advice()
            if position.over:
                break
            if advice.answer is not None:
                match.play(choose(advice.answer))
            elif position.phase == "throwing":
                assert advice.aim is not None
                assert FACE[advice.aim].outline
                match.play({"throw": advice.aim if chance.random() < 0.4 else chance.choice(FACE.areas).id})
            else:
                match.play({"next": True})
        ends += match.match.position.over
    assert ends == 40


FLAGS = {"0,0": 0, "-2,0": 1, "0,2": 1, "2,-2": 1}


@pytest.mark.parametrize(
    ("owner", "thrown", "aim"),
    [
        ({}, (), "-1,0!"),  # more darts than it costs
        ({}, ("-1,0!",), "-1,1"),  # four darts left: a Fist, and three Flags fall
        ({}, ("-1,0!", "-1,1"), "-2,0"),
        ({}, ("-1,0!", "MISS", "MISS", "MISS"), "-1,1"),  # the last one: what is worth most in itself
        (FLAGS, ("1,0!",), "0,0"),  # too well defended for a Fist; it is held, and arms all the same
    ],
)
def test_where_to_aim(owner: dict[str, int], thrown: tuple[str, ...], aim: str) -> None:
    flags = tuple(place for place, side in owner.items() if side == 1)
    match = given(owner, ((), flags))
    match.play(*thrown)
    assert match.match.advice().aim == aim


def test_whoever_scatters_too_widely_for_the_red_area_does_not_aim_at_it() -> None:
    assert given({}).match.advice(Skill(FACE, 40)).aim == "0,0"


def test_pins_that_bar_everybody_are_moved_out_of_the_way() -> None:
    held = dict.fromkeys(("-2,1", "-1,0", "0,-1", "2,-1"), 0) | dict.fromkeys(("0,1", "1,-2", "1,0", "1,1"), 1)
    match = given(held, (("-1,0",), ("1,-2", "0,1")))
    visit: list[Mapping[str, Any] | str] = ["MISS", "MISS", "MISS", {"next": True}]
    state = match.play(*visit, *visit)
    assert state["targets"] == []
    move = match.match.advice().answer
    assert move == "-1,0>-2,1"
    assert match.play(choose(move))["targets"] != []
    assert match.match.advice().answer is None, "while anything falls they stay"


def test_what_to_answer() -> None:
    match = record()
    match.play("-2,2|-2,1")
    assert match.match.advice().answer == "-2,1", "not the blank one"
    match = given({"2,-1": 0})
    match.play("1,-1")
    assert match.match.advice().answer is None, "a dart that took something stays"
    match.play("MISS")
    assert match.match.advice().answer == "cancel"
    match.play(choose("cancel"), "1,1")
    assert match.match.advice().answer == "1,-1", "it has the most own neighbours"
