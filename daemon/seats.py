"""The private addresses of seats: who opens one sees that seat's hand and answers for it.

An address is made of the match's seed, which nobody is shown before the match is over, so it cannot be guessed and is
the same after a restart. It is offered (as a QR code) until somebody has opened it, and then no more.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import segno

from daemon.table import Table


class Seat(NamedTuple):
    """A seat of the match that a table plays now."""

    table: Table
    number: int
    token: str

    @property
    def player(self) -> str:
        """Whose seat it is."""
        return self.table.match.seating.players[self.number]


class Seats:
    """The seats of all tables, as far as their games have secrets."""

    def __init__(self) -> None:
        self._claimed: set[str] = set()

    def of(self, table: Table) -> list[Seat]:
        """The seats of this table; none when its game hides nothing."""
        match = table.match
        if not match.game.has_secrets(match.options):
            return []
        return [Seat(table, seat, _token(table, seat)) for seat in range(len(match.seating.players))]

    def free(self, table: Table) -> list[Seat]:
        """Those that nobody has opened yet, while the match goes on."""
        return [] if table.match.position.over else [s for s in self.of(table) if s.token not in self._claimed]

    def claim(self, token: str, tables: list[Table]) -> Seat | None:
        """The seat of this token, from now on taken; None when there is none (any more)."""
        found = next((seat for table in tables for seat in self.of(table) if seat.token == token), None)
        if found is not None:
            self._claimed.add(token)
        return found


class Code(NamedTuple):
    """A QR code: modules on a side, and the dark ones as an SVG path of unit squares."""

    size: int
    path: str


def qr_code(text: str) -> Code:
    """The QR code of this text, without its quiet zone."""
    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return Code(len(rows), path)


def _token(table: Table, seat: int) -> str:
    secret = f"{table.match.header.seed}/{table.match_id}/{seat}"
    return hashlib.blake2b(secret.encode(), digest_size=16).hexdigest()
