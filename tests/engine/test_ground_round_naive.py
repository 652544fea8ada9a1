"""Ground Round against a naive scorer: thousands of matches thrown at random, and every match of a few darts."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from tests.engine.naive_ground_round import HEXES, SYMBOLS, NaiveGroundRound, name
from tests.engine.records import Record, header
from tests.engine.test_ground_round import LAYOUT, choose
from tests.engine.test_perft import perft, referee
from tests.sweep import many


def drawn(chance: Random) -> str:
    """A dart: mostly one that does something, now and then one that does not."""
    roll = chance.random()
    if roll < 0.12:
        return chance.choice([segment.id for segment in LAYOUT if "|" in segment.id])
    if roll < 0.2:
        return "MISS"
    if roll < 0.35:
        return chance.choice(["1,0!", "-1,0!", "0,0", "0,0"])
    if roll < 0.45:
        return chance.choice(["2,-2", "0,2", "-2,0"])
    if roll < 0.65:
        return chance.choice(["1,1", "-2,1", "1,-2", "2,-1", "-1,2", "-1,-1", "1,-1", "-1,1"])
    return chance.choice([segment.id for segment in LAYOUT if segment.outline])


def said(chance: Random, naive: NaiveGroundRound) -> dict[str, Any]:  # Any: JSON
    """What is said next."""
    open_now = naive.prompts()
    if open_now and (naive.phase == "deciding" or chance.random() < 0.35):
        prompt = chance.choice(list(open_now))
        return choose(chance.choice(open_now[prompt][1]), prompt)
    if naive.phase == "throwing" and chance.random() < 0.97:
        return {"throw": drawn(chance)}
    return {"next": True}


def settings(chance: Random) -> dict[str, Any]:  # Any: JSON
    return {
        "darts": chance.choice([3, 3, 1, 5]),
        "free_hexes_undefended": chance.random() < 0.2,
        "pin_on_free": chance.choice(["all", "enemies"]),
        "tower_reach": chance.choice(["adjacent", "territory"]),
        "cancel_misses": chance.random() < 0.7,
        "max_rounds": chance.choice([None, None, 3, 8]),
    }


def same_play(match: Record, naive: NaiveGroundRound) -> None:
    position = match.match.position
    visit = position.visit
    assert position.phase == naive.phase
    assert list(position.winners) == (naive.winners or [])
    asked = [(p.id, (p.seat, list(p.options or ()), p.default, p.blocking)) for p in position.prompts]
    assert asked == list(naive.prompts().items())
    if naive.winners is None:
        assert (visit.number, visit.side, visit.round) == (naive.number, naive.who, naive.round)
        assert visit.darts_left == naive.darts_left


def same_board(match: Record, naive: NaiveGroundRound) -> None:
    panel = match.match.panel()
    best = panel.board["best"]
    assert panel.board == {**naive.seen(), "best": best}
    if naive.winners is None:
        targets = [h for h in HEXES if naive.darts_left and naive.falls(h)]
        assert list(panel.targets) == [name(h) for h in targets]
        named = ([name(h) for h in targets if SYMBOLS[h] == sign] for sign in ("flag", "fist"))
        assert best == next(filter(None, named), [])
    for who in range(naive.players):
        pins = [pin for pin in naive.book["pins"] if pin["who"] == who]
        hand = sum(pin["at"] is None for pin in pins)
        assert match.match.score(who) == len(naive.owned(who, "flag"))
        assert panel.detail[who] == {"hexagons": len(naive.owned(who)), "in_hand": hand}
        assert len(pins) == len(naive.owned(who, "pin")) + (naive.book["owes"] == who), "as many pins as Pin hexagons"


@pytest.mark.long
def test_random_matches_come_out_as_the_naive_scorer_says() -> None:
    chance = Random(19)
    seen: Counter[str] = Counter()
    for _ in range(many(600, 4000)):
        options, players = settings(chance), chance.choice([2, 2, 3])
        match = Record(header("ground_round", ("Ann", "Bo", "Cy")[:players], options=options))
        naive = NaiveGroundRound(options, players)
        for step in range(chance.choice([10, 20, 50])):
            line = said(chance, naive)
            naive.say(line)
            outcome = match.add(line)
            assert outcome.accepted, (outcome.reason, match.journal)
            seen[line.get("prompt", "no").partition("@")[0]] += 1
            same_play(match, naive)
            if step % 4 == 3 or naive.winners is not None:
                same_board(match, naive)
            if naive.winners is not None:
                seen["by flags" if len(naive.owned(naive.winners[0], "flag")) == 3 else "by rounds"] += 1
                break
    assert all(seen[kind] > 3 for kind in ("hex", "cancel", "place", "move", "remove", "by flags", "by rounds")), seen


# One golden count: every dart of a small set in every order, every answer that must be given


def naive_perft(naive: NaiveGroundRound, darts: tuple[str, ...], depth: int) -> list[NaiveGroundRound]:
    if naive.phase == "takeout":
        naive.next()
    blocking = [(key, options) for key, (_, options, _, blocks) in naive.prompts().items() if blocks]
    if blocking:
        lines = [choose(answer, blocking[0][0]) for answer in blocking[0][1]]
    elif not depth or naive.winners is not None:
        return [naive]
    else:
        depth -= 1
        lines = [{"throw": dart} for dart in darts]
    found = []
    for line in lines:
        branch = copy.deepcopy(naive)
        branch.say(line)
        found += naive_perft(branch, darts, depth)
    return found


@pytest.mark.long
def test_the_count_of_all_matches_of_a_few_darts() -> None:
    darts, depth = ("1,-1", "1,1", "1,0!", "0,0|0,1", "MISS"), 5
    rules = referee("ground_round", {"darts": 2})
    leaves = perft(rules, rules.start()[0], darts, depth)
    seen = [_told(p.state.now.territory.owners, p.visit.side, p.visit.darts_left) for p in leaves]
    naive = naive_perft(NaiveGroundRound({"darts": 2}, 2), darts, depth)
    assert sorted(seen) == sorted(
        _told({name(h): who for h, who in one.book["owner"].items()}, one.who, one.darts_left) for one in naive
    )
    assert (len(seen), len(set(seen))) == (10968, 210)


def _told(owner: Mapping[str, int], side: int, left: int) -> tuple[Any, ...]:  # Any: JSON
    return (*sorted(owner.items()), ("", side), ("", left))
