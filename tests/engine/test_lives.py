"""Games of lives: what else their rule sheets promise: facts, figures, advice, and what happens when sides leave."""

from __future__ import annotations

from typing import Any

import pytest

from engine.facts import Award, Claimed, Eliminated, MatchWon
from engine.record import Unreadable
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.contract import check
from tests.engine.records import Record, header

FACE = layout("standard")
PEOPLE = ("Ann", "Bo", "Cy", "Di")
ALL = ("knockout", "legs", "overs", "overs_leader", "sudden_death", "nine_lives", "killer", "blind_killer")


def game(name: str, people: int = 2, **options: Any) -> Record:  # Any: JSON
    return Record(header(name, PEOPLE[:people], options=options))


def facts(given: Record, line: dict[str, Any]) -> list[Any]:  # Any: JSON, facts
    """What followed from a line, as far as a game tells it."""
    told = Award, Claimed, Eliminated, MatchWon
    return [fact for fact in given.add(line).facts if isinstance(fact, told)]


def aim(given: Record, sigma_mm: float = 0) -> str | None:
    return given.match.advice(Skill(FACE, sigma_mm)).aim


# Sides that leave


@pytest.mark.parametrize("name", [*ALL, "tic_tac_toe", "football", "scram", "scram_cricket", "snooker"])
def test_who_is_left_alone_has_won_at_once(name: str) -> None:
    for darts, leaves in ((0, 0), (0, 1), (1, 0), (1, 1), (3, 0), (3, 1)):
        for format in ({"legs": 1}, {"legs": 3, "sets": 2}):
            given = Record(header(name, format=format))
            for _ in range(darts):
                if given.state["phase"] == "throwing":  # in snooker a miss ends the visit
                    given.play("MISS")
            visit = given.match.position.visit.number
            state = given.play({"retire": leaves})
            assert (state["phase"], state["winners"]) == ("over", [1 - leaves])
            assert given.match.position.visit.number == visit, "nobody has thrown for it"
            assert given.refused({"throw": "S20"}) == "the match is over: undo, or start another"
            check(given.encoded())


def test_the_last_one_in_of_a_leg_plays_on_with_those_who_are_out_of_it() -> None:
    given = Record(header("knockout", PEOPLE[:3], options={"lives": 1}, format={"legs": 2}))
    given.play("T20 / MISS MISS MISS /", {"retire": 2})
    assert [side["legs"] for side in given.state["sides"]] == [1, 0, 0]
    assert given.play("/")["turn"]["side"] == 1


def test_an_unfinished_visit_of_one_who_leaves_sets_no_mark() -> None:
    given = game("knockout", 3)
    given.play("S20 / T20 T20", {"retire": 1})
    assert given.state["board"]["mark"] == 20


@pytest.mark.parametrize("name", ALL)
def test_somebody_who_leaves_among_several_leaves_the_others_a_match(name: str) -> None:
    given = game(name, 4)
    given.play("S20 / S19 / D10 / ", {"retire": 1}, {"retire": 3})
    assert given.state["phase"] == "throwing"
    assert {given.state["turn"]["side"], given.play("/")["turn"]["side"]} == {0, 2}
    given.play({"retire": 2})
    given.play("S20" if given.state["phase"] == "throwing" else {"undo": True})
    check(given.encoded())


@pytest.mark.parametrize(
    ("name", "before", "darts"),
    [
        ("knockout", "T20 / MISS MISS MISS /", "MISS MISS MISS"),
        ("nine_lives", "S1 / MISS MISS MISS /", "MISS MISS MISS"),
        ("killer", "S7 / S3 / S5 / D7 D3 / D5", "D5"),
    ],
)
def test_the_last_one_in_loses_no_life_any_more(name: str, before: str, darts: str) -> None:
    given = game(name, 3, lives=1)
    given.play(before, {"retire": 0})
    assert [side["out"] for side in given.state["sides"]] == [True, True, False]
    for dart in darts.split():
        assert not [fact for fact in facts(given, {"throw": dart}) if isinstance(fact, Eliminated)]
    assert given.state["winners"] == [2]


def test_a_team_is_one_side_and_takes_turns() -> None:
    given = Record(header("nine_lives", PEOPLE, teams=[[0, 2], [1, 3]]))
    seats = [given.state["turn"]["seat"]]
    seats += [given.play("/")["turn"]["seat"] for _ in range(4)]
    assert seats == [0, 1, 2, 3, 0]
    assert given.state["sides"][0]["detail"]["lives"] == 1


def test_every_leg_begins_anew() -> None:
    given = Record(header("killer", options={"numbers": "thrown", "lives": 1}, format={"legs": 2}))
    given.play("S7 / S3 / D7 D3")
    assert given.state["sides"][0]["legs"] == 1
    state = given.play("/")
    assert [side["detail"]["number"] for side in state["sides"]] == [None, None]
    assert state["board"]["choosing"]


def test_whoever_is_left_alone_with_a_tie_throws_with_everybody_again() -> None:
    given = game("sudden_death", 4)
    given.play("S5 / S20 / S5 / S20 MISS MISS", {"retire": 2})
    assert given.state["board"]["throwing"] == [0, 2]
    sides = [given.play("/")["turn"]["side"] for _ in range(3)]
    assert sides == [0, 1, 3]


# Facts and figures


def test_an_elimination_and_a_number_are_told() -> None:
    given = game("killer", lives=1)
    assert facts(given, {"throw": "S7"}) == [Claimed(side=0, cell="7")]
    given.play("/ S3 / D7")
    assert facts(given, {"throw": "D3"}) == [Eliminated(side=1), MatchWon(winners=(0,))]
    given = game("killer", 3, lives=1)
    given.play("S7 / S3 / S5 / D7 D3")
    assert facts(given, {"throw": "D3"}) == [], "its number counts no more"
    given = game("knockout", 3, lives=1)
    given.play("T20 / MISS MISS")
    assert facts(given, {"throw": "MISS"}) == [Eliminated(side=1)]
    given = game("sudden_death", 3)
    given.play("T20 / S20 / S19 MISS")
    assert facts(given, {"throw": "MISS"}) == [Eliminated(side=2)]
    given = game("nine_lives", lives=1)
    given.play("MISS MISS")
    assert facts(given, {"throw": "S20"}) == [Eliminated(side=0), MatchWon(winners=(1,))]


def test_points_are_awarded_and_averaged() -> None:
    for name in ("knockout", "sudden_death"):
        given = game(name)
        given.play("T20 T20")
        assert facts(given, {"throw": "T19"}) == [Award(side=0, award="high_ton")]
        assert given.state["sides"][0]["detail"]["average"] == 177.0
        assert given.match.turn.tallies[0].counts["140+"] == 1


def test_points_are_lives_taken_and_steps_done() -> None:
    given = game("killer", ring="any", numbers="thrown", lives=5)
    given.play("S7 / S3 / S7 T3 S3 /")
    assert given.state["last"]["points"] == 4
    assert given.state["sides"][0]["detail"]["taken"] == 4
    given = game("nine_lives")
    given.play("S1 T2 S20 /")
    assert given.state["last"]["points"] == 2
    assert given.state["sides"][0]["detail"] == {"at": 2, "lives": 3, "hits": 2.0}


def test_a_killer_takes_no_more_lives_than_there_are() -> None:
    given = game("killer", ring="any", lives=1)
    given.play("S7 / S3 / S7 T3")
    assert given.state["sides"][0]["detail"]["taken"] == 1


def test_a_killer_who_dies_has_no_dart_left_and_the_others_go_on() -> None:
    given = game("killer", 3, lives=1)
    given.play("S7 / S3 / S5 / D7")
    assert facts(given, {"throw": "D7"}) == [Eliminated(side=0)]
    assert given.state["turn"]["darts_left"] == 0
    assert given.play("/")["turn"]["side"] == 1


# Who can play


def test_who_can_play() -> None:
    for name in ALL:
        if name != "nine_lives":
            with pytest.raises(Unreadable, match="is for 2 to 16 sides, not for 1"):
                game(name, 1)
    with pytest.raises(Unreadable, match="4 sides and 17 decoys need 21 numbers of 20"):
        game("blind_killer", 4, decoys=17)
    all_numbers = game("blind_killer", 2, decoys=18)
    assert len(all_numbers.state["board"]["cells"]) == 20
    check(all_numbers.encoded())
    for name in ALL:
        many = Record(header(name, [f"P{n}" for n in range(16)]))
        check(many.encoded(), 16)


# Advice


def test_points_are_scored_and_the_last_dart_is_safe() -> None:
    given = game("knockout")
    assert aim(given) == "T20"
    given.play("S20 S20 S5 / MISS MISS")
    assert aim(given) == "T20"
    given = game("knockout")
    given.play("S11 MISS MISS / MISS MISS")
    assert aim(given, 40) in {"O11", "I11", "O14", "I14", "I16", "O16"}, "the left side, where no neighbour is low"
    given.play("MISS")
    assert aim(given) is None


def test_nine_lives_are_gone_for_at_the_biggest_bed() -> None:
    given = game("nine_lives", 1, bull=True)
    assert aim(given) == "O1"
    given.play("S1 S2 S3 /")
    assert aim(given, 25) in {"O4", "I4", "T4"}
    given.play(" / ".join(f"S{n} S{n + 1} S{n + 2}" for n in (4, 7, 10, 13, 16)), "/ S19 S20")
    assert aim(given) == "DB"


def test_a_killer_aims_at_its_own_then_at_whoever_can_strike_back() -> None:
    given = game("killer", 3)
    assert aim(given) == "O1"
    given.play("S7 / S3 / S5 /")
    assert aim(given) == "D7"
    given.play("D7")
    assert aim(given) == "D3"
    given.play("/ / D5 /")
    assert aim(given) == "D5", "the other killer"
    given.play("D5 D5 MISS /")
    assert given.play("/ /")["turn"]["side"] == 0
    assert aim(given) == "D5"


def test_a_weak_killer_keeps_away_from_its_own_number() -> None:
    """Beside the own number is no place to aim at, with a scatter that hits it half the time."""
    given = game("killer", 3, ring="any", lives=1)
    given.play("S20 / S1 / S3 / S20")
    assert aim(given) in {"T1", "O1"}
    assert aim(given, 40) in {"T3", "O3"}
