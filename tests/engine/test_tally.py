"""Figures of matches worked out by hand: pooled over legs, right after every correction, in teams and when stopped."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.statistics import figures
from engine.tally import Tally, pooled
from tests.engine.records import Record, header

LEG_1 = [
    *["T20 S20 S1 / T20 S20 S1 /"] * 5,
    "S20 S20 S16 / S20 S4 S4 /",
    "S20 D10",
]
"""Ann wins 501 in 20 darts; Bo has taken 433 off with 18."""
LEG_2 = [
    "/",
    *["T20 S20 S1 / T20 S20 S20 /"] * 4,
    "T20 S20 S1 / T20 S1 MISS /",
    "S14 MISS MISS / D20",
]
"""Bo begins, and takes 419 off with 18; Ann wins in 16."""


def tally(given: Record, seat: int = 0) -> Tally:
    return given.match.position.tallies[seat]


@pytest.fixture
def match() -> Record:
    """A match of two legs, Ann's, with the averages of a well-known page: 75.15 and 93.94, 72.17 and 69.83."""
    given = Record(header(format={"legs": 2}))
    given.play(*LEG_1, *LEG_2)
    assert given.state["winners"] == [0]
    return given


def test_a_leg(match: Record) -> None:
    leg = Record(header())
    leg.play(*LEG_1)
    assert (tally(leg).points, tally(leg).darts, tally(leg).average) == (501, 20, 75.15)
    assert (tally(leg, 1).points, tally(leg, 1).darts, tally(leg, 1).average) == (433, 18, 72.17)
    leg = Record(header(players=["Bo", "Ann"]))
    leg.play(*LEG_2[1:])
    assert [(t.points, t.darts, t.average) for t in leg.match.position.tallies] == [(419, 18, 69.83), (501, 16, 93.94)]


def test_legs_are_pooled_and_never_averaged(match: Record) -> None:
    ann = tally(match)
    assert (ann.points, ann.darts) == (1002, 36)
    assert ann.average == 83.5, "and not (75.15 + 93.94) / 2 = 84.55"
    assert tally(match, 1).average == 71.0
    assert pooled([Tally(501, 20), Tally(501, 16)]).average == 83.5
    assert match.state["sides"][0]["detail"]["average"] == 83.5


def test_the_first_nine_are_visits_one_to_three_of_each_leg(match: Record) -> None:
    assert (tally(match).nine_points, tally(match).nine_darts) == (3 * 81 + 3 * 100, 18)
    assert tally(match).first_nine == 90.5


def test_everything_else_that_is_counted(match: Record) -> None:
    made = figures(tally(match))
    assert made.legs == (2, 2)
    assert made.best_leg == 16
    assert (made.high_visit, made.high_finish) == (100, 40)
    assert made.tons == {"60+": 6, "100+": 4}, "each in one of them"
    assert made.awards == {"low_ton": 4}
    assert made.checkouts == (2, 4), "at 40 and 20 in the first leg, at 40 twice in the second"
    assert made.checkout_rate == 50.0
    assert made.targets == {"D20": (1, 3), "D10": (1, 1)}
    assert (made.darts, made.visits) == (36, 13)
    assert made.hits == {"T20": 10, "S20": 16, "S1": 6, "S16": 1, "D10": 1, "D20": 1, "MISS": 1}
    assert sum(made.hits.values()) == 36
    bo = figures(tally(match, 1))
    assert (bo.legs, bo.best_leg, bo.checkouts, bo.checkout_rate, bo.high_finish) == ((0, 2), None, None, None, None)


def test_points_per_dart() -> None:
    """A league's own example: 301 in twelve darts is 25.08."""
    given = Record(header(players=["Ann"], options={"start": 301}))
    given.play("T20 S20 S20 / T20 S20 S20 / S20 S20 S1 / S10 S10 D20")
    assert given.state["phase"] == "over"
    assert figures(tally(given)).ppd == 25.08


def test_marks_per_round() -> None:
    assert Tally(darts=46).per_visit(59) == 3.85
    assert Tally(darts=8).per_visit(21) == pytest.approx(7.875, abs=0.005), "open to close in eight darts"
    assert figures(Tally(darts=46, counts={"marks": 59}), "mpr").mpr == 3.85


def test_a_perfect_cricket() -> None:
    given = Record(header("cricket"))
    given.play("T20 T19 T18 / MISS MISS MISS / T17 T16 T15 / S20 S20 S20 / DB SB")
    assert given.state["winners"] == [0]
    made = figures(tally(given), given.game.figure)
    assert (made.darts, made.mpr, made.best_leg) == (8, 7.88, 8), "21 marks"
    assert made.marks == {"9m": 2}
    assert made.awards == {"white_horse": 2}
    assert figures(tally(given, 1), given.game.figure).mpr == 1.5, "three marks in six darts"


def test_a_bust_is_no_points_in_the_darts_that_were_thrown() -> None:
    given = Record(header(options={"start": 101}))
    given.play("T20 T20 / S1 S1 S1 /")
    made = figures(tally(given))
    assert (made.points, made.darts, made.average, made.first_nine, made.high_visit) == (0, 2, 0.0, 0.0, 0)
    assert made.hits == {"T20": 2}
    given.play("S20 S20 S20 /")
    assert tally(given).average == 36.0, "60 in five darts"


def test_where_a_bust_counts_three_darts_one_was_not_thrown() -> None:
    given = Record(header(options={"start": 101, "bust_counts_3": True}))
    given.play("T20 T20")
    assert (tally(given).darts, tally(given).hits) == (3, {"T20": 2})


def test_darts_nobody_saw_are_thrown() -> None:
    given = Record(header())
    given.play("T20 / S1 /")
    assert (tally(given).darts, tally(given).average) == (3, 60.0)
    assert tally(given).hits == {"T20": 1, "MISS": 2}


@pytest.mark.parametrize(
    ("visit", "bucket"),
    [
        ("S19 S20 S20", {}),
        ("S20 S20 S20", {"60+": 1}),
        ("T20 S20 S19", {"60+": 1}),
        ("T20 S20 S20", {"100+": 1}),
        ("T20 T20 S19", {"100+": 1}),
        ("T20 T20 S20", {"140+": 1}),
        ("T20 T20 DB", {"140+": 1, "170+": 1}),
        ("T20 T20 T20", {"180": 1, "170+": 1}),
    ],
)
def test_a_visit_is_in_one_bucket(visit: str, bucket: dict[str, int]) -> None:
    given = Record(header())
    given.play(visit)
    assert figures(tally(given)).tons == bucket


def test_corrections_correct_the_figures(match: Record) -> None:
    """However a match came to be, its figures are those of the match that counts in the end."""
    plain = Record(header(options={"start": 301}))
    plain.play("T20 S5 S5 / T20 T20 S20 / S20 S20 S20")
    given = Record(header(options={"start": 301}))
    given.play("T20 T20 T20 / T20 T20 S20 / S20 S20 S20")
    assert figures(tally(given)).awards == {"180": 1}
    given.play({"amend": 3, "throw": "S5"}, {"amend": 4, "throw": "S5"})
    assert given.match.position.tallies == plain.match.position.tallies
    assert figures(tally(given)).awards == {}
    undone = [given.play({"undo": True}) for _ in range(3)]
    assert undone[-1]["turn"]["darts_left"] == 1
    assert tally(given).hits == {"T20": 3, "S20": 2}, "the amends went first, then a dart"
    for _ in range(3):
        given.play({"redo": True})
    assert given.match.position.tallies == plain.match.position.tallies
    ghost = Record(header(options={"start": 301}))
    ghost.play("T20 T20 S20", {"amend": 3, "throw": None}, "S20 /")
    assert (tally(ghost).darts, tally(ghost).points) == (3, 100)


def test_an_undone_match_is_not_won(match: Record) -> None:
    match.play({"undo": True})
    ann = figures(tally(match))
    assert (ann.legs, ann.best_leg, ann.checkouts, ann.high_finish) == ((1, 1), 20, (1, 3), 40)
    match.play("D20")
    assert figures(tally(match)).best_leg == 16


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


def test_nobody_pools_the_darts_of_a_team_unasked() -> None:
    """A turn is made for every dart, again and again in an undo; hardly a rule asks for figures."""
    given = Record(header(players=["Ann", "Bo", "Cy"], teams=[[0, 1], [2]]))
    given.play("T20 T20 T20 / S1 S1 S1 /")
    given.match.position = replace(given.match.position, tallies=())
    turn = given.match.turn
    assert len(turn.tallies) == 2
    with pytest.raises(IndexError):
        turn.tallies[0]


def test_a_leg_of_a_team_is_nobodys_best() -> None:
    given = Record(header(players=["Ann", "Bo", "Cy"], teams=[[0, 1], [2]], options={"start": 101}))
    given.play("T20 S1 MISS / MISS MISS MISS / D20")
    assert given.state["winners"] == [0]
    assert [figures(t).legs for t in given.match.position.tallies] == [(1, 1), (1, 1), (0, 1)]
    assert [figures(t).best_leg for t in given.match.position.tallies] == [None, None, None]


def test_legs_of_all_sets_are_counted() -> None:
    given = Record(header(options={"start": 101}, format={"legs": 1, "sets": 2}))
    given.play("T20 S1 D20 /", "MISS MISS MISS / T20 S1 D20")
    assert given.state["winners"] == [0]
    assert figures(tally(given)).legs == (2, 2)
    assert figures(tally(given)).best_leg == 3
    assert figures(tally(given, 1)).legs == (0, 2)


def test_a_match_that_is_stopped_keeps_its_darts() -> None:
    given = Record(header())
    given.play("T20 T20 T20 / S1", {"stop": True})
    assert (tally(given).points, tally(given, 1).darts) == (180, 1)
    assert figures(tally(given)).legs is None


def test_where_points_are_nothing_to_be_proud_of_there_are_no_tons() -> None:
    low = Record(header("low_ball", players=["Ann"]))
    low.play("MISS MISS MISS")
    assert tally(low).counts == {"visits": 1}
    assert tally(low).highs == {}, "the highest is the worst"


def test_players_who_compare_marks_are_never_told_an_average_instead() -> None:
    given = Record(header("cricket"))
    given.play("MISS MISS MISS / T20 T20 T20 /")
    assert given.game.figure == "mpr"
    for seat, mpr in enumerate((0.0, 9.0)):
        made = figures(tally(given, seat), given.game.figure)
        assert (made.mpr, made.value("mpr"), made.ppd) == (mpr, mpr, None)
        assert (made.tons, made.high_visit) == ({}, None), "180 points are no 180 here"


def test_marks_beside_points_are_only_counted() -> None:
    given = Record(header("cricket_count_up"))
    given.play("T20 T20 T20 /")
    made = figures(tally(given), given.game.figure)
    assert (made.value(given.game.figure), made.mpr, made.more) == (180.0, None, {"marks": 9})
    assert made.tons == {"180": 1, "170+": 1}
