"""One golden count a game: how many matches a few darts can make, from every dart of a small set in every order.

Any change of a rule (a bust, a halving, who throws next, when it ends) changes the count. The numbers were counted a
second time with scorers written a second time, and still are.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.games import GAMES
from engine.options import read_options
from engine.position import Position
from engine.referee import Referee
from protocol.commands import Throw
from protocol.layouts import find_layout
from protocol.match_spec import Format, read_header
from tests.engine.naive_x01 import NaiveX01
from tests.engine.records import header
from tests.sweep import sweep


def referee(game: str, options: dict[str, Any]) -> Referee:  # Any: JSON
    """Of this game between two, on the layout it was made for."""
    rules, seating = GAMES[game], read_header(header(game)).seating
    layout = find_layout(rules.layouts[0])
    return Referee(rules, read_options(rules, options), seating, layout, "oche", Format())


def perft(rules: Referee, position: Position, darts: tuple[str, ...], depth: int) -> list[Position]:
    """The positions after so many darts, or at an end before; `next` comes by itself, a question has every answer."""
    if position.phase == "takeout":
        position, _ = rules.next(position, 0)
    if question := position.blocking:
        after = [rules.choose(position, question.id, answer)[0] for answer in question.options or ()]
    elif not depth or position.over:
        return [position]
    else:
        depth -= 1
        after = [rules.throw(position, 0, Throw(dart))[0] for dart in darts]
    return [leaf for one in after for leaf in perft(rules, one, darts, depth)]


def naive_perft(naive: Any, darts: tuple[str, ...], depth: int) -> list[Any]:  # Any: a scorer written a second time
    """The same of such a scorer."""
    if naive.ended and not naive.over:
        naive.next()
    if not depth or naive.over:
        return [naive]
    found = []
    for dart in darts:
        branch = copy.deepcopy(naive)
        branch.throw(dart)
        found += naive_perft(branch, darts, depth - 1)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "leaves", "distinct"),
    sweep(
        [
            ({"start": 101}, 3376, 122),
            ({"start": 101, "out": "straight", "in": "double"}, 3301, 31),
            ({"start": 101, "out": "master", "bull": "50/50"}, 2860, 122),
            ({"start": 101, "out": "master", "finish": "equal_turns", "tie": "one_more_round"}, 3328, 131),
        ],
        lambda case: len(case[0]) in {1, 4},
    ),
)
def test_x01(options: dict[str, Any], leaves: int, distinct: int) -> None:  # Any: JSON
    darts, depth = ("T17", "DB", "S1", "MISS"), 6
    rules = referee("x01", options)
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.scores, p.state.opened, p.over, p.visit.side, p.visit.darts_left) for p in found]
    assert (len(seen), len(set(seen))) == (leaves, distinct)
    naive = naive_perft(NaiveX01(options, [[0], [1]]), darts, depth)
    assert sorted(scores for scores, *_ in seen) == sorted(tuple(one.left) for one in naive)
