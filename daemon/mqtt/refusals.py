"""Counts what is refused, and has one of it logged in a minute: the first is seldom the last."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

_LOG_EVERY_S = 60.0


class Refusals:
    """The refusals of tables or of a bridge; `counts` are those so far, by its name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._logged: dict[str, tuple[float, int]] = {}
        """When a refusal was logged last, and how many there had been."""

    def end_line(self, name: str) -> str | None:
        """Returns the end of the line that is to be logged now, with the count of those before; None: none is."""
        at_s, before = self._logged.get(name, (-_LOG_EVERY_S, 0))
        if self._clock() - at_s < _LOG_EVERY_S:
            return None
        count = self.counts[name]
        self._logged[name] = (self._clock(), count)
        return f" ({count - before - 1} more since the last such line)" if count - before > 1 else ""
