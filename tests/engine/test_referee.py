"""What the referee owes every game, shown on the toy: phases, prompts, the end of a visit, elimination, leaving."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ranking import in_contention
from protocol.match_spec import Unreadable
from tests.engine.contract import check
from tests.engine.records import Record, State, header
from tests.engine.toy import TOY


def toy(players: int = 2, teams: list[list[int]] | None = None, legs: int = 1, **options: Any) -> Record:  # Any: JSON
    """A match of the toy in which no player rolls a 1 before the test says so."""
    people = ("Ann", "Bo", "Cy", "Di")[:players]
    more = {} if teams is None else {"teams": teams}
    return Record(header("toy", people, options=options, format={"legs": legs}, seed="t9", **more), TOY)


def asked(state: State) -> list[str]:
    return [prompt["id"] for prompt in state["prompts"]]


def facts(given: Record, line: dict[str, Any]) -> list[str]:  # Any: JSON
    """The names of what followed from a line."""
    return [type(fact).__name__ for fact in given.add(line).facts]


def test_a_blocking_prompt_at_the_opening_holds_the_darts_back() -> None:
    given = toy(dice="manual")
    assert given.state["phase"] == "deciding"
    assert asked(given.state) == ["roll@1"]
    assert given.state["turn"]["darts_left"] == 3
    assert given.refused({"throw": "T20"}) == "answer roll@1 first: What did the die show?"
    assert given.refused({"next": True}) == "answer roll@1 first: What did the die show?"
    assert given.refused({"choose": "7"}) == "'7' is not an answer to roll@1: What did the die show?"
    assert given.refused({"choose": "4", "prompt": "roll@2"}) == "the question 'roll@2' is not open; open: roll@1"
    state = given.play({"choose": "4"})
    assert (state["phase"], state["board"]["roll"]) == ("throwing", 4)


def test_an_answer_that_ends_the_visit_leaves_it_to_next() -> None:
    given = toy(dice="manual")
    state = given.play({"choose": "1"})
    assert (state["phase"], state["turn"]["visit"], state["turn"]["darts_left"]) == ("takeout", 1, 0)
    state = given.play("/")
    assert (state["turn"]["side"], state["last"]["darts"]) == (1, [])


def test_a_visit_that_ends_at_its_opening_is_judged_there() -> None:
    given = Record(header("toy", options={}, seed="skip4"), TOY)
    assert given.state["board"]["roll"] == 1, "this seed rolls a 1 in the first visit"
    assert given.state["phase"] == "takeout"
    assert [type(fact).__name__ for fact in given.match.opening] == ["TurnChanged", "Visit", "TakeoutStarted"]
    assert facts(given, {"next": True})[0] == "TakeoutFinished"
    assert given.state["turn"]["side"] == 1


def test_blocking_prompts_after_the_darts_hold_the_judging_back() -> None:
    given = toy()
    state = given.play("D20 T20 MISS")
    assert state["phase"] == "deciding"
    assert asked(state) == ["times@1", "name@1"]
    assert state["turn"]["darts_left"] == 0
    assert state["sides"][0]["score"] == 0
    assert given.refused({"throw": "S1"}).startswith("answer times@1 first")
    given.play({"choose": "round", "prompt": "name@1"})
    assert given.state["phase"] == "deciding"
    assert facts(given, {"choose": "twice"}) == ["Visit", "MatchWon"], "2 x (40 + 60) is the target"
    assert given.state["phase"] == "over"


def test_scores_facts_and_who_is_out_hold_the_visit_in_takeout() -> None:
    given = toy(behind=100)
    given.play("T20 S20 S20", {"choose": "round"}, "/ MISS MISS")
    assert facts(given, {"throw": "MISS"}) == ["Dart", "Visit", "Eliminated", "TakeoutStarted"]
    assert given.state["phase"] == "takeout"
    assert [side["out"] for side in given.state["sides"]] == [False, True]
    assert given.state["turn"]["side"] == 1
    assert given.play("/")["turn"]["side"] == 0


def test_an_early_next_fills_with_misses_and_closes() -> None:
    given = toy()
    given.play("S20 /")
    last = given.state["last"]
    assert [(dart["line"], dart["segment"]) for dart in last["darts"]] == [(2, "S20"), (3, "MISS"), (3, "MISS")]
    assert given.state["turn"]["side"] == 1
    given.play("/")
    assert [dart["segment"] for dart in given.state["last"]["darts"]] == ["MISS"] * 3


def test_an_early_next_with_a_question_keeps_the_visit_open() -> None:
    given = toy()
    state = given.play("D20 /")
    assert (state["phase"], state["turn"]["visit"], asked(state)) == ("deciding", 1, ["times@1"])
    state = given.play({"choose": "twice"})
    assert (state["phase"], state["turn"]["visit"], state["sides"][0]["score"]) == ("takeout", 1, 80)
    assert given.play("/")["turn"]["visit"] == 2


def test_an_open_question_that_blocks_no_side_is_passed_over() -> None:
    given = toy()
    state = given.play("SB")
    assert (state["phase"], asked(state)) == ("throwing", ["again@1"])
    assert given.play("S1")["prompts"] == []
    assert given.refused({"choose": "yes"}) == "no question is open"
    assert given.play("/")["turn"]["visit"] == 2


def test_an_answer_can_give_a_dart_more_even_in_takeout() -> None:
    given = toy()
    state = given.play("S1 S1 SB")
    assert (state["phase"], asked(state), state["sides"][0]["score"]) == ("takeout", ["again@1"], 27)
    state = given.play({"choose": "yes"})
    assert (state["phase"], state["turn"]["darts_left"]) == ("throwing", 1)
    assert facts(given, {"throw": "S20"}) == ["Dart", "Visit", "TakeoutStarted"]
    assert given.state["sides"][0]["score"] == 47
    assert len(given.state["turn"]["darts"]) == 4


def test_a_dart_can_give_a_dart_more() -> None:
    state = toy().play("DB S1 S1")
    assert (state["phase"], state["turn"]["darts_left"]) == ("throwing", 1)


def test_a_dart_can_end_the_visit() -> None:
    given = toy()
    state = given.play("T20 S5")
    assert (state["phase"], state["sides"][0]["score"], state["sides"][0]["detail"]) == ("takeout", 0, {"fives": 1})
    assert given.play("/")["last"]["points"] == 0


def test_a_game_orders_its_rounds() -> None:
    given = toy(players=3)
    order = []
    for _ in range(6):
        order.append(given.state["turn"]["side"])
        given.play("/")
    assert order == [0, 1, 2, 2, 1, 0]


def test_a_match_is_won_at_the_end_of_a_visit_at_once() -> None:
    state = toy(target=60).play("S20 S20 S20")
    assert (state["phase"], state["winners"], state["turn"]["darts_left"]) == ("over", [0], 0)


def test_a_match_is_won_when_a_visit_opens() -> None:
    given = toy(target=40)
    given.play("S20 S20 S20 / /")
    state = given.play("/")
    whose = {"side": 0, "seat": 0, "player": "Ann", "visit": 4}
    assert state["turn"] == {**whose, "darts_left": 0, "darts": [], "bust": False, "points": 0}
    assert (state["phase"], state["winners"], state["last"]["visit"]) == ("over", [0], 3)
    assert given.play({"undo": True})["phase"] == "throwing"


def test_a_leg_that_is_won_when_a_visit_opens_waits_for_next() -> None:
    given = toy(target=40, legs=2)
    given.play("S20 S20 S20 / /")
    state = given.play("/")
    assert (state["phase"], state["leg"], [side["legs"] for side in state["sides"]]) == ("takeout", 1, [1, 0])
    state = given.play("/")
    assert (state["leg"], state["round"], state["turn"]["side"], state["turn"]["visit"]) == (2, 1, 1, 5)


def test_a_match_is_won_at_a_rounds_end_and_may_be_shared() -> None:
    given = toy(rounds=1)
    assert given.play("S20 / S20 /")["winners"] == [0, 1]
    given = toy(rounds=1)
    assert given.play("S20 S1 / S20 /")["winners"] == [0]
    assert [side["legs"] for side in given.state["sides"]] == [1, 0]


def test_a_secret_is_for_its_seat_alone() -> None:
    given = toy(cards=True)
    (public,) = given.state["prompts"]
    assert (public["secret"], public["options"], public["values"], public["default"]) == (True, None, None, None)
    assert given.state["board"]["hand"] is None
    hand = given.match.position.prompts[0].options or ()
    reason = given.refused({"choose": "9"})
    assert reason == "'9' is not an answer to card@1"
    assert not any(card in reason.replace("card@1", "") for card in hand)
    assert given.play({"choose": hand[0]})["board"]["cards"] == [2, 3]


def test_who_leaves_takes_the_open_visit_along_and_the_others_play_on() -> None:
    given = toy(players=3)
    given.play("S20 /")
    assert facts(given, {"retire": 1}) == ["Retired", "TakeoutFinished", "TurnChanged"]
    assert given.state["turn"]["side"] == 2
    given.play("/")
    assert given.state["turn"]["side"] == 2, "the second round goes backwards"
    given.play({"retire": 0})
    assert given.state["turn"]["side"] == 2
    given.play("/ / /")
    assert (given.state["turn"]["side"], given.state["round"]) == (2, 5)
    state = given.play({"retire": 2})
    assert (state["phase"], state["winners"]) == ("over", [])
    assert given.refused({"retire": 2}) == "the match is over: undo, or start a new one"


def test_who_leaves_in_the_middle_of_a_question_takes_it_along() -> None:
    given = toy(dice="manual")
    state = given.play({"retire": 0})
    assert (state["turn"]["side"], asked(state)) == (1, ["roll@2"])


def test_the_round_ends_when_its_last_thrower_leaves() -> None:
    given = toy(rounds=1)
    given.play("S20 S1 MISS")
    assert given.state["phase"] == "takeout"
    state = given.play({"retire": 1})
    assert (state["phase"], state["winners"]) == ("over", [0])


def test_the_match_ends_when_the_only_one_still_in_leaves() -> None:
    given = toy(players=3, behind=20)
    given.play("S20 S20 MISS / / /")
    assert [side["out"] for side in given.state["sides"]] == [False, True, True]
    last = given.state["last"]
    state = given.play({"retire": 0})
    assert (state["phase"], state["winners"], state["last"]) == ("over", [], last)
    check(given.encoded(), players=3)


def test_a_side_leaves_once_and_has_to_be_there() -> None:
    given = toy(players=3)
    assert given.refused({"retire": 3}) == "there is no side 3; the sides are 0 to 2"
    assert given.refused({"retire": -1}) == "there is no side -1; the sides are 0 to 2"
    given.play({"retire": 1})
    assert given.refused({"retire": 1}) == "Bo has left already"


def test_who_is_left_alone_wins_when_it_is_conceded_and_undo_takes_that_back() -> None:
    given = Record(header("toy", ("Ann", "Bo", "Cy"), seed="t9", undo_all=True), TOY)
    given.play("S20")
    alone = "a match can be conceded only to a side that is left when all others have left"
    assert given.refused({"concede": True}) == alone
    given.play({"retire": 2})
    assert given.refused({"concede": True}) == alone
    assert "alone" not in given.state
    assert given.play({"retire": 0})["alone"] == 1
    before = given.but_line()
    assert facts(given, {"concede": True}) == ["MatchWon"]
    assert (given.state["phase"], given.state["winners"], given.state.get("alone")) == ("over", [1], None)
    assert given.refused({"concede": True}) == "the match is over: undo, or start a new one"
    assert facts(given, {"undo": True}) == ["Undone"]
    assert given.but_line() == before
    assert facts(given, {"redo": True}) == ["Corrected", "MatchWon"]
    given.play({"undo": True}, {"undo": True})
    assert given.refused({"concede": True}) == alone, "with the leaver back there is nobody to concede"
    check(given.encoded(), players=3)


def test_a_concede_stands_when_an_earlier_dart_is_corrected() -> None:
    given = Record(header(options={"start": 101}, undo_all=True))
    given.play("S20 S20 S20 / S20", {"retire": 0}, {"concede": True})
    state = given.play({"amend": 2, "throw": "S1"})
    assert (state["phase"], state["winners"], state["sides"][0]["score"]) == ("over", [1], 60)
    assert given.resumed().position == given.match.position
    given.play({"undo": True}, {"undo": True})
    state = given.play({"amend": 6, "throw": "D20"})
    assert (state["alone"], state["sides"][1]["score"]) == (1, 61)


def test_a_concede_is_void_where_a_correction_ends_the_match_before_it() -> None:
    given = Record(header(options={"start": 101}, undo_all=True))
    given.play("T20 S1 S20", {"retire": 1}, {"concede": True})
    assert given.state["winners"] == [0]
    given.play({"amend": 4, "throw": "D20"})
    assert not given.match.position.conceded, "it was won on the board"
    assert given.match.position.tallies[0].counts["legs_won"] == 1


@pytest.mark.parametrize("phase", ["throwing", "deciding", "takeout"])
def test_a_match_is_conceded_whatever_it_waits_for(phase: str) -> None:
    given = toy(dice="manual") if phase == "deciding" else toy()
    given.play({"retire": 0}, *(["S20 S20 S1"] if phase == "takeout" else []))
    assert given.state["phase"] == phase
    assert given.play({"concede": True})["winners"] == [1]


def test_undo_takes_back_a_concede_in_a_record_of_0_1_0_too() -> None:
    given = Record({**header("toy", ("Ann", "Bo")), "undo_all": False}, TOY)
    given.play("S20", {"retire": 0}, {"concede": True})
    assert given.play({"undo": True})["alone"] == 1


def test_a_machine_is_an_opponent_that_has_not_left() -> None:
    given = toy(machine_points=30)
    assert "alone" not in given.play({"retire": 0})
    assert given.refused({"concede": True})


def test_an_abandoned_match_has_no_winners_and_stays_so() -> None:
    given = toy()
    given.play("S20")
    assert facts(given, {"stop": True}) == ["MatchStopped"]
    assert (given.state["phase"], given.state["winners"]) == ("over", [])
    assert given.refused({"throw": "S1"}) == given.refused({"next": True}) == "the match was stopped: start a new one"
    state = given.play({"undo": True})
    assert (state["phase"], state["turn"]["darts"]) == ("over", [])


def test_a_game_may_refuse_an_answer() -> None:
    given = toy()
    given.play("T20 S1 S1")
    assert given.refused({"choose": "toy"}) == "that name is taken"
    assert given.play({"choose": "round"})["phase"] == "takeout"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"players": ["A"] * 5}, "toy is for 1 to 4 sides, not for 5"),
        ({"teams": [[0, 1]], "options": {"dies": 1}}, "toy has no option 'dies'; did you mean 'dice'?"),
        (
            {"players": ["A", "B", "C"], "teams": [[0, 1, 2]]},
            "toy needs teams of 1 to 2 members; A & B & C has 3",
        ),
        (
            {"players": list("ABCDEFGH"), "teams": [[0, 1], [2, 3], [4, 5], [6, 7]], "options": {"cards": True}},
            "there are cards for six people only",
        ),
    ],
)
def test_a_match_that_cannot_be_played_says_why(more: dict[str, Any], reason: str) -> None:  # Any: JSON
    with pytest.raises(Unreadable, match=f"^{reason}$".replace("?", r"\?")):
        Record({**header("toy"), **more}, TOY)


def test_facts_of_a_visit_come_in_the_order_they_happen() -> None:
    given = toy()
    assert [type(fact).__name__ for fact in given.match.opening] == ["TurnChanged"]
    assert facts(given, {"throw": "DB"}) == ["Dart"]
    assert facts(given, {"next": True}) == ["Dart", "Dart", "Dart", "PromptOpened"]
    assert facts(given, {"choose": "once"}) == ["Visit", "TakeoutStarted"]
    assert facts(given, {"next": True}) == ["TakeoutFinished", "TurnChanged"]
    assert facts(given, {"undo": True}) == ["Undone"], "what is undone does not happen again"
    assert facts(given, {"redo": True}) == ["Corrected"]


def test_a_side_without_players_is_a_side_like_others() -> None:
    given = toy(machine_points=30, behind=60)
    assert given.state["sides"][2] == {
        "name": "Machine",
        "players": [],
        "score": 0,
        "legs": 0,
        "sets": 0,
        "out": False,
        "detail": {"fives": 0},
    }
    assert given.refused({"retire": 2}) == "Machine has no players and cannot retire"
    order = []
    for _ in range(4):
        order.append(given.state["turn"]["side"])
        given.play("S20 /" if given.state["turn"]["side"] == 0 else "/")
    assert order == [0, 1, 1, 0]
    assert [side["score"] for side in given.state["sides"]] == [40, 0, 60]
    assert [side["out"] for side in given.state["sides"]] == [False, True, False]
    state = given.play({"retire": 0})
    assert (state["phase"], state["winners"]) == ("over", []), "no side is left to throw"


def test_options_are_filled_in_for_those_who_play() -> None:
    assert toy().match.options.rounds == 6
    assert toy(rounds=2).match.options.rounds == 2
    with pytest.raises(Unreadable, match=r"^the machine would win for sure against so few$"):
        toy(machine_points=200)


def test_the_next_side_begins_a_set_however_many_legs_before() -> None:
    given = Record(header("x01", options={"starts": [40, 40]}, format={"legs": 2, "sets": 2}))
    assert given.play("D20 /")["turn"]["side"] == 1, "Bo begins the second leg"
    state = given.play("/ D20 /")
    assert (state["set"], state["leg"], state["turn"]["side"]) == (2, 1, 1), "Ann began the first set, with two legs"


def test_a_leg_won_by_the_limit_of_rounds_is_no_best_leg() -> None:
    given = Record(header("x01", options={"start": 101, "rounds": 1}))
    given.play("S20 S20 S20 / S1 S1 S1")
    assert given.match.position.tallies[0].lows == {}
    assert given.match.position.tallies[0].counts["legs_won"] == 1
    again = Record(header("x01", options={"start": 101, "rounds": 1, "finish": "equal_turns"}))
    again.play("T20 S1 D20 / S1 S1 S1")
    assert again.match.position.tallies[0].lows == {"leg": 3}


ON = {"tie": "one_more_round"}
LEVEL: list[tuple[str, dict[str, Any], str]] = [  # Any: JSON
    ("hammer_cricket", {}, "T20 / T20 / /" + " / / /" * 7),
    ("count_up", {"rounds": 1, **ON}, "T20 / T20 / /"),
    ("low_ball", {"rounds": 1, **ON}, "S1 S1 S1 / S1 S1 S1 / /"),
    ("baseball", {"innings": 1}, "T1 / T1 / /"),
    ("golf", {"holes": 1, "scoring": "maker", "playoff": 3}, "T1 / T1 / /"),
    ("halve_it", ON, "/ / / " * 8 + "SB / SB / /"),
    ("burma_road", {}, "/ / / " * 11 + "SB / SB / /"),
    ("x01", {"start": 101, "rounds": 1, **ON}, "T20 / T20 / /"),
]
"""A game with its options, and what leaves Ann and Bo level before Cy after the last round."""


def level(game: str, options: dict[str, Any], darts: str, *players: str) -> Record:  # Any: JSON
    given = Record(header(game, players, options=options))
    given.play(darts)
    assert not given.match.position.over
    assert given.state["turn"]["side"] == 0
    return given


@pytest.mark.parametrize(("game", "options", "darts"), LEVEL, ids=[game for game, *_ in LEVEL])
def test_when_all_level_sides_left_the_best_other_wins(game: str, options: dict[str, Any], darts: str) -> None:
    given = level(game, options, darts, "Ann", "Bo", "Cy")
    given.play({"retire": 0}, {"retire": 1})
    for _ in range(4):
        if not given.match.position.over:
            given.play("/")
    assert given.state["winners"] == [2]


@pytest.mark.parametrize(("game", "options", "darts"), LEVEL, ids=[game for game, *_ in LEVEL])
def test_when_one_of_them_has_left_the_other_wins(game: str, options: dict[str, Any], darts: str) -> None:
    given = level(game, options, darts, "Ann", "Bo", "Cy")
    given.play({"retire": 0})
    assert given.state["turn"]["side"] == 1
    given.play("/")
    assert given.state["winners"] == [1]


def test_who_is_in_contention() -> None:
    assert in_contention((2, 0), (0, 1, 2)) == (0, 2)
    assert in_contention((2, 0), (1, 2)) == (2,)
    assert in_contention((2, 0), (1, 3)) == (1, 3)
