"""A match played twice at once, by the engine and by a naive scorer, visit by visit, until both say it is over."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from tests.engine.records import Record, header

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
            given.play({"throw": dart})
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
