"""Ground Round: the examples of its text, turn by turn, and what it cannot be played with."""

from __future__ import annotations

from typing import Any

import pytest

from engine.record import Unreadable
from tests.engine.hexagons import choose, given, owners, prompts, record
from tests.engine.records import Record, header

# The thrower is side 0; `throws` are what each dart captured and gave.

TURNS: list[tuple[str, dict[str, int], list[tuple[str, bool, int]], dict[str, int | None], int]] = [
    ("GR-01", {}, [("2,-1", True, 0)], {"2,-1": 0}, 2),
    ("GR-02", {}, [("2,0", False, 0)], {"2,0": None}, 2),
    ("GR-06", {"2,-2": 1}, [("2,-2", False, 0)], {"2,-2": 1}, 2),
    ("GR-11", {}, [("MISS", False, 0), ("2,-1", True, 0)], {"2,-1": 0}, 1),
    ("GR-20", {}, [("1,0!", True, 2)], {"1,0": 0}, 4),
    ("GR-21", {"1,0": 0}, [("-1,0!", True, 3)], {"-1,0": 0}, 5),
    ("GR-24", {}, [("1,0", True, 0)], {"1,0": 0}, 2),
    ("GR-25", {}, [("1,0!", True, 2), ("-1,0!", True, 0)], {"1,0": 0, "-1,0": 0}, 3),
    ("GR-26", {"1,0": 1, "0,1": 1}, [("1,0!", False, 0)], {"1,0": 1}, 2),
    ("GR-31", {"0,1": 1, "1,-1": 0, "-1,1": 0}, [("0,1", False, 0)], {"0,1": 1}, 2),
    ("GR-32", {"0,1": 1}, [("0,0", True, 0), ("0,1", True, 0)], {"0,1": 0}, 1),
    ("GR-40", {"0,1": 1, "0,-1": 1}, [("0,0", True, 0), ("0,1", True, 0), ("0,-1", False, 0)], {"0,-1": 1}, 0),
    ("GR-43", {"0,0": 1, "0,1": 1}, [("0,0", False, 0), ("0,1", False, 0)], {"0,0": 1, "0,1": 1}, 1),
    ("GR-72", {"0,2": 1, "0,1": 1, "1,-1": 0}, [("0,2", False, 0)], {"0,2": 1}, 2),
    ("own Crossed Darts", {"1,0": 0}, [("1,0!", False, 2)], {"1,0": 0}, 4),
    ("own Flaming Fist", {"0,0": 0, "0,1": 1}, [("0,0", False, 0), ("0,1", True, 0)], {"0,1": 0}, 1),
    (
        "a miss spends it",
        {"0,0": 0, "0,1": 1},
        [("0,0", False, 0), ("MISS", False, 0), ("0,1", False, 0)],
        {"0,1": 1},
        0,
    ),
    ("a blank spends it", {"0,0": 0}, [("0,0", False, 0), ("2,0", False, 0), ("2,-2", False, 0)], {"2,-2": None}, 0),
    ("a free tower", {}, [("0,1", True, 0)], {"0,1": 0}, 2),
    ("a free flag", {}, [("2,-2", False, 0), ("1,-1", True, 0), ("2,-2", True, 0)], {"2,-2": 0}, 0),
]


@pytest.mark.parametrize(("name", "owner", "throws", "after", "left"), TURNS, ids=[turn[0] for turn in TURNS])
def test_a_turn(
    name: str,
    owner: dict[str, int],
    throws: list[tuple[str, bool, int]],
    after: dict[str, int | None],
    left: int,
) -> None:
    match = given(owner)
    state = match.state
    for segment, captured, extra in throws:
        before, state = state, match.play({"throw": segment})
        assert (owners(before) != owners(state)) == captured
        assert state["turn"]["darts_left"] - before["turn"]["darts_left"] + 1 == extra
    assert {h: state["board"]["cells"][h]["side"] for h in after} == after
    assert state["turn"]["darts_left"] == left


@pytest.mark.parametrize(
    ("name", "owner", "pins", "defense"),
    [
        (
            "GR-33",
            {"0,1": 0, "1,1": 0, "0,2": 0, "-1,2": 1, "2,-1": 0},
            ((), ()),
            {"1,1": 1, "0,2": 2, "-1,2": 0, "2,-1": 0},
        ),
        ("GR-50", {"1,1": 0, "0,2": 0, "1,0": 0}, (("1,1",), ()), {"1,1": 1, "0,2": 2, "1,0": 1}),
        ("GR-51", {"1,1": 0, "0,2": 1, "1,0": 1}, (("1,1",), ()), {"0,2": 0, "1,0": -1}),
        ("two towers", {"0,1": 0, "0,-1": 0, "0,0": 0}, ((), ()), {"0,0": 2, "0,1": 0, "0,-1": 0}),
        ("two pins on one hexagon", {"1,1": 0, "0,2": 1}, (("1,1", "1,1"), ()), {"1,1": 2, "0,2": -1, "2,0": 2}),
    ],
)
def test_defense(name: str, owner: dict[str, int], pins: tuple[tuple[str, ...], ...], defense: dict[str, int]) -> None:
    cells = given(owner, pins).state["board"]["cells"]
    assert {h: cells[h]["defense"] for h in defense} == defense


def test_gr_09_losing_a_fist_lowers_the_attack() -> None:
    match = given({"1,-1": 1, "-1,1": 1})
    assert match.state["board"]["attack"] == [1, 3]
    assert match.play("1,-1")["board"]["attack"] == [2, 2]


def test_gr_55_a_free_hexagon_beside_an_enemy_pin_resists() -> None:
    assert owners(given({"1,1": 1}, ((), ("1,1",))).play("1,0")) == {"1,1": 1}


def test_gr_60_the_loser_chooses_which_pin_comes_off_unless_one_is_in_the_hand() -> None:
    held, pins = {"1,1": 1, "-2,1": 1, "-1,2": 1, "1,-1": 0, "-1,1": 0}, ((), ("-2,1", "-1,2"))
    state = given(held, pins).play("1,1")
    asked = state["prompts"][1]
    assert prompts(state) == ["place@1", "remove@1"]
    assert asked == asked | {"seat": 1, "options": ["-2,1", "-1,2"], "default": "-2,1", "blocking": True}
    after = given(held, pins).play("1,1", choose("-1,2", "remove@1"))
    assert [h for h, cell in after["board"]["cells"].items() if cell["pins"]] == ["-2,1"]
    assert after["phase"] == "throwing"
    here = given(held, ((), ("1,1", "-2,1"))).play("1,1")
    assert prompts(here) == ["place@1"], "the pin that stood on it came back to the hand and paid"
    assert [h for h, cell in here["board"]["cells"].items() if cell["pins"]] == ["-2,1"]


def test_gr_61_and_62_a_new_pin_is_placed_and_not_moved_and_others_move_before_or_after() -> None:
    match = record()
    state = match.play("1,1 2,-1")
    assert prompts(state) == ["place@1"]
    assert state["prompts"][0]["options"] == ["1,1", "2,-1"]
    assert not state["prompts"][0]["blocking"]
    state = match.play("MISS")
    assert [prompt["blocking"] for prompt in state["prompts"]] == [True, False]
    assert state["phase"] == "deciding"
    state = match.play(choose("2,-1", "place@1"))
    assert prompts(state) == ["cancel@1"], "not to be moved in this turn"
    state = match.play("/ / ")
    assert prompts(state) == ["move@3"]
    assert state["prompts"][0]["options"] == ["2,-1>1,1"]
    state = match.play("MISS")
    assert prompts(state) == ["cancel@3"], "not between the darts"
    state = match.play("MISS MISS")
    assert state["phase"] == "takeout"
    assert prompts(state) == ["cancel@3.3", "move@3"]
    state = match.play(choose("2,-1>1,1", "move@3"))
    assert prompts(state) == ["cancel@3.3"], "once a turn"
    assert "hits are refused" not in match.refused({"throw": "0,0"})


def test_gr_63_a_miss_is_cancelled() -> None:
    match = given({"2,-1": 0})
    state = match.play("MISS", choose("cancel"), "1,-1")
    assert owners(state) == {"2,-1": 0, "1,-1": 0}
    assert state["turn"]["darts_left"] == 2
    assert state["board"]["cancels"] == 0
    assert prompts(given({"2,-1": 0}, cancel_misses=False).play("MISS")) == []


def test_gr_64_two_dart_hexagons_two_cancels() -> None:
    match = given({"2,-1": 0, "-1,2": 0})
    state = match.play("MISS", choose("cancel"))
    assert "no question is open" in match.refused(choose("cancel")), "each needs a throw"
    state = match.play("MISS", choose("cancel"), "MISS")
    assert state["turn"]["darts_left"] == 2
    assert state["prompts"] == []
    match.refused(choose("cancel"))


def test_a_dart_hexagon_cancels_no_dart_that_was_thrown_before_it_was_held() -> None:
    match = record()
    assert prompts(match.play("2,-1")) == []
    assert prompts(match.play("1,-1")) == ["cancel@1"]


@pytest.mark.parametrize("line", ["0,0|1,0", "1,0|0,0", "0,-1|0,0|1,-1"])
def test_gr_67_and_68_the_thrower_picks_a_hexagon_of_a_line(line: str) -> None:
    match = record()
    state = match.play({"throw": line})
    asked = state["prompts"][0]
    assert asked["id"] == "hex@1"
    assert sorted(asked["options"]) == sorted(line.split("|"))
    assert asked["default"] == asked["options"][0]
    assert asked["blocking"]
    assert state["phase"] == "deciding"
    match.refused(choose("2,-1"))
    match.refused({"throw": "2,-1"})
    pick = asked["options"][-1]
    assert owners(match.play(choose(pick))) == {pick: 0}
    assert prompts(match.play({"throw": line})) == ["hex@1.2"]


def test_the_line_of_crossed_darts_is_not_their_red_area() -> None:
    assert record().play("0,0|1,0", choose("1,0"))["turn"]["darts_left"] == 2


def test_gr_70_the_third_flag_wins_at_once() -> None:
    state = given({"2,-2": 0, "0,2": 0, "1,-1": 0}).play("-2,0")
    assert (state["phase"], state["winners"], state["turn"]["darts_left"]) == ("over", [0], 0)
    assert [side["score"] for side in state["sides"]] == [3, 0]


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({"darts": 0}, 2),
        ({"darts": 10}, 2),
        ({"tower_reach": "far"}, 2),
        ({"pin_on_free": "none"}, 2),
        ({"max_rounds": 0}, 2),
        ({"dart": 3}, 2),
        ({}, 1),
        ({}, 4),
    ],
)
def test_what_cannot_be_played_is_refused(options: dict[str, Any], players: int) -> None:  # Any: JSON
    with pytest.raises(Unreadable):
        Record(header("ground_round", ("Ann", "Bo", "Cy", "Di")[:players], options=options))
