"""How we stand with the broker, in one sentence: on the log, and for whoever watches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from daemon.mqtt.shadow import Message
from daemon.mqtt.words import complain_of_acl
from daemon.sections import Mqtt
from protocol.topics import parse

log = logging.getLogger("oche.mqtt")

CONNECTED = "connected"
"""How the sentence begins when it is good news."""


class Standing:
    """The standing of one bridge with these tables."""

    def __init__(self, config: Mqtt, bridge: str, tables: Collection[str]) -> None:
        self.sentence = "not connected yet"
        self.watchers: list[Callable[[str], None]] = []
        """Told the sentence when there is trouble, and "" when it is over."""
        self._config = config
        self._bridge = bridge
        self._tables = tables
        self._where = {"broker": " ".join(str(each) for each in config.brokers())}
        self._denied: set[str] = set()
        """Topics that the broker does not let us use."""

    def restart(self) -> None:
        """A new connection: what it allows is not known."""
        self._denied.clear()

    def note(self, message: Message, *, is_taken: bool) -> None:
        """Whether the broker took a message. Nobody misses a deletion, or an answer on a topic that is not ours."""
        if is_taken:
            self._denied.discard(message.topic)
            return
        address = parse(message.topic, self._config.base)
        if message.payload and (message.retain or (address is not None and address.kind == "response")):
            self._denied.add(message.topic)

    def judge(self, said: frozenset[str], missing: frozenset[str]) -> None:
        """Of what was said on these topics, this did not come back."""
        self._denied = (self._denied - said) | missing

    @property
    def is_free(self) -> bool:
        """The broker allows all that we have tried."""
        return not self._denied

    def connected(self) -> None:
        """Says that all is well, but for what the broker does not allow."""
        if self._denied:
            self.say(f"{CONNECTED}, but {complain_of_acl(self._denied, self._config, self._bridge, self._tables)}")
        else:
            self.say(CONNECTED)

    def say(self, sentence: str) -> None:
        """Says it where it has changed."""
        if sentence != self.sentence:
            is_fine = sentence == CONNECTED
            log.log(logging.INFO if is_fine else logging.WARNING, "broker: %s", sentence, extra=self._where)
            self.sentence = sentence
            for watcher in self.watchers:
                watcher("" if is_fine else sentence)
