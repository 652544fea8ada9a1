"""A match that moves to another table: what was played is entered there, and is the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from daemon.snapshot import take_snapshot
from engine.match import Match
from engine.moving import enter_lines, list_lines
from tests.engine.moves import line_of
from tests.engine.records import Record
from tests.engine.test_laws import drawn, games, law


def show(match: Match) -> list[Any]:
    """What was played in the visits that are thrown, and who is at the oche."""
    now, is_thrown = match.position.visit, match.position.phase == "takeout"
    closed = [visit for visit in match.list_visits() if is_thrown or visit.number != now.number]
    visits = [(visit.number, visit.side, visit.points, visit.bust) for visit in closed]
    darts = [dart.segment.id for visit in closed for dart in visit.darts]
    return [visits, darts, match.position.owner, match.position.legs, match.position.sets, now.round]


@games
@law
@given(data=st.data())
def test_what_moves_is_what_was_played(data: st.DataObject, game: str) -> None:
    played, told = drawn(data, game)
    for move in told:
        played.add(line_of(move, played))
    lines, match = list_lines(played.match), played.match
    if lines is None:
        assert match.position.over or match.has_luck or match.game.has_secrets(match.options)
        return
    moved = Record(played.first, played.game).match
    enter_lines(moved, lines)
    assert show(moved) == show(played.match)
    assert list_lines(moved) == lines
    if match.position.phase == "takeout" or not match.position.visit.darts:
        seen, wanted = take_snapshot(moved), take_snapshot(played.match)
        assert [(side.score, side.out) for side in seen.sides] == [(side.score, side.out) for side in wanted.sides]
        assert seen.phase == wanted.phase or seen.phase == "deciding", "what was answered is asked again"
