"""`oche doctor` inside the broker: may everything be said, and does it come back?

Nobody must notice. Beside a daemon nothing is said but echoes, which nobody obeys. Without one the topics are tried
too: with what stands there already, and not retained, so that what the broker keeps stays as it is. An event cannot be
tried so: it would be news.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import suppress

import msgspec

from daemon.doctor.checks import Check, Name, problem
from daemon.doctor.others import name_is_free, shared_tables, two_of_a_name
from daemon.doctor.tables import check_tables, check_version
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import Connection, Login, Version
from daemon.mqtt.echo import Echo, echo_topics, ways_in
from daemon.mqtt.inbox import Letter
from daemon.mqtt.shadow import Message
from daemon.mqtt.words import Trouble, complain_of_acl
from daemon.sections import Config
from protocol.messages import Response
from protocol.topics import ATTRIBUTES, ECHO, pattern, topic

_PATIENCE_S = 5.0
_NOBODY = "_doctor"
"""Stands for a table in discovery: no table can be called so."""
_OF_BRIDGE = ("bridge_state", "bridge_info")
_OF_TABLE = ("board_state", "board_info", "state", "next", "attr")


class Visit:
    """One connection of the doctor, and all that came in on it."""

    def __init__(self, config: Config, where: BrokerAddress, login: Login, version: Version) -> None:
        self._mqtt = config.mqtt
        self._bridge = config.bridge.name
        self._tables = tuple(table.name for table in config.table)
        self._is_silent = version == "3.1.1"
        """The broker cannot say that it refuses a publish."""
        self._place = topic("echo", self._mqtt.base, bridge=self._bridge)
        self._emptied = Message(self._place, b"", retain=True, qos=1)
        self.connection = Connection(
            where, self._mqtt, login, version, take=self._take, will=self._emptied, timeout_s=_PATIENCE_S
        )
        self._now: dict[str, bytes] = {}
        """The newest of each topic."""
        self._seen: set[tuple[str, bytes]] = set()
        self._has_memory = False
        """Something came that the broker had kept."""
        self._echo = Echo(())

    def _take(self, letter: Letter) -> None:
        self._echo.heard(letter)
        self._has_memory |= letter.retained
        self._now[letter.topic] = letter.body
        self._seen.add((letter.topic, letter.body))

    async def checks(self, *, is_alone: bool) -> AsyncIterator[Check]:
        """What may be said and heard, and who else is there. `is_alone`: no daemon of ours runs."""
        await self._listen()
        missing = await self._call(echo_topics(self._mqtt.base, self._bridge, self._tables, private=False))
        if missing:
            yield self._denied("commands", missing)
        else:
            yield Check("commands", "ok", "what is sent to the tables arrives")
        if self._place not in missing:
            yield await self._memory()
        name = (name_is_free if is_alone else two_of_a_name)(self._mqtt.base, self._bridge, self._now)
        if name is not None:
            yield name
        if is_alone and name is not None and name.verdict == "ok":
            yield await self._topics()
        if self._mqtt.discovery != "off":
            yield await self._discovery()
        with suppress(Trouble):  # some brokers hang up on who asks for what is not his
            for kind in _OF_BRIDGE:
                await self.connection.subscribe(pattern(kind, self._mqtt.base))
            await self._call([self._place])
        for check in self._tell(is_alone=is_alone):
            yield check

    def _tell(self, *, is_alone: bool) -> Iterator[Check]:
        """What others have said, and our own daemon."""
        base, bridge, tables, now = self._mqtt.base, self._bridge, self._tables, self._now
        yield from shared_tables(base, bridge, tables, now)
        if not is_alone:
            yield from check_tables(base, bridge, tables, now)
            yield from check_version(base, bridge, now)

    async def _listen(self) -> None:
        base = self._mqtt.base
        for wanted in ways_in(base, self._bridge, self._tables, private=False):
            await self.connection.subscribe(wanted)
        for kind in (*_OF_BRIDGE, "bridge_health"):
            await self.connection.subscribe(pattern(kind, base, bridge=self._bridge))
        for table in self._tables:
            for kind in (*_OF_TABLE, "response"):
                await self.connection.subscribe(pattern(kind, base, table=table))

    async def _call(self, topics: Iterable[str]) -> frozenset[str]:
        """The topics on which we do not hear ourselves. What was kept, or sent before, has come when this has."""
        self._echo = Echo(topics)
        for message in self._echo.messages():
            await self.connection.publish(message)
        return await self._echo.missing()

    def _denied(self, name: Name, topics: Collection[str]) -> Check:
        return problem(name, complain_of_acl(topics, self._mqtt, self._bridge, self._tables))

    async def _memory(self) -> Check:
        """Does the broker keep what is retained? Seen from what is there, or tried where nothing is."""
        if not self._has_memory:
            try:
                await self.connection.publish(Message(self._place, b"is it kept?", retain=True, qos=1))
                await self.connection.subscribe(self._place)
                await self._call([self._place])
            finally:
                await self.connection.publish(self._emptied)
        if not self._has_memory:
            remedy = "displays that come late see nothing: switch retained messages on there, or take another broker"
            return Check("memory", "problem", "the broker does not keep retained messages", remedy)
        return Check("memory", "ok", "the broker keeps what a display needs that comes late")

    async def _topics(self) -> Check:
        groups = [list(group) for group in self._groups()]
        tried = [
            Message(place, self._now[place], retain=False, qos=1)
            for group in groups
            for place in group
            if self._now.get(place)
        ]
        self._seen.clear()
        sent = (*tried, *self._answers())
        denied = [message.topic for message in sent if not await self.connection.publish(message)]
        if self._is_silent:
            await self._call([self._place])
            denied = [message.topic for message in sent if (message.topic, message.payload) not in self._seen]
        if denied:
            return self._denied("topics", denied)
        there = {message.topic for message in tried}
        missing = [place for group in groups if there & set(group) for place in group if place not in there]
        if missing:
            text = f"{', '.join(missing)} cannot be seen there while the rest can, as if it were denied"
            return Check("topics", "warning", text, self._denied("topics", missing).remedy)
        if len(there) < sum(len(group) for group in groups):
            return Check(
                "topics", "ok", "the broker takes what can be tried unseen; the rest the daemon sees when it runs"
            )
        return Check("topics", "ok", "the broker takes what oche says of bridge and tables")

    def _groups(self) -> Iterator[Iterator[str]]:
        """Topics of the bridge and of each table, one of each kind that is retained; a daemon says all of a group."""
        yield (topic(kind, self._mqtt.base, bridge=self._bridge) for kind in _OF_BRIDGE)
        for table in self._tables:
            yield (topic(kind, self._mqtt.base, table=table, attr=ATTRIBUTES[0]) for kind in _OF_TABLE)

    def _answers(self) -> Iterator[Message]:
        """To a request that nobody made."""
        refusal = {"code": "unknown", "message": "nobody asked: this is a test by oche doctor"}
        answer = msgspec.json.encode(Response("error", secrets.token_hex(8), data={}, error=refusal))
        for table in self._tables:
            place = topic("response", self._mqtt.base, table=table, command=ECHO)
            yield Message(place, answer, retain=False, qos=1)

    async def _discovery(self) -> Check:
        """An empty payload for a device that there is not: Home Assistant takes no notice."""
        names = {"base": self._mqtt.base, "discovery": self._mqtt.discovery_prefix, "table": _NOBODY}
        kind = "discovery" if self._mqtt.discovery == "device" else "discovery_component"
        place = topic(kind, **names, platform="sensor", entity=ECHO)
        if not await self.connection.publish(Message(place, b"", retain=False, qos=1)):
            return self._denied("discovery", [place])
        if self._is_silent:
            return Check("discovery", "ok", "sent; whether the broker takes it, MQTT 3.1.1 does not tell")
        return Check("discovery", "ok", "Home Assistant can be told of the tables")
