"""What a table makes of what it hears: the darts by key, which of them are new, and how the visits ended."""

from __future__ import annotations

from collections import Counter

from protocol.events import Amended, BoardEvent, Cleared, Found, Hit, TakeoutSeen, Unread
from protocol.segment import Point


class Told:
    """What a table would make of what it hears: the darts by key, and which were new."""

    def __init__(self) -> None:
        self.new: list[str] = []
        self.found: set[str] = set()
        self.beds: dict[str, str | None] = {}
        self.over: list[str] = []
        """How each visit ended: finished or cleared."""
        self.points: dict[str, Point | None] = {}

    def hear(self, events: list[BoardEvent]) -> None:
        for event in events:
            match event:
                case Hit() | Unread():
                    assert event.key not in self.found, "found, and new again"
                    self.new.append(event.key)
                    self._enter(event)
                case Amended(key=key, segment=segment, point=point):
                    assert key in self.beds
                    self.beds[key] = segment.id
                    self.points[key] = point or self.points[key]
                case Found(darts=darts):
                    for dart in darts:
                        self.found.add(dart.key)
                        self._enter(dart)
                case TakeoutSeen(step="finished"):
                    self.over.append("finished")
                case Cleared():
                    self.over.append("cleared")
        assert max(Counter(self.new).values(), default=0) <= 1, "told twice"

    def _enter(self, dart: Hit | Unread) -> None:
        self.beds[dart.key] = dart.segment.id if isinstance(dart, Hit) else None
        self.points[dart.key] = dart.point
