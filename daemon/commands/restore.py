"""`oche restore`: everything out of a backup."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO

import click

from daemon.commands.shared import config_option
from daemon.errors import escape_controls
from daemon.files import explain_errors, open_file


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option()
@click.option(
    "--state-dir", type=click.Path(path_type=Path), help="The folder for the matches, if not the current one."
)
def command(source: Path, config: Path, state_dir: Path | None) -> None:
    """Restore the configuration, all matches and the keys from a backup FILE; - is standard input.

    Stop the daemon first. What is there now is moved to folders named before-restore.
    """
    from daemon.admin.backup.archive import unpack
    from daemon.admin.backup.restore import find_folder, restore, undo_unfinished

    with _open(source, config) as file:
        contents = unpack(file)
        if remark := undo_unfinished(config):
            print(f"oche: {remark}", file=sys.stderr)
        folder = find_folder(contents, config, state_dir)
        remarks = restore(contents, file, config, folder)
    restored = "1 file is" if len(contents.state) == 1 else f"{len(contents.state)} files are"
    print(
        f"{restored} back in {folder} and {len(contents.config)} in {config.parent}, "
        f"as they were on {contents.manifest.at.astimezone():%Y-%m-%d at %H:%M}; now start oche.",
        file=sys.stderr,
    )
    for remark in remarks:
        print(f"oche: {escape_controls(remark)}", file=sys.stderr)


def _open(source: Path, config: Path) -> BinaryIO:
    """Opens the backup, which is read twice; what comes through a pipe is kept on the disk meanwhile."""
    if str(source) == "-" and sys.stdin.buffer.seekable():
        return sys.stdin.buffer
    if str(source) != "-":
        with explain_errors(f"cannot read {source}", None, 2):
            return open_file(source)
    with explain_errors("cannot save what comes through the pipe", None):
        # /tmp may be in memory
        kept = TemporaryFile(dir=config.parent if config.parent.is_dir() else None)  # noqa: SIM115  the caller closes it
        copyfileobj(sys.stdin.buffer, kept)
    return kept
