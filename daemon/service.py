"""The daemon put together: tables, boards, broker and page, each kept going by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from daemon.bots import Bots
from daemon.cli import version
from daemon.config import Config, Setup, TableConfig
from daemon.errors import UserError
from daemon.home_assistant.discovery import Discovery
from daemon.lamps import Lamps
from daemon.lock import locked
from daemon.mqtt.credentials import password
from daemon.mqtt.embedded import embedded_broker
from daemon.mqtt.link import MqttLink
from daemon.mqtt.memory import Memory
from daemon.simulated import reaching, simulated
from daemon.store import Store, StoreError
from daemon.supervisor import keep
from daemon.table import Table
from daemon.updates import BoardNews, Update
from daemon.web import Web
from drivers.address import AddressError
from drivers.session import Session
from engine.games import GAMES, PRESETS
from engine.record import Unreadable
from protocol.codebook import Codebook
from protocol.events import Command
from protocol.messages import BoardInfo, BridgeInfo, Health, TableHealth
from protocol.topics import HEALTH_S

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
        tables, unusable = _tables(setup)
        for table in tables.values():
            stack.push_async_callback(table.close)
        listeners = {name: _Listener(table) for name, table in tables.items()}
        boards = {name: listener.board for name, listener in listeners.items() if listener.board is not None}
        for board in boards.values():
            await stack.enter_async_context(board)
        if config.mqtt.host is None:
            await stack.enter_async_context(embedded_broker(config.mqtt.port))
        reasons = {name: info.text for name, info in unusable.items()}
        memory = Memory(Path(config.bridge.state_dir), [each.host for each in config.mqtt.brokers()])
        mqtt = MqttLink(config.mqtt, config.bridge.name, tables, lambda: password(config.mqtt), memory, reasons)
        web = Web(tables, config.web.names, Path(config.bridge.state_dir))
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
        health = _HealthReport(config, listeners, mqtt)
        parts: dict[str, Callable[[], Coroutine[None, None, None]]] = {
            "the link to the broker": mqtt.run,
            "the health report": health.run,
            "the discovery": discovery.run,
        }
        for name, listener in listeners.items():
            parts[f"the table {name}"] = listener.table.run
            parts[f"the board of the table {name}"] = listener.run
            bots = Bots(listener.table)
            parts[f"the bots of the table {name}"] = bots.run
            listener.table.outlets += [discovery, health, bots]
            if listener.table.config.lamps:
                lamps = Lamps(listener.table.codebook.layout, listener.send)
                listener.table.outlets.append(lamps)
                parts[f"the lamps of the table {name}"] = lamps.run
        await stack.enter_async_context(_kept(parts))
        yield House(tables, mqtt, web, page, boards)


class _Listener:
    """Brings what a board says to its table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        try:
            self.board = simulated(table.config.board, table.codebook)
            self.session = self._session()
        except AddressError as error:
            raise UserError(f"table {table.name}: {error}", 2) from None

    async def run(self) -> None:
        """Listens until cancelled."""
        self.session = self._session()
        async with self.session as session:
            async for item in session:
                await self.table.feed(item)

    async def send(self, command: Command) -> bool:
        """Tells the board something. False while it cannot be heard."""
        return await self.session.send(command)

    def _session(self) -> Session:
        config = self.table.config
        return Session(self.table.name, config.board, self.table.codebook, schemes=reaching(self.board))


@asynccontextmanager
async def _kept(parts: Mapping[str, Callable[[], Coroutine[None, None, None]]]) -> AsyncIterator[None]:
    """Keeps these parts going while the block lasts."""
    tasks = [asyncio.create_task(keep(name, part), name=name) for name, part in parts.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _tables(setup: Setup) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays are told of those that cannot be used. Raises UserError when none can."""
    session = secrets.token_hex(4)
    folder = Path(setup.config.bridge.state_dir)
    tables: dict[str, Table] = {}
    unusable: dict[str, BoardInfo] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        try:
            tables[config.name] = _table(config, codebook, folder, session)
        except (StoreError, Unreadable) as error:
            if len(setup.config.table) == 1:
                raise UserError(f"table {config.name}: {error}") from None
            log.error("table %s: %s", config.name, error)
            unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(error))
    if not tables:
        raise UserError("no table can be used: mend what was said of each, and start oche again")
    return tables, unusable


def _table(config: TableConfig, codebook: Codebook, folder: Path, session: str) -> Table:
    store = Store(folder / f"{config.name}.sqlite3")
    try:
        return Table(config, codebook, store, session)
    except BaseException:
        store.close()
        raise


def _info(config: Config) -> BridgeInfo:
    games = {name: msgspec.json.schema(game.options_type) for name, game in GAMES.items()}
    presets = {name: {"game": preset.game, "options": preset.options} for name, preset in PRESETS.items()}
    return BridgeInfo(version(), 1, tuple(table.name for table in config.table), games, presets)


class _HealthReport:
    """How the daemon is, said now and then, and at once when there is news of a board. An Outlet; run it as a task."""

    def __init__(self, config: Config, listeners: Mapping[str, _Listener], mqtt: MqttLink) -> None:
        self._bridge = config.bridge.name
        self._listeners = listeners
        self._mqtt = mqtt
        self._started = time.monotonic()
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """A board that has gone, or a segment that is stuck, does not wait for its turn."""
        if update.board is not None:
            self._news.set()

    async def run(self) -> None:
        """Reports until cancelled."""
        while True:
            self._news.clear()
            tables = {name: _table_health(listener) for name, listener in self._listeners.items()}
            health = Health(round(time.monotonic() - self._started), self._mqtt.reconnects, tables)
            self._mqtt.shadow.say("bridge_health", health, bridge=self._bridge)
            for name, listener in self._listeners.items():
                self._mqtt.shadow.say("board_info", listener.table.board.info, table=name)
            with suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_S):
                    await self._news.wait()


def _table_health(listener: _Listener) -> TableHealth:
    table = listener.table
    return TableHealth(
        reconnects=listener.session.reconnects,
        hits=table.counts.hits,
        dropped=table.counts.dropped,
        stray=table.counts.stray,
        garbage=table.counts.garbage,
        queue=table.backlog,
        drops=dict(table.counts.drops),
        stuck=table.board.info.stuck,
    )
