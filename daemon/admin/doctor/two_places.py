"""`oche doctor` on matches in two places: do the other tables answer, and does the broker let this daemon hear them?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from functools import partial

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.other_tables import Answers, OtherTables, find_missing
from daemon.config.sections import Mqtt
from daemon.mqtt.client import Connection
from daemon.mqtt.errors import Diagnosis
from protocol.sentence import say
from protocol.topics import make_filter, topic

_OF_BRIDGES = ("bridge_info", "bridge_state")
_KEPT = (*_OF_BRIDGES, "state", "board_state")
"""What the broker has retained of a table that is there."""
_PASSING = ("event", "league_input", "league_input_taken")
"""What cannot be tried, as only that table writes it: where something else is denied, this most likely is too."""


class TwoPlacesCheck:
    """What is tried over a connection, and with tables of `others`.

    `find_bridge` says which daemon has a table, as far as it was heard; `has_come` is that of OtherTables.
    """

    def __init__(
        self,
        connection: Connection,
        others: OtherTables,
        mqtt: Mqtt,
        has_come: Callable[[str, bytes], bool],
        find_bridge: Callable[[str], str | None],
    ) -> None:
        self._connection = connection
        self._others = others
        self._base = mqtt.base
        self._has_come = has_come
        self._find_bridge = find_bridge

    async def subscribe(self, far: Collection[str]) -> set[str]:
        """Subscribes to what these tables of other daemons say; returns what is denied."""
        denied = set[str]()
        for wanted in sorted({self._name(table, kind) for table in far for kind in (*_KEPT, *_PASSING)}):
            if not await self._connection.subscribe(wanted):
                denied.add(wanted)
        return denied

    async def check_places(
        self,
        far: Collection[str],
        denied: Collection[str],
        answers: Answers,
        diagnose: Callable[[Collection[str]], Diagnosis],
    ) -> AsyncIterator[Check]:
        """Yields what is found of these tables, by the `answers` to `lend`. `diagnose` says what to do about topics."""
        denied, silent = {*denied, *answers.denied}, answers.silent
        there = {*far} - {*silent}
        unheard = await find_missing(
            {(table, kind): partial(self._has_heard, table, kind) for table in there for kind in _KEPT}
        )
        missing = {self._name(*each) for each in unheard} - denied
        if denied:
            yield Check("two places", "problem", *diagnose(denied))
        if missing:
            text = say(
                "doctor.topics_unseen",
                "{given} does not arrive while the rest does, as if it were denied",
                given=", ".join(sorted(missing)),
            )
            passing = {self._name(table, kind) for table, _ in unheard for kind in _PASSING}
            yield Check("two places", "warning", text, diagnose(missing | passing).remedy)
        for table in silent:
            text = say("doctor.far_silent", "the table {name} of a match in two places does not answer", name=table)
            needed = {self._name(table, kind) for kind in (*_KEPT, *_PASSING)}
            needed |= {self._others.name_request(table, "lend"), self._others.name_answer(table, "lend")}
            yield Check("two places", "warning", text, self._others.explain_silence(needed))
        if not denied and not missing and not silent:
            text = say("doctor.two_places_ok", "the broker accepts what matches in two places need")
            yield Check("two places", "ok", text)

    def _name(self, table: str, kind: str) -> str:
        """The topic of this kind, of any bridge or of this table."""
        return make_filter(kind, self._base, table=table)

    def _has_heard(self, table: str, kind: str) -> bool:
        if kind not in _OF_BRIDGES:
            return self._has_come(self._name(table, kind), b"")
        bridge = self._find_bridge(table)
        if bridge is None or kind == "bridge_info":
            return bridge is not None
        return self._has_come(topic(kind, self._base, bridge=bridge), b"online")
