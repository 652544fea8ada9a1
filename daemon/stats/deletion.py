"""Taking matches out of a journal for good, also while a daemon writes it.

Their darts are overwritten on the disk. The match at the table is never taken away under a daemon: it would go on in
memory and be gone at the next start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from urllib.parse import quote

from daemon.stats.journals import Journal
from daemon.store import StoreError

_PATIENCE_S = 10.0


def delete(journal: Journal, numbers: Collection[int]) -> None:
    """Deletes the matches of these numbers, all or none. Raises StoreError."""
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
