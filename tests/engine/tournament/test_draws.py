"""Draws that are proposed: a journal takes each of them, and seeds sit where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.draws import FEWEST_DARTS, propose_draw
from engine.tournament.journal import TournamentJournal
from engine.tournament.state import Tournament
from engine.tournament.view import list_possible
from protocol.commands import IllegalInput
from protocol.tournament import (
    EMPTY,
    DrawGroups,
    DrawLadder,
    DrawRound,
    DrawSeats,
    DrawSides,
    Enter,
    Input,
    Kind,
    Leave,
    Result,
    SeatLate,
    Slot,
    TournamentSpec,
)


def enter(spec: TournamentSpec, entries: Sequence[Enter]) -> TournamentJournal:
    journal = TournamentJournal(spec)
    for each in entries:
        journal.apply(0, "organiser", each)
    return journal


def make(kind: Kind, count: int, **given: Any) -> TournamentJournal:  # Any: fields of the spec
    people = [Enter((f"P{number}",), seed=number) for number in range(1, count + 1)]
    return enter(TournamentSpec("An evening", kind, **given), people)


def name(tournament: Tournament, entrants: Sequence[int]) -> list[str]:
    """The names without their P."""
    return [tournament.entrants[each].name[1:] if each != EMPTY else "–" for each in entrants]


def propose(journal: TournamentJournal, seed: str = "s") -> Input:
    draw = propose_draw(journal.tournament, seed)
    assert draw is not None
    return draw


@given(
    st.sampled_from(get_args(Kind)),
    st.integers(4, 40),
    st.sampled_from(["draw", "hand", "average", "rating"]),
    st.text(),
)
def test_what_is_proposed_is_taken_and_proposed_again_until_a_dart_is_thrown(
    kind: Kind, count: int, seeding: str, seed: str
) -> None:
    journal = make(kind, count, seeding=seeding)
    draw = propose(journal, seed)
    assert draw == propose(journal, seed)
    journal.apply(0, "organiser", draw)
    again = propose_draw(journal.tournament, seed)
    assert type(again) is type(draw)
    match = next((m for m in journal.tournament.list_matches() if journal.tournament.find_status(m) == "ready"), None)
    if match is not None:
        sides = journal.tournament.find_sides(match)
        journal.apply(0, "organiser", Result(match, sides, sides[0], (1, 0)))
        assert propose_draw(journal.tournament, seed) is None


def test_groups_are_drawn_once_each_can_have_two() -> None:
    journal = make("groups", 5, groups=3)
    assert "draw_groups" not in list_possible(journal)
    with pytest.raises(IllegalInput, match="3 groups, each of 2 to 32"):
        propose_draw(journal.tournament, "s")
    journal.apply(0, "organiser", Enter(("P6",)))
    assert "draw_groups" in list_possible(journal)
    assert isinstance(propose(journal), DrawGroups)


@pytest.mark.parametrize(
    ("kind", "parts", "most"), [("round_robin", 8, 21), ("round_robin", 16, 15), ("groups", 8, 20)]
)
def test_of_teams_fewer_can_all_meet_since_each_match_has_parts(kind: Kind, parts: int, most: int) -> None:
    journal = TournamentJournal(TournamentSpec("A league", kind, slots=(Slot((0,), (0,)),) * parts))
    for number in range(most):
        journal.apply(0, "organiser", Enter((f"P{number}",)))
    with pytest.raises(IllegalInput, match=f"room for {most}"):
        journal.apply(0, "organiser", Enter(("one more",)))
    journal.apply(0, "organiser", propose(journal))
    assert len([*journal.tournament.list_matches()]) < 2100, "hardly more than of 64 who play alone"


def test_seeds_given_by_hand_sit_in_the_order_of_seats() -> None:
    journal = make("knock_out", 11, seeding="hand")
    draw = propose(journal)
    assert isinstance(draw, DrawSeats)
    assert " ".join(name(journal.tournament, draw.seats)) == "1 – 8 9 4 – 5 – 2 – 7 10 3 – 6 11"


def test_whoever_has_no_seed_is_drawn_behind_those_who_have() -> None:
    entries = [Enter((f"P{number}",), seed=number if number < 3 else None) for number in range(1, 9)]
    journal = enter(TournamentSpec("An evening", "knock_out", seeding="hand"), entries)
    drawn = set()
    for seed in "abcdef":
        draw = propose(journal, seed)
        assert isinstance(draw, DrawSeats)
        seats = name(journal.tournament, draw.seats)
        assert (seats[0], seats[4]) == ("1", "2")
        drawn.add(tuple(seats))
    assert len(drawn) > 3


def test_without_seeding_all_are_drawn_though_they_have_seeds() -> None:
    journal = make("knock_out", 8)
    assert len({propose(journal, seed) for seed in "abcdef"}) > 3


def test_by_rating_those_who_have_one_come_first_and_the_others_by_their_average() -> None:
    known = [(60.0, None), (40.0, 1400.0), (None, 1700.5), (70.0, None), (None, None)]
    entries = [Enter((f"P{n}",), average=of, darts=90, rating=rating) for n, (of, rating) in enumerate(known, 1)]
    by_rating = propose(enter(TournamentSpec("An evening", "ladder", seeding="rating"), entries))
    by_average = propose(enter(TournamentSpec("An evening", "ladder", seeding="average"), entries))
    journal = enter(TournamentSpec("An evening", "ladder", seeding="rating"), entries)
    assert isinstance(by_rating, DrawLadder)
    assert isinstance(by_average, DrawLadder)
    assert name(journal.tournament, by_rating.order) == ["3", "2", "4", "1", "5"]
    assert name(journal.tournament, by_average.order)[:3] == ["4", "1", "2"]


def test_by_rating_the_best_average_comes_first_and_too_few_darts_count_as_unknown() -> None:
    averages = [(40.0, 90), (60.0, 90), (90.0, FEWEST_DARTS - 1), (50.0, FEWEST_DARTS)]
    entries = [Enter((f"P{n}",), average=of, darts=darts) for n, (of, darts) in enumerate(averages, 1)]
    journal = enter(TournamentSpec("An evening", "ladder", seeding="rating"), entries)
    draw = propose(journal)
    assert isinstance(draw, DrawLadder)
    assert name(journal.tournament, draw.order) == ["2", "4", "1", "3"]


@pytest.mark.parametrize("count", [3, 7, 8, 10])
def test_drawn_pairs_put_strong_and_weak_together(count: int) -> None:
    entries = [Enter((f"P{n}",), average=100.0 - n, darts=99) for n in range(1, count + 1)]
    journal = enter(TournamentSpec("E", "knock_out", side=2, drawn=True, seeding="rating"), entries)
    draw = propose(journal)
    assert isinstance(draw, DrawSides)
    sides = [sorted(int(each) for each in name(journal.tournament, side)) for side in draw.sides]
    top = count + count % 2 + 1
    assert sides == [[n, top - n] if top - n <= count else [n] for n in range(1, (count + 1) // 2 + 1)]
    journal.apply(0, "organiser", draw)
    assert isinstance(propose(journal), DrawSeats)


def test_groups_are_dealt_in_a_snake() -> None:
    journal = make("groups", 9, groups=4, seeding="hand")
    draw = propose(journal)
    assert isinstance(draw, DrawGroups)
    assert [name(journal.tournament, group) for group in draw.groups] == [
        ["1", "8", "9"],
        ["2", "7"],
        ["3", "6"],
        ["4", "5"],
    ]


def test_swiss_rounds_follow_as_they_are_written() -> None:
    journal = make("swiss", 8, seeding="hand")
    written = []
    for _ in range(3):
        draw = propose(journal)
        assert isinstance(draw, DrawRound)
        journal.apply(0, "organiser", draw)
        now = journal.tournament
        pairs = [sorted(map(int, name(now, pair))) for pair in draw.pairs]
        written.append(" ".join(f"{one}-{other}" for one, other in pairs))
        for match in [each for each in now.list_matches() if now.find_status(each) == "ready"]:
            sides = now.find_sides(match)
            journal.apply(
                0, "organiser", Result(match, sides, min(sides), (1, 0) if min(sides) == sides[0] else (0, 1))
            )
    assert " | ".join(written) == "1-5 2-6 3-7 4-8 | 1-3 2-4 5-7 6-8 | 1-2 3-5 4-6 7-8"
    assert propose_draw(journal.tournament, "s") is None


def test_an_open_swiss_round_is_drawn_anew_without_those_who_left_and_with_who_came_late() -> None:
    journal = make("swiss", 6, seeding="hand", rounds=4)
    for _ in range(2):
        journal.apply(0, "organiser", propose(journal))
        if journal.tournament.rounds == 1:
            for match in list(journal.tournament.list_matches()):
                sides = journal.tournament.find_sides(match)
                journal.apply(0, "organiser", Result(match, sides, sides[0], (1, 0)))
    late = journal.apply(0, "organiser", Enter(("Late",))).number
    journal.apply(0, "organiser", SeatLate(late))
    journal.apply(0, "organiser", Leave(2))
    draw = propose(journal)
    assert isinstance(draw, DrawRound)
    assert sorted(side for pair in draw.pairs for side in pair) == [3, 4, 5, 6, 7, late]
    journal.apply(0, "organiser", draw)
    assert journal.tournament.rounds == 2


@pytest.mark.parametrize("kind", get_args(Kind))
def test_one_alone_is_not_drawn(kind: Kind) -> None:
    assert propose_draw(make(kind, 1).tournament, "s") is None
