"""The games of the manuals of home boards against the scorer written a second time."""

from __future__ import annotations

import random

import pytest

from engine.games import GAMES as RULES
from tests.engine import naive_boards as naive
from tests.engine.records import Record, header
from tests.engine.test_races_naive import TEAMS, play_visit
from tests.sweep import sweep

MATCHES = 10
"""So many a seed."""


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
@pytest.mark.parametrize("name", naive.GAMES)
def test_it_is_scored_as_the_rules_say(name: str, seed: int) -> None:
    chance, ended, drawn = random.Random(f"{name} {seed}"), 0, set[str]()
    for _ in range(MATCHES):
        options = {option: chance.choice(values) for option, values in naive.OPTIONS[name].items()}
        teams = chance.choice([t for t in TEAMS if len(t) in RULES[name].sides])
        if name == "football_field" and not options["draw"] and chance.random() < 0.5:
            options["fields"] = [chance.choice([20, 11, 6]) for _ in teams]
        people = ("Ann", "Bo", "Cy")[: max(max(team) for team in teams) + 1]
        given = Record(header(name, people, teams=teams, options=options))
        game = naive.GAMES[name](options, len(teams))
        if isinstance(game, naive.FootballField):
            game.fields = [int(course[0][1:]) for course in given.match.position.state.courses]
        turns = [0] * len(teams)
        for _ in range(150):
            if game.over:
                break
            play_visit(given, game, teams, turns, chance)
            if isinstance(game, naive.BigSix):
                drawn |= follow_target(given, game)
        ended += game.over
    assert ended > MATCHES * 0.6, "too few matches came to their end"
    assert bool(drawn) == ("drawn" in naive.OPTIONS[name].get("third", ())), "no target was drawn"


def follow_target(given: Record, game: naive.BigSix) -> set[str]:
    """The target that was drawn in this visit, with which the game goes on; where none was, it is the expected one."""
    shown = given.state["board"]["target"]
    if not game.is_drawn:
        assert {"bull": "25"}.get(shown, shown) == game.target
        return set()
    assert shown in game.drawable
    game.target, game.is_drawn = shown, False
    return {shown}
