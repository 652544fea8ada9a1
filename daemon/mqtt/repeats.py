"""Which requests were already taken: one that comes again, by its transaction, gets the first one's answer.

A sender that heard nothing may send its request again for as long as it is remembered here. Only the memory of this
process is asked: whoever repeats requests over a restart of the daemon sends `at` with them, and a request that was
carried out before is refused as stale, because it has moved the match on.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from protocol.commands import CommandError

Reply = asyncio.Future[dict[str, Any]]  # Any: an answer's JSON

_KEPT = 256
"""Requests of one topic, the last ones."""
_KEPT_S = 600.0


class _Taken(NamedTuple):
    at: float
    body: bytes
    reply: Reply


class Repeats:
    """The memory of one bridge. `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: dict[str, OrderedDict[str, _Taken]] = {}

    def find(self, topic: str, transaction: str | None, body: bytes) -> Reply | None:
        """The answer to this request, perhaps still to come; None when it is to be carried out.

        Raises CommandError when its transaction stands for another request.
        """
        known = self._taken.get(topic)
        taken = known.get(transaction) if known and transaction else None
        if taken is None or self._clock() - taken.at > _KEPT_S or _has_come_to_nothing(taken.reply):
            return None
        if taken.body != _digest(body):
            raise CommandError("this transaction was another request: give each request one of its own")
        return taken.reply

    def keep(self, topic: str, transaction: str | None, body: bytes, reply: Reply) -> None:
        """Remembers a request that is carried out; without a transaction there is nothing to know it by."""
        if not transaction:
            return
        known = self._taken.setdefault(topic, OrderedDict())
        known[transaction] = _Taken(self._clock(), _digest(body), reply)
        known.move_to_end(transaction)
        while len(known) > _KEPT or self._clock() - next(iter(known.values())).at > _KEPT_S:
            known.popitem(last=False)


def _has_come_to_nothing(reply: Reply) -> bool:
    """It could not be written down, so trying again is right."""
    error = reply.exception() if reply.done() else None
    return isinstance(error, CommandError) and error.code == "unavailable"


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
