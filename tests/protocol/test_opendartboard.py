"""OpenDartboard, frame by frame: its three flavours, what is no dart, and what is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import BoardEvent, Correct, Echo, Garbage, Hit, Mend, TakeoutSeen
from protocol.web_frames import Received, encode_packet

Json = dict[str, Any]  # Any: JSON
SECOND = 1_000_000_000
LAYOUT = shipped("opendartboard").layout

DART: Json = {
    "score": "T19",
    "position": {"x": 611, "y": 402},
    "confidence": 0.9,
    "camera": 1,
    "processing_time": 21,
    "timestamp": 1795830000123,
}
END: Json = {
    "score": "END",
    "position": {"x": -1, "y": -1},
    "confidence": 1.0,
    "camera": -1,
    "processing_time": 9,
    "timestamp": 1795830009000,
}
APAIKO: Json = {
    **DART,
    "score": "S7",
    "segment": 7,
    "ring": "single",
    "board": {"radius": 0.71, "angle": 207.9},
    "confidence": 0.7,
    "uncertainty": 5.2,
    "boundary": 1.9,
    "boundary_kind": "wedge",
    "alternative": "S19",
    "timestamp": 1795830001456,
}


class Board:
    """A connection, and the time of the last message."""

    def __init__(self, profile: str = "opendartboard") -> None:
        self.host = Host(shipped(profile))
        self.host.on_open(0)
        self.now = 0
        self.stamp = 1795830000000

    def say(self, message: object) -> list[BoardEvent]:
        self.now += SECOND
        return self.host.feed(encode_packet(Received("/scores", json=message)), self.now)

    def throw(self, score: str, **more: Any) -> list[BoardEvent]:
        self.stamp += 1000
        return self.say({**DART, "score": score, "timestamp": self.stamp, **more})

    def segments(self, *scores: str) -> list[str]:
        return [each.segment.id for score in scores for each in self.throw(score) if isinstance(each, Hit)]


def test_a_dart_of_upstream_has_no_point_and_its_single_no_ring() -> None:
    board = Board()
    (dart,) = board.say(DART)
    assert dart == Hit(segment=LAYOUT["T19"], key=f"odb-{SECOND}-1", time_ns=SECOND)
    assert board.segments("S20", "D1", "T1") == ["S20", "D1"]
    assert Board().segments("BULL", "OUTER", "MISS") == ["DB", "SB", "MISS"]
    assert Board().segments("20", "s5", " D16 ") == ["S20", "S5", "D16"]


def test_a_dart_of_apaiko_has_a_point_a_ring_and_what_it_may_be_as_well() -> None:
    (dart,) = Board("opendartboard-apaiko").say(APAIKO)
    assert isinstance(dart, Hit)
    assert (dart.segment.id, dart.point) == ("O7", (-565, -1067))
    assert [each.id for each in dart.close] == ["O19"]


@pytest.mark.parametrize(
    ("score", "board", "segment", "point"),
    [
        ("S20", {"radius": 0.4, "angle": 0.0}, "I20", (0, 680)),
        ("S6", {"radius": 0.7, "angle": 90}, "O6", (1190, 0)),
        ("S20", {"radius": 0.582, "angle": 0.0}, "I20", (0, 989)),  # at the wire of the triple
        ("S20", {"radius": 0.629, "angle": 0.0}, "O20", (0, 1069)),
        ("T20", {"radius": 0.6, "angle": "355.5"}, "T20", (-80, 1017)),
        ("BULL", {"radius": 0.0, "angle": None}, "DB", (0, 0)),
        ("S20", {"radius": 0.4, "angle": None}, "I20", None),
        ("S20", {"radius": 0.6, "angle": 0}, "I20", (0, 1020)),
        ("S20", {"radius": 0.4, "angle": 180}, "I20", None),
        ("S20", {"radius": 2, "angle": 0}, "S20", None),
        ("S20", {"radius": "x", "angle": 0}, "S20", None),
        ("S20", {"radius": None, "angle": None}, "S20", None),
        ("S20", [1, 2], "S20", None),
        ("MISS", None, "MISS", None),
    ],
)
def test_a_point_is_taken_where_it_fits_the_score(
    score: str, board: object, segment: str, point: tuple[int, int] | None
) -> None:
    (dart,) = Board().throw(score, board=board)
    assert isinstance(dart, Hit)
    assert (dart.segment.id, dart.point) == (segment, point)


def test_a_visit_ends_when_the_board_is_seen_clean() -> None:
    board = Board()
    assert board.segments("T20", "T20") == ["T20", "T20"]
    assert board.throw("END") == [TakeoutSeen(step="finished", time_ns=board.now)]
    assert board.throw("END") == []
    assert board.segments("S1") == ["S1"]


def test_the_first_end_may_be_of_darts_of_before() -> None:
    board = Board()
    assert board.say(END) == [TakeoutSeen(step="finished", time_ns=SECOND)]


def test_a_message_while_three_are_counted_is_no_dart() -> None:
    board = Board()
    assert board.segments("S1", "S2", "S3") == ["S1", "S2", "S3"]
    assert board.throw("S4") == [Echo(time_ns=board.now)]
    board.throw("END")
    assert board.segments("S4") == ["S4"]


def test_a_repeated_message_is_none() -> None:
    board = Board()
    assert len(board.say(DART)) == 1
    assert board.say(DART) == [Echo(time_ns=board.now)]
    assert len(board.say({**DART, "timestamp": DART["timestamp"] + 1})) == 1


def test_without_a_time_no_message_counts_as_repeated() -> None:
    board = Board()
    nameless = {key: value for key, value in DART.items() if key != "timestamp"}
    assert [isinstance(each, Hit) for _ in range(3) for each in board.say(nameless)] == [True] * 3


def test_an_event_id_is_the_name_of_a_dart() -> None:
    board = Board()
    state = {"previous": "CLEAN", "current": "DART_1"}
    named = {**DART, "event_id": "event-1795830000123-a", "boardPosition": {"x": 0.5, "y": 0.5}, "state": state}
    assert board.say(named) == [Hit(segment=LAYOUT["T19"], key="event-1795830000123-a", time_ns=SECOND)]
    assert board.say({**named, "timestamp": 5}) == [Echo(time_ns=board.now)]
    (other,) = board.say({**DART, "eventId": "event-2-b", "timestamp": 6})
    assert isinstance(other, Hit)
    assert other.key == "event-2-b"
    (long,) = board.say({**DART, "eventId": "\x1b" * 3, "timestamp": 7})
    assert isinstance(long, Hit)
    assert long.key.startswith("odb-")


def test_a_state_that_goes_down_is_a_dart_that_is_pulled() -> None:
    board = Board()
    for before, after in (("CLEAN", "DART_1"), ("DART_1", "DART_2")):
        assert len(board.throw("S5", state={"previous": before, "current": after})) == 1
    pulled = board.throw("S5", state={"previous": "DART_2", "current": "DART_1"})
    assert pulled == [Echo(time_ns=board.now)]
    (third,) = board.throw("S5", state={"previous": "DART_2", "current": "DART_3"})
    assert isinstance(third, Hit)
    assert isinstance(board.throw("S5", state={"previous": "x", "current": ["y"]})[0], Echo)


@pytest.mark.parametrize(
    "message",
    [
        {},
        [],
        {"score": 20},
        {"score": None},
        {"score": "T25"},
        {"score": "S0"},
        {"score": "\u0662"},
        {"status": "ok", "service": "OpenDartboard"},
    ],
)
def test_what_is_no_dart_is_garbage(message: object) -> None:
    (event,) = Board().say(message)
    assert isinstance(event, Garbage)


def test_no_frame_of_the_link_is_garbage_and_no_command_is_understood() -> None:
    board = Board()
    for told in (Received("/scores", socket="open"), Received("/scores", socket="closed", code=1006)):
        assert board.host.feed(encode_packet(told), 5) == []
    for command in (Correct("odb-1-1", None), Mend("start")):
        board.host.send(command)
    assert board.host.packets() == []


SCORES = st.sampled_from(["T20", "S5", "MISS", "BULL", "END"])


@given(st.lists(st.tuples(SCORES, st.integers(0, 3), st.booleans()), max_size=40))
def test_repeated_and_lost_frames_give_each_dart_at_most_once(frames: list[tuple[str, int, bool]]) -> None:
    """Each message comes so many times (0: it is lost); where it says so the connection is made anew before it."""
    board, keys, since_end = Board(), list[str](), 0
    for score, times, is_new in frames:
        if is_new:
            board.host, since_end = Host(shipped("opendartboard")), 0
        board.stamp += 1000
        for _ in range(times):
            events = board.say({**DART, "score": score, "timestamp": board.stamp})
            hits = [each for each in events if isinstance(each, Hit)]
            assert len(hits) <= 1
            keys += [each.key for each in hits]
            since_end += len(hits)
        if score == "END" and times:
            since_end = 0
        assert since_end <= 3
    assert len(keys) == len(set(keys)) <= sum(bool(times) for score, times, _ in frames if score != "END")
