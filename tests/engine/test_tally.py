"""What transcripts cannot say of the figures: rates of bare tallies, and that those of a team are pooled when asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.statistics import collect_figures
from engine.tally import Tally, pool_tallies
from tests.engine.records import Record, header


def test_marks_per_round() -> None:
    assert Tally(darts=46).per_visit(59) == 3.85
    assert Tally(darts=8).per_visit(21) == pytest.approx(7.875, abs=0.005), "open to close in eight darts"
    assert collect_figures(Tally(darts=46, counts={"marks": 59}), "mpr").value("mpr") == 3.85
    both = pool_tallies([Tally(501, 20), Tally(501, 16)])
    assert both.average == collect_figures(Tally(1002, 36)).value("average") == 83.5


def test_a_team_has_the_darts_of_its_members() -> None:
    given = Record(header(players=["Ann", "Bo", "Cy"], teams=[[0, 1], [2]]))
    given.play("T20 T20 T20 / S1 S1 S1 / S20 S20 S20 / S1 S1 S1 /")
    assert [t.points for t in given.match.position.tallies] == [180, 60, 6]
    side, other = given.match.turn.tallies
    assert given.match.turn.tallies[1:] == (other,) == (given.match.position.tallies[2],)
    assert (side.points, side.darts, side.average, side.highs["visit"]) == (240, 6, 120.0, 180)
    assert given.state["sides"][0]["detail"]["average"] == 120.0
    assert side.counts["visits"] == 2
    assert side.hits == {"T20": 3, "S20": 3}


def test_the_darts_of_a_team_are_pooled_only_on_request() -> None:
    """A turn is made for every dart, again and again in an undo; hardly a rule asks for figures."""
    given = Record(header(players=["Ann", "Bo", "Cy"], teams=[[0, 1], [2]]))
    given.play("T20 T20 T20 / S1 S1 S1 /")
    given.match.position = replace(given.match.position, tallies=())
    turn = given.match.turn
    assert len(turn.tallies) == 2
    with pytest.raises(IndexError):
        turn.tallies[0]
