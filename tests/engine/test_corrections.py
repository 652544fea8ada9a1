"""Undo, redo and amend where they are most likely to go wrong: with questions, luck, and sides that are out.

The cases of games that ship are in the transcripts of x01, the laws in test_laws.py; these need the toy.
"""

from __future__ import annotations

from engine.games import GAMES
from engine.match import Match
from protocol.commands import decode_line
from protocol.match_spec import read_header
from tests.engine.records import Record, State, header
from tests.engine.test_referee import toy


def scores(state: State) -> list[int]:
    return [side["score"] for side in state["sides"]]


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


def test_an_amend_that_raises_a_question_without_default_is_refused() -> None:
    given = toy()
    given.play("S20 S1 S1 / S3")
    assert (
        given.refused({"amend": 2, "throw": "T20"})
        == "this would add the question name@1 before line 5: undo back to that line"
    )
    state = given.play({"undo": True}, {"undo": True}, {"amend": 2, "throw": "T20"})
    assert (state["phase"], state["turn"]["visit"]) == ("deciding", 1)


def test_a_next_that_a_question_held_open_is_folded_as_it_was() -> None:
    given = toy()
    given.play("D20 /", {"choose": "twice"}, "/ S3")
    state = given.play({"amend": 2, "throw": "S20"})
    assert (scores(state), state["turn"]["side"]) == ([20, 0], 1)
    assert [dart["line"] for dart in state["last"]["darts"]] == [2, 3, 3]


def test_an_amend_that_eliminates_a_side_before_its_darts_is_refused() -> None:
    given = toy(players=3, behind=100)
    given.play("T20 S20 S1", {"choose": "round"}, "/ S20 / S1 / S20 S1")
    reason = given.refused({"amend": 3, "throw": "T20"})
    assert reason == "this would change who threw line 11: undo back to that line", (
        "side 2, which has thrown in round 2, would be out"
    )


def test_luck_is_not_fished_for_by_undo() -> None:
    given = toy()
    given.play("/")
    rolled = given.state["board"]["roll"]
    for _ in range(3):
        given.play({"undo": True}, "S1 /")
        assert given.state["board"]["roll"] == rolled


def test_lines_may_have_gaps() -> None:
    match = Match(read_header(header("x01")), GAMES["x01"], "oche", line=3)
    for number, line in ((5, {"throw": "T20"}), (9, {"throw": "S1"}), (12, {"amend": 5, "throw": "D20"})):
        assert match.apply(number, decode_line(line)).accepted
    assert match.apply(20, decode_line({"amend": 3, "throw": "D20"})).reason == "line 3 is the header"
    assert (match.line, match.score(0)) == (12, 460)


def test_a_next_that_ended_the_match_ends_it_again() -> None:
    """No player was left to throw, so no visit opened after it: it closed its visit all the same."""
    given = toy(players=1, machine_points=30, behind=20)
    before = given.play("/")
    assert (before["phase"], before["sides"][0]["out"]) == ("over", True)
    assert {**given.play({"undo": True}, {"redo": True}), "line": 2} == before


def test_a_dart_made_void_by_an_amend_counts_after_the_next() -> None:
    given = Record(header(options={"start": 101}))
    given.play("T20 S1 S20", {"amend": 3, "throw": "T20"})
    assert "has no effect" in given.refused({"amend": 4, "throw": "S5"})
    given.play({"amend": 3, "throw": "S1"}, {"amend": 4, "throw": "S5"})
    assert [side["score"] for side in given.state["sides"]] == [35, 101]
