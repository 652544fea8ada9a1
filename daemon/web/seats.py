"""The private addresses of seats: a client that has one sees the hand of that seat and answers for it.

An address is made with a key of this daemon that is stored beside the journals: it cannot be guessed, not even from the
match's seed, and is the same after a restart. It is offered (as a QR code) until it is first opened, which is
stored, too. The browser that opened it first keeps the seat, by its cookie. A program has no cookie: an address that a
program has opened first can be used by every client that knows it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from daemon import files
from daemon.table.table import Table

log = logging.getLogger("oche.web")

_CLAIM = re.compile("^([0-9a-f]{32})(?: ([0-9a-f]{32}))?$", re.MULTILINE)


class Seat(Struct, frozen=True):
    """A seat of the match that a table plays now."""

    table: Table
    number: int
    token: str

    @property
    def player(self) -> str:
        """The name of its player."""
        return self.table.match.seating.players[self.number]


class SeatRefused(Exception):
    """A client cannot have the seat; the text says why."""


class Seats:
    """The seats of all tables, as far as their games have secrets. `folder` is where the journals are.

    `key` is what read_key returns; `on_claim` is called when a seat is first opened.
    """

    def __init__(self, folder: Path, key: bytes, on_claim: Callable[[Table], None]) -> None:
        self._on_claim = on_claim
        self._key = key
        self._claims = folder / "seats.claimed"
        self._claimed = self._read_claims()
        self._writes: dict[str, asyncio.Task[None]] = {}
        """Of claims that the disk does not have yet: a client is shown the hand after that."""
        self._writing = asyncio.Lock()

    def list_all(self, table: Table) -> list[Seat]:
        """Returns the seats of this table that people (not bots) have; none if its game hides nothing."""
        match = table.match
        if not match.game.has_secrets(match.options):
            return []
        people = (seat for seat in range(len(match.seating.players)) if match.header.bot(seat) is None)
        return [Seat(table, seat, self._make_token(table, seat)) for seat in people]

    def list_free(self, table: Table) -> list[Seat]:
        """Returns those that have not been opened yet, while the match goes on."""
        if table.match.position.over:
            return []
        return [seat for seat in self.list_all(table) if _hash(seat.token) not in self._claimed]

    async def claim(self, token: str, tables: list[Table], browser: str = "") -> Seat:
        """Returns the seat of this token; the first `browser` (its id; "": a program) that claims it keeps it.

        Raises SeatRefused for an unknown token, and when another browser has the seat.
        """
        found = next((seat for table in tables for seat in self.list_all(table) if _is_equal(seat.token, token)), None)
        if found is None:
            raise SeatRefused("no seat has this address: scan the code of the current match")
        claim, owner = _hash(token), browser and _hash(browser)
        if claim not in self._claimed:
            self._claimed[claim] = owner
            keep = self._keep_claim(claim, found.table, tables)
            self._writes[claim] = asyncio.create_task(keep, name="a seat that is taken")
        elif self._claimed[claim] not in ("", owner):
            raise SeatRefused("another phone or browser opened this hand first: only that one shows it")
        if claim in self._writes:
            await asyncio.shield(self._writes[claim])
        return found

    async def _keep_claim(self, claim: str, table: Table, tables: list[Table]) -> None:
        """Adds a claim to the file; the first of a match takes those of matches before out of it."""
        async with self._writing:
            try:
                await self._write_claim(claim, tables)
            except OSError as error:  # a full disk: the hand is shown, and its address offered again after a restart
                log.error("cannot write %s: %s", self._claims, files.explain(error))
            finally:
                del self._writes[claim]
        self._on_claim(table)

    async def _write_claim(self, claim: str, tables: list[Table]) -> None:
        seats = {_hash(seat.token) for table in tables for seat in self.list_all(table)}
        is_known = all(
            table.recovery.is_match_stored for table in tables
        )  # else a match that is not read yet has claims
        kept = {each: owner for each, owner in self._claimed.items() if each in seats or not is_known}
        if len(kept) < len(self._claimed):
            await asyncio.to_thread(files.replace_file, self._claims, b"".join(_encode(*item) for item in kept.items()))
            self._claimed = {**kept, **{each: self._claimed[each] for each in self._writes}}
        else:
            await asyncio.to_thread(files.append, self._claims, _encode(claim, self._claimed[claim]))

    def _read_claims(self) -> dict[str, str]:
        """Returns the owners of claimed seats. Half a line, after a power cut, is ignored, as empty ones are."""
        try:
            return dict(_CLAIM.findall(self._claims.read_text("ascii", "replace")))
        except FileNotFoundError:
            return {}
        except OSError as error:  # no reason not to play
            about = "give it to the user that oche runs as; until then oche offers taken seats again"
            log.error("cannot read %s: %s; %s", self._claims, files.explain(error), about)
            return {}

    def _make_token(self, table: Table, seat: int) -> str:
        return hashlib.blake2b(f"{table.match_id}/{seat}".encode(), key=self._key, digest_size=16).hexdigest()


def read_key(folder: Path) -> bytes:
    """Returns the key of this daemon from its state folder, where it is made the first time. Raises UserError."""
    lost = "the addresses of open seats and of spectators change"
    return files.read_or_create(folder / "seats.key", lambda: secrets.token_hex(32), _parse_key, lost)


def _is_equal(token: str, other: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(token.encode(), other.encode("utf-8", "replace"))


def _hash(token: str) -> str:
    """Returns what is stored of a claim: neither address nor cookie can be read from the file."""
    return hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _encode(claim: str, owner: str) -> bytes:
    """Returns the line of a claim, after an empty one, so that the line after an incomplete one is complete."""
    return f"\n{claim} {owner}".rstrip(" ").encode("ascii") + b"\n"


def _parse_key(text: str) -> bytes:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError(text)
    return text.encode()
