"""The daemon put together: tables, boards, broker and page, each kept going by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.admin.admin import Admin
from daemon.admin.faces.http import PageRoutes
from daemon.admin.faces.take_home import TakeHomeRoutes
from daemon.admin.faces.tournament import TournamentRoutes
from daemon.admin.history.figures_writer import FiguresWriter, learn_models
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.admin.process import WorkerProcess
from daemon.board.lamps import Lamps
from daemon.board.link import BoardLink
from daemon.board.proxies import use_proxies
from daemon.bots import Bots
from daemon.config.credentials import read_password
from daemon.config.outlets import Outlets
from daemon.config.reader import CheckedConfig
from daemon.config.sections import Config, League
from daemon.config.week_time import WeekTime
from daemon.errors import UserError
from daemon.health import HealthReport, StatusLine
from daemon.home_assistant.discovery import NOT_ANNOUNCED, Announced, Discovery, read_bridge_id
from daemon.http.addresses import format_host_port
from daemon.http.connection import open_port
from daemon.http.messages import HttpRoute
from daemon.journal.errors import StoreError
from daemon.journal.mending import settle_drafts
from daemon.later_parts import LaterParts, MatchesInTwoPlaces, ResultsForOthers, follow_desk
from daemon.match_log import MatchLog
from daemon.mqtt.bridge_inbox import Take
from daemon.mqtt.bridge_info import describe_bridge
from daemon.mqtt.broker_status import CONNECTED
from daemon.mqtt.link import MqttLink
from daemon.mqtt.local_broker import run_local_broker
from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import PublishedFile
from daemon.part import BrokerTrouble, Part
from daemon.release import read_version
from daemon.rules import Guard
from daemon.service.drafts import remove_drafts
from daemon.service.lock import lock_folder
from daemon.service.supervisor import Runs, keep_all_running
from daemon.service.systemd import Watchdog
from daemon.table.effects import BoardNews, Update
from daemon.table.table import Table
from daemon.web.auth import Auth
from daemon.web.catalogue import Catalogue
from daemon.web.ear import Ear
from daemon.web.hour_codes import HourCodes
from daemon.web.seats import read_key
from daemon.web.server import WebServer
from daemon.web.taps import Taps
from daemon.web.token import PageToken
from protocol.commands import CommandError
from protocol.endpoint import has_lamps
from protocol.match_spec import Unreadable
from protocol.messages import BoardInfo, UpdateInfo

if TYPE_CHECKING:
    from daemon.admin.settings.settings_file import SettingsFile
    from daemon.outlets.lights import Lights
    from daemon.tournament.desk import Desk
    from simulator.board import SimulatedBoard

log = logging.getLogger("oche")

_PAGE = "the page"
_BROKER = "the link to the broker"
_DISCOVERY = "the discovery"
_RESULTS = "the results for others"
_PLACES = "the matches in two places, once there is one"
TOURNAMENTS = "tournaments.db"
"""The file of the tournaments in `state_dir`: without it nothing of them is loaded."""
Parts = dict[str, Part]
"""Parts by their names in the log, in the order in which they receive updates."""


class RunningDaemon(Struct, frozen=True):
    """What runs: the tables by name, the simulated boards among theirs, the address of the page (None: not served)."""

    tables: Mapping[str, Table]
    boards: Mapping[str, SimulatedBoard]
    page: str | None
    parts: Collection[Part]

    @property
    def mqtt(self) -> MqttLink:
        """The link to the broker, where the configuration has not switched it off."""
        found = next((part for part in self.parts if isinstance(part, MqttLink)), None)
        assert found is not None, "MQTT is switched off"
        return found


@asynccontextmanager
async def run_daemon(
    checked: CheckedConfig,
    settings: SettingsFile | None = None,
    *,
    cabled: Mapping[str, SimulatedBoard] = MappingProxyType({}),
    takes_taps: bool = False,
    phone_token: str = "",
) -> AsyncIterator[RunningDaemon]:
    """The daemon while the block lasts; leaving it stops everything cleanly. Raises UserError when it cannot start.

    `settings` is the file that it runs with, which can be changed from outside once that has noted the start. Simulated
    boards that are reached over a cable are `cabled`, by table. Where it `takes_taps`, a tap on the page throws at the
    simulated boards. The codes on the page bring the `phone_token` to phones.
    """
    config, folder, guard = checked.config, Path(checked.config.bridge.state_dir), checked.guard
    async with AsyncExitStack() as stack:
        stack.enter_context(lock_folder(folder))
        remove_drafts(folder)
        await stack.enter_async_context(use_proxies(config.proxy))
        doubles = FavouriteDoubles(folder)
        await learn_models(checked, doubles.scatters)
        tables, unusable = await open_tables(checked, stack, doubles)
        try:
            settle_drafts(folder, tables)  # which have settled their own
        except StoreError as error:
            log.error("%s", error)
        links = {name: BoardLink(table) for name, table in tables.items()}
        if config.mqtt.on and config.mqtt.host is None:
            await stack.enter_async_context(run_local_broker(config.mqtt.port))
        port = await stack.enter_async_context(open_port(config.web.host, config.web.port)) if config.web.on else None
        page = None if port is None else f"http://{format_host_port(config.web.host, port.number)}/"
        layouts = {name: table.codebook.layout for name, table in tables.items()}
        worker = WorkerProcess(folder, layouts, None if settings is None else settings.file)
        stack.push_async_callback(worker.close)

        trouble = BrokerTrouble()
        boards = {name: link.board for name, link in links.items() if link.board is not None} | {**cabled}
        taps = Taps(tables, boards if takes_taps else None)
        token = PageToken(config.web.host, config.web.token_file, folder)
        address = config.web.host, 0 if port is None else port.number
        auth = Auth(config.web.names, token, read_key(folder), config.web.proxies, *address)
        first = _publish_first(checked, tables, unusable, page) if config.mqtt.on else None
        announced = _announce_nothing if first is None else first.discovery.describe
        later = LaterParts()
        parts: Parts = {"what is loaded later": later}
        lend = partial(_lend_light, parts)
        tell = partial(_tell_displays, parts)
        admin = Admin(
            *(auth, folder, links, worker, doubles, settings, guard, announced, lend),
            config.web.clips,
            tell,
            partial(_tell_walls, parts),
            partial(_follow_desk, later, parts, config, guard),
            partial(_tell_league, parts),
        )
        parts["the maintenance of the machine"] = admin
        mqtt, troubles = None, dict[str, str]()
        if first is not None:
            take = _take_requests(None if settings is None else admin) if config.mqtt.requests else None
            mqtt = _make_link(config, tables, unusable, first, trouble, take)
            parts |= {
                _BROKER: mqtt,
                _DISCOVERY: first.discovery,
                "the health report": HealthReport(config, links, mqtt, trouble, troubles),
            }
            parts[_RESULTS] = ResultsForOthers(
                *(later, config, tables, mqtt, worker, admin.owns_ref),
            )
            if config.bridge.update_url is not None:
                parts["the check for a newer version"] = _make_update_check(config, mqtt.outbox)
            if (week_time := config.bridge.find_week_time()) is not None:
                parts["the event of the week"] = _make_week_events(week_time, config, worker, mqtt.outbox)
        parts[_PLACES] = places = MatchesInTwoPlaces(
            *(later, folder, tables, mqtt, config),
            partial(_tell_walls, parts, name="lent"),
            lambda table, fact: tell(table, "fact", fact),
            partial(_show_lent, parts, followers := dict[str, list[Part]]()),
        )
        server: WebServer | None = None
        if port is not None:
            taken = TakeHomeRoutes(admin, auth, HourCodes(auth.sign), config.web.venue)
            asked = PageRoutes(admin, auth, folder)
            of_tournaments = TournamentRoutes(auth, asked)
            catalogue = Catalogue(tables, guard, checked.routines)
            made = *asked.make(), *taken.make(), *of_tournaments.make()
            routes = _add_league(config.league, folder, [*catalogue.routes, *places.routes, *made])
            parts[_PAGE] = server = WebServer(
                *(port, tables, taps, auth, folder, guard, trouble, routes, admin.lacks_board),
                phone_token,
                _load_ear,
            )
        parts |= {
            "the taps on the page": taps,
            "the status line": StatusLine(tables, unusable, mqtt, trouble),
            "the log of matches": MatchLog(tables),
            "the statistics of matches": FiguresWriter(worker, tables, doubles.scatters),
        }
        outlets: Parts = {}
        if config.outlets != Outlets():
            outlets = _make_outlets(config, tables, troubles, mqtt, server)
            parts |= outlets
        runs = _connect(parts, tables.values())
        for name, link in links.items():
            own = _make_parts_of(link)
            lamps = own.get(_name_lamps(link.table))
            followers[name] = [*outlets.values(), *([] if lamps is None else [lamps])]
            runs |= {f"the table {name}": link.table.run} | _connect(own, [link.table])
            parts |= own
        kept = await stack.enter_async_context(keep_all_running(runs))
        watchdog = Watchdog(tables, kept, folder)
        await stack.enter_async_context(keep_all_running({"the watchdog": watchdog.run}))
        for part in parts.values():
            stack.push_async_callback(part.close)
        _take_up_results(parts)
        yield RunningDaemon(tables, boards, page, parts.values())


def _take_up_results(parts: Parts) -> None:
    """Has results offered that an earlier run has left, if it has left some, and tables lent that were so."""
    if _RESULTS in parts:
        cast("ResultsForOthers", parts[_RESULTS]).take_up()
    cast("MatchesInTwoPlaces", parts[_PLACES]).take_up()


def _tell_league(parts: Parts) -> None:
    """Has the league, if there is one, learn what has changed of players."""
    if _RESULTS in parts:
        cast("ResultsForOthers", parts[_RESULTS]).notice_change()


def _follow_desk(later: LaterParts, parts: Parts, config: Config, guard: Guard, desk: Desk) -> None:
    """Has the tournaments of this desk published over MQTT, and played at tables of others, if there is a broker."""
    link = cast("MqttLink | None", parts.get(_BROKER))
    if link is not None:
        show, results = cast("Discovery", parts[_DISCOVERY]).show_tournament, cast("ResultsForOthers", parts[_RESULTS])
        follow_desk(later, desk, link, show, results, config, guard)


def _make_parts_of(link: BoardLink) -> Parts:
    """Returns the parts of one table alone, with the link to its board."""
    table = link.table
    parts: Parts = {f"the board of the table {table.name}": link, f"the bots of the table {table.name}": Bots(table)}
    if table.config.lamps and has_lamps(table.codebook.profile):
        parts[_name_lamps(table)] = Lamps(table.codebook.layout, link.send)
    if table.codebook.profile.link == "web":
        from daemon.board.corrections import Corrections  # noqa: PLC0415  only such a board listens

        parts[f"what the board of the table {table.name} is told"] = Corrections(link.send, table.notify)
    return parts


def _name_lamps(table: Table) -> str:
    return f"the lamps of the table {table.name}"


def _connect(parts: Parts, tables: Collection[Table]) -> Runs:
    """Has these tables tell these parts the news; returns what of the parts is to be kept running."""
    for table in tables:
        for part in parts.values():
            if type(part).publish is not Part.publish:
                table.subscribe(part)
    return {name: part.run for name, part in parts.items() if type(part).run is not Part.run}


def _lend_light(parts: Parts, url: str) -> AbstractAsyncContextManager[None]:
    """Has the lights of the outlets, if there are any, leave the one at this address alone while the block lasts."""
    lights = cast("Lights | None", parts.get("the lights"))
    return nullcontext() if lights is None else lights.lend(url)


def _tell_displays(parts: Parts, table: str, name: str, value: object) -> None:
    """Sends an event of this name to the displays of a table."""
    server = cast("WebServer | None", parts.get(_PAGE))
    if server is not None:
        server.tell(table, name, value)


def _tell_walls(parts: Parts, table: str, value: object, *, name: str = "tournament") -> None:
    """Tells the displays of a table, also those that come later, what its tournament (or this) says of it."""
    server = cast("WebServer | None", parts.get(_PAGE))
    if server is not None:
        server.keep_telling(table, name, value)


def _show_lent(parts: Parts, followers: Mapping[str, Sequence[Part]], update: Update) -> None:
    """Has what follows the match of a table follow this update, which is of a match at another one."""
    for part in followers.get(update.table, ()):
        part.publish(update)
    server = cast("WebServer | None", parts.get(_PAGE))
    if server is not None:
        server.speak_lent(update)


def _load_ear() -> Ear:
    """Returns what makes the sentences of those who play by ear on the page; loaded for the first of them."""
    from daemon.outlets.page_ear import PageEar  # noqa: PLC0415

    return PageEar()


def _add_league(league: League, folder: Path, routes: list[HttpRoute]) -> list[HttpRoute]:
    """Returns the routes of the page; where a league has pages, they can ask it. It is loaded only then."""
    if not (league.on and league.url):
        return routes
    from daemon.admin.players.book import PlayerBook  # noqa: PLC0415
    from daemon.league.whole_league import WholeLeague  # noqa: PLC0415

    return [*WholeLeague(league, PlayerBook(folder).stamp).extend(routes)]


def _make_outlets(
    config: Config,
    tables: Mapping[str, Table],
    troubles: dict[str, str],
    mqtt: MqttLink | None,
    server: WebServer | None,
) -> Parts:
    """Returns what does what `[outlets]` says, which is loaded only here. It keeps what fails in `troubles`."""
    from daemon.outlets.make import make_outlets  # noqa: PLC0415

    def publish(text: str, value: object) -> bool:
        if mqtt is None or not mqtt.status.sentence.startswith(CONNECTED):
            return False
        mqtt.outbox.put_once(text, value)
        return True

    outbox, folder = None if mqtt is None else mqtt.outbox, Path(config.bridge.state_dir)
    play = None if server is None else server.play_sound
    return make_outlets(config.outlets, tables, folder, troubles, publish, config.bridge.language, outbox, play)


async def open_tables(
    checked: CheckedConfig, stack: AsyncExitStack, doubles: FavouriteDoubles
) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays show of those that cannot be used. Raises UserError when none can.

    All journals are opened at once, each in its own thread. What may pass by itself (a full disk, a slow one) stops no
    table from being there: it comes up in trouble, and goes on when it can. The stack closes them.
    """
    run_id, folder = secrets.token_hex(4), Path(checked.config.bridge.state_dir)
    tables: dict[str, Table] = {}
    failures: dict[str, Exception] = {}
    for config, codebook in zip(checked.config.table, checked.codebooks, strict=True):
        try:
            tables[config.name] = Table(
                replace(config, doubles=doubles.add_table(config.doubles)),
                codebook,
                folder / f"{config.name}.sqlite3",
                run_id,
                checked.guard,
                doubles.aliases,
                doubles.refresh,
                checked.routines,
                checked.file,
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
    for config, codebook in zip(checked.config.table, checked.codebooks, strict=True):
        if (failure := failures.get(config.name)) is not None:
            if len(checked.config.table) == 1:
                raise UserError(f"table {config.name}: {failure}")
            log.error("table %s: %s", config.name, failure, extra={"table": config.name})
            unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(failure))
    usable = {name: table for name, table in tables.items() if name not in failures}
    if not usable:
        raise UserError("no table can be used: fix the errors logged above, and start oche again")
    return usable, unusable


async def _open_journal(table: Table) -> Exception | None:
    """Opens the journal of a table; returns the error of one that cannot be used."""
    try:
        await table.open()
    except (StoreError, Unreadable) as error:
        return error
    return None


class _First(Struct, frozen=True):
    """What is published at the first connect, is in the outbox before there is a link."""

    outbox: Outbox
    published: PublishedFile
    discovery: Discovery


def _publish_first(
    checked: CheckedConfig, tables: Mapping[str, Table], unusable: Mapping[str, BoardInfo], page: str | None
) -> _First:
    config, run_id = checked.config, next(iter(tables.values())).run_id
    outbox = Outbox(config.mqtt.base, config.bridge.language)
    bridge_id = read_bridge_id(Path(config.bridge.state_dir)) if config.league.on else UNSET
    outbox.put("bridge_info", describe_bridge(checked, run_id, bridge_id), bridge=config.bridge.name)
    for name, info in unusable.items():
        outbox.put_update(Update(name, board=BoardNews(False, info)))
    for table in tables.values():
        outbox.put_update(table.everything)
    outbox.put("bridge_update", UpdateInfo(read_version()), bridge=config.bridge.name)
    folder = Path(config.bridge.state_dir)
    published = PublishedFile(folder, [each.host for each in config.mqtt.brokers()])
    published.awaits_tournaments = (folder / TOURNAMENTS).exists()
    tournament = published.tournament if published.awaits_tournaments else ""
    return _First(
        *(outbox, published),
        Discovery(config, tables, outbox, page, published, checked.guard, checked.routines, tournament),
    )


def _make_link(
    config: Config,
    tables: Mapping[str, Table],
    unusable: Mapping[str, BoardInfo],
    first: _First,
    trouble: BrokerTrouble,
    take: Take | None,
) -> MqttLink:
    return MqttLink(
        config.mqtt,
        config.bridge.name,
        tables,
        partial(read_password, config.mqtt),
        first.published,
        first.outbox,
        trouble,
        {name: info.text for name, info in unusable.items()},
        take,
        first.discovery.listeners,
        first.discovery.topics_of_gone,
        is_spoken=config.outlets.spoken != "off",
    )


def _announce_nothing() -> Announced:
    """What stands for Home Assistant without a broker."""
    return NOT_ANNOUNCED


def _take_requests(admin: Admin | None) -> Take:
    """Returns what takes the requests to the bridge; without `admin` it refuses each that it understands."""
    from daemon.admin.faces.mqtt import BridgeRequests, decode_request  # noqa: PLC0415  only where it is asked for

    def refuse(name: str, body: bytes) -> NoReturn:
        decode_request(name, body)
        raise CommandError("this oche has no configuration: start oche run", "unavailable")

    return refuse if admin is None else BridgeRequests(admin).take


def _make_update_check(config: Config, outbox: Outbox) -> Part:
    """Returns what looks for the latest version where the configuration says, and publishes it."""
    from daemon.admin.updates import UpdateCheck  # noqa: PLC0415  its libraries are large

    assert config.bridge.update_url is not None
    return UpdateCheck(config.bridge.update_url, partial(outbox.put, "bridge_update", bridge=config.bridge.name))


def _make_week_events(at: WeekTime, config: Config, worker: WorkerProcess, outbox: Outbox) -> Part:
    """Returns what publishes the event of the week, which is loaded only here."""
    from daemon.admin.week import WeekEvents  # noqa: PLC0415

    publish = partial(outbox.deliver, "bridge_week", bridge=config.bridge.name)
    return WeekEvents(at, Path(config.bridge.state_dir), worker, lambda: outbox.is_followed, publish)
