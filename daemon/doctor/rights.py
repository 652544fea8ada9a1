"""`oche doctor` inside the broker: are we let in, are strangers kept out, may everything be said, does it come back?"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator

import aiohttp
import msgspec

from daemon.config import Config, Setup
from daemon.doctor.checkup import Check, problem
from daemon.errors import UserError
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import Connection, Login, OldBroker, Version
from daemon.mqtt.credentials import password
from daemon.mqtt.echo import Echo, echo_topics
from daemon.mqtt.inbox import Letter
from daemon.mqtt.knock import look_closer, refuses_strangers
from daemon.mqtt.shadow import Message
from daemon.mqtt.words import Complaint, Trouble, complain_of_acl, explain
from protocol.messages import Response
from protocol.topics import ATTRIBUTES, ECHO, topic

_NOBODY = "_doctor"
"""Stands for a table in discovery: no table can be called so."""


async def check_rights(
    setup: Setup, where: BrokerAddress, version: Version, *, is_running: bool
) -> AsyncIterator[Check]:
    """The checks behind the door of this broker. `is_running`: there is a daemon that has the same rights."""
    config = setup.config
    client_id = f"oche-{config.bridge.name}"
    try:
        login = Login(f"{client_id}-doctor", config.mqtt.username, password(config.mqtt))
    except UserError:
        return  # said with the credentials
    for attempt in dict.fromkeys((version, "3.1.1")):
        visit = _Visit(config, where, login, attempt)
        try:
            async with visit.connection:
                yield Check("login", "ok", f"{where} let us in as {config.mqtt.username or 'anybody'}, MQTT {attempt}")
                yield await _strangers(config, where, client_id, attempt)
                async for check in visit.checks(is_running=is_running):
                    yield check
        except OldBroker as trouble:
            if attempt == "3.1.1":
                yield await _refused(trouble, config, where, client_id)
        except Trouble as trouble:
            yield await _refused(trouble, config, where, client_id)
            return
        else:
            return


async def _refused(trouble: Trouble, config: Config, where: BrokerAddress, client_id: str) -> Check:
    found = await look_closer(trouble, where, config.mqtt)
    return problem("login", explain(found, where, config.mqtt, client_id))


async def _strangers(config: Config, where: BrokerAddress, client_id: str, version: Version) -> Check:
    if config.mqtt.username is None:
        remedy = "give it logins, and us one; until then hands stay off it (examples: systemd/mosquitto)"
        return Check("strangers", "warning", "whoever reaches the broker can read and command everything", remedy)
    match await refuses_strangers(where, config.mqtt, f"{client_id}-doctor", version):
        case True:
            return Check("strangers", "ok", "nobody gets in without a login, so players' hands may be published")
        case False:
            remedy = "forbid it (mosquitto: allow_anonymous false); until then hands stay off it"
            return Check("strangers", "warning", "the broker lets in whoever has no login", remedy)
    return Check("strangers", "warning", "whether strangers get in could not be seen", "hands stay off the broker")


class _Visit:
    """One connection of the doctor, and all that came in on it."""

    def __init__(self, config: Config, where: BrokerAddress, login: Login, version: Version) -> None:
        self.connection = Connection(where, config.mqtt, login, version, take=self._take, timeout_s=5.0)
        self._mqtt = config.mqtt
        self._config = config
        self._bridge = config.bridge.name
        self._names = tuple(table.name for table in config.table)
        self._is_silent = version == "3.1.1"
        """The broker cannot say that it refuses a publish."""
        self._retained: dict[str, bytes] = {}
        self._seen: set[tuple[str, bytes]] = set()
        self._echo = Echo(echo_topics(self._mqtt.base, self._bridge, self._names, private=False))
        self._kept = Echo(())

    async def checks(self, *, is_running: bool) -> AsyncIterator[Check]:
        """What may be said and heard. All that is retained has come when the echo has."""
        await self.connection.subscribe(self._all("bridge_state", bridge=self._bridge))
        for name in self._names:
            await self.connection.subscribe(self._all("state", table=name))
        for message in self._echo.messages():
            await self.connection.publish(message)
        missing = await self._echo.missing()
        if missing:
            yield problem("commands", complain_of_acl(missing, self._mqtt, self._bridge, self._names))
        else:
            yield Check("commands", "ok", "what is sent to the tables arrives")
        yield await self._memory()
        if is_running:
            yield await _ask_daemon(self._config)
        else:
            yield self._twin()
            yield await self._says(self._family())
        if self._mqtt.discovery != "off":
            yield await self._discovery()

    def _take(self, letter: Letter) -> None:
        self._echo.heard(letter)
        if letter.retained:
            self._retained[letter.topic] = letter.body
            self._kept.heard(letter)
        self._seen.add((letter.topic, letter.body))

    def _all(self, kind: str, **names: str) -> str:
        return topic(kind, self._mqtt.base, **names).removesuffix("state") + "#"

    async def _memory(self) -> Check:
        """Does the broker keep what is retained, for displays that come late?"""
        place = topic("echo", self._mqtt.base, bridge=self._bridge)
        self._kept = Echo([place])
        for message in self._kept.messages():
            await self.connection.publish(message._replace(retain=True))
        await self.connection.subscribe(place)
        missing = await self._kept.missing()
        await self.connection.publish(Message(place, b"", retain=True, qos=1))
        if missing:
            remedy = "displays that come late see nothing: switch retained messages on there, or take another broker"
            return Check("memory", "problem", "the broker does not keep retained messages", remedy)
        return Check("memory", "ok", "the broker keeps what a display needs that comes late")

    def _twin(self) -> Check:
        """Two bridges of one name fight for ever; the daemon of this configuration is not running."""
        if self._retained.get(topic("bridge_state", self._mqtt.base, bridge=self._bridge)) == b"online":
            remedy = "give each its own bridge.name, unless the daemon runs with another state_dir"
            return Check("bridge", "warning", f"another oche is online as {self._bridge}", remedy)
        return Check("bridge", "ok", f"nobody else is online as {self._bridge}")

    def _family(self) -> Iterator[Message]:
        """One message for each kind of topic, which tells a display nothing new: what is retained there already."""
        names = {"base": self._mqtt.base, "bridge": self._bridge}
        for kind in ("bridge_state", "bridge_info"):
            yield self._again(topic(kind, **names))
        for table in self._names:
            for kind in ("board_state", "board_info", "state", "next"):
                yield self._again(topic(kind, self._mqtt.base, table=table))
            yield self._again(topic("attr", self._mqtt.base, table=table, attr=ATTRIBUTES[0]))
            refusal = {"code": "unknown", "message": "nobody asked: this is a test by oche doctor"}
            answer = msgspec.json.encode(Response("error", secrets.token_hex(8), data={}, error=refusal))
            yield Message(topic("response", self._mqtt.base, table=table, command=ECHO), answer, retain=False, qos=1)
            gone = b'{"event_type":"board_offline","session":"doctor","seq":1}'  # true: no daemon runs
            yield Message(topic("event", self._mqtt.base, table=table), gone, retain=False, qos=1)

    def _again(self, place: str) -> Message:
        """Retained as it is; where nothing is, or may be read, nothing is to be deleted either."""
        return Message(place, self._retained.get(place, b""), retain=place in self._retained, qos=1)

    async def _says(self, messages: Iterator[Message]) -> Check:
        denied: list[str] = []
        self._seen.clear()
        sent = [message for message in messages if await self._is_taken(message, denied)]
        if denied:
            return problem("topics", complain_of_acl(denied, self._mqtt, self._bridge, self._names))
        if self._is_silent:
            await self._settle()
            lost = [message.topic for message in sent if (message.topic, message.payload) not in self._seen]
            if lost:
                return problem("topics", complain_of_acl(lost, self._mqtt, self._bridge, self._names))
        return Check("topics", "ok", "the broker takes everything that oche says of bridge and tables")

    async def _is_taken(self, message: Message, denied: list[str]) -> bool:
        is_taken = await self.connection.publish(message)
        if not is_taken:
            denied.append(message.topic)
        return is_taken

    async def _settle(self) -> None:
        """What was sent before has come back when this has."""
        self._echo = Echo([topic("echo", self._mqtt.base, bridge=self._bridge)])
        for message in self._echo.messages():
            await self.connection.publish(message)
        await self._echo.missing()

    async def _discovery(self) -> Check:
        """An empty payload for a device that there is not: Home Assistant takes no notice."""
        names = {"base": self._mqtt.base, "discovery": self._mqtt.discovery_prefix, "table": _NOBODY}
        place = topic("discovery", **names)
        if self._mqtt.discovery == "components":
            place = topic("discovery_component", **names, platform="sensor", entity=ECHO)
        if not await self.connection.publish(Message(place, b"", retain=False, qos=1)):
            return problem("discovery", complain_of_acl([place], self._mqtt, self._bridge, self._names))
        if self._is_silent:
            return Check("discovery", "ok", "sent; whether the broker takes it, MQTT 3.1.1 does not tell")
        return Check("discovery", "ok", "Home Assistant can be told of the tables")


async def _ask_daemon(config: Config) -> Check:
    """What the daemon that runs says of the broker, through its page."""
    host = "127.0.0.1" if config.web.host in ("0.0.0.0", "::") else config.web.host
    silent = Check("daemon", "ok", "it is running; its log says whether the broker takes everything that it says")
    if not (config.web.on and config.web.port):
        return silent
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(5)) as page,
            page.get(f"http://{host}:{config.web.port}/api/broker") as answer,
        ):
            trouble = str((await answer.json())["text"])
    except (aiohttp.ClientError, TimeoutError, ValueError, KeyError):
        return silent
    if trouble:
        what, _, remedy = trouble.partition(": ")
        return problem("daemon", Complaint(f"it says: {what}", remedy))
    return Check("daemon", "ok", "it is running, and connected")
