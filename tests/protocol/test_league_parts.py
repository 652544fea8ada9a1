"""Records in one message or more: what is put together is what was taken apart, in whatever order it comes."""

from __future__ import annotations

import base64
import hashlib
import zlib
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from protocol.league_messages import LeagueOffer
from protocol.league_parts import MOST_RECORD, PartsJoiner, split_offer, unpack_record
from protocol.match_spec import Unreadable

OFFER = LeagueOffer(v=1, match="m", table="main", layout="standard", lines=1, sha256="", record="")


def make_text(size: int) -> bytes:
    """What can hardly be compressed."""
    return Random(size).randbytes(size // 2).hex().encode()


@pytest.mark.parametrize(("size", "parts"), [(0, 1), (65_536, 1), (65_538, 1), (600_000, 3), (2_000_000, 8)])
def test_any_order_and_twice(size: int, parts: int) -> None:
    text = make_text(size)
    offers = split_offer(OFFER, text)
    assert (len(offers), offers[0].packed) == (parts, size > 65_536)
    assert all(len(msgspec.json.encode(each)) < 262_144 for each in offers)
    joiner, several = PartsJoiner(), [*offers, *offers[1:], *offers[1:2]]
    Random(1).shuffle(several)
    (whole, *_) = [found for each in several if (found := joiner.join("north", each)) is not None]
    assert (whole.part, whole.parts, whole.sha256) == (1, 1, hashlib.sha256(text).hexdigest())
    assert (zlib.decompress(base64.b64decode(whole.record)) if whole.packed else whole.record.encode()) == text


def test_parts_of_others_and_other_editions_are_kept_apart() -> None:
    joiner = PartsJoiner()
    first, second, _ = split_offer(OFFER, make_text(600_000))
    assert joiner.join("north", first) is None
    assert joiner.join("south", second) is None
    assert joiner.join("north", replace(second, sha256="0" * 64)) is None
    assert joiner.join("north", replace(second, part=9)) is None


def test_what_is_never_finished_does_not_pile_up() -> None:
    joiner = PartsJoiner()
    first, *others = split_offer(OFFER, make_text(600_000))
    for number in range(1000):
        assert joiner.join("north", replace(first, match=f"m{number}")) is None
    assert joiner.waiting <= 2 * 200_000
    assert [joiner.join("north", replace(each, match="m999")) for each in others][-1] is not None


def test_a_record_without_end_is_refused() -> None:
    joiner, part = PartsJoiner(), replace(OFFER, record="x" * 200_000, parts=1000)
    for number in range(1, 41):
        assert joiner.join("north", replace(part, part=number)) is None
    with pytest.raises(Unreadable, match="longer than 4,000,000 bytes"):
        joiner.join("north", replace(part, part=41))
    assert joiner.waiting == 0
    with pytest.raises(Unreadable, match="longer than 4,000,000 bytes"):
        joiner.join("north", replace(OFFER, record="x" * 9_000_000))


@pytest.mark.parametrize("packed", [True, False])
def test_the_longest_record_is_taken_and_a_longer_one_refused(packed: bool) -> None:
    for size in (MOST_RECORD, MOST_RECORD + 1):
        text = b"x" * size
        record = base64.b64encode(zlib.compress(text)) if packed else text
        offer = replace(OFFER, record=record.decode(), packed=packed, sha256=hashlib.sha256(text).hexdigest())
        if size == MOST_RECORD:
            assert unpack_record(offer) == text
        else:
            with pytest.raises(Unreadable, match="longer than 4,000,000 bytes"):
                unpack_record(offer)
