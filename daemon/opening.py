"""The tables as the configuration has them, each with its journal opened."""

from __future__ import annotations

import logging
import secrets
from pathlib import Path

from daemon.config import Setup
from daemon.errors import UserError
from daemon.sections import TableConfig
from daemon.store import Store, StoreError
from daemon.table import Table
from engine.record import Unreadable
from protocol.codebook import Codebook
from protocol.messages import BoardInfo

log = logging.getLogger("oche")


def open_tables(setup: Setup) -> tuple[dict[str, Table], dict[str, BoardInfo]]:
    """The tables by name, and what displays are told of those that cannot be used. Raises UserError when none can."""
    session = secrets.token_hex(4)
    folder = Path(setup.config.bridge.state_dir)
    tables: dict[str, Table] = {}
    unusable: dict[str, BoardInfo] = {}
    for config, codebook in zip(setup.config.table, setup.codebooks, strict=True):
        try:
            tables[config.name] = _table(config, codebook, folder, session)
        except (StoreError, Unreadable) as error:
            if len(setup.config.table) == 1:
                raise UserError(f"table {config.name}: {error}") from None
            log.error("table %s: %s", config.name, error)
            unusable[config.name] = BoardInfo(codebook.profile.id, config.board, str(error))
    if not tables:
        raise UserError("no table can be used: mend what was said of each, and start oche again")
    return tables, unusable


def _table(config: TableConfig, codebook: Codebook, folder: Path, session: str) -> Table:
    store = Store(folder / f"{config.name}.sqlite3")
    try:
        return Table(config, codebook, store, session)
    except BaseException:
        store.close()
        raise
