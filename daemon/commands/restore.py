"""`oche restore`: everything out of a backup."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import config_option
from daemon.files import explain_errors

if TYPE_CHECKING:
    from daemon.backup.archive import Contents


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option()
def command(source: Path, config: Path) -> None:
    """Put back what `oche backup` wrote into FILE: the configuration, all matches and the keys; - is standard input.

    The daemon must not be running. What is there now is set aside: look for before-restore.
    """
    from daemon.backup.restore import restore

    contents = _read(source)
    folder = restore(contents, config)
    restored = "1 file is" if len(contents.state) == 1 else f"{len(contents.state)} files are"
    print(
        f"{restored} back in {folder} and {len(contents.config)} in {config.parent}, "
        f"as they were on {contents.manifest.at.astimezone():%Y-%m-%d at %H:%M}; now start oche.",
        file=sys.stderr,
    )


def _read(source: Path) -> Contents:
    from daemon.backup.archive import unpack

    if str(source) == "-":
        return unpack(sys.stdin.buffer)
    with explain_errors(f"cannot read {source}", None, 2), source.open("rb") as file:
        return unpack(file)
