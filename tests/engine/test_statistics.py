"""From the visits of a match, as they count in the end, to the figures that people read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match import Match
from engine.position import Visit
from engine.statistics import collect_figures
from engine.tally import Tally
from protocol.commands import decode_line
from protocol.match_spec import read_header
from protocol.segment import TOTAL
from tests.engine.moves import headers, line_of, moves, record
from tests.engine.records import Record, header
from tests.engine.test_laws import ALL
from tests.sweep import many


def whole(given: Record) -> Match:
    """The same match, made from the journal."""
    first = read_header(dict(given.first))
    match = Match(first, given.game, first.seed or "")
    for number, line in given.journal:
        assert match.apply(number, decode_line(dict(line))).accepted
    return match


def told(visits: tuple[Visit, ...]) -> list[str]:
    return [f"{v.number} {v.seat} {' '.join(d.segment.id for d in v.darts)} = {v.points}" for v in visits]


def test_corrections_are_in_it() -> None:
    given = Record(header(options={"start": 101}))
    given.play("T20 S1 S20 / S20 S20 S20 / S1 S1", {"undo": True}, "S5", {"amend": 3, "throw": "T20"})
    assert told(whole(given).list_visits()) == ["1 0 T20 T20 = 0", "2 1 S20 S20 S20 = 60", "3 0 S1 S5 = 6"]
    scores = [whole(given).at(position).score(0) for position in whole(given).list_positions()]
    assert scores == [101, 41, 101, 101, 101, 101, 101, 101, 100, 95], "T20 T20 was no S1, so it is bust"
    lines = [[dart.line for dart in visit.darts] for visit in whole(given).list_visits()]
    assert lines == [[2, 3], [6, 7, 8], [10, 13]], "a dart keeps the line it came from"


def test_a_match_to_its_end_over_legs() -> None:
    given = Record(header(options={"start": 101}, format={"legs": 2}))
    given.play("T20 S1 D20 / MISS / T20 S1 D20")
    assert [(v.leg, v.seat, v.points) for v in whole(given).list_visits()] == [(1, 0, 101), (2, 1, 0), (2, 0, 101)]


def test_the_visit_of_a_player_who_leaves_is_counted() -> None:
    given = Record(header(players=["Ann", "Bo", "Cy"]))
    given.play("T20", {"retire": 0}, "S1 S1 S1 / S5")
    assert told(whole(given).list_visits()) == ["1 0 T20 = 60", "2 1 S1 S1 S1 = 3", "3 2 S5 = 5"]


def test_nothing_is_thrown_at_the_beginning() -> None:
    assert told(whole(Record(header())).list_visits()) == ["1 0  = 0"]


@pytest.mark.parametrize("game", ALL)
@settings(max_examples=many(2, 200), print_blob=True)
@given(data=st.data())
def test_it_says_the_same_as_the_figures(game: str, data: st.DataObject) -> None:
    """They are kept in another way, a dart at a time, so each checks the other."""
    match = record(data.draw(headers(ALL[game])), ALL[game])
    for move in data.draw(moves(50)):
        match.add(line_of(move, match))
    replayed = whole(match)
    visits, positions = replayed.list_visits(), [*replayed.list_positions()]
    assert positions[-1] == match.match.position
    assert {each.visit.number: each.visit for each in positions}.keys() <= {visit.number for visit in visits}
    assert [visit.number for visit in visits] == sorted({visit.number for visit in visits})
    assert visits[-1] == match.match.position.visit
    for seat, tally in enumerate(match.match.position.tallies):
        theirs = [visit for visit in visits if visit.seat == seat]
        beds = [dart.segment for visit in theirs for dart in visit.darts if dart.segment.id != TOTAL]
        assert len(beds) == sum(tally.hits.values()), "of a total no bed is known"
        assert sum(visit.points for visit in theirs) == tally.points
        awards = sum(n for name, n in tally.counts.items() if name.startswith("award:"))
        assert awards <= len(theirs), "at most one a visit"
        made = collect_figures(tally, match.game.figure)
        assert not [name for name in (*made.more, *made.bests) if ":" in name], "what is kept by target is in targets"
        assert all(hit <= thrown for hit, thrown in made.targets.values())


def test_without_a_dart_there_are_no_figures() -> None:
    made = collect_figures(Tally())
    assert (made.average, made.ppd, made.first_nine, made.mpr, made.level, made.checkout_rate) == (None,) * 6
    assert (made.legs, made.best_leg, made.high_visit, made.checkouts) == (None,) * 4
    assert (made.value("average"), collect_figures(Tally(), "mpr").value("mpr")) == (None, None)


def test_a_cricket_has_its_figures() -> None:
    counts = {"visits": 10, "marks": 21, "5m": 2, "marks_80": 20, "darts_80": 24}
    made = collect_figures(Tally(points=120, darts=30, nine_points=60, nine_darts=9, counts=counts), "mpr")
    assert (made.mpr, made.value("mpr"), made.more) == (2.1, 2.1, {})
    assert made.average == 12.0, "its points per round"
    assert (made.ppd, made.first_nine, made.tons) == (None, None, {})
    assert made.marks == {"5m": 2}
    assert (made.mpr_80, made.average_80, made.level) == (2.5, None, 8)


def test_a_countdown_has_its_figures() -> None:
    counts = {"at_finish": 7, "finished": 2, "at:D20": 3, "at:D16": 4, "hit:D16": 2, "points_80": 400, "darts_80": 20}
    made = collect_figures(Tally(501, 27, counts=counts, highs={"finish": 96, "visit": 140}, lows={"leg": 27}))
    assert made.checkouts == (2, 7)
    assert made.checkout_rate == 28.6
    assert list(made.targets.items()) == [("D16", (2, 4)), ("D20", (0, 3))], "the one most thrown at first"
    assert (made.average_80, made.mpr_80, made.level) == (60.0, None, 6)
    assert (made.high_finish, made.high_visit, made.best_leg) == (96, 140, 27)
    assert made.more == {}


def test_what_only_a_game_counts_is_kept_by_its_name() -> None:
    counts = {"visits": 1, "lives_taken": 2, "award:shanghai": 1}
    made = collect_figures(Tally(darts=3, counts=counts, highs={"visit": 9, "streak": 4}, lows={"strokes": 21}))
    assert made.more == {"lives_taken": 2}
    assert made.bests == {"streak": 4, "strokes": 21}


def test_hits_and_awards_come_with_the_most_first() -> None:
    made = collect_figures(Tally(darts=6, counts={"award:a": 1, "award:b": 2}, hits={"S1": 1, "T20": 3, "MISS": 2}))
    assert list(made.hits) == ["T20", "MISS", "S1"]
    assert list(made.awards.items()) == [("b", 2), ("a", 1)]


LEVELS = {
    "points": "0:1 39.99:1 40:2 49.99:3 50:4 60:6 79.99:9 80:10 94.99:12 95:13 102:14 115.99:15 129.99:17 130:18",
    "marks": "0:1 1.29:1 1.3:2 1.69:3 1.7:4 2.1:6 2.9:10 3.49:12 3.5:13 4.74:17 4.75:18",
}
"""By what is counted, averages over three darts and the level of each."""


@pytest.mark.parametrize("kind", LEVELS)
def test_an_average_has_its_level(kind: str) -> None:
    for each in LEVELS[kind].split():
        average, level = map(float, each.split(":"))
        counts = {f"{kind}_80": round(average * 100), "darts_80": 300}
        assert collect_figures(Tally(darts=300, counts=counts)).level == level, each
