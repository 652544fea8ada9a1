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

import click
from msgspec.structs import replace

from daemon.config import Bridge, Config, Mqtt, Setup, TableConfig, Web, check
from daemon.errors import UserError
from protocol.codebook import Codebook, expand, shipped
from protocol.profile import Timing
from protocol.source import Source, SourceError

_PROFILE = "opendarts"
_SIGMAS_MM = (16.0, 20.0, 18.0, 23.0)
"""How well the players throw, one after the other: good pub players, so that a game ends within minutes."""


@click.command()
@click.option("--game", default="x01", show_default=True, help="Which game; see oche games.")
@click.option("--players", default="Ann,Bo", show_default=True, help="Names with commas between.")
@click.option("--seed", default=None, help="The same seed, the same game.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=1.0, show_default=True, help="Times real speed.")
@click.option("--port", type=click.IntRange(0, 65535), default=8180, show_default=True, help="Of the page; 0: any.")
def command(game: str, players: str, seed: str | None, speed: float, port: int) -> None:
    """Play a whole game with no hardware and no configuration, and watch it in the browser."""
    seed = seed if seed is not None else str(Random().getrandbits(32))
    names = tuple(name for name in (n.strip() for n in players.split(",")) if name)
    with tempfile.TemporaryDirectory(prefix="oche-") as folder:
        config = Config(
            table=[TableConfig(board=f"serial:{folder}/board", profile=_PROFILE, game=game, players=names, seed=seed)],
            bridge=Bridge(state_dir=folder),
            mqtt=Mqtt(port=_free_port(1883)),
            web=Web(port=_free_port(port)),
        )
        try:
            check(config, Source("", "oche play"))
        except SourceError as error:
            raise UserError(error.message, 2) from None
        asyncio.run(_play(Setup(config, (_quick(speed),)), Path(folder), seed, speed))


async def _play(setup: Setup, folder: Path, seed: str, speed: float) -> None:
    from daemon.demo import People
    from daemon.service import running
    from daemon.terminal import Terminal
    from simulator.pty_board import PtyBoard
    from simulator.thrower import Thrower

    async with PtyBoard(setup.codebooks[0], folder / "board") as board, running(setup) as house:
        table = house.tables["main"]
        sigmas = (_SIGMAS_MM[seat % len(_SIGMAS_MM)] for seat in range(len(table.match.seating.players)))
        throwers = [Thrower(sigma, Random(f"{seed}/{seat}"), table.match.layout) for seat, sigma in enumerate(sigmas)]
        people = People(table, board, throwers, speed)
        table.outlets += [people, Terminal()]
        click.echo(f"Scoreboard  {house.page}")
        click.echo(f"MQTT        127.0.0.1:{setup.config.mqtt.port}, retained state on oche/table/main/state")
        click.echo(f"Board       {board.path}, a simulated {_PROFILE} board behind a pty")
        click.echo(f"Seed        {seed}; Ctrl-C ends it.\n")
        playing = asyncio.create_task(people.play())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, playing.cancel)
        await asyncio.wait({playing})
        if playing.cancelled():
            click.echo("\nStopped.")
        else:
            playing.result()
            await asyncio.sleep(0.2)  # the page and the broker are told the end before they go


def _quick(speed: float) -> Codebook:
    """The board's codebook with its times as fast as its players."""
    profile = shipped(_PROFILE).profile
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
