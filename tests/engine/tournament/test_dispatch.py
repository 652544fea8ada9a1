"""Which match is called where: nobody twice at once, rests by person, and a writer who has nothing to play."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tournament.dispatch import choose_calls, order_next, propose_writer
from engine.tournament.journal import TournamentJournal
from engine.tournament.knockout import seat_entrants
from engine.tournament.state import Tournament
from protocol.player_names import name_key
from protocol.tournament import (
    EMPTY,
    Begin,
    Call,
    DrawGroups,
    DrawLadder,
    DrawSeats,
    Enter,
    Kind,
    Pair,
    Result,
    SetTables,
    Slot,
    TableUse,
    TournamentSpec,
)
from tests.engine.tournament.clubs import Club
from tests.sweep import many

PLAYED: list[Kind] = ["knock_out", "double_knock_out", "round_robin", "groups", "swiss"]


def make(kind: Kind, count: int, tables: Sequence[TableUse], **given: Any) -> TournamentJournal:  # Any: of the spec
    """A tournament that is drawn from the top."""
    journal = TournamentJournal(TournamentSpec("An evening", kind, **given))
    ids = [journal.apply(0, "organiser", Enter((f"P{number}",))).number for number in range(1, count + 1)]
    journal.apply(0, "organiser", SetTables(tuple(tables)))
    match kind:
        case "round_robin":
            journal.apply(0, "organiser", DrawGroups((tuple(ids),)))
        case "ladder" | "open":
            journal.apply(0, "organiser", DrawLadder(tuple(ids)))
        case _:
            journal.apply(0, "organiser", DrawSeats(seat_entrants(ids)))
    return journal


def play(journal: TournamentJournal, call: Call, at_s: int, lasts_s: int = 300) -> None:
    """Calls the match, and has its first side win it at the table."""
    journal.apply(at_s, "desk", call)
    sides, attempt = journal.tournament.find_sides(call.match), journal.tournament.play(call.match).attempt
    journal.apply(at_s + 60, "table", Begin(call.match, attempt))
    journal.apply(at_s + lasts_s, "table", Result(call.match, sides, sides[0], (1, 0), attempt=attempt))


def list_people(tournament: Tournament, match: str) -> set[str]:
    return {name_key(name) for people in tournament.find_people(match) for name in people}


ONE, TWO, THREE = TableUse("one"), TableUse("two"), TableUse("three")


@pytest.mark.slow
@settings(max_examples=many(10, 30))
@given(st.sampled_from(PLAYED), st.integers(4, 20), st.integers(1, 5), st.sampled_from([0, 600]), st.integers(0, 999))
def test_an_evening_goes_on_to_its_end_with_all_tables_used(
    kind: Kind, count: int, tables: int, rest_s: int, seed: int
) -> None:
    """The journal refuses who plays twice at once; a table is only left free if no match could be called there."""
    club = Club(TournamentSpec("An evening", kind, rest_s=rest_s, seeding="hand"), count, tables, seed)
    called: set[str] = set()

    def check(club: Club) -> bool:
        now = club.now
        busy = set(now.find_busy())
        active = [play for play in now.plays.values() if play.active]
        writing = [play.writer for play in active if play.writer != EMPTY]
        assert len(writing) == len(set(writing))
        for match, play in now.plays.items():
            if play.active and play.writer != EMPTY and match not in called:
                assert busy.isdisjoint(name_key(name) for name in now.entrants[play.writer].people)
        called.update(match for match, play in now.plays.items() if play.active)
        if len(active) < tables:
            ended = {
                person: play.ended_s
                for match, play in sorted(now.plays.items(), key=lambda each: each[1].ended_s or 0)
                if play.ended_s is not None
                for person in list_people(now, match)
            }
            for match in order_next(now, club.now_s):
                people = list_people(now, match)
                rested = all(club.now_s >= ended.get(person, 0) + rest_s for person in people)
                assert not busy.isdisjoint(people) or not rested
        return False

    club.run(check)
    last: dict[str, int] = {}
    for match, play in sorted(club.now.plays.items(), key=lambda each: each[1].called_s or 0):
        assert play.called_s is not None
        assert play.ended_s is not None
        for person in list_people(club.now, match):
            assert play.called_s >= last.get(person, 0) + rest_s
            last[person] = play.ended_s


@pytest.mark.parametrize("count", range(4, 13))
def test_at_the_only_table_nobody_plays_three_in_a_row(count: int) -> None:
    journal, order = make("round_robin", count, [ONE]), []
    for number in range(count * (count - 1) // 2):
        (call,) = choose_calls(journal.tournament, 1000 * number, ["one"])
        play(journal, call, 1000 * number)
        order.append(list_people(journal.tournament, call.match))
    assert not [three for three in zip(order, order[1:], order[2:], strict=False) if set.intersection(*three)]
    if count > 4:
        assert sum(not one.isdisjoint(other) for one, other in pairwise(order)) <= count


def test_earlier_rounds_come_first_and_those_who_waited_longest() -> None:
    journal = make("round_robin", 6, [ONE])
    rounds = []
    for number in range(15):
        (call,) = choose_calls(journal.tournament, 1000 * number, ["one"])
        fixture = journal.tournament.find_fixture(call.match)
        assert fixture is not None
        rounds.append(fixture.round)
        play(journal, call, 1000 * number)
    assert rounds == sorted(rounds)


def test_the_long_path_of_a_double_knock_out_comes_first() -> None:
    depths = make("double_knock_out", 8, [ONE]).tournament.fixtures.depths
    assert depths["final-2"] == 1
    assert depths["winners-1-1"] == 7  # over the losers' side: four rounds and two finals
    assert depths["losers-1-1"] > depths["winners-3-1"]


def test_paused_tables_get_nothing_and_others_in_their_order() -> None:
    journal = make("knock_out", 8, [THREE, TableUse("two", paused=True), ONE])
    calls = choose_calls(journal.tournament, 0, ["three", "two", "one"])
    assert [call.table for call in calls] == ["three", "one"]
    assert [call.match for call in calls] == ["winners-1-1", "winners-1-2"]
    journal.apply(0, "desk", calls[0])
    assert [call.table for call in choose_calls(journal.tournament, 0, ["one", "two", "three"])] == ["one"]
    assert choose_calls(journal.tournament, 0, []) == []


def test_nobody_rests_for_long_because_the_clock_was_set_back() -> None:
    """A machine without a clock of its own may be hours behind after a restart."""
    journal = make("knock_out", 4, [ONE])
    for match in ("winners-1-1", "winners-1-2"):
        play(journal, Call(match, "one"), 90_000)
    assert [call.match for call in choose_calls(journal.tournament, 10, ["one"])] == ["final-1"]


def test_whoever_needs_rest_is_called_later() -> None:
    journal = make("round_robin", 4, [ONE], rest_s=600)
    for at_s in (0, 1000):
        (call,) = choose_calls(journal.tournament, at_s, ["one"])
        play(journal, call, at_s)
    assert choose_calls(journal.tournament, 1301, ["one"]) == []
    assert len(order_next(journal.tournament, 1301)) == 4
    assert choose_calls(journal.tournament, 1900, ["one"])


def test_a_match_given_away_tires_nobody() -> None:
    journal = make("round_robin", 4, [ONE], rest_s=600)
    match = order_next(journal.tournament, 0)[0]
    sides = journal.tournament.find_sides(match)
    journal.apply(1000, "organiser", Result(match, sides, sides[0], walkover=True))
    assert len(choose_calls(journal.tournament, 1001, ["one"])) == 1


def test_the_loser_of_the_match_before_keeps_the_score() -> None:
    journal = make("knock_out", 8, [ONE])
    (first,) = choose_calls(journal.tournament, 0, ["one"])
    now = journal.tournament
    assert first.writer not in (EMPTY, *now.find_sides(first.match), *now.find_sides(order_next(now, 0)[1]))
    play(journal, first, 0)
    (second,) = choose_calls(journal.tournament, 400, ["one"])
    assert second.writer == now.find_sides(first.match)[1]


def test_who_keeps_the_score_of_a_match_called_by_hand_stays_when_it_moves() -> None:
    journal = make("knock_out", 8, [ONE, TWO])
    (first,) = choose_calls(journal.tournament, 0, ["one"])
    play(journal, first, 0)
    second = order_next(journal.tournament, 400)[0]
    loser = journal.tournament.find_sides(first.match)[1]
    assert propose_writer(journal.tournament, second, 400) == loser
    assert propose_writer(journal.tournament, second, 400, {"p8"}) not in (EMPTY, loser)
    other = journal.tournament.find_sides(first.match)[0]
    journal.apply(400, "organiser", Call(second, "one", other))
    assert propose_writer(journal.tournament, second, 400) == other
    third = order_next(journal.tournament, 400)[0]
    journal.apply(400, "organiser", Call(third, "two", propose_writer(journal.tournament, third, 400)))
    assert journal.tournament.play(third).writer == loser


def test_nobody_keeps_the_score_of_a_match_of_their_own_that_is_called_long_before_its_turn() -> None:
    now = make("round_robin", 24, [ONE]).tournament
    unlisted = {fixture.id for fixture in now.fixtures} - {*order_next(now, 0)}
    assert unlisted
    assert all(propose_writer(now, match, 0) not in now.find_sides(match) for match in unlisted)


def test_two_alone_keep_their_own_score() -> None:
    journal = make("knock_out", 2, [ONE])
    (call,) = choose_calls(journal.tournament, 0, ["one"])
    assert call.writer == propose_writer(journal.tournament, call.match, 0) == EMPTY


def test_people_count_and_not_sides() -> None:
    """Two slots of a team match share nobody, the third has people of both."""
    slots = (Slot((0,), (0,)), Slot((1,), (1,)), Slot((0, 1), (0, 1)))
    journal = TournamentJournal(TournamentSpec("An evening", "round_robin", slots=slots))
    ids = [journal.apply(0, "organiser", Enter(people)).number for people in (("A", "B"), ("C", "D"))]
    journal.apply(0, "organiser", SetTables((ONE, TWO, THREE)))
    journal.apply(0, "organiser", DrawGroups((tuple(ids),)))
    calls = choose_calls(journal.tournament, 0, ["one", "two", "three"])
    assert [call.match[-1] for call in calls] == ["1", "2"]


def test_the_pairs_of_an_open_evening_are_called_as_they_waited() -> None:
    journal = make("open", 6, [ONE])
    for one, other in ((2, 3), (4, 5)):
        journal.apply(0, "organiser", Pair((one, other)))
    (call,) = choose_calls(journal.tournament, 0, ["one"])
    play(journal, call, 0)
    journal.apply(400, "organiser", Pair((2, 6)))
    assert [journal.tournament.find_sides(match) for match in order_next(journal.tournament, 400)] == [(4, 5), (2, 6)]


def test_a_round_robin_of_64_has_an_order_that_begins_with_its_first_rounds() -> None:
    journal = make("round_robin", 64, [TableUse(f"t{number}") for number in range(8)])
    order = order_next(journal.tournament, 0)
    sides = [side for match in order[:32] for side in journal.tournament.find_sides(match)]
    assert len(set(sides)) == 64
