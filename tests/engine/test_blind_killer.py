"""No player knows whose number is whose in Blind Killer, and nothing that is public tells it."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.games.blind_killer import BlindKillerState
from engine.skill import Skill
from protocol.facts import Eliminated, LifeLost
from protocol.layouts import find_layout
from tests.engine.records import Record, header

PEOPLE = ("Ann", "Bo", "Cy", "Di")
WEAK = Skill(find_layout("standard"), 20)


def game(people: int = 3, teams: list[list[int]] | None = None, **options: Any) -> Record:  # Any: JSON
    more = {"teams": teams} if teams else {}
    return Record(header("blind_killer", PEOPLE[:people], options=options, **more))


def board(given: Record, seat: int | None = None) -> list[dict[str, Any]]:  # Any: JSON
    cells: list[dict[str, Any]] = msgspec.json.decode(given.encoded(seat))["board"]["cells"]  # Any: JSON
    return cells


@settings(max_examples=80, print_blob=True)
@examples(st.integers(0, 40), st.integers(0, 3), st.randoms(use_true_random=False))
def test_what_is_not_seen_changes_nothing_that_is(darts: int, mine: int, chance: random.Random) -> None:
    given = game(4, decoys=4, teams=[[1], [2, 0], [3]])
    numbers = [cell["label"] for cell in board(given)]
    for _ in range(darts):
        if given.match.position.phase == "throwing":
            given.feed({"throw": f"S{chance.choice(numbers)}"})
        if given.match.position.phase == "takeout":
            given.feed("/")
    match, state = given.match, given.match.position.state
    before = {seat: given.encoded(seat) for seat in (None, mine)}
    scores = [match.score(side) for side in range(3)]
    side = state.sides[mine]
    free = [at for at, owner in enumerate(state.seen(mine, match.turn)) if owner is None and state.lives[at]]
    owners, hidden = list(state.owners), [state.owners[at] for at in free]
    chance.shuffle(hidden)
    for at, owner in zip(free, hidden, strict=True):
        owners[at] = owner
    changed: BlindKillerState = replace(state, owners=tuple(owners))
    advice = match.game.advise(state, match.turn, mine, WEAK)
    match.position = replace(match.position, state=changed)
    assert given.encoded(mine) == before[mine]
    assert given.encoded(None) == before[None]
    assert [match.score(one) for one in range(3)] == scores
    assert match.game.advise(changed, match.turn, mine, WEAK) == advice
    if match.position.phase != "over":
        told = [cell["owner"] for cell in board(given)]
        assert told.count(side) == (side in match.game.out(state))
        assert [cell["owner"] for cell in board(given, mine)].count(side) == 1


def test_every_seat_sees_its_own_number_and_the_public_none() -> None:
    given = game(4, teams=[[0, 2], [1], [3]])
    assert given.match.game.has_secrets(given.match.options)
    assert all(cell["owner"] is None for cell in board(given))
    seen = [
        [(cell["label"], cell["owner"]) for cell in board(given, seat) if cell["owner"] is not None]
        for seat in range(4)
    ]
    assert [len(one) for one in seen] == [1, 1, 1, 1]
    assert [one[0][1] for one in seen] == [0, 1, 0, 2]
    assert seen[0] == seen[2], "a team shares its number"
    assert len({label for one in seen for label, _ in one}) == 3
    labels = [int(cell["label"]) for cell in board(given)]
    assert labels == sorted(labels), "their order tells nothing"


def test_facts_of_a_living_number_and_a_decoy_are_alike() -> None:
    for at in range(6):
        given = game(3, lives=2)
        label = board(given)[at]["label"]
        _, lost = given.add({"throw": f"T{label}"}).facts
        assert lost == LifeLost(side=None, lives=1, target=label)
        assert given.state["sides"][0]["score"] == 1
        assert [side["out"] for side in given.state["sides"]] == [False] * 3
        owner = given.match.position.state.owners[at]
        died = [fact.side for fact in given.add({"throw": f"S{label}"}).facts if isinstance(fact, Eliminated)]
        assert died == ([] if owner is None else [owner])
        assert board(given)[at]["owner"] == owner


def test_the_number_of_a_player_who_left_eliminates_no_player() -> None:
    given = game(3, lives=1)
    given.play({"retire": 1})
    at = given.match.position.state.owners.index(1)
    facts = given.add({"throw": f"S{board(given)[at]['label']}"}).facts
    assert [type(fact).__name__ for fact in facts] == ["Dart", "LifeLost"]
    assert board(given)[at]["owner"] == 1


def test_who_is_left_alone_has_won_and_all_numbers_are_told() -> None:
    given = game(2)
    state = given.play({"retire": 1})
    assert state["winners"] == [0]
    assert [side["detail"]["number"] is None for side in state["sides"]] == [False, False]
    assert sum(cell["owner"] is not None for cell in state["board"]["cells"]) == 2


def test_the_lives_taken_are_told_by_visit() -> None:
    given = game(2, decoys=0, lives=9)
    label = board(given)[0]["label"]
    given.play(f"S{label} S{label} MISS")
    assert [side["detail"]["per_visit"] for side in given.state["sides"]] == [2.0, 0.0]


def test_the_last_one_in_takes_no_life_of_its_own() -> None:
    given = game(3, lives=1, decoys=0)
    number = {
        cell: f"S{label['label']}" for cell, label in zip(given.match.position.state.owners, board(given), strict=True)
    }
    given.play(number[1], {"retire": 0})
    outcome = given.add({"throw": number[2]})
    assert not [fact for fact in outcome.facts if isinstance(fact, Eliminated)]
    assert given.state["winners"] == [2]


def test_advice_spares_the_own_number_and_finishes_the_weak() -> None:
    given = game(2, decoys=0)
    for seat in (0, 1):
        mine = msgspec.json.decode(given.encoded(seat))["sides"][seat]["detail"]["number"]
        state, turn, rules = given.match.position.state, given.match.turn, given.match.game
        assert rules.advise(state, turn, seat, Skill(given.match.layout)).aim != f"O{mine}"
    given = game(3)
    given.play("S10 /")
    assert given.match.advice().aim == "O10"
