"""Undo and redo of `retire` where questions are open, where an amend moves visits, and in every game."""

from __future__ import annotations

import pytest

from engine.games import GAMES
from protocol.match_spec import read_header, write_header
from tests.engine.records import Record, State, header
from tests.engine.toy import TOY


def same(one: State, other: State) -> bool:
    return {**one, "line": 0} == {**other, "line": 0}


def test_who_left_in_a_question_is_asked_again() -> None:
    given = Record(header("toy", ("Ann", "Bo", "Cy"), options={"dice": "manual"}, undo_all=True), TOY)
    before = given.state
    given.play({"retire": 0})
    assert same(given.play({"undo": True}), before)
    assert given.state["prompts"][0]["id"] == "roll@1"


def test_a_correction_that_moves_a_leavers_visit_is_refused() -> None:
    """Side 3 left in its visit, which closed it. Were it out already, that visit would be another's, and stay open."""
    more = {"options": {"behind": 60}, "seed": "t9", "undo_all": True}
    given = Record(header("toy", ("Ann", "Bo", "Cy", "Di"), **more), TOY)
    given.play("T20 S20 S1", {"choose": "round"}, "/ S20 S20 / S20 S20 / S20 S20 /", {"retire": 3}, "S20 /")
    assert (
        given.refused({"amend": 14, "throw": "MISS"}) == "this would change who threw line 17: undo back to that line"
    )
    before = given.play({"undo": True}, {"undo": True}, {"undo": True})
    assert (before["turn"]["side"], before["sides"][3]["out"]) == (3, False)
    assert given.play({"amend": 14, "throw": "MISS"})["turn"]["side"] == 2, "nothing was thrown in the visit that moves"
    assert same(given.play({"undo": True}), before)


def test_a_header_without_it_is_written_without_it() -> None:
    """A record of 0.1.0 that is written again can still be read by 0.1.0."""
    assert "undo_all" not in write_header(read_header(header()))
    assert write_header(read_header(header(undo_all=True)))["undo_all"] is True


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if 3 in game.sides])
def test_in_every_game_a_side_can_leave_and_come_back(game: str) -> None:
    given = Record(header(game, ("Ann", "Bo", "Cy"), undo_all=True))
    layout = given.match.layout
    for side in (0, 1, 2):
        before = given.state
        after = given.play({"retire": side})
        assert same(given.play({"undo": True}), before)
        assert same(given.play({"redo": True}), after)
        given.feed({"undo": True})
        if given.match.position.phase == "throwing":
            given.feed({"throw": layout.segments[0].id})
