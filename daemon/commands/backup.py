"""`oche backup`: everything in one file, also while the daemon runs."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import BinaryIO

import click

from daemon import files
from daemon.admin.own_commands import make_work_folder
from daemon.commands.shared import check_output, config_option, force_option, open_config
from daemon.config.reader import Setup
from daemon.config.sections import Mqtt
from daemon.errors import PortTaken, UserError


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option()
@force_option
def command(output: Path, config: Path, force: bool) -> None:
    """Write the configuration, all matches and the keys into FILE (.tar.gz), for `oche restore`; - is standard output.

    The file holds secrets, if the configuration does: keep it as you keep those. It is for your eyes only.
    """
    if str(output) != "-":
        check_output(output, force=force)
    with files.explain_errors(f"cannot write {output}", None):
        if str(output) == "-":
            remarks = _pack(config, sys.stdout.buffer, None)
            sys.stdout.buffer.flush()
        else:
            place = files.follow_link(output)
            with files.open_replacement(place, mode=0o600) as out:
                remarks = _pack(config, out, place.parent)
    if str(output) != "-":
        print(f"{output} has {output.stat().st_size / 1e6:.1f} MB.", file=sys.stderr)
    for remark in remarks:
        print(f"oche: {remark}", file=sys.stderr)


def _pack(file: Path, out: BinaryIO, beside: Path | None) -> list[str]:
    """Writes the backup; returns remarks for the user.

    The journals are copied beside it: /tmp may be in memory. Of one for standard output (`beside` is None) they are
    copied where TMPDIR says.
    """
    from daemon.admin.backup.archive import pack
    from daemon.admin.backup.collect import list_members

    setup = open_config(file)
    with make_work_folder(beside) as folder:
        written = file
        if setup is None:
            written = folder / file.name
            setup = _write_config(written)
        members, remarks = list_members(file, written, setup.config, folder)
        pack(members, out)
    return remarks


def _write_config(file: Path) -> Setup:
    """Writes the configuration that does what `oche run` does without one, for the backup."""
    from daemon.config.unconfigured import find_setup, find_state_folder
    from daemon.mqtt.local_broker import check_local_broker

    found = asyncio.run(find_setup(find_state_folder()))
    try:
        check_local_broker(Mqtt().port)
    except PortTaken:
        pass  # perhaps by the daemon's own broker
    except UserError:
        found = found.with_broker(Mqtt(on=False))
    file.write_text(found.lines, encoding="utf-8")
    return found.setup
