"""How much may come at once, and how much a second in the long run: a token bucket."""

from __future__ import annotations

from msgspec import Struct


class Rate(Struct, frozen=True):
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

    def is_full(self, now: int) -> bool:
        """Whether the whole burst is there."""
        return self._count_left(now) >= self._rate.burst

    def rested_at(self, now: int) -> int:
        """When half of the burst is there again, if nothing more comes; `now` when it is."""
        missing = self._rate.burst / 2 - self._count_left(now)
        return now + max(0, round(missing / self._rate.per_s * 1e9))

    def _count_left(self, now: int) -> float:
        return min(self._rate.burst, self._left + (now - self._since_ns) / 1e9 * self._rate.per_s)


class RateLimits:
    """A limit of its own for each of many sources, by their names; times as for RateLimit.

    A source that rests is forgotten. Those beyond `most` that do not rest have one limit together, of the same rate
    unless `of_others` is another.
    """

    def __init__(self, rate: Rate, most: int, of_others: Rate | None = None) -> None:
        self._rate = rate
        self._most = most
        self._limits: dict[str, RateLimit] = {}
        self._of_others = RateLimit(of_others or rate)

    def __len__(self) -> int:
        """How many have one of their own."""
        return len(self._limits)

    def take(self, source: str, now: int) -> bool:
        """Counts one of this source and returns True; False, and does not count it, when it is beyond the limit."""
        return self._find(source, now).take(now)

    def wait_s(self, source: str, now: int) -> float:
        """Returns the seconds until one of this source is within the limit, 0.0 when it is now."""
        return self._find(source, now).count(0, now)

    def is_rested(self, source: str, now: int) -> bool:
        """Whether half of the burst of this source is there."""
        return self._find(source, now).rested_at(now) <= now

    def _find(self, source: str, now: int) -> RateLimit:
        if source not in self._limits and len(self._limits) >= self._most:
            self._limits = {name: limit for name, limit in self._limits.items() if not limit.is_full(now)}
        if source not in self._limits and len(self._limits) < self._most:
            self._limits[source] = RateLimit(self._rate)
        return self._limits.get(source, self._of_others)
