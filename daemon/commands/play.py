"""`oche play`: the whole house with no hardware and no configuration.

Nothing is short-circuited: simulated people throw at a simulated board, its bytes take the long way (a real pty, a real
socket; for a radio and a USB bus, which take root to simulate, one in memory), and from there on it is the same daemon
as `oche run`, with the embedded broker and a state folder that is thrown away.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import tempfile
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from daemon import plugins
from daemon.commands.own import with_plugins
from daemon.config import Setup, check
from daemon.errors import UserError
from daemon.profiles import is_file, named
from daemon.sections import Bridge, Config, Mqtt, TableConfig, Web
from engine.games import game as find
from protocol.codebook import Codebook, expand
from protocol.source import Source, SourceError
from simulator.habits import PLAIN, Habits, habits_of, quick

if TYPE_CHECKING:
    from daemon.table import Table
    from simulator.link import SimulatedBoard
    from simulator.thrower import Thrower

T = TypeVar("T", bound=Struct)

_PROFILES = {"standard": "opendarts", "yatzy": "plain-yatzy", "ground_round": "plain-ground-round"}
"""The board that is simulated, by the face of the game."""
_TAKEOUT_S = 5.0
_BOT_S = 1.2
_UNSTEADY_MS = 40
"""A busy machine is late by so much; what a board repeats must still be known for a repetition, at any speed."""
_LEVELS = (70, 60, 65, 55)
"""How well people throw, one after the other (see engine.levels): good, so that a game ends within minutes."""


@click.command()
@click.option("--game", default="x01", show_default=True, help="See oche games; or a Python file with one.")
@click.option(
    "--players",
    default="Ann,Bo",
    show_default=True,
    help="With commas between; Ann+Cy,Bo+Di are teams, bot:45 is a bot.",
)
@click.option("--board", default=None, help="Which board, an id (see oche boards list) or a TOML file.")
@click.option("--seed", default=None, help="The same seed, the same game.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=1.0, show_default=True, help="Times real speed.")
@click.option("--port", type=click.IntRange(0, 65535), default=8180, show_default=True, help="Of the page; 0: any.")
@click.option("--human", is_flag=True, help="You play: tap the board that the page draws.")
@with_plugins
def command(game: str, players: str, board: str | None, seed: str | None, speed: float, port: int, human: bool) -> None:
    """Play a whole game with no hardware and no configuration, and watch it in the browser."""
    if game.endswith(".py"):
        game = next(iter(plugins.add_file(Path(game))), game)
    try:
        usual = _PROFILES[find(game).layouts[0]]
    except ValueError as error:
        raise UserError(str(error), 2) from None
    book = named(board or usual)
    seed = seed if seed is not None else str(Random().getrandbits(32))
    names, teams = _sides(players)
    table = TableConfig(
        board=f"sim:{book.profile.id}?speed={max(1, round(speed))}",
        profile=str(Path(board).resolve()) if board and is_file(board) else book.profile.id,
        game=game,
        players=names,
        teams=teams,
        seed=seed,
        takeout_s=_TAKEOUT_S / speed,
        bot_s=_BOT_S / speed,
    )
    habits = PLAIN if board is None else quick(habits_of(book.profile), speed)
    try:
        asyncio.run(_play(_Evening(table, _quick(book, speed), habits, speed, human), port))
    except asyncio.CancelledError:
        click.echo("\nStopped.")


def _sides(players: str) -> tuple[tuple[str, ...], list[list[int]] | None]:
    """The players, and the teams they make: "Ann+Cy,Bo+Di" are two of two."""
    sides = [[name.strip() for name in side.split("+") if name.strip()] for side in players.split(",")]
    names = [name for side in sides for name in side]
    seats = iter(range(len(names)))
    teams = [[next(seats) for _ in side] for side in sides if side]
    return tuple(names), teams if any(len(team) > 1 for team in teams) else None


class _Evening(NamedTuple):
    """What is to be played: `habits` are those of a board with a cable, one in memory knows its own."""

    table: TableConfig
    book: Codebook
    habits: Habits
    speed: float
    human: bool


async def _play(evening: _Evening, port: int) -> None:
    """In a folder that is gone afterwards, however it ends."""
    playing = asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, lambda: playing and playing.cancel())
    with tempfile.TemporaryDirectory(prefix="oche-") as folder:
        await _play_in(Path(folder), evening, port)


async def _play_in(folder: Path, evening: _Evening, port: int) -> None:
    from daemon.demo import People
    from daemon.service import running
    from daemon.simulated import tapped
    from daemon.terminal import Terminal

    async with AsyncExitStack() as stack:
        cabled = _cabled(folder, evening)
        if cabled is not None:
            await stack.enter_async_context(cabled)
        setup = _setup(folder, evening, cabled.address if cabled else evening.table.board, port)
        house = await stack.enter_async_context(running(setup))
        table, board = house.tables["main"], cabled or house.boards["main"]
        sight = People(table, board, _throwers(table, setup), evening.speed)
        table.outlets += [sight, Terminal()]
        click.echo(f"Scoreboard  {house.page}")
        click.echo(f"MQTT        127.0.0.1:{setup.config.mqtt.port}, retained state on oche/table/main/state")
        click.echo(f"Board       {board.address}, a simulated {evening.book.profile.id} board")
        click.echo(f"Seed        {table.config.seed}; Ctrl-C ends it.\n")
        if evening.human:
            house.web.taps["main"] = partial(tapped, table=table, board=board)
            click.echo("Open the page and tap the board to throw; Next when the darts are pulled.\n")
        await (sight.watch() if evening.human else sight.play())
        await asyncio.sleep(0.2)  # the page and the broker are told the end before they go


def _cabled(folder: Path, evening: _Evening) -> SimulatedBoard | None:
    """The board, where it has a cable or a network; None where it is one of the house's own, in memory."""
    from simulator.pty_board import PtyBoard
    from simulator.tcp_board import TcpBoard

    match evening.book.profile.link:
        case "serial":
            return PtyBoard(evening.book, folder / "board", habits=evening.habits)
        case "tcp":
            return TcpBoard(evening.book, habits=evening.habits)
    return None


def _setup(folder: Path, evening: _Evening, address: str, port: int) -> Setup:
    config = Config(
        table=[replace(evening.table, board=address)],
        bridge=Bridge(state_dir=str(folder)),
        mqtt=Mqtt(port=_free_port(1883)),
        web=Web(port=_free_port(port)),
    )
    try:
        check(config, Source("", "oche play"))
    except SourceError as error:
        raise UserError(error.message, 2) from None
    return Setup(config, (evening.book,))


def _throwers(table: Table, setup: Setup) -> list[Thrower]:
    """Somebody for every seat, each with a chance of their own."""
    from engine.levels import sigma_mm
    from simulator.thrower import Thrower

    seed, face = table.config.seed, setup.codebooks[0].layout
    count = len(table.match.seating.players)
    return [Thrower(sigma_mm(_LEVELS[n % len(_LEVELS)]), Random(f"{seed}/{n}"), face) for n in range(count)]


def _quick(book: Codebook, speed: float) -> Codebook:
    """The board's codebook with its times as fast as its players."""
    profile = book.profile
    timing = _quicker(profile.timing, speed)
    steady_ms = min(profile.timing.repeat_ms, max(timing.repeat_ms, _UNSTEADY_MS))
    quicker = replace(profile, timing=replace(timing, repeat_ms=steady_ms))
    if profile.ble is not None:
        quicker = replace(quicker, ble=_quicker(profile.ble, speed))
    return expand(quicker)


def _quicker(part: T, speed: float) -> T:
    """This part of a profile with its milliseconds divided; a rule that is on stays on."""
    times = {name: getattr(part, name) for name in part.__struct_fields__ if name.endswith("_ms")}
    return replace(part, **{name: max(1, round(ms / max(1.0, speed))) for name, ms in times.items() if ms})


def _free_port(wanted: int) -> int:
    """This port of the loopback when it is free, else any."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise UserError("the loopback has no free port")
