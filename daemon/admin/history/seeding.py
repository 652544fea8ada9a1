"""How players are seeded by what they have thrown lately: until there are ratings, their average of 90 days."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from daemon.admin import requests
from daemon.admin.process import ReadHistory, WorkerProcess
from daemon.errors import UserError
from engine.games import expand_preset
from protocol.match_spec import MatchSpec
from protocol.player_names import name_key
from protocol.tournament import TournamentSpec

_DAYS = 90


class _Player(Struct):
    """What is read of a line of the statistics: the figure of the variant that was played most, and its darts."""

    name: str
    value: float | None = None
    value_darts: int = 0


class _Figures(Struct):
    players: list[_Player]


async def read_averages(
    worker: WorkerProcess, spec: TournamentSpec, names: tuple[str, ...]
) -> dict[str, tuple[float, int]]:
    """The averages (marks for cricket) of these players in the game of a tournament, and from how many darts.

    Those who have not played it in 90 days are not in it; nobody is where the history cannot be read.
    """
    since = (datetime.now().astimezone() - timedelta(days=_DAYS)).date().isoformat()
    chosen = expand_preset(MatchSpec(spec.game, (), dict(spec.options))).game
    with suppress(UserError):  # the statistics tell of it
        await worker.read(ReadHistory())
        found = msgspec.json.decode(await worker.read(requests.ListFigures(chosen, since)), type=_Figures)
        wanted = {name_key(name): name for name in names}
        return {
            wanted[name_key(each.name)]: (each.value, each.value_darts)
            for each in found.players
            if name_key(each.name) in wanted and each.value is not None
        }
    return {}
