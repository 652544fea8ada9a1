"""What boards send, held against what other people published: each code means what it should.

Host and Board are mirrors of one table, so that they agree proves nothing about a real board. The tables in tests/data
come from the firmwares and from the programs that read them; single frames are captures, or vectors of their finders.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from protocol.codebook import Codebook, expand, shipped
from protocol.endpoint import Host
from protocol.mat import Wiring
from protocol.source import SourceError
from tests.protocol.hearing import DATA, FRAMED, heard, said, table, words

FRAMES = tomllib.loads((DATA / "frames.toml").read_text(encoding="utf-8"))
MAPS: dict[str, list[str]] = FRAMES["keys"]
MAPS["pydarts-leonardo"] = MAPS["pydarts-8x9"]
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


@pytest.mark.parametrize(
    ("name", "line", "meaning"),
    [(name, line, m) for name, table in FRAMES["lines"].items() for line, m in table.items()],
)
def test_what_a_line_means(name: str, line: str, meaning: str) -> None:
    events = heard(name, f"{line}\r\n".encode())
    assert [said(event) for event in events] == ([meaning] if meaning else [])
    assert all(event.raw == line.strip("<>").encode() for event in events)


@pytest.mark.parametrize("name", ["opendarts", "opendarts-hybrid49"])
def test_all_lines_of_a_published_calibration(name: str) -> None:
    codes = table(f"lines_{name}.txt")
    assert len(codes) == len(shipped(name).segments)
    assert [said(e) for line, _ in codes for e in heard(name, f"{line}\r\n".encode())] == [s for _, s in codes]


def test_the_format_of_ring_times_100_is_what_its_firmware_holds() -> None:
    ring = {"1": "S", "2": "D", "3": "T"}
    rows = (DATA / "numbers_loewen_4x16.txt").read_text().splitlines()[1:]
    numbers = [number for row in rows for number in row.split() if number != "000"]
    assert len(set(numbers)) == 62
    for number in numbers:
        kind, value = ring[number[0]], int(number[1:])
        expected = f"{kind}{value}" if value != 25 else f"{kind}B"
        assert [said(e) for e in heard("darts-number", f"{number}\r\n".encode())] == [expected]


def test_boot_noise_before_a_marked_frame_costs_no_hit_and_is_no_garbage() -> None:
    noise = b"ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n" * 4
    assert [said(e) for e in heard("granboard-bridge", noise + b"<T20>\r\n<D1>\r\n")] == ["T20", "D1"]
    assert [said(e) for e in heard("granboard-bridge", b"\x00\xfe~ <T20>")] == ["T20"]


@pytest.mark.parametrize(
    ("name", "packet", "meaning"),
    [(name, packet, m) for name, meanings in FRAMES["packets"].items() for packet, m in meanings.items()],
)
def test_what_a_packet_means(name: str, packet: str, meaning: str) -> None:
    assert words(name, bytes.fromhex(packet)) == ([meaning] if meaning else [])


def test_every_shipped_profile_is_held_against_the_truth() -> None:
    assert {*FRAMES["lines"], *FRAMES["packets"], *MAPS, "granboard"} == set(FRAMED)


def test_no_unknown_byte_is_the_next_player() -> None:
    """As it was in a published connector."""
    heard_next = [code for code in range(256) if words("smartness", bytes([code])) == ["button next"]]
    assert heard_next == [0x65]


RING = [15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5, 20, 1, 18, 4, 13, 6, 10]
"""Clockwise from the number beside the rim button of a board that was never turned."""


def unicorn(**wiring: int | bool) -> Codebook:
    profile = shipped("unicorn").profile
    return expand(replace(profile, hits=replace(profile.hits, wiring=msgspec.convert(wiring, Wiring))))


def number(book: Codebook, raw: int) -> list[str]:
    return [said(event) for event in Host(book).feed(bytes([raw, 3]), 0)]


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
        (
            "unicorn",
            Wiring(turn=1, button_at=3),
            "wiring.turn and wiring.button_at both set the turn: keep one of them",
        ),
        (
            "smartness",
            Wiring(button_at=3),
            "wiring.button_at needs hits.button_at, which this board does not have: use wiring.turn",
        ),
        (
            "unicorn",
            Wiring(transpose=True),
            "a board with hits.names has no rows and columns: of wiring, only turn, mirror and button_at apply",
        ),
    ],
)
def test_a_turn_that_cannot_be(name: str, wiring: Wiring, sentence: str) -> None:
    profile = shipped(name).profile
    with pytest.raises(SourceError) as caught:
        expand(replace(profile, hits=replace(profile.hits, wiring=wiring)))
    assert str(caught.value) == f"{name}: {sentence}"


@pytest.mark.parametrize("name", [name for name in MAPS if name != "pydarts-leonardo"])
def test_a_character_is_a_contact(name: str) -> None:
    keys, book = MAPS[name], shipped(name)
    assert len({key for row in keys for key in row}) == sum(map(len, keys)), "no character twice"
    for segment_id, (row, col) in book.cells.items():
        assert words(name, keys[row][col].encode("latin-1")) == [segment_id]


def test_characters_come_without_any_end() -> None:
    layout = {cell: segment_id for segment_id, cell in shipped("pydarts-4x16").cells.items()}
    assert words("pydarts-4x16", b"03", b"", b"z") == [layout[0, 0], layout[0, 3], layout[3, 7]]


def test_a_sketch_in_utf_8_sends_its_paragraph_sign_as_two_bytes() -> None:
    book = shipped("pydarts-7x12")
    (segment_id,) = (i for i, cell in book.cells.items() if cell == (5, 11))
    assert words("pydarts-7x12", "§".encode()) == [segment_id]
    assert words("pydarts-7x12", b"\xa7") == [segment_id]
