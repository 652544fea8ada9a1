"""The daemon put together: tables, boards, broker and page, each kept going by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from daemon.admin.admin import Admin
from daemon.admin.faces.http import PageRoutes
from daemon.admin.history.figures_writer import FiguresWriter
from daemon.admin.history.process import HistoryProcess
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.board.lamps import Lamps
from daemon.board.link import BoardLink
from daemon.bots import Bots
from daemon.config.credentials import read_password
from daemon.config.reader import Setup
from daemon.config.sections import Config
from daemon.errors import UserError
from daemon.health import HealthReport, StatusLine
from daemon.home_assistant.discovery import NOT_ANNOUNCED, Discovery
from daemon.journal.errors import StoreError
from daemon.journal.mending import settle_drafts
from daemon.match_log import MatchLog
from daemon.mqtt.bridge_inbox import Take
from daemon.mqtt.link import MqttLink
from daemon.mqtt.local_broker import run_local_broker
from daemon.mqtt.stale import PublishedFile
from daemon.part import Part
from daemon.release import read_version
from daemon.rules import Guard
from daemon.service.leftovers import remove_drafts
from daemon.service.lock import lock_folder
from daemon.service.supervisor import keep_running
from daemon.service.systemd import Watchdog
from daemon.table.effects import BoardNews, Update
from daemon.table.table import Table
from daemon.web.auth import Auth
from daemon.web.seats import read_key
from daemon.web.server import WebServer
from daemon.web.token import PageToken
from engine.game import Preset
from engine.games import GAMES, PRESETS, ROUTINES, set_routines
from engine.options import make_schema
from protocol.match_spec import Unreadable
from protocol.messages import BoardInfo, BridgeInfo, UpdateInfo

if TYPE_CHECKING:
    from daemon.admin.settings.file import SettingsFile
    from simulator.board import SimulatedBoard

log = logging.getLogger("oche")

Runs = dict[str, Callable[[], Coroutine[None, None, None]]]
"""What is kept running, by its name in the log."""
Parts = dict[str, Part]
"""Parts by their names in the log, in the order in which they are told the news."""


class RunningDaemon(NamedTuple):
    """What runs: the tables by name, the link to the broker, the page, and its address (None: not served).

    `links` are the connections of the tables to their boards; `boards` holds the simulated ones among these.
    `admin` carries out what the machine is asked for.
    """

    tables: Mapping[str, Table]
    links: Mapping[str, BoardLink]
    link: MqttLink | None
    web: WebServer
    page: str | None
    boards: Mapping[str, SimulatedBoard]
    admin: Admin

    @property
    def mqtt(self) -> MqttLink:
        """The link to the broker, where the configuration has not switched it off."""
        assert self.link is not None
        return self.link


@asynccontextmanager
async def run_daemon(setup: Setup, settings: SettingsFile | None = None) -> AsyncIterator[RunningDaemon]:
    """The daemon while the block lasts; leaving it stops everything cleanly. Raises UserError when it cannot start.

    `settings` is the file that it runs with, which can be changed from outside once that has noted the start.
    """
    config, folder, guard = setup.config, Path(setup.config.bridge.state_dir), setup.guard
    async with AsyncExitStack() as stack:
        stack.enter_context(lock_folder(folder))
        remove_drafts(folder)
        set_routines(routine.routine() for routine in config.routine)
        doubles = FavouriteDoubles(folder)
        tables, unusable = await open_tables(setup, stack, doubles)
        try:
            settle_drafts(folder, tables)  # which have settled their own
        except StoreError as error:
            log.error("%s", error)
        links = {name: BoardLink(table) for name, table in tables.items()}
        boards = {name: link.board for name, link in links.items() if link.board is not None}
        for board in boards.values():
            await stack.enter_async_context(board)
        if config.mqtt.on and config.mqtt.host is None:
            await stack.enter_async_context(run_local_broker(config.mqtt.port))
        token = PageToken(config.web.host, config.web.token_file, folder)
        layouts = {name: table.codebook.layout for name, table in tables.items()}
        history = HistoryProcess(folder, layouts)
        stack.push_async_callback(history.close)
        auth = Auth(config.web.names, token, read_key(folder), config.web.proxies)
        mqtt: MqttLink | None = None
        discovery: Discovery | None = None
        admin = Admin(
            *(auth, folder, links, history, doubles, settings, guard),
            lambda: NOT_ANNOUNCED if discovery is None else discovery.describe(),
        )
        web = WebServer(tables, auth, folder, guard, PageRoutes(admin, auth, folder).make(), admin.lacks_board)
        page = None
        if config.web.on:
            page = await stack.enter_async_context(web.serve(config.web.host, config.web.port))
        parts: Parts = {"the care for the machine": admin}
        if config.mqtt.on:
            take = _take_requests(admin) if config.mqtt.requests and settings else None
            mqtt, discovery = _make_link(config, links, unusable, page, parts, guard, take)
            mqtt.status.watchers.append(web.show_broker_trouble)
        parts |= {
            "the page": web,
            "the status line": StatusLine(tables, unusable, mqtt),
            "the log of matches": MatchLog(tables),
            "the figures of matches": FiguresWriter(history, tables),
        }
        runs = _connect(parts, tables.values())
        for name, link in links.items():
            own: Parts = {
                f"the board of the table {name}": link,
                f"the bots of the table {name}": Bots(link.table),
            }
            if link.table.config.lamps:
                own[f"the lamps of the table {name}"] = Lamps(link.table.codebook.layout, link.send)
            runs |= {f"the table {name}": link.table.run} | _connect(own, [link.table])
            parts |= own
        kept = await stack.enter_async_context(_keep_running(runs))
        watchdog = Watchdog(tables, kept, folder)
        await stack.enter_async_context(_keep_running({"the watchdog": watchdog.run}))
        for part in parts.values():
            stack.push_async_callback(part.close)
        yield RunningDaemon(tables, links, mqtt, web, page, boards, admin)


def _connect(parts: Parts, tables: Collection[Table]) -> Runs:
    """Has these tables tell these parts the news; returns what of the parts is to be kept running."""
    for table in tables:
        table.outlets += [part for part in parts.values() if type(part).publish is not Part.publish]
    return {name: part.run for name, part in parts.items() if type(part).run is not Part.run}


async def open_tables(
    setup: Setup, stack: AsyncExitStack, doubles: FavouriteDoubles | None = None
) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays are told of those that cannot be used. Raises UserError when none can.

    All journals are opened at once, each in its own thread. What may pass by itself (a full disk, a slow one) stops no
    table from being there: it comes up in trouble, and goes on when it can. The stack closes them.
    """
    session, folder = secrets.token_hex(4), Path(setup.config.bridge.state_dir)
    doubles = doubles or FavouriteDoubles(folder)
    tables: dict[str, Table] = {}
    failures: dict[str, Exception] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        try:
            tables[config.name] = Table(
                replace(config, doubles=doubles.add_table(config.doubles)),
                codebook,
                folder / f"{config.name}.sqlite3",
                session,
                setup.guard,
                doubles.aliases,
                doubles.refresh,
                setup.file,
            )
        except Unreadable as error:
            failures[config.name] = error
    try:
        doubles.read()
    except UserError as error:
        log.error("%s; until then their favourite doubles are not known", error)
    for table in tables.values():
        stack.push_async_callback(table.close)
    errors = await asyncio.gather(*map(_open_journal, tables.values()))
    failures |= {name: error for name, error in zip(tables, errors, strict=True) if error is not None}
    unusable: dict[str, BoardInfo] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        if (failure := failures.get(config.name)) is not None:
            if len(setup.config.table) == 1:
                raise UserError(f"table {config.name}: {failure}")
            log.error("table %s: %s", config.name, failure, extra={"table": config.name})
            unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(failure))
    usable = {name: table for name, table in tables.items() if name not in failures}
    if not usable:
        raise UserError("no table can be used: mend what was said of each, and start oche again")
    return usable, unusable


async def _open_journal(table: Table) -> Exception | None:
    """Opens the journal of a table; returns the error of one that cannot be used."""
    try:
        await table.open()
    except (StoreError, Unreadable) as error:
        return error
    return None


def _make_link(
    config: Config,
    links: Mapping[str, BoardLink],
    unusable: Mapping[str, BoardInfo],
    page: str | None,
    parts: Parts,
    guard: Guard,
    take: Take | None,
) -> tuple[MqttLink, Discovery]:
    """The link to the broker, and the discovery; all that speaks over it is added to the parts. Raises UserError.

    What is published at the first connect is put into its outbox here, before the link runs.
    """
    tables = {name: link.table for name, link in links.items()}
    reasons = {name: info.text for name, info in unusable.items()}
    published = PublishedFile(Path(config.bridge.state_dir), [each.host for each in config.mqtt.brokers()])
    bridge = config.bridge
    password = partial(read_password, config.mqtt)
    mqtt = MqttLink(config.mqtt, bridge.name, tables, password, published, reasons, bridge.language, take)
    session = next(iter(tables.values())).session
    mqtt.outbox.put("bridge_info", _describe_bridge(config, session), bridge=config.bridge.name)
    for name, info in unusable.items():
        mqtt.publish(Update(name, board=BoardNews(False, info)))
    for table in tables.values():
        mqtt.publish(table.everything)
    _tell_update(config, mqtt, parts)
    discovery = Discovery(config, tables, mqtt, page, published, guard)
    parts |= {
        "the link to the broker": mqtt,
        "the discovery": discovery,
        "the health report": HealthReport(config, links, mqtt),
    }
    return mqtt, discovery


def _take_requests(admin: Admin) -> Take:
    """Returns what takes the requests to the bridge."""
    from daemon.admin.faces.mqtt import BridgeRequests  # noqa: PLC0415  only where the configuration asks for it

    return BridgeRequests(admin).take


def _tell_update(config: Config, mqtt: MqttLink, parts: Parts) -> None:
    """Publishes the version that runs, and has the latest one looked for where its address is configured."""
    publish = partial(mqtt.outbox.put, "bridge_update", bridge=config.bridge.name)
    publish(UpdateInfo(read_version()))
    if config.bridge.update_url is not None:
        from daemon.admin.updates import UpdateCheck  # noqa: PLC0415  its libraries are large

        parts["the look for a newer version"] = UpdateCheck(config.bridge.update_url, publish)


@asynccontextmanager
async def _keep_running(runs: Runs) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Keeps these going while the block lasts; none of these tasks ends before."""
    tasks = [asyncio.create_task(keep_running(name, run), name=name) for name, run in runs.items()]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _describe_bridge(config: Config, session: str) -> BridgeInfo:
    shipped = msgspec.json.decode(Path(__file__).with_name("shipped_games.json").read_bytes())
    games = {name: shipped["games"].get(name) or make_schema(GAMES[name].options_type) for name in GAMES}
    presets = {name: shipped["presets"].get(name) or _describe_preset(PRESETS[name]) for name in PRESETS}
    routines = {name: tuple(each.game for each in routine.exercises) for name, routine in ROUTINES.items()}
    tables = tuple(table.name for table in config.table)
    return BridgeInfo(read_version(), 1, tables, games, presets, routines, config.bridge.log_level, session)


def _describe_preset(preset: Preset) -> dict[str, object]:
    return {"game": preset.game, "options": preset.options}
