"""Boards that were sold, and interfaces people built: every code that was published means what it should.

The tables are in tests/data, each with its source; single frames are captures, or vectors their finders published.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from protocol.codebook import Codebook, expand, shipped, shipped_names
from protocol.endpoint import Host
from protocol.events import Hit
from protocol.mat import Wiring
from protocol.source import SourceError
from tests.protocol.hearing import heard, said, table, words
from tests.protocol.test_formats import SPOKEN

THROW = "23080000 01000000 02010000 08000000 00000000 a0ef7140"


def sdb(count: int, key: str) -> bytes:
    """A packet of the SDB-BT, summed up."""
    three = bytes.fromhex(key)
    return count.to_bytes(4, "little") + b"\x05\0" + three + bytes([sum(three) & 0xFF])


WRAPS: dict[str, Callable[[str], bytes]] = {
    "granboard": str.encode,
    "dartslive-home": lambda code: bytes.fromhex(f"a103{code}0000"),
    "sdb-bt": lambda code: sdb(7, code),
    "unicorn": bytes.fromhex,
    "smartness": bytes.fromhex,
    "darts-connect": lambda code: bytes.fromhex(f"{THROW} {code} 001000 ffd8 23080000 ffd9"),
    "pidart": bytes.fromhex,
    "raspuinodart": bytes.fromhex,
    "pikado": bytes.fromhex,
}


@pytest.mark.parametrize("name", WRAPS)
def test_every_published_code_of_a_board(name: str) -> None:
    codes = table(f"segments_{name}.txt")
    book = shipped(name)
    outer = {f"O{n}": f"S{n}" for n in range(1, 21)} if len(book.segments) == 62 else {}
    assert len(codes) == len({meaning for _, meaning in codes}) == len(book.segments)
    for code, meaning in codes:
        assert words(name, WRAPS[name](code)) == [outer.get(meaning, meaning)], code


HEX: dict[str, dict[str, str]] = {
    "dartslive-home": {
        "a203500004": "T20",  # the 20s are where a published connector was off by one
        "a2033c0004": "D20",
        "a203140004": "I20",
        "a203280004": "O20",
        "a103140000": "I20",
        "a203150004": "O1",
        "a203510004": "SB",
        "a203520004": "DB",
        "a103540000": "button next",
        "a203000004": "miss",
        "a203530004": "garbage",
        "a203550004": "garbage",
        "a2035000": "garbage",
        "a20350000400": "garbage",
        "a204500004": "garbage",
        "": "",
    },
    "sdb-bt": {
        "4d000000 0500 0d0002 0f": "D20",
        "24000000 0500 0c0100 0d": "O1",
        "01000000 0100 0b0002 0d": "T20",
        "02000000 0100 0c000e 1a": "SB",
        "03000000 0200 0000ff ff": "button next",
        "03000000 0200 0000cc cc": "button long",
        "03000000 0200 0000dd dd": "button undo",
        "04000000 0200 0000ee ee": "miss",
        "05000000 0100 0d0500 0d": "garbage",
        "05000000 0100 0e0500 13": "garbage",
        "05000000 0100 0a0a00 14": "garbage",
        "010203": "garbage",
    },
    "unicorn": {
        "55aa": "button next",
        "1403": "T20",
        "0100": "I1",
        "1901": "SB",
        "1902": "DB",
        "1403ff00": "T20",
        "14": "garbage",
        "0000": "garbage",
        "1500": "garbage",
        "1404": "garbage",
        "1900": "garbage",
        "1903": "garbage",
        "55ab": "garbage",
    },
    "smartness": {
        "10": "O16",
        "65": "button next",
        "50": "T20",
        "29": "D1",
        "14": "O20",
        "28": "I20",
        "00": "garbage",
        "53": "garbage",
        "64": "garbage",
        "66": "garbage",
        "ff": "garbage",
        "5050": "garbage",
    },
    "darts-connect": {
        f"{THROW} 54": "T20",
        f"{THROW} 34": "D20",
        f"{THROW} 85": "O1",
        f"{THROW} 05": "I1",
        f"{THROW} 39": "DB",
        f"{THROW} 99": "SB",
        f"{THROW} 00": "button next",
        "23080000 01000000 04010000 08000000 52010000 a0ef7140 00100000": "button next",
        f"{THROW} 59": "garbage",
        f"{THROW} 15": "garbage",
        "23080000 01000000 06010000 1c000000 a0ef7240 3812000000000000002000000200000008000000 0000000052010000": "",
        "23080000 ff000000 01010000 08000000 00305040 01000000 00000000": "",
        "23080000 fe000000 00000000 00000000 00000000": "",
        "23080000 02000000 03010000 00000000 00000000": "garbage",
    },
    "pidart": {"09": "T20", "70": "stuck", "83": "miss", "86": "button next", "80": "button select", "87": "garbage"},
    "raspuinodart": {"53": "T20", "70": "garbage", "14": "garbage", "80": "garbage", "ff": "garbage"},
    "pikado": {"0a": "T20", "3e": "DB", "fe": "button next", "ff": "miss", "00": "garbage", "41": "garbage"},
    "keypad-8x8": {"21": "D19", "7e": "T20", "5a": "T1", "78": "S2", "54": "garbage", "2e": "garbage"},
}


@pytest.mark.parametrize(("name", "packet"), [(name, packet) for name in HEX for packet in HEX[name]])
def test_what_a_packet_means(name: str, packet: str) -> None:
    meaning = HEX[name][packet]
    assert words(name, bytes.fromhex(packet)) == ([meaning] if meaning else [])


def test_every_shipped_profile_is_held_against_the_truth() -> None:
    assert {*SPOKEN, *HEX, *MAPS, "granboard"} == set(shipped_names())


def test_the_twenties_are_not_where_an_off_by_one_puts_them() -> None:
    """A published connector divides the code by 20 without taking one off first."""
    wrong = {f"{code:02x}": f"{'IODT?'[code // 20]}{code % 20}" for code in (0x14, 0x28, 0x3C, 0x50)}
    assert set(wrong.values()) == {"O0", "D0", "T0", "?0"}
    for code in wrong:
        (right,) = words("dartslive-home", bytes.fromhex(f"a203{code}0004"))
        assert right[1:] == "20"


@pytest.mark.parametrize("code", range(256))
def test_no_unknown_byte_is_the_next_player(code: int) -> None:
    """As it was in a published connector."""
    (word,) = words("smartness", bytes([code]))
    assert (word == "button next") == (code == 0x65)


RING = [15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5, 20, 1, 18, 4, 13, 6, 10]
"""Clockwise from the number beside the rim button of a board that was never turned."""


def unicorn(**wiring: int | bool) -> Codebook:
    profile = shipped("unicorn").profile
    return expand(replace(profile, hits=replace(profile.hits, wiring=msgspec.convert(wiring, Wiring))))


def number(book: Codebook, raw: int) -> list[str]:
    return [said(event) for event in Host(book).feed(bytes([raw, 3]), 0)]


@pytest.mark.parametrize(("raw", "button", "expected"), [(10, 3, 17), (1, 3, 13), (20, 3, 4)])
def test_a_turned_board_by_the_number_beside_its_button(raw: int, button: int, expected: int) -> None:
    assert number(unicorn(button_at=button), raw) == [f"T{expected}"]


@pytest.mark.parametrize("button", RING)
def test_every_turn_of_a_board_with_a_rim_button(button: int) -> None:
    book = unicorn(button_at=button)
    for raw in RING:
        expected = RING[(RING.index(raw) + RING.index(button)) % 20]
        assert number(book, raw) == [f"T{expected}"]
    assert [said(e) for e in Host(book).feed(b"\x19\x02", 0)] == ["DB"]
    assert len(book.segments) == 82


def test_a_turn_and_a_mirror_go_for_boards_that_say_the_number() -> None:
    assert number(unicorn(turn=1), 20) == ["T1"]
    assert number(unicorn(mirror=True), 5) == ["T1"]
    assert number(unicorn(mirror=True), 20) == ["T20"]


@pytest.mark.parametrize(
    ("name", "wiring", "sentence"),
    [
        ("unicorn", Wiring(turn=1, button_at=3), "wiring.turn and wiring.button_at say the same; keep one of them"),
        ("smartness", Wiring(button_at=3), "wiring.button_at is for boards with hits.button_at; use wiring.turn"),
        ("unicorn", Wiring(transpose=True), "a board that names its segments has no lines; only turn and mirror go"),
    ],
)
def test_a_turn_that_cannot_be(name: str, wiring: Wiring, sentence: str) -> None:
    profile = shipped(name).profile
    with pytest.raises(SourceError) as caught:
        expand(replace(profile, hits=replace(profile.hits, wiring=wiring)))
    assert str(caught.value) == f"{name}: {sentence}"


MAPS = {
    "pydarts-4x16": ("0123456789*BCDEF", "abcdefghi?KLMNOP", "jklmnopqr&TUVWXY", "stuvwxyzA@+-]/!$"),
    "pydarts-7x12": (
        *("012456789*/_", "abcdefghi?!<", "jklmnopqr&$>", "stuvwxyzA@#,"),
        *('BCDEFGHIJ}("', "KLMNOPQRS)=\xa7", "TUVWXYZ+-][%"),
    ),
    "pydarts-8x10": (
        *("012456789*", "abcdefghi?", "jklmnopqr&", "stuvwxyzA@"),
        *("BCDEFGHIJ}", "KLMNOPQRS)", "TUVWXYZ+-]", "/!$#(=[_<>"),
    ),
    "pydarts-8x8": ("01245678", "abcdefgh", "jklmnopq", "stuvwxyz", "BCDEFGHI", "KLMNOPQR", "TUVWXYZ+", "*/?!&$@#"),
    "pydarts-8x9": (
        *("012456789", "abcdefghi", "jklmnopqr", "stuvwxyzA"),
        *("BCDEFGHIJ", "KLMNOPQRS", "TUVWXYZ+-", "*/?!&$@#)"),
    ),
}
MAPS["pydarts-leonardo"] = MAPS["pydarts-8x9"]
"""The characters of the published sketches, by row and column."""


@pytest.mark.parametrize("name", [name for name in MAPS if name != "pydarts-leonardo"])
def test_a_character_is_a_contact(name: str) -> None:
    keys, book = MAPS[name], shipped(name)
    assert len({key for row in keys for key in row}) == sum(map(len, keys)), "no character twice"
    for segment_id, (row, col) in book.cells.items():
        assert words(name, keys[row][col].encode("latin-1")) == [segment_id]


def test_characters_come_without_any_end() -> None:
    face = {cell: segment_id for segment_id, cell in shipped("pydarts-4x16").cells.items()}
    assert words("pydarts-4x16", b"03", b"", b"z") == [face[0, 0], face[0, 3], face[3, 7]]


def test_a_sketch_saved_as_utf_8_says_its_paragraph_sign_in_two_bytes() -> None:
    book = shipped("pydarts-7x12")
    (segment_id,) = (i for i, cell in book.cells.items() if cell == (5, 11))
    assert words("pydarts-7x12", "§".encode()) == [segment_id]
    assert words("pydarts-7x12", b"\xa7") == [segment_id]


def test_notifications_of_the_granboard_as_they_were_captured() -> None:
    captured = {"3.5@": "O20", "3.3@": "I20", "3.6@": "D20", "3.4@": "T20", "7.2@": "O3", "7.1@": "I3", "8.4@": "D3"}
    captured |= {"7.0@": "T3", "11.6@": "D16", "BTN@": "button next", "OUT@": "miss", "4.1@": "garbage"}
    for frame, meaning in captured.items():
        assert words("granboard", frame.encode()) == [meaning]


def test_all_that_a_host_hears_has_its_time_and_its_packet() -> None:
    (event,) = heard("dartslive-home", bytes.fromhex("a203500004"))
    assert event == Hit(segment=shipped("dartslive-home").layout["T20"], raw=bytes.fromhex("a203500004"), time_ns=5)
