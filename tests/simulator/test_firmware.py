"""The board's faults, and that debounce makes one dart of each."""

from __future__ import annotations

import pytest

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import Button, Garbage, Hit, MissSensed, Status, Write
from simulator.contacts import SOUND, Faults
from simulator.firmware import Firmware
from tests.simulator.conversation import MS, Conversation

BOOK = shipped("opendarts")
ALL = [segment.id for segment in BOOK.segments]


def told(faults: Faults, ids: list[str], apart_ms: int) -> Conversation:
    """A board that is told of darts so far apart, and its host."""
    both = Conversation(BOOK, faults)
    assert both.throw(1000, *ids, apart_ms=apart_ms)
    return both


def hits(both: Conversation) -> list[str]:
    return [event.segment.id for event in both.events if isinstance(event, Hit)]


def test_a_sound_board_says_each_dart_once() -> None:
    ids = ["T20", "D5", "DB", "O1", "T20"]
    both = told(SOUND, ids, 700)
    assert both.counted() == hits(both) == ids


def test_buttons_and_misses_and_what_the_board_lacks() -> None:
    firmware, host = Firmware(BOOK), Host(BOOK)
    assert firmware.miss(0)
    assert firmware.press("next", 0)
    assert not firmware.press("self-destruct", 0)
    heard = [e for data in firmware.outgoing() for e in host.feed(data, 0)]
    assert [type(e) for e in heard] == [MissSensed, Button]
    assert not Firmware(shipped("granboard-bridge")).hit(BOOK.layout["MISS"], 0)


def test_it_greets_the_program_that_opens_the_port() -> None:
    firmware, host = Firmware(BOOK), Host(BOOK)
    firmware.hit(BOOK.layout["T20"], 0)  # printed to no host
    firmware.on_open()
    heard = [e for data in firmware.outgoing() for e in host.feed(data, 0)]
    assert heard == [Status(text="OpenDarts", raw=b"OpenDarts")]


def test_it_hears_commands() -> None:
    assert Firmware(BOOK).feed(b"lamp on\r\nlamp", 0) == [Write(b"lamp on")]


def test_a_bouncing_contact_is_one_dart() -> None:
    both = told(Faults(bounce_ms=(2, 3, 7)), ["T20", "D5", "T20"], 700)
    assert both.counted() == ["T20", "D5", "T20"]
    assert len(hits(both)) == 12
    assert both.dropped <= {"repeat", "stuck"}


@pytest.mark.parametrize("wedge_ms", [1, 5])
def test_a_dart_on_the_wire_is_the_first_of_its_two_beds(wedge_ms: int) -> None:
    both = told(Faults(wedge_ms=wedge_ms), ALL, 1000)
    assert both.counted(100_000) == ALL
    assert len(hits(both)) == 2 * len(ALL)
    assert both.dropped == {"contact"}


def test_the_fourth_corner_of_a_rectangle_is_no_dart() -> None:
    ids = ["T20", "T9", "D20"]  # lines 1,0 and 1,3 and 3,0: the board also reads 3,3
    assert [BOOK.cells[i] for i in [*ids, "D9"]] == [(1, 0), (1, 3), (3, 0), (3, 3)]
    both = told(Faults(has_ghosts=True), ids, 1)
    assert both.counted() == ids
    assert hits(both) == [*ids, "D9"]
    assert both.dropped == {"ghost"}
    later = told(Faults(has_ghosts=True), ids, 700)
    assert later.counted() == hits(later) == ids, "contacts that opened again make no ghosts"


def test_a_stuck_contact_is_one_dart_until_it_is_freed() -> None:
    both = told(Faults(stuck_ms=500), ["T20"], 0)
    assert both.counted(11_000) == ["T20"]
    assert len(hits(both)) == 21
    assert "stuck" in both.dropped
    both.board.free(11_000 * MS)
    assert both.board.deadline() is None


def test_noise_is_garbage_and_never_a_dart() -> None:
    both = told(Faults(noise=b"\xff\x00\xfe"), ["T20", "D5"], 700)
    assert both.counted() == ["T20", "D5"]
    assert [type(event) for event in both.events] == [Status, Garbage, Hit, Garbage, Hit]


def test_a_line_in_pieces_is_one_dart() -> None:
    firmware = Firmware(BOOK, Faults(chunk=2))
    firmware.hit(BOOK.layout["T20"], 0)
    assert firmware.outgoing() == [b"1,", b"0\r", b"\n"]
    assert told(Faults(chunk=1), ["T20", "D5"], 700).counted() == ["T20", "D5"]


def test_all_faults_together_still_are_one_dart_each() -> None:
    faults = Faults(bounce_ms=(1, 4), wedge_ms=3, has_ghosts=True, noise=b"\xff\xff", chunk=1)
    assert told(faults, ALL, 1000).counted(100_000) == ALL
