"""The state of the link to the broker in one sentence, for the log and for everything that shows its trouble."""

from __future__ import annotations

import logging
from collections.abc import Collection

from daemon.config.sections import Mqtt
from daemon.mqtt.message import OutgoingMessage
from daemon.mqtt.packet_limit import estimate_bytes
from daemon.mqtt.probe import diagnose_acl, diagnose_packet_limit
from daemon.part import BrokerTrouble
from protocol.topics import parse

log = logging.getLogger("oche.mqtt")

CONNECTED = "connected"
"""How the status begins when there is a connection."""


class BrokerStatus:
    """The state of the link in one sentence, for the log; `trouble` is called when it is bad, and when that is over."""

    def __init__(self, config: Mqtt, bridge: str, tables: Collection[str], trouble: BrokerTrouble) -> None:
        self.sentence = "not connected yet"
        self.trouble = trouble
        self.denied: set[str] = set()
        """Topics that the broker does not let us use."""
        self._takeover = ""
        """That another client of our name has taken the last connection, until one has stood for a while."""
        self._longest = 0
        self._too_long: dict[str, int] = {}
        """The bytes of each message that the broker does not take, by its topic; it takes `longest`."""
        self._config = config
        self._bridge = bridge
        self._tables = tables
        self._fields = {"broker": " ".join(str(each) for each in config.brokers())}

    def record_publish(self, message: OutgoingMessage, *, is_accepted: bool) -> None:
        """Notes whether the broker accepted a message.

        A refused deletion does not matter, nor a refused response on a topic that a client named.
        """
        self._too_long.pop(message.topic, None)  # it was sent, so it fits
        if is_accepted or not message.payload:
            self.denied.discard(message.topic)
            return
        address = parse(message.topic, self._config.base)
        if message.retain or (address is not None and address.kind == "response"):
            self.denied.add(message.topic)

    def record_too_long(self, message: OutgoingMessage, longest: int) -> None:
        """Notes a message that was not sent."""
        self._longest = longest
        self._too_long[message.topic] = estimate_bytes(message)

    def forget(self) -> None:
        """Forgets what the last connection showed: the broker may have been told otherwise."""
        self.denied.clear()
        self._too_long.clear()

    def record_echoes(self, tried: Collection[str], missing: Collection[str]) -> None:
        """Notes which of the topics that were tried did not come back: the broker denies those."""
        self.denied = self.denied - {*tried} | {*missing}

    def report_takeover(self, sentence: str) -> None:
        """Reports that another client of our name has taken the connection.

        It stays the status while the next one stands as well, which is taken in a moment too.
        """
        self._takeover = sentence
        self.report(sentence)

    def forget_takeover(self) -> None:
        """Forgets that: a connection has stood for longer than two of one name let each other."""
        self._takeover = ""

    def report_connected(self) -> None:
        """Reports that there is a connection, what the broker denies, and what is too long for it."""
        if self._takeover:
            self.report(self._takeover)
        elif self.denied:
            self.report(f"{CONNECTED}, but {diagnose_acl(self.denied, self._config, self._bridge, self._tables)}")
        elif self._too_long:
            name, needed = max(self._too_long.items(), key=lambda item: item[1])
            self.report(f"{CONNECTED}, but {diagnose_packet_limit(self._longest, needed, name)}")
        else:
            self.report(CONNECTED)

    def report(self, sentence: str) -> None:
        """Logs the sentence and tells of the trouble, if it has changed."""
        if sentence != self.sentence:
            is_fine = sentence == CONNECTED
            log.log(logging.INFO if is_fine else logging.WARNING, "broker: %s", sentence, extra=self._fields)
            self.sentence = sentence
            self.trouble.tell("" if is_fine else sentence)
