"""`oche play`: the whole house with no hardware and no configuration.

Nothing is short-circuited: simulated people throw at a simulated board behind a real pty, and from there on it is the
same daemon as `oche run`, with the embedded broker and a state folder that is thrown away.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from daemon.config import Bridge, Config, Mqtt, Setup, TableConfig, Web, check
from daemon.errors import UserError
from engine.games import game as find
from protocol.codebook import Codebook, expand, shipped
from protocol.profile import Timing
from protocol.segment import UnknownSegment
from protocol.source import Source, SourceError

if TYPE_CHECKING:
    from daemon.table import Table
    from daemon.web import Where
    from simulator.pty_board import PtyBoard
    from simulator.thrower import Thrower

_PROFILES = {"standard": "opendarts", "yatzy": "plain-yatzy", "ground_round": "plain-ground-round"}
"""The board that is simulated, by the face of the game."""
_SIGMAS_MM = (16.0, 20.0, 18.0, 23.0)
"""How well the players throw, one after the other: good pub players, so that a game ends within minutes."""


@click.command()
@click.option("--game", default="x01", show_default=True, help="Which game; see oche games.")
@click.option("--players", default="Ann,Bo", show_default=True, help="Names with commas between.")
@click.option("--seed", default=None, help="The same seed, the same game.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=1.0, show_default=True, help="Times real speed.")
@click.option("--port", type=click.IntRange(0, 65535), default=8180, show_default=True, help="Of the page; 0: any.")
@click.option("--human", is_flag=True, help="You play: tap the board that the page draws.")
def command(game: str, players: str, seed: str | None, speed: float, port: int, human: bool) -> None:
    """Play a whole game with no hardware and no configuration, and watch it in the browser."""
    try:
        profile = _PROFILES[find(game).layouts[0]]
    except ValueError as error:
        raise UserError(str(error), 2) from None
    seed = seed if seed is not None else str(Random().getrandbits(32))
    names = tuple(name for name in (n.strip() for n in players.split(",")) if name)
    table = TableConfig(board="serial:board", profile=profile, game=game, players=names, seed=seed)
    try:
        asyncio.run(_play(table, port, speed, human))
    except asyncio.CancelledError:
        click.echo("\nStopped.")


async def _play(table: TableConfig, port: int, speed: float, human: bool) -> None:
    """In a folder that is gone afterwards, however it ends."""
    playing = asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, lambda: playing and playing.cancel())
    with tempfile.TemporaryDirectory(prefix="oche-") as folder:
        await _play_in(Path(folder), _setup(Path(folder), table, port, speed), speed, human)


def _setup(folder: Path, table: TableConfig, port: int, speed: float) -> Setup:
    config = Config(
        table=[replace(table, board=f"serial:{folder}/board")],
        bridge=Bridge(state_dir=str(folder)),
        mqtt=Mqtt(port=_free_port(1883)),
        web=Web(port=_free_port(port)),
    )
    try:
        check(config, Source("", "oche play"))
    except SourceError as error:
        raise UserError(error.message, 2) from None
    return Setup(config, (_quick(table.profile, speed),))


async def _play_in(folder: Path, setup: Setup, speed: float, human: bool) -> None:
    from daemon.demo import People
    from daemon.service import running
    from daemon.terminal import Terminal
    from simulator.pty_board import PtyBoard

    async with PtyBoard(setup.codebooks[0], folder / "board") as board, running(setup) as house:
        table = house.tables["main"]
        sight = People(table, board, _throwers(table, setup), speed)
        table.outlets += [sight, Terminal()]
        click.echo(f"Scoreboard  {house.page}")
        click.echo(f"MQTT        127.0.0.1:{setup.config.mqtt.port}, retained state on oche/table/main/state")
        click.echo(f"Board       {board.path}, a simulated {table.config.profile} board behind a pty")
        click.echo(f"Seed        {table.config.seed}; Ctrl-C ends it.\n")
        if human:
            house.web.taps["main"] = lambda where: _tapped(where, table, board)
            click.echo("Open the page and tap the board to throw; Next when the darts are pulled.\n")
        await (sight.watch() if human else sight.play())
        await asyncio.sleep(0.2)  # the page and the broker are told the end before they go


def _throwers(table: Table, setup: Setup) -> list[Thrower]:
    """Somebody for every seat, each with a chance of their own."""
    from simulator.thrower import Thrower

    seed, face = table.config.seed, setup.codebooks[0].layout
    count = len(table.match.seating.players)
    return [Thrower(_SIGMAS_MM[n % len(_SIGMAS_MM)], Random(f"{seed}/{n}"), face) for n in range(count)]


def _tapped(where: Where, table: Table, board: PtyBoard) -> str:
    """A dart where a finger touched the page; gives where it landed. Raises UnknownSegment."""
    face = table.match.layout
    if where.segment is not None:
        landed = face[where.segment]
    elif where.x is None or where.y is None:
        raise UnknownSegment("a tap needs x and y, or a segment")
    else:
        landed = face.landed(where.x, where.y)
    if not board.hit(landed):
        board.miss()
    return landed.id


def _quick(name: str, speed: float) -> Codebook:
    """The board's codebook with its times as fast as its players."""
    profile = shipped(name).profile
    timing = Timing(
        repeat_ms=round(profile.timing.repeat_ms / max(1.0, speed)),
        contact_ms=round(profile.timing.contact_ms / max(1.0, speed)),
    )
    return expand(replace(profile, timing=timing))


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
