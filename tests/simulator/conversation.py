"""A board and its host in one room: every packet arrives in the moment it is said, and nothing else takes time."""

from __future__ import annotations

from random import Random

from protocol.codebook import Codebook
from protocol.debounce import Debounce, Verdict
from protocol.endpoint import Host
from protocol.events import BoardCommand, BoardEvent, Button, Garbage, Hit, MissSensed
from protocol.segment import Segment
from simulator.ble_firmware import BleFirmware
from simulator.board import make_firmware
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits

MS = 1_000_000


class Conversation:
    """Goes from one time to a later one; times in ms from the moment the link stands."""

    def __init__(
        self, book: Codebook, faults: Faults = SOUND, habits: Habits = PLAIN, *, host: Codebook | None = None
    ) -> None:
        self.book = book
        self.board = make_firmware(book, faults, habits, Random(1))
        self.host = Host(host or book)
        self.packets: list[bytes] = []
        self.events: list[BoardEvent] = []
        self.commands: list[BoardCommand] = []
        self._debounce = Debounce(host or book)
        self._verdicts: list[Verdict] = []
        self._now = 0
        if isinstance(self.board, BleFirmware):
            ble = book.profile.ble
            assert ble is not None
            assert self.board.connect(0)
            if ble.enable:
                self.board.feed(bytes.fromhex(ble.enable), 0)
            self._now = ble.settle_ms * MS
            self.board.subscribe(self._now)
        else:
            self.board.on_open(0)
        self.host.on_open(self._now)
        self._exchange()

    def throw(self, ms: int, *segment_ids: str, apart_ms: int = 0) -> bool:
        """Darts from then on, so far apart. True: the board noticed every one."""
        seen = [self._throw(ms + apart_ms * n, segment_id) for n, segment_id in enumerate(segment_ids)]
        return all(seen)

    def miss(self, ms: int) -> bool:
        self.until(ms)
        said = self.board.miss(self._now)
        self._exchange()
        return said

    def press(self, ms: int, button: str = "next") -> bool:
        self.until(ms)
        said = self.board.press(button, self._now)
        self._exchange()
        return said

    def until(self, ms: int) -> None:
        """Whatever is to come until then, deadline by deadline."""
        while (due := self._due()) is not None and due <= ms * MS:
            self._now = max(self._now, due)
            self.board.tick(self._now)
            self.events += self._told(self.host.tick(self._now))
            self._exchange()
        self._now = max(self._now, ms * MS)

    def counted(self, ms: int = 60_000) -> list[str]:
        """What counts of all that was said until then: segments, MISS, and keys by name."""
        self.until(ms)
        verdicts = [*self._verdicts, *self._debounce.settle()]
        return [name for v in verdicts if v.dropped is None and (name := _name(v.event))]

    @property
    def dropped(self) -> set[str]:
        """Why anything did not count."""
        return {verdict.dropped for verdict in self._verdicts if verdict.dropped}

    @property
    def garbage(self) -> list[bytes]:
        return [event.raw for event in self.events if isinstance(event, Garbage)]

    def _throw(self, ms: int, segment_id: str) -> bool:
        self.until(ms)
        seen = self.board.hit(self.book.layout[segment_id], self._now)
        self._exchange()
        return seen

    def _due(self) -> int | None:
        return min((due for due in (self.board.deadline(), self.host.deadline()) if due is not None), default=None)

    def _exchange(self) -> None:
        packets, answers = self.board.outgoing(), self.host.packets()
        while packets or answers:
            for packet in packets:
                self.packets.append(packet)
                self.events += self._told(self.host.feed(packet, self._now))
            for answer in answers:
                self.commands += self.board.feed(answer, self._now)
            packets, answers = self.board.outgoing(), self.host.packets()

    def _told(self, events: list[BoardEvent]) -> list[BoardEvent]:
        for event in events:
            self._verdicts += self._debounce.feed(event)
        return events


def _name(event: BoardEvent) -> str:
    match event:
        case Hit(segment=Segment(id=segment_id)):
            return segment_id
        case MissSensed():
            return "MISS"
        case Button(name=name):
            return name
    return ""
