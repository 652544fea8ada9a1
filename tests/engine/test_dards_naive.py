"""Dards against the scorer written a second time: random matches, and one golden count of what two cards come to."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.engine.effort import many
from tests.engine.naive_dards import DECK, WHEEL, Naive
from tests.engine.records import Line, Record
from tests.engine.tables_of_dards import game, hand, seen_by
from tests.sweep import sweep


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 2))
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
            given.play({"choose": wild})
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
        given.play(*lines)
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
                    naive[tuple(other.total), WHEEL[other.place], other.times] += 1
    assert seen == naive
    assert (seen.total(), len(seen)) == (324, 20)
