"""`oche doctor` on tournaments: may they be published, and do the tables of other daemons answer?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.other_tables import Answers, OtherTables
from daemon.config.sections import Mqtt
from daemon.mqtt.client import Connection
from daemon.mqtt.probe import diagnose_acl
from protocol.sentence import say
from protocol.topics import topic


class TournamentCheck:
    """What is tried over a connection, and with tables of `others`."""

    def __init__(
        self, connection: Connection, others: OtherTables, mqtt: Mqtt, bridge: str, tables: Collection[str]
    ) -> None:
        self._connection = connection
        self._mqtt = mqtt
        self._bridge = bridge
        self._tables = tables
        self._others = others

    async def subscribe(self, tournaments: Iterable[str]) -> list[str]:
        """Subscribes to the echoes of these tournaments; returns their topics."""
        echoes = [topic("echo_tournament", self._mqtt.base, tournament=each) for each in tournaments]
        for each in echoes:
            await self._connection.subscribe(each)
        return echoes

    def check_tournaments(self, silent: Collection[str], answers: Answers) -> Iterator[Check]:
        """Yields what follows from the echoes that are `silent`, and from what other tables answered to `game`."""
        denied, unanswered = {*silent, *answers.denied}, answers.silent
        if denied:
            yield Check("tournaments", "problem", *diagnose_acl(denied, self._mqtt, self._bridge, self._tables))
        for table in unanswered:
            text = say("doctor.table_silent", "the table {name} of a tournament does not answer", name=table)
            needed = (self._others.name_request(table, "game"), self._others.name_answer(table, "game"))
            yield Check("tournaments", "warning", text, self._others.explain_silence(needed))
        if not denied and not unanswered:
            yield Check("tournaments", "ok", say("doctor.tournaments_ok", "the broker accepts what tournaments need"))
