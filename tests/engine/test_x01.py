"""X01: where it tells people of different skill to aim."""

from __future__ import annotations

import random
from itertools import product
from typing import get_args

import pytest

from engine.checkouts import AimState, aim, hint, worth
from engine.finishing import Bull, Out, closes, least
from engine.skill import Skill
from protocol.layouts import find_layout
from tests.engine.records import Record, header

LAYOUT = find_layout("standard")


def test_freeze_gives_every_player_an_own_score_in_the_record() -> None:
    for freeze in ("off", "lose"):
        first = header("x01", ("Ann", "Bo", "Cy", "Di"), teams=[[0, 2], [1, 3]], options={"freeze": freeze})
        assert Record(first).match.options.shared == (freeze == "off")


@pytest.mark.parametrize("out", get_args(Out))
@pytest.mark.parametrize("bull", get_args(Bull))
@pytest.mark.parametrize("to_open", [None, "double", "master"])
def test_who_hits_what_he_is_told_goes_out(out: Out, bull: Bull, to_open: Out | None) -> None:
    """From everywhere, frozen or not: no bust, no dead end, and out in as few darts as there are."""
    for remaining, darts in product(range(4, 200), (1, 2, 3)):
        at = AimState(remaining, remaining, darts, out, bull, to_open=to_open)
        points, multiplier = worth(LAYOUT[aim(at)], bull)
        left = remaining - points
        assert left >= least(out) or (left == 0 and closes(multiplier, out)), at
        assert to_open is None or closes(multiplier, to_open), at


@pytest.mark.parametrize("out", get_args(Out))
@pytest.mark.parametrize("sigma", [0.0, 10.0, 65.0])
def test_a_frozen_player_never_aims_at_a_losing_double(out: Out, sigma: float) -> None:
    for remaining in range(least(out), 62):
        at = AimState(remaining, remaining, 3, out, "25/50", frozen=True)
        points, multiplier = worth(LAYOUT[aim(at, Skill(LAYOUT, sigma))], "25/50")
        assert not (points == remaining and closes(multiplier, out)), at
        assert hint(at) == ()


def test_who_scatters_a_lot_aims_where_the_neighbours_are_good() -> None:
    def aims(sigma: float) -> list[str]:
        at = AimState(0, 0, 3, "double", "25/50")
        return [aim(at._replace(remaining=left, before=left), Skill(LAYOUT, sigma)) for left in (501, 32, 3)]

    assert aims(0) == ["T20", "D16", "S1"]
    assert aims(5) == ["T20", "D16", "S1"]
    for sigma in (27.0, 65.0):
        skill, bed = Skill(LAYOUT, sigma), aims(sigma)[0]
        assert bed != "T20", "between 1 and 5"
        assert skill.worth(bed, lambda dart: dart.points) > skill.worth("T20", lambda dart: dart.points)


def test_a_weak_thrower_takes_no_risk_at_the_visits_end() -> None:
    """120 thrown and 41 left with one dart: a triple 20 would give all of it back."""
    for sigma in (10.0, 27.0, 65.0):
        bed = aim(AimState(41, 161, 1, "double", "25/50"), Skill(LAYOUT, sigma))
        assert 41 - LAYOUT[bed].points >= 2


def test_the_better_the_thrower_the_fewer_darts() -> None:
    darts = [_darts_of_legs(sigma, 20) for sigma in (5.0, 15.0, 27.0, 45.0)]
    assert darts == sorted(darts)
    assert darts[0] < 20 * 12


def _darts_of_legs(sigma: float, legs: int) -> int:
    """So many legs of 501, thrown with the chances that the skill itself gives."""
    chance, skill, darts = random.Random(3), Skill(LAYOUT, sigma), 0
    for _ in range(legs):
        left = 501
        while left:
            before = left
            for thrown in range(3):
                darts += 1
                beds = skill.chances(aim(AimState(left, before, 3 - thrown, "double", "25/50"), skill))
                ((segment, _),) = chance.choices(beds, [share for _, share in beds])
                points, multiplier = worth(segment, "25/50")
                left -= points
                if left == 0 and closes(multiplier, "double"):
                    break
                if left < 2:
                    left = before
                    break
    return darts


def test_two_weak_throwers_finish_a_match_double_in_double_out() -> None:
    given = Record(header(options={"start": 101, "in": "double"}))
    chance, skill = random.Random(1), Skill(LAYOUT, 40.0)
    while given.state["phase"] != "over":
        if given.state["phase"] == "takeout":
            given.play("/")
        advice = given.match.advice(skill).aim or ""
        beds = skill.chances(advice)
        ((segment, _),) = chance.choices(beds, [share for _, share in beds])
        given.play({"throw": segment.id})
    assert given.match.line < 600
