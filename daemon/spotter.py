"""The spotter of a table: watches its board, and calls what counts to the scorer.

Contacts are told apart from darts here, and what was not counted is said aloud: a dart that a player saw land and the
scoreboard did not must never vanish without a word.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

from daemon.batch import Batch
from daemon.scorer import Scorer
from daemon.store import Line
from daemon.updates import BoardNews, Events
from drivers.session import LinkDown, LinkUp
from protocol import messages
from protocol.codebook import Codebook
from protocol.debounce import UNNAMED, Debounce, Verdict
from protocol.events import Battery, Button, Event, Garbage, Hit, Miss, Status
from protocol.messages import BoardInfo

log = logging.getLogger("oche.table")

_OF_THE_BOARD = ("hit", "stray", "board_online", "board_offline", "board_problem")

BoardItem = Event | LinkUp | LinkDown


class Counts(Struct):
    """What a board has said since the daemon started; `drops` by the reason of protocol.debounce."""

    hits: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stray: int = 0
    garbage: int = 0

    @property
    def dropped(self) -> int:
        """All that was no dart."""
        return sum(self.drops.values())


class Spotter:
    """The spotter of one table. `clock` gives monotonic seconds, as hits are stamped with."""

    def __init__(
        self,
        name: str,
        address: str,
        codebook: Codebook,
        scorer: Scorer,
        events: Events,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts = Counts()
        self._board = BoardNews(False, BoardInfo(codebook.profile.id, address, "the board has not been found yet"))
        self._hit_at: float | None = None
        self._clock = clock
        self._name = name
        self._here = {"table": name, "board": address}
        self._scorer = scorer
        self._events = events
        self._debounce = Debounce(codebook)

    @property
    def board(self) -> BoardNews:
        """Our view of its hardware now."""
        if self._hit_at is None:
            return self._board
        age = max(0, round(self._clock() - self._hit_at))
        return self._board._replace(info=replace(self._board.info, last_hit_s=age))

    @property
    def due(self) -> float | None:
        """When `tick` is to be called (monotonic, seconds); None: not by the clock."""
        deadline = self._debounce.deadline()
        return None if deadline is None else deadline / 1e9

    def notice(self, item: BoardItem, batch: Batch) -> None:
        """Something from the board. Raises CommandError when a button asks for what cannot be."""
        match item:
            case LinkUp(address=address, signal_dbm=signal_dbm):
                self._link(True, f"connected to {address}", batch, signal_dbm)
            case LinkDown(reason=reason):
                self._link(False, reason, batch)
            case Event():
                if isinstance(item, Miss):
                    self._scorer.wait()  # whatever it will turn out to be
                self._call(self._debounce.feed(item), batch)

    def tick(self, batch: Batch) -> None:
        """It is `due`: nothing came that would have explained a miss, or kept a contact closed."""
        deadline = self._debounce.deadline()
        if deadline is not None:
            self._call(self._debounce.tick(deadline), batch)

    def settle(self, batch: Batch) -> None:
        """Somebody else is about to have a say: what is held back came before."""
        self._call(self._debounce.settle(), batch)

    def refused(self, batch: Batch) -> tuple[messages.Event, ...]:
        """What is left to say of a batch that could not be written: what was seen, and that no dart of it counts."""
        kept = [event for event in batch.events if event.event_type in _OF_THE_BOARD]
        for line in batch.written:
            if isinstance(line, Line) and line.source == "board" and "throw" in line.input:
                self.counts.stray += 1
                kept.append(self._events.event("stray", segment=line.input["throw"]))
        return tuple(kept)

    def _call(self, verdicts: list[Verdict], batch: Batch) -> None:
        self._look_for_stuck(batch)
        for event, dropped in verdicts:
            if isinstance(event, Miss) and dropped != "sensor":  # else a dart shook it, which touches by itself
                self._scorer.touch(_seconds(event))
            if dropped:
                self.counts.drops[dropped] = self.counts.drops.get(dropped, 0) + 1
                log.debug("%s: %r did not count: %s", self._name, event, dropped)
            else:
                self._accept(event, batch)

    def _accept(self, event: Event, batch: Batch) -> None:
        match event:
            case Hit():
                self._hit(event, batch)
            case Miss():
                match = self._scorer.match
                if match.position.phase == "throwing":
                    self._scorer.throw(match.layout.miss.id, _seconds(event), batch)
            case Button(name=name):
                self._scorer.press(name, _seconds(event), batch)
            case Garbage(raw=raw):
                self._garbage(raw)
            case Battery(percent=percent):
                self._learn(batch, battery=percent)
            case Status(text=text):
                self._learn(batch, firmware=text)

    def _hit(self, hit: Hit, batch: Batch) -> None:
        segment_id = hit.segment.id
        self.counts.hits += 1
        self._hit_at = _seconds(hit)
        batch.events.append(self._events.event("hit", segment=segment_id))
        outcome = self._scorer.throw(segment_id, _seconds(hit), batch)
        if not outcome.accepted:
            self.counts.stray += 1
            batch.events.append(self._events.event("stray", segment=segment_id))
            batch.notice = f"{segment_id} did not count: {outcome.reason}"

    def _look_for_stuck(self, batch: Batch) -> None:
        """Says once that a segment is stuck; what is stuck now stands on the board until it opens."""
        before, now = self._board.info.stuck, self._debounce.stuck
        for segment_id in now:
            if segment_id not in before:
                named = {} if segment_id == UNNAMED else {"segment": segment_id}
                batch.events.append(self._events.event("board_problem", problem="stuck", **named))
                log.warning("%s: %s is stuck: free the segment", self._name, segment_id, extra=self._here)
        if now != before:
            self._learn(batch, stuck=now)

    def _garbage(self, raw: bytes) -> None:
        self.counts.garbage += 1
        if self.counts.garbage == 1:  # a wrong baud rate makes thousands of them
            log.warning(
                "%s: the board sends what profile %s does not know (%s): check the profile and the baud rate; "
                "more of it is only counted",
                self._name,
                self._board.info.profile,
                raw.hex(" "),
                extra=self._here,
            )

    def _link(self, online: bool, text: str, batch: Batch, signal_dbm: int | None = None) -> None:
        if online != self._board.online:
            batch.events.append(self._events.event("board_online" if online else "board_offline"))
        self._board = BoardNews(online, self._board.info)
        self._learn(batch, text=text, signal_dbm=signal_dbm)
        log.log(logging.INFO if online else logging.WARNING, "%s: board: %s", self._name, text, extra=self._here)

    def _learn(self, batch: Batch, **known: object) -> None:
        """Something new about the board itself."""
        self._board = self._board._replace(info=replace(self._board.info, **known))
        batch.board = self.board


def _seconds(event: Event) -> float:
    """When it came in, however long it had to wait for the disk since."""
    return event.time_ns / 1e9
