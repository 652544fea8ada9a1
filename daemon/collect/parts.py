"""Joins a record that comes in several messages, and unpacks it, with a bound on what that may take."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Hashable

from protocol.league_messages import LeagueOffer

MOST_RECORD = 4_000_000
"""Bytes of a record; the longest that people have played has a hundredth of it."""
_MOST_JOINED = 2 * MOST_RECORD
"""Characters of a record as it is sent."""
_MOST_WAITING = 8 * _MOST_JOINED
"""Characters that wait for the rest of their records. The oldest go first: they are offered again."""
_MOST_OF_ONE = 2
"""Records of one daemon that wait at a time."""


class TooLong(Exception):
    """The record is too long; the text says so."""

    def __init__(self) -> None:
        super().__init__(f"the record is longer than {MOST_RECORD:,} bytes")


class PartsJoiner:
    """The parts of records that are still missing others."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, LeagueOffer], dict[int, str]] = {}
        """By the daemon and the offer without what differs in each part; the oldest first."""

    def join(self, sender: Hashable, offer: LeagueOffer) -> str | None:
        """Returns the record of an offer as it was sent; None: parts of it are still missing. Raises TooLong."""
        if offer.parts == 1:
            if len(offer.record) > _MOST_JOINED:
                raise TooLong
            return offer.record
        key = (sender, _without_part(offer))
        parts = self._waiting.pop(key, {})
        if offer.part <= offer.parts:
            parts[offer.part] = offer.record
        if sum(map(len, parts.values())) > _MOST_JOINED:
            raise TooLong
        if len(parts) == offer.parts:
            return "".join(parts[number] for number in sorted(parts))
        self._waiting[key] = parts
        self._drop_oldest(sender)
        return None

    def _drop_oldest(self, sender: Hashable) -> None:
        mine = [key for key in self._waiting if key[0] == sender]
        for key in mine[:-_MOST_OF_ONE]:
            del self._waiting[key]
        while self.waiting > _MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    @property
    def waiting(self) -> int:
        """The characters that wait."""
        return sum(len(text) for parts in self._waiting.values() for text in parts.values())


def _without_part(offer: LeagueOffer) -> LeagueOffer:
    return LeagueOffer(
        v=1,
        match=offer.match,
        table=offer.table,
        layout="",
        lines=offer.lines,
        sha256=offer.sha256,
        record="",
        bridge_id=offer.bridge_id,
        parts=offer.parts,
        packed=offer.packed,
    )


def unpack(text: str) -> bytes:
    """Returns the record in this base64 of zlib. Raises ValueError, and TooLong before it takes more memory."""
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(base64.b64decode(text, validate=True), MOST_RECORD)
    except (ValueError, zlib.error):
        raise ValueError("its record cannot be unpacked") from None
    if unpacking.eof:
        return found
    if len(found) < MOST_RECORD:
        raise ValueError("its record is cut off")
    raise TooLong
