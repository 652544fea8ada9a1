"""Scoring and race games, and those of the manuals of home boards, against scorers written a second time.

Random matches must come out the same. Half of the darts are aimed at what is needed, so that matches end, scores meet
and targets are passed. The random numbers are seeded.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games import GAMES as RULES
from tests.engine import naive_boards as boards
from tests.engine import naive_races as naive
from tests.engine.naive import ANYWHERE
from tests.engine.records import Record, header
from tests.engine.test_perft import naive_perft, perft, referee
from tests.sweep import sweep

TEAMS = ([[0], [1]], [[0], [1], [2]], [[0, 2], [1]], [[2], [1, 0]])

OPTIONS: dict[str, dict[str, list[Any]]] = {  # Any: JSON
    "count_up": {
        "rounds": [1, 2, 3], "bull": ["25/50", "50/50"], "target": [None, None, 100, 301],
        "tie": ["share", "one_more_round", "one_dart"],
    },
    "low_ball": {"rounds": [1, 2], "bull": ["25/50", "50/50"], "miss": [0, 60], "tie": ["share", "one_more_round"]},
    "around_the_world": {"points": ["marks", "value"]},
    "darts_at": {"target": ["20", "1", "bull"], "rounds": [1, 3]},
    "round_the_clock": {
        "ring": ["any", "any", "single", "double", "triple"],
        "start": [1, 15, 18, 20],
        "order": ["up", "down", "random"],
        "bull": ["none", "any", "inner"],
        "skip": [False, True],
        "finish": ["first", "equal_turns", "share"],
        "rounds": [None, 1, 5],
    },
    "gotcha": {
        "target": [101, 180, 301],
        "overage": ["bust", "subtract"],
        "strike": ["dart", "visit"],
        "bull": ["25/50", "50/50"],
        "rounds": [None, 2, 20],
    },
    "all_fives": {"target": [51, 61], "must_score": ["last", "every"], "end": ["pass", "exact"]},
    "football": {"goals": [1, 3, 10], "bull": ["any", "inner"], "rounds": [None, 1, 4]},
    "snooker": {
        "nominate": [False, True], "fouls": [False, True], "visit": ["break", "three"], "tie": ["black", "share"],
    },
    **boards.OPTIONS,
}  # fmt: skip
SCORERS = {**naive.GAMES, **boards.GAMES}
MATCHES = {**dict.fromkeys(boards.GAMES, 10), "around_the_world": 2, "all_fives": 8, "snooker": 10}
"""So many a seed; twenty of the others."""


def aimed(game: naive.Race, chance: random.Random) -> str:
    """A dart at what this game asks for now, or anywhere."""
    if chance.random() < (0.1 if isinstance(game, naive.AllFives) else 0.35):
        return chance.choice(ANYWHERE)
    match game:
        case naive.CountUp() | naive.LowBall():
            return chance.choice(["MISS", "S1", "T1", "SB", "DB", "S20"])
        case naive.AroundTheWorld():
            return number(25 if game.round == 21 else game.round, "SDTIO", chance)
        case naive.DartsAt():
            return number(25 if game.options["target"] == "bull" else int(game.options["target"]), "SDT", chance)
        case naive.RoundTheClock():
            steps = game.steps()
            return number(steps[min(game.score[game.side], len(steps) - 1)], "SDTIO", chance)
        case naive.Gotcha():
            others = [score for side, score in enumerate(game.score) if side != game.side]
            gap = chance.choice([game.options["target"], *others]) - game.score[game.side]
            exact = [dart for dart in ANYWHERE if naive.value(dart, game.options["bull"]) == gap]
            return chance.choice(exact or ["T20", "T20", "MISS", "S7"])
        case naive.AllFives():
            return chance.choice(["S20", "S15", "S5", "T5", "D10", "SB", "DB", "D20", "T20"])
        case naive.Football():
            return chance.choice(["D20", "D1", "DB", "SB", "T20"])
        case naive.Snooker():
            reds = sorted(game.reds)
            named = [game.named] if game.named else [16, 17, 18, 19, 20, 25]
            ball = chance.choice(named if game.after_red else reds or game.colours[:1])
            return number(ball, "SDTIO", chance)
    return game.aim(chance)


def number(wanted: int, rings: str, chance: random.Random) -> str:
    return chance.choice(["SB", "DB"]) if wanted == 25 else f"{chance.choice(rings)}{wanted}"


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
@pytest.mark.parametrize("name", OPTIONS)
def test_it_is_scored_as_the_rules_say(name: str, seed: int) -> None:
    chance, ended, drawn = random.Random(f"{name} {seed}"), 0, set[str]()
    matches = MATCHES.get(name, 20)
    for _ in range(matches):
        options = {option: chance.choice(values) for option, values in OPTIONS[name].items()}
        teams = chance.choice([t for t in TEAMS if len(t) in RULES[name].sides])
        if name == "football_field" and not options["draw"] and chance.random() < 0.5:
            options["fields"] = [chance.choice([20, 11, 6]) for _ in teams]
        people = ("Ann", "Bo", "Cy")[: max(max(team) for team in teams) + 1]
        given = Record(header(name, people, teams=teams, options=options))
        game = SCORERS[name](options, len(teams))
        if isinstance(game, naive.RoundTheClock) and options["order"] == "random":
            game.numbers = [int(step) for step in given.state["board"]["steps"] if step != "B"]
            assert sorted(game.numbers) == list(range(options["start"], 21))
        if isinstance(game, boards.FootballField):
            game.fields = [int(course[0][1:]) for course in given.match.position.state.courses]
        turns = [0] * len(teams)
        for _ in range(150):
            if game.over:
                break
            play_visit(given, game, teams, turns, chance)
            if isinstance(game, boards.BigSix):
                drawn |= follow_target(given, game)
        ended += game.over
    assert ended > matches * 0.6, "too few matches came to their end"
    assert bool(drawn) == ("drawn" in OPTIONS[name].get("third", ())), "no target was drawn"


def follow_target(given: Record, game: boards.BigSix) -> set[str]:
    """The target that was drawn in this visit, with which the game goes on; where none was, it is the expected one."""
    shown = given.state["board"]["target"]
    if not game.is_drawn:
        assert {"bull": "25"}.get(shown, shown) == game.target
        return set()
    assert shown in game.drawable
    game.target, game.is_drawn = shown, False
    return {shown}


def play_visit(
    given: Record, game: naive.Race, teams: list[list[int]], turns: list[int], chance: random.Random
) -> None:
    side, turn = game.side, given.state["turn"]
    seat = teams[side][turns[side] % len(teams[side])]
    assert (turn["side"], turn["seat"], given.state["round"]) == (side, seat, game.round)
    turns[side] += 1
    wanted = chance.randrange(game.allowed) if chance.random() < 0.1 else game.allowed
    answer(given, game, chance)
    while not game.ended and len(game.darts) < wanted:
        dart = aimed(game, chance)
        game.throw(dart)
        given.feed({"throw": dart})
        if not game.over:
            answer(given, game, chance)
        assert_same(given, game)
    if game.over:
        return
    game.next()
    state = given.play({"next": True})
    assert_same(given, game, closed=True)
    if not game.over:
        assert state["last"]["side"] == side


def answer(given: Record, game: naive.Race, chance: random.Random) -> None:
    """The colour that is asked for, if one is."""
    asked = isinstance(game, naive.Snooker) and game.asks
    assert asked == (given.state["phase"] == "deciding")
    if isinstance(game, naive.Snooker) and asked:
        game.named = chance.choice(list(game.worth))
        given.feed({"choose": "bull" if game.named == 25 else str(game.named)})


def assert_same(given: Record, game: naive.Race, closed: bool = False) -> None:
    state = given.state
    assert [side["score"] for side in state["sides"]] == game.score
    assert state["winners"] == (game.winners or [])
    assert (state["phase"] == "over") == game.over
    assert given.match.position.visit.points == game.points
    if not closed and not game.over:
        assert (state["phase"] == "takeout") == game.ended
    if isinstance(game, naive.Snooker):
        assert [side.highs.get("break", 0) for side in given.match.turn.tallies] == game.highest
    if isinstance(game, naive.Football):
        assert [side["detail"]["ball"] for side in state["sides"]] == [n == game.ball for n in range(2)]


COUNTS: dict[str, tuple[dict[str, Any], tuple[str, ...], int, int, int]] = {  # Any: JSON
    "count_up": ({"target": 100}, ("T20", "S20", "SB", "MISS"), 5, 487, 85),
    "low_ball": ({"rounds": 1, "tie": "one_more_round"}, ("S1", "D1", "DB", "MISS"), 5, 1024, 200),
    "around_the_world": ({}, ("S1", "T1", "D2", "MISS"), 5, 1024, 54),
    "darts_at": ({"rounds": 1}, ("S20", "T20", "MISS"), 5, 243, 54),
    "round_the_clock": ({"start": 18, "skip": True, "bull": "inner"}, ("S18", "T18", "D19", "S20", "DB"), 4, 569, 10),
    "gotcha": ({"target": 101, "overage": "subtract"}, ("DB", "SB", "S1", "T20", "MISS"), 4, 613, 94),
    "all_fives": ({"end": "exact"}, ("T20", "S7", "S18", "MISS"), 5, 1024, 6),
    "football": ({"goals": 2}, ("DB", "SB", "D20", "MISS"), 5, 904, 5),
    "snooker": ({"fouls": True}, ("S1", "T2", "DB", "S16", "MISS"), 4, 625, 99),
}
"""Options, darts and how many: all their orders come to so many matches, so many of them different."""


@pytest.mark.parametrize("name", COUNTS)
def test_a_golden_count(name: str) -> None:
    options, darts, depth, leaves, distinct = COUNTS[name]
    rules = referee(name, dict(options))
    found = perft(rules, rules.start()[0], darts, depth)
    seen = sorted((tuple(rules.game.score(p.state, side) for side in range(2)), p.winners) for p in found)
    again = naive_perft(naive.GAMES[name](dict(options), 2), darts, depth)
    assert seen == sorted((tuple(one.score), tuple(one.winners or ())) for one in again)
    assert (len(seen), len(set(seen))) == (leaves, distinct)
