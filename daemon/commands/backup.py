"""`oche backup`: everything into one file, also while the daemon runs."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import click

from daemon import files
from daemon.config import DEFAULT_FILE, read_config
from daemon.errors import UserError


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
def command(output: Path, file: Path) -> None:
    """Write the configuration, all matches and the keys into FILE (.tar.gz), for `oche restore`; - is standard output.

    The file holds secrets, if the configuration does: keep it as you keep those. It is for your eyes only.
    """
    try:
        if str(output) == "-":
            remarks = _pack(file, sys.stdout.buffer, None)
            sys.stdout.buffer.flush()
        else:
            with files.written(output, mode=0o600) as out:
                remarks = _pack(file, out, output.parent)
            print(f"{output} has {output.stat().st_size / 1e6:.1f} MB.", file=sys.stderr)
    except OSError as error:
        raise UserError(f"cannot write {output}: {files.reason(error)}{files.remedy(error)}") from None
    for remark in remarks:
        print(f"oche: {remark}", file=sys.stderr)


def _pack(file: Path, out: BinaryIO, beside: Path | None) -> list[str]:
    """Writes the backup; what is to be said of it. The journals are copied beside it: /tmp may be in memory."""
    from daemon.archive import pack
    from daemon.belongings import belongings

    config = read_config(file).config
    with TemporaryDirectory(prefix=".oche-backup-", dir=beside) as folder:
        members, remarks = belongings(file, config, Path(folder))
        pack(file.name, members, out)
    return remarks
