"""Lets Home Assistant find the tables: announces each, again when its entities change, and takes back what has gone.

A table is announced as a whole device in one message, or with a message for each of its entities; so is the bridge
itself where the configuration gives it entities. Announcements are retained, and sent again when Home Assistant has
started. After each there is a pause: Home Assistant passes over the rest of a message that names an entity which it is
still busy with. What was announced is kept in a file, so that the next run can take it back.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from daemon import files
from daemon.config.sections import Config, Web
from daemon.home_assistant.entities import (
    BATTERY,
    IDENTIFY,
    SPOKEN,
    TOURNAMENT,
    Component,
    Entity,
    TableAddress,
    list_bridge_entities,
    list_game_entities,
    list_table_entities,
    make_answer,
    make_component,
    name_entity,
    open_options,
)
from daemon.http.addresses import is_any, is_loopback
from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import AnnouncedEntities, Platforms, PublishedFile
from daemon.part import Part
from daemon.release import find_project_url, read_version
from daemon.rules import Guard
from daemon.table.effects import Update
from daemon.table.table import Table
from engine.games import Routines
from protocol.messages import Plan
from protocol.topics import topic

log = logging.getLogger("oche.discovery")

SETTLE_S = 2.0
"""The pause after an announcement."""
BIRTH_S = 2.0
"""Everything is sent again at a random moment within this time after Home Assistant has started: others do so too."""
MIGRATE = {"migrate_discovery": True}
_HOMEPAGE = find_project_url("Homepage")
ORIGIN = {"name": "oche", "sw_version": read_version()} | ({"support_url": _HOMEPAGE} if _HOMEPAGE else {})
"""The program that announces the tables."""


class Device(Struct, frozen=True, omit_defaults=True):
    """A table or the bridge, as Home Assistant lists it."""

    identifiers: tuple[str, ...]
    name: str
    manufacturer: str
    model: str
    sw_version: str
    configuration_url: str | None = None


class AnnouncedEntity(Struct, frozen=True):
    """An entity by its name and platform, as Home Assistant lists it."""

    name: str
    platform: str


class AnnouncedDevice(Struct, frozen=True):
    """A table or the bridge with its entities."""

    name: str
    entities: tuple[AnnouncedEntity, ...]


class Announced(Struct, frozen=True):
    """What is announced, and what is known of Home Assistant.

    `online`: it has said so. `unread`: the broker says that no client reads the announcements. Else `unknown`, for Home
    Assistant speaks only when it starts and ends.
    """

    devices: tuple[AnnouncedDevice, ...]
    home_assistant: Literal["online", "unread", "unknown"]


NOT_ANNOUNCED = Announced((), "unknown")
"""What is announced without MQTT."""


class _TableFacts(Struct):
    plan: Plan
    options: tuple[str, ...] = ()
    has_battery: bool = False
    sides: tuple[str, ...] = ()
    """The names of the first two sides."""
    unit: str = "points"
    """What the scores of the game count."""

    @property
    def key(self) -> object:
        """Changes whenever the entities do."""
        return self.plan.game, self.options, self.has_battery, self.sides, self.unit


_Change = tuple[str, Sequence[Entity], Platforms]
"""A table that is to be announced, its entities, and the platforms of those that it had before."""


class Discovery(Part):
    """A Part, to receive updates after the link to the broker. `page` is the address of the page.

    The link hands what comes on the topics of `listeners` to these, and empties `topics_of_gone` first: those where
    tables are announced that are not configured any more. `tournament` is the id of a tournament that an earlier run
    has announced and that is still there.

    Raises UserError when the file with the id of this bridge cannot be used.
    """

    def __init__(
        self,
        config: Config,
        tables: Mapping[str, Table],
        outbox: Outbox,
        page: str | None,
        published: PublishedFile,
        guard: Guard,
        routines: Routines,
        tournament: str = "",
    ) -> None:
        self._config = config
        self._guard = guard
        self._routines = routines
        self._tables = tables
        self._outbox = outbox
        self._is_online = False
        self._page = page
        self._form, self._prefix = config.mqtt.discovery, config.mqtt.discovery_prefix
        self._published = published
        self._id = read_bridge_id(Path(config.bridge.state_dir))
        self._bridge = f"bridge_{config.bridge.name}"
        """Stands for the bridge where the names of tables are, none of which can have a "_"."""
        self._tournament = tournament
        self._names = {*tables, *([self._bridge] if self._list_entities(self._bridge) else [])}
        self._current, self._stale = self._sort(published.announced)
        self._facts = {
            name: _TableFacts(table.committed.plan, has_battery=BATTERY.key in self._current.tables.get(name, {}))
            for name, table in tables.items()
        }
        self.topics_of_gone = self._list_topics_of_gone()
        self._changed = set(self._names)
        self._news, self._birth = asyncio.Event(), asyncio.Event()
        status = topic("home_assistant", config.mqtt.base, discovery=self._prefix)
        self.listeners = {} if self._form == "off" else {status: self._receive_status}
        for table in tables.values():
            self.publish(table.everything)
        if not self._list_topics_to_migrate():  # before the link runs: part of what is sent at its first connect
            changes = self._take_changes()
            self._published.save(announced=[self._current, *self._stale])
            self._put(changes)

    def publish(self, update: Update) -> None:
        """Announces the table again if the update changes its entities."""
        facts = self._facts.get(update.table)
        if facts is None:
            return
        before = facts.key
        if update.plan is not None:
            facts.plan = update.plan
        if update.state is not None:
            facts.options = open_options(update.state)
            facts.sides = tuple(side.name for side in update.state.sides[:2])
            facts.unit = str(update.state.board.get("unit", "points"))
        if update.board is not None and update.board.info.battery is not None:
            facts.has_battery = True
        if facts.key != before:
            self._changed.add(update.table)
            self._news.set()

    def show_tournament(self, tournament: str | None) -> None:
        """Announces entities of the bridge that show this tournament; None: takes them back."""
        if (tournament or "") == self._tournament:
            return
        self._tournament = tournament or ""
        self._names -= {self._bridge}
        self._names |= {self._bridge} if self._list_entities(self._bridge) else set()
        self._changed.add(self._bridge)
        self._news.set()

    def describe(self) -> Announced:
        """Returns what is announced now."""
        if self._form == "off":
            return Announced((), "unknown")
        topics = set(list_announced_topics(self._current, self._config.mqtt.base))
        devices = tuple(
            AnnouncedDevice(
                self._device(name).name,
                tuple(AnnouncedEntity(each.name, each.platform) for each in self._list_entities(name)),
            )
            for name in sorted(self._names)
        )
        is_unread = bool(topics) and topics <= self._outbox.unread
        return Announced(devices, "online" if self._is_online else "unread" if is_unread else "unknown")

    async def run(self) -> None:
        """Announces until cancelled."""
        if self._list_topics_to_migrate():
            await self._migrate()
        async with asyncio.TaskGroup() as parts:
            parts.create_task(self._take_back())
            parts.create_task(self._announce_news())
            parts.create_task(self._answer_birth())

    # What changes

    async def _announce_news(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            for name in await self._announce_changes():
                await asyncio.sleep(SETTLE_S)
                self._outbox.resend("next", table=name)  # its new entities read it
                self._outbox.resend("tournament_state", tournament=self._tournament)

    async def _announce_changes(self) -> list[str]:
        changes = self._take_changes()
        announced = [self._current, *self._stale]
        await self._published.keep(announced=announced, tournament=self._tournament)  # before anything is published
        self._put(changes)
        return [name for name, _, _ in changes]

    def _take_changes(self) -> list[_Change]:
        """Returns what is to be announced now, and notes it in what is kept."""
        changed, self._changed = self._changed, set()
        return [self._take_change(name) for name in changed if self._form != "off"]

    def _take_change(self, name: str) -> _Change:
        entities = self._list_entities(name)
        now = {entity.key: entity.platform for entity in entities}
        known = self._current.tables.setdefault(name, {})
        former = {key: platform for key, platform in known.items() if key not in now}
        known |= now
        return name, entities, former

    def _put(self, changes: Iterable[_Change]) -> None:
        for name, entities, former in changes:
            self._announce(name, entities, former)

    def _announce(self, name: str, entities: Sequence[Entity], former: Platforms) -> None:
        address, device = self._address(name), self._device(name)
        where = {"discovery": self._prefix, "table": name}
        if self._form == "device":
            if not entities:  # only the bridge: the whole device goes
                self._outbox.put("discovery", "", **where)
                return
            self._outbox.put("discovery", make_device_payload(address, device, entities, former), **where)
            return
        for key, platform in former.items():
            self._outbox.put("discovery_component", "", entity=key, platform=platform, **where)
        for entity in entities:
            payload = make_component_payload(address, device, entity)
            self._outbox.put("discovery_component", payload, entity=entity.key, platform=entity.platform, **where)

    def _list_entities(self, name: str) -> list[Entity]:
        language = self._config.bridge.language
        if name == self._bridge:
            shown = (*list_bridge_entities(self._config), *(TOURNAMENT if self._tournament else ()))
            return [name_entity(each, language) for each in shown]
        facts, layout = self._facts[name], self._tables[name].codebook.layout.name
        more = (
            make_answer(facts.options),
            *((IDENTIFY,) if self._config.mqtt.requests else ()),
            *((SPOKEN,) if self._config.outlets.spoken != "off" else ()),
        )
        return [
            *list_table_entities(
                layout, has_battery=facts.has_battery, sides=facts.sides, unit=facts.unit, language=language
            ),
            *list_game_entities(facts.plan, layout, self._guard, self._routines, language),
            *(name_entity(each, language) for each in more),
        ]

    def _address(self, name: str) -> TableAddress:
        return TableAddress(self._config.mqtt.base, self._config.bridge.name, name, self._id, self._tournament)

    def _device(self, name: str) -> Device:
        if name == self._bridge:
            bridge = self._config.bridge.name
            title, model = "oche" if bridge == "oche" else f"oche {bridge}", "bridge"
        else:
            table = self._tables[name]
            title, model = table.config.title or f"Dartboard {name}", table.codebook.profile.name
        return Device(
            identifiers=(self._address(name).id,),
            name=title,
            manufacturer="oche",
            model=model,
            sw_version=read_version(),
            configuration_url=find_page_for_others(self._config.web, self._page),
        )

    # Home Assistant has started

    def _receive_status(self, payload: bytes) -> None:
        self._is_online = payload == b"online"
        if self._is_online:
            self._birth.set()

    async def _answer_birth(self) -> None:
        while True:
            await self._birth.wait()
            await asyncio.sleep(Random().uniform(0, BIRTH_S))
            self._birth.clear()
            self._outbox.resend()
            await asyncio.sleep(SETTLE_S)

    # What was announced by an earlier run

    def _sort(self, announced: Sequence[AnnouncedEntities]) -> tuple[AnnouncedEntities, list[AnnouncedEntities]]:
        """Returns what is still to be announced, and what is to be taken back."""
        names = {table.name for table in self._config.table} | self._names
        current, stale = AnnouncedEntities(self._prefix, self._form), []
        for each in announced:
            if (each.prefix, each.form) == (self._prefix, self._form):
                current = each.without(set(each.tables) - names)
                stale.append(each.without(names))
            else:
                stale.append(each)
        return current, stale

    def _list_topics_of_gone(self) -> list[str]:
        """Returns those of tables that are not configured any more."""
        names = {table.name for table in self._config.table} | self._names
        gone = [each.without(names) for each in self._stale]
        return [text for each in gone for text in list_announced_topics(each, self._config.mqtt.base)]

    def _list_topics_to_migrate(self) -> list[str]:
        """Returns the topics on which the tables are announced in another form."""
        return [
            text
            for each in self._stale
            if each.prefix == self._prefix and self._form not in ("off", each.form)
            for text in list_announced_topics(each.without(set(each.tables) - self._names), self._config.mqtt.base)
        ]

    async def _migrate(self) -> None:
        """Asks Home Assistant to let go the old form, so that entities keep their names and histories in the new."""
        log.info("Home Assistant is asked to change to %s discovery", self._form)
        old = self._list_topics_to_migrate()
        await self._deliver(old, lambda text: self._outbox.put_once(text, MIGRATE))
        await asyncio.sleep(SETTLE_S)
        await self._announce_changes()
        await self._outbox.delivered.wait()
        await asyncio.sleep(SETTLE_S)

    async def _take_back(self) -> None:
        """Removes from the broker what is not announced any more, and then from the file."""
        stale = [text for each in self._stale for text in list_announced_topics(each, self._config.mqtt.base)]
        if stale:
            await self._deliver(stale, self._outbox.clear)
        self._stale = []
        await self._published.keep(announced=[self._current])

    async def _deliver(self, topics: Sequence[str], put: Callable[[str], None]) -> None:
        """Calls `put` with each topic until the broker has them all: what is put only once is lost with the link."""
        while True:
            connections = self._outbox.connections
            for text in topics:
                put(text)
            await self._outbox.delivered.wait()
            if self._outbox.connections == connections:
                return


def make_device_payload(
    address: TableAddress, device: Device, entities: Iterable[Entity], former: Platforms
) -> Component:
    """Returns the announcement of a whole device. `former` entities have their platform alone, which removes them."""
    entities = tuple(entities)
    return {
        "device": device,
        "origin": ORIGIN,
        **address.availability(always=all(entity.always for entity in entities)),
        "components": {
            **{key: {"platform": platform} for key, platform in former.items()},
            **{entity.key: make_component(entity, address) for entity in entities},
        },
    }


def make_component_payload(address: TableAddress, device: Device, entity: Entity) -> Component:
    """Returns the announcement of one entity."""
    parts = {"device": device, "origin": ORIGIN, **address.availability(), **make_component(entity, address)}
    return {key: value for key, value in parts.items() if key != "platform"}  # the topic has it


def list_announced_topics(announced: AnnouncedEntities, base: str) -> Iterator[str]:
    """Yields the topics of these announcements."""
    for table, entities in announced.tables.items():
        where = {"discovery": announced.prefix, "table": table}
        if announced.form == "device":
            yield topic("discovery", base, **where)
        else:
            for key, platform in entities.items():
                yield topic("discovery_component", base, entity=key, platform=platform, **where)


def find_page_for_others(web: Web, page: str | None) -> str | None:
    """Returns where other machines find the page; None when they cannot, or when its name is not known."""
    address = urlsplit(page or "")
    if is_any(web.host):
        return f"http://{web.names[0]}:{address.port}/" if web.names and page else None
    return None if is_loopback(address.hostname or "localhost") else page


def read_bridge_id(folder: Path) -> str:
    """Returns the id of this bridge, by which Home Assistant knows its tables. Raises UserError.

    It is kept in the folder of the journals.
    """
    loss = "Home Assistant then takes the tables for new ones"
    return files.read_or_create(
        folder / "bridge.uuid", lambda: str(uuid.uuid4()), lambda text: uuid.UUID(text).hex, loss
    )
