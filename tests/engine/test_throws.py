"""All visits of a match as they count in the end, whatever was undone and corrected on the way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import Visit
from engine.record import read_header, read_input
from engine.throws import WholeMatch
from tests.engine.moves import headers, line_of, moves, record
from tests.engine.records import Record, header
from tests.engine.test_laws import ALL


def whole(given: Record) -> WholeMatch:
    """The same match, made from the journal."""
    first = read_header(dict(given.first))
    match = WholeMatch(first, given.game, first.seed or "")
    for number, line in given.journal:
        assert match.apply(number, read_input(dict(line))).accepted
    return match


def told(visits: tuple[Visit, ...]) -> list[str]:
    return [f"{v.number} {v.seat} {' '.join(d.segment.id for d in v.darts)} = {v.points}" for v in visits]


def test_corrections_are_in_it() -> None:
    given = Record(header(options={"start": 101}))
    given.play("T20 S1 S20 / S20 S20 S20 / S1 S1", {"undo": True}, "S5", {"amend": 3, "throw": "T20"})
    assert told(whole(given).visits()) == ["1 0 T20 T20 = 0", "2 1 S20 S20 S20 = 60", "3 0 S1 S5 = 6"]
    lines = [[dart.line for dart in visit.darts] for visit in whole(given).visits()]
    assert lines == [[2, 3], [6, 7, 8], [10, 13]], "a dart keeps the line it came from"


def test_a_match_to_its_end_over_legs() -> None:
    given = Record(header(options={"start": 101}, format={"legs": 2}))
    given.play("T20 S1 D20 / MISS / T20 S1 D20")
    assert [(v.leg, v.seat, v.points) for v in whole(given).visits()] == [(1, 0, 101), (2, 1, 0), (2, 0, 101)]


def test_the_visit_of_somebody_who_leaves_is_in_it() -> None:
    given = Record(header(players=["Ann", "Bo", "Cy"]))
    given.play("T20", {"retire": 0}, "S1 S1 S1 / S5")
    assert told(whole(given).visits()) == ["1 0 T20 = 60", "2 1 S1 S1 S1 = 3", "3 2 S5 = 5"]


def test_nothing_is_thrown_at_the_beginning() -> None:
    assert told(whole(Record(header())).visits()) == ["1 0  = 0"]


@pytest.mark.parametrize("game", ALL)
@settings(max_examples=200 if settings.get_current_profile_name() == "long" else 5, print_blob=True)
@given(data=st.data())
def test_it_says_the_same_as_the_figures(game: str, data: st.DataObject) -> None:
    """They are kept in another way, a dart at a time, so each checks the other."""
    match = record(data.draw(headers(ALL[game])), ALL[game])
    for move in data.draw(moves(50)):
        match.add(line_of(move, match))
    visits = whole(match).visits()
    assert [visit.number for visit in visits] == sorted({visit.number for visit in visits})
    assert visits[-1] == match.match.position.visit
    for seat, tally in enumerate(match.match.position.tallies):
        theirs = [visit for visit in visits if visit.seat == seat]
        assert sum(len(visit.darts) for visit in theirs) == sum(tally.hits.values())
        assert sum(visit.points for visit in theirs) == tally.points
        awards = sum(n for name, n in tally.counts.items() if name.startswith("award:"))
        assert awards <= len(theirs), "at most one a visit"
