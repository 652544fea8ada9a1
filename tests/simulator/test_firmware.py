"""The board's faults, and that debounce makes one dart of each."""

from __future__ import annotations

from random import Random

import pytest

from protocol.codebook import Codebook, shipped
from protocol.debounce import Debounce, Verdict
from protocol.endpoint import Host
from protocol.events import BoardEvent, Button, Garbage, Hit, MissSensed, Status, Write
from simulator.contacts import SOUND, Faults
from simulator.firmware import Firmware

MS = 1_000_000
BOOK = shipped("opendarts")


def run(firmware: Firmware, host: Host, until: int, now: int) -> list[BoardEvent]:
    """All that the host hears up to a time, each line at the time it was printed."""
    events = [event for data in firmware.outgoing() for event in host.feed(data, now)]
    while (due := firmware.deadline()) is not None and due <= until:
        firmware.tick(due)
        events += [event for data in firmware.outgoing() for event in host.feed(data, due)]
    return events


def throw(
    faults: Faults, ids: list[str], apart_ms: int, book: Codebook = BOOK
) -> tuple[list[BoardEvent], list[Verdict]]:
    """What a host hears of darts so far apart, and what debounce makes of the hits."""
    firmware, host, debounce = Firmware(book, faults, Random(1)), Host(book), Debounce(book)
    events: list[BoardEvent] = []
    for number, segment_id in enumerate(ids):
        now = 1_000 * MS + number * apart_ms * MS
        assert firmware.hit(book.layout[segment_id], now)
        events += run(firmware, host, now + apart_ms * MS - 1, now)
    return events, [verdict for event in events if isinstance(event, Hit) for verdict in debounce.feed(event)]


def darts(verdicts: list[Verdict]) -> list[str]:
    return [said.segment.id for said, reason in verdicts if isinstance(said, Hit) and reason is None]


def dropped(verdicts: list[Verdict]) -> set[str]:
    return {verdict.dropped for verdict in verdicts if verdict.dropped is not None}


def test_a_sound_board_says_each_dart_once() -> None:
    ids = ["T20", "D5", "DB", "O1", "T20"]
    events, verdicts = throw(SOUND, ids, 700)
    assert len(events) == 5
    assert darts(verdicts) == ids


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
    events, verdicts = throw(Faults(bounce_ms=(2, 3, 7)), ["T20", "D5", "T20"], 700)
    assert len(events) == 12
    assert darts(verdicts) == ["T20", "D5", "T20"]
    assert dropped(verdicts) <= {"repeat", "stuck"}


@pytest.mark.parametrize("wedge_ms", [1, 5])
def test_a_dart_on_the_wire_is_the_first_of_its_two_beds(wedge_ms: int) -> None:
    ids = [segment.id for segment in BOOK.segments]
    events, verdicts = throw(Faults(wedge_ms=wedge_ms), ids, 1000)
    assert len(events) == 2 * len(ids)
    assert darts(verdicts) == ids
    assert dropped(verdicts) == {"contact"}


def test_the_fourth_corner_of_a_rectangle_is_no_dart() -> None:
    ids = ["T20", "T9", "D20"]  # lines 1,0 and 1,3 and 3,0: the board also reads 3,3
    assert [BOOK.cells[i] for i in [*ids, "D9"]] == [(1, 0), (1, 3), (3, 0), (3, 3)]
    events, verdicts = throw(Faults(has_ghosts=True), ids, 1)
    assert [e.segment.id for e in events if isinstance(e, Hit)] == [*ids, "D9"]
    assert darts(verdicts) == ids
    assert dropped(verdicts) == {"ghost"}
    assert len(throw(Faults(has_ghosts=True), ids, 700)[0]) == 3, "contacts that opened again make no ghosts"


def test_a_stuck_contact_is_one_dart_until_it_is_freed() -> None:
    firmware, host, debounce = Firmware(BOOK, Faults(stuck_ms=500)), Host(BOOK), Debounce(BOOK)
    firmware.hit(BOOK.layout["T20"], 0)
    events = run(firmware, host, 10_000 * MS, 0)
    assert len(events) == 21
    verdicts = [verdict for event in events if isinstance(event, Hit) for verdict in debounce.feed(event)]
    assert darts(verdicts) == ["T20"]
    assert verdicts[-1].dropped == "stuck"
    firmware.free()
    assert firmware.deadline() is None


def test_noise_is_garbage_and_never_a_dart() -> None:
    events, verdicts = throw(Faults(noise=b"\xff\x00\xfe"), ["T20", "D5"], 700)
    assert [type(e) for e in events] == [Garbage, Hit, Garbage, Hit]
    assert darts(verdicts) == ["T20", "D5"]


def test_a_line_in_pieces_is_one_dart() -> None:
    firmware = Firmware(BOOK, Faults(chunk=2))
    firmware.hit(BOOK.layout["T20"], 0)
    pieces = firmware.outgoing()
    assert pieces == [b"1,", b"0\r", b"\n"]
    assert darts(throw(Faults(chunk=1), ["T20", "D5"], 700)[1]) == ["T20", "D5"]


def test_all_faults_together_still_are_one_dart_each() -> None:
    faults = Faults(bounce_ms=(1, 4), wedge_ms=3, has_ghosts=True, noise=b"\xff\xff", chunk=1)
    ids = [segment.id for segment in BOOK.segments]
    assert darts(throw(faults, ids, 1000)[1]) == ids
