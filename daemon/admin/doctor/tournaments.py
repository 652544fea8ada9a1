"""`oche doctor` on tournaments: may they be published, and do the tables of other daemons answer what is asked of them?

A table of another daemon is asked for a game that nobody has: it refuses that, and nothing changes there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import suppress

import msgspec

from daemon.admin.doctor.checks import Check
from daemon.config.sections import Mqtt
from daemon.mqtt.client import Connection
from daemon.mqtt.message import OutgoingMessage
from daemon.mqtt.probe import ECHO_S, diagnose_acl, make_acl_lines
from protocol.sentence import say
from protocol.topics import topic

_NO_GAME = "a test by oche doctor"
_PAUSE_S = 0.05


class TournamentCheck:
    """What is tried over a connection. `has_come` says whether a message with these bytes in it came on a topic."""

    def __init__(
        self,
        connection: Connection,
        mqtt: Mqtt,
        bridge: str,
        tables: Collection[str],
        has_come: Callable[[str, bytes], bool],
    ) -> None:
        self._connection = connection
        self._mqtt = mqtt
        self._bridge = bridge
        self._tables = tables
        self._has_come = has_come

    async def subscribe(self, tournaments: Iterable[str]) -> list[str]:
        """Subscribes to the echoes of these tournaments; returns their topics."""
        echoes = [topic("echo_tournament", self._mqtt.base, tournament=each) for each in tournaments]
        for each in echoes:
            await self._connection.subscribe(each)
        return echoes

    async def check_tournaments(self, silent: Collection[str], others: Iterable[str]) -> AsyncIterator[Check]:
        """Yields what follows from the echoes that are `silent`, and from what the tables of `others` answer."""
        denied, asked = set(silent), dict[str, str]()
        for table in sorted(others):
            place = topic("request", self._mqtt.base, table=table, command="game")
            transaction = secrets.token_hex(8)
            await self._connection.subscribe(self._answer(table))
            body = msgspec.json.encode({"transaction": transaction, "game": _NO_GAME})
            if await self._connection.publish(OutgoingMessage(place, body, retain=False, qos=1)):
                asked[table] = transaction
            else:
                denied.add(place)
        if denied:
            yield Check("tournaments", "problem", *diagnose_acl(denied, self._mqtt, self._bridge, self._tables))
        unanswered = await self._await_answers(asked)
        for table in unanswered:
            needed = (topic("request", self._mqtt.base, table=table, command="game"), self._answer(table))
            lines = "; ".join(make_acl_lines(needed, self._mqtt, self._bridge, self._tables))
            text = say("doctor.table_silent", "the table {name} of a tournament does not answer", name=table)
            remedy = say(
                "doctor.table_lines",
                "start its oche; if it runs, the access list of the broker may lack these lines: {given}",
                given=lines,
            )
            yield Check("tournaments", "warning", text, remedy)
        if not denied and not unanswered:
            yield Check("tournaments", "ok", say("doctor.tournaments_ok", "the broker accepts what tournaments need"))

    async def _await_answers(self, asked: dict[str, str]) -> list[str]:
        """Returns the tables that have not answered in time."""
        silent = [*asked]
        with suppress(TimeoutError):
            async with asyncio.timeout(ECHO_S):
                while silent:
                    await asyncio.sleep(_PAUSE_S)
                    silent = [each for each in silent if not self._has_come(self._answer(each), asked[each].encode())]
        return silent

    def _answer(self, table: str) -> str:
        return topic("response", self._mqtt.base, table=table, command="game")
