"""A record in the messages of an offer: compressed where it is long, and in several parts where it is longer.

What comes may be anything: it takes no more memory than is said here.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Hashable

from msgspec.structs import replace

from protocol.league_messages import LeagueOffer
from protocol.match_spec import Unreadable

MOST_RECORD = 4_000_000
"""Bytes of a record; the longest that people have played has a hundredth of it."""

_PLAIN_BYTES = 65_536
"""A longer record is compressed."""
_PART_CHARACTERS = 200_000
"""What is longer than that comes in several messages: brokers refuse long ones."""
_TOO_LONG = f"the record is longer than {MOST_RECORD:,} bytes"
_MOST_JOINED = 2 * MOST_RECORD
"""Characters of a record as it is sent."""
_MOST_WAITING = 8 * _MOST_JOINED
"""Characters that wait for the rest of their records. The oldest go first: they are offered again."""
_MOST_OF_ONE = 2
"""Records of one daemon that wait at a time."""


def split_offer(offer: LeagueOffer, text: bytes) -> tuple[LeagueOffer, ...]:
    """This offer with the record `text`, in as many messages as it takes."""
    is_long = len(text) > _PLAIN_BYTES
    record = (base64.b64encode(zlib.compress(text)) if is_long else text).decode()
    sha256 = hashlib.sha256(text).hexdigest()
    parts = [record[at : at + _PART_CHARACTERS] for at in range(0, len(record), _PART_CHARACTERS)] or [""]
    return tuple(
        replace(offer, sha256=sha256, record=each, packed=is_long, part=number, parts=len(parts))
        for number, each in enumerate(parts, 1)
    )


class PartsJoiner:
    """Joins the parts of offers, which come in any order, and more than once."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, LeagueOffer], dict[int, str]] = {}
        """The records of the parts that have come, by who offers and what is the same in all of them; oldest first."""

    def join(self, sender: Hashable, offer: LeagueOffer) -> LeagueOffer | None:
        """Returns the whole offer of this daemon, as one message; None: parts of it are missing. Raises Unreadable."""
        if offer.parts == 1:
            _check_length(len(offer.record))
            return offer
        key = sender, replace(offer, record="", part=1)
        parts = self._waiting.pop(key, {})
        if offer.part <= offer.parts:
            parts[offer.part] = offer.record
        _check_length(sum(map(len, parts.values())))
        if len(parts) == offer.parts:
            return replace(offer, record="".join(parts[number] for number in sorted(parts)), part=1, parts=1)
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


def unpack_record(offer: LeagueOffer) -> bytes:
    """Returns the record of a whole offer. Raises Unreadable, before a record that is too long takes more memory."""
    text = _decompress(offer.record) if offer.packed else offer.record.encode()
    if len(text) > MOST_RECORD:
        raise Unreadable(_TOO_LONG)
    if hashlib.sha256(text).hexdigest() != offer.sha256:
        raise Unreadable("its checksum is that of another record")
    return text


def _decompress(record: str) -> bytes:
    """Raises Unreadable."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(base64.b64decode(record, validate=True), MOST_RECORD + 1)
    except (ValueError, zlib.error):
        raise Unreadable("its record cannot be unpacked") from None
    if not unpacking.eof and len(text) <= MOST_RECORD:
        raise Unreadable("its record is cut off")
    return text


def _check_length(characters: int) -> None:
    """Raises Unreadable."""
    if characters > _MOST_JOINED:
        raise Unreadable(_TOO_LONG)
