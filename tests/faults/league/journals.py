"""What is on the disk of a daemon that does not run: its matches, and what its league has taken of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from daemon.journal.lines import StoredMatch, encode_record
from daemon.journal.stored import find_journals
from daemon.league.store import FILE, LeagueStore

Matches = dict[tuple[str, str], StoredMatch]
"""By table and match, each table's in the order in which they began."""


def read_matches(folder: Path) -> Matches:
    """All matches in this folder, also those that are not over."""
    found = [
        (journal.table, stored) for journal in find_journals(folder) for stored in journal.matches(journal.heads())
    ]
    return {(table, stored.id): stored for table, stored in found}


def find_latest(matches: Iterable[tuple[str, str]]) -> set[str]:
    """The latest match of each table."""
    return {*dict([*matches]).values()}


def read_acknowledged(folder: Path) -> dict[tuple[str, str], str]:
    """The checksums of the records that the league has taken, by table and match."""
    with closing(sqlite3.connect(folder / FILE)) as db:  # takes back what a kill has left half written
        db.execute("pragma schema_version").fetchone()
    taken = LeagueStore(folder).read().taken.values()
    return {(each.table, each.match): each.sha256 for each in taken if each.by == "league" and each.answer == "kept"}


def write_record(stored: StoredMatch) -> bytes:
    """The record of a match."""
    return b"".join(encode_record(stored))
