"""X01: what it refuses, what it counts, and where it tells people of different skill to aim."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from typing import Any, get_args

import pytest

from engine.checkouts import Bull, Out, closes, least, worth
from engine.facts import Award, Bust
from engine.games import PRESETS
from engine.games.x01_aim import Stand, aim, hint
from engine.match import Match
from engine.record import Unreadable
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.records import Record, header

FACE = layout("standard")
PAIRS = [[0, 2], [1, 3]]
FOUR = ("Ann", "Bo", "Cy", "Di")


def x01(
    people: tuple[str, ...] = ("Ann", "Bo"), teams: Any = None, legs: int = 1, **options: Any
) -> Record:  # Any: JSON
    return Record(header("x01", people, teams=teams, options=options, format={"legs": legs}))


def double_in(**options: Any) -> Record:  # Any: JSON
    return Record(header("x01", options={"in": "double", **options}))


def counts(given: Record, seat: int = 0) -> Mapping[str, int]:
    return given.match.position.tallies[seat].counts


@pytest.mark.parametrize(
    ("people", "teams", "options", "reason"),
    [
        (("Ann", "Bo"), None, {"freeze": "bust"}, "freeze is for two teams of two players each"),
        (FOUR, None, {"freeze": "lose"}, "freeze is for two teams of two players each"),
        (FOUR, [[0], [1, 2, 3]], {"freeze": "lose"}, "freeze is for two teams of two players each"),
        (("Ann", "Bo"), None, {"starts": [301]}, "starts needs a score for each of the 2 sides, or none at all"),
        (("Ann",), None, {"starts": [1]}, "option starts of x01 is [1], with 1 in it"),
        (("Ann",), None, {"starts": [3], "in": "double"}, "starts has a 3, which nobody can bring to zero double in"),
        (("Ann", "Bo"), None, {"doubles": [[16]]}, "doubles needs a list for each of the 2 players, or none at all"),
        (("Ann",), None, {"doubles": [[22]]}, "doubles are 1 to 20, and 25 for the bull"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_reason(
    people: tuple[str, ...], teams: Any, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        x01(people, teams, **options)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"doubles": ["D16", "D20"]}, 'doubles of x01 is ["D16", "D20"], with "D16" in it: this must be a list for'),
        ({"doubles": [["D16"]]}, 'doubles of x01 is [["D16"]], with "D16" in it: this must be a list for each player'),
        ({"doubles": [[16], [26]]}, "with 26 in it"),
        ({"doubles": 16}, "numbers 1 to 20, or 25 for the bull, such as [[16, 8], [20]]"),
        ({"starts": [301, 1]}, "starts of x01 is [301, 1], with 1 in it: this must be a list with a score for"),
        ({"starts": None}, "starts of x01 is null: this must be a list with a score for each side, 2 to 1501"),
        ({"rounds": True}, "rounds of x01 is true: this must be a whole number or null"),
    ],
)
def test_a_wrong_list_is_told_by_its_element_and_an_example_in_json(given: dict[str, Any], said: str) -> None:
    with pytest.raises(Unreadable) as refused:
        x01(**given)
    assert said in str(refused.value)


@pytest.mark.parametrize("preset", [preset.id for preset in PRESETS.values() if preset.game == "x01"])
def test_every_preset_can_be_played(preset: str) -> None:
    frozen = preset.startswith("freeze")
    given = Record(header(preset, FOUR, teams=PAIRS) if frozen else header(preset))
    assert given.state["game"] == "x01"
    assert str(given.state["sides"][0]["score"]) in preset


def test_freeze_gives_every_player_a_score_of_his_own_in_the_record_too() -> None:
    assert not x01(FOUR, PAIRS, freeze="lose").match.options.shared
    assert x01(FOUR, PAIRS).match.options.shared


def test_opponents_who_have_left_freeze_nobody() -> None:
    given = x01(FOUR, PAIRS, start=101, freeze="lose")
    given.play("T20 S1 / T20 S1 / S1 / T20 S1 /")
    assert given.state["hint"] == [], "Cy has 100 left, Bo and Di 80"
    given.play({"retire": 1})
    assert given.state["hint"] == ["D20"]
    assert given.play("D20")["winners"] == [0]


def test_figures_of_a_leg() -> None:
    given = x01(start=301)
    given.play("T20 T20 T20 / / T20 S20 S1 / / MISS D20")
    assert given.state["sides"][0]["score"] == 0
    kept = {name: n for name, n in counts(given).items() if name not in ("visits", "legs", "legs_won")}
    visits = {"180": 1, "170+": 1, "60+": 1, "award:180": 1}
    finishes = {"at_finish": 2, "at:D20": 2, "hit:D20": 1, "finished": 1}
    assert kept == visits | finishes | {"points_80": 261, "darts_80": 6}
    assert given.match.position.tallies[0].highs["finish"] == 40
    assert counts(given, 1)["darts_80"] == 3, "Bo's second visit came after Ann had less than 60 left"
    detail = given.state["sides"][0]["detail"]
    assert [detail[name] for name in ("ppd", "high_finish", "180s", "best_leg")] == [37.62, 40, 1, 8]


def test_a_checkout_of_100_is_a_high_out_and_counted() -> None:
    given = x01(start=101)
    assert Award(side=0, award="high_out") in given.add({"throw": "T17"}).facts + given.add({"throw": "DB"}).facts
    assert counts(given)["100+ out"] == 1


@pytest.mark.parametrize(
    ("darts", "award"),
    [("T20 T20 T20", "180"), ("T20 T20 T19", "high_ton"), ("T20 S20 S20", "low_ton"), ("SB DB SB", "hat_trick")],
)
def test_the_awards_are_those_of_machines(darts: str, award: str) -> None:
    given = x01()
    assert [fact for fact in _last_facts(given, darts) if isinstance(fact, Award)] == [Award(side=0, award=award)]


def test_a_bust_has_no_award() -> None:
    facts = _last_facts(x01(start=170), "T20 T20 T20")
    assert Bust(side=0) in facts
    assert not [fact for fact in facts if isinstance(fact, Award)]


def test_darts_that_do_not_open_have_no_award() -> None:
    facts = _last_facts(double_in(), "T20 T20 T20")
    assert not [fact for fact in facts if isinstance(fact, Award)]


def _last_facts(given: Record, darts: str) -> tuple[Any, ...]:
    *_, last = [given.add({"throw": dart}) for dart in darts.split()]
    return last.facts


def test_a_double_that_was_missed_and_one_that_was_hit() -> None:
    given = x01(start=101, out="master")
    given.play("T20 S11 T10")
    assert counts(given)["at:D15"] == 1, "30 is two ways to go out: the easier one was aimed at"
    assert "hit:D15" not in counts(given)
    assert counts(given)["finished"] == counts(given)["at_finish"] == 1


def test_both_bulls_are_one_double_where_both_finish() -> None:
    given = x01(start=101, bull="50/50")
    given.play("T17 SB")
    assert (counts(given)["at:DB"], counts(given)["hit:DB"]) == (1, 1)


@pytest.mark.parametrize(("rule", "tried"), [("always", 3), ("third", 1), ("never", 0)])
def test_which_darts_at_50_are_at_a_finish(rule: str, tried: int) -> None:
    given = x01(start=101, bull_at_finish=rule)
    given.play("T17 / / MISS MISS MISS")
    first_visit = {"always": 2, "third": 1, "never": 0}[rule]
    assert given.state["sides"][0]["detail"]["checkouts"] == [0, first_visit + tried]


def test_level_sides_that_leave_leave_the_win_to_who_stays() -> None:
    given = x01(("Ann", "Bo", "Cy"), start=101, rounds=1, tie="one_more_round")
    given.play("S20 / S20 / S1 / S1 / ", {"retire": 1})
    assert given.state["phase"] == "over"
    assert given.state["winners"] == [0]


def test_who_was_out_and_left_lets_the_others_play_on() -> None:
    given = x01(start=101, finish="equal_turns")
    given.play("T17 DB /", {"retire": 0}, "S1 /")
    assert (given.state["phase"], given.state["turn"]["side"]) == ("throwing", 1)
    assert given.play("T20 D20")["winners"] == [1]


@pytest.mark.parametrize("out", get_args(Out))
@pytest.mark.parametrize("bull", get_args(Bull))
@pytest.mark.parametrize("to_open", [None, "double", "master"])
def test_who_hits_what_he_is_told_goes_out(out: Out, bull: Bull, to_open: Out | None) -> None:
    """From everywhere, frozen or not: no bust, no dead end, and out in as few darts as there are."""
    for remaining, darts in product(range(4, 200), (1, 2, 3)):
        at = Stand(remaining, remaining, darts, out, bull, to_open=to_open)
        points, multiplier = worth(FACE[aim(at)], bull)
        left = remaining - points
        assert left >= least(out) or (left == 0 and closes(multiplier, out)), at
        assert to_open is None or closes(multiplier, to_open), at


@pytest.mark.parametrize("out", get_args(Out))
@pytest.mark.parametrize("sigma", [0.0, 10.0, 65.0])
def test_nobody_who_is_frozen_aims_at_a_double_that_loses(out: Out, sigma: float) -> None:
    for remaining in range(least(out), 62):
        at = Stand(remaining, remaining, 3, out, "25/50", frozen=True)
        points, multiplier = worth(FACE[aim(at, Skill(FACE, sigma))], "25/50")
        assert not (points == remaining and closes(multiplier, out)), at
        assert hint(at) == ()


@pytest.mark.parametrize(
    ("remaining", "out", "bed"),
    [
        (25, "double", "S17"),
        (35, "double", "S19"),
        (37, "double", "S17"),
        (41, "double", "S17"),
        (57, "double", "S17"),
        (60, "double", "S20"),
        (61, "double", "SB"),
        (62, "double", "T10"),
        (65, "double", "SB"),
        (69, "double", "T15"),
        (170, "double", "T20"),
        (229, "double", "T20"),
        (41, "straight", "SB"),
        (61, "straight", "T14"),
    ],
)
def test_the_last_dart_of_a_visit_is_thrown_for_an_easy_way_out(remaining: int, out: Out, bed: str) -> None:
    assert aim(Stand(remaining, remaining, 1, out, "25/50")) == bed


def test_what_is_left_for_the_next_visit_ends_on_a_double_that_players_like() -> None:
    for remaining in range(41, 95):
        if remaining != 50:
            left = remaining - FACE[aim(Stand(remaining, remaining, 1, "double", "25/50"))].points
            way = hint(Stand(left, left, 3, "double", "25/50"))
            assert way[-1] in {"D20", "D16", "D18", "D12", "D10", "D8"}, (remaining, way)


def test_a_favourite_is_what_is_left_too() -> None:
    assert aim(Stand(41, 41, 1, "double", "25/50", (16,))) == "S9"


def test_straight_out_takes_no_detour_over_doubles() -> None:
    ways = {left: " ".join(hint(Stand(left, left, 3, "straight", "25/50"))) for left in (20, 41, 50, 60, 80, 101)}
    assert ways == {20: "S20", 41: "SB S16", 50: "DB", 60: "T20", 80: "T20 S20", 101: "DB T17"}
    assert hint(Stand(52, 52, 3, "straight", "25/50", (6,))) == hint(Stand(52, 52, 3, "straight", "25/50"))


def test_where_averages_decide_the_wall_shows_them() -> None:
    given = x01(FOUR, PAIRS, start=101, shared=False, rounds=2)
    sides = given.play("T20 / S1 / MISS / MISS MISS MISS")["sides"]
    assert [(side["detail"]["scores"], side["detail"]["average_left"]) for side in sides] == [
        ([41, 101], 71.0),
        ([100, 101], 100.5),
    ]
    assert given.state["winners"] == [0]
    assert "average_left" not in x01(FOUR, PAIRS, shared=False).state["sides"][0]["detail"]
    assert "average_left" not in x01(FOUR, PAIRS, rounds=2).state["sides"][0]["detail"]


def test_favourites_cost_no_dart_more() -> None:
    usual = Stand(72, 72, 2, "double", "25/50")
    assert hint(usual)[-1] != "D16"
    assert hint(usual._replace(favourites=(16,))) == ("D20", "D16")
    for remaining in range(2, 171):
        for darts in (1, 2, 3):
            plain = Stand(remaining, remaining, darts, "double", "25/50")
            assert len(hint(plain._replace(favourites=(16, 8)))) <= len(hint(plain))
            assert bool(hint(plain._replace(favourites=(16, 8)))) == bool(hint(plain))


def test_who_scatters_a_lot_aims_where_the_neighbours_are_good() -> None:
    def aims(sigma: float) -> list[str]:
        at = Stand(0, 0, 3, "double", "25/50")
        return [aim(at._replace(remaining=left, before=left), Skill(FACE, sigma)) for left in (501, 32, 3)]

    assert aims(0) == ["T20", "D16", "S1"]
    assert aims(5) == ["T20", "D16", "S1"]
    for sigma in (27.0, 65.0):
        skill, bed = Skill(FACE, sigma), aims(sigma)[0]
        assert bed != "T20", "between 1 and 5"
        assert skill.worth(bed, lambda dart: dart.points) > skill.worth("T20", lambda dart: dart.points)


def test_a_weak_thrower_does_not_risk_what_he_has_at_the_end_of_a_visit() -> None:
    """120 thrown and 41 left with one dart: a triple 20 would give all of it back."""
    for sigma in (10.0, 27.0, 65.0):
        bed = aim(Stand(41, 161, 1, "double", "25/50"), Skill(FACE, sigma))
        assert 41 - FACE[bed].points >= 2


def test_the_better_the_thrower_the_fewer_darts() -> None:
    darts = [_darts_of_legs(sigma, 20) for sigma in (5.0, 15.0, 27.0, 45.0)]
    assert darts == sorted(darts)
    assert darts[0] < 20 * 12


def _darts_of_legs(sigma: float, legs: int) -> int:
    """So many legs of 501, thrown with the chances that the skill itself gives."""
    chance, skill, darts = random.Random(3), Skill(FACE, sigma), 0
    for _ in range(legs):
        left = 501
        while left:
            before = left
            for thrown in range(3):
                darts += 1
                beds = skill.chances(aim(Stand(left, before, 3 - thrown, "double", "25/50"), skill))
                ((segment, _),) = chance.choices(beds, [share for _, share in beds])
                points, multiplier = worth(segment, "25/50")
                left -= points
                if left == 0 and closes(multiplier, "double"):
                    break
                if left < 2:
                    left = before
                    break
    return darts


def test_a_match_of_two_weak_throwers_in_double_and_out_comes_to_its_end() -> None:
    given = double_in(start=101)
    chance, skill = random.Random(1), Skill(FACE, 40.0)
    while given.state["phase"] != "over":
        if given.state["phase"] == "takeout":
            given.play("/")
        advice = given.match.advice(skill).aim or ""
        beds = skill.chances(advice)
        ((segment, _),) = chance.choices(beds, [share for _, share in beds])
        given.play({"throw": segment.id})
    assert given.match.line < 600


def test_what_is_asked_of_the_match_is_what_the_aim_says() -> None:
    given = x01(start=101)
    match: Match = given.match
    assert match.advice().aim == given.state["targets"][0] == given.state["hint"][0]
    assert match.advice(Skill(match.layout, 65.0)).aim != ""


def test_nobody_has_more_favourites_than_there_are_doubles() -> None:
    all_of_them = [*range(1, 21), 25]
    x01(start=101, doubles=[all_of_them, []])
    with pytest.raises(Unreadable, match="doubles of x01"):
        x01(start=101, doubles=[[*all_of_them, 20], []])
