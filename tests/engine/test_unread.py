"""Darts that a sensor could not read, and what else a sensor tells: the rules need none of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.played import find_parts, list_throws
from engine.statistics import collect_figures
from engine.tally import UNREAD
from tests.engine.records import Record, header
from tests.engine.test_transcripts import NAMES, lines
from tests.sweep import sweep

UNKNOWN = {"throw": "MISS", "unread": True, "dart": "visit_7/1"}


def test_it_takes_a_dart_and_is_in_no_figure_until_it_is_known() -> None:
    given = Record(header())
    given.play("T20", UNKNOWN)
    assert (given.state["turn"]["darts_left"], given.match.score(0)) == (1, 441)
    given.play("T20")
    [tally, _] = given.match.position.tallies
    assert (tally.darts, tally.nine_darts, tally.points, tally.hits) == (2, 2, 120, {"T20": 2})
    assert (tally.counts[UNREAD], tally.counts["darts_80"], given.match.position.leg_darts) == (1, 2, (3, 0))
    assert "award:low_ton" not in tally.counts, "nobody knows yet whether it was a 180"
    made = collect_figures(tally)
    assert (made.darts, made.average, made.more, made.awards) == (2, 180.0, {}, {})
    given.play({"amend": 3, "throw": "T20"})
    [tally, _] = given.match.position.tallies
    assert (tally.darts, tally.hits, tally.counts["award:180"], tally.counts["darts_80"]) == (3, {"T20": 3}, 1, 3)
    assert UNREAD not in tally.counts


def test_it_is_no_dart_at_a_finish_and_the_leg_still_has_it() -> None:
    given = Record(header(players=["Ann"], options={"start": 101}))
    given.play("T20 S1", UNKNOWN, "/ S20 D10")
    [tally] = given.match.position.tallies
    assert (tally.counts["at_finish"], tally.counts["at:D10"], tally.counts["at:D20"]) == (2, 1, 1)
    assert (tally.darts, tally.lows["leg"]) == (4, 5)
    assert [row.dart for row in list_throws(given.match, "m", "main", {})] == [1, 2, 1, 2]


def test_the_darts_that_an_exercise_took_have_it() -> None:
    given = Record(header("kill_bull", players=["Ann"]))
    given.play("DB DB", UNKNOWN, "/ DB DB")
    assert find_parts(given.match)[0].result == 5


def test_marks_are_by_the_darts_that_are_known() -> None:
    given = Record(header("cricket"))
    given.play("T20 T19", UNKNOWN)
    [tally, _] = given.match.position.tallies
    assert (tally.darts, tally.counts["marks"], tally.counts["darts_80"]) == (2, 6, 2)


def test_it_is_asked_what_it_was_and_nothing_waits_for_that() -> None:
    given = Record(header())
    state = given.play("T20", UNKNOWN)
    assert (state["task"]["key"], state["task"]["values"]) == ("task.unread", {"dart": 2})
    assert state["task"]["text"] == "What was dart 2? Tap it to correct it"
    state = given.play("S1")
    assert (state["phase"], state["task"]["key"]) == ("takeout", "task.unread")
    assert given.play({"next": True})["task"]["key"] != "task.unread"
    given.play({"undo": True}, {"undo": True})
    assert given.play({"amend": 3, "throw": "S5"})["task"]["key"] != "task.unread"
    over = Record(header(players=["Ann"], options={"start": 101}))
    assert over.play("T20 S1 / ", UNKNOWN, "D20")["task"] is None


def test_a_question_that_must_be_answered_comes_first() -> None:
    given = Record(header(players=["Ann"], options={"start": 101, "split_11": True}))
    state = given.play("T20 D20", UNKNOWN)
    assert (state["phase"], state["task"]["key"]) == ("deciding", "task.answer")
    assert given.play({"choose": "no"})["task"]["key"] == "task.unread"


@pytest.mark.parametrize("name", sweep(NAMES, lambda name: name.endswith("/source")))
def test_no_rule_needs_what_a_sensor_tells_beside_the_bed(name: str) -> None:
    first, *inputs = lines(name)
    plain, sensed = Record(first), Record(first)
    for number, line in enumerate(inputs):
        more = {"point": [number * 37 % 900, -number], "dart": f"d{number}", "close": ["T5", "S1"]}
        is_dart = "throw" in line and line["throw"] is not None
        given = sensed.add({**line, **more} if is_dart else line)
        assert given == plain.add(line), f"line {plain.line}"
        assert _without_points(sensed.state) == plain.state, f"line {plain.line}"
    assert sensed.match.position.tallies == plain.match.position.tallies


def _without_points(state: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    for visit in (state["turn"], state["last"]):
        for dart in visit["darts"] if visit else ():
            dart.pop("point", None)
            dart.pop("close", None)
    return state


def test_a_dart_is_as_well_told_as_it_was_written() -> None:
    given = Record(header())
    line = {"throw": "T20", "point": [-32, 1012], "dart": "visit_7/0", "close": ["T5"]}
    given.play(json.loads(json.dumps(line)))
    [dart] = given.match.position.visit.darts
    assert dart.sensed is not None
    assert (dart.sensed.point, dart.sensed.key, dart.sensed.close) == ((-32, 1012), "visit_7/0", ("T5",))
