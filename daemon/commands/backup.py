"""`oche backup`: everything in one file, also while the daemon runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from daemon import files
from daemon.commands.shared import check_output, config_option, force_option, open_config


@click.command()
@click.argument("output", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@config_option()
@force_option
@click.option("--sounds", is_flag=True, help="Include the sound packs, which can be large.")
def command(output: Path, config: Path, force: bool, sounds: bool) -> None:
    """Back up the configuration, all matches and the keys into FILE (.tar.gz); - is standard output.

    The file contains the passwords and keys of the configuration: keep it private.
    """
    from daemon.admin.backup.collect import keep_backup, write_backup

    if str(output) != "-":
        check_output(output, force=force)
    with files.explain_errors(f"cannot write {output}", None):
        if str(output) == "-":
            remarks = write_backup(config, open_config(config), sys.stdout.buffer, None, sounds=sounds)
            sys.stdout.buffer.flush()
        else:
            remarks = keep_backup(config, open_config(config), files.follow_link(output), sounds=sounds)
    if str(output) != "-":
        print(f"Wrote {output}, {output.stat().st_size / 1e6:.1f} MB.", file=sys.stderr)
    for remark in remarks:
        print(f"oche: {remark}", file=sys.stderr)
