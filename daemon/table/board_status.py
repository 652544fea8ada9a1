"""The status of a table's board: whether it is connected, what it has told of itself, and counts of what it sent."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from daemon.table.effects import BoardNews
from protocol.messages import BoardInfo
from protocol.sentence import Sentence, say


class Counts(Struct):
    """Counts of what a board has sent since the daemon started; `drops` by the reason of protocol.debounce."""

    hits: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stray: int = 0
    garbage: int = 0

    @property
    def dropped(self) -> int:
        """How many events were dropped, for all reasons."""
        return sum(self.drops.values())

    def drop(self, reason: str) -> None:
        """Counts one dropped event."""
        self.drops[reason] = self.drops.get(reason, 0) + 1


class BoardStatus:
    """The status of one board. Times are nanoseconds of the monotonic clock."""

    def __init__(self, profile: str, address: str) -> None:
        self.online = False
        self.counts = Counts()
        self.said: str | Sentence = say("link.not_found", "the board has not been found yet")
        self._info = BoardInfo(profile, address, str(self.said))
        self._hit_ns: int | None = None

    @property
    def stuck(self) -> tuple[str, ...]:
        """The ids of the segments that do not open."""
        return self._info.stuck

    def at(self, now: int) -> BoardNews:
        """The status at this time."""
        if self._hit_ns is None:
            return BoardNews(self.online, self._info, self.said)
        age_s = max(0, round((now - self._hit_ns) / 1e9))
        return BoardNews(self.online, replace(self._info, last_hit_s=age_s), self.said)

    def learn(self, **known: object) -> None:
        """Notes new values of fields of BoardInfo."""
        self._info = replace(self._info, **known)

    def hit(self, time_ns: int) -> None:
        """Counts a hit at this time."""
        self.counts.hits += 1
        self._hit_ns = time_ns
