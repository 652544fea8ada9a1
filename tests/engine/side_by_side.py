"""Matches played twice at once, by the engine and by a naive scorer; or played out by players who follow the advice."""

from __future__ import annotations

import random
from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from engine.games import expand_preset, game
from engine.match import Match
from engine.skill import Skill
from protocol.commands import Choose, Next, Throw
from protocol.layouts import find_layout
from protocol.match_spec import MatchSpec
from simulator.thrower import Thrower
from tests.engine.records import Record, header

PAIRS = ((0, 2), (1, 3))


def play_out(
    name: str, sigma_mm: float, seed: str, most: int, players: int = 2, teams: tuple[tuple[int, ...], ...] | None = None
) -> Match:
    """A match of this game or preset, to its end or until so many inputs were made."""
    header = expand_preset(MatchSpec(name, ("Ann", "Bo", "Cy", "Di")[:players], teams=teams, seed=seed))
    chosen = game(header.game)
    match = Match(header, chosen, seed)
    layout = find_layout(chosen.layouts[0])
    thrower, skill = Thrower(sigma_mm, Random(seed), layout), Skill(layout, sigma_mm)
    for line in range(2, most + 2):
        if match.position.over:
            break
        advice, prompts = match.advice(skill), match.position.prompts
        if match.position.phase == "takeout":
            outcome = match.apply(line, Next())
        elif prompts and (match.position.blocking or advice.answer):
            answer = advice.answer or prompts[0].default
            assert answer is not None, f"{name}: no advice what to answer to {prompts[0].text}"
            outcome = match.apply(line, Choose(answer, prompts[0].id))
        else:
            assert advice.aim is not None, f"{name}: no advice where to aim"
            outcome = match.apply(line, Throw(thrower.throw(advice.aim).segment.id))
        assert outcome.accepted, outcome.reason
    return match


TEAMS = ([[0]], [[0], [1]], [[0], [1], [2]], [[0, 2], [1]], [[2], [0, 1]])


class Naive(Protocol):
    """What a scorer written a second time can be asked."""

    side: int
    scores: list[int]
    over: bool
    winners: list[int]
    worth: int

    @property
    def seat(self) -> int:
        """Who throws."""

    @property
    def round(self) -> int:
        """Counts from 1."""

    def told(self, state: dict[str, Any]) -> None:
        """What the luck was, read off the board before a visit."""

    def visit(self, darts: list[str]) -> int:
        """Three darts; how many of them were thrown."""

    def detail(self, side: int) -> dict[str, Any]:
        """The figures of a side that it keeps, too."""


def people(teams: list[list[int]]) -> tuple[str, ...]:
    return ("Ann", "Bo", "Cy", "Di")[: 1 + max(seat for team in teams for seat in team)]


def play(
    game: str, naive: Naive, teams: list[list[int]], options: dict[str, Any], chance: random.Random, pick: Pick
) -> int:
    """The number of visits that the match took. `pick` says which three darts to throw in a state."""
    given = Record(header(game, people(teams), teams=teams, options=options))
    visits, state = 0, given.state
    while True:
        visits += 1
        assert (state["turn"]["side"], state["turn"]["seat"], state["round"]) == (naive.side, naive.seat, naive.round)
        naive.told(state)
        darts = pick(state, chance)
        thrown = chance.randrange(3) if chance.random() < 0.1 else 3
        darts = darts[:thrown] + ["MISS"] * (3 - thrown)
        side, used = naive.side, naive.visit(darts)
        for place, dart in enumerate(darts[:used]):
            assert given.match.position.phase == "throwing", f"{place} darts of {used}"
            given.feed({"throw": dart})
        state = given.state
        assert state["phase"] == ("over" if naive.over else "takeout")
        assert [side["score"] for side in state["sides"]] == naive.scores
        assert given.match.position.visit.points == naive.worth
        detail = naive.detail(side)
        assert {name: state["sides"][side]["detail"][name] for name in detail} == detail
        if naive.over:
            assert state["winners"] == naive.winners
            return visits
        state = given.play({"next": True})


Pick = Callable[[dict[str, Any], random.Random], list[str]]
