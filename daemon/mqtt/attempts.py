"""Which broker is tried next, in which version of MQTT, and after how long. Nothing waits here."""

from __future__ import annotations

import logging
from collections import Counter, deque
from random import Random

from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import OldBroker, Version
from daemon.mqtt.words import Trouble
from daemon.sections import Mqtt
from drivers.backoff import Backoff

log = logging.getLogger("oche.mqtt")

_RETRY = Backoff(0.5, 60.0)
_REFUSED_WAIT_S = 30.0
"""After a refused login: it stays refused until somebody changes something, and some brokers ban who insists."""
_STANDS_S = 2.0
"""A connection that stood so long was a good one: a broker that is restarted often is still tried again at once."""
_BRIEF_MOST_S = 5.0
"""The longest wait after a connection that stood, however briefly: the broker is there."""
_HANG_UPS = 2
"""In a row, in MQTT 5, and the broker may be older than that; one may be an accident."""


class Attempts:
    """The attempts to be connected: `where` and `version` are those of the next, or of the one that stands."""

    def __init__(self, config: Mqtt) -> None:
        self._is_embedded = config.host is None
        self._brokers = deque(config.brokers())
        self._old: set[BrokerAddress] = set()
        """Those that are spoken to in 3.1.1."""
        self._speaks_5: set[BrokerAddress] = set()
        """Those that have done so."""
        self._hang_ups: Counter[BrokerAddress] = Counter()
        self._failures = 0
        self._wait_s = 0.0

    @property
    def where(self) -> BrokerAddress:
        """The broker."""
        return self._brokers[0]

    @property
    def version(self) -> Version:
        """What is spoken to it."""
        return "3.1.1" if self._is_embedded or self.where in self._old else "5"

    def falls_back(self, error: Exception, *, has_stood: bool) -> bool:
        """Some brokers refuse MQTT 5 by its code, others never answer it. One that answers to neither is just away."""
        where = self.where
        if self.version == "3.1.1":
            if not has_stood:
                self._old.discard(where)
            return False
        if has_stood:
            self._speaks_5.add(where)
        is_refused = isinstance(error, OldBroker) and error.kind == "denied"
        self._hang_ups[where] = self._hang_ups[where] + 1 if isinstance(error, OldBroker) else 0
        if not is_refused and (self._hang_ups[where] < _HANG_UPS or where in self._speaks_5):
            return False
        log.info("the broker does not answer to MQTT 5: trying 3.1.1")
        self._hang_ups[where] = 0
        self._old.add(where)
        return True

    def wait_s(self, error: Exception, stood_s: float) -> float:
        """How long to wait after this one, which stood so many seconds (0: it did not); then it is the next broker."""
        self._brokers.rotate(-1)
        # Of two that drive each other out, one gives way.
        self._failures = 1 if stood_s > min(self._wait_s, _STANDS_S) else self._failures + 1
        is_login = isinstance(error, Trouble) and error.kind == "login"
        self._wait_s = _REFUSED_WAIT_S if is_login else _RETRY.delay_s(self._failures, Random())
        if stood_s:
            self._wait_s = min(self._wait_s, _BRIEF_MOST_S)
        return self._wait_s
