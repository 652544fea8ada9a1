"""How well a player throws, as a game sees it: where a dart lands that is aimed at a bed.

People miss by a two-dimensional normal scatter, equal in both directions (Tibshirani, Price and Taylor, "A Statistician
Plays Darts", 2011). What a bed of the layout gets of it is found by laying the same few hundred points over every aim,
which stand for equal shares of the scatter: no chance in it, so the same question always has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from protocol.aiming import aim_at
from protocol.segment import Layout, Segment

_POINTS = 512
"""So many equal shares of the scatter: enough to tell one aim from another, few enough for a small machine."""
_GOLDEN = math.pi * (3 - math.sqrt(5))


class Skill:
    """A thrower on one layout, with a scatter of `sigma_mm` in each direction; 0 always hits what is aimed at.

    `points` is how many equal shares stand for the scatter.
    """

    def __init__(self, layout: Layout, sigma_mm: float = 0.0, points: int = _POINTS) -> None:
        self.layout = layout
        self.sigma_mm = sigma_mm
        self.points = points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Skill) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Layout, float, int]:
        return self.layout, self.sigma_mm, self.points

    def chances(self, aim: str) -> tuple[tuple[Segment, float], ...]:
        """The segments that a dart aimed at this bed hits, each with its probability. Raises UnknownSegment."""
        return _landings(self.layout, self.sigma_mm, aim, self.points)

    def worth(self, aim: str, of: Callable[[Segment], float]) -> float:
        """The average worth of a dart aimed at this bed if hitting a segment is worth `of(segment)`."""
        return sum(share * of(segment) for segment, share in self.chances(aim))

    def best(self, of: Callable[[Segment], float], among: Iterable[str] | None = None) -> str:
        """The best bed to aim at (`among` these, by default any of the layout); the first if several are equal."""
        known: dict[str, float] = {}  # by id: a segment takes long to be found in a dictionary

        def worth(aim: str) -> float:
            total = 0.0
            for segment, share in self.chances(aim):
                value = known.get(segment.id)
                if value is None:
                    value = known[segment.id] = of(segment)
                total += share * value
            return total

        return max(among if among is not None else (segment.id for segment in self.layout.areas), key=worth)


@lru_cache(maxsize=4096)  # the same scatter lands alike in every match
def _landings(layout: Layout, sigma_mm: float, aim: str, points: int) -> tuple[tuple[Segment, float], ...]:
    if not sigma_mm:
        return ((layout[aim], 1.0),)
    middle = aim_at(layout, aim)
    found: dict[str, int] = {}
    for x, y in _scatter(points):
        landed = layout.landed(middle.x + 10 * sigma_mm * x, middle.y + 10 * sigma_mm * y)
        found[landed.id] = found.get(landed.id, 0) + 1
    return tuple((layout[bed], count / points) for bed, count in found.items())


@cache
def _scatter(points: int) -> tuple[tuple[float, float], ...]:
    """Points of the standard normal scatter, an equal share each, on a spiral that spreads them evenly."""
    radii = (math.sqrt(-2 * math.log(1 - (k + 0.5) / points)) for k in range(points))
    return tuple((r * math.cos(k * _GOLDEN), r * math.sin(k * _GOLDEN)) for k, r in enumerate(radii))
