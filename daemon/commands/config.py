"""`oche config check`: whether the daemon would start with this configuration."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from daemon.commands.shared import Subcommands
from daemon.config.reader import DEFAULT_FILE, read_config
from daemon.config.sections import Mqtt
from daemon.config.unconfigured import is_unconfigured
from daemon.errors import UserError
from daemon.files import read_source
from daemon.plugins import loader


@click.group(cls=Subcommands)
def command() -> None:
    """Check a configuration file."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path), default=DEFAULT_FILE)
def check(file: Path) -> None:
    """Check FILE: if something is wrong, say in which line, and what would be right."""
    if file == DEFAULT_FILE and is_unconfigured(None):
        click.echo(f"There is no {file}: oche run uses what it finds, and prints the lines that make it permanent.")
        return
    from daemon.admin.doctor.configuration import check_merged

    checked = read_config(file)
    for broken in loader.load(file.parent):
        click.echo(f"oche: {broken}", err=True)
    for table, book in zip(checked.config.table, checked.codebooks, strict=True):
        click.echo(f"table {table.name}: {table.game} on {table.board} ({table.profile or book.profile.id})")
    if checked.remarks:
        raise UserError("; ".join(map(str, checked.remarks)))
    if _misses_password(checked.config.mqtt, is_of_service=file == DEFAULT_FILE):
        reason = f"there is no file {checked.config.mqtt.password_file}: write the broker's password into it"
        raise UserError(str(read_source(file).error(reason, "mqtt", "password_file")))
    for merged in check_merged(file, checked.config):
        click.echo(f"oche: {merged.text}: {merged.remedy}", err=True)
    click.echo(f"{file} is valid.")


def _misses_password(mqtt: Mqtt, *, is_of_service: bool) -> bool:
    """Whether there is no file with the broker's password. The service may have it from its manager instead."""
    from daemon.admin.doctor.service import locate_credentials
    from daemon.admin.doctor.system import System
    from daemon.config.credentials import CREDENTIAL, find_password

    place = find_password(mqtt) if mqtt.on and mqtt.host is not None else None
    if place is None or not _is_missing(place):
        return False
    given = asyncio.run(locate_credentials(System())).get(CREDENTIAL) if is_of_service else None
    return given is None or _is_missing(given)


def _is_missing(file: Path) -> bool:
    """Whether there is no such file; one that may not be seen is not missing."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
