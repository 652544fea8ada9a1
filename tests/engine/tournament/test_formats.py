"""Whole evenings as they are proposed and called: who meets whom how often, who rests, and who gets which place."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import ceil, log2

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.tournament.journal import replay
from engine.tournament.state import Tournament
from engine.tournament.view import list_places
from protocol.tournament import EMPTY, Entrant, Kind, TournamentSpec
from tests.engine.tournament.clubs import Club
from tests.sweep import many

SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=many(6, 15))


def play_out(spec: TournamentSpec, count: int, seed: int) -> Tournament:
    """The tournament at its end, whose places cover all and whose journal replays to the same."""
    club = Club(spec, count, 1 + seed % 5, seed)
    club.run()
    now = club.now
    covered = [place for each in list_places(now) for place in range(each.first, each.last + 1)]
    assert covered == list(range(1, count + 1))
    placed = [entrant for each in list_places(now) for entrant in each.entrants]
    assert sorted(placed) == sorted(now.drawn)
    assert replay(spec, club.journal.lines).tournament == now
    return now


def count_met(now: Tournament, group: int | None = None) -> Counter[frozenset[Entrant]]:
    """How often each pair has played in a table."""
    return Counter(
        frozenset(now.resolved[each.id].sides)
        for each in now.fixtures
        if each.stage in ("group", "round") and each.group == group and now.resolved[each.id].how == "played"
    )


@FEW
@given(st.integers(2, 14), st.booleans(), SEEDS)
def test_in_a_round_robin_each_pair_meets_once_or_twice(count: int, twice: bool, seed: int) -> None:
    now = play_out(TournamentSpec("E", "round_robin", twice=twice), count, seed)
    assert count_met(now) == {frozenset(pair): 1 + twice for pair in combinations(now.drawn, 2)}
    assert [row.played for row in now.make_standings()[0].rows] == [(count - 1) * (1 + twice)] * count


@pytest.mark.slow
@FEW
@given(st.integers(2, 64), SEEDS)
@example(64, 0)
@example(63, 0)
def test_in_a_swiss_tournament_nobody_meets_or_rests_twice(count: int, seed: int) -> None:
    now = play_out(TournamentSpec("E", "swiss", tie_breaks=("opponents", "lots")), count, seed)
    rounds = ceil(log2(count))
    assert now.rounds == rounds
    met = count_met(now)
    assert set(met.values()) == {1}
    assert len(met) == rounds * (count // 2)
    rested = Counter(found.winner for found in now.resolved.values() if found.how == "bye")
    assert len(rested) == (rounds if count % 2 else 0)
    (table,) = now.make_standings()
    assert [row.place for row in table.rows] == list(range(1, count + 1))
    assert sum(row.points for row in table.rows) == 2 * rounds * ceil(count / 2)


@FEW
@given(st.integers(2, 8), st.integers(0, 40), st.integers(1, 3), SEEDS)
@pytest.mark.long
def test_in_groups_all_meet_and_the_first_go_on(groups: int, more: int, through: int, seed: int) -> None:
    count = max(groups * max(2, through), min(64, groups * 2 + more))
    now = play_out(TournamentSpec("E", "groups", groups=groups, through=through, third_place=True), count, seed)
    sizes = [len(group) for group in now.groups]
    assert max(sizes) - min(sizes) <= 1
    for number, group in enumerate(now.groups):
        assert count_met(now, number) == {frozenset(pair): 1 for pair in combinations(group, 2)}
    on = {
        side
        for each in now.fixtures
        if each.stage not in ("group", "round")
        for side in now.resolved[each.id].sides
        if side != EMPTY
    }
    first = {row.entrant for table in now.make_standings() for row in table.rows[:through]}
    assert on == first


@FEW
@given(st.sampled_from(["knock_out", "double_knock_out"]), st.integers(2, 64), SEEDS)
def test_in_a_knock_out_all_but_one_lose_as_often_as_it_takes(kind: Kind, count: int, seed: int) -> None:
    now = play_out(TournamentSpec("E", kind), count, seed)
    lost = Counter(found.loser for found in now.resolved.values() if found.how == "played")
    most = 2 if kind == "double_knock_out" else 1
    (winner,) = list_places(now)[0].entrants
    assert lost[winner] < most
    assert all(lost[entrant] == most for entrant in now.drawn if entrant != winner)


@FEW
@given(st.integers(3, 30), SEEDS)
def test_drawn_pairs_play_as_sides(count: int, seed: int) -> None:
    club = Club(TournamentSpec("E", "knock_out", side=2, drawn=True, seeding="rating"), count, 2, seed)
    club.run()
    sides = [club.now.entrants[entrant].people for entrant in club.now.drawn]
    assert len(sides) == ceil(count / 2)
    assert sorted(name for people in sides for name in people) == sorted(f"P{number}a" for number in range(count))
