"""A record in the messages of an offer: compressed where it is long, and in several parts where it is longer."""

from __future__ import annotations

import base64
import hashlib
import zlib

from msgspec.structs import replace

from protocol.league_messages import LeagueOffer

_PLAIN_BYTES = 65_536
"""A longer record is compressed."""
_PART_CHARACTERS = 200_000
"""What is longer than that comes in several messages: brokers refuse long ones."""
_MOST_JOINED = 32
"""Offers of which parts are kept at a time: they are said again."""
_MOST_CHARACTERS = 6_000_000
"""Of the parts of one offer."""


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
        self._parts: dict[tuple[str, LeagueOffer], dict[int, str]] = {}
        """The records of the parts that have come, by who offers and what is the same in all of them."""

    def join(self, bridge: str, offer: LeagueOffer) -> LeagueOffer | None:
        """The whole offer of this bridge, as one message; None as long as parts of it are missing."""
        if offer.parts == 1:
            return offer
        whole = replace(offer, record="", part=1, parts=1)
        key = bridge, replace(whole, parts=offer.parts)
        parts = self._parts.pop(key, {})  # to the end, as the latest
        if offer.part <= offer.parts:
            parts[offer.part] = offer.record
        if len(parts) == offer.parts:
            return replace(whole, record="".join(record for _, record in sorted(parts.items())))
        if sum(map(len, parts.values())) <= _MOST_CHARACTERS:
            self._parts[key] = parts
        if len(self._parts) > _MOST_JOINED:
            del self._parts[next(iter(self._parts))]
        return None
