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


def list_loaded() -> list[str]:
    """The modules that only tournaments need, as far as they are loaded."""
    return sorted(name for name in sys.modules if name.startswith(("daemon.tournament", "engine.tournament")))
