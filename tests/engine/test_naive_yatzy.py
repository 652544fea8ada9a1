"""Yatzy-Dart against the scorer of naive_yatzy.py: three darts, thousands of matches, and one golden count."""

from __future__ import annotations

import copy
import random

import pytest

from engine.games import GAMES
from engine.games.yatzy_rows import Area, Options, values
from engine.match import Match
from engine.options import read_options
from engine.position import Position
from engine.record import Choose, Format, Next, Throw, read_header
from engine.referee import Referee
from protocol.layouts import layout
from tests.engine.effort import many
from tests.engine.naive_yatzy import ROWS, NaiveYatzy, worth
from tests.engine.records import header
from tests.sweep import sweep

FACE = layout("yatzy")
IDS = [segment.id for segment in FACE]


@pytest.mark.parametrize("seed", range(4))
def test_three_darts_are_valued_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(many(100, 2000)):
        darts = chance.choices(IDS, k=3)
        options = Options(
            star_in_chance=chance.random() < 0.5,
            straight=chance.choice(["any", "thrown"]),
            foul=chance.choice(["dart", "visit"]),
        )
        found = values(tuple(Area.of(FACE[dart]) for dart in darts), options)
        naive = worth(tuple(darts), options.star_in_chance, options.straight, options.foul)
        assert dict(zip(ROWS, found, strict=True)) == naive, darts


@pytest.mark.parametrize("seed", sweep(range(8), lambda seed: seed < 3))
def test_matches_are_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    pool = [*chance.sample(IDS, 9), "OFF", "NONE", "FOUL", "STAR", "456i"]
    shared = 0
    for _ in range(many(30, 520)):
        options = {
            "star_in_chance": chance.random() < 0.5,
            "straight": chance.choice(["any", "thrown"]),
            "rethrows": chance.choice([None, 0, 1, 2]),
            "foul": chance.choice(["dart", "visit"]),
        }
        sides = chance.choice([1, 1, 2, 3])
        naive, first = NaiveYatzy(options, sides), header("yatzy_dart", ("Ann", "Bo", "Cy")[:sides], options=options)
        match = Match(read_header(first), GAMES["yatzy_dart"], "oche")
        few = [*pool, *["NONE"] * chance.choice([0, 0, 60, 600])]
        while not naive.over:
            _visit(match, naive, few, chance)
            assert [match.score(side) for side in range(sides)] == naive.scores
        assert list(match.panel().detail) == naive.details
        assert (match.position.phase, list(match.position.winners)) == ("over", naive.winners)
        shared += len(naive.winners) > 1
    assert shared, "no tie was seen"


def _visit(match: Match, naive: NaiveYatzy, pool: list[str], chance: random.Random) -> None:
    """Thrown, or broken off by the button; any row is chosen."""
    while naive.left:
        assert (match.position.visit.number, match.position.visit.side) == (naive.visits, naive.side)
        assert match.position.visit.darts_left == naive.left
        if chance.random() < 0.05:
            assert match.apply(match.line + 1, Next()).accepted
            naive.darts += ["NONE"] * naive.left
            break
        naive.darts.append(chance.choice(pool))
        assert match.apply(match.line + 1, Throw(naive.darts[-1])).accepted
    (prompt,) = match.position.prompts
    assert (prompt.id, prompt.seat, prompt.blocking) == (f"row@{naive.visits}", naive.side, True)
    assert (list(prompt.options or ()), prompt.values) == (list(naive.values), naive.values)
    assert naive.values[prompt.default or ""] == max(naive.values.values())
    assert match.advice().answer in naive.values
    row = chance.choice(list(naive.values))
    naive.choose(row)
    assert match.apply(match.line + 1, Choose(row)).accepted
    if not naive.over:
        assert match.apply(match.line + 1, Next()).accepted


@pytest.mark.long
def test_perft() -> None:
    """How many ways five visits' first darts and rows can go; any change of who throws or what is asked changes it."""
    darts, rows, options = ("6i", "45m", "STAR", "OFF"), ("sixes", "two_pairs", "yatzy"), {"rethrows": 1}
    given = header("yatzy_dart", options=options)
    yatzy = GAMES["yatzy_dart"]
    rules = Referee(yatzy, read_options(yatzy, options), read_header(given).seating, FACE, "oche", Format())

    def leaves(position: Position, depth: int) -> list[tuple[tuple[int, ...], int]]:
        if position.phase == "takeout":
            position, _ = rules.next(position, 0)
        if not depth:
            return [(tuple(yatzy.score(position.state, side) for side in (0, 1)), position.visit.darts_left)]
        if position.blocking:
            after = [rules.choose(position, None, row)[0] for row in rows if row in (position.blocking.options or ())]
        else:
            after = [rules.throw(position, 0, dart)[0] for dart in darts]
        return [leaf for one in after for leaf in leaves(one, depth - 1)]

    def naive_leaves(naive: NaiveYatzy, depth: int) -> list[tuple[tuple[int, ...], int]]:
        if not depth:
            return [(tuple(naive.scores), naive.left)]
        found = []
        for step in [row for row in rows if row in naive.values] if not naive.left else darts:
            branch = copy.deepcopy(naive)
            if naive.left:
                branch.darts.append(step)
            else:
                branch.choose(step)
            found += naive_leaves(branch, depth - 1)
        return found

    found = leaves(rules.start()[0], 7)
    assert (len(found), len(set(found))) == (12288, 18)
    assert sorted(found) == sorted(naive_leaves(NaiveYatzy(options, 2), 7))
