"""Who throws next and who leads, in every game: what is said of the next visit comes true, and who wins was ahead."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Game
from engine.games import GAMES
from tests.engine.moves import PEOPLE
from tests.engine.records import Record, header
from tests.sweep import many

CROWDS = [name for name, game in GAMES.items() if 3 in game.sides and "standard" in game.layouts]
LEADERS = [name for name in CROWDS if type(GAMES[name]).leading is not Game.leading]
WON_FROM_BEHIND = {"shanghai", "nine_lives", "prisoner", "three_dice"}
"""A Shanghai wins at once, and so does the last side that is in."""


def _begin(game: str) -> Record:
    return Record(header(game, PEOPLE[: min(4, GAMES[game].sides[-1])]))


def _move(record: Record, chance: Random) -> None:
    """Mostly a dart where the game advises; now and then a side leaves."""
    match, position = record.match, record.match.position
    if position.phase == "takeout":
        record.play({"next": True})
    elif chance.random() < 0.01:
        record.add({"retire": chance.randrange(4)})
    elif position.phase == "deciding":
        record.add({"choose": match.advice().answer})
    else:
        aim = match.advice().aim if chance.random() < 0.7 else None
        record.play({"throw": aim or chance.choice([*match.layout]).id})


@pytest.mark.parametrize("game", CROWDS)
@settings(max_examples=many(2, 200), print_blob=True)
@given(seed=st.integers(0, 2**32))
def test_who_is_said_to_be_next_throws_next(game: str, seed: int) -> None:
    chance, record = Random(seed), _begin(game)
    for _ in range(150):
        position = record.match.position
        if position.over:
            break
        expected = record.match.find_next()
        if position.phase == "takeout" and expected is not None:
            record.play({"next": True})
            after = record.match.position
            if not after.over and after.visit.leg == position.visit.leg:
                assert (after.visit.side, after.visit.seat) == expected
        else:
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
        assert {*winners} <= {*match.game.leading(match.position.state, sides)}
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


def test_a_game_without_a_leader_names_none() -> None:
    record = Record(header("knockout", PEOPLE[:3]))
    record.play("T20 / S1 /")
    assert "leader" not in record.state


def test_of_two_neither_is_said() -> None:
    record = Record(header("x01"))
    record.play("T20 /")
    assert not {"next", "leader"} & record.state.keys()
