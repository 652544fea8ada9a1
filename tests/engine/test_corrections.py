"""Undo, redo and amend where they are most likely to go wrong: across visits, legs and the end of the match.

The plain cases are in the transcripts, the laws in test_laws.py; here are those that took thinking, one by one.
"""

from __future__ import annotations

import pytest

from engine.match import Match
from engine.record import read_header, read_input
from tests.engine.records import Record, State, header
from tests.engine.test_referee import facts, toy


def x01(start: int = 101, players: tuple[str, ...] = ("Ann", "Bo"), legs: int = 1, **more: object) -> Record:
    return Record(header("x01", players, options={"start": start}, format={"legs": legs}, **more))


def scores(state: State) -> list[int]:
    return [side["score"] for side in state["sides"]]


def test_an_amend_can_be_amended_back_after_it_had_ended_the_match() -> None:
    """A slip of the finger: the wrong correction wins the match for somebody; correcting it must bring all back."""
    given = x01()
    before = given.play("T17 S10 / T20 / S20 S1 / S1")
    assert scores(given.play({"amend": 3, "throw": "DB"})) == [0, 101]
    assert given.state["phase"] == "over"
    state = given.play({"amend": 3, "throw": "S10"})
    assert {**state, "line": 0} == {**before, "line": 0}


def test_an_amend_that_voided_darts_can_be_amended_back() -> None:
    given = x01()
    before = given.play("T20 S20 S1 / S5")
    assert scores(given.play({"amend": 3, "throw": "T20"})) == [101, 96]
    assert [dart["segment"] for dart in given.state["last"]["darts"]] == ["T20", "T20"]
    reason = given.refused({"amend": 4, "throw": "S2"})
    assert reason == "line 4 has no effect: the visit is thrown: pull the darts, then next"
    state = given.play({"amend": 3, "throw": "S20"})
    assert {**state, "line": 0} == {**before, "line": 0}


def test_an_amend_may_move_an_open_visit_in_which_nothing_was_thrown() -> None:
    """Leg 1 was never won: the visit that had opened as leg 2 becomes one of leg 1, even after other amends in it."""
    given = x01(legs=2)
    assert given.play("T17 DB /")["leg"] == 2
    given.play({"amend": 2, "throw": "T17"})
    state = given.play({"amend": 3, "throw": "SB"})
    assert (state["leg"], state["turn"]["side"], scores(state)) == (1, 1, [25, 101])


def test_an_amend_that_would_move_a_visit_with_darts_is_refused() -> None:
    given = x01(legs=2)
    given.play("T17 DB / S1")
    assert given.refused({"amend": 3, "throw": "SB"}) == "would change who threw line 5; undo to there"
    given.play({"undo": True}, {"amend": 3, "throw": "SB"})
    given = x01(legs=2)
    given.play("T17 DB / /")
    assert given.refused({"amend": 3, "throw": "SB"}) == "would change who threw line 5; undo to there"


def test_an_amend_that_wins_a_leg_earlier_is_refused_when_more_was_thrown() -> None:
    given = x01(legs=2)
    given.play("T17 S20 S10 / S1 / S1 S1 S1 / S7")
    assert given.refused({"amend": 3, "throw": "DB"}) == "would change who threw line 6; undo to there"
    state = given.play({"undo": True}, {"undo": True}, {"amend": 8, "throw": "D10"})
    assert (state["phase"], state["leg"], scores(state)) == ("takeout", 1, [0, 100])
    assert [side["legs"] for side in state["sides"]] == [1, 0]
    assert (given.play("/")["leg"], given.state["turn"]["side"]) == (2, 1)


def test_an_amend_in_a_visit_that_was_skipped_still_counts_as_thrown() -> None:
    given = x01(players=("Ann", "Bo", "Cy"), legs=2)
    given.play("T17 S20 S10 / / S3")
    assert given.refused({"amend": 3, "throw": "DB"}) == "would change who threw line 6; undo to there"


def test_the_reason_for_a_wrong_segment_comes_before_what_it_would_shift() -> None:
    given = x01(legs=2)
    given.play("T17 DB / S1")
    assert given.refused({"amend": 3, "throw": "D21"}) == "the standard face has no segment 'D21'; did you mean D2?"


def test_a_ghost_that_ended_the_match_reopens_it() -> None:
    given = x01()
    assert given.play("T17 DB")["phase"] == "over"
    state = given.play({"amend": 3, "throw": None})
    assert (state["phase"], state["winners"], state["turn"]["darts_left"]) == ("throwing", [], 2)
    assert state["sides"][0]["detail"]["darts"] == 1


def test_undo_after_the_end_and_amend_after_the_end() -> None:
    given = x01()
    given.play("T17 DB")
    assert (
        given.refused({"throw": "S1"}) == given.refused({"next": True}) == "the match is over: undo, or start another"
    )
    assert given.play({"amend": 2, "throw": "T20"})["phase"] == "takeout", "60 and 50 is bust"
    assert given.play({"undo": True})["winners"] == [0]
    assert given.play({"undo": True})["phase"] == "throwing"
    assert given.play({"redo": True})["winners"] == [0]
    assert given.play({"redo": True})["phase"] == "takeout", "the amend"
    assert given.refused({"redo": True}) == "there is nothing to redo"


@pytest.mark.parametrize("line", [{"throw": "S1"}, {"next": True}, {"amend": 2, "throw": "S2"}])
def test_redo_is_emptied_by_whatever_is_played(line: dict[str, object]) -> None:
    given = x01()
    given.play("S20 S20", {"undo": True}, line)
    assert given.refused({"redo": True}) == "there is nothing to redo"


def test_a_refused_line_does_not_empty_redo() -> None:
    given = x01()
    given.play("S20 S20", {"undo": True})
    given.refused({"throw": "T21"})
    given.refused({"amend": 2, "throw": "T21"})
    assert len(given.play({"redo": True})["turn"]["darts"]) == 2


def test_undo_steps_over_what_has_no_effect() -> None:
    given = x01()
    given.play("T20 T20 / S1", {"undo": True}, {"undo": True})
    assert given.state["phase"] == "takeout"
    given = x01()
    given.play("S20 S20 T20", {"amend": 2, "throw": "T20"})
    assert [dart["segment"] for dart in given.state["turn"]["darts"]] == ["T20", "S20", "T20"]
    given.play({"amend": 3, "throw": "T20"}, "/")
    assert given.play({"undo": True})["turn"]["darts"][-1]["line"] == 3, "line 4 is void after the bust"
    given.play({"undo": True}, {"undo": True})
    assert [dart["segment"] for dart in given.state["turn"]["darts"]] == ["S20", "S20", "T20"]


def test_undo_never_takes_back_that_somebody_left_or_that_all_was_stopped() -> None:
    given = x01(players=("Ann", "Bo", "Cy"))
    given.play("S20 / S5", {"retire": 1}, {"undo": True}, {"undo": True}, {"undo": True})
    state = given.state
    assert (scores(state), state["turn"]["side"], state["sides"][1]["out"]) == ([101, 101, 101], 0, True)
    assert given.refused({"undo": True}) == "there is nothing to undo"


def test_what_was_undone_before_somebody_left_can_be_brought_back() -> None:
    given = x01()
    given.play("S20 /", {"undo": True}, {"retire": 1}, {"redo": True})
    state = given.state
    assert (state["turn"]["side"], state["turn"]["visit"], scores(state)) == (0, 3, [81, 101])


def test_two_amends_of_a_line_are_undone_one_by_one() -> None:
    given = x01()
    given.play("S20", {"amend": 2, "throw": "D20"}, {"amend": 2, "throw": "T20"})
    assert scores(given.state)[0] == 41
    assert scores(given.play({"undo": True}))[0] == 61
    assert scores(given.play({"undo": True}))[0] == 81
    assert scores(given.play({"redo": True}, {"redo": True}))[0] == 41


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"amend": 1, "throw": "T20"}, "line 1 is the header"),
        ({"amend": 3, "throw": "T20"}, "line 3 is neither a throw nor an answer"),
        ({"amend": 4, "throw": "T20"}, "line 4 was undone"),
        ({"amend": 5, "throw": "T20"}, "line 5 is no throw or answer of this match"),
        ({"amend": 6, "throw": "T20"}, "line 6 is no throw or answer of this match"),
        ({"amend": 7, "throw": "T20"}, "line 7 is no throw or answer of this match"),
        ({"amend": 0, "throw": "T20"}, "line 0 is no throw or answer of this match"),
        ({"amend": 2, "choose": "T20"}, "line 2 is a throw"),
    ],
)
def test_what_cannot_be_amended(line: dict[str, object], reason: str) -> None:
    given = x01()
    given.play("S20 / S1", {"undo": True})
    given.refused({"throw": "T21"})
    assert given.refused(line) == reason


def test_an_answer_is_meant_otherwise() -> None:
    given = toy()
    given.play("D20 S1 S1", {"choose": "once"}, "/")
    assert scores(given.play({"amend": 5, "choose": "twice"})) == [84, 0]
    assert (
        given.refused({"amend": 5, "choose": "thrice"}) == "'thrice' is not an answer to times@1; possible: once, twice"
    )
    assert given.refused({"amend": 5, "throw": "T20"}) == "line 5 is an answer"
    assert scores(given.play({"undo": True})) == [42, 0]


def test_an_amended_answer_stays_with_the_question_it_answered() -> None:
    given = toy()
    given.play("D20 T20 MISS", {"choose": "round", "prompt": "name@1"}, {"choose": "once"})
    given.play({"amend": 5, "choose": "square"}, {"amend": 6, "choose": "twice"})
    assert (scores(given.state), given.state["phase"]) == ([200, 0], "over")


def test_an_answer_keeps_its_question_when_others_open_before_it() -> None:
    given = toy()
    given.play("S20 T20 MISS", {"choose": "round"}, {"amend": 2, "throw": "D20"})
    state = given.state
    assert (state["phase"], [prompt["id"] for prompt in state["prompts"]]) == ("deciding", ["times@1"])
    assert scores(given.play({"choose": "twice"}))[0] == 200


def test_an_answer_that_no_longer_fits_is_void() -> None:
    given = toy()
    given.play("D20 S1 S1", {"choose": "twice"}, "/ S3")
    assert scores(given.play({"amend": 2, "throw": "S20"})) == [22, 0]
    assert given.refused({"amend": 5, "choose": "once"}) == "line 5 has no effect: no question is open"


def test_a_question_raised_in_a_closed_visit_takes_its_default() -> None:
    given = toy()
    given.play("S20 S1 S1 / S3")
    state = given.play({"amend": 2, "throw": "D20"})
    assert (scores(state), state["turn"]["side"], state["turn"]["visit"]) == ([42, 0], 1, 2)
    assert scores(given.play({"undo": True})) == [22, 0]


def test_a_question_raised_in_the_open_visit_is_asked() -> None:
    given = toy()
    given.play("S20 S1 S1")
    assert given.play({"amend": 2, "throw": "D20"})["phase"] == "deciding"


def test_an_amend_that_raises_a_question_without_default_in_a_closed_visit_is_refused() -> None:
    given = toy()
    given.play("S20 S1 S1 / S3")
    assert given.refused({"amend": 2, "throw": "T20"}) == "would ask name@1 before line 5; undo to there"
    state = given.play({"undo": True}, {"undo": True}, {"amend": 2, "throw": "T20"})
    assert (state["phase"], state["turn"]["visit"]) == ("deciding", 1)


def test_a_next_that_a_question_held_open_is_folded_as_it_was() -> None:
    given = toy()
    given.play("D20 /", {"choose": "twice"}, "/ S3")
    state = given.play({"amend": 2, "throw": "S20"})
    assert (scores(state), state["turn"]["side"]) == ([20, 0], 1)
    assert [dart["line"] for dart in state["last"]["darts"]] == [2, 3, 3]


def test_an_amend_that_puts_a_side_out_earlier_is_refused_when_that_side_threw_on() -> None:
    given = toy(players=3, behind=100)
    given.play("T20 S20 S1", {"choose": "round"}, "/ S20 / S1 / S20 S1")
    reason = given.refused({"amend": 3, "throw": "T20"})
    assert reason == "would change who threw line 11; undo to there", (
        "side 2, which has thrown in round 2, would be out"
    )


def test_who_left_in_a_visit_that_an_amend_moves_shifts_nobody() -> None:
    """Side 2 left in its visit, which closed it. Were it out already, that visit would be another's, and stay open."""
    given = toy(players=4, behind=60)
    given.play("T20 S20 S1", {"choose": "round"}, "/ S20 S20 / S20 S20 / S20 S20 /")
    assert given.state["turn"]["side"] == 3
    given.play({"retire": 3}, "S20 /")
    assert given.refused({"amend": 14, "throw": "MISS"}) == "would change who threw line 17; undo to there"


def test_luck_is_not_fished_for_by_undo() -> None:
    given = toy()
    given.play("/")
    rolled = given.state["board"]["roll"]
    for _ in range(3):
        given.play({"undo": True}, "S1 /")
        assert given.state["board"]["roll"] == rolled


def test_a_correction_tells_itself_and_nothing_that_has_been_told() -> None:
    given = x01()
    given.play("T20 S20 S1 / S5")
    assert facts(given, {"amend": 3, "throw": "T20"}) == ["Corrected"]
    assert facts(given, {"undo": True}) == ["Undone"]
    assert facts(given, {"redo": True}) == ["Corrected"]
    given = x01()
    given.play("T17 S10")
    assert facts(given, {"amend": 3, "throw": "DB"}) == ["Corrected", "MatchWon"]
    assert facts(given, {"undo": True}) == ["Undone"]


def test_lines_may_have_gaps() -> None:
    match = Match(read_header(header("x01")), x01().game, "oche", line=3)
    for number, line in ((5, {"throw": "T20"}), (9, {"throw": "S1"}), (12, {"amend": 5, "throw": "D20"})):
        assert match.apply(number, read_input(line)).accepted
    assert match.apply(20, read_input({"amend": 3, "throw": "D20"})).reason == "line 3 is the header"
    assert (match.line, match.score(0)) == (12, 460)


def test_a_next_that_ended_the_match_ends_it_again() -> None:
    """Nobody was left to throw, so no visit opened after it: it closed its visit all the same."""
    given = toy(players=1, house=30, behind=20)
    before = given.play("/")
    assert (before["phase"], before["sides"][0]["out"]) == ("over", True)
    assert {**given.play({"undo": True}, {"redo": True}), "line": 2} == before


def test_a_next_that_ended_the_match_still_closes_its_visit_when_the_match_goes_on() -> None:
    given = Record(header("burma_road"))
    given.play("/ " * 22, "SB / DB /")
    assert given.state["winners"] == [1]
    state = given.play({"amend": 26, "throw": "SB"})
    assert (state["phase"], state["round"], state["turn"]["side"], scores(state)) == ("throwing", 13, 0, [26, 26])


def test_a_ghost_cannot_come_back_into_a_visit_that_has_ended_before_it() -> None:
    given = x01()
    given.play("T20 S20 S1 /", {"amend": 4, "throw": None}, {"amend": 3, "throw": "T20"})
    assert given.refused({"amend": 4, "throw": "S1"}) == "the visit is thrown: pull the darts, then next"
    assert scores(given.play({"amend": 3, "throw": "S20"}, {"amend": 4, "throw": "S1"})) == [20, 101]
