"""How players are seeded: by their average of 90 days, or by their rating."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

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


async def read_strengths(worker: WorkerProcess, spec: TournamentSpec, names: Sequence[str]) -> dict[str, Strength]:
    """What is known of these players in the game of a tournament: the average (marks for cricket), and the rating.

    Those of whom nothing is known are not in it; nobody is where the history cannot be read. The rating is that of
    matches as the tournament has them: of two people, or of teams.
    """
    since = (datetime.now().astimezone() - timedelta(days=_DAYS)).date().isoformat()
    match = expand_preset(MatchSpec(spec.game, (), dict(spec.options)))
    chosen = game(match.game)
    played = variant(chosen, read_options(chosen, dict(match.options)))
    method = "glicko2" if spec.side == 1 and not spec.slots else "plackett_luce"
    found: dict[str, Strength] = {}
    with suppress(UserError):  # the statistics tell of it
        await worker.read(ReadHistory())
        figures = msgspec.json.decode(await worker.read(requests.ListFigures(match.game, since)), type=_Figures)
        ratings = msgspec.json.decode(await worker.read(requests.ReadRatings(played)), type=_Ratings)
        rated = {
            name_key(each.name): each.rating
            for listed in ratings.games
            if (listed.variant, listed.method) == (played, method)
            for each in listed.players
            if each.matches >= _FEWEST_MATCHES
        }
        thrown = {name_key(each.name): each for each in figures.players if each.value is not None}
        nothing = _Player("")
        for name in names:
            each, rating = thrown.get(name_key(name), nothing), rated.get(name_key(name))
            if each is not nothing or rating is not None:
                found[name] = Strength(each.value, each.value_darts, rating)
    return found
