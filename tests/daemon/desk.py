"""The scorer of a table without disk, network and event loop: what the tests of its rules play at."""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from daemon.config.sections import TableConfig, TakeoutMode
from daemon.journal.lines import Begin, Line
from daemon.rules import Guard
from daemon.table.effects import BoardNews, Effects
from daemon.table.matches import begin_first
from daemon.table.scorer import Scorer
from daemon.table.scoresheet import Sender, merge
from protocol.codebook import Codebook, load
from protocol.commands import Command, CommandError
from protocol.events import BoardItem, Button, Hit, MissSensed
from protocol.messages import Plan, State
from protocol.source import Source
from tests.commanding import decode
from tests.plain_guard import PlainGuard

SENSOR = load(
    Source(
        """
id = "sensor"
name = "A board with a miss sensor"
miss = "miss"
[hits]
frame = "{id}"
[buttons]
next = "next"
undo = "undo"
takeout = "walked up"
[timing]
miss_ms = 200
""",
        "sensor.toml",
    )
)
MISSES = ["MISS"] * 3
PULL_S = 5.0


class Desk:
    """The scorer of one table, with a clock that is set by hand (in seconds)."""

    def __init__(
        self, book: Codebook = SENSOR, takeout: TakeoutMode = "button", guard: Guard | None = None, **table: object
    ) -> None:
        self.now = 1000.0
        about: dict[str, Any] = {"board": "serial:x", "players": ("Ann", "Bo"), **table}  # Any: as TableConfig has it
        config = TableConfig(takeout=takeout, takeout_s=PULL_S, **about)
        about_rules = token_hex, guard or PlainGuard()
        self.scorer = Scorer(begin_first(config, book.layout, *about_rules), config, book, *about_rules)
        self.followed: list[Effects] = []
        self._book = book

    def hear(self, *said: str | BoardItem, after_s: float = 0.0) -> None:
        """`next` and other keys, `miss`, a segment, or an event; the clock goes on first, ticking as it does."""
        until = self.now + after_s
        while (due := self.scorer.deadline()) is not None and due <= round(until * 1e9):
            self.followed.append(self.scorer.tick(due))
        self.now = until
        for each in said:
            self.followed.append(self.scorer.feed(self._item(each), round(self.now * 1e9)))

    def throw(self, *segment_ids: str, apart_s: float = 1.0) -> None:
        for segment_id in segment_ids:
            self.hear(segment_id, after_s=apart_s)

    def obey(self, command: Command, sender: Sender = "page") -> Effects:
        self.followed.append(self.scorer.obey(command, sender, round(self.now * 1e9)))
        return self.followed[-1]

    def give(self, sender: Sender = "page", **words: Any) -> list[str]:  # Any: JSON
        """A command in the words of MQTT and the page; the events that follow. Raises CommandError."""
        effects = self.obey(decode(words).command, sender)
        if isinstance(effects.reply, CommandError):
            raise effects.reply
        return [event.event_type for event in effects.events]

    @property
    def journal(self) -> list[str]:
        """The inputs, a word each."""
        inputs = [line.input for each in self.followed for line in each.lines if isinstance(line, Line)]
        return [str(given.get("throw") or given.get("choose") or next(iter(given))) for given in inputs]

    @property
    def headers(self) -> list[dict[str, Any]]:  # Any: JSON
        """Those of the matches that were begun."""
        return [line.header for each in self.followed for line in each.lines if isinstance(line, Begin)]

    @property
    def state(self) -> State:
        """As everybody may see it."""
        return self.scorer.sheet.states.public

    @property
    def plan(self) -> Plan:
        """Of the next match."""
        return self.scorer.sheet.plan

    @property
    def player(self) -> str:
        """Who is at the oche."""
        return self.scorer.match.seating.players[self.scorer.match.position.visit.seat]

    @property
    def phase(self) -> str:
        return str(self.scorer.match.position.phase)

    @property
    def latest(self) -> Effects:
        """All that has followed, as if it were to be committed together."""
        return merge(self.followed)

    @property
    def board(self) -> BoardNews:
        return self.scorer.status.at(round(self.now * 1e9))

    @property
    def stuck(self) -> list[str]:
        return list(self.board.info.stuck)

    def events(self, event_type: str) -> list[str]:
        return [str(e.segment) for each in self.followed for e in each.events if e.event_type == event_type]

    def _item(self, said: str | BoardItem) -> BoardItem:
        if not isinstance(said, str):
            return said
        now = round(self.now * 1e9)
        if said == "miss":
            return MissSensed(time_ns=now)
        if said in self._book.profile.buttons:
            return Button(name=said, time_ns=now)
        return Hit(segment=self._book.layout[said], time_ns=now)


def refused(desk: Desk, *said: str, after_s: float) -> Effects:
    """What is left of these when they could not be committed."""
    checkpoint, before = desk.scorer.checkpoint(), len(desk.followed)
    desk.hear(*said, after_s=after_s)
    return desk.scorer.roll_back(checkpoint, merge(desk.followed[before:]))
