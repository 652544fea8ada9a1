"""What so many darts can score: a visit whose points are entered together is checked against it."""

from __future__ import annotations

from functools import lru_cache

from msgspec import UNSET
from msgspec.structs import replace

from protocol.commands import Total, refuse
from protocol.finish import Totals


def check_total(given: Total, left: int, totals: Totals, beds: frozenset[int]) -> Total:
    """Returns the total with the number of its darts, of which so many are `left` in the visit.

    `totals` is what the game says of totals now, `beds` are the points that a dart can score. Raises IllegalInput where
    there are not so many darts, where they cannot score it or be bust, or where fewer can have been thrown at a finish.
    """
    darts = left if given.darts is None else given.darts
    if darts > left:
        raise refuse("refused.no_darts", "this visit has no more darts left than {left}", left=left)
    if given.points not in _list_totals(beds, darts):
        raise refuse(
            "refused.no_total", "{total} cannot be scored with so many darts: {darts}", total=given.points, darts=darts
        )
    if given.bust and (totals.bust is UNSET or darts < totals.bust):
        raise refuse("refused.no_bust", "so many darts cannot be bust here: {darts}", darts=darts)
    most = 0 if totals.darts is UNSET else max(0, darts - totals.darts + 1)
    if (given.at_finish or 0) > most:
        raise refuse(
            "refused.at_finish",
            "at_finish must be at most {most} here: no more of these darts could be thrown at a finish",
            most=most,
        )
    return replace(given, darts=darts)


@lru_cache(maxsize=16)
def _list_totals(beds: frozenset[int], darts: int) -> frozenset[int]:
    """Returns the points that so many darts can score in beds of these points, misses among them."""
    found = {0}
    for _ in range(darts):
        found = {so_far + more for so_far in found for more in (0, *beds)}
    return frozenset(found)
