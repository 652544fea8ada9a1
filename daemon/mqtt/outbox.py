"""What is still to be sent to the broker, and a copy of everything retained.

A broker without persistence forgets, so on every connect all that is retained is sent again. Of a retained topic only
the newest value is sent; an event that could not be sent is dropped, because an effect is better missed than late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

import msgspec

from daemon.languages import translate
from daemon.mqtt.message import OutgoingMessage
from daemon.table.effects import Update
from protocol.messages import BridgeResponse, Response, SeatState, SeatView, State, make_attributes
from protocol.topics import TOPICS, parse, topic

_ORDER = (*(kind for kind in TOPICS if kind != "bridge_state"), "bridge_state")
"""The availability of the bridge is sent last: a display that sees it can trust everything else."""
_MAX_WAITING = 500
"""Events and responses are dropped while so many messages wait for a slow broker."""


class Outbox:
    """The outbox of one bridge. `base` is the first part of every topic, `language` that of its sentences."""

    def __init__(self, base: str, language: str = "en") -> None:
        self._base = base
        self._language = language
        self._retained: dict[str, OutgoingMessage] = {}
        # Waiting messages, by topic if retained: first new states (a number on the wall waits for no other table's
        # lamps), then what else is new, then what is sent once more.
        self._states: dict[object, OutgoingMessage] = {}
        self._pending: dict[object, OutgoingMessage] = {}
        self._again: dict[str, OutgoingMessage] = {}
        self._availability: str | None = None
        """The topic of the availability of the bridge, once there is one."""
        self._seat_counts: dict[str, int] = {}
        """How many seats of each table have a retained hand."""
        self.connections = 0
        """How often `begin_connection` was called."""
        self._listener: Callable[[bool], None] | None = None
        self.unread: set[str] = set()
        """The topics that no client reads, as far as the broker has said so."""
        self.delivered = asyncio.Event()
        """Set while the broker has everything; the sender sets it."""

    def follow(self, listener: Callable[[bool], None] | None) -> None:
        """Calls this when there is something to send from now on, with True for a state; None: nothing is called."""
        self._listener = listener

    @property
    def is_followed(self) -> bool:
        """Whether what is added now is sent at once: everything retained was sent on the present connection."""
        return self._listener is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is waiting to be sent."""
        return not (self._states or self._pending or self._again)

    @property
    def retained(self) -> set[str]:
        """The topics that have a retained value."""
        return {text for text, message in self._retained.items() if message.payload}

    def put(self, kind: str, value: object, **names: str) -> None:
        """Adds a message of this kind; a retained one only if its value is new. "" empties a retained topic."""
        found = TOPICS[kind]
        payload = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
        expiry_s = None if payload == b"offline" else found.expiry_s
        message = OutgoingMessage(topic(kind, self._base, **names), payload, found.retain, found.qos, expiry_s)
        if kind == "bridge_state":
            self._availability = message.topic
        if not message.retain:
            if len(self._pending) < _MAX_WAITING:
                self._add(object(), message)
        elif self._retained.get(message.topic) != message:
            self._retained[message.topic] = message
            self._add(message.topic, message, is_state=kind == "state")

    async def deliver(self, kind: str, value: object, **names: str) -> bool:
        """Does as `put`, and returns once the broker has the message; False if it may have got lost with the link."""
        if not self.is_followed:
            return False
        connections = self.connections
        self.put(kind, value, **names)
        await self.delivered.wait()
        return self.connections == connections

    def put_response(self, value: Response | BridgeResponse, text: str, correlation: bytes | None) -> None:
        """Adds a response on this topic, which may be the client's own."""
        if len(self._pending) < _MAX_WAITING:
            payload = msgspec.json.encode(value)
            self._add(object(), OutgoingMessage(text, payload, False, 1, correlation=correlation, response=value))

    def put_once(self, text: str, value: object) -> None:
        """Adds a message on this topic for present subscribers; what is retained there stays."""
        self._add(object(), OutgoingMessage(text, msgspec.json.encode(value), False, 1))

    def clear(self, text: str) -> None:
        """Removes what is retained on this topic, this once: at the next connect it may be another client's."""
        self._add(text, OutgoingMessage(text, b"", True, 1))

    def remove(self, text: str) -> None:
        """Removes what is retained on this topic of our own: it is not sent again at the next connect."""
        self._retained.pop(text, None)
        self.clear(text)

    def resend(self, kind: str | None = None, **names: str) -> None:
        """Sends again what is retained on this topic, or on all, after everything new."""
        wanted = None if kind is None else topic(kind, self._base, **names)
        for text, message in self._sort_retained():
            if wanted in (None, text) and message.payload and text not in (*self._states, *self._pending):
                self._again.pop(text, None)  # to its place in the order
                self._again[text] = message
                self._wake()

    def renew(self) -> None:
        """Sends every `online` once more as if it were new, for a broker that forgets it after a while.

        To be called when everything else was sent once.
        """
        for text, message in self._retained.items():
            if message.payload == b"online" and message.expiry_s is not None:
                self._add(text, message)

    def begin_connection(self) -> None:
        """Sends again all that is retained, in the order of the topic registry, and drops waiting events."""
        self.connections += 1
        self._states.clear()
        self._pending.clear()
        self._again = dict(self._sort_retained())
        self._wake()

    def put_update(self, update: Update) -> None:
        """Adds the messages of an update: board and state first, because displays look at them when an event comes."""
        if update.board is not None:
            self.put("board_state", "online" if update.board.online else "offline", table=update.table)
            self.put("board_info", update.board.info, table=update.table)
        if update.state is not None:
            self.put("state", update.state, table=update.table)
        for event in update.events:
            self.put("event", event, table=update.table)
        if update.state is not None:
            for name, value in self._say_attributes(update.state).items():
                self.put("attr", value, table=update.table, attr=name)
        if update.plan is not None:
            self.put("next", update.plan, table=update.table)

    def _say_attributes(self, state: State) -> dict[str, str]:
        """The plain values, with the sentences in the language of this bridge."""
        found = make_attributes(state)
        if self._language != "en":
            sentences = {"task": state.task, "variant": state.variant}
            found |= {name: translate(said, self._language) for name, said in sentences.items() if said}
        return found

    def put_hands(self, table: str, hands: Sequence[State]) -> None:
        """Adds what each seat may see, and empties the topics of seats that had a hand before."""
        for seat, state in enumerate(hands):
            view = SeatView(state.targets, state.hint, state.board)
            own = SeatState(seat, state.match, state.line, view, tuple(p for p in state.prompts if p.seat == seat))
            self.put("seat_state", own, table=table, seat=str(seat))
        for empty in range(len(hands), self._seat_counts.get(table, 0)):
            self.put("seat_state", "", table=table, seat=str(empty))
        self._seat_counts[table] = len(hands)

    def take(self, busy: Collection[str] = ()) -> OutgoingMessage | None:
        """Removes and returns the next message whose topic is not `busy`; None when there is none.

        An event waits for the state of its table. The availability of the bridge, where it is sent again, waits until
        nothing else is and no topic is busy.
        """
        for waiting in (self._states, self._pending):
            for key, message in waiting.items():
                if message.topic not in busy and not self._waits_for_state(message):
                    return waiting.pop(key)
        for text in self._again:
            if text not in busy and (text != self._availability or (not busy and len(self._again) == 1)):
                return self._again.pop(text)
        return None

    def _waits_for_state(self, message: OutgoingMessage) -> bool:
        if message.retain or not self._states:
            return False
        table, _, kind = message.topic.rpartition("/")
        return kind == "event" and f"{table}/state" in self._states

    def _add(self, key: object, message: OutgoingMessage, *, is_state: bool = False) -> None:
        """A message that replaces another keeps its place: else a topic that changes all the time would starve."""
        if message.retain:
            self._again.pop(message.topic, None)
        here, there = (self._states, self._pending) if is_state else (self._pending, self._states)
        there.pop(key, None)
        here[key] = message
        self._wake(is_state=is_state)

    def _wake(self, *, is_state: bool = False) -> None:
        self.delivered.clear()
        if self._listener is not None:
            self._listener(is_state)

    def _sort_retained(self) -> list[tuple[str, OutgoingMessage]]:
        return sorted(self._retained.items(), key=lambda item: self._rank(item[0]))

    def _rank(self, text: str) -> int:
        address = parse(text, self._base)
        return _ORDER.index(address.kind) if address else len(_ORDER)
