"""How players are seeded: by their average of 90 days, or by their rating."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from math import inf
from time import monotonic
from typing import NamedTuple

import msgspec
from msgspec import Struct

from daemon.admin import requests
from daemon.admin.process import ReadHistory, WorkerProcess
from daemon.errors import UserError
from daemon.tournament.rating import Strength
from engine.games import expand_preset, game, variant
from engine.options import read_options
from protocol.match_spec import MatchSpec
from protocol.player_names import name_key
from protocol.tournament import TournamentSpec

_DAYS = 90
_FEWEST_MATCHES = 5
"""A rating of fewer seeds nobody."""
_FRESH_S = 60.0


class _Player(Struct):
    """What is read of a line of the statistics: the figure of the variant that was played most, and its darts."""

    name: str
    value: float | None = None
    value_darts: int = 0


class _Figures(Struct):
    players: list[_Player]


class _Rated(Struct):
    name: str
    rating: float
    matches: int


class _List(Struct):
    variant: str
    method: str
    players: list[_Rated]


class _Ratings(Struct):
    games: list[_List]


class _Known(NamedTuple):
    """By the keys of names: the figures of those who have some, and the ratings of those who have one."""

    figures: Mapping[str, _Player]
    ratings: Mapping[str, float]


class StrengthReader:
    """Reads what is known of players. Those who enter within a minute have it from one reading, which may take long."""

    def __init__(self, worker: WorkerProcess) -> None:
        self._worker = worker
        self._of = b""
        """What the latest reading is for."""
        self._reading: asyncio.Task[_Known] | None = None
        self._read_s = -inf
        """When the latest reading ended."""

    async def read(self, spec: TournamentSpec, names: Sequence[str]) -> dict[str, Strength]:
        """What is known of these players in the game of a tournament: the average (marks for cricket), and the rating.

        Those of whom nothing is known are not in it; nobody is where the history cannot be read. The rating is that of
        matches as the tournament has them: of two people, or of teams. A reading goes on when the caller gives up.
        """
        of = msgspec.json.encode((spec.game, spec.options, spec.side, bool(spec.slots), spec.seeding))
        is_old = self._reading is None or (self._reading.done() and monotonic() >= self._read_s + _FRESH_S)
        if self._reading is None or is_old or of != self._of:
            self._of, self._reading = of, asyncio.create_task(self._read(spec))
        known = await asyncio.shield(self._reading)
        found = {}
        for name in names:
            figures, rating = known.figures.get(name_key(name), _Player("")), known.ratings.get(name_key(name))
            if figures.value is not None or rating is not None:
                found[name] = Strength(figures.value, figures.value_darts, rating)
        return found

    async def _read(self, spec: TournamentSpec) -> _Known:
        known = _Known({}, {})
        with suppress(UserError):  # the statistics tell of it
            known = await _read_known(self._worker, spec)
        self._read_s = monotonic()
        return known


async def _read_known(worker: WorkerProcess, spec: TournamentSpec) -> _Known:
    """Raises UserError."""
    since = (datetime.now().astimezone() - timedelta(days=_DAYS)).date().isoformat()
    match = expand_preset(MatchSpec(spec.game, (), dict(spec.options)))
    chosen = game(match.game)
    played = variant(chosen, read_options(chosen, dict(match.options)))
    method = "glicko2" if spec.side == 1 and not spec.slots else "plackett_luce"
    await worker.read(ReadHistory())
    figures = msgspec.json.decode(await worker.read(requests.ListFigures(match.game, since)), type=_Figures)
    ratings = _Ratings([])
    if spec.seeding == "rating":
        ratings = msgspec.json.decode(await worker.read(requests.ReadRatings(played)), type=_Ratings)
    rated = {
        name_key(each.name): each.rating
        for listed in ratings.games
        if (listed.variant, listed.method) == (played, method)
        for each in listed.players
        if each.matches >= _FEWEST_MATCHES
    }
    return _Known({name_key(each.name): each for each in figures.players if each.value is not None}, rated)
