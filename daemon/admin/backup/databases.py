"""What the databases of a backup have in them beside the tables of oche: nothing, or the backup is refused.

A trigger or a view is a program that runs whenever the table is written or read, and a backup may come from anyone.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path, PurePath

from daemon.admin.players import book
from daemon.admin.temporary import LEAGUE, TOURNAMENTS
from daemon.errors import UserError, escape_controls
from daemon.journal import journal_file as journal
from daemon.journal.errors import Damaged, StoreError, explain_errors
from daemon.journal.stored import open_read_only
from protocol.sentence import say

_Entry = tuple[str, str, str | None]
"""Type, name and statement of what is in a database."""
_COUNTED = re.compile(r"create table sqlite_stat\d ?\([\w, ]+\)")
"""What `analyze` has made."""


def check_databases(databases: Mapping[PurePath, Path]) -> None:
    """Raises UserError for a database that has more in it than oche makes, by the names that the files will have.

    Those that are not there, or are none, pass.
    """
    for name, path in databases.items():
        is_journal = name.name.endswith((".sqlite3", ".sqlite3.whole"))  # that one becomes it at the next start
        tables = journal.TABLES if is_journal else _find_tables(name.name)
        if tables is not None and path.is_file() and (foreign := _find_foreign(path, tables)) is not None:
            kind, given, _ = foreign
            said = say(
                "backup.foreign",
                "this is not an oche backup: {name} contains the {kind} {given}, which oche never writes",
                name=escape_controls(name.name),
                kind=escape_controls(str(kind)),
                given=repr(given),
            )
            raise UserError(said, 2)


def _find_tables(name: str) -> str | None:
    """Returns what may be in the database of this name; None: it is none."""
    if name == TOURNAMENTS:
        from daemon.tournament import store  # noqa: PLC0415  only where there are some

        return store.TABLES
    if name == LEAGUE:
        from daemon.league import store as league_store  # noqa: PLC0415  as above

        return league_store.TABLES
    return book.TABLES if name == book.FILE else None


def _find_foreign(path: Path, tables: str) -> _Entry | None:
    """Returns what is in this database besides these tables; None: nothing, or it is damaged.

    Of a damaged one only the matches are read, when it is mended. Raises UserError for one that cannot be read now.
    """
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(tables)
        ours = _list_entries(db)
    try:
        with explain_errors("read", path), closing(open_read_only(path)) as db:
            found = _list_entries(db)
    except Damaged:
        return None
    except StoreError as error:
        raise UserError(error.said) from None
    finally:
        path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    return min(filter(_is_no_internal, found - ours), key=str, default=None)


def _list_entries(db: sqlite3.Connection) -> set[_Entry]:
    db.text_factory = lambda text: text.decode(errors="backslashreplace")  # SQLite takes any bytes
    rows = db.execute("select type, name, sql from sqlite_master")
    return {(kind, name, None if sql is None else " ".join(str(sql).split()).casefold()) for kind, name, sql in rows}


def _is_no_internal(entry: _Entry) -> bool:
    kind, _, sql = entry
    return not (kind == "index" if sql is None else kind == "table" and _COUNTED.fullmatch(sql))
