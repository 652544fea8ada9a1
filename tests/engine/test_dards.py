"""Dards against the rules: the worked examples, the questions and the options."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.naive_dards import DECK, WHEEL
from tests.engine.records import Record
from tests.engine.tables_of_dards import game, hand, lay, seen_by


def real_cards(*cards: str, **options: Any) -> tuple[Record, list[tuple[int, int]]]:  # Any: JSON
    """Two people lay these cards and miss; target and multiplier after each. The wild comes first if there is one."""
    given, seen = game(cards="manual", **options), []
    for card in cards:
        state = given.play({"choose": card})
        if state["phase"] == "throwing":
            seen.append((state["board"]["target"], state["board"]["multiplier"]))
            given.play("MISS MISS MISS /")
    return given, seen


# --- the worked examples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "target"),
    [
        (["2H"], 18),  # from 20
        (["2H", "2C"], 20),
        (["AH"], 1),
        (["AS"], 5),
        (["10D"], 3),
        (["10S"], 3),
        (["JH"], 19),
        (["QC"], 2),
        (["KD"], 16),
        (["KD", "KC"], 20),
    ],
)
def test_where_a_card_leads(cards: list[str], target: int) -> None:
    assert real_cards(*cards)[1][-1][0] == target


def test_the_wild_drawn_at_the_start_moves_it() -> None:
    given, seen = real_cards("2D", wild=True)
    assert seen == []
    assert given.state["board"] == {"target": 18, "multiplier": 1, "card": None, "wild": "2D", "cards_left": 51}


@pytest.mark.parametrize(
    ("wild", "cards", "expected"),
    [
        (None, "2H 2C 2D", [(18, 1), (20, 2), (18, 3)]),
        (None, "2H 2C 2D 2S", [(18, 1), (20, 2), (18, 3), (20, 4)]),
        (None, "2H 3C 2D", [(18, 1), (5, 1), (1, 1)]),
        # the examples start at the 20; a wild 5S moves the start to the 11, and 2D and 3D lead back
        ("5S", "2D 3D 6H 6C 5H", [(10, 1), (20, 2), (6, 3)]),
        ("5S", "2D 3D 6H 6C 5H 6D", [(10, 1), (20, 2), (6, 3), (19, 4)]),
        ("5S", "2D 3D 6H 6C 5H 5D", [(10, 1), (20, 2), (6, 3), (3, 4)]),
        (
            "5S",
            "2D 3D 6H 6D 6C 6S 5H 5D 5C",
            [(10, 1), (7, 2), (10, 3), (20, 4), (6, 5), (3, 6), (6, 7)],
        ),
        ("5S", "5H 9D 5D", [(20, 1), (17, 1), (8, 2)]),  # a chain of wilds alone has no rank to go on with
    ],
)
def test_chains(wild: str | None, cards: str, expected: list[tuple[int, int]]) -> None:
    _, seen = real_cards(*([wild] if wild else []), *cards.split(), wild=wild is not None)
    assert seen[-len(expected) :] == expected


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


def test_only_the_target_scores_and_all_of_it_is_multiplied() -> None:
    given = game(cards="manual")
    state = given.play({"choose": "2H"}, "S18 T18 DB")
    assert [side["score"] for side in state["sides"]] == [72, 0]
    state = given.play("/", {"choose": "2C"}, "D20 S1 I20")
    assert state["last"]["points"] == 72
    assert [side["score"] for side in state["sides"]] == [72, 120]
    assert state["sides"][1]["detail"] == {"round_points": 120, "cards": 25}
    assert given.play("/")["last"]["points"] == 120


# --- the questions and the options ---------------------------------------------------------------------------------


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


def test_dealt_asks_for_a_card_of_the_hand() -> None:
    given = game(3)
    (prompt,) = given.state["prompts"]
    assert (prompt["id"], prompt["blocking"], prompt["secret"], prompt["seat"]) == ("card@1", True, True, 0)
    assert prompt["options"] is prompt["values"] is prompt["default"] is None
    assert given.state["targets"] == []
    (mine,) = seen_by(given, 0)["prompts"]
    assert mine["options"] == hand(given, 0)
    assert mine["values"][mine["default"]] == max(mine["values"].values())
    for seat in (1, 2):
        assert seen_by(given, seat)["prompts"] == [prompt]
    reason = given.refused({"choose": hand(given, 1)[0]})
    assert not any(card in reason for card in mine["options"])
    given.refused({"throw": "T20"})
    card = lay(given)
    assert given.state["board"]["card"] == card
    assert card not in hand(given, 0)
    assert [side["detail"]["cards"] for side in given.state["sides"]] == [5, 6, 6]


def test_hands_belong_to_seats_and_not_to_places_at_the_table() -> None:
    given = game(3, teams=[[2], [0], [1]])
    assert given.state["turn"]["player"] == "Cy"
    assert seen_by(given, 2)["prompts"][0]["options"] == hand(given, 2)
    assert seen_by(given, 0)["prompts"][0]["options"] is None
    hands = [card for seat in range(3) for card in hand(given, seat)]
    assert len(hands) == len(set(hands)) == 18
    assert given.state["board"]["wild"] not in hands


def test_real_cards_are_asked_for_in_public() -> None:
    given = game(3, cards="manual")
    (wild,) = given.state["prompts"]
    assert (wild["id"], wild["blocking"], wild["default"], wild["secret"]) == ("draw@1", True, None, False)
    assert set(wild["options"]) == DECK
    (first,) = given.play({"choose": "2D", "prompt": "draw@1"})["prompts"]
    assert first["id"] == "draw@1.2"
    assert set(first["options"]) == DECK - {"2D"}
    given.refused({"choose": "2D"})
    (second,) = given.play({"choose": "QC"}, "S1 S1 S1 /")["prompts"]
    assert second["id"] == "draw@2"
    assert set(second["options"]) == DECK - {"2D", "QC"}
    assert given.encoded(0) == given.encoded(1) == given.encoded()
    assert [side["detail"]["cards"] for side in given.state["sides"]] == [5, 6, 6]
    plain = game(cards="manual")
    assert [prompt["id"] for prompt in plain.state["prompts"]] == ["draw@1"]
    assert plain.play({"choose": "AH"})["phase"] == "throwing"


def test_who_leaves_before_the_wild_is_drawn_leaves_the_question_to_the_next() -> None:
    given = game(3, cards="manual")
    (prompt,) = given.play({"retire": 0})["prompts"]
    assert (prompt["id"], prompt["seat"]) == ("draw@2", 1)
    (prompt,) = given.play({"choose": "2D"})["prompts"]
    assert prompt["id"] == "draw@2.2"


def test_an_ace_of_fourteen_paces() -> None:
    assert real_cards("AH", ace=14)[1] == [(8, 1)]
    assert real_cards("AC", ace=14)[1] == [(10, 1)]


def test_without_double_up_every_card_counts_once() -> None:
    assert real_cards("2H", "2C", "2D", double_up=False)[1] == [(18, 1), (20, 1), (18, 1)]
    assert real_cards("5S", "6H", "5D", "5H", wild=True)[1] == [(1, 1), (10, 2), (19, 3)]
    assert real_cards("5S", "6H", "5D", "5H", wild=True, double_up=False)[1] == [(1, 1), (10, 1), (19, 1)]


def test_a_pile_goes_on_into_the_next_round_unless_it_is_told_to_begin_anew() -> None:
    for resets, times, card in ((False, 2, "QH"), (True, 1, None)):
        given = game(6, cards="manual", wild=False, chain_resets=resets)
        cards = [card for card in sorted(DECK) if card[:-1] != "Q"]
        for place in range(17):
            given.play({"choose": cards[place]}, "MISS MISS MISS /")
        target = given.play({"choose": "QH"}, "MISS MISS MISS /")["board"]["target"]
        assert given.state["board"]["card"] == card
        assert given.play({"choose": "QC"})["board"]["multiplier"] == times
        back = WHEEL[(WHEEL.index(target) - 12) % 20]
        assert given.state["board"]["target"] == back


def test_the_order_may_go_by_the_total() -> None:
    for order, first in (("round", 2), ("total", 0)):
        given = _played(game(3, order=order), but=3 * 5 + 1)
        state = replace(given.match.position.state, totals=(99, 50, 60), round_points=(1, 2, 60))
        given.match.position = replace(given.match.position, state=state)
        lay(given)
        assert given.play("MISS MISS MISS /")["turn"]["side"] == first
