"""`oche doctor`: does everything that oche needs work, and if not, what is to be done?"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.config import DEFAULT_FILE, Setup, read_config

if TYPE_CHECKING:
    from daemon.doctor.checks import Check


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
@click.option("--json", "is_json", is_flag=True, help="One JSON object a line, for programs.")
def command(file: Path, is_json: bool) -> None:
    """Look at what oche needs, a line for each thing: ok, warning or problem, and what to do.

    Run it as root or as the daemon's user. It may run beside the daemon, and changes nothing that anybody could see;
    while it looks at the broker, the daemon cannot start. The exit status is 1 if there is a problem.
    """
    checks = asyncio.run(_examine(read_config(file), is_json))
    sys.exit(any(check.verdict == "problem" for check in checks))


async def _examine(setup: Setup, is_json: bool) -> list[Check]:
    import msgspec

    from daemon.doctor.examination import examine

    checks = []
    async for check in examine(setup):
        click.echo(msgspec.json.encode(check).decode() if is_json else str(check))
        checks.append(check)
    return checks
