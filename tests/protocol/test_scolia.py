"""Scolia, frame by frame: darts, takeouts, corrections, the codes of its end, and a connection that is dead."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codebook import shipped
from protocol.endpoint import Host
from protocol.events import (
    BoardEvent,
    Cleared,
    Complaint,
    Correct,
    Echo,
    Garbage,
    Hit,
    Mend,
    Readiness,
    TakeoutSeen,
    Unanswered,
)
from protocol.web_frames import Received, decode_wanted, encode_packet

Json = dict[str, Any]  # Any: JSON
SECOND = 1_000_000_000
LAYOUT = shipped("scolia").layout
SOURCE = "/api/v1/social"

HELLO: Json = {
    "type": "HELLO_CLIENT",
    "id": "0b7a5d1e-6f0e-4f6e-9a55-0d6a1f0f7c11",
    "payload": {"boardStatus": "Ready", "boardPhase": "Throw", "errorType": None},
}
THROW: Json = {
    "type": "THROW_DETECTED",
    "id": "6d0c2a34-77b1-4f7b-8f0b-2c9c8e1f3a52",
    "payload": {
        "sector": "T20",
        "coordinates": [-3, 101],
        "angle": {"vertical": 4.2, "horizontal": -11.8},
        "bounceout": False,
        "sectorSuggestions": ["S20", "T5"],
        "detectionTime": "2026-11-28T19:03:11.482Z",
    },
}
BOUNCE: Json = {
    "type": "THROW_DETECTED",
    "id": "c6b0b5c2-0a44-4b3e-86a1-9d3c0f6b7a10",
    "payload": {
        "sector": "None",
        "coordinates": [176, -88],
        "angle": {"vertical": 0, "horizontal": 0},
        "bounceout": True,
        "sectorSuggestions": [],
        "detectionTime": "2026-11-28T19:03:16.120Z",
    },
}
STARTED: Json = {
    "type": "TAKEOUT_STARTED",
    "id": "f2b61a77-1d6b-4e6a-b0b7-3b9b6b4d1f01",
    "payload": {"time": "2026-11-28T19:03:20.010Z"},
}
FINISHED: Json = {
    "type": "TAKEOUT_FINISHED",
    "id": "4e2f19c9-2f68-4a0f-9d41-52b1a7d6c3e8",
    "payload": {"falseTakeout": False, "time": "2026-11-28T19:03:22.730Z"},
}


class Board:
    """A connection, its time, and a running number for ids."""

    def __init__(self) -> None:
        self.host = Host(shipped("scolia"))
        self.now = 0
        self.number = 0
        self.host.on_open(0)

    def say(self, message: object) -> list[BoardEvent]:
        return self.host.feed(encode_packet(Received(SOURCE, json=message)), self.now)

    def tell(self, kind: str, **payload: Any) -> list[BoardEvent]:
        self.number += 1
        return self.say({"type": kind, "id": f"aaaaaaaa-0000-4000-8000-{self.number:012}", "payload": payload})

    def throw(self, sector: str, **more: Any) -> Hit:
        (event,) = self.tell("THROW_DETECTED", **{"sector": sector, "coordinates": [1, 2], "bounceout": False, **more})
        assert isinstance(event, Hit)
        return event

    def said(self) -> list[Json]:
        """What the board was sent since."""
        return [decode_wanted(packet).say for packet in self.host.packets()]

    def corrected(self) -> list[Json]:
        """The corrections among it."""
        return [each for each in self.said() if each["type"] != "GET_SBC_STATUS"]

    def wait_until(self, time_s: float) -> list[BoardEvent]:
        """Ticks at each deadline up to then."""
        events: list[BoardEvent] = []
        while (due := self.host.deadline()) is not None and due <= time_s * SECOND:
            self.now = due
            events += self.host.tick(due)
        self.now = round(time_s * SECOND)
        return events

    def refuse(self, reply_to: str, why: object = "The board is not ready.") -> list[BoardEvent]:
        return self.tell("REFUSED", replyTo=reply_to, error="InvalidState", errorMessage=why)


def test_the_worked_example_of_a_visit() -> None:
    board = Board()
    assert board.say(HELLO) == [Readiness()]
    close = (LAYOUT["O20"], LAYOUT["T5"])
    dart = Hit(segment=LAYOUT["T20"], point=(-30, 1010), key=THROW["id"], close=close)
    assert board.say(THROW) == [dart]
    assert board.say(BOUNCE) == [Hit(segment=LAYOUT["MISS"], point=(1760, -880), key=BOUNCE["id"])]
    assert board.say(STARTED) == [TakeoutSeen(step="started")]
    assert board.say(FINISHED) == [TakeoutSeen(step="finished")]
    assert board.said() == []


@pytest.mark.parametrize("message", [THROW, STARTED, FINISHED])
def test_a_message_with_the_same_id_is_repeated(message: Json) -> None:
    board = Board()
    assert len(board.say(message)) == 1
    assert board.say(message) == [Echo()]


@pytest.mark.parametrize(
    ("sector", "segment"),
    [("s1", "I1"), ("S1", "O1"), ("D20", "D20"), ("T7", "T7"), ("25", "SB"), ("Bull", "DB"), ("None", "MISS")],
)
def test_case_matters_in_a_sector(sector: str, segment: str) -> None:
    assert Board().throw(sector).segment.id == segment


def test_y_is_up_by_the_makers_own_example() -> None:
    """S1 at [40, 138]: in the lower half that would be the 17."""
    dart = Board().throw("S1", coordinates=[40, 138])
    assert dart.point == (400, 1380)
    assert LAYOUT.at(400, 1380).id == "O1"


def test_a_bounce_out_scores_nothing_whatever_its_sector() -> None:
    dart = Board().throw("T20", bounceout=True, coordinates=[1.26, 2])
    assert (dart.segment.id, dart.point) == ("MISS", (13, 20))


@pytest.mark.parametrize(
    ("payload", "point", "close"),
    [
        ({"coordinates": None}, None, 0),
        ({"coordinates": [1]}, None, 0),
        ({"coordinates": [1, 251]}, None, 0),
        ({"coordinates": ["1.5", "-2"]}, (15, -20), 0),
        ({"coordinates": [True, 1]}, None, 0),
        ({"coordinates": [10**400, 1]}, None, 0),
        ({"sectorSuggestions": ["S1", 5, "x", "D1"]}, (10, 20), 1),
        ({"sectorSuggestions": "S1"}, (10, 20), 0),
    ],
)
def test_what_is_beside_the_sector_may_be_wrong(payload: Json, point: tuple[int, int] | None, close: int) -> None:
    dart = Board().throw("T20", **payload)
    assert (dart.segment.id, dart.point, len(dart.close)) == ("T20", point, close)


@pytest.mark.parametrize(
    "message",
    [
        {},
        [],
        "x",
        {"type": "THROW_DETECTED", "payload": THROW["payload"]},
        {"type": "THROW_DETECTED", "id": "\x1b[2J", "payload": THROW["payload"]},
        {"type": "THROW_DETECTED", "id": "x" * 65, "payload": THROW["payload"]},
        {"type": "THROW_DETECTED", "id": 5, "payload": THROW["payload"]},
        {"type": "THROW_DETECTED", "id": "a"},
        {"type": "THROW_DETECTED", "id": "a", "payload": {"sector": "t20"}},
        {"type": "THROW_DETECTED", "id": "a", "payload": {"sector": ["T20"]}},
    ],
)
def test_what_is_no_dart_is_garbage(message: object) -> None:
    (event,) = Board().say(message)
    assert isinstance(event, Garbage)


def test_a_message_of_a_later_version_is_passed_over() -> None:
    assert Board().tell("SBC_BOARD_AVAILABILITY_CHANGED") == []


def test_a_false_takeout_leaves_the_visit_and_asks_what_the_board_does() -> None:
    board = Board()
    assert board.tell("TAKEOUT_FINISHED", falseTakeout=True) == [TakeoutSeen(step="false")]
    (asked,) = board.said()
    assert (asked["type"], "payload" in asked) == ("GET_SBC_STATUS", False)


def test_a_board_that_is_not_ready_says_why_once() -> None:
    board = Board()
    for status, remedy, word in (
        ("Offline", None, "switch it on"),
        ("Updating", None, "updated"),
        ("Initializing", None, "starting"),
        ("Calibrating", None, "calibrates"),
        ("Levitating", None, "sees no darts yet"),
        ("Error", "start", "an error"),
    ):
        (event,) = board.tell("SBC_STATUS_CHANGED", boardStatus=status, boardPhase=None, errorType=None)
        assert isinstance(event, Readiness)
        assert event.remedy == remedy
        assert word in str(event.said)
        assert board.tell("SBC_STATUS", boardStatus=status) == []
    (event,) = board.tell("SBC_STATUS", boardStatus="Error", errorType="Camera")
    assert isinstance(event, Readiness)
    assert "a camera" in str(event.said)
    assert board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Takeout") == [Readiness()]


def test_a_takeout_without_end_can_be_freed() -> None:
    board = Board()
    board.say(HELLO)
    board.say(STARTED)
    for time_s in range(5, 60, 5):
        assert board.wait_until(time_s) == []
        board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Takeout")
    (event,) = board.wait_until(61)
    assert isinstance(event, Readiness)
    assert event.remedy == "reset"
    assert board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Takeout") == []
    board.said()
    board.host.send(Mend("reset"))
    (asked,) = board.said()
    assert asked["type"] == "RESET_PHASE"
    assert board.tell("ACKNOWLEDGED", replyTo=asked["id"]) == [Cleared(time_ns=board.now), Readiness(time_ns=board.now)]


def test_a_takeout_that_ended_meanwhile_is_not_stuck() -> None:
    for end in (FINISHED, {**HELLO, "type": "SBC_STATUS", "id": "b"}):
        board = Board()
        board.say(HELLO)
        board.say(STARTED)
        board.say(end)
        for time_s in range(5, 100, 5):
            assert board.wait_until(time_s) == []
            board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Throw")


def test_a_takeout_that_was_stuck_and_ends_is_ready_again() -> None:
    board = Board()
    board.say(HELLO)
    board.say(STARTED)
    for time_s in range(5, 66, 5):
        board.wait_until(time_s)
        board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Takeout")
    assert board.say(FINISHED) == [TakeoutSeen(step="finished", time_ns=board.now), Readiness(time_ns=board.now)]


def test_a_correction_is_told_by_the_place_in_the_round() -> None:
    board = Board()
    board.say(FINISHED)
    first, second, third = (board.throw(each) for each in ("T20", "S5", "T1"))
    board.host.send(Correct(second.key, LAYOUT["T5"]))
    board.host.send(Correct(first.key, None))
    board.host.send(Correct(third.key, LAYOUT["D1"]))
    said = board.said()
    assert [(each["type"], each["payload"]) for each in said] == [
        ("THROW_CORRECTED", {"throwIndex": 1}),
        ("DELETE_THROW", {"throwIndex": 0}),
        ("THROW_CORRECTED", {"throwIndex": 1}),
    ]
    assert board.tell("ACKNOWLEDGED", replyTo=said[0]["id"]) == []


def test_no_dart_of_another_round_is_corrected() -> None:
    board = Board()
    unknown = board.throw("T20")
    board.host.send(Correct(unknown.key, LAYOUT["T5"]))  # which of the round it is was not heard
    board.say(FINISHED)
    before = board.throw("T20")
    board.tell("TAKEOUT_FINISHED", falseTakeout=False)
    fresh = board.throw("S1")
    board.host.send(Correct(before.key, LAYOUT["T5"]))
    board.host.send(Correct("another", None))
    *_, fourth = [board.throw("S1") for _ in range(3)]
    board.host.send(Correct(fourth.key, None))
    assert board.corrected() == []
    board.host.send(Correct(fresh.key, None))
    assert len(board.corrected()) == 1
    board.tell("SBC_STATUS_CHANGED", boardStatus="Calibrating")
    board.host.send(Correct(fourth.key, None))
    assert board.corrected() == []


def test_a_correction_before_the_first_takeout_is_said_not_to_be_told() -> None:
    board = Board()
    board.say(HELLO)
    dart = board.throw("T20")
    for segment in (LAYOUT["T5"], None):
        board.host.send(Correct(dart.key, segment))
    asked = board.said()
    assert {each["type"] for each in asked} == {"GET_SBC_STATUS"}, "whose answer comes at once"
    (event,) = board.tell("SBC_STATUS", replyTo=asked[0]["id"], boardStatus="Ready", boardPhase="Throw")
    assert isinstance(event, Complaint)
    assert "was not told of this correction" in str(event.said)
    board.host.send(Correct(dart.key, None))
    assert [type(each) for each in board.wait_until(10)] == [Complaint], "also where no answer comes"
    board.say(FINISHED)
    board.host.send(Correct(dart.key, None))
    assert board.said()[-1]["type"] == "GET_SBC_STATUS"
    assert board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Throw") == [], "that dart is pulled"


def test_a_correction_that_is_refused_is_told_once_and_not_repeated() -> None:
    board = Board()
    board.say(FINISHED)
    dart = board.throw("T20")
    board.host.send(Correct(dart.key, None))
    (asked,) = board.said()
    (event,) = board.refuse(asked["id"], "No \x1b[31m" + "x" * 100)
    assert isinstance(event, Complaint)
    assert str(event.said).isprintable()
    assert "No ?[31mxxx" in str(event.said)
    assert len(str(event.said)) < 200
    assert board.refuse(asked["id"]) == []
    assert board.refuse("11111111-2222-4333-8444-555555555555") == []
    assert board.said() == []
    board.host.send(Correct(board.throw("T20").key, None))
    assert board.corrected() == []  # the board counts otherwise than we do


@pytest.mark.parametrize(("remedy", "kind"), [("reset", "RESET_PHASE"), ("start", "RECALIBRATE")])
def test_what_a_person_asks_for_may_be_refused(remedy: Any, kind: str) -> None:
    board = Board()
    board.host.send(Mend(remedy))
    (asked,) = board.said()
    assert asked["type"] == kind
    (event,) = board.refuse(asked["id"], None)
    assert isinstance(event, Complaint)
    assert "try again when the board is ready" in str(event.said)


def test_every_message_has_an_id_of_its_own() -> None:
    ids: list[str] = []
    for start in (0, 5, 1_000_000 * SECOND):
        host = Host(shipped("scolia"))
        host.on_open(start)
        for _ in range(50):
            host.send(Mend("reset"))
        ids += [decode_wanted(packet).say["id"] for packet in host.packets()]
    assert len(set(ids)) == len(ids)
    assert {UUID(each).version for each in ids} == {4}
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", i) for i in ids)


def test_a_connection_without_greeting_is_none() -> None:
    board = Board()
    assert board.wait_until(9.9) == []
    (event,) = board.wait_until(10)
    assert isinstance(event, Unanswered)
    assert event.retry_s == 0


def test_a_connection_that_is_dead_is_noticed() -> None:
    board = Board()
    board.say(HELLO)
    assert board.wait_until(10) == []
    assert [each["type"] for each in board.said()] == ["GET_SBC_STATUS"]
    board.wait_until(12)
    assert board.tell("SBC_STATUS", boardStatus="Ready", boardPhase="Throw") == []
    assert board.wait_until(26.9) == []
    (event,) = board.wait_until(27)
    assert isinstance(event, Unanswered)


@pytest.mark.parametrize(
    ("code", "retry_s", "word"),
    [
        (4000, 0, "internet"),
        (4100, 3600, "serial number"),
        (4101, 60, "another program is connected"),
        (4102, 3600, "board_token_file"),
        (4103, 3600, "suspended"),
        (4104, None, "taken over"),
    ],
)
def test_the_codes_of_the_end_are_sentences(code: int, retry_s: float | None, word: str) -> None:
    host = Host(shipped("scolia"))
    (event,) = host.feed(encode_packet(Received(SOURCE, socket="closed", code=code)), 5)
    assert isinstance(event, Unanswered)
    assert event.retry_s == retry_s
    assert word in str(event.said)


@pytest.mark.parametrize("code", [None, 1000, 1006, 4999])
def test_another_end_is_for_the_link_to_explain(code: int | None) -> None:
    host = Host(shipped("scolia"))
    assert host.feed(encode_packet(Received(SOURCE, socket="closed", code=code)), 5) == []
    assert host.feed(encode_packet(Received(SOURCE, socket="open")), 5) == []


def test_nothing_grows() -> None:
    board = Board()
    board.say(FINISHED)

    def play(darts: int) -> None:
        for _ in range(darts):
            board.throw("T20")
            board.host.send(Mend("reset"))
            board.said()

    play(300)
    tracemalloc.start()
    try:
        play(1000)
        assert tracemalloc.get_traced_memory()[0] < 32_000
    finally:
        tracemalloc.stop()


NEWS = st.sampled_from(["T20", "s1", "None", "end", "false"])


@given(st.lists(st.tuples(NEWS, st.integers(0, 3), st.booleans()), max_size=30))
def test_repeated_and_lost_frames_give_each_dart_at_most_once(frames: list[tuple[str, int, bool]]) -> None:
    """Each message comes so many times (0: it is lost); where it says so the connection is made anew before it."""
    board, keys, expected = Board(), list[str](), list[str]()
    for number, (what, times, is_new) in enumerate(frames):
        if is_new:
            board.host = Host(shipped("scolia"))
            board.host.on_open(board.now)
        name = f"aaaaaaaa-0000-4000-8000-{number:012}"
        message = {"type": "THROW_DETECTED", "id": name, "payload": {"sector": what}}
        if what in ("end", "false"):
            message |= {"type": "TAKEOUT_FINISHED", "payload": {"falseTakeout": what == "false"}}
        elif times:
            expected.append(name)
        for _ in range(times):
            keys += [each.key for each in board.say(message) if isinstance(each, Hit)]
    assert keys == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["THROW_DETECTED", "TAKEOUT_FINISHED", "TAKEOUT_STARTED", "SBC_STATUS", "HELLO_CLIENT", "ACKNOWLEDGED", "REFUSED"]
)
FIELDS = st.sampled_from(
    ["sector", "coordinates", "bounceout", "sectorSuggestions", "falseTakeout", "boardStatus", "boardPhase", "replyTo"]
)


@given(st.lists(st.tuples(KINDS, JSON | st.dictionaries(FIELDS, JSON)), max_size=8))
def test_wrong_types_raise_nothing(messages: list[tuple[str, Any]]) -> None:
    board = Board()
    board.host.send(Mend("reset"))
    for number, (kind, payload) in enumerate(messages):
        message = {"type": kind, "id": str(number), "payload": payload}
        for event in board.host.feed(msgspec.json.encode({"from": SOURCE, "json": message}), number):
            assert not isinstance(event, Hit) or payload["sector"]
