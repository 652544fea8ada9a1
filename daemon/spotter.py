"""The spotter of a table: watches its board, and calls what counts to the scorer.

Contacts are told apart from darts here, and what was not counted is said aloud: a dart that a player saw land and the
scoreboard did not must never vanish without a word.
"""

from __future__ import annotations

import logging

from msgspec import Struct
from msgspec.structs import replace

from daemon.scorer import Batch, Scorer
from daemon.updates import BoardNews, Events
from drivers.session import LinkDown, LinkUp
from protocol.codebook import Codebook
from protocol.debounce import Debounce
from protocol.events import Battery, Button, Event, Garbage, Hit, Miss, Status
from protocol.messages import BoardInfo

log = logging.getLogger("oche.table")

BoardItem = Event | LinkUp | LinkDown


class Counts(Struct):
    """What a board has said since the daemon started."""

    hits: int = 0
    dropped: int = 0
    stray: int = 0
    garbage: int = 0


class Spotter:
    """The spotter of one table. `board` is our view of its hardware."""

    def __init__(self, name: str, address: str, codebook: Codebook, scorer: Scorer, events: Events) -> None:
        self.counts = Counts()
        self.board = BoardNews(False, BoardInfo(codebook.profile.id, address, "the board has not been found yet"))
        self._name = name
        self._scorer = scorer
        self._events = events
        self._debounce = Debounce(codebook)
        self._repeat_ns = codebook.profile.timing.repeat_ms * 1_000_000
        self._pressed_ns: dict[str, int] = {}
        self._stuck: set[str] = set()
        """Segments that were reported as stuck and have not opened since."""

    def notice(self, item: BoardItem, batch: Batch) -> None:
        """Something from the board. Raises CommandError when a button asks for what cannot be."""
        match item:
            case Hit():
                self._hit(item, batch)
            case Miss():
                match = self._scorer.match
                if match.position.phase == "throwing":
                    self._scorer.throw(match.layout.miss.id, _seconds(item), batch)
            case Button():
                self._press(item, batch)
            case Garbage(raw=raw):
                self._garbage(raw)
            case Battery(percent=percent):
                self._learn(batch, battery=percent)
            case Status(text=text):
                self._learn(batch, firmware=text)
            case LinkUp(address=address):
                self._link(True, f"connected to {address}", batch)
            case LinkDown(reason=reason):
                self._link(False, reason, batch)

    def _hit(self, hit: Hit, batch: Batch) -> None:
        segment_id = hit.segment.id
        dropped = self._debounce.judge(hit).dropped
        if dropped:
            self.counts.dropped += 1
            if dropped == "stuck" and segment_id not in self._stuck:
                self._stuck.add(segment_id)
                batch.events.append(self._events.event("board_problem", segment=segment_id, problem="stuck"))
                batch.notice = f"{segment_id} seems to be stuck: free the segment"
            return
        self._stuck.discard(segment_id)
        self.counts.hits += 1
        batch.events.append(self._events.event("hit", segment=segment_id))
        outcome = self._scorer.throw(segment_id, _seconds(hit), batch)
        if not outcome.accepted:
            self.counts.stray += 1
            batch.events.append(self._events.event("stray", segment=segment_id))
            batch.notice = f"{segment_id} did not count: {outcome.reason}"

    def _press(self, button: Button, batch: Batch) -> None:
        """A key bounces, and repeats itself while it is held, as a contact of the face does."""
        before = self._pressed_ns.get(button.name)
        self._pressed_ns[button.name] = button.time_ns
        if before is None or button.time_ns - before >= self._repeat_ns:
            self._scorer.press(button.name, _seconds(button), batch)

    def _garbage(self, raw: bytes) -> None:
        self.counts.garbage += 1
        if self.counts.garbage == 1:  # a wrong baud rate makes thousands of them
            log.warning(
                "%s: the board sends what profile %s does not know (%s): check the profile and the baud rate; "
                "more of it is only counted",
                self._name,
                self.board.info.profile,
                raw.hex(" "),
            )

    def _link(self, online: bool, text: str, batch: Batch) -> None:
        if online != self.board.online:
            batch.events.append(self._events.event("board_online" if online else "board_offline"))
        self.board = BoardNews(online, self.board.info)
        self._learn(batch, text=text)
        log.log(logging.INFO if online else logging.WARNING, "%s: board: %s", self._name, text)

    def _learn(self, batch: Batch, **known: object) -> None:
        """Something new about the board itself."""
        self.board = batch.board = self.board._replace(info=replace(self.board.info, **known))


def _seconds(event: Event) -> float:
    """When it came in, however long it had to wait for the disk since."""
    return event.time_ns / 1e9
