"""The halve-it family: its facts, figures, sheet, presets, and what a player is told to aim at."""

from __future__ import annotations

import pytest

from engine.facts import Award, Halved
from engine.games import PRESETS
from engine.games.halve_it_plan import Plan
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.records import Record, header

PRACTISED, BEGINNER = 8.0, 45.0
"""Scatter in millimetres."""


def halve_it(sequence: str = "machine", **options: object) -> Record:
    return Record(header("halve_it", options={"sequence": sequence, **options}))


def aim(given: Record, sigma_mm: float = 0.0) -> str | None:
    return given.match.advice(Skill(given.match.layout, sigma_mm)).aim


def test_a_missed_visit_is_halved_and_told_once() -> None:
    given = halve_it()
    assert [f for f in given.add({"next": True}).facts if isinstance(f, Halved)] == [Halved(side=0)]
    given.play("S15 S1")
    assert not [f for f in given.add({"throw": "S1"}).facts if isinstance(f, Halved)]


def test_three_in_a_bed_is_celebrated_where_it_counts() -> None:
    given = halve_it()
    given.play("T15 T15")
    assert [f.award for f in given.add({"throw": "T15"}).facts if isinstance(f, Award)] == ["three_in_a_bed"]
    given.play("/ T16 T16")
    assert not [f for f in given.add({"throw": "T16"}).facts if isinstance(f, Award)]


def test_the_figures_of_a_side() -> None:
    given = halve_it()
    given.play("S15 D15 S1 /", "/", "/", "T16 S1 S1 /")
    tallies = given.match.turn.tallies
    assert [side["detail"]["average"] for side in given.state["sides"]] == [45 / 2, 48 / 2]
    assert [tally.counts.get("on_target", 0) for tally in tallies] == [2, 1]
    assert [tally.counts.get("halved", 0) for tally in tallies] == [1, 1]


def test_burma_road_has_a_sheet_too() -> None:
    given = Record(header("burma_road"))
    state = given.play("S20 D20 T20 / /")
    assert state["board"] == {"rows": ["20", "19", "T", "18", "17", "D", "16", "15", "21", "14", "13", "B"], "row": 1}
    assert [side["detail"]["cells"][0] for side in state["sides"]] == [240, 0]


@pytest.mark.parametrize("preset", ["halve_it_bar", "halve_it_pub", "double_down", "double_down_41"])
def test_presets_are_sequences(preset: str) -> None:
    assert Record(header(preset)).encoded() == halve_it(PRESETS[preset].options["sequence"]).encoded()


def test_double_down_is_halve_it_by_another_name() -> None:
    state = Record(header("double_down")).state
    assert (state["title"], state["board"]) == ("Double Down", halve_it().state["board"])


def test_one_person_can_play_alone() -> None:
    given = Record(header("bermuda", ["Ann"]))
    assert given.play(*["/"] * 13)["winners"] == [0]


def test_who_never_misses_aims_at_what_is_worth_most() -> None:
    given = halve_it()
    aims = []
    while not given.match.position.over:
        aims.append(aim(given))
        given.play("/")
    assert aims[::2] == ["T15", "T16", "DB", "T17", "T18", "T20", "T19", "T20", "DB"]


def test_a_beginner_aims_where_the_target_is_fat() -> None:
    given = halve_it()
    assert aim(given, PRACTISED) == "T15"
    assert aim(given, BEGINNER) in {"I15", "O15"}


def test_a_score_at_stake_is_saved_before_points_are_made() -> None:
    """The last dart, after one that hit and after one that did not: the same target, another aim."""
    aims = []
    for before in ("T16 S1", "S1 S1"):
        given = halve_it()
        given.play("T15 T15 T15 / /", before)
        aims.append(aim(given, 20.0))
    assert aims == ["T16", "O16"]


def test_hurdles_are_aimed_at_one_after_the_other() -> None:
    given = Record(header("halve_it_pub"))
    given.play(*["/"] * 18)
    aims = []
    for dart in ("S20", "S18", "S13"):
        aims.append(aim(given))
        given.play(dart)
    assert aims == ["T20", "T18", "T13"]


def test_forty_one_is_made_exactly() -> None:
    given = Record(header("double_down_41"))
    given.play(*["/"] * 16)
    aims = []
    for dart in ("S20", "S19", "S2"):
        aims.append(aim(given))
        given.play(dart)
    assert aims == ["O20", "O20", "O2"]
    assert given.state["sides"][0]["detail"]["cells"][8] == 41


def test_three_colours_are_three_different_ones() -> None:
    given = Record(header("halve_it_pub"))
    given.play(*["/"] * 14)
    for _ in range(3):
        given.play({"throw": aim(given)})
    assert given.state["sides"][0]["detail"]["last"] == {"points": 60 + 57 + 20, "halved": False, "shanghai": False}


@pytest.mark.parametrize(
    ("darts", "counts"),
    [
        ("T20 D18 S8", False),  # red, red, black
        ("T20 T19 S8", True),  # red, green, black
        ("DB D20 S4", False),  # red, red, white
        ("SB DB S4", True),  # green, red, white
        ("I20 O18 T1", False),  # black, black, green
        ("S4 S20 MISS", False),
    ],
)
def test_the_colours_of_the_bristle_board(darts: str, counts: bool) -> None:
    face = layout("standard")
    thrown = tuple(face[dart] for dart in darts.split())
    assert bool(Plan(("3C",), 0).hits("3C", thrown)) == counts
