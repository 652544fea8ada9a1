"""The finished matches of this daemon that were asked for with a `ref`, read from the journals of its tables."""

from __future__ import annotations

import base64
import hashlib
import logging
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.journal.errors import StoreError
from daemon.journal.lines import StoredMatch, encode_record
from daemon.journal.stored import StoredJournal
from daemon.rules import Guard
from daemon.table.matches import Unplayable, resume
from protocol.league_messages import LeagueOffer
from protocol.segment import Layout

log = logging.getLogger("oche.league")

OFFERED = timedelta(days=30)
"""So long after its begin a match is offered."""
_MOST_BYTES = 65_536
"""A longer record is compressed."""


def find_records(folder: Path, layouts: Mapping[str, Layout], guard: Guard, refs: str = "") -> Iterator[LeagueOffer]:
    """Yields the finished matches of the last days whose `ref` begins so; `layouts` are those of the boards, by table.

    Reads files and plays matches again: to be called in a thread. What cannot be read is logged and left out.
    """
    since = (datetime.now(UTC) - OFFERED).isoformat(timespec="milliseconds")
    for table, layout in layouts.items():
        journal = StoredJournal(folder / f"{table}.sqlite3")
        try:
            found = ((number, header.get("ref")) for number, _, header in journal.headers_since(since))
            wanted = [number for number, ref in found if ref and str(ref).startswith(refs)]
        except StoreError as error:
            log.error("%s: results cannot be offered: %s", table, error)
            continue
        for number in wanted:
            try:
                stored = journal.match_of_number(number)
                if resume(stored, layout, guard).match.position.over:
                    yield make_offer(stored, table, layout)
            except (StoreError, Unplayable) as error:
                log.error("%s: a result cannot be offered: %s", table, error)


def read_record(folder: Path, table: str, layout: Layout, match: str) -> LeagueOffer | None:
    """The match of this id as it is offered; None where the journal of this table has no such match.

    Waits for the disk. Raises StoreError.
    """
    journal = StoredJournal(folder / f"{table}.sqlite3")
    found = journal.heads(match)
    return make_offer(journal.match(found[0]), table, layout) if found else None


def make_offer(stored: StoredMatch, table: str, layout: Layout) -> LeagueOffer:
    """Returns this match as it is offered."""
    text = b"".join(encode_record(stored))
    is_long = len(text) > _MOST_BYTES
    return LeagueOffer(
        v=1,
        match=stored.id,
        table=table,
        ref=stored.header["ref"],
        layout=layout.name,
        lines=len(stored.lines) + 1,
        sha256=hashlib.sha256(text).hexdigest(),
        record=(base64.b64encode(zlib.compress(text)) if is_long else text).decode(),
        packed=is_long,
    )
