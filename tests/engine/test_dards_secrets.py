"""Nobody sees another's hand in Dards, and nothing that is said changes what was dealt."""

from __future__ import annotations

import random

from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.games.dards import State
from engine.skill import Skill
from tests.engine.naive_dards import DECK
from tests.engine.tables_of_dards import game, hand, lay


@settings(max_examples=80, print_blob=True)
@examples(st.integers(0, 60), st.integers(0, 2), st.randoms(use_true_random=False))
def test_what_is_not_seen_changes_nothing_that_is(visits: int, mine: int, chance: random.Random) -> None:
    given = game(3, teams=[[1], [2], [0]])
    for _ in range(min(visits, 50)):
        lay(given, chance.choice(hand(given, given.state["turn"]["seat"])))
        given.play("S20 S1 S18 /")
    if chance.random() < 0.5:
        lay(given)
    match = given.match
    before = {seat: given.encoded(seat) for seat in (None, mine)}
    state: State = match.position.state
    others = [side for side in range(3) if state.seats[side] != mine]
    unseen = [*state.deck, *(card for side in others for card in state.hands[side])]
    chance.shuffle(unseen)
    hands = list(state.hands)
    for side in others:
        hands[side], unseen = tuple(unseen[: len(hands[side])]), unseen[len(hands[side]) :]
    changed = replace(state, hands=tuple(hands), deck=tuple(unseen))
    prompts = match.position.prompts and match.game.prompts(changed, match.turn)
    advice = match.game.advise(state, match.turn, mine, Skill(match.layout))
    match.position = replace(match.position, state=changed, prompts=prompts)
    assert given.encoded(mine) == before[mine]
    assert given.encoded(None) == before[None]
    assert match.game.advise(changed, match.turn, mine, Skill(match.layout)) == advice
    assert "hand" not in given.state["board"]
    if unseen and unseen[0] not in str(given.state["board"]):
        assert f'"{unseen[0]}"' not in before[None].decode()


def test_no_public_state_or_fact_ever_names_a_card_that_is_not_laid() -> None:
    given, laid = game(3), set[str]()
    wild = given.state["board"]["wild"]
    for _ in range(51):
        card = hand(given, given.state["turn"]["seat"])[0]
        hidden = DECK - laid - {wild}
        assert not any(f'"{one}"' in given.encoded().decode() for one in hidden)
        outcome = given.add({"choose": card})
        laid.add(card)
        assert not any(one in str(outcome.facts).split("'") for one in hidden)
        given.play("MISS MISS MISS")
        if given.state["phase"] == "takeout":
            given.play("/")
    assert given.state["phase"] == "over"


def test_cards_belong_to_the_match_and_not_to_what_was_said() -> None:
    """Corrections, and somebody who leaves, deal nobody another hand."""
    given, again = game(3), game(3)
    for record, dart in ((given, "T20"), (again, "MISS")):
        for _ in range(18):
            lay(record)
            record.play(f"{dart} MISS MISS")
            if record.state["turn"]["visit"] < 18:
                record.play("/")
    before = [set(given.match.position.state.deck), given.match.position.state.hands]
    assert before == [set(again.match.position.state.deck), again.match.position.state.hands]
    given.play({"undo": True}, "D1 /")
    again.play("/")
    assert [set(hand(given, seat)) for seat in range(3)] == [set(hand(again, seat)) for seat in range(3)]
    gone, stays = game(4), game(4)
    gone.play({"retire": 3})
    assert [hand(gone, seat) for seat in range(3)] == [hand(stays, seat) for seat in range(3)]
    assert game(3, seed="another").match.position.state.hands != game(3).match.position.state.hands


def test_the_state_is_small_for_two() -> None:
    given = game(mode="dealt")
    assert max(len(given.encoded(seat)) for seat in (None, 0, 1)) < 4096
    assert len(game(cards="manual", wild=True).encoded()) < 4096


def test_advice_is_legal_and_takes_the_dearest_card() -> None:
    given = game(cards="manual")
    assert given.match.advice().answer in DECK
    given.play({"choose": "2H"})
    assert given.match.advice().aim == "T18"
    given.play("S18 S18 S18 /")
    assert given.match.advice().answer == "2C"  # doubles the 20
    dealt = game(3)
    answer = dealt.match.advice().answer
    assert answer in hand(dealt, 0)
    assert (
        dealt.match.game.advise(dealt.match.position.state, dealt.match.turn, 1, Skill(dealt.match.layout)).answer
        is None
    )
