"""The private addresses of seats: who opens one sees that seat's hand and answers for it.

An address is made with a key of this daemon that is kept beside the journals, so it cannot be guessed, not even by
somebody who knows the match's seed, and is the same after a restart. It is offered (as a QR code) until somebody has
opened it, and then no more; that too outlives a restart. A browser that opened it keeps it for itself: it is known
again by its cookie. A program has none, and its address is good for whoever has it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from daemon import files
from daemon.table import Table

log = logging.getLogger("oche.web")

_CLAIM = re.compile("^([0-9a-f]{32})(?: ([0-9a-f]{32}))?$", re.MULTILINE)


class Seat(NamedTuple):
    """A seat of the match that a table plays now."""

    table: Table
    number: int
    token: str

    @property
    def player(self) -> str:
        """Whose seat it is."""
        return self.table.match.seating.players[self.number]


class Taken(Exception):
    """Another browser was there first; the text says so."""


class Seats:
    """The seats of all tables, as far as their games have secrets. `folder` is where the journals are.

    `tell_of_claim` is called when the first has come for a seat.
    """

    def __init__(self, folder: Path, tell_of_claim: Callable[[Table], None]) -> None:
        self._tell_of_claim = tell_of_claim
        lost = "the addresses of open seats are then others"
        self._key = files.kept(folder / "seats.key", lambda: secrets.token_hex(32), _key, lost)
        self._claims = folder / "seats.claimed"
        self._claimed = self._read_claims()

    def of(self, table: Table) -> list[Seat]:
        """The seats of this table that people have; none when its game hides nothing."""
        match = table.match
        if not match.game.has_secrets(match.options):
            return []
        people = (seat for seat in range(len(match.seating.players)) if match.header.bot(seat) is None)
        return [Seat(table, seat, self._token(table, seat)) for seat in people]

    def free(self, table: Table) -> list[Seat]:
        """Those that nobody has opened yet, while the match goes on."""
        return [] if table.match.position.over else [s for s in self.of(table) if _hash(s.token) not in self._claimed]

    def claim(self, token: str, tables: list[Table], phone: str = "") -> Seat | None:
        """The seat of this token, from now on taken by this `phone` ("": by no browser); None: there is none.

        Raises Taken.
        """
        found = next((seat for table in tables for seat in self.of(table) if _same(seat.token, token)), None)
        if found is None:
            return None
        claim, owner = _hash(token), phone and _hash(phone)
        if claim not in self._claimed:
            self._claimed[claim] = owner
            try:
                with self._claims.open("a", encoding="ascii") as claims:
                    claims.write(f"{claim} {owner}".rstrip() + "\n")
            except OSError as error:  # a full disk: the hand is shown, and its address offered again after a restart
                log.error("cannot write %s: %s", self._claims, files.reason(error))
            self._tell_of_claim(found.table)
        elif self._claimed[claim] not in ("", owner):
            raise Taken("another phone, or another browser, has opened this hand first: it is seen there only")
        return found

    def _read_claims(self) -> dict[str, str]:
        """Whose seats are taken: half a line, after a power cut, is none."""
        try:
            return dict(_CLAIM.findall(self._claims.read_text("ascii", "replace")))
        except FileNotFoundError:
            return {}
        except OSError as error:  # no reason to keep everybody from playing
            about = "give it to the user that oche runs as; until then seats that were taken are offered again"
            log.error("cannot read %s: %s; %s", self._claims, files.reason(error), about)
            return {}

    def _token(self, table: Table, seat: int) -> str:
        return hashlib.blake2b(f"{table.match_id}/{seat}".encode(), key=self._key, digest_size=16).hexdigest()


class Code(NamedTuple):
    """A QR code: modules on a side, and the dark ones as an SVG path of unit squares."""

    size: int
    path: str


def qr_code(text: str) -> Code:
    """The QR code of this text, without its quiet zone."""
    import segno  # noqa: PLC0415  only games with hands need it

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return Code(len(rows), path)


def _same(token: str, other: str) -> bool:
    """Without telling by the time it takes how much of it is right."""
    return hmac.compare_digest(token.encode(), other.encode("utf-8", "replace"))


def _hash(token: str) -> str:
    """A claim is kept as this, so that nobody can read an address or a cookie out of the file."""
    return hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _key(text: str) -> bytes:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError(text)
    return text.encode()
