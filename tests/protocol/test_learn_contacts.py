"""The contacts of a board taken out of its frames, however these are written."""

from __future__ import annotations

import re
from itertools import product

import pytest
from msgspec.structs import replace

from protocol.codebook import shipped
from protocol.learning.contacts import FrameContacts
from protocol.mat import list_mats, load_mat
from protocol.profile import Hits, Profile

BASE = Profile(id="mine", name="mine", hits=Hits(frame="{row},{col}"))


def test_a_board_that_says_its_lines_in_one_byte() -> None:
    contacts = FrameContacts(replace(shipped("pidart").profile, hits=Hits(frame="{16*row+col}")))
    assert contacts.read(b"\x2b") == (2, 11)
    assert contacts.frame((2, 11)) == b"\x2b"
    assert contacts.read(b"\x70") is None, "this says that a contact is stuck"
    with pytest.raises(ValueError, match=re.escape("must contain {row} and {col}, as in {row},{col} or R{row}C{col}")):
        FrameContacts(replace(BASE, hits=Hits(frame="hit")))


def contacts_of(frame: str, *, ignore_case: bool = False) -> FrameContacts:
    return FrameContacts(replace(BASE, hits=Hits(frame=frame, ignore_case=ignore_case)))


def test_boards_that_say_the_pins_of_their_controller() -> None:
    contacts = contacts_of("{row},{col}")
    assert contacts.read(b"69,255") == (69, 255)
    assert contacts.frame((69, 255)) == b"69,255"
    for wrong in (b"256,1", b"07,03", b"7,-1", b"7,3 ", b"7,", b"7;3"):
        assert contacts.read(wrong) is None


def test_frames_are_taken_apart_however_they_are_written() -> None:
    assert contacts_of("R{row+1}C{2*col-1}", ignore_case=True).read(b"r3c-1") == (2, 0)
    assert contacts_of("R{row+1}C{2*col-1}").read(b"R3C4") is None
    assert contacts_of("{row}{col}").read(b"19") == (1, 9)
    assert contacts_of("{row}/{col}/{row}").read(b"1/2/1") == (1, 2)
    assert contacts_of("{row}/{col}/{row}").read(b"1/2/3") is None
    dots = FrameContacts(replace(BASE, notation="hex", hits=Hits(frame="2e {row} {col+1}")))
    assert (dots.read(b".\n\xff"), dots.read(b".\n\x00"), dots.read(b"x\n\xff")) == ((10, 254), None, None)
    assert dots.frame((10, 254)) == b".\n\xff"


def test_a_board_with_keys_may_turn_out_to_say_rows_and_columns() -> None:
    keypad = shipped("keypad-8x8").profile
    contacts = FrameContacts(replace(keypad, hits=Hits(frame="{row},{col}", keys=keypad.hits.keys)))
    assert contacts.read(b"63,2") == (63, 2)
    assert FrameContacts(replace(keypad, hits=replace(keypad.hits, mat=None))).read(b"8") == (1, 0)


@pytest.mark.parametrize("frame", ["{row},{col}", "*"])
def test_what_a_board_is_known_to_say_besides_is_no_contact(frame: str) -> None:
    chatty = shipped("realopendarts").profile
    contacts = FrameContacts(replace(chatty, hits=Hits(frame=frame, ignore_case=True), buttons={"next": "9,9"}))
    assert contacts.read(b"1,7") in ((1, 7), "1,7")
    for said in (b"Send: 4,7", b"SEND: 4,7", b"Ready.", b"RealOpenDarts", b"Vib", b"9,9"):
        assert contacts.read(said) is None


@pytest.mark.parametrize("name", list_mats())
def test_a_running_number_is_the_cell_it_was_counted_from(name: str) -> None:
    grid = load_mat(name).grid
    cells = list(product(range(len(grid)), range(len(grid[0]))))
    for frame in (f"{{{len(grid[0])}*row+col}}", f"{{row+{len(grid)}*col}}", f"{{{len(grid[0])}*row+col+1}}"):
        contacts = contacts_of(frame)
        assert [contacts.read(contacts.frame(cell)) for cell in cells] == cells, frame


def test_digits_that_are_padded_or_hex_are_read() -> None:
    padded = contacts_of("R{row:02}C{col:02}")
    assert [padded.read(said) for said in (b"R03C11", b"R3C11", b"R003C11")] == [(3, 11), None, None]
    assert contacts_of("{row:02}{col:02}").read(b"0311") == (3, 11)
    assert [contacts_of("{row:X},{col:x}").read(said) for said in (b"A,b", b"a,b", b"A,0b")] == [(10, 11), None, None]
    code = contacts_of("0x{16*row+col:02X}")
    assert [code.read(said) for said in (b"0x07", b"0x1A", b"0x7", b"0x1a")] == [(0, 7), (1, 10), None, None]
    assert code.frame((1, 10)) == b"0x1A"
