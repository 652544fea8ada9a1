"""What the broker should know: a copy of everything retained, and what is still to be sent.

A broker without persistence forgets, so on every connect all of it is said again. Of a retained topic only the newest
value is worth sending; an event that could not be sent is dropped, because an effect is better missed than late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from daemon.updates import Update
from protocol.messages import SeatState, SeatView, State
from protocol.topics import TOPICS, parse, topic

NONE = "-"
"""Said for nothing: an empty retained payload would delete the topic, and entities without one are unavailable."""
_ORDER = (*(kind for kind in TOPICS if kind != "bridge_state"), "bridge_state")
"""As the registry has it, and whether the bridge is there last: who sees it can trust everything else."""
_EVENTS = 500
"""Events that may wait for a slow broker."""


class Message(NamedTuple):
    """One publish."""

    topic: str
    payload: bytes
    retain: bool
    qos: int
    expiry_s: int | None = None
    correlation: bytes | None = None
    """MQTT 5’s CorrelationData: what the answered request had."""


class Shadow:
    """The shadow of one bridge. `base` is the first part of every topic."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._retained: dict[str, Message] = {}
        self._states: dict[object, Message] = {}
        """What is new and first of all: a number on the wall waits for no other table's lamps."""
        self._pending: dict[object, Message] = {}
        """What else is new."""
        self._again: dict[object, Message] = {}
        """What was said before, and is said once more after all that is new."""
        self._seats: dict[str, int] = {}
        """The seats of each table that were told something."""
        self.restarts = 0
        """How often all was to be said again."""
        self.news = asyncio.Event()
        """Set when there is something to send; whoever sends clears it."""
        self.delivered = asyncio.Event()
        """Set while the broker has everything."""

    def say(self, kind: str, value: object, **names: str) -> None:
        """Notes a message of this kind; a retained one only when it is news."""
        found = TOPICS[kind]
        payload = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
        message = Message(topic(kind, self._base, **names), payload, found.retain, found.qos, found.expiry_s)
        if not message.retain:
            if len(self._pending) < _EVENTS:
                self._note(object(), message)
        elif self._retained.get(message.topic) != message:
            self._retained[message.topic] = message
            self._note(message.topic, message, is_state=kind == "state")

    def reply(self, value: object, text: str, correlation: bytes | None) -> None:
        """Notes an answer for this topic, which may be the sender's own."""
        if len(self._pending) < _EVENTS:
            payload = msgspec.json.encode(value)
            self._note(object(), Message(text, payload, False, 1, correlation=correlation))

    def erase(self, kind: str, **names: str) -> None:
        """Takes off the broker, this once, what an earlier run left there."""
        self.clear(topic(kind, self._base, **names))

    def clear(self, text: str) -> None:
        """Takes what is retained there off the broker, this once: at the next connect it may be another's."""
        self._note(text, Message(text, b"", True, 1))

    def mention(self, kind: str, value: object, **names: str) -> None:
        """Notes a message for those who listen now: what is retained on its topic stays."""
        self._note(object(), Message(topic(kind, self._base, **names), msgspec.json.encode(value), False, 1))

    def repeat(self, kind: str | None = None, **names: str) -> None:
        """Says again what is retained on this topic, or on all."""
        wanted = None if kind is None else topic(kind, self._base, **names)
        for text, message in self._in_order():
            if wanted in (None, text) and message.payload and text not in (*self._states, *self._pending):
                self._again.setdefault(text, message)
                self._wake()

    def _note(self, key: object, message: Message, *, is_state: bool = False) -> None:
        """To be sent. What replaces another keeps its place, else what changes all the time would never have a turn."""
        if message.retain:
            self._again.pop(message.topic, None)
        here, there = (self._states, self._pending) if is_state else (self._pending, self._states)
        there.pop(key, None)
        here[key] = message
        self._wake()

    def _wake(self) -> None:
        self.delivered.clear()
        self.news.set()

    def _in_order(self) -> list[tuple[str, Message]]:
        return sorted(self._retained.items(), key=lambda item: self._rank(item[0]))

    def holds(self, text: str) -> bool:
        """There is something to be retained on this topic."""
        return text in self._retained and self._retained[text].payload != b""

    def forget(self, kind: str, **names: str) -> None:
        """Takes a retained message off the broker, this time and at every connect: it may have been said before us."""
        self.say(kind, "", **names)

    def tell(self, update: Update) -> None:
        """Notes what a table told: board and state first, because displays look at them when an event comes."""
        if update.board is not None:
            self.say("board_state", "online" if update.board.online else "offline", table=update.table)
            self.say("board_info", update.board.info, table=update.table)
        if update.state is not None:
            self.say("state", update.state, table=update.table)
        for event in update.events:
            self.say("event", event, table=update.table)
        if update.state is not None:
            for name, value in attributes(update.state).items():
                self.say("attr", value, table=update.table, attr=name)
        if update.plan is not None:
            self.say("next", update.plan, table=update.table)

    def tell_seats(self, table: str, hands: Sequence[State]) -> None:
        """Notes what each seat may see; what other seats were told before is taken off the broker again."""
        for seat, state in enumerate(hands):
            view = SeatView(state.targets, state.hint, state.board)
            own = SeatState(seat, state.match, state.line, view, tuple(p for p in state.prompts if p.seat == seat))
            self.say("seat_state", own, table=table, seat=str(seat))
        for empty in range(len(hands), self._seats.get(table, 0)):
            self.say("seat_state", "", table=table, seat=str(empty))
        self._seats[table] = len(hands)

    def restart(self) -> None:
        """A new connection: all that is retained is to be sent again, as the registry has it; events are not."""
        self.restarts += 1
        self._states.clear()
        self._pending.clear()
        self._again = dict(self._in_order())
        self._wake()

    def _rank(self, text: str) -> int:
        address = parse(text, self._base)
        return _ORDER.index(address.kind) if address else len(_ORDER)

    def take(self) -> Iterator[Message]:
        """What is to be sent, until nothing is; more may be noted meanwhile."""
        while waiting := self._states or self._pending or self._again:
            yield waiting.pop(next(iter(waiting)))
        self.delivered.set()


def attributes(state: State) -> dict[str, str]:
    """The plain values for displays that cannot pick from JSON."""
    turn = state.turn
    return {
        "game": state.title,
        "player": turn.player,
        "score": str(state.sides[turn.side].score),
        "darts_left": str(turn.darts_left),
        "visit_score": str(sum(dart.points for dart in turn.darts)),
        "last_dart": turn.darts[-1].segment if turn.darts else NONE,
        "round": str(state.round),
        "phase": state.phase,
        "hint": " ".join(state.hint) or NONE,
    }
