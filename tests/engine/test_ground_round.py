"""Ground Round: defense where much stands on the board, the largest state, and what a sensible player does."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.layouts import find_layout
from tests.engine.contract import check
from tests.engine.records import Record, State, header
from tests.sweep import many

LAYOUT = find_layout("ground_round")


def record(**options: Any) -> Record:  # Any: JSON
    return Record(header("ground_round", options=options))


def given(owner: dict[str, int], pins: tuple[tuple[str, ...], ...] = ((), ()), **options: Any) -> Record:  # Any: JSON
    """A match whose first visit begins with these hexagons held and these pins standing."""
    match = record(**options)
    state = match.match.position.state
    territory = replace(state.now.territory, owners=owner, pins=pins)
    now = replace(state.now, territory=territory, movable=pins[0])
    match.match.position = replace(match.match.position, state=replace(state, now=now))
    return match


def prompts(state: State) -> list[str]:
    return [prompt["id"] for prompt in state["prompts"]]


def choose(answer: str, prompt: str | None = None) -> dict[str, str]:
    return {"choose": answer} if prompt is None else {"choose": answer, "prompt": prompt}


def test_two_pins_on_one_hexagon_defend_twice() -> None:
    cells = given({"1,1": 0, "0,2": 1}, (("1,1", "1,1"), ())).state["board"]["cells"]
    assert {h: cells[h]["defense"] for h in ("1,1", "0,2", "2,0")} == {"1,1": 2, "0,2": -1, "2,0": 2}


@pytest.mark.parametrize(("leaves", "side"), [(0, 1), (1, 2)], ids=["the loser", "the thrower"])
def test_a_pin_comes_off_though_a_side_leaves_before_it_is_named(leaves: int, side: int) -> None:
    match = Record(header("ground_round", players=["Ann", "Bo", "Cy"], options={"free_hexes_undefended": True}))
    match.play("1,1", "-2,1", "1,-1", choose("1,-1", "place@1"), choose("1,1", "place@1.2"), "/")
    assert prompts(match.play("0,0", "-2,1")) == ["place@2", "remove@2"]
    state = match.play({"retire": leaves})
    assert (state["phase"], state["turn"]["side"]) == ("throwing", side), "a side that has left is asked nothing"
    assert "remove@2" not in prompts(state)
    match.play("MISS")
    assert match.match.position.state.now.territory.pins[0] == ("1,1",), "it holds one Pin"


def test_the_largest_state_stays_under_the_limit() -> None:
    """Three pins that can go anywhere, and in two visits as many darts as there can be, on the longest lines."""
    pins = tuple(segment.id for segment in LAYOUT.group("pin"))
    held = {segment.id: 0 for segment in LAYOUT if segment.outline and not segment.groups & {"blank", "red"}}
    match = given(held | {"2,-2": 1}, (pins, ()), darts=9)
    match.line, longest = 9000, "-1,-1|-1,0|0,-1"
    for visit in (1, 2, 3):
        for dart in range(9):
            state = match.play({"throw": "1,0!" if dart == 5 else longest})
            check(match.encoded())
            if state["phase"] == "deciding":
                match.feed(choose("-1,-1", state["prompts"][0]["id"]))
        while (state := match.state)["phase"] != "takeout" or f"cancel@{visit}" in str(prompts(state)):
            asked = state["prompts"]
            match.feed({"throw": longest} if not asked else choose(asked[0]["options"][0]))
            check(match.encoded())
        assert len(state["turn"]["darts"]) == (9, 9 + 3 + 3)[visit != 2]
        match.feed("/")
        check(match.encoded())


def test_sensible_players_come_to_an_end_and_their_answers_are_legal() -> None:
    chance = Random(3)
    for _ in range(many(8, 40)):
        match = record()
        for _ in range(400):
            position, advice = match.match.position, match.match.advice()
            if position.over:
                break
            if advice.answer is not None:
                match.feed(choose(advice.answer))
            elif position.phase == "throwing":
                assert advice.aim is not None
                assert LAYOUT[advice.aim].outline
                match.feed({"throw": advice.aim if chance.random() < 0.4 else chance.choice(LAYOUT.areas).id})
            else:
                match.feed({"next": True})
        assert match.match.position.over


def test_a_hexagon_too_well_defended_for_a_fist_is_aimed_at() -> None:
    """It is held, and arms."""
    match = given({"0,0": 0, "-2,0": 1, "0,2": 1, "2,-2": 1}, ((), ("-2,0", "0,2", "2,-2")))
    match.play("1,0!")
    assert match.match.advice().aim == "0,0"


def test_pins_that_bar_both_sides_are_moved_out_of_the_way() -> None:
    held = dict.fromkeys(("-2,1", "-1,0", "0,-1", "2,-1"), 0) | dict.fromkeys(("0,1", "1,-2", "1,0", "1,1"), 1)
    match = given(held, (("-1,0",), ("1,-2", "0,1")))
    visit: list[Mapping[str, Any] | str] = ["MISS", "MISS", "MISS", {"next": True}]
    state = match.play(*visit, *visit)
    assert state["targets"] == []
    move = match.match.advice().answer
    assert move == "-1,0>-2,1"
    assert match.play(choose(move))["targets"] != []
    assert match.match.advice().answer is None, "while anything falls they stay"


def task(match: Record) -> str:
    text: str = match.state["task"]["text"]
    return text


def test_the_task_says_what_a_flag_needs() -> None:
    begun, armed = record(), given({"1,-1": 0})
    assert task(begun) == "Hit a fist: a flag needs attack 2, and all three flags win"
    assert {begun.state["board"]["cells"][h]["symbol"] for h in begun.state["board"]["best"]} == {"fist"}
    assert task(armed) == "Hit a flag to take it: all three flags win"
    assert {armed.state["board"]["cells"][h]["symbol"] for h in armed.state["board"]["best"]} == {"flag"}
    fists_are_barred = given({"1,-1": 1, "-1,1": 1, "0,-1": 1, "0,1": 1})
    assert task(fists_are_barred) == ("Hit what is lit to take it: a flag needs attack 2, and all three flags win")
    assert fists_are_barred.state["board"]["best"] == []


def test_a_dart_that_earns_something_counts() -> None:
    match = given({"0,0": 0, "1,0": 0})
    for dart in ("0,0", "1,0!", "1,0", "MISS"):  # unlimited attack, three more darts, nothing, nothing
        match.feed({"throw": dart})
    assert [dart.get("counts", True) for dart in match.state["turn"]["darts"]] == [True, True, False, False]
