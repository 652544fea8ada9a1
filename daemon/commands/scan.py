"""`oche scan`: what is plugged in or in the air, as lines to paste into the configuration.

All that it prints is TOML, with what is known of each thing in a comment: it can be pasted as a whole and thinned out.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.own import with_plugins
from daemon.errors import UserError

if TYPE_CHECKING:
    from drivers.around import Around
    from drivers.discovery import Found
    from protocol.profile import Profile

_TICK_S = 0.1
_USUAL = "opendarts"
"""Named first where any profile may be right: what the configuration means when it names none."""


@click.command()
@click.option(
    "--seconds",
    type=click.FloatRange(0.5, 600),
    default=6.0,
    show_default=True,
    help="How long to listen for Bluetooth boards.",
)
@click.option("--probe", is_flag=True, help="Open each serial port of USB and ask what it is; restarts most boards.")
@click.option(
    "--profile",
    "files",
    multiple=True,
    metavar="FILE",
    help="A profile of your own to look for as well, a TOML file; may be repeated.",
)
@click.option("--json", "is_json", is_flag=True, help="One JSON object, for programs.")
@with_plugins
def command(seconds: float, probe: bool, files: tuple[str, ...], is_json: bool) -> None:
    """Find boards: serial ports, USB devices, Bluetooth adverts; which profile fits each, and how to configure it.

    Press a button of a Bluetooth board first: many sleep, and a sleeping board cannot be found.
    """
    from drivers.probe import patience_s

    profiles = _profiles(files)
    expected_s = max(seconds, patience_s(profiles)) if probe else seconds
    around = asyncio.run(_look(profiles, seconds, probe, expected_s))
    click.echo(as_json(around) if is_json else as_toml(around))
    if not is_json:
        for note in around.notes:
            click.echo(f"oche: {note}", err=True)


def _profiles(files: tuple[str, ...]) -> list[Profile]:
    """These and all that are known, each by its name in the configuration. Raises UserError."""
    from msgspec.structs import replace

    from daemon.profiles import named
    from protocol.codebook import known_names, shipped

    for file in files:
        if not file.endswith(".toml"):
            raise UserError(f"--profile {file}: name a file ending in .toml; shipped profiles are looked for anyway", 2)
    own = [replace(named(file).profile, id=str(Path(file).resolve())) for file in files]
    names = sorted(known_names(), key=lambda name: name != _USUAL)
    return [*own, *(shipped(name).profile for name in names)]


async def _look(profiles: list[Profile], seconds: float, probe: bool, expected_s: float) -> Around:
    """Looks around, with a bar on the terminal that moves meanwhile."""
    from drivers.around import look_around

    looking = asyncio.create_task(look_around(profiles, seconds, probe=probe))
    if sys.stderr.isatty():
        start_s = time.monotonic()
        ticks = round(expected_s / _TICK_S)
        with click.progressbar(length=ticks, label="Looking around", file=sys.stderr) as bar:
            while not looking.done():
                await asyncio.wait([looking], timeout=_TICK_S)
                now = ticks if looking.done() else min(ticks, int((time.monotonic() - start_s) / _TICK_S))
                bar.update(now - bar.pos)
    return await looking


def as_toml(around: Around) -> str:
    """For people: tables for the configuration, what is known of each in a comment."""
    boards = [f"# {each.what}\n# {_certainty(each)}\n{each.lines()}\n" for each in around.found if each.fits]
    others = [each for each in around.found if not each.fits]
    named = [f"#   {each.address}  {each.what}" for each in others if each.what]
    silent = len(others) - len(named)
    if silent:
        named.append(f"#   and {silent} Bluetooth {'device' if silent == 1 else 'devices'} without a name")
    if not boards:
        boards = ["# No board was found: plug it in, or switch it on, press a button of it and try again."]
    return "\n".join([*boards, *(["# No profile fits:", *named] if named else [])]).rstrip()


def _certainty(found: Found) -> str:
    match found.sure:
        case "sure":
            return f"Surely {found.fits[0].profile}."
        case "likely":
            return f"Its name or number fits {found.fits[0].profile}."
    return "Boards are built with such a port; what is behind it, oche scan --probe may tell, or whoever built it."


def as_json(around: Around) -> str:
    """For programs: `found`, each with `address`, `what`, `fits` and `config`, and `notes`."""
    import msgspec

    found = [
        {
            "address": each.address,
            "what": each.what,
            "fits": [{"profile": fit.profile, "sure": fit.sure} for fit in each.fits],
            "config": each.lines(),
        }
        for each in around.found
    ]
    return msgspec.json.encode({"found": found, "notes": around.notes}).decode()
