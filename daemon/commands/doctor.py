"""`oche doctor`: whether all that oche needs works, and what to do where it does not."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import config_option

if TYPE_CHECKING:
    from daemon.admin.doctor.checks import Check, Verdict
    from daemon.terminal import Colour

_COLOURS: dict[Verdict, Colour] = {"ok": "green", "warning": "yellow", "problem": "red"}


@click.command()
@config_option(default=None)
@click.option("--json", "is_json", is_flag=True, help="One JSON object per line, for programs.")
def command(config: Path | None, is_json: bool) -> None:
    """Check everything oche needs, and say how to fix what is wrong.

    Each line is ok, a warning or a problem, with what to do about it. Run it as root (sudo): only root can see which
    program holds a port. The daemon may be running, and nothing is changed; but the daemon cannot start while the
    broker is checked. The exit status is 1 if there is a problem.
    """
    logging.getLogger("oche").addHandler(logging.NullHandler())  # what is wrong is said in the lines
    checks = asyncio.run(_examine(config, is_json))
    if not is_json:
        click.echo(summary(checks))
    sys.exit(any(check.verdict == "problem" for check in checks))


def summary(checks: Sequence[Check]) -> str:
    """The number of problems and warnings, in one line."""
    numbers = {word: sum(check.verdict == word for check in checks) for word in ("problem", "warning")}
    counted = [f"{number} {word}{'s' if number > 1 else ''}" for word, number in numbers.items() if number]
    return ", ".join(counted) or "all is well"


def _paint_verdict(check: Check) -> str:
    from daemon.terminal import paint

    word, rest = check.verdict, str(check).removeprefix(check.verdict)
    return paint(word, _COLOURS[word]) + rest


async def _examine(file: Path | None, is_json: bool) -> list[Check]:
    import msgspec

    from daemon.admin.doctor.examine import examine

    checks = []
    async for check in examine(file):
        click.echo(msgspec.json.encode(check.write()).decode() if is_json else _paint_verdict(check))
        checks.append(check)
    return checks
