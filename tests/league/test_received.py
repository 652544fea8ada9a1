"""What comes from daemons is decoded within bounds, whatever it is."""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.admin.history.editions import Relation, compare
from daemon.collect.received import Poison, Record, read_message
from protocol.league_messages import LeagueOffer
from protocol.league_parts import MOST_RECORD, PartsJoiner
from tests.league.offers import NORTH, SOUTH, make_offer, make_text, read, record


def split_offer(offer: LeagueOffer, parts: int) -> list[LeagueOffer]:
    size = -(-len(offer.record) // parts)
    pieces = [offer.record[size * each : size * (each + 1)] for each in range(parts)]
    return [replace(offer, record=piece, part=each, parts=parts) for each, piece in enumerate(pieces, 1)]


def feed(joiner: PartsJoiner, *offers: LeagueOffer) -> list[Any]:  # Any: what comes of each
    return [read_message("league_offer", msgspec.json.encode(each), NORTH, joiner) for each in offers]


def test_a_packed_record_in_parts_comes_in_any_order_and_twice() -> None:
    text = make_text(darts=[f"T{number}" for number in range(1000)])
    first, second, third = split_offer(make_offer(text, packed=True), 3)
    joiner = PartsJoiner()
    *missing, found = feed(joiner, third, first, first, second)
    assert missing == [None, None, None]
    assert isinstance(found, Record)
    assert found.text == text
    assert joiner.waiting == 0


def test_an_offer_for_a_tournament_alone_is_none_for_a_league() -> None:
    offer = make_offer(make_text())
    (found,) = feed(PartsJoiner(), replace(offer, bridge_id=msgspec.UNSET, ref="t1"))
    assert found is None


def test_what_unpacks_to_more_than_a_record_is_no_record() -> None:
    bomb = base64.b64encode(zlib.compress(b"a" * (MOST_RECORD + 1))).decode()
    assert len(bomb) < 10_000
    found = read("league_offer", replace(make_offer(make_text()), record=bomb, packed=True))
    assert isinstance(found, Poison)
    assert found.reason == "the record is longer than 4,000,000 bytes"


def test_records_whose_rest_never_comes_take_bounded_memory() -> None:
    joiner = PartsJoiner()
    for number in range(100):
        for sender in (NORTH, SOUTH):
            begun = replace(make_offer(make_text(), f"m{number}"), record="x" * 200_000, parts=3)
            assert read_message("league_offer", msgspec.json.encode(begun), sender, joiner) is None
    assert joiner.waiting == 4 * 200_000
    begun = replace(make_offer(make_text()), record="x" * 200_000)
    longer = [replace(begun, part=part, parts=50) for part in range(1, 50)]
    assert any(isinstance(each, Poison) for each in feed(joiner, *longer))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sha256": "0" * 64}, "its checksum is that of another record"),
        ({"lines": 7}, "it has 3 lines in place of 7"),
        ({"match": "a\0"}, r"'a\x00' is no name of a match or a layout"),
        ({"table": "Main!"}, "table 'Main!' is part of MQTT topics"),
        ({"begun_at": "today"}, "'today' is no date"),
        ({"begun_at": "9999-12-31T23:30:00Z"}, "'9999-12-31T23:30:00Z' is no date"),
        ({"begun_at": "0001-01-01T00:00:00Z"}, "'0001-01-01T00:00:00Z' is no date"),
        ({"packed": True}, "its record cannot be unpacked"),
    ],
)
def test_what_is_wrong_with_an_offer_is_said(change: dict[str, object], reason: str) -> None:
    found = read("league_offer", replace(make_offer(make_text()), **change))
    assert isinstance(found, Poison)
    assert found.reason.startswith(reason)
    assert found.match


@given(st.binary(max_size=300), st.sampled_from(("league_offer", "league_players", "league_forget", "league_results")))
def test_any_bytes_are_read(payload: bytes, kind: str) -> None:
    found = read_message(kind, payload, NORTH, PartsJoiner())
    assert isinstance(found, Poison)
    assert found.digest == hashlib.sha256(payload).digest()


def test_deep_nesting_is_poison() -> None:
    assert isinstance(read_message("league_offer", b"[" * 100_000, NORTH, PartsJoiner()), Poison)


def test_a_neutral_header_is_the_same_record() -> None:
    offered = record(make_text(("Ann", "Bo"), ("T20",)))
    known = offered.text
    for text, relation in (
        (known, Relation.SAME),
        (make_text(("Ann", "Bo"), ("T20", "T1")), Relation.LONGER),
        (make_text(("Ann", "Bo"), ()), Relation.SHORTER),
        (make_text(("Ann", "Bo"), ("T2",)), Relation.OTHER),
        (make_text(("Ann", "Cy"), ("T20",), team_names=["a"]), Relation.RENAMED),
        (make_text(("Ann", "Cy"), ("T20", "T1")), Relation.LONGER_RENAMED),
        (make_text(("Ann", "Bo"), ("T20",), seed="1"), Relation.OTHER),
        (make_text(("Ann", "Bo", "Cy"), ("T20",)), Relation.OTHER),
    ):
        assert compare(known, text) is relation
