"""A person at the oche: aims well inside a bed and misses the way people do.

The miss is a two-dimensional normal scatter, equal in both directions (Tibshirani, Price and Taylor, "A Statistician
Plays Darts", 2011); its standard deviation is the player's whole skill. Where the dart lands is then read off the
real geometry, so near misses hit the neighbours they hit in life. Chance is passed in: a seed is a match.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from protocol.aiming import aim_at
from protocol.segment import Layout, Segment


class Landing(NamedTuple):
    """Where a dart came down: tenths of a millimetre from the centre (x right, y up), and the segment there."""

    x: int
    y: int
    segment: Segment


class Thrower:
    """Throws at one layout with a scatter of `sigma_mm` (0 or more) in each direction.

    On average the darts land `off_mm` (to the right, up) from where they are aimed.
    """

    def __init__(self, sigma_mm: float, rng: Random, layout: Layout, off_mm: tuple[float, float] = (0, 0)) -> None:
        self.sigma_mm = sigma_mm
        self._off_mm = off_mm
        self._rng = rng
        self._layout = layout

    def throw(self, target: Segment | str) -> Landing:
        """One dart at a segment, a segment id or a group label ("20", "bull"); raises UnknownSegment.

        At a label it goes for the bed of that label with the most room around its aim.
        """
        aim = aim_at(self._layout, target)
        right, up = self._off_mm
        x = round(self._rng.gauss(aim.x + 10 * right, 10 * self.sigma_mm))
        y = round(self._rng.gauss(aim.y + 10 * up, 10 * self.sigma_mm))
        return Landing(x, y, self._layout.landed(x, y))
