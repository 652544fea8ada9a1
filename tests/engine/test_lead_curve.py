"""The curve of a match, its turning point, best visits and missed match darts, against a count from the darts alone."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from engine.lead_curve import draw_curve, find_best_visits
from tests.engine.records import Record, header

START, LEGS = 101, 2


class Thrown(NamedTuple):
    """A visit of a match of 101, double out, best of three legs, counted by hand."""

    leg: int
    side: int
    darts: tuple[str, ...]
    points: int
    left: tuple[int, int]
    won: tuple[int, int]
    missed: int


def play_and_count(chance: random.Random) -> tuple[Record, list[Thrown]]:
    """Plays a match; some darts are thrown wrongly first and taken back."""
    record = Record(header("x01", options={"start": START}, format={"legs": LEGS}))
    visits: list[Thrown] = []
    won, leg = [0, 0], 0
    while max(won) < LEGS:
        side, left = leg % 2, [START, START]
        while 0 not in left:
            before, at_finish, bust = left[side], 0, False
            darts: list[str] = []
            while len(darts) < 3 and left[side] and not bust:
                aims = ["T20", "S20", "S1", "S19", "T17", "MISS", "DB"]
                dart = f"D{left[side] // 2}" if left[side] <= 40 and chance.random() < 0.4 else chance.choice(aims)
                if chance.random() < 0.1:
                    record.feed({"throw": "T20"}, {"undo": True})
                record.feed({"throw": dart})
                darts.append(dart)
                at_finish += left[side] == 50 or (left[side] <= 40 and left[side] % 2 == 0)
                ring = {"T": 3, "D": 2, "S": 1, "M": 0}[dart[0]]
                number = 25 if dart == "DB" else int(dart[1:]) if ring else 0
                left[side] -= number * ring
                bust = left[side] in (1, *range(-60, 0)) or (left[side] == 0 and ring != 2)
            if bust:
                left[side] = before
            is_at_stake = won[side] == LEGS - 1
            won[side] += left[side] == 0
            missed = at_finish if left[side] and is_at_stake else 0
            points = before - left[side]
            visits.append(Thrown(leg + 1, side, tuple(darts), points, (left[0], left[1]), (won[0], won[1]), missed))
            if max(won) < LEGS:
                record.feed({"next": True})
            side = 1 - side
        leg += 1
    return record, visits


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_the_darts_say(seed: int) -> None:
    record, visits = play_and_count(random.Random(seed))
    match = record.match
    positions = tuple(match.list_positions())
    curve, turning = draw_curve(match, positions)
    leads = [each.left[1] - each.left[0] for each in visits]
    assert [(each.leg, each.side, each.lead) for each in curve] == [
        (each.leg, each.side, lead) for each, lead in zip(visits, leads, strict=True)
    ]
    (winner,) = match.position.winners
    sign = 1 if winner == 0 else -1
    ahead = [
        (sign * (each.won[0] - each.won[1]), sign * lead) > (0, 0) for each, lead in zip(visits, leads, strict=True)
    ]
    assert turning is not None
    assert all(ahead[turning:])
    assert turning == 0 or not ahead[turning - 1]
    best = [(each.points, each.side, each.leg, each.darts) for each in visits if each.points]
    best.sort(key=lambda each: -each[0])
    assert [(each.points, each.side, each.leg, each.darts) for each in find_best_visits(match, positions)] == best[:3]
    missed = [sum(each.missed for each in visits if each.side == side) for side in (0, 1)]
    assert [tally.counts.get("match_darts_missed", 0) for tally in match.position.tallies] == missed


def test_who_is_ahead_is_what_the_game_says() -> None:
    """In Golf the lower score is ahead."""
    record = Record(header("golf"))
    record.play("MISS MISS MISS / T1 / S2 / T2")
    curve, turning = draw_curve(record.match, tuple(record.match.list_positions()))
    assert record.match.score(1) < record.match.score(0)
    assert curve[-1].lead == record.match.score(1) - record.match.score(0)
    assert turning is None, "nobody has won yet"


def test_there_is_no_curve_of_three_sides_or_where_it_is_not_known_who_leads() -> None:
    three = Record(header("x01", players=("Ann", "Bo", "Cy")))
    three.play("T20 T20 T20 /")
    assert draw_curve(three.match, tuple(three.match.list_positions())) == ((), None)
    killer = Record(header("killer"))
    killer.play("S20 / S5 / D20 MISS MISS /")
    assert draw_curve(killer.match, tuple(killer.match.list_positions())) == ((), None)


def test_a_match_that_the_other_left_did_not_turn() -> None:
    record = Record(header("x01"))
    record.play("S1 / T20 T20 T20 /", {"retire": 1}, {"concede": True})
    curve, turning = draw_curve(record.match, tuple(record.match.list_positions()))
    assert [each.lead for each in curve] == [1, -179]
    assert (record.match.position.winners, turning) == ((0,), None)


def test_best_visits_of_cricket_are_those_of_the_most_marks() -> None:
    record = Record(header("cricket"))
    record.play("T20 MISS MISS / T20 T19 T18 / T17 T17 MISS /")
    best = find_best_visits(record.match, tuple(record.match.list_positions()))
    assert [(each.player, each.marks) for each in best] == [("Bo", 9), ("Ann", 6), ("Ann", 3)]
