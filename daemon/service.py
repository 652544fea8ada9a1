"""The daemon put together: tables, boards, broker and page, each kept going by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from daemon.access import Access
from daemon.bots import Bots
from daemon.cli import version
from daemon.config import Setup
from daemon.door import Door
from daemon.health import HealthReport
from daemon.home_assistant.discovery import Discovery
from daemon.lamps import Lamps
from daemon.listener import Listener
from daemon.lock import locked
from daemon.logbook import Logbook
from daemon.mqtt.credentials import password
from daemon.mqtt.embedded import embedded_broker
from daemon.mqtt.link import MqttLink
from daemon.mqtt.memory import Memory
from daemon.opening import open_tables
from daemon.sections import Config
from daemon.status import StatusLine
from daemon.supervisor import keep
from daemon.table import Table
from daemon.updates import BoardNews, Update
from daemon.watchdog import Watchdog
from daemon.web import Web
from engine.games import GAMES, PRESETS
from protocol.messages import BridgeInfo

if TYPE_CHECKING:
    from simulator.link import SimulatedBoard

log = logging.getLogger("oche")


class House:
    """What runs: the tables by name, the link to the broker, the page, and where that is (None: not served).

    `boards` holds the simulated boards among those of the tables.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        mqtt: MqttLink,
        web: Web,
        page: str | None,
        boards: Mapping[str, SimulatedBoard],
    ) -> None:
        self.tables = tables
        self.boards = boards
        self.mqtt = mqtt
        self.web = web
        self.page = page


@asynccontextmanager
async def running(setup: Setup) -> AsyncIterator[House]:
    """The daemon while the block lasts; leaving it stops everything cleanly. Raises UserError when it cannot start."""
    config = setup.config
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(Path(config.bridge.state_dir)))
        tables, unusable = await open_tables(setup, stack)
        listeners = {name: Listener(table) for name, table in tables.items()}
        boards = {name: listener.board for name, listener in listeners.items() if listener.board is not None}
        for board in boards.values():
            await stack.enter_async_context(board)
        if config.mqtt.host is None:
            await stack.enter_async_context(embedded_broker(config.mqtt.port))
        reasons = {name: info.text for name, info in unusable.items()}
        memory = Memory(Path(config.bridge.state_dir), [each.host for each in config.mqtt.brokers()])
        mqtt = MqttLink(config.mqtt, config.bridge.name, tables, lambda: password(config.mqtt), memory, reasons)
        access = Access(config.web.host, config.web.token_file, Path(config.bridge.state_dir))
        web = Web(tables, Door(config.web.names, access), Path(config.bridge.state_dir))
        mqtt.standing.watchers.append(web.tell_of_broker)
        page = None
        if config.web.on:
            page = await stack.enter_async_context(web.serve(config.web.host, config.web.port))
        for table in tables.values():
            table.outlets += [mqtt, web]
        mqtt.shadow.say("bridge_info", _info(config), bridge=config.bridge.name)
        for name, info in unusable.items():
            mqtt.publish(Update(name, board=BoardNews(False, info)))
        for table in tables.values():
            mqtt.publish(table.whole)  # before the link runs: what is said at its first connect is all
        discovery = Discovery(config, tables, mqtt, page, memory)
        health = HealthReport(config, listeners, mqtt)
        status = StatusLine(tables, unusable, mqtt)
        logbook = Logbook(tables)
        parts: dict[str, Callable[[], Coroutine[None, None, None]]] = {
            "the link to the broker": mqtt.run,
            "the health report": health.run,
            "the discovery": discovery.run,
            "the status line": status.run,
        }
        for name, listener in listeners.items():
            parts[f"the table {name}"] = listener.table.run
            parts[f"the board of the table {name}"] = listener.run
            bots = Bots(listener.table)
            parts[f"the bots of the table {name}"] = bots.run
            listener.table.outlets += [discovery, health, bots, status, logbook]
            if listener.table.config.lamps:
                lamps = Lamps(listener.table.codebook.layout, listener.send)
                listener.table.outlets.append(lamps)
                parts[f"the lamps of the table {name}"] = lamps.run
        kept = await stack.enter_async_context(_kept(parts))
        watchdog = Watchdog(tables, kept, Path(config.bridge.state_dir))
        await stack.enter_async_context(_kept({"the watchdog": watchdog.run}))
        yield House(tables, mqtt, web, page, boards)


@asynccontextmanager
async def _kept(
    parts: Mapping[str, Callable[[], Coroutine[None, None, None]]],
) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Keeps these parts going while the block lasts; none of these tasks ends before."""
    tasks = [asyncio.create_task(keep(name, part), name=name) for name, part in parts.items()]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _info(config: Config) -> BridgeInfo:
    games = {name: msgspec.json.schema(game.options_type) for name, game in GAMES.items()}
    presets = {name: {"game": preset.game, "options": preset.options} for name, preset in PRESETS.items()}
    return BridgeInfo(version(), 1, tuple(table.name for table in config.table), games, presets)
