"""Which broker is tried next, in which version of MQTT, and after how long."""

from __future__ import annotations

import logging
from collections import Counter, deque
from random import Random

from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.client import UnsupportedVersion, Version
from daemon.mqtt.errors import BrokerError, ErrorKind
from drivers.backoff import Backoff

log = logging.getLogger("oche.mqtt")

_RETRY = Backoff(0.5, 60.0)
_REFUSED_WAIT_S = 30.0
"""After a refused login: it stays refused until a person changes something, and some brokers ban impatient clients."""
_STABLE_S = 2.0
"""A connection that lasted so long was a good one: a broker that is restarted often is still tried again at once."""
_MAX_BRIEF_WAIT_S = 5.0
"""The longest wait after a connection that was established, however briefly: the broker is there."""
_MAX_HANG_UPS = 2
"""So many in a row in MQTT 5, and the broker may be older than that; one may be an accident."""


class Attempts:
    """The attempts to connect to the brokers of a configuration. Waits for nothing itself."""

    def __init__(self, config: Mqtt) -> None:
        self._brokers = deque(config.brokers())
        self._speak_3: set[BrokerAddress] = set()
        self._speak_5: set[BrokerAddress] = set()
        self._hang_ups: Counter[BrokerAddress] = Counter()
        self._failures = 0
        self._wait_s = 0.0

    @property
    def broker(self) -> BrokerAddress:
        """The broker that is connected, or tried next."""
        return self._brokers[0]

    @property
    def version(self) -> Version:
        """The version that is spoken to it."""
        return "3.1.1" if self.broker in self._speak_3 else "5"

    def fall_back(self, error: Exception, *, was_established: bool) -> bool:
        """Notes a failed connection. Returns True if the broker is to be tried again at once in MQTT 3.1.1.

        Some brokers refuse MQTT 5 by its code, others never answer it. One that answers to neither version is away.
        """
        broker = self.broker
        if self.version == "3.1.1":
            if not was_established:
                self._speak_3.discard(broker)
            return False
        if was_established:
            self._speak_5.add(broker)
        is_refused = isinstance(error, UnsupportedVersion) and error.kind == ErrorKind.DENIED
        self._hang_ups[broker] = self._hang_ups[broker] + 1 if isinstance(error, UnsupportedVersion) else 0
        if not is_refused and (self._hang_ups[broker] < _MAX_HANG_UPS or broker in self._speak_5):
            return False
        log.info("the broker does not answer to MQTT 5: trying 3.1.1")
        self._hang_ups[broker] = 0
        self._speak_3.add(broker)
        return True

    def advance(self, error: Exception, lasted_s: float) -> float:
        """Moves on to the next broker; returns how many seconds to wait before.

        `lasted_s` is how long the connection was established (0: it was not).
        """
        self._brokers.rotate(-1)
        # Of two that drive each other out, one gives way.
        self._failures = 1 if lasted_s > min(self._wait_s, _STABLE_S) else self._failures + 1
        is_login = isinstance(error, BrokerError) and error.kind == ErrorKind.LOGIN
        self._wait_s = _REFUSED_WAIT_S if is_login else _RETRY.delay_s(self._failures, Random())
        if lasted_s:
            self._wait_s = min(self._wait_s, _MAX_BRIEF_WAIT_S)
        return self._wait_s
