"""What earlier runs left on the broker: names that are not configured any more, and hands.

A broker repeats it to whoever comes, for ever. What was said under other names stands in our memory, and is emptied at
the next connect. Hands are looked for on the broker itself, with QoS 0: one that is not (or no longer) ours to show is
emptied, even when the run that showed it crashed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from daemon.mqtt.memory import Memory, Said
from daemon.mqtt.shadow import Shadow
from protocol.topics import ATTRIBUTES, TOPICS, parse, pattern, topic

log = logging.getLogger("oche.mqtt")


class Leftovers:
    """What may be left beside what is said `now`; it is cleared through the shadow."""

    def __init__(self, memory: Memory, now: Said, shadow: Shadow) -> None:
        self._memory = memory
        self._now = now
        self._shadow = shadow
        every = [now, *(each for each in memory.said if each != now)]
        memory.keep(said=every)  # before anything is said
        ours = set(_topics(now))
        self._left = [text for each in every for text in _topics(each) if text not in ours]
        self._bases = {each.base for each in every}
        boards = (topic("board_state", now.base, table=table) for table in now.tables)
        self.watched = {topic("bridge_state", now.base, bridge=now.bridge), *boards}
        """Ours: when one is emptied, by somebody who had the name before or is tidying up, all is to be said again."""
        self._hands = {pattern("seat_state", each.base, table=table) for each in every for table in each.tables}

    def restart(self) -> set[str]:
        """A new connection: clears what is left. Gives the topics to subscribe to, to look for hands."""
        for text in self._left:
            self._shadow.clear(text)
        return self._hands

    def take(self, text: str, body: bytes) -> None:
        """A retained message. A hand that is not shown now is cleared."""
        addresses = [parse(text, base) for base in self._bases]
        is_hand = any(address is not None and address.kind == "seat_state" for address in addresses)
        if body and is_hand and not self._shadow.holds(text):
            self._shadow.clear(text)

    def forget(self) -> None:
        """The broker has been told."""
        if self._left:
            log.info("took off the broker what was said under names that are not configured any more")
            self._left.clear()
        self._memory.keep(said=[self._now])


def _topics(said: Said) -> Iterator[str]:
    """All that is retained under these names but hands, whose number is not known.

    Availability comes last: who has such a name by now says all again when that is emptied.
    """
    for kind, found in reversed(TOPICS.items()):
        if not found.retain or found.direction == "in" or kind == "seat_state":
            continue
        if found.template.startswith("{base}/table/"):
            for table in said.tables:
                for attr in ATTRIBUTES if kind == "attr" else ("",):
                    yield topic(kind, said.base, table=table, attr=attr)
        elif found.template.startswith("{base}/bridge/"):
            yield topic(kind, said.base, bridge=said.bridge)
