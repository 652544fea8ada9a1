"""What a table is asked for: to plan a match, to go on with one that was begun elsewhere, or to leave one out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from daemon.tournament.calls import Offer
from daemon.tournament.open_tournament import is_same_match
from daemon.tournament.tables import TournamentTables
from protocol.commands import CommandError
from protocol.match_spec import Unreadable, read_header
from protocol.messages import Record

_RECORD_S = 1.0
"""Another daemon says the record of a match just after its state."""
FindTables = Callable[[str], TournamentTables | None]
"""Returns whose table it is that has this name."""


async def ask_table(offer: Offer, find_tables: FindTables, warn: Callable[[str], None]) -> None:
    """Asks the table of this offer, which has to be there. Raises CommandError and Unreadable.

    A match whose lines the table refuses begins anew there, of which `warn` is told.
    """
    tables = find_tables(offer.table)
    assert tables is not None, "it was looked at"
    record = None if offer.moved_from is None else await _read_record(find_tables(offer.moved_from), offer.moved_from)
    if offer.spec is None:
        await tables.withdraw(offer.table, offer.ref)
    elif record is not None and is_same_match(offer.spec, replace(read_header({**record.header}), ref=offer.ref)):
        try:
            await tables.go_on(offer.table, offer.ref, record)
        except (CommandError, Unreadable) as error:
            if isinstance(error, CommandError) and error.code == "unavailable":
                raise
            warn(f"{offer.table}: the match {offer.ref} begins anew: {error}")
            await tables.plan(offer.table, offer.plan or offer.spec)
    else:
        await tables.plan(offer.table, offer.plan or offer.spec)


async def _read_record(tables: TournamentTables | None, table: str) -> Record | None:
    """What was played so far at this table; None of a match that cannot move."""
    if tables is None:
        return None
    if (record := tables.read_record(table)) is None:
        await asyncio.sleep(_RECORD_S)
        record = tables.read_record(table)
    return record
