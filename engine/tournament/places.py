"""The places of a tournament: ranges that cover 1 to the number of entrants, whatever has been left or given away.

How many share a range is known from the draw: a match that is no bye has one loser. So a range stands before it fills.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.tournament.fixtures import Fixture, Resolved
from protocol.tournament import EMPTY, UNKNOWN, Entrant, Place


def find_places(fixtures: Iterable[Fixture], resolved: Mapping[str, Resolved]) -> list[Place]:
    """The places of a knock-out, the best first; `entrants` are those who have theirs already."""
    ranked: dict[int, list[Entrant]] = {}
    again = resolved.get("final-2")
    for fixture in fixtures:
        if fixture.id == "final-1" and again is not None and EMPTY not in again.sides:
            continue
        if fixture.id == "final-2" and EMPTY in resolved[fixture.id].sides:
            continue  # the first final decides
        result = resolved[fixture.id]
        if fixture.winner_rank is not None and result.winner != EMPTY:
            ranked.setdefault(fixture.winner_rank, []).append(result.winner)
        if fixture.loser_rank is not None and EMPTY not in result.sides:
            ranked.setdefault(fixture.loser_rank, []).append(result.loser)
    return number_places(ranked[rank] for rank in sorted(ranked))


def number_places(shared: Iterable[Sequence[Entrant]], first: int = 1) -> list[Place]:
    """The places, from `first` on, of those who share each; UNKNOWN stands for who is not known yet."""
    found = []
    for entrants in shared:
        known = tuple(entrant for entrant in entrants if entrant != UNKNOWN)
        found.append(Place(first, first + len(entrants) - 1, known))
        first += len(entrants)
    return found
