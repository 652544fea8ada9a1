"""`oche play`: a demo of the whole daemon, without hardware and configuration.

Simulated players throw at a simulated board on a real pty or socket (in memory for Bluetooth and USB, which take root
to simulate). The daemon is that of `oche run`, with a temporary state folder. At a configured broker its topics have a
base of their own, nothing is announced to Home Assistant, and what was retained is erased at the end.

On a terminal it plays match after match until Ctrl-C; otherwise it ends after a result, so that a script can wait.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import click
from msgspec.structs import replace

from daemon.commands.shared import print_qr_code, retry_taken_port, with_config
from daemon.config.reader import DEFAULT_FILE, CheckedConfig, check, read_config
from daemon.config.sections import Bridge, Config, Mqtt, RoutineConfig, TableConfig, Web
from daemon.config.unconfigured import is_unconfigured
from daemon.errors import UserError, to_user_error
from daemon.free_port import find_free_port
from daemon.plugins import loader
from daemon.plugins.profiles import find_codebook, is_file_name
from engine.games import collect_routines
from engine.games import game as find_game
from protocol.codebook import Codebook
from protocol.events import NO_SENSOR
from protocol.player_words import find_model, parse_players
from protocol.source import Source, SourceError
from simulator.habits import PLAIN, Habits, find_habits, speed_up, speed_up_codebook

if TYPE_CHECKING:
    from daemon.assemble import RunningDaemon
    from daemon.mqtt.probe import FoundBroker
    from daemon.simulated_players import Rematch
    from daemon.table.table import Table
    from simulator.board import SimulatedBoard
    from simulator.thrower import Thrower

_PROFILES = {"standard": "opendarts", "yatzy": "plain-yatzy", "ground_round": "plain-ground-round"}
"""The simulated board, by the layout of the game."""
_TAKEOUT_S = 5.0
_BOT_S = 1.2
_HOLD_S = 5.0
"""How long a result stays before the program ends."""
_WATCHED_HOLD_S = 15.0
"""How long a result stays on a terminal, before the next match begins."""
_BRIDGE = "play"
_ANY_HOST = "0.0.0.0"
_LEVELS = (70, 60, 65, 55)
"""The players' levels in turn (see engine.levels): good ones, so that a game ends within minutes."""


@click.command()
@click.option("--game", default="x01", show_default=True, help="A game (see oche games), or a Python file or package.")
@click.option(
    "--players",
    default="Ann,Bo",
    show_default=True,
    help="Separated by commas. Ann+Cy,Bo+Di are teams, bot:45 is a bot, bot:45:2.5:Marvin one with speed and name.",
)
@click.option(
    "--board",
    default=None,
    help="The board to simulate, an id (see oche boards list) or a TOML file; with none you enter the darts yourself.",
)
@click.option("--seed", default=None, help="The same seed gives the same game.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=1.0, show_default=True, help="Factor of real speed.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8180,
    show_default=True,
    help="Port of the page; 0 takes any free one.",
)
@click.option("--human", is_flag=True, help="Play yourself: tap the board on the page.")
@click.option("--phones", is_flag=True, help="Let phones in this network join with the code that is shown.")
@click.option("--no-open", is_flag=True, help="Do not open the page in a browser. On a desktop it opens by default.")
@with_config
def command(
    game: str,
    players: str,
    board: str | None,
    seed: str | None,
    speed: float,
    port: int,
    human: bool,
    phones: bool,
    no_open: bool,
    config: Path,
) -> None:
    """Play without hardware or configuration, and watch in the browser: match after match, until Ctrl-C.

    If the output is not a terminal, it ends after one match, unless you play yourself.
    """
    # First: reading a configuration forgets a game that add_file has added.
    mqtt, routines = _read_configured(config)
    if game.endswith(".py") or loader.is_package(Path(game)):
        game = next(iter(loader.add_file(Path(game))), game)
    with to_user_error(ValueError, status=2):
        known = collect_routines(routine.routine() for routine in routines)
        usual = _PROFILES[find_game(game, known).layouts[0]]
    has_sensor = board != NO_SENSOR
    book = find_codebook(board if board and has_sensor else usual)
    seed = seed if seed is not None else str(Random().getrandbits(32))
    names, teams = parse_players(players)
    if (model := next(filter(None, map(find_model, names)), None)) is not None:
        raise UserError(f"oche play knows no measured darts of {model!r}: give the bot a level, 20 to 110", 2)
    table = TableConfig(
        board=f"sim:{book.profile.id}?speed={max(1, round(speed))}" if has_sensor else NO_SENSOR,
        profile=str(Path(board).resolve()) if board and is_file_name(board) else book.profile.id,
        game=game,
        players=names,
        teams=teams,
        seed=seed,
        takeout_s=_TAKEOUT_S / speed,
        bot_s=_BOT_S / speed,
    )
    habits = PLAIN if board is None or not has_sensor else speed_up(find_habits(book.profile), speed)
    try:
        asyncio.run(
            _play(
                _Demo(
                    table,
                    routines,
                    speed_up_codebook(book, speed),
                    habits,
                    speed,
                    human or not has_sensor,
                    phones,
                    not no_open,
                    mqtt,
                ),
                port,
            )
        )
    except asyncio.CancelledError:
        click.echo("\nStopped.")


class _Demo(NamedTuple):
    """What is played. `habits` are those of a board with a cable; `mqtt` is the configured broker, if there is one.

    `phones`: the page is served to the network, and asks for a token.
    """

    table: TableConfig
    routines: tuple[RoutineConfig, ...]
    book: Codebook
    habits: Habits
    speed: float
    human: bool
    phones: bool
    opens_browser: bool
    mqtt: Mqtt | None


async def _play(demo: _Demo, port: int) -> None:
    playing = asyncio.current_task()
    assert playing is not None

    def stop() -> None:
        if not playing.cancelling():  # a second Ctrl-C must not interrupt the tidying up
            playing.cancel()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            asyncio.get_running_loop().add_signal_handler(number, stop)
    with tempfile.TemporaryDirectory(prefix="oche-") as folder:
        await _play_in(Path(folder), demo, port)


async def _play_in(folder: Path, demo: _Demo, port: int) -> None:
    from daemon.mqtt.probe import find_broker
    from daemon.simulated_players import Rematch, SimulatedPlayers
    from daemon.terminal import Terminal
    from daemon.web.browser import open_browser
    from daemon.web.token import make_token

    async with AsyncExitStack() as stack:
        cabled = _make_cabled_board(folder, demo)
        if cabled is not None:
            await stack.enter_async_context(cabled)
        book = demo.book if cabled is None else cabled.codebook
        demo = demo._replace(table=_write_address(demo.table, cabled, folder), book=book)

        async def start() -> tuple[RunningDaemon, FoundBroker]:
            broker = await find_broker(demo.mqtt, _BRIDGE, [demo.table.name])
            checked = _make_config(folder, demo, port, broker.mqtt)
            return await stack.enter_async_context(_run_demo(checked, demo, cabled, token)), broker

        token = make_token(folder) if demo.phones else ""
        running, broker = await retry_taken_port(start)
        page = f"{running.page}#token={token}" if token else running.page
        table, board = running.tables["main"], running.boards.get("main")
        rematch = Rematch(table)
        for outlet in (rematch, Terminal(is_steel=table.match.layout.dartboard == "steel")):
            table.subscribe(outlet)
        click.echo(f"Scoreboard  {page}")
        for_phones = _find_phone_address(running, token)
        click.echo(f"Phones      {for_phones or 'cannot join; to let them, run oche play --phones'}")
        if not demo.phones and table.match.game.has_secrets(table.match.options):
            click.echo("Hands       each player's hand is shown on a phone; for that, run oche play --phones")
        click.echo(f"MQTT        {broker}")
        simulated = (
            f"{board.address}, a simulated {demo.book.profile.id} board" if board else "none: you enter the darts"
        )
        click.echo(f"Board       {simulated}")
        click.echo(f"Seed        {table.config.seed}; Ctrl-C ends it.\n")
        if demo.phones:
            print_qr_code(for_phones)
        if demo.opens_browser and page is not None:
            open_browser(page)
        if board is None or demo.human:
            how = (
                "tap the board to throw; press Next when the darts are pulled"
                if board
                else "enter the total of each visit"
            )
            click.echo(f"Open the page and {how}.\n")
            await asyncio.Event().wait()
            return
        people = SimulatedPlayers(table, board, partial(_make_thrower, table), demo.speed)
        table.subscribe(people)
        async with asyncio.TaskGroup() as both:
            playing = both.create_task(people.play())
            await _play_matches(rematch, is_watched=sys.stdout.isatty())
            playing.cancel()


@asynccontextmanager
async def _run_demo(
    checked: CheckedConfig, demo: _Demo, cabled: SimulatedBoard | None, token: str
) -> AsyncIterator[RunningDaemon]:
    """The daemon while the block lasts; then erases what it has retained at a broker that is not its own."""
    from daemon.assemble import run_daemon
    from daemon.mqtt.probe import clear_retained

    mqtt, said = checked.config.mqtt, list[str]()
    try:
        async with run_daemon(
            checked,
            cabled={} if cabled is None else {demo.table.name: cabled},
            takes_taps=demo.human,
            phone_token=token,
        ) as running:
            try:
                yield running
            finally:
                said += running.mqtt.outbox.retained if mqtt.host is not None else ()
    finally:
        if mqtt.host is not None:
            await clear_retained(mqtt, said)


async def _play_matches(rematch: Rematch, *, is_watched: bool) -> None:
    """Starts match after match; returns after a result unless it is watched."""
    while True:
        is_result = await rematch.result(_WATCHED_HOLD_S if is_watched else _HOLD_S)
        if is_result and not is_watched:
            return
        await rematch.start()


def _read_configured(file: Path) -> tuple[Mqtt | None, tuple[RoutineConfig, ...]]:
    """The configured broker, with a base of our own and without discovery (None: there is none), and the routines.

    Raises UserError for a named file that cannot be used. The default file that cannot be used is reported and ignored.
    """
    try:
        config = read_config(file).config
    except UserError as error:
        if file != DEFAULT_FILE:
            raise
        if not is_unconfigured(None):
            click.echo(f"oche: {error}; oche play continues without a broker", err=True)
        return None, ()
    mqtt = config.mqtt
    if mqtt.host is None or not mqtt.on:
        return None, config.routine
    return replace(mqtt, base=f"{mqtt.base}/{_BRIDGE}", discovery="off"), config.routine


def _make_cabled_board(folder: Path, demo: _Demo) -> SimulatedBoard | None:
    """The simulated board on a pty or a socket; None for one that the daemon simulates in memory."""
    from simulator.pty_board import PtyBoard
    from simulator.tcp_board import TcpBoard

    match demo.book.profile.link if demo.table.has_sensor else None:
        case "serial":
            return PtyBoard(demo.book, folder / "board", habits=demo.habits)
        case "tcp":
            return TcpBoard(demo.book, habits=demo.habits)
        case "web":
            from simulator.web_board import WebBoard

            return WebBoard(demo.book)
    return None


def _write_address(table: TableConfig, cabled: SimulatedBoard | None, folder: Path) -> TableConfig:
    """The table with the address of its board, and with a file that has its token, where it has one."""
    if cabled is None:
        return table
    if not cabled.token:
        return replace(table, board=cabled.address)
    file = folder / "board-token"
    file.touch(0o600)
    file.write_text(cabled.token, encoding="utf-8")
    return replace(table, board=cabled.address, board_token_file=str(file))


def _make_config(folder: Path, demo: _Demo, port: int, mqtt: Mqtt) -> CheckedConfig:
    host = _ANY_HOST if demo.phones else Web().host
    config = Config(
        table=[demo.table],
        bridge=Bridge(_BRIDGE if mqtt.host else Bridge().name, str(folder)),
        mqtt=mqtt,
        web=Web(host, find_free_port(port)),
        routine=demo.routines,
    )
    try:
        checked = check(config, Source("", "oche play"))
    except SourceError as error:
        raise UserError(str(error.reason), 2) from None
    # The game as asked for: where its rules fail, the table says so, and begins with another.
    return replace(checked, config=config, codebooks=(demo.book,) if demo.table.has_sensor else checked.codebooks)


def _find_phone_address(running: RunningDaemon, token: str) -> str:
    """Returns the address of the page for phones, with its token; "": only this machine reaches it."""
    from daemon.web.public_url import PublicUrl

    port = urlsplit(running.page or "").port
    return PublicUrl(_ANY_HOST, port, ()).with_token(token) if token and port else ""


def _make_thrower(table: Table, number: int) -> Thrower:
    """The simulated player of this number, who throws the same darts for the same seed."""
    from engine.levels import sigma_mm
    from simulator.thrower import Thrower

    chance, layout = Random(f"{table.config.seed}/{number}"), table.match.layout
    return Thrower(sigma_mm(_LEVELS[number % len(_LEVELS)], layout.dartboard), chance, layout)
