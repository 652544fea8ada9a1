"""Dards over whole rounds: how many cards each has, who begins the next, who has won."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.records import Record
from tests.engine.test_dards_naive import DECK, game, lay


@pytest.mark.parametrize(
    ("people", "options", "sizes"),
    [
        (2, {}, [26]),
        (2, {"wild": True}, [25]),
        (3, {"mode": "rapid"}, [17]),
        (5, {"mode": "rapid"}, [10]),
        (3, {}, [6, 6, 5]),
        (2, {"mode": "dealt"}, [9, 8, 8]),
        (4, {}, [4, 4, 4]),
        (5, {}, [4, 3, 3]),
        (6, {"wild": False}, [3, 3, 2]),
        (3, {"cards": "manual", "wild": False}, [6, 6, 5]),
    ],
)
def test_how_many_cards_a_round_has(people: int, options: dict[str, Any], sizes: list[int]) -> None:
    given, found = game(people, **options), []
    while given.state["phase"] != "over":
        while given.state["prompts"]:
            given.play({"choose": given.match.advice().answer})
        if given.state["turn"]["side"] == 0:
            found.append(given.state["sides"][0]["detail"]["cards"] + 1)
        given.play("MISS MISS MISS")
        if given.state["phase"] == "takeout":
            given.play("/")
    assert found == [count for size in sizes for count in range(size, 0, -1)]
    laid = people * sum(sizes)
    assert given.state["turn"]["visit"] == laid
    assert given.state["board"]["cards_left"] == 52 - (given.state["board"]["wild"] is not None) - laid


def test_the_next_round_is_begun_by_its_best_scorers() -> None:
    """40, 75 and 60 points make the order Bo, Cy, Ann; who is level keeps its place."""
    for points, order in (((40, 75, 60), [1, 2, 0]), ((0, 0, 0), [0, 1, 2]), ((10, 20, 20), [1, 2, 0])):
        given = game(3)
        for lap in range(6):
            for _ in range(3):
                lay(given)
                given.play("MISS MISS MISS")
                if lap < 5 or given.state["turn"]["side"] < 2:
                    given.play("/")
        state = replace(given.match.position.state, round_points=points)
        given.match.position = replace(given.match.position, state=state)
        given.play("/")
        assert given.state["turn"]["side"] == order[0]
        assert [side["detail"]["round_points"] for side in given.state["sides"]] == [0, 0, 0]
        assert given.state["round"] == 7
        seen = []
        for _ in range(6):
            seen.append(given.state["turn"]["side"])
            lay(given)
            given.play("MISS MISS MISS /")
        assert seen == order * 2


def test_the_highest_total_wins_and_is_shared() -> None:
    """The totals of the worked example, 150, 140 and 140, stand when the last of three rounds ends."""
    for totals, winners in (((150, 140, 140), [0]), ((140, 150, 150), [1, 2])):
        given = _played(game(3), but=1)
        given.match.position = replace(given.match.position, state=replace(given.match.position.state, totals=totals))
        lay(given)
        given.play("MISS MISS MISS")
        assert given.state["winners"] == winners


def _played(given: Record, but: int = 0) -> Record:
    """With all visits thrown away but so many."""
    visits = len(given.state["sides"]) * sum(given.match.position.state.sizes)
    for _ in range(visits - but):
        lay(given)
        given.play("MISS MISS MISS")
        if given.state["phase"] == "takeout":
            given.play("/")
    return given


def test_rapid_draws_the_card_as_the_visit_begins() -> None:
    given = game()
    state = given.state
    assert (state["phase"], state["prompts"]) == ("throwing", [])
    assert state["board"]["card"] in DECK
    assert state["targets"] == [str(state["board"]["target"])]
    assert state["board"] == {**state["board"], "multiplier": 1, "wild": None, "cards_left": 51}
    assert [side["detail"]["cards"] for side in state["sides"]] == [25, 26]
    cards = [state["board"]["card"]]
    while (state := given.play("MISS MISS MISS"))["phase"] != "over":
        cards.append(given.play("/")["board"]["card"])
    assert sorted(cards) == sorted(DECK)
