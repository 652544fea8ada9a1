"""What so many darts can score: a visit whose points are entered together is checked against it."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from protocol.commands import Total, refuse
from protocol.segment import Layout


def check_total(given: Total, left: int, layout: Layout) -> Total:
    """Returns the total with the number of its darts, of which so many are `left` in the visit.

    Raises IllegalInput where there are not so many, or where they cannot score it.
    """
    darts = left if given.darts is None else given.darts
    if max(darts, given.at_finish or 0) > left:
        raise refuse("refused.no_darts", "this visit has no more darts than {left}", left=left)
    if given.points not in _list_totals(layout, darts):
        raise refuse(
            "refused.no_total", "{total} cannot be scored with so many darts: {darts}", total=given.points, darts=darts
        )
    return replace(given, darts=darts)


@lru_cache(maxsize=16)
def _list_totals(layout: Layout, darts: int) -> frozenset[int]:
    """Returns the points that so many darts can score on this layout, misses among them."""
    points = {segment.points for segment in layout}
    found = {0}
    for _ in range(darts):
        found = {so_far + more for so_far in found for more in points}
    return frozenset(found)
