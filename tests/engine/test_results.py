"""What players come to in games whose results are compared over time."""

from __future__ import annotations

from typing import Any

import pytest

from engine.played import find_parts
from engine.routines import list_results
from tests.engine.records import Record, header


@pytest.mark.parametrize(
    ("game", "options", "darts", "better", "result"),
    [
        ("bobs_27", {}, "/ / / / /", "high", -3),
        ("doubles_420", {}, "D1 D1 / " + "/ " * 20, "low", 416),
        ("checkout_121", {"turns": 1}, "T20 T11 D14", "high", 121),
        ("checkout_170", {"rounds": 2}, "T20 T20 DB / / / /", "high", 1),
        ("random_checkout", {"rounds": 1, "lowest": 40, "highest": 40}, "D20", "high", 1),
        ("a1_drill", {"hits": 1, "order": "up"}, "".join(f"S{n} S{n} / " for n in range(13, 21)) + "SB DB", "low", 26),
        ("a1_drill", {"rounds": 1}, "S20 S20 S20", "low", None),
        ("jdc_challenge", {}, "S10 D10 T10 / " + "/ " * 18, "high", 160),
        ("segment_training", {"count": 3}, "T20 S20 T20", "high", 2),
        ("segment_training", {"until": "hits", "count": 1}, "S20 T20", "low", 2),
        ("segment_training", {"until": "hits", "count": 1, "rounds": 1}, "/", "low", None),
        ("eagles_eye", {"rounds": 1}, "SB DB MISS", "high", 75),
        ("robin_hood", {"rounds": 1}, "SB DB MISS", "high", 300),
        ("kill_bull", {"start": 75}, "SB MISS DB", "low", 3),
        ("kill_bull", {"rounds": 1}, "SB /", "low", None),
        ("darts_at", {"rounds": 1}, "T20 S20 S1", "high", 4),
        ("count_up", {"rounds": 1}, "T20 T20 T20", "high", 180),
        ("count_up", {"target": 100}, "T20 T20", None, None),
        ("low_ball", {"rounds": 1}, "S1 S1 S2", "low", 4),
        ("x01", {"start": 101}, "T20 S1 D20", None, None),
    ],
)
def test_a_match_has_a_result(
    game: str, options: dict[str, Any], darts: str, better: str | None, result: int | None
) -> None:
    given = Record(header(game, ("Ann",), options=options))
    assert given.play(darts)["phase"] == "over"
    (part,) = find_parts(given.match).values()
    assert (part.better, part.result) == (better, result)


@pytest.mark.parametrize(
    ("lines", "more", "results"),
    [
        (["DB /", "SB /"], {}, [50, 25]),
        (["DB /", "SB"], {"teams": [[0, 2], [1]]}, [None, 25, None]),
        (["DB /", "SB /", "DB /", "SB /"], {"format": {"legs": 2}}, [None, None]),
        ([{"retire": 1}, "SB /"], {}, [25, None]),
        ([{"retire": 1}, "SB", {"concede": True}], {}, [None, None]),
        (["DB", {"stop": True}], {}, [None]),
    ],
)
def test_only_whole_matches_of_one_leg_by_players_alone_have_results(
    lines: list[str | dict[str, Any]], more: dict[str, Any], results: list[int | None]
) -> None:
    people = ("Ann", "Bo", "Cy")[: 3 if "teams" in more else 2]
    given = Record(header("eagles_eye", people, options={"rounds": 1}, **more))
    for line in lines:
        given.play(line)
    if given.state["phase"] == "takeout":
        given.play("/")
    if given.state["phase"] != "over":
        given.play("/")
    assert [part.result for part in find_parts(given.match).values()] == results


def test_a_conceded_match_is_won_but_its_leg_counts_for_nobody() -> None:
    given = Record(header("x01", ("Ann", "Bo", "Cy"), options={"start": 101}, teams=[[0, 2], [1]]))
    given.play("T20 S1 / S20", {"retire": 1}, {"concede": True})
    parts = find_parts(given.match)
    assert [part.won for part in parts.values()] == [True, False, True]
    assert [part.tally.darts for part in parts.values()] == [3, 1, 0]
    assert not any({"legs", "legs_won"} & {*part.tally.counts} for part in parts.values())
    assert list_results(given.match) == (None, None)
