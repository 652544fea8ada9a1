"""Taking matches out of the journals for good, also while a daemon writes them.

Their darts are overwritten on the disk, in every journal that has them: somebody may keep a copy beside the one in use.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from daemon.stats.journals import Journal, journals
from daemon.store import StoreError

_PATIENCE_S = 10.0


def delete(folder: Path, matches: Collection[str]) -> None:
    """Deletes the matches of these ids, of each journal all or none. Raises StoreError and UserError."""
    for journal in journals(folder):
        try:
            numbers = [head.number for head in journal.heads() if head.id in matches]
        except StoreError:
            continue  # it was told that this one cannot be read
        if numbers:
            _take_out(journal, numbers)


def copies(folder: Path) -> list[Path]:
    """What was set aside in this folder, and may have any match: nobody reads it."""
    return sorted(path for pattern in ("*.damaged-*", "before-restore-*/*.sqlite3") for path in folder.glob(pattern))


def _take_out(journal: Journal, numbers: Collection[int]) -> None:
    path = quote(str(journal.path.absolute()))
    given = [(number,) for number in numbers]
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=_PATIENCE_S)) as db:
            db.execute("pragma secure_delete = on")
            with db:
                db.executemany("delete from entry where match = ?", given)
                db.executemany("delete from match where number = ?", given)
            db.execute("pragma wal_checkpoint(truncate)")  # the log still had them
    except sqlite3.Error as error:
        raise StoreError(f"cannot write the journal {journal.path}: {error}; run this as the daemon's user") from error
