"""Lets Home Assistant find the tables: announces each, again when its entities change, and takes back what has gone.

Announcements are retained, and said again when Home Assistant has started. After each there is a pause, because Home
Assistant passes over the rest of a message that names an entity which it is still busy with.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from msgspec import Struct

from daemon.cli import version
from daemon.home_assistant.announcements import (
    Device,
    Origin,
    Spot,
    bridge_id,
    page_for_others,
    single,
    single_spot,
    spots,
    whole,
)
from daemon.home_assistant.entities import Entity, Place
from daemon.home_assistant.game_entities import answer, game_entities, open_options
from daemon.home_assistant.table_entities import BATTERY, table_entities
from daemon.mqtt.link import MqttLink
from daemon.mqtt.memory import Announced, Memory
from daemon.sections import Config
from daemon.table import Table
from daemon.updates import Update
from protocol.messages import Plan

log = logging.getLogger("oche.discovery")

SETTLE_S = 2.0
"""What Home Assistant is given to come to terms with an announcement."""
BIRTH_S = 2.0
"""All is said again within this time after its birth, at a moment of chance: others on the broker do the same."""
MIGRATE = {"migrate_discovery": True}
ORIGIN = Origin("oche", version())


class _Seen(Struct):
    """What the entities of a table depend on."""

    plan: Plan | None = None
    options: tuple[str, ...] = ()
    has_battery: bool = False

    @property
    def key(self) -> object:
        """Differs when the entities do."""
        return self.plan and self.plan.game, self.options, self.has_battery


class Discovery:
    """An Outlet, to be told after the link to the broker; run it as a task. `page` is where the page is.

    Raises UserError when this bridge does not know who it is.
    """

    def __init__(
        self, config: Config, tables: Mapping[str, Table], mqtt: MqttLink, page: str | None, memory: Memory
    ) -> None:
        self._config = config
        self._tables = tables
        self._shadow = mqtt.shadow
        self._page = page
        self._form, self._prefix = config.mqtt.discovery, config.mqtt.discovery_prefix
        self._memory = memory
        self._id = bridge_id(Path(config.bridge.state_dir))
        self._now, self._left = self._sorted(memory.announced)
        self._seen = {name: _Seen(has_battery=BATTERY.key in self._now.tables.get(name, {})) for name in tables}
        self._changed: set[str] = set()
        self._news, self._birth = asyncio.Event(), asyncio.Event()
        if self._form != "off":
            mqtt.listen("home_assistant", self._hear, discovery=self._prefix)
        for table in tables.values():
            self.publish(table.whole)
        if not self._to_migrate():
            self._announce_changes()  # before the link runs: part of what is said at its first connect

    def publish(self, update: Update) -> None:
        """Looks whether the news change the entities of the table."""
        seen = self._seen.get(update.table)
        if seen is None:
            return
        before = seen.key
        if update.plan is not None:
            seen.plan = update.plan
        if update.state is not None:
            seen.options = open_options(update.state)
        if update.board is not None and update.board.info.battery is not None:
            seen.has_battery = True
        if seen.key != before:
            self._changed.add(update.table)
            self._news.set()

    async def run(self) -> None:
        """Announces until cancelled."""
        if self._to_migrate():
            await self._migrate()
        async with asyncio.TaskGroup() as parts:
            parts.create_task(self._take_back())
            parts.create_task(self._keep_up())
            parts.create_task(self._greet())

    # What changes

    async def _keep_up(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            for name in self._announce_changes():
                await asyncio.sleep(SETTLE_S)
                self._shadow.repeat("next", table=name)  # its new entities, and those that said nothing before, read it

    def _announce_changes(self) -> set[str]:
        """Announces the tables that have changed, and gives their names."""
        changed, self._changed = self._changed, set()
        for name in changed:
            self._announce(name)
        return changed

    def _announce(self, name: str) -> None:
        if self._form == "off":
            return
        place, device = self._place(name), self._device(name)
        entities = self._entities(name)
        now = {entity.key: entity.platform for entity in entities}
        known = self._now.tables.setdefault(name, {})
        former = {key: platform for key, platform in known.items() if key not in now}
        known |= now
        self._memory.keep(announced=[self._now, *self._left])
        if self._form == "device":
            payload = whole(place, device, ORIGIN, entities, former)
            self._shadow.say("discovery", payload, discovery=self._prefix, table=name)
            return
        for key, platform in former.items():
            spot = single_spot(self._prefix, name, key, platform)
            self._shadow.forget(spot.kind, **spot.names)
        for entity in entities:
            spot = single_spot(self._prefix, name, entity.key, entity.platform)
            self._shadow.say(spot.kind, single(place, device, ORIGIN, entity), **spot.names)

    def _entities(self, name: str) -> list[Entity]:
        seen, face = self._seen[name], self._tables[name].codebook.layout.name
        assert seen.plan is not None  # each table said so before the link ran
        return [
            *table_entities(face, has_battery=seen.has_battery),
            *game_entities(seen.plan, face),
            answer(seen.options),
        ]

    def _place(self, name: str) -> Place:
        return Place(self._config.mqtt.base, self._config.bridge.name, name, self._id)

    def _device(self, name: str) -> Device:
        table = self._tables[name]
        return Device(
            identifiers=(self._place(name).id,),
            name=table.config.title or f"Dartboard {name}",
            manufacturer="oche",
            model=table.codebook.profile.name,
            sw_version=version(),
            configuration_url=page_for_others(self._config.web, self._page),
        )

    # Home Assistant has started

    def _hear(self, payload: bytes) -> None:
        if payload == b"online":
            self._birth.set()

    async def _greet(self) -> None:
        while True:
            await self._birth.wait()
            await asyncio.sleep(Random().uniform(0, BIRTH_S))
            self._birth.clear()
            self._shadow.repeat()
            await asyncio.sleep(SETTLE_S)

    # What was announced by an earlier run

    def _sorted(self, announced: Sequence[Announced]) -> tuple[Announced, list[Announced]]:
        """What is announced still, and what is left to be taken back."""
        names = {table.name for table in self._config.table}
        now, left = Announced(self._prefix, self._form), []
        for each in announced:
            if (each.prefix, each.form) == (self._prefix, self._form):
                now = each.without(set(each.tables) - names)
                left.append(each.without(names))
            else:
                left.append(each)
        return now, left

    def _to_migrate(self) -> list[Spot]:
        """Where the tables are announced in another form."""
        return [
            spot
            for each in self._left
            if each.prefix == self._prefix and self._form not in ("off", each.form)
            for spot in spots(each.without(set(each.tables) - set(self._tables)))
        ]

    async def _migrate(self) -> None:
        """Home Assistant is told to let go the old form, so that entities keep their names and histories in the new."""
        log.info("Home Assistant is asked to change to %s discovery", self._form)
        old = self._to_migrate()

        def say() -> None:
            for kind, names in old:
                self._shadow.mention(kind, MIGRATE, **names)

        await self._deliver(say)
        await asyncio.sleep(SETTLE_S)
        self._announce_changes()
        await self._shadow.delivered.wait()
        await asyncio.sleep(SETTLE_S)

    async def _take_back(self) -> None:
        """Takes off the broker what is not announced any more, and forgets about it."""
        left = [spot for each in self._left for spot in spots(each)]

        def say() -> None:
            for kind, names in left:
                self._shadow.erase(kind, **names)

        if left:
            await self._deliver(say)
        self._left = []
        self._memory.keep(announced=[self._now])

    async def _deliver(self, say: Callable[[], None]) -> None:
        """Until the broker has it: what is said once is lost with the connection."""
        while True:
            restarts = self._shadow.restarts
            say()
            await self._shadow.delivered.wait()
            if self._shadow.restarts == restarts:
                return
