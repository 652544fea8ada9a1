"""Boards that are a USB keyboard: reports as their libraries send them, and what a held key is."""

from __future__ import annotations

import string

import pytest

from protocol.codebook import shipped
from protocol.framing import Framer, Framing
from protocol.keyboard import press_keys
from tests.protocol.hearing import words
from tests.protocol.test_boards import MAPS

KEYBOARD = Framing(kind="keyboard")


def typed(*packets: str) -> list[str]:
    framer = Framer(KEYBOARD)
    frames = [frame for packet in packets for frame in framer.feed(bytes.fromhex(packet))]
    return ["?" if frame.broken else frame.data.decode() for frame in frames]


@pytest.mark.parametrize(
    ("report", "character"),
    [
        ("0000040000000000", "a"),
        ("02001d0000000000", "Z"),
        ("20001d0000000000", "Z"),
        ("00001e0000000000", "1"),
        ("0000270000000000", "0"),
        ("02001e0000000000", "!"),
        ("0200250000000000", "*"),
        ("0200380000000000", "?"),
        ("0000380000000000", "/"),
        ("02002e0000000000", "+"),
        ("00002d0000000000", "-"),
        ("02001f0000000000", "@"),
        ("0200200000000000", "#"),
        ("0200270000000000", ")"),
        ("0200240000000000", "&"),
        ("0200210000000000", "$"),
    ],
)
@pytest.mark.parametrize("before", ["", "02"], ids=["boot", "with a report id"])
def test_a_key_is_a_character(report: str, character: str, before: str) -> None:
    assert typed(before + report) == [character]


def test_a_key_that_stays_down_is_one() -> None:
    a, up = "0000040000000000", "0000000000000000"
    assert typed(a, a, a, up, a, up) == ["a", "a"]
    assert typed(a, "0000040500000000", "0000050000000000", "0000000000000000") == ["a", "b"]


def test_two_keys_in_one_report_are_two() -> None:
    assert typed("0000040500000000") == ["a", "b"]


def test_an_unknown_key_costs_no_other_that_went_down_with_it() -> None:
    assert typed("0000520400000000") == ["a", "?"]
    assert typed("0000045205000000", "0000045205060000") == ["a", "b", "?", "c"], "the unknown one is told once"


@pytest.mark.parametrize("report", ["0000000000000000", "0200000000000000", "0000010101010101"])
def test_reports_without_a_key(report: str) -> None:
    assert typed(report) == []


def test_too_many_keys_at_once_forget_none() -> None:
    assert typed("0000040000000000", "0000010101010101", "0000040000000000") == ["a"]


@pytest.mark.parametrize("report", ["00", "01000000", "0000040000000000000000", "0000520000000000"])
def test_what_is_no_report_or_no_character_is_garbage(report: str) -> None:
    assert typed(report) == ["?"]


def test_every_character_of_the_published_sketch_can_be_typed() -> None:
    for character in set("".join(MAPS["pydarts-leonardo"])):
        packets = press_keys(character.encode())
        assert typed(*(packet.hex() for packet in packets)) == [character]
        assert [len(packet) for packet in packets] == [9, 9], "down and up again"


def test_what_no_key_types_is_not_typed() -> None:
    assert press_keys("§".encode("latin-1")) == []
    packets = press_keys(string.printable.encode())
    assert "".join(typed(*(packet.hex() for packet in packets))).startswith("0123456789abc")


def test_where_a_leonardo_is() -> None:
    usb = shipped("pydarts-leonardo").profile.usb
    assert usb is not None
    assert {"2341:8036", "2a03:8036"} <= set(usb.ids)
    layout = {cell: segment_id for segment_id, cell in shipped("pydarts-leonardo").cells.items()}
    assert words("pydarts-leonardo", bytes.fromhex("020000270000000000")) == [layout[0, 0]]
