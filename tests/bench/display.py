"""A display: the subscriber that every measurement shares, so that all are seen through the same eyes.

It is paho without a thread or an event loop of its own, in the process that also writes to the wire: one clock, and
as little as can be between the broker's bytes and the stamp.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Self

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.bench.processes import PATIENCE_S, BenchError


class Seen(NamedTuple):
    """A message; `at` is when it came in (monotonic, ns), before anything is made of its payload."""

    topic: str
    payload: bytes
    at: int


class Display:
    """A connection with a few subscriptions, while the block lasts."""

    def __init__(self, port: int, *topics: str) -> None:
        self._seen: deque[Seen] = deque()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._see
        self._client.on_subscribe = lambda *_: self._subscribed.append(True)
        self._subscribed: list[bool] = []
        self._client.connect("127.0.0.1", port)
        self._topics = topics

    def __enter__(self) -> Self:
        self._until(self._client.is_connected, "the broker does not answer")
        self._client.subscribe([(topic, 1) for topic in self._topics])
        self._until(lambda: bool(self._subscribed), "the broker does not answer")
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()

    def publish(self, topic: str, payload: str = "") -> None:
        """Sends a command."""
        self._client.publish(topic, payload, qos=1)

    def await_one(self, topic: str) -> Seen:
        """The next message of this topic."""
        while (seen := self._next(topic)).topic != topic:
            pass
        return seen

    def await_online(self, *topics: str) -> int:
        """When the last of these said `online`; what came before that is of no interest."""
        offline = set(topics)
        at = 0
        while offline:
            seen = self._next(*offline)
            if seen.topic in topics:
                (offline.discard if seen.payload == b"online" else offline.add)(seen.topic)
                at = seen.at
        return at

    def rest(self, seconds: float) -> None:
        """Stays on the line for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._client.loop(left)

    def forget_retained(self) -> None:
        """What the broker kept of the run before is of no interest."""
        self.rest(0.1)
        self._seen.clear()

    def _next(self, *hoped_for: str) -> Seen:
        self._until(lambda: bool(self._seen), f"nothing came on {' and '.join(hoped_for)}")
        return self._seen.popleft()

    def _until(self, is_so: Callable[[], bool], otherwise: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > give_up:
                raise BenchError(f"{otherwise} for {PATIENCE_S:.0f} seconds.")
            self._client.loop(1.0)

    def _see(self, client: Client, userdata: object, message: MQTTMessage) -> None:
        at = time.monotonic_ns()
        self._seen.append(Seen(message.topic, bytes(message.payload), at))
