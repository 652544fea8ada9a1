"""How long to wait before trying again: soon at first, then ever less often, and never all boards at once.

Pure, so that its law can be tested: chance is passed in, and nothing sleeps here.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct


class Backoff(Struct, frozen=True):
    """Waits double from `first_s` up to `most_s` (both seconds, above 0); each is then shortened by up to a quarter."""

    first_s: float = 0.5
    most_s: float = 60.0

    def delay_s(self, failures: int, random: Random) -> float:
        """The wait after so many failures in a row (1 or more), in seconds."""
        doublings = min(failures - 1, 64)  # far beyond any cap, and never too large for a float
        return min(self.most_s, self.first_s * 2.0**doublings) * random.uniform(0.75, 1.0)
