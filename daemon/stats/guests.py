"""Who has played here lately, read from the headers of the journals: no match is played again for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from daemon.stats.journals import Journal, journals
from daemon.stats.shares import known_as
from daemon.store import StoreError
from engine.record import Unreadable, read_header

MOST = 60
_MATCHES = 500
"""Of each table, the latest: a league night has fewer, and they are read in milliseconds."""


class Guest(Struct, frozen=True):
    """A person who has played, under the name as it was written last, and when that match began (ISO 8601, UTC)."""

    name: str
    last: str


def guests(folder: Path) -> list[Guest]:
    """The people in the journals of this folder, the latest first. It reads the disk. Raises UserError."""
    found: dict[str, Guest] = {}
    for journal in journals(folder):
        with suppress(StoreError):  # a damaged one has its say in the statistics
            for guest in _of(journal):
                known = found.get(known_as(guest.name))
                if known is None or guest.last > known.last:
                    found[known_as(guest.name)] = guest
    return sorted(found.values(), key=lambda guest: guest.last, reverse=True)[:MOST]


def _of(journal: Journal) -> Iterator[Guest]:
    """The people of its latest matches; one may come more than once."""
    for begun_at, written in journal.headers(_MATCHES):
        with suppress(Unreadable):
            header = read_header(written)
            for seat, name in enumerate(header.players):
                if header.bot(seat) is None:
                    yield Guest(name, begun_at)
