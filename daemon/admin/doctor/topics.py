"""`oche doctor` inside the broker: may oche publish everything, does it come back, and what do others publish there?

Beside a daemon only echoes are sent, which have no effect. Without one the topics are tried too, with what the broker
already keeps there and not retained, so that nothing changes. An event cannot be tried: displays would show it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from daemon.admin.doctor.checks import RESTART, Check, Name
from daemon.config.sections import BrokerAddress, Config
from daemon.mqtt.client import Connection, Login, Version
from daemon.mqtt.errors import BrokerError, Diagnosis
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from daemon.mqtt.probe import EchoTest, diagnose_acl, diagnose_hang_up
from daemon.release import read_version
from protocol.match_spec import TableName
from protocol.messages import Failure, Response
from protocol.sentence import say
from protocol.topics import (
    ATTRIBUTES,
    ECHO,
    TOPICS,
    TopicError,
    check_name,
    list_command_filters,
    list_echo_topics,
    make_filter,
    parse,
    topic,
)

_PATIENCE_S = 5.0
_NO_TABLE = "_doctor"
"""Stands for a table in discovery; no table can have this name."""
_BRIDGE_KINDS = ("bridge_state", "bridge_info")
_TABLE_KINDS = ("board_state", "board_info", "state", "next", "attr")
_OWN_NAME = say("doctor.own_name", "give one of the two another name below [bridge], and restart it")
_OFTEN_LOST = 3
"""A restart of the broker loses it once or twice."""
_LOSS_S = 60
"""Two bridges of one name lose it once a minute, or more often."""
_T = TypeVar("_T", bound=msgspec.Struct)
_LONGEST = 300
"""More than any sentence of ours has."""


class DoctorClient:
    """One connection of the doctor, and what it received."""

    def __init__(self, config: Config, where: BrokerAddress, login: Login, version: Version) -> None:
        self._mqtt = config.mqtt
        self._bridge = config.bridge.name
        self._lend_to = config.league.lend_to
        self._folder = Path(config.bridge.state_dir)
        self._tables = tuple(table.name for table in config.table)
        self._is_silent = version == "3.1.1"
        """With MQTT 3.1.1 the broker cannot say that it refuses a publish."""
        self._place = topic("echo", self._mqtt.base, bridge=self._bridge)
        self._emptied = OutgoingMessage(self._place, b"", retain=True, qos=1)
        self.connection = Connection(
            where, self._mqtt, login, version, on_message=self._receive, will=self._emptied, timeout_s=_PATIENCE_S
        )
        self._now: dict[str, bytes] = {}
        """The newest of each topic."""
        self._seen: set[tuple[str, bytes]] = set()
        self._has_memory = False
        """A retained message was received."""
        self._echo = EchoTest(())

    def _receive(self, message: IncomingMessage) -> None:
        self._echo.receive(message)
        self._has_memory |= message.retained
        self._now[message.topic] = message.payload
        self._seen.add((message.topic, message.payload))

    def _has_come(self, place: str, part: bytes) -> bool:
        """Whether a message with this in it came on this topic."""
        return any(seen == place and part in payload for seen, payload in self._seen)

    async def checks(self, *, is_alone: bool) -> AsyncIterator[Check]:
        """Yields the checks of what may be published and received. `is_alone`: no daemon of ours runs."""
        await self._subscribe()
        mqtt = self._mqtt
        echoes = list_echo_topics(mqtt.base, self._bridge, self._tables, private=False, requests=mqtt.requests)
        missing = await self._find_silent(echoes)
        if missing:
            yield self._report_denied("commands", missing)
        else:
            yield Check("commands", "ok", say("doctor.arrives", "commands to the tables arrive"))
        if self._place not in missing:
            yield await self._check_retained()
        name = (_check_name_is_free if is_alone else _check_name_is_unique)(self._mqtt.base, self._bridge, self._now)
        if name is not None:
            yield name
        if is_alone and name is not None and name.verdict == "ok":
            yield await self._check_topics()
        async for check in self._check_further():
            yield check
        with suppress(BrokerError):  # some brokers hang up on a client that subscribes to what it may not read
            for kind in _BRIDGE_KINDS:
                await self.connection.subscribe(make_filter(kind, self._mqtt.base))
            await self._find_silent([self._place])
        base, bridge, tables, now = self._mqtt.base, self._bridge, self._tables, self._now
        for check in _check_shared_tables(base, bridge, tables, now):
            yield check
        if not is_alone:
            for check in (*check_tables(base, bridge, tables, now), *check_version(base, bridge, now)):
                yield check

    async def _check_further(self) -> AsyncIterator[Check]:
        """Yields what is found of discovery, and of tournaments and matches in two places, if there are any.

        A broker that hangs up on one of their subscriptions ends them alone.
        """
        try:
            async for check in self._check_uses():
                yield check
        except BrokerError:
            if not self.connection.unanswered:
                raise
            yield self.report_hang_up()

    async def _check_uses(self) -> AsyncIterator[Check]:
        if self._mqtt.discovery != "off":
            yield await self._check_discovery()
        used, far = await self._find_tournaments(), self._find_far_tables()
        if not used and not far:
            return
        from daemon.admin.doctor.other_tables import OtherTables  # noqa: PLC0415
        from daemon.admin.doctor.tournaments import TournamentCheck  # noqa: PLC0415
        from daemon.admin.doctor.two_places import TwoPlacesCheck  # noqa: PLC0415

        others = OtherTables(self.connection, self._mqtt, self._bridge, self._tables, self._has_come)
        tournaments = TournamentCheck(self.connection, others, self._mqtt, self._bridge, self._tables)
        places = TwoPlacesCheck(self.connection, others, self._mqtt, self._has_come, self._find_bridge)
        silent = await self._find_silent(await tournaments.subscribe(used)) if used else frozenset()
        denied = await places.subscribe(far)
        elsewhere = frozenset[str]().union(*used.values()) - {*self._tables}
        answers = await others.ask({"game": elsewhere, "lend": far})
        if used:
            for check in tournaments.check_tournaments(silent, answers["game"]):
                yield check
        if far:
            async for check in places.check_places(far, denied, answers["lend"], self._diagnose):
                yield check

    def _find_far_tables(self) -> frozenset[str]:
        """The tables of other daemons that may be lent to, and those of the match that goes on here or is planned."""
        found = {*self._lend_to}
        for table in self._tables:
            state = _read(self._now.get(topic("state", self._mqtt.base, table=table)), _StatePlaces) or _StatePlaces()
            plan = _read(self._now.get(topic("next", self._mqtt.base, table=table)), _PlanPlaces) or _PlanPlaces()
            found |= {place.table for place in state.places} | {each for each in plan.places if each is not None}
        return frozenset(found) - {*self._tables}

    def _find_bridge(self, table: str) -> str | None:
        """The other bridge that has this table, as far as it was heard."""
        for bridge in _find_other_bridges(self._mqtt.base, self._bridge, self._now):
            info = _read(self._now[topic("bridge_info", self._mqtt.base, bridge=bridge)], _BridgeInfo)
            if info is not None and table in info.tables:
                return bridge
        return None

    async def _find_tournaments(self) -> Mapping[str, Collection[str]]:
        """The tournaments that go on, and their tables."""
        if not (self._folder / "tournaments.db").exists():
            return {}
        from daemon.tournament.store import find_used_tables  # noqa: PLC0415

        return await asyncio.to_thread(find_used_tables, self._folder)

    async def _subscribe(self) -> None:
        base, requests = self._mqtt.base, self._mqtt.requests
        for wanted in list_command_filters(base, self._bridge, self._tables, private=False, requests=requests):
            await self.connection.subscribe(wanted)
        for kind in (*_BRIDGE_KINDS, "bridge_health"):
            await self.connection.subscribe(make_filter(kind, base, bridge=self._bridge))
        for table in self._tables:
            for kind in (*_TABLE_KINDS, "response"):
                await self.connection.subscribe(make_filter(kind, base, table=table))

    async def _find_silent(self, topics: Iterable[str]) -> frozenset[str]:
        """Publishes an echo on each of these topics; returns those that do not come back.

        What the broker had retained, and what was published before, has been received when this returns.
        """
        self._echo = EchoTest(topics)
        for message in self._echo.messages():
            await self.connection.publish(message)
        return await self._echo.find_missing()

    def _diagnose(self, topics: Collection[str]) -> Diagnosis:
        return diagnose_acl(topics, self._mqtt, self._bridge, self._tables)

    def report_hang_up(self) -> Check:
        """Returns the check that names the subscriptions on which the broker has hung up."""
        return Check(
            "topics",
            "problem",
            *diagnose_hang_up(self.connection.unanswered, self._mqtt, self._bridge, self._tables),
        )

    def _report_denied(self, name: Name, topics: Collection[str]) -> Check:
        return Check(name, "problem", *self._diagnose(topics))

    async def _check_retained(self) -> Check:
        """Whether the broker keeps retained messages; tried with one of our own where none was received."""
        if not self._has_memory:
            try:
                await self.connection.publish(OutgoingMessage(self._place, b"is it kept?", retain=True, qos=1))
                await self.connection.subscribe(self._place)
                await self._find_silent([self._place])
            finally:
                await self.connection.publish(self._emptied)
        if not self._has_memory:
            text = say("doctor.forgets", "the broker does not keep retained messages")
            remedy = say(
                "doctor.retain",
                "displays that connect later see nothing: enable retained messages there, or use another broker",
            )
            return Check("retained", "problem", text, remedy)
        text = say(
            "doctor.retained_ok", "the broker keeps retained messages, so displays that connect later show the score"
        )
        return Check("retained", "ok", text)

    async def _check_topics(self) -> Check:
        groups = [list(group) for group in self._list_groups()]
        kept = [place for group in groups for place in group if self._now.get(place)]
        tried = [OutgoingMessage(place, self._now[place], retain=False, qos=1) for place in kept]
        self._seen.clear()
        sent = (*tried, *self._make_answers())
        denied = [message.topic for message in sent if not await self.connection.publish(message)]
        if self._is_silent:
            await self._find_silent([self._place])
            denied = [message.topic for message in sent if (message.topic, message.payload) not in self._seen]
        if denied:
            return self._report_denied("topics", denied)
        present = [place for group in groups if set(kept) & set(group) for place in group]
        missing = [place for place in present if place not in kept and not _may_be_forgotten(place, self._mqtt.base)]
        if missing:
            text = say(
                "doctor.topics_unseen",
                "{given} does not arrive while the rest does, as if it were denied",
                given=", ".join(missing),
            )
            return Check("topics", "warning", text, self._report_denied("topics", missing).remedy)
        if len(kept) < sum(len(group) for group in groups):
            text = say(
                "doctor.topics_tried",
                "the broker accepts everything that can be tested without others noticing; "
                "the running daemon tests the rest",
            )
            return Check("topics", "ok", text)
        return Check(
            "topics",
            "ok",
            say("doctor.topics_ok", "the broker accepts what oche publishes about the bridge and tables"),
        )

    def _list_groups(self) -> Iterator[Iterator[str]]:
        """The retained topics of the bridge and of each table; a daemon publishes all of a group or none."""
        yield (topic(kind, self._mqtt.base, bridge=self._bridge) for kind in _BRIDGE_KINDS)
        for table in self._tables:
            yield (topic(kind, self._mqtt.base, table=table, attr=ATTRIBUTES[0]) for kind in _TABLE_KINDS)

    def _make_answers(self) -> Iterator[OutgoingMessage]:
        """Answers to a request that was never made, for each table."""
        refusal = Failure("unknown", "no such request: this is a test by oche doctor")
        answer = msgspec.json.encode(Response("error", secrets.token_hex(8), data={}, error=refusal))
        for table in self._tables:
            place = topic("response", self._mqtt.base, table=table, command=ECHO)
            yield OutgoingMessage(place, answer, retain=False, qos=1)

    async def _check_discovery(self) -> Check:
        """Whether discovery may be published; tried with an empty payload for a device that does not exist."""
        names = {"base": self._mqtt.base, "discovery": self._mqtt.discovery_prefix, "table": _NO_TABLE}
        kind = "discovery" if self._mqtt.discovery == "device" else "discovery_component"
        place = topic(kind, **names, platform="sensor", entity=ECHO)
        if not await self.connection.publish(OutgoingMessage(place, b"", retain=False, qos=1)):
            return self._report_denied("discovery", [place])
        if self._is_silent:
            text = say("doctor.discovery_sent", "sent; MQTT 3.1.1 does not tell whether the broker accepts it")
            return Check("discovery", "ok", text)
        return Check(
            "discovery",
            "ok",
            say("doctor.discovery_ok", "the broker accepts what Home Assistant needs to find the tables"),
        )


class _TableHealth(msgspec.Struct):
    trouble: str | None = None
    remark: str | None = None
    stuck: tuple[str, ...] = ()


class _BridgeHealth(msgspec.Struct):
    """What is read of a bridge's health, of whatever version."""

    uptime_s: int = 0
    broker_reconnects: int = 0
    tables: dict[str, _TableHealth] = {}


class _BridgeInfo(msgspec.Struct):
    """What is read of a bridge's info, of whatever version."""

    version: str = ""
    tables: tuple[str, ...] = ()


class _Place(msgspec.Struct):
    table: TableName


class _StatePlaces(msgspec.Struct):
    """What is read of the state of a table."""

    places: tuple[_Place, ...] = ()


class _PlanPlaces(msgspec.Struct):
    """What is read of its plan."""

    places: tuple[TableName | None, ...] = ()


class _BoardInfo(msgspec.Struct):
    text: str = ""


def _may_be_forgotten(place: str, base: str) -> bool:
    """Whether nothing may be retained there, though all the rest is: after a power cut nobody says `offline`."""
    address = parse(place, base)
    return address is not None and TOPICS[address.kind].expiry_s is not None


def _check_name_is_free(base: str, bridge: str, now: Mapping[str, bytes]) -> Check:
    """Whether another bridge is online by our name while no daemon of ours runs. `now` is the newest of each topic."""
    if now.get(topic("bridge_state", base, bridge=bridge)) == b"online":
        text = say("doctor.twin", "another oche is online as {name}", name=bridge)
        remedy = say("doctor.unless", "{what}, unless the daemon runs with another state_dir", what=_OWN_NAME)
        return Check("bridge", "warning", text, remedy)
    return Check("bridge", "ok", say("doctor.no_twin", "no other oche is online as {name}", name=bridge))


def _check_name_is_unique(base: str, bridge: str, now: Mapping[str, bytes]) -> Check | None:
    """A warning when our daemon loses the broker as often as two bridges of one name drive each other off it."""
    health = _read(now.get(topic("bridge_health", base, bridge=bridge)), _BridgeHealth) or _BridgeHealth()
    lost, seconds = health.broker_reconnects, health.uptime_s
    if lost < _OFTEN_LOST or seconds > lost * _LOSS_S:
        return None
    text = say(
        "doctor.lost",
        "{name} lost the broker {times} times in {seconds} seconds, as happens when two have the same name",
        name=bridge,
        times=lost,
        seconds=seconds,
    )
    return Check("bridge", "warning", text, _OWN_NAME)


def _check_shared_tables(base: str, bridge: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    """Whether another bridge has a table of ours: both then obey its commands and overwrite each other's messages."""
    others = _find_other_bridges(base, bridge, now)
    found = [check for other in others for check in _compare_tables(base, other, tables, now)]
    text = say("doctor.tables_ok", "no other oche on this broker has a table with the same name")
    yield from found or [Check("duplicates", "ok", text)]


def _find_other_bridges(base: str, bridge: str, now: Mapping[str, bytes]) -> Iterator[str]:
    for text in sorted(now):
        address = parse(text, base)
        if address is not None and address.kind == "bridge_info" and address.names["bridge"] != bridge:
            try:
                yield check_name(address.names["bridge"], "bridge")
            except TopicError:
                continue  # no bridge of oche has such a name, and a terminal should not get it


def _compare_tables(base: str, other: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    place = topic("bridge_info", base, bridge=other)
    info = _read(now[place], _BridgeInfo) or _BridgeInfo()
    for table in tables:
        if table in info.tables:
            text = say(
                "doctor.shared",
                "the table {name} also belongs to another oche, the bridge {given}",
                name=table,
                given=other,
            )
            remedy = say("doctor.own_tables", "give each table its own name")
            if now.get(topic("bridge_state", base, bridge=other)) == b"offline":
                text = say("doctor.offline", "{what}, which is offline", what=text)
                remedy = say(
                    "doctor.forget_bridge",
                    "{what}; if {name} no longer exists: mosquitto_pub -r -n -t {given}",
                    what=remedy,
                    name=other,
                    given=place,
                )
            yield Check("duplicates", "warning", text, remedy)


def check_tables(base: str, bridge: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    """Whether each table keeps what is thrown, and whether its board is there. `now` has the newest of each topic."""
    health = _read(now.get(topic("bridge_health", base, bridge=bridge)), _BridgeHealth) or _BridgeHealth()
    for table in tables:
        said = health.tables.get(table, _TableHealth())
        if said.trouble:
            what, _, how = said.trouble.partition("; ")
            text = say(
                "doctor.keeps_nothing", "{name} is not saving anything: {why}", name=table, why=_make_printable(what)
            )
            yield Check("table", "problem", text, _make_printable(how))
        if said.remark:
            text = say("doctor.remark", "{name}: {what}", name=table, what=_make_printable(said.remark))
            yield Check("table", "warning", text, say("doctor.see_journal", "see journal"))
        if said.stuck:
            stuck = ", ".join(map(_make_printable, said.stuck))
            text = say("doctor.stuck", "the contact of {given} at table {name} stays closed", given=stuck, name=table)
            remedy = say("doctor.free", "free the segment: a dart or its tip may be stuck in it")
            yield Check("table", "warning", text, remedy)
        if now.get(topic("board_state", base, table=table)) == b"offline":
            board = _read(now.get(topic("board_info", base, table=table)), _BoardInfo) or _BoardInfo()
            what, _, how = _make_printable(board.text).partition(": ")
            why = what or say("doctor.why_unknown", "for an unknown reason")
            text = say("doctor.board_offline", "the board of {name} is offline: {why}", name=table, why=why)
            yield Check("table", "warning", text, how)


def check_version(base: str, bridge: str, now: Mapping[str, bytes]) -> Iterator[Check]:
    """Whether the daemon that runs is of the version that is installed."""
    info = _read(now.get(topic("bridge_info", base, bridge=bridge)), _BridgeInfo)
    if info is not None and info.version and info.version != read_version():
        text = say(
            "doctor.old_version",
            "the running daemon is {name}, but {given} is installed",
            name=_make_printable(info.version),
            given=read_version(),
        )
        yield Check("service", "warning", text, RESTART)


def _read(body: bytes | None, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(body or b"", type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def _make_printable(text: str) -> str:
    """The text as a terminal may get it: any client of the broker could have written it."""
    return "".join(each if each.isprintable() else "?" for each in text[:_LONGEST])
