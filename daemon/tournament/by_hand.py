"""The results that organisers have entered, for the seasons of a league: no record of a match tells them.

What stands of them is told again after each start, for tournaments that go on or ended lately: whoever hears it knows
by itself what is new. At the end of a tournament it is told that nothing was entered, too: another daemon may have had
the same tournament, and told otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Literal

from msgspec import UNSET, UnsetType

from daemon.part import Part
from daemon.tournament.desk import Desk
from daemon.tournament.open_tournament import OpenTournament
from engine.tournament.fixtures import Outcome
from engine.tournament.state import Tournament
from protocol.commands import CommandError
from protocol.league_messages import MOST_RESULTS, ResultByHand
from protocol.tournament import TournamentView

Results = tuple[ResultByHand, ...]
_SINCE_S = 30 * 24 * 3600
"""What ended before is told only if it changes."""


class ResultsByHand(Part):
    """A Part that tells the results of the tournaments of this desk: the id, the latest line, and all that stand."""

    def __init__(self, desk: Desk, tell: Callable[[str, int, Results], None]) -> None:
        self._desk = desk
        self._tell = tell
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        desk.subscribe(self._take)

    def _take(self, view: TournamentView) -> None:
        self._changed.add(view.id)
        self._wake.set()

    async def run(self) -> None:
        """Tells them until cancelled."""
        self._changed |= self._desk.list_since(time.time() - _SINCE_S)
        while True:
            self._wake.clear()
            while self._changed:
                with suppress(CommandError):  # one that cannot be read is told by the desk
                    found = await self._desk.find(self._changed.pop())
                    if found.has_entered or found.is_over:
                        self._tell(found.id, found.view.line, list_results(found))
            await self._wake.wait()


def list_results(found: OpenTournament) -> Results:
    """Returns the results that stand as the organiser has entered them, and which matches have none any more."""
    return tuple(islice(_list_results(found.tournament), MOST_RESULTS))


def _list_results(tournament: Tournament) -> Iterator[ResultByHand]:
    for match in (*tournament.fixtures.by_id, *tournament.fixtures.parts):
        outcome, play, sides = tournament.find_outcome(match), tournament.play(match), tournament.find_sides(match)
        void = play.attempt - 1 if play.active else play.attempt
        if outcome is not None and outcome.by_hand:
            yield _make_result(match, outcome)
        elif outcome is None and (gone := tournament.resolved.get(match)) is not None and gone.how == "walkover":
            yield _make_result(match, Outcome(gone.sides, gone.winner, walkover=True))
        elif outcome is None and void > 0 and min(sides) > 0:
            yield ResultByHand(match, sides, void=void)


def _make_result(match: str, outcome: Outcome) -> ResultByHand:
    winner: Literal[0, 1] | UnsetType = UNSET
    if outcome.winner is not None:
        winner = 0 if outcome.winner == outcome.sides[0] else 1
    return ResultByHand(match, outcome.sides, winner, outcome.legs, outcome.sets, outcome.walkover)
