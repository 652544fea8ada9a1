"""Who throws next and who leads, in every game: what is said of the next visit comes true, and who wins was ahead."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Game, Step, Turn
from engine.games import GAMES
from engine.games.count_up import CountUp, Options
from engine.games.counting import CountingState
from engine.luck import Luck
from protocol.facts import Fact, LeadTaken
from tests.engine.moves import PEOPLE
from tests.engine.records import Record, header
from tests.sweep import many

CROWDS = [name for name, game in GAMES.items() if 3 in game.sides and "standard" in game.layouts]
LEADERS = [name for name in CROWDS if type(GAMES[name]).leading is not Game.leading]
WON_FROM_BEHIND = {"shanghai", "nine_lives", "prisoner", "three_dice"}
"""A Shanghai wins at once, and so does the last side that is in."""
ONES = "S1 S1 S1 / " * 3


def _begin(game: str, **more: Any) -> Record:  # Any: JSON
    return Record(header(game, PEOPLE[: min(4, GAMES[game].sides[-1])], **more))


def _move(record: Record, chance: Random) -> None:
    """Mostly a dart where the game advises; now and then a side leaves."""
    match, position = record.match, record.match.position
    if position.phase == "takeout":
        record.feed({"next": True})
    elif chance.random() < 0.01:
        record.add({"retire": chance.randrange(4)})
    elif position.phase == "deciding":
        record.add({"choose": match.advice().answer})
    else:
        aim = match.advice().aim if chance.random() < 0.7 else None
        record.feed({"throw": aim or chance.choice([*match.layout]).id})


@pytest.mark.parametrize("game", CROWDS)
@settings(max_examples=many(2, 200), print_blob=True)
@given(seed=st.integers(0, 2**32))
def test_who_is_said_to_be_next_throws_next(game: str, seed: int) -> None:
    chance, record = Random(seed), _begin(game, format={"legs": 2})
    for _ in range(150):
        position = record.match.position
        if position.over:
            break
        expected = record.match.find_next()
        if position.phase == "takeout":
            record.feed({"next": True})
            after = record.match.position
            if not after.over and after.visit.leg == position.visit.leg:
                assert (after.visit.side, after.visit.seat) == expected
        else:
            _move(record, chance)


class _Late(CountUp):
    """Needs the whole round, as a game of somebody else may."""

    def round_over(self, state: CountingState[Options], turn: Turn, luck: Luck) -> Step[CountingState[Options]]:
        assert len(turn.darts) == 3
        return super().round_over(state, turn, luck)


def test_a_game_that_cannot_foresee_its_round_is_said_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "count_up", _Late())
    record = _begin("count_up")
    for line in "S1 S1 S1 / S1 S1 S1 / S1 S1 S1 / S1".split():
        record.play({"next": True} if line == "/" else {"throw": line})
    assert record.match.find_next() == (0, 0)


@pytest.mark.parametrize(
    ("game", "more"),
    [
        ("bull_off", {}),
        ("big_6", {"options": {"rounds": 2}, "format": {"legs": 2}}),
        ("big_little", {"options": {"rounds": 2}, "format": {"legs": 2}}),
    ],
)
@settings(max_examples=many(20, 200), print_blob=True)
@given(seed=st.integers(0, 2**32))
def test_who_is_named_as_next_in_a_sentence_is_the_next(game: str, more: dict[str, Any], seed: int) -> None:
    chance, record = Random(seed), Record(header(game, PEOPLE[:3], **more))
    match = record.match
    for _ in range(60):
        if match.position.over:
            break
        said = record.state["task"]
        if match.position.phase == "takeout" or said["key"] in ("challenge.first", "challenge.name"):
            following = match.find_next()
            named = said.get("values", {}).get("name")
            assert named is None or (following and PEOPLE[following[0]] == named), said
        _move(record, chance)


@pytest.mark.parametrize("game", [name for name in LEADERS if name not in WON_FROM_BEHIND])
@settings(max_examples=many(2, 200), print_blob=True)
@given(seed=st.integers(0, 2**32))
def test_who_wins_was_ahead(game: str, seed: int) -> None:
    chance, record = Random(seed), _begin(game)
    match = record.match
    for _ in range(1500):
        if match.position.over:
            break
        leader = match.find_leader()
        assert leader is None or leader not in match.out
        _move(record, chance)
    sides = tuple(side for side in range(len(match.seating.sides)) if side not in match.out)
    if winners := match.position.winners:
        assert {*winners} == {*match.game.leading(match.position.state, sides)}
    assert match.find_leader() is None or not match.position.over


def test_in_a_team_the_next_partner_is_named() -> None:
    record = Record(header("x01", PEOPLE, teams=[[0, 2], [1, 3]]))
    assert record.state["next"] == {"side": 1, "seat": 1, "player": "Bo"}
    record.play("S1 S1 S1 / S1 S1 S1 /")
    assert record.state["turn"]["player"] == "Cy"
    assert record.state["next"] == {"side": 1, "seat": 3, "player": "Di"}


def test_who_has_left_is_passed_over() -> None:
    record = Record(header("x01", PEOPLE))
    record.play({"retire": 1})
    assert record.state["next"]["player"] == "Cy"
    record.play("/", {"retire": 0}, "/")
    assert (record.state["turn"]["player"], record.state["next"]["player"]) == ("Di", "Cy")


@pytest.mark.parametrize(
    ("game", "options", "played", "expected"),
    [
        ("count_up", {"rounds": 1}, "T20 / S1 /", None),
        ("count_up", {"rounds": 2}, "T20 / S1 /", 0),
        ("count_up", {"rounds": 1}, "T20 /", 2),
        ("x01", {"rounds": 1}, "T20 / S1 / S1", None),
        ("x01", {"rounds": 1, "tie": "one_more_round"}, "T20 / S1 / S1", None),
        ("x01", {"rounds": 1, "tie": "one_more_round"}, "S1 / T20 / T20", 1),
        ("x01", {"start": 101, "finish": "equal_turns", "out": "straight"}, f"{ONES}T20 D19 / S1 / S1", None),
        ("gotcha", {"rounds": 1}, "T20 / S1 / S2", None),
        ("halve_it", {}, "S15 / S15 / S15", 0),
        ("golf", {"holes": 1, "scoring": "maker"}, "S1 / T1 / S1", None),
        ("sudden_death", {}, "T20 / S1 /", 0),
    ],
)
def test_nobody_is_next_where_the_round_ends_the_leg(
    game: str, options: dict[str, Any], played: str, expected: int | None
) -> None:
    record = Record(header(game, PEOPLE[:3], options=options))
    record.play(played)
    assert record.match.position.phase == "throwing"
    said = record.state.get("next")
    assert (said and said["side"]) == expected


def test_who_leads_is_said_once_one_is_ahead_alone() -> None:
    record = Record(header("x01", PEOPLE[:3]))
    assert "leader" not in record.state
    record.play("T20 / S20 / ")
    assert record.state["leader"] == 0
    record.play("T20")
    assert "leader" not in record.state, "Ann and Cy are level"
    record.play("S1")
    assert record.state["leader"] == 2
    record.play({"retire": 2})
    assert record.state["leader"] == 0


@pytest.mark.parametrize(
    ("game", "options", "played", "leader"),
    [
        ("x01", {"start": 101, "out": "straight", "finish": "equal_turns"}, f"{ONES}T20 D19 / T20 S19 S19 /", 0),
        ("golf", {"scoring": "maker"}, "S1 MISS MISS / MISS MISS MISS", None),
        ("golf", {"scoring": "maker"}, "S1 MISS MISS / MISS MISS MISS / D1 MISS MISS", 2),
        ("golf", {"scoring": "maker"}, "S1 MISS MISS / MISS MISS MISS / D1 MISS MISS / T2", 2),
        ("low_ball", {}, "S1 S1 S1 / S19 S19 S19", None),
        ("low_ball", {}, "S1 S1 S1 / S19 S19 S19 / S1 S1 S2 / S20 S20 S20", 0),
        ("bermuda", {}, "S12 S12 MISS / MISS MISS MISS / S12 MISS MISS / MISS MISS MISS /", 2),
        ("shanghai", {"tie": "hits"}, "S1 S1 MISS / D1 MISS MISS / MISS MISS MISS", 0),
        ("round_the_clock", {"start": 20, "finish": "equal_turns"}, "S20 / MISS S20 / MISS", 0),
        ("round_the_clock", {"start": 20, "finish": "share"}, "S20 / MISS S20 / MISS", None),
        ("segment_training", {"target": "20", "until": "hits", "count": 1}, "S20 / MISS S20 / MISS", 0),
        ("x01", {"rounds": 1, "tie": "highest_visit"}, "T20 / S1 / S1 / MISS MISS MISS / T20", 1),
    ],
)
def test_who_leads_is_who_would_win_at_the_limit(
    game: str, options: dict[str, Any], played: str, leader: int | None
) -> None:
    record = Record(header(game, PEOPLE[:3], options=options))
    record.play(played)
    assert record.state.get("leader") == leader


def test_who_has_done_the_drill_with_fewer_darts_leads() -> None:
    record = Record(header("a1_drill", PEOPLE[:3], options={"hits": 1}))
    for number in range(20, 12, -1):
        record.play(f"S{number} S{number} MISS / " * 3)
    record.play("SB SB / MISS SB SB / MISS")
    assert record.state["leader"] == 0


def test_who_is_out_leads_over_a_side_whose_partners_have_less_left() -> None:
    options = {"start": 101, "shared": False, "out": "straight", "finish": "equal_turns"}
    record = Record(header("x01", (*PEOPLE, "Ed", "Flo"), teams=[[0, 1], [2, 3], [4, 5]], options=options))
    record.play("/ T20 S20 MISS / / / T20 S20 MISS / / T20 S1 D20")
    assert record.state["sides"][0]["score"] == 0
    assert record.state["leader"] == 0


def test_a_game_without_a_leader_names_none() -> None:
    record = Record(header("knockout", PEOPLE[:3]))
    record.play("T20 / S1 /")
    assert "leader" not in record.state


def test_of_two_it_is_said_who_leads_but_not_who_is_next() -> None:
    record = Record(header("x01"))
    record.play("T20 /")
    assert "next" not in record.state
    assert record.state["leader"] == 0


def test_the_lead_is_taken_when_a_round_ends_with_another_side_ahead() -> None:
    record = Record(header("x01", ["Ann", "Bo"], format={"legs": 2}, options={"start": 101}))

    def play(darts: str) -> list[Fact]:
        lines = [{"next": True} if word == "/" else {"throw": word} for word in darts.split()]
        return [fact for line in lines for fact in record.add(line).facts if isinstance(fact, LeadTaken)]

    assert play("S20 / S1 /") == []  # Ann leads: nobody led before
    assert play("S1 / S10 S10 /") == []  # level
    assert play("S5 / S1 /") == []  # Ann leads again
    assert play("S1 / S20") == []  # Bo is ahead, but the visit goes on
    assert play("S20 /") == [LeadTaken(side=1)]
    assert play("T20 D7 S1") == []  # the leg is won
    assert play("/ S1 / S1") == []  # a new leg


def test_nobody_passes_a_leader_who_leaves() -> None:
    record = Record(header("count_up", PEOPLE[:3]))
    told = [*record.add({"throw": "T20"}).facts]
    for line in ("/ S20 / S1 /", "/"):
        for word in line.split():
            told += record.add({"next": True} if word == "/" else {"throw": word}).facts
    told += record.add({"retire": 0}).facts
    for word in "S1 / S1 / S1 / S1 /".split():
        told += record.add({"next": True} if word == "/" else {"throw": word}).facts
    assert record.match.position.leader == 1
    assert not [fact for fact in told if isinstance(fact, LeadTaken)]


@pytest.mark.parametrize("game", LEADERS)
@settings(max_examples=many(2, 100), print_blob=True)
@given(seed=st.integers(0, 2**32))
def test_who_takes_the_lead_is_ahead_and_was_not(game: str, seed: int) -> None:
    chance, record = Random(seed), _begin(game)
    leader = None
    for _ in range(150):
        if record.match.position.over:
            break
        before = record.match.position
        _move(record, chance)
        position = record.match.position
        if position.leader != before.leader and position.visit.leg == before.visit.leg:
            assert position.leader not in (None, leader)
            leader = position.leader
