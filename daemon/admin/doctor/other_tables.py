"""`oche doctor` asks tables of other daemons for what they refuse: they answer, and nothing changes there."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from daemon.config.sections import Mqtt
from daemon.mqtt.client import Connection
from daemon.mqtt.message import OutgoingMessage
from daemon.mqtt.probe import ECHO_S, make_acl_lines
from protocol.sentence import Sentence, say
from protocol.topics import topic

T = TypeVar("T")

_NOTHING = "a test by oche doctor"
"""The name of no game, and of no table."""
_PAUSE_S = 0.05


class Answers(NamedTuple):
    """The topics on which the broker lets nobody ask, and the tables that were asked and did not answer."""

    denied: frozenset[str]
    silent: tuple[str, ...]


class OtherTables:
    """Those of other daemons, over a connection. `has_come` says whether a message with these bytes came on a topic."""

    def __init__(
        self,
        connection: Connection,
        mqtt: Mqtt,
        bridge: str,
        own: Collection[str],
        has_come: Callable[[str, bytes], bool],
    ) -> None:
        """`own`: the tables of this daemon, which is the `bridge`."""
        self._connection = connection
        self._mqtt = mqtt
        self._bridge = bridge
        self._own = own
        self._has_come = has_come

    def name_request(self, table: str, command: str) -> str:
        """The topic on which it is asked."""
        return topic("request", self._mqtt.base, table=table, command=command)

    def name_answer(self, table: str, command: str) -> str:
        """The topic on which it answers."""
        return topic("response", self._mqtt.base, table=table, command=command)

    async def ask(self, wanted: Mapping[str, Iterable[str]]) -> dict[str, Answers]:
        """Gives tables the commands `game` and `lend`, of something that there is not, and awaits all answers at once.

        `wanted` and what is returned are by the command.
        """
        denied = {command: set[str]() for command in wanted}
        asked = dict[tuple[str, str], Callable[[], bool]]()
        for command, table in ((command, table) for command, tables in wanted.items() for table in sorted(tables)):
            place, answer = self.name_request(table, command), self.name_answer(table, command)
            transaction = secrets.token_hex(8)
            await self._connection.subscribe(answer)
            body = msgspec.json.encode({"transaction": transaction, command: _NOTHING})
            if await self._connection.publish(OutgoingMessage(place, body, retain=False, qos=1)):
                asked[command, table] = partial(self._has_come, answer, transaction.encode())
            else:
                denied[command].add(place)
        silent = await find_missing(asked)
        return {
            command: Answers(frozenset(denied[command]), tuple(sorted(table for to, table in silent if to == command)))
            for command in wanted
        }

    def explain_silence(self, needed: Iterable[str]) -> Sentence:
        """What to do where a table does not answer that needs these topics for it."""
        lines = "; ".join(make_acl_lines(needed, self._mqtt, self._bridge, self._own))
        return say(
            "doctor.table_lines",
            "start its oche; if it runs, the access list of the broker may lack these lines: {given}",
            given=lines,
        )


async def find_missing(wanted: Mapping[T, Callable[[], bool]]) -> frozenset[T]:
    """Returns those that have not come in time; the functions say whether they have."""
    waiting = [*wanted]
    with suppress(TimeoutError):
        async with asyncio.timeout(ECHO_S):
            while waiting:
                await asyncio.sleep(_PAUSE_S)
                waiting = [each for each in waiting if not wanted[each]()]
    return frozenset(waiting)
