"""From the points of darts to how a player scatters: it adds up, whoever adds it in whatever order."""

from __future__ import annotations

import math
import statistics
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.played import find_parts, list_throws
from engine.points import find_aim, find_points, has_points
from engine.scatter import FEWEST_AIMED, Scatter, collect_points, count_aimed, count_pair, count_point
from engine.statistics import collect_figures
from engine.tally import Tally, pool_tallies
from protocol.aiming import aim_at
from protocol.layouts import find_layout
from protocol.segment import Point
from tests.engine.records import Line, Record, header

STANDARD = find_layout("standard")
OFFSET = st.tuples(st.integers(-500, 500), st.integers(-500, 500))
OFFSETS = st.lists(OFFSET, max_size=5) | st.lists(OFFSET, min_size=25, max_size=40)


def dart(bed: str, x: int, y: int, at: str | None = None) -> Line:
    """A dart that landed so far from the middle of a bed, and is one in `at`."""
    middle = aim_at(STANDARD, bed)
    return {"throw": at or bed, "point": [middle.x + x, middle.y + y]}


def test_a_dart_is_counted_where_it_landed_and_by_how_far_it_missed_the_bed_that_was_lit() -> None:
    record = Record(header(players=["Ann", "Bo"]))
    record.feed(dart("T20", 30, -40), dart("T20", -10, 0), "T20", "/", dart("T20", 0, 0), "/ S1 S1 S1 /")
    counts = find_points(record.match)
    middle = aim_at(STANDARD, "T20")
    assert counts.keys() == {0, 1}
    assert counts[0] == {
        **_added(count_point((middle.x + 30, middle.y - 40)), count_point((middle.x - 10, middle.y))),
        "aimed:T20": 2,
        "aimed_x:T20": 20,
        "aimed_y:T20": -40,
        "aimed_squares:T20": 900 + 1600 + 100,
        "pairs": 1,
        "apart": round(math.hypot(40, 40)),
    }
    assert counts[1]["aimed:T20"] == 1, "her third dart has no point, and his only one no other to be near"
    assert "pairs" not in counts[1]


def _added(*counts: dict[str, int]) -> dict[str, int]:
    return dict(pool_tallies(Tally(counts=each) for each in counts).counts)


def test_a_dart_far_from_what_was_lit_was_aimed_elsewhere() -> None:
    record = Record(header(players=["Ann"]))
    record.feed(dart("T19", 0, 0), dart("T20", 0, 800), dart("T20", 0, 801))
    [counts] = find_points(record.match).values()
    assert (counts["aimed:T20"], sum(n for name, n in counts.items() if name.startswith("point:"))) == (1, 3)


def test_the_pairs_are_those_of_a_visit_at_one_bed() -> None:
    record = Record(header(players=["Ann"], options={"start": 101}))
    record.feed("S1 S20 MISS /", dart("T20", 0, 0), dart("D10", 0, 0, "MISS"))
    record.feed("/", dart("D10", 0, 0, "MISS"), dart("D10", 30, 40, "MISS"))
    [counts] = find_points(record.match).values()
    assert (counts["aimed:T20"], counts["aimed:D10"], counts["pairs"], counts["apart"]) == (1, 3, 1, 50)


def test_where_several_things_are_lit_or_a_large_one_nobody_knows_the_aim() -> None:
    for target in ("20", "double", "S20", "O20", "MISS"):
        assert find_aim(STANDARD, target) is None, target
    assert [find_aim(STANDARD, each) for each in ("T20", "D1", "bull", "SB", "DB")] == ["T20", "D1", "DB", "DB", "DB"]
    assert find_aim(find_layout("yatzy"), "bull") is None
    record = Record(header("cricket"))
    record.feed(dart("T20", 0, 0))
    assert [*find_points(record.match)[0].values()] == [1], "it is only on the map"
    record = Record(header("killer", players=["Ann", "Bo", "Cy"]))
    record.feed("S20 / S19 / S18 /", dart("D20", 0, 0), dart("D19", 0, 0))
    [counts] = find_points(record.match).values()
    assert [name for name in counts if name.startswith("aimed:")] == ["aimed:D20"], "then the doubles of both are lit"


def test_the_middle_square_is_around_the_middle_of_the_board() -> None:
    squares = {(0, 0): "0,0", (39, -40): "0,0", (40, -41): "1,-1", (-41, 119): "-1,1"}
    assert {point: [*count_point(point)] for point in squares} == {
        point: [f"point:{square}"] for point, square in squares.items()
    }


def test_a_dart_that_could_not_be_read_is_on_no_map_until_it_is_known() -> None:
    record = Record(header(players=["Ann"]))
    record.feed({**dart("T20", 0, 0, "MISS"), "unread": True})
    assert find_points(record.match) == {}
    record.feed({"amend": 2, **dart("T20", 0, 0)})
    assert find_points(record.match)[0]["aimed:T20"] == 1


def test_a_correction_moves_the_figures() -> None:
    record = Record(header(players=["Ann"]))
    record.feed(dart("T20", 20, 20), dart("T20", 0, 0, "S1"), "D20", {"stop": True})
    measured = collect_figures(find_parts(record.match, with_points=True)[0].tally).measured
    assert measured is not None
    assert (measured.darts, measured.aimed) == (2, 2)
    assert find_parts(record.match)[0].tally == record.match.position.tallies[0], "a table does not wait for it"
    rows = [(row.x_mm, row.y_mm) for row in list_throws(record.match, "m", "main", {})]
    middle = aim_at(STANDARD, "T20")
    assert rows == [((middle.x + 20) / 10, (middle.y + 20) / 10), (middle.x / 10, middle.y / 10), (None, None)]
    record.feed({"amend": 2, "throw": "T20"})
    measured = collect_figures(find_parts(record.match, with_points=True)[0].tally).measured
    assert measured is not None
    assert (measured.darts, measured.aimed) == (1, 1), "a person says what it was, and not where"
    record.feed({"undo": True})
    measured = collect_figures(find_parts(record.match, with_points=True)[0].tally).measured
    assert measured is not None
    assert measured.darts == 2


def test_a_match_without_points_has_none() -> None:
    record = Record(header(players=["Ann"], options={"start": 101}))
    record.feed("T20 S1 D20")
    assert not has_points(record.match)
    assert collect_figures(find_parts(record.match, with_points=True)[0].tally).measured is None


@given(st.lists(st.tuples(st.sampled_from(["T20", "D16", "DB"]), OFFSETS), max_size=8), st.randoms())
def test_the_pool_of_the_parts_is_the_part_of_the_whole(parts: list[tuple[str, list[Point]]], random: Random) -> None:
    tallies = []
    for bed, offsets in parts:
        tally = Tally()
        for offset in offsets:
            middle = aim_at(STANDARD, bed)
            tally = tally.count(count_point((middle.x + offset[0], middle.y + offset[1])))
            tally = tally.count(count_aimed(bed, offset))
        for one, other in combinations(offsets[:3], 2):
            tally = tally.count(count_pair(one, other))
        tallies.append(tally)
    random.shuffle(tallies)
    cut = len(tallies) // 2
    pooled = pool_tallies([pool_tallies(tallies[:cut]), pool_tallies(tallies[cut:])])
    made, every = collect_points(pooled.counts), [offset for _, offsets in parts for offset in offsets]
    if made is None:
        assert not every
        return
    assert (made.darts, made.aimed, sum(made.cells.values())) == (len(every),) * 3
    assert (made.scatter is None) == (len(every) < FEWEST_AIMED)
    for bed in ("T20", "D16", "DB"):
        mine = [offset for name, offsets in parts for offset in offsets if name == bed]
        assert (bed in made.beds) == (len(mine) >= FEWEST_AIMED)
        if bed in made.beds:
            _check(made.beds[bed], mine)
    if made.scatter is not None:
        _check(made.scatter, every)


def _check(scatter: Scatter, offsets: list[Point]) -> None:
    """Against the textbook's way."""
    xs, ys = zip(*offsets, strict=True)
    deviation = math.sqrt((statistics.variance(xs) + statistics.variance(ys)) / 2)
    made = scatter.right_mm, scatter.up_mm, scatter.deviation_mm
    assert made == pytest.approx((statistics.fmean(xs) / 10, statistics.fmean(ys) / 10, deviation / 10), abs=0.06)
    assert scatter.darts == len(offsets)
