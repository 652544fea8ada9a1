"""Matches of tournaments in the journals of this daemon's tables, for what the desk did not hear of them.

The daemon may be killed after a table has written a dart and before the desk has written what follows; then another
match may begin at once. So at each start the journals are read, back to when the oldest tournament that runs was made.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from daemon.journal.errors import StoreError
from daemon.journal.stored import StoredJournal
from daemon.rules import Guard
from daemon.table.matches import Unplayable, resume
from daemon.tournament.ref import read_ref
from daemon.tournament.tables import TableMatch, read_match
from protocol.segment import Layout

log = logging.getLogger("oche.tournament")

_SLACK_S = 86_400
"""A machine without a clock of its own may have begun a match before its tournament was made."""


def find_matches(
    folder: Path, layouts: Mapping[str, Layout], since_s: int, known: Collection[str], guard: Guard
) -> Iterator[tuple[str, TableMatch]]:
    """Yields the matches with a ref of ours that began since then (Unix time), with their tables.

    Those whose ids are `known` are left out. Reads files and plays matches again: to be called in a thread. What cannot
    be read is logged and left out.
    """
    since = datetime.fromtimestamp(max(0, since_s - _SLACK_S), UTC).isoformat(timespec="milliseconds")
    for table, layout in layouts.items():
        journal = StoredJournal(folder / f"{table}.sqlite3")
        for number in _find_numbers(journal, since, known):
            try:
                opened = resume(journal.match_of_number(number), layout, guard)
                yield table, read_match(opened.id, opened.match)
            except (StoreError, Unplayable) as error:
                log.error("%s: a result of a tournament may be missing: %s", table, error)


def _find_numbers(journal: StoredJournal, since: str, known: Collection[str]) -> list[int]:
    """The numbers of these matches in a journal."""
    try:
        return [
            number
            for number, match, header in journal.headers_since(since)
            if match not in known and read_ref(header.get("ref")) is not None
        ]
    except StoreError as error:
        log.error("%s: results of tournaments may be missing: %s", journal.table, error)
        return []
