"""`oche backup`: everything into one file, also while the daemon runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from daemon.config import DEFAULT_FILE, read_config
from daemon.errors import UserError


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
def command(output: Path, file: Path) -> None:
    """Write the configuration, all matches and the keys into FILE (.tar.gz), for `oche restore`; - is standard output.

    The file holds secrets, if the configuration does: keep it as you keep those. It is for your eyes only.
    """
    from daemon.archive import pack

    config = read_config(file).config
    if str(output) == "-":
        outside = pack(file, config, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        draft = output.with_name(f"{output.name}.new")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                outside = pack(file, config, out)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(output)
        except OSError as error:
            raise UserError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None
        finally:
            draft.unlink(missing_ok=True)
        print(f"{output} has {output.stat().st_size / 1e6:.1f} MB.", file=sys.stderr)
    for path in outside:
        print(f"oche: {path} is not in it, because it is not below {file.absolute().parent}", file=sys.stderr)
