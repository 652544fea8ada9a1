"""The bull-off against what it is about: the zones of all players' darts, compared from the first one on."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from engine.games import GAMES, ORDERS
from tests.engine.records import Record, header

PEOPLE = ("Ann", "Bo", "Cy", "Di", "Eve", "Flo")
ZONES = (("DB",), ("SB",), ("I20", "S3", "I7"), ("T20", "T1"), ("O20", "O11"), ("D20", "D1"), ("MISS",))


def began(players: int = 2, **more: Any) -> Record:  # Any: JSON
    return Record(header("bull_off", PEOPLE[:players], **more))


@pytest.mark.parametrize("seed", range(40))
def test_the_side_with_the_nearer_zone_throws_first(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(2, len(PEOPLE))
    given, thrown, rounds = began(count), [list[int]() for _ in range(count)], list[list[int]]([])
    while given.state["phase"] != "over":
        state = given.state
        if state["phase"] == "takeout":
            given.feed({"next": True})
            continue
        side = state["turn"]["side"]
        if state["round"] > len(rounds):
            rounds.append([])
        rounds[-1].append(side)
        zone = chance.choice((0, 1, 2, 2, 3, 4, 5, 6))
        thrown[side].append(zone)
        given.feed({"throw": chance.choice(ZONES[zone])})
    assert given.state["board"]["order"] == sorted(range(count), key=lambda side: thrown[side])
    assert len({tuple(zones) for zones in thrown}) == count, "no two are level"
    assert rounds[0] == list(range(count))
    for number, order in enumerate(rounds[1:], 2):
        for one, other in pairwise(order):
            are_level = thrown[one][: number - 1] == thrown[other][: number - 1]
            before = rounds[number - 2]
            assert not are_level or before.index(one) > before.index(other), "in reverse order"
        alone = [side for side in range(count) if side not in order]
        assert all(thrown[side][: number - 1] != thrown[other][: number - 1] for side in alone for other in order)


def test_the_match_it_decides_is_told_with_the_order_so_far() -> None:
    game, then = GAMES[ORDERS["bull"]], {"game": "x01", "options": {"start": 301}}
    given = began(3, options={"then": then})
    orders = []
    for dart in ("SB", "MISS", "SB", "DB", "T1"):
        given.feed({"throw": dart})
        sequel = game.sequel(given.match.options, given.match.position.state)
        assert sequel is not None
        assert sequel.header == then
        orders.append(sequel.order)
        if given.state["phase"] == "takeout":
            given.feed({"next": True})
    assert orders == [(0, 1, 2), (0, 1, 2), (0, 2, 1), (0, 2, 1), (2, 0, 1)]
    alone = began()
    assert game.sequel(alone.match.options, alone.match.position.state) is None
