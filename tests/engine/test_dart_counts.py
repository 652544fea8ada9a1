"""Whether a dart is worth anything in its game, which the state says of those that are not."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.games import GAMES
from engine.levels import sigma_mm
from engine.skill import Skill
from tests.engine.records import Record, header

_PLIES = 90
_ACCURATE = 110


@pytest.mark.parametrize("name", GAMES)
def test_a_miss_counts_for_nothing_and_what_changes_the_score_counts(name: str) -> None:
    """In a match of good players who miss the board now and then."""
    record, chance = Record(header(name)), Random(name)
    match = record.match
    skill = Skill(match.layout, sigma_mm(_ACCURATE))
    counted = 0
    for _ in range(_PLIES):
        position = match.position
        if position.over:
            break
        if position.phase == "takeout":
            record.feed({"next": True})
        elif prompt := position.blocking:
            answer = match.advice(skill).answer or prompt.default or (prompt.options or ("7 16 10",))[0]
            record.feed({"choose": answer, "prompt": prompt.id})
        else:
            side = position.visit.side
            before = [match.score(each) for each in range(len(match.seating.sides))]
            is_miss = chance.random() < 0.2
            record.feed({"throw": match.layout.miss.id if is_miss else match.advice(skill).aim or "T20"})
            if match.position.visit.side != side or not match.position.visit.darts:
                continue  # it ended the match's leg
            thrown, visit = match.position.visit.darts[-1], match.position.visit
            if is_miss:
                assert not thrown.counts
            elif [match.score(each) for each in range(len(before))] != before and not visit.bust and not visit.judged:
                assert thrown.counts, thrown.segment.id
            counted += thrown.counts
    assert counted


@pytest.mark.parametrize(
    ("name", "darts", "options", "expected"),
    [
        ("golf", "D1", {}, [1]),
        ("golf", "O1 T1 MISS", {}, [4, 2, 5]),
        ("golf", "O1 T1", {"scoring": "hole_out"}, [1, 3]),
        ("darts_at", "D20 S5 T20", {}, [2, 0, 3]),
        ("low_ball", "S1 MISS", {}, [1, 60]),
        ("count_up", "SB T20", {}, [50, 60]),
        ("baseball", "T1 D2", {}, [3, 0]),
        ("robin_hood", "SB DB", {}, [100, 200]),
        ("segment_training", "T20 S20", {}, [1, 0]),
        ("football", "DB DB D3", {}, ["ball", 1, 1]),
        ("a1_drill", "T20 S1 S20", {}, ["half_hit", 0, "whole_hit"]),
        ("english_cricket", "T20 S5", {}, [60, 5]),
        ("english_cricket", "T20 T20 T20 / DB SB", {}, [2, 1]),
        ("knockout", "S5 T20", {}, [5, 60]),
        ("halve_it", "SB", {"bull": "50/50", "targets": ["bull"]}, [50]),
    ],
)
def test_the_board_notes_what_each_dart_is_worth(
    name: str, darts: str, options: dict[str, Any], expected: list[int | str]
) -> None:
    state = Record(header(name, options=options)).play(darts)
    assert state["board"]["notes"] == expected


@pytest.mark.parametrize(
    ("name", "darts", "score", "cell"),
    [
        ("count_up", "T20", 60, 60),
        ("around_the_world", "T1 MISS", 3, 3),
        ("doubles_420", "D1", 418, 2),
    ],
)
def test_a_dart_is_on_the_score_and_on_the_sheet_at_once(name: str, darts: str, score: int, cell: int) -> None:
    state = Record(header(name)).play(darts)
    assert state["phase"] == "throwing"
    assert (state["sides"][0]["score"], state["sides"][0]["detail"]["cells"][0]) == (score, cell)


def counts(name: str, darts: str, options: dict[str, Any] | None = None) -> str:
    """The darts of the visit at hand: + for each that counts, - for each that does not."""
    state = Record(header(name, options=options or {})).play(darts)
    return "".join("+" if dart.get("counts", True) else "-" for dart in state["turn"]["darts"])


@pytest.mark.parametrize(
    ("name", "darts", "options", "expected"),
    [
        ("x01", "T20 D20 T20", {"in": "double"}, "-++"),
        ("english_cricket", "S19 MISS S5", {}, "+-+"),
        ("english_cricket", "MISS MISS MISS / SB S5", {}, "+-"),
        ("cricket", "T20 S14 T20", {}, "+-+"),
        ("cricket", "T20 / T20 / T20 S19 S1", {}, "-+-"),
        ("halve_it", "S15 S19 T15", {}, "+-+"),
        ("golf", "S1 S2 D1", {}, "+-+"),
        ("baseball", "S1 S2 T1", {}, "+-+"),
        ("shanghai", "S5 S1 S2", {}, "-+-"),
        ("killer", "S5 / S7 / S5 D5 D7", {}, "-++"),
        ("a1_drill", "S13 S14 T13", {"order": "up"}, "+-+"),
        ("all_fives", "S1 MISS S4", {}, "+-+"),
        ("segment_training", "T20 S20 T20", {"target": "T20"}, "+-+"),
    ],
)
def test_what_counts_depends_on_the_game(name: str, darts: str, options: dict[str, Any], expected: str) -> None:
    assert counts(name, darts, options) == expected


def test_a_correction_tells_anew_what_counts() -> None:
    record = Record(header("cricket"))
    state = record.play("S14 T20")
    assert [dart.get("counts") for dart in state["turn"]["darts"]] == [False, None]
    assert state["turn"]["marks"] == 3
    state = record.play({"amend": 2, "throw": "D20"})
    assert [dart.get("counts") for dart in state["turn"]["darts"]] == [None, None]
    assert state["turn"]["marks"] == 5
    assert "marks" not in Record(header("x01")).state["turn"]
