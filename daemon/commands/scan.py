"""`oche scan`: finds boards, and prints them as lines of a configuration.

The output is a whole configuration, with what is known of each board in a comment. A port that may not be a board's is
a comment too unless it is the first, because the daemon would open it, and a configuration needs a board.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import with_plugins
from daemon.config.schemes import SIMULATED
from daemon.config.sections import TableConfig
from daemon.errors import UserError

if TYPE_CHECKING:
    from drivers.scan import Found, Scan
    from protocol.profile import Profile

_SECONDS = "How long to listen for Bluetooth boards."
_PROFILE = "A profile of your own to look for as well, a TOML file; may be repeated."
_TICK_S = 0.1
_USUAL = "opendarts"
"""The profile that a configuration without one means; named first where any profile may fit."""


@click.command()
@click.option("--seconds", type=click.FloatRange(0.5, 600), default=6.0, show_default=True, help=_SECONDS)
@click.option("--probe", is_flag=True, help="Open each serial port of USB and ask what it is; restarts most boards.")
@click.option("--profile", "files", multiple=True, metavar="FILE", help=_PROFILE)
@click.option("--json", "is_json", is_flag=True, help="One JSON object, for programs.")
@with_plugins
def command(seconds: float, probe: bool, files: tuple[str, ...], is_json: bool) -> None:
    """Find boards: serial ports, USB devices, Bluetooth adverts; which profile fits each, and how to configure it.

    Press a button of a Bluetooth board first: many sleep, and a sleeping board cannot be found.
    """
    from drivers.probe import probe_time_s

    profiles = _profiles(files)
    expected_s = max(seconds, probe_time_s(profiles)) if probe else seconds
    scan = asyncio.run(_look(profiles, seconds, probe, expected_s))
    games = {profile.id: _game(profile) for profile in profiles}
    click.echo(format_json(scan, games) if is_json else format_toml(scan, games))
    if not is_json:
        for note in scan.notes:
            click.echo(f"oche: {note}", err=True)


def _profiles(files: tuple[str, ...]) -> list[Profile]:
    """The profiles of these files and all known ones; ids are as a configuration names them. Raises UserError."""
    from msgspec.structs import replace

    from daemon.plugins.profiles import find_codebook
    from protocol.codebook import list_profiles, shipped

    for file in files:
        if not file.endswith(".toml"):
            raise UserError(f"--profile {file}: name a file ending in .toml; shipped profiles are looked for anyway", 2)
    own = [replace(find_codebook(file).profile, id=str(Path(file).resolve())) for file in files]
    names = sorted(list_profiles(), key=lambda name: name != _USUAL)
    return [*own, *(shipped(name).profile for name in names)]


async def _look(profiles: list[Profile], seconds: float, probe: bool, expected_s: float) -> Scan:
    """Looks for boards, with a progress bar on a terminal."""
    from drivers.scan import scan_all

    looking = asyncio.create_task(scan_all(profiles, seconds, probe=probe))
    if sys.stderr.isatty():
        start_s = time.monotonic()
        ticks = round(expected_s / _TICK_S)
        with click.progressbar(length=ticks, label="Looking around", file=sys.stderr) as bar:
            while not looking.done():
                await asyncio.wait([looking], timeout=_TICK_S)
                now = ticks if looking.done() else min(ticks, int((time.monotonic() - start_s) / _TICK_S))
                bar.update(now - bar.pos)
    return await looking


def format_toml(scan: Scan, games: Mapping[str, str]) -> str:
    """The output for people: a configuration with comments. `games`: see `_lines`."""
    boards = [each for each in scan.found if each.fits]
    tables = []
    for number, each in enumerate(boards, 1):
        text = f"{_lines(each, games, number)}\n"
        if number > 1 and each.sure != "sure":
            text = f"# To use it, take away the # before these lines:\n{indent(text, '# ')}"
        tables.append(f"# {each.what}\n# {_certainty(each)}\n{text}")
    others = [each for each in scan.found if not each.fits]
    named = [f"#   {each.address}  {each.what}" for each in others if each.what]
    silent = len(others) - len(named)
    if silent:
        named.append(f"#   and {silent} Bluetooth {'device' if silent == 1 else 'devices'} without a name")
    if not tables:
        nothing = "# No board was found: plug it in, or switch it on, press a button of it and try again."
        tables = [f'{nothing}\n# Until then a simulated one:\n[[table]]\nboard = "{SIMULATED}"\n']
    return "\n".join([*tables, *(["# No profile fits:", *named] if named else [])]).rstrip()


def _lines(found: Found, games: Mapping[str, str], number: int = 1) -> str:
    """The lines of a table: with a name unless it is the first, and with a game unless the usual one fits its layout.

    `games` are the games by profile; "" stands for the usual one.
    """
    more = {"name": f"board{number}"} if number > 1 else {}
    game = games.get(found.fits[0].profile, "") if found.fits else ""
    return found.lines(**more, **({"game": game} if game else {}))


def _game(profile: Profile) -> str:
    """The first shipped game for this board's layout; "" for the usual one."""
    from engine.games import GAMES, is_shipped

    layout, usual = profile.layout, GAMES[TableConfig(board="").game]
    fitting = (name for name, game in GAMES.items() if is_shipped(name) and layout in game.layouts)
    return "" if layout in usual.layouts else next(fitting, "")


def _certainty(found: Found) -> str:
    match found.sure:
        case "sure":
            return f"Surely {found.fits[0].profile}."
        case "likely":
            return f"Its name or number fits {found.fits[0].profile}."
    return "Boards are built with such a port; oche scan --probe or the board's builder may tell what it is."


def format_json(scan: Scan, games: Mapping[str, str]) -> str:
    """The output for programs: `found`, each with `address`, `what`, `fits` and `config`; and `notes`."""
    import msgspec

    found = []
    for each in scan.found:
        fits = [{"profile": fit.profile, "sure": fit.sure} for fit in each.fits]
        found.append({"address": each.address, "what": each.what, "fits": fits, "config": _lines(each, games)})
    return msgspec.json.encode({"found": found, "notes": scan.notes}).decode()
