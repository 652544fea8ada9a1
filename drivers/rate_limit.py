"""How much may come at once, and how much a second in the long run: a token bucket."""

from __future__ import annotations

from typing import NamedTuple


class Rate(NamedTuple):
    """`burst` at once, and `per_s` a second."""

    burst: int
    per_s: float


class RateLimit:
    """The limit of one source. Times are nanoseconds of one monotonic clock."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._left = float(rate.burst)
        self._since_ns = 0

    def count(self, number: int, now: int) -> float:
        """Counts so many; returns the seconds until one more is within the limit, 0.0 when it is now."""
        self._left = self._count_left(now) - number
        self._since_ns = now
        return max(0.0, (1 - self._left) / self._rate.per_s)

    def take(self, now: int) -> bool:
        """Counts one and returns True; False, and does not count it, when it is beyond the limit."""
        if self.count(0, now):
            return False
        self.count(1, now)
        return True

    def rested_at(self, now: int) -> int:
        """When half of the burst is there again, if nothing more comes; `now` when it is."""
        missing = self._rate.burst / 2 - self._count_left(now)
        return now + max(0, round(missing / self._rate.per_s * 1e9))

    def _count_left(self, now: int) -> float:
        return min(self._rate.burst, self._left + (now - self._since_ns) / 1e9 * self._rate.per_s)
