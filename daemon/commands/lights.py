"""`oche lights`: shows a scene on the lights of the configuration, and understands what was written for darts-wled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from daemon.commands.shared import Subcommands, open_input, with_config
from daemon.config.lights import OVER_MQTT, Light, Scene, collect_scenes, say_no_scene
from daemon.config.reader import read_config
from daemon.errors import UserError

_USUAL_S = 5.0
"""How long a scene is shown that otherwise stays until the darts are pulled."""
_MOST_BYTES = 1 << 20


@click.group(cls=Subcommands)
def command() -> None:
    """Try the lights, or import what was written for darts-wled."""


@command.command("try")
@click.argument("scene")
@click.option("--light", help="The name of the only light to show it on.")
@with_config
def try_scene(scene: str, light: str | None, config: Path) -> None:
    """Show SCENE on the lights of the configuration, and then what they showed before."""
    read = read_config(config).config
    outlets, folder = read.outlets, Path(read.bridge.state_dir)
    scenes, lights = collect_scenes(outlets.scene), [each for each in outlets.light if light in (None, each.name)]
    if scene not in scenes:
        raise UserError(say_no_scene(scene, scenes), 2)
    over_mqtt = [each.name for each in lights if each.url.startswith(OVER_MQTT)]
    if over_mqtt:
        raise UserError(f"only the daemon reaches lights over MQTT ({', '.join(over_mqtt)}): name another --light", 2)
    if not lights:
        wanted = "light" if light is None else f"light {light!r}"
        raise UserError(f"{config} has no {wanted}: add an [[outlets.light]] with its name and its url", 2)
    with _keep_daemon_away(folder):
        failures = asyncio.run(_show(lights, scenes[scene], folder))
    if failures:
        raise UserError("; ".join(failures))


@contextmanager
def _keep_daemon_away(folder: Path) -> Iterator[None]:
    """Reserves the state folder while the block lasts. Raises UserError if a daemon has it.

    Of two that change one light, each would take the scene of the other for somebody's wish, and leave it on.
    """
    from daemon.service.lock import is_daemon_running, lock_folder

    if is_daemon_running(folder):
        remedy = "stop it first (sudo systemctl stop oche), or write a rule that shows the scene"
        raise UserError(f"oche is running and controls the lights: {remedy}")
    with lock_folder(folder):
        yield


async def _show(lights: list[Light], scene: Scene, folder: Path) -> list[str]:
    """Shows the scene for its time and puts the lights back; returns what went wrong, by light.

    What the lights showed is kept in the state folder: if this is killed, the next start of oche puts them back.
    """
    from daemon.outlets.strip import LightError, name_file, try_scenes

    async def show_on(light: Light) -> str:
        try:
            await try_scenes(light, [scene], scene.seconds or _USUAL_S, folder / name_file(light.name))
        except LightError as error:
            return f"light {light.name}: {error}"
        return ""

    return [failure for failure in await asyncio.gather(*map(show_on, lights)) if failure]


@command.command("import")
@click.argument("file", type=click.Path(allow_dash=True))
def import_file(file: str) -> None:
    """Print the arguments of darts-wled in FILE as sections of the configuration; - is standard input.

    The exit status is 1 if some of them have no counterpart, or no controller is named: standard error says which.
    """
    from daemon.outlets.darts_wled import import_arguments

    with open_input(file) as source:
        text = source.read(_MOST_BYTES).decode(errors="replace")
    imported = import_arguments(text)
    click.echo(imported.text, nl=False)
    missing = [] if imported.has_lights else ["there is no light yet: add -WEPS with the address of your controller"]
    if imported.left:
        missing.append(f"these have no counterpart in oche: {', '.join(imported.left)}")
    if missing:
        raise UserError("; ".join(missing))
