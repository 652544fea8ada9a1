"""Who meets whom in a season, where and on which match day: it follows from the season alone.

The rounds are those of a round robin (engine/tournament/rotation.py): the first of a pair is at home, so nobody is at
home more than once more often than away in a half, and never in a whole season of two halves.
"""

from __future__ import annotations

import base64
from hashlib import sha256

from msgspec import Struct

from engine.tournament.rotation import list_rounds
from protocol.season import Division, SeasonSide, SeasonSpec

FIRST_ENTRANT = 2
"""The line of a tournament that enters the first side, who is known by it."""
WHOLE_DAY = 0
"""In place of the number of a fixture: all of a match day."""


class SeasonFixture(Struct, frozen=True):
    """A fixture. All numbers count from 1; `home` and `away` are places among the sides of the division.

    It is played as the tournament `tournament` of its own, or in `day_tournament` with all others of that day; its
    match there is `match` or `day_match`.
    """

    division: int
    day: int
    number: int
    home: int
    away: int
    tournament: str
    day_tournament: str

    @property
    def id(self) -> str:
        """By which commands and inputs name it."""
        return f"{self.division}-{self.day}-{self.number}"

    @property
    def match(self) -> str:
        """Its match in the tournament of its own."""
        return "round-1-1"

    @property
    def entrants(self) -> tuple[int, int]:
        """By what the tournament of its own knows its sides, the home side first."""
        return FIRST_ENTRANT, FIRST_ENTRANT + 1

    @property
    def day_entrants(self) -> tuple[int, int]:
        """By what the tournament of the whole day knows them."""
        first = FIRST_ENTRANT + 2 * (self.number - 1)
        return first, first + 1

    @property
    def day_match(self) -> str:
        """Its match in the tournament of the whole day."""
        return f"round-1-{self.number}"


def list_fixtures(spec: SeasonSpec) -> tuple[SeasonFixture, ...]:
    """All fixtures by division, match day and number."""
    found = []
    for division, each in enumerate(spec.divisions, 1):
        for day, pairs in enumerate(list_rounds(len(each.sides), twice=spec.twice), 1):
            whole = make_tournament_id(spec.id, division, day, WHOLE_DAY)
            met = [pair for pair in pairs if 0 not in pair]
            for number, (home, away) in enumerate(met, 1):
                own = make_tournament_id(spec.id, division, day, number)
                found.append(SeasonFixture(division, day, number, home, away, own, whole))
    return tuple(found)


def list_rests(division: Division, *, twice: bool) -> tuple[SeasonSide | None, ...]:
    """Who rests on each match day; None: nobody."""
    rests = (sum(pair) for pairs in list_rounds(len(division.sides), twice=twice) for pair in pairs if 0 in pair)
    if len(division.sides) % 2:
        return tuple(division.sides[place - 1] for place in rests)
    return (None,) * count_days(division, twice=twice)


def count_days(division: Division, *, twice: bool) -> int:
    """How many match days a division has."""
    return len(list_rounds(len(division.sides), twice=twice))


def make_tournament_id(season: str, division: int, day: int, number: int) -> str:
    """The id of the tournament that a fixture, or a whole day of a division, is played as.

    The same season has the same ids everywhere, so nothing has to be kept to find its records by their `ref`.
    """
    digest = sha256(f"{season}/{division}/{day}/{number}".encode()).digest()
    return base64.b32encode(digest[:5]).decode().lower()
