"""`oche scan`: finds boards, and prints them as lines of a configuration.

The output is a configuration that is valid as it is, with what is known of each board in a comment. A port that may
not be a board's is a comment too unless it is the first, because the daemon would open it, and a configuration needs a
board. A broker at the usual port of this machine is named, because the daemon cannot start one of its own there.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import shows_progress, with_config, with_proxies
from daemon.config.schemes import SIMULATED
from daemon.config.sections import Mqtt

if TYPE_CHECKING:
    from drivers.scan import Scan
    from protocol.profile import Profile

_SECONDS = "How long to listen for Bluetooth boards."
_PROFILE = "A TOML file with your own profile, to look for as well; may be repeated."
_PROBE = (
    "Open each USB serial port and ask what it is, which restarts most boards; also ask hosts in the network, and find "
    "lights there."
)
_TICK_S = 0.1
_BROKER = """\
# This machine has a broker already.
[mqtt]
host = "127.0.0.1"
"""
_LOGIN = """\
# It requires a login: write the name after username, and the password into the file /etc/oche/mqtt-password
# username = "oche"
"""


@click.command()
@click.option("--seconds", type=click.FloatRange(0.5, 600), default=6.0, show_default=True, help=_SECONDS)
@click.option("--probe", is_flag=True, help=_PROBE)
@click.option("--profile", "files", multiple=True, metavar="FILE", help=_PROFILE)
@click.option("--json", "is_json", is_flag=True, help="One JSON object, for programs.")
@with_config
def command(seconds: float, probe: bool, files: tuple[str, ...], is_json: bool, config: Path) -> None:
    """Find boards on USB, serial ports, Bluetooth and the network, and say how to configure them.

    Press a button on a Bluetooth board first: many sleep, and a sleeping board cannot be found. On the network oche
    tries the gateway and the known neighbours, on the ports that boards use.
    """
    from daemon.admin.scan import find_games, list_wanted_profiles
    from drivers.probe import probe_time_s
    from drivers.scan import format_json, format_toml

    profiles = list_wanted_profiles(files)
    expected_s = max(seconds, probe_time_s(profiles)) if probe else seconds
    scan = asyncio.run(_look(profiles, seconds, probe, expected_s, config))
    games = find_games(profiles)
    if is_json:
        click.echo(format_json(scan, games))
        return
    more = [asyncio.run(_look_for_broker())]
    if probe:
        from daemon.outlets.find_lights import find_lights, format_lights
        from drivers.network_scan import list_known_hosts

        more.append(format_lights(asyncio.run(find_lights(list_known_hosts()))))
    click.echo(format_toml(scan, games, SIMULATED, "\n".join(filter(None, more))))
    for note in scan.notes:
        click.echo(f"oche: {note}", err=True)


async def _look_for_broker() -> str:
    """The lines for the broker of another program at the usual port of this machine; "" where there is none."""
    from daemon.mqtt.probe import find_other_broker

    match await find_other_broker(Mqtt().port):
        case "open":
            return _BROKER
        case "login":
            return _BROKER + _LOGIN
    return ""


async def _look(profiles: list[Profile], seconds: float, probe: bool, expected_s: float, config: Path) -> Scan:
    """Looks for boards, with a progress bar on a terminal. Those on Bluetooth are heard through the proxies as well."""
    from drivers.network_scan import list_known_hosts
    from drivers.scan import scan_all

    async def scan() -> Scan:
        async with with_proxies(config):
            return await scan_all(profiles, seconds, list_known_hosts(), probe=probe)

    looking = asyncio.create_task(scan())
    if shows_progress():
        start_s = time.monotonic()
        ticks = round(expected_s / _TICK_S)
        with click.progressbar(length=ticks, label="Looking around", file=sys.stderr) as bar:
            while not looking.done():
                await asyncio.wait([looking], timeout=_TICK_S)
                now = ticks if looking.done() else min(ticks, int((time.monotonic() - start_s) / _TICK_S))
                bar.update(now - bar.pos)
    return await looking
