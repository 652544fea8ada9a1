"""A daemon with several tables, of which nothing has loaded what tournaments need."""

from __future__ import annotations

import sys
from pathlib import Path

from daemon.config.reader import CheckedConfig, read_config
from tests.daemon.process import configure


def configure_tables(folder: Path, count: int = 2) -> CheckedConfig:
    """The tables main, second, third … with boards that are not there."""
    names = ("second", "third", "fourth")[: count - 1]
    more = "".join(f'\n[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\n' for name in names)
    return read_config(configure(folder, table='name = "main"', more=more))


_ALWAYS = {
    "daemon.admin.faces.tournament",
    "daemon.admin.requests.tournament",
    "daemon.web.tournament_codes",
    "protocol.tournament_messages",
}
"""The routes by which the first tournament is made, and the types of what is published of one."""


def list_loaded() -> list[str]:
    """The modules that only tournaments need, as far as they are loaded."""
    found = {name for name in sys.modules if "tournament" in name and not name.startswith("tests.")}
    return sorted(found - _ALWAYS)
