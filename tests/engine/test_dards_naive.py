"""Dards: how the tests drive its matches, a scorer written a second time, and that no player sees another's hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.games.dards import DardsState
from engine.skill import Skill
from tests.engine.naive import CLOCK
from tests.engine.records import Line, Record, header
from tests.sweep import many, sweep

PEOPLE = ("Ann", "Bo", "Cy", "Di", "Ed", "Fay")


def game(
    people: int = 2, teams: list[list[int]] | None = None, seed: str = "oche", **options: Any
) -> Record:  # Any: JSON
    more: dict[str, Any] = {"teams": teams} if teams else {}  # Any: JSON
    return Record({**header("dards", PEOPLE[:people], options=options, **more), "seed": seed})


def seen_by(given: Record, seat: int | None) -> dict[str, Any]:  # Any: JSON
    state: dict[str, Any] = msgspec.json.decode(given.encoded(seat))  # Any: JSON
    return state


def hand(given: Record, seat: int) -> list[str]:
    cards: list[str] = seen_by(given, seat)["board"]["hand"]
    return cards


def lay(given: Record, card: str | None = None) -> str:
    """Lays this card, or the first of the hand."""
    card = card or hand(given, given.state["turn"]["seat"])[0]
    given.play({"choose": card})
    return card


@pytest.mark.slow
@settings(max_examples=80, print_blob=True)
@examples(st.integers(0, 60), st.integers(0, 2), st.randoms(use_true_random=False))
def test_what_is_not_seen_changes_nothing_that_is(visits: int, mine: int, chance: random.Random) -> None:
    given = game(3, teams=[[1], [2], [0]])
    for _ in range(min(visits, 50)):
        lay(given, chance.choice(hand(given, given.state["turn"]["seat"])))
        given.feed("S20 S1 S18 /")
    if chance.random() < 0.5:
        lay(given)
    match = given.match
    before = {seat: given.encoded(seat) for seat in (None, mine)}
    state: DardsState = match.position.state
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


def test_no_public_state_or_fact_names_an_unlaid_card() -> None:
    given, laid = game(3), set[str]()
    wild = given.state["board"]["wild"]
    for _ in range(51):
        card = hand(given, given.state["turn"]["seat"])[0]
        hidden = DECK - laid - {wild}
        assert not any(f'"{one}"' in given.encoded().decode() for one in hidden)
        outcome = given.add({"choose": card})
        laid.add(card)
        assert not any(one in str(outcome.facts).split("'") for one in hidden)
        given.feed("MISS MISS MISS")
        if given.state["phase"] == "takeout":
            given.feed("/")
    assert given.state["phase"] == "over"


def test_cards_belong_to_the_match_and_not_to_what_was_said() -> None:
    """Corrections, and a player who leaves, deal no player another hand."""
    given, again = game(3), game(3)
    for record, dart in ((given, "T20"), (again, "MISS")):
        for _ in range(18):
            lay(record)
            record.feed(f"{dart} MISS MISS")
            if record.state["turn"]["visit"] < 18:
                record.feed("/")
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


DECK = {f"{rank}{suit}" for rank in ["A", *map(str, range(2, 11)), "J", "Q", "K"] for suit in "HDCS"}


class Naive:
    """The rules page as bookkeeping; it is told the cards, and does not know who holds which."""

    def __init__(self, sides: int, mode: str, wild: bool, options: dict[str, Any]) -> None:  # Any: JSON
        self.sides, self.options, self.wants_wild = sides, options, wild
        if mode == "rapid":
            self.rounds = [(51 if wild else 52) // sides]
        else:
            each = 51 // sides
            self.rounds = [each // 3] * 3
            for extra in range(each % 3):
                self.rounds[extra] += 1
        self.place, self.wild_rank = 0, ""
        self.top, self.original, self.times = "", "", 0
        self.total, self.this_round = [0] * sides, [0] * sides
        self.left = [self.rounds[0]] * sides
        self.order, self.waiting = list(range(sides)), list(range(sides))
        self.round, self.over = 0, False

    @property
    def side(self) -> int:
        return self.waiting[0]

    def draw_wild(self, card: str) -> None:
        self.wild_rank = card[:-1]
        self.move(card)

    def move(self, card: str) -> None:
        paces = {"A": self.options.get("ace", 1), "J": 11, "Q": 12, "K": 13}.get(card[:-1]) or int(card[:-1])
        for _ in range(paces):
            self.place += 1 if card[-1] in "HD" else -1
            self.place %= 20

    def lay(self, card: str) -> tuple[int, int]:
        self.move(card)
        rank = card[:-1]
        if rank in (self.wild_rank, self.original):
            self.times += 1
        else:
            self.original, self.times = rank, 1
        self.top = card
        self.left[self.side] -= 1
        return CLOCK[self.place], self.multiplier

    @property
    def multiplier(self) -> int:
        return max(self.times, 1) if self.options.get("double_up", True) else 1

    def throw(self, darts: list[str]) -> int:
        """Scores the visit. Whose turn it is then, and the new round, come with `next`."""
        worth = 0
        for dart in darts:
            if dart[1:] == str(CLOCK[self.place]):
                worth += CLOCK[self.place] * (3 if dart[0] == "T" else 2 if dart[0] == "D" else 1)
        worth *= self.multiplier
        self.total[self.side] += worth
        self.this_round[self.side] += worth
        self.over = len(self.waiting) == 1 and not any(self.left) and self.round == len(self.rounds) - 1
        return worth

    def next(self) -> None:
        self.waiting.pop(0)
        if self.waiting:
            return
        if not any(self.left):
            points = self.total if self.options.get("order") == "total" else self.this_round
            ranked: list[int] = []
            for value in sorted(set(points), reverse=True):
                ranked += [side for side in self.order if points[side] == value]
            self.order = ranked
            self.round += 1
            self.this_round = [0] * self.sides
            self.left = [self.rounds[self.round]] * self.sides
            if self.options.get("chain_resets"):
                self.top, self.original, self.times = "", "", 0
        self.waiting = list(self.order)


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 1))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance, highest = random.Random(seed), 0
    for number in range(many(16, 120)):
        people = chance.choice([2, 2, 3, 3, 4, 5, 6])
        options: dict[str, Any] = {}  # Any: JSON
        for name, values in (
            ("mode", ["rapid", "dealt"]),
            ("cards", ["shuffled", "manual"]),
            ("ace", [1, 14]),
            ("double_up", [True, True, False]),
            ("wild", [True, True, False]),
            ("chain_resets", [True, False]),
            ("order", ["round", "total"]),
        ):
            if chance.random() < 0.7:
                options[name] = chance.choice(values)
        mode = options.get("mode", "rapid" if people == 2 else "dealt")
        given = game(people, seed=f"{seed}/{number}", **options)
        naive = Naive(people, mode, options.get("wild", mode == "dealt"), options)
        highest = max(highest, _match(given, naive, chance))
    assert highest >= 4


def _match(given: Record, naive: Naive, chance: random.Random) -> int:
    """One match, the naive score beside it; the highest multiplier it saw. The better players like chains."""
    highest, manual = 0, naive.options.get("cards") == "manual"
    unlaid = set(DECK)
    if naive.wants_wild:
        wild = chance.choice(sorted(DECK)) if manual else given.state["board"]["wild"]
        if manual:
            given.feed({"choose": wild})
        naive.draw_wild(wild)
        unlaid.remove(wild)
    while True:
        state = given.state
        assert state["turn"]["side"] == naive.side
        card = state["board"]["card"] if state["phase"] == "throwing" else _choice(given, naive, chance)
        unlaid.remove(card)
        target, times = naive.lay(card)
        highest = max(highest, times)
        board = given.state["board"]
        assert (board["target"], board["multiplier"], board["card"]) == (target, times, card)
        assert board["cards_left"] == len(unlaid)
        assert given.state["targets"] == [str(target)]
        darts = [
            f"{chance.choice('SDTIO')}{target}" if chance.random() < 0.5 else chance.choice(["S20", "DB", "T5", "MISS"])
            for _ in range(3 if chance.random() < 0.95 else chance.randrange(3))
        ]
        state = given.play(" ".join(darts))
        worth = naive.throw(darts)
        assert [side["score"] for side in state["sides"]] == naive.total
        assert [side["detail"] for side in state["sides"]] == [
            {"round_points": points, "cards": cards} for points, cards in zip(naive.this_round, naive.left, strict=True)
        ]
        if state["phase"] != "over":
            state = given.play("/")
            assert state["phase"] == "over" or state["last"]["points"] == worth
        assert (state["phase"] == "over") == naive.over
        if naive.over:
            assert state["winners"] == [n for n, total in enumerate(naive.total) if total == max(naive.total)]
            return highest
        naive.next()


def _choice(given: Record, naive: Naive, chance: random.Random) -> str:
    """A card for the open question: of a rank that goes on with the chain when there is one, or any."""
    (prompt,) = seen_by(given, given.state["turn"]["seat"])["prompts"]
    likes = [card for card in prompt["options"] if card[:-1] in (naive.original, naive.wild_rank)]
    card: str = chance.choice(likes or prompt["options"])
    given.play({"choose": card, "prompt": prompt["id"]})
    return card


def test_a_golden_count() -> None:
    """Every choice of the first two cards of a dealt match, and a dart in one of three numbers after each."""
    seen: Counter[tuple[Any, ...]] = Counter()  # Any: a state

    def play(lines: list[Line], visits: int) -> None:
        given = game(3)
        given.feed(*lines)
        if not visits:
            state = given.match.position.state
            seen[state.totals, state.pile.target, state.pile.length] += 1
            return
        for card in hand(given, given.state["turn"]["seat"]):
            for dart in ("T20", "S8", "D11"):
                visit: list[Line] = [{"choose": card}, {"throw": dart}, {"next": True}]
                play([*lines, *visit], visits - 1)

    play([], 2)
    naive: Counter[tuple[Any, ...]] = Counter()  # Any: the same, scored a second time
    given = game(3)
    wild, hands = given.state["board"]["wild"], [hand(given, seat) for seat in range(2)]
    for one in hands[0]:
        for two in hands[1]:
            for first in ("T20", "S8", "D11"):
                for second in ("T20", "S8", "D11"):
                    other = Naive(3, "dealt", True, {})
                    other.draw_wild(wild)
                    for card, dart in ((one, first), (two, second)):
                        other.lay(card)
                        other.throw([dart])
                        other.next()
                    naive[tuple(other.total), CLOCK[other.place], other.times] += 1
    assert seen == naive
    assert (seen.total(), len(seen)) == (324, 20)
