"""The Autodarts Board Manager, frame by frame: recordings of a real board, and what two programs know of it."""

from __future__ import annotations

import json

import pytest

from protocol.codebook import shipped
from protocol.events import Amended, Correct, Found, Hit, Mend
from protocol.web_frames import Received
from tests.protocol.dialogues.autodarts_states import (
    BOUNCER,
    D16,
    FINISHED,
    JSON,
    NEAR_MISS,
    RECORDED_DART,
    RECORDED_EMPTY,
    S5,
    STARTED,
    STATE,
    STATS,
    T20,
    dart,
    frame,
    opened,
    state,
)
from tests.protocol.dialogues.talking import SECOND, Talk, key_of, tell


class TestDarts:
    def test_the_recorded_dart(self) -> None:
        assert opened().live(RECORDED_DART, RECORDED_DART) == ["T1 at 325,980"]

    def test_an_evening_at_the_board(self) -> None:
        talk = opened()
        assert talk.live(frame(T20), frame(T20, S5)) == ["T20 at 17,1020", "O5 at -340,1190"]
        assert talk.live(frame(T20, S5, D16, status="Takeout")) == ["D16 at -1020,-1190"], "that is no takeout"
        started = frame(T20, S5, D16, event="Takeout started", status="Takeout in progress")
        assert talk.live(started, started) == ["takeout started"]
        assert talk.live(FINISHED, FINISHED) == ["takeout finished"]
        assert talk.live(frame(S5)) == ["O5 at -340,1190"]

    @pytest.mark.parametrize(
        ("said", "word"),
        [
            (dart("Bull", 0.01, 0.01), "DB at 17,17"),
            (dart("25", 0.06, 0.0), "SB at 102,0"),
            (NEAR_MISS, "MISS at 1666,-697"),
            (BOUNCER, "MISS"),
            (BOUNCER | {"coords": None}, "MISS"),
            (BOUNCER | {"coords": {"x": 0.5, "y": 0}}, "MISS at 850,0"),
            ({"segment": {"number": 50, "bed": "InnerBull", "multiplier": 1}}, "DB"),
            ({"segment": {"number": 25, "bed": "OuterBull", "multiplier": 1}}, "SB"),
            ({"segment": {"number": 50, "bed": "Double", "multiplier": 2}}, "DB"),
            ({"segment": {"number": 25, "multiplier": 2, "name": "50"}}, "DB"),
            ({"segment": {"number": 20, "multiplier": 3}}, "T20"),
            ({"segment": {"number": 20, "bed": "Triple"}}, "T20"),
            ({"segment": {"number": "20", "bed": "Single", "multiplier": "1"}}, "S20"),
            ({"segment": {"number": 20, "bed": "Triple", "multiplier": 1}}, "unread"),
            ({"segment": {"number": 20, "bed": "Outside", "multiplier": 1}}, "unread"),
            ({"segment": {"number": 20, "bed": "Middle", "multiplier": 1}}, "unread"),
            ({"segment": {"number": 20, "bed": ["Triple"], "multiplier": 3}}, "unread"),
            ({"segment": {"number": 21, "bed": "Triple", "multiplier": 3}}, "unread"),
            ({"segment": {"number": 25, "bed": "Triple", "multiplier": 3}}, "unread"),
            ({"segment": {"number": 20.5, "bed": "Triple", "multiplier": 3}}, "unread"),
            ({"segment": "T20"}, "unread"),
            ({}, "unread"),
            (T20 | {"coords": {"x": "inf", "y": 0}}, "T20"),
            (T20 | {"coords": {"x": 5.9, "y": 0}}, "T20"),
            (T20 | {"coords": [0, 0]}, "T20"),
        ],
        ids=str,
    )
    def test_what_a_dart_says_of_itself(self, said: JSON, word: str) -> None:
        assert opened().live(frame(said)) == [word]

    def test_a_dart_that_cannot_be_read_takes_its_place(self) -> None:
        talk = opened()
        (unread,) = talk.hear(Received(talk.socket, json=frame({"segment": None})))
        assert tell(unread) == "unread"
        assert talk.live(frame({"segment": None}, S5)) == ["O5 at -340,1190"]
        assert talk.live(frame(T20, S5)) == [f"{key_of(unread)} is T20 at 17,1020"]
        assert talk.live(frame({"segment": None}, S5)) == []

    def test_the_first_frame_of_a_dart_may_carry_the_event_before(self) -> None:
        assert opened().live(frame(T20, event="Takeout finished")) == ["T20 at 17,1020"]

    @pytest.mark.parametrize(
        "said",
        [
            frame(T20, numThrows=2),
            frame(T20, numThrows=0),
            frame(numThrows=1),
            frame(T20, numThrows="one"),
            frame(T20, S5, D16, T20),
            frame(T20, throws={"0": T20}),
            frame(T20, running="yes"),
            {"type": "state", "data": {"running": True}},
            {"type": "state"},
            {"data": state(T20)},
            [T20],
            None,
        ],
        ids=repr,
    )
    def test_a_snapshot_that_contradicts_itself_is_garbage(self, said: object) -> None:
        talk = opened(frame(T20))
        assert talk.live(said) == ["garbage"]
        assert talk.live(frame(T20, S5)) == ["O5 at -340,1190"]

    @pytest.mark.parametrize("said", [state(T20) | {"numThrows": "1"}, {"running": True, "throws": [T20]}])
    def test_absent_keys_and_text_for_numbers(self, said: JSON) -> None:
        assert opened().live({"type": "state", "data": said}) == ["T20 at 17,1020"]

    def test_throws_may_be_null(self) -> None:
        assert opened(frame(T20)).live(frame(throws=None, event="Takeout finished")) == ["takeout finished"]

    def test_unknown_frames_are_passed_over(self) -> None:
        """One of them may hold a token."""
        assert opened().live({"type": "auth", "data": {"token": "secret"}}, {"type": "cam_stats"}, STATS) == []

    def test_garbage_keeps_nothing_of_what_came(self) -> None:
        talk = opened()
        (garbage,) = talk.hear(Received(talk.socket, json={"token": "secret"}))
        assert b"secret" not in garbage.raw


class TestCorrections:
    def test_another_bed_at_the_same_index(self) -> None:
        talk = opened()
        (hit, other) = talk.hear(Received(talk.socket, json=frame(T20, S5)))
        assert talk.live(frame(dart("O20", 0.01, 0.6), S5)) == [f"{key_of(hit)} is O20 at 17,1020"]
        assert talk.live(frame(dart("O20", 0.01, 0.6), dart("I5", -0.2, 0.7))) == [
            f"{key_of(other)} is I5 at -340,1190"
        ]

    def test_a_dart_that_stands_still_trembles(self) -> None:
        talk = opened(frame(T20))
        assert talk.live(frame(dart("T20", 0.029, 0.6)), frame(dart("T20", -0.009, 0.6)), frame(T20)) == []
        (moved,) = talk.hear(Received(talk.socket, json=frame(dart("T20", 0.05, 0.6))))
        assert isinstance(moved, Amended)
        assert (moved.segment.id, moved.point) == ("T20", (85, 1020))

    def test_a_point_that_is_gone_or_comes_later(self) -> None:
        talk = opened(frame(T20 | {"coords": None}))
        (amended,) = talk.hear(Received(talk.socket, json=frame(T20)))
        assert tell(amended).endswith(" is T20 at 17,1020")
        assert talk.live(frame(T20 | {"coords": None})) == []

    def test_darts_of_one_bed_that_are_close(self) -> None:
        near, nearer = dart("T20", 0.02, 0.6), dart("T20", 0.055, 0.6)
        talk = opened()
        (first, _) = talk.hear(Received(talk.socket, json=frame(T20, near)))
        assert talk.live(frame(dart("T1", 0.01, 0.6), near)) == [f"{key_of(first)} is T1 at 17,1020"]
        talk = opened()
        (first, _) = talk.hear(Received(talk.socket, json=frame(T20, nearer)))
        assert talk.live(frame(dart("T20", 0.038, 0.6), nearer)) == [f"{key_of(first)} is T20 at 65,1020"]

    def test_a_correction_has_the_key_of_the_dart(self) -> None:
        talk = opened()
        (hit,) = talk.hear(Received(talk.socket, json=frame(T20)))
        (amended,) = talk.hear(Received(talk.socket, json=frame(dart("D20", 0.01, 0.99))))
        assert key_of(hit) == key_of(amended)

    def test_a_persons_correction_is_not_told(self) -> None:
        talk = opened(frame(T20))
        talk.send(Correct("1-0", shipped("autodarts").layout["T20"]))
        assert talk.take() == []


class TestTheEndOfAVisit:
    def test_darts_pulled_one_by_one(self) -> None:
        talk = opened(frame(T20, S5, D16, status="Takeout"))
        assert talk.live(
            frame(T20, S5, D16, status="Takeout in progress"),
            frame(S5, D16, status="Takeout in progress"),
            frame(D16, status="Takeout in progress"),
            frame(D16, status="Takeout in progress"),
            FINISHED,
        ) == ["takeout started", "takeout finished"]

    def test_one_dart_is_pulled_and_another_thrown(self) -> None:
        talk = opened(frame(T20, S5))
        assert talk.live(frame(S5), frame(S5, D16)) == ["D16 at -1020,-1190"]
        assert talk.live(frame(S5, dart("D8", -0.6, -0.7)))[0].endswith("-2 is D8 at -1020,-1190")

    def test_a_dart_that_is_lost_from_the_picture_for_a_moment(self) -> None:
        talk = opened(frame(T20, S5, D16))
        assert talk.live(frame(T20, D16), frame(T20, S5, D16), frame(S5), frame(T20, S5, D16)) == []
        assert talk.live(frame(S5), frame(S5, D16), frame(T20, S5, D16)) == [], "one after another"
        assert talk.live(frame(T20), frame(T20, dart("O1", 0.2, 0.7))) == ["O1 at 340,1190"]

    def test_a_dart_that_moves_while_another_is_pulled(self) -> None:
        moved = dart("O5", -0.25, 0.7)
        talk = opened()
        (_, other) = talk.hear(Received(talk.socket, json=frame(T20, S5)))
        assert talk.live(frame(moved)) == [], "fewer darts say nothing"
        assert talk.live(frame(moved, D16)) == [f"{key_of(other)} is O5 at -425,1190", "D16 at -1020,-1190"]

    def test_one_that_comes_back_keeps_its_key(self) -> None:
        talk = opened()
        (first, *_) = talk.hear(Received(talk.socket, json=frame(T20, S5)))
        talk.live(frame(S5), frame(T20, S5))
        assert talk.live(frame(dart("T1", 0.01, 0.6), S5)) == [f"{key_of(first)} is T1 at 17,1020"]

    @pytest.mark.parametrize("thrown", [(T20,), (T20, S5)])
    def test_a_takeout_after_one_or_two_darts(self, thrown: tuple[JSON, ...]) -> None:
        assert opened(frame(*thrown)).live(FINISHED) == ["takeout finished"]

    def test_a_takeout_of_an_empty_board(self) -> None:
        started = frame(event="Takeout started", status="Takeout in progress")
        assert opened().live(started, FINISHED, started, FINISHED) == []

    @pytest.mark.parametrize("status", ["Throw", "Takeout"])
    def test_a_false_takeout(self, status: str) -> None:
        talk = opened(frame(T20, S5))
        assert talk.live(STARTED, frame(T20, S5, status=status), frame(T20, S5, status=status)) == [
            "takeout started",
            "takeout false",
        ]
        assert talk.live(frame(T20, S5, D16)) == ["D16 at -1020,-1190"]

    def test_a_dart_follows_a_takeout_of_one_of_two(self) -> None:
        talk = opened(frame(T20, S5), STARTED)
        assert talk.live(frame(S5), frame(S5, D16)) == ["takeout false", "D16 at -1020,-1190"]
        talk = opened(frame(T20, S5, D16), frame(T20, S5, D16, status="Takeout in progress"))
        assert talk.live(frame(D16), frame(D16, T20)) == []
        assert talk.live(frame(D16), frame(D16, dart("T5"))) == ["takeout false", "T5 at 170,340"]

    @pytest.mark.parametrize("event", ["Manual reset", "Started"])
    def test_the_board_has_forgotten_its_darts(self, event: str) -> None:
        assert opened(frame(T20)).live(frame(event=event), frame(event=event)) == ["cleared"]
        assert opened().live(frame(event=event)) == []

    def test_a_reset_of_ours_is_no_question(self) -> None:
        talk = opened(frame(T20))
        talk.send(Mend("reset"))
        assert talk.take() == ["POST /api/reset"]
        assert talk.answer("POST /api/reset", text="") == []
        assert talk.live(frame(event="Manual reset"), frame(S5), frame(event="Manual reset")) == [
            "O5 at -340,1190",
            "cleared",
        ]

    def test_a_takeout_right_after_a_reset_of_ours(self) -> None:
        talk = opened(frame(T20))
        talk.send(Mend("reset"))
        assert talk.live(FINISHED) == ["takeout finished"]

    def test_a_reset_of_ours_that_failed_or_was_long_ago(self) -> None:
        talk = opened(frame(T20))
        talk.send(Mend("reset"))
        assert talk.answer("POST /api/reset", status=500) == ["camera.not_reset"]
        assert talk.live(frame(event="Manual reset"), frame(T20)) == ["cleared", "T20 at 17,1020"]
        talk.send(Mend("reset"))
        for _ in range(11):
            talk.wait(1)
            talk.live(STATS)
        assert talk.live(frame(event="Manual reset")) == ["cleared"]

    def test_darts_that_went_while_detection_was_off(self) -> None:
        talk = opened(frame(T20))
        assert talk.live(frame(T20, event="Stopped", status="Stopped", running=False)) == ["camera.stopped start"]
        assert talk.live(frame(event="Throw detected")) == ["cleared", "ready"]

    def test_darts_that_stayed_while_detection_was_off(self) -> None:
        talk = opened(frame(T20))
        talk.live(frame(event="Stopped", status="Stopped", running=False))
        assert talk.live(frame(T20)) == ["ready"]
        assert talk.live(FINISHED) == ["takeout finished"]


class TestTheFirstSnapshot:
    def test_darts_that_were_there_before(self) -> None:
        talk = Talk("autodarts", now=SECOND)
        events = talk.hear(Received(STATE, status=200, json=state(T20, BOUNCER)))
        assert [tell(event) for event in events] == ["found T20 at 17,1020 MISS inexact", "ready"]
        assert talk.live(frame(T20, BOUNCER, S5)) == [], "it may be older than that answer"
        assert talk.answer(STATE, json=state(T20, BOUNCER, S5)) == ["O5 at -340,1190"]
        assert talk.live(frame(event="Takeout finished")) == ["takeout finished"]

    def test_a_frame_is_as_good_as_an_answer(self) -> None:
        talk = Talk("autodarts", now=SECOND)
        assert talk.live(frame(T20)) == ["found T20 at 17,1020 inexact", "ready"]
        assert talk.answer(STATE, json=RECORDED_EMPTY) == [], "asked for before that frame"

    def test_detection_is_off_at_first(self) -> None:
        """The darts that it shows then may have been there for hours."""
        talk = Talk("autodarts", now=SECOND)
        assert talk.answer(STATE, json=state(T20, running=False, status="Stopped")) == ["camera.stopped start"]
        assert talk.live(frame(event="Started")) == []
        assert talk.answer(STATE, json=state(event="Started")) == ["found inexact", "ready"]

    def test_after_a_gap_darts_are_found(self) -> None:
        talk = opened()
        (hit,) = talk.hear(Received(talk.socket, json=frame(T20)))
        talk.wait(6)
        (found,) = talk.hear(Received(talk.socket, json=frame(T20, S5)))
        assert isinstance(found, Found)
        assert [tell(each) for each in found.darts] == ["T20 at 17,1020", "O5 at -340,1190"]
        assert key_of(found.darts[0]) == key_of(hit), "it is the same connection"

    def test_a_gap_in_a_takeout(self) -> None:
        talk = opened(frame(T20))
        talk.wait(6)
        assert talk.live(FINISHED, frame(T20)) == ["found inexact", "T20 at 17,1020"]

    def test_a_dart_is_lost_from_the_picture_at_the_end_of_a_gap(self) -> None:
        talk = opened(frame(T20, S5))
        talk.wait(6)
        assert talk.live(frame(S5), frame(T20, S5)) == ["found O5 at -340,1190 inexact"]

    def test_there_is_no_gap_while_anything_comes(self) -> None:
        talk = opened(frame(T20))
        for _ in range(60):
            talk.wait(1)
            talk.live(STATS)
        assert talk.live(frame(T20, S5)) == ["O5 at -340,1190"]

    def test_keys_differ_by_visit_and_connection(self) -> None:
        keys = list[str]()
        for now in (SECOND, 60 * SECOND):
            talk = Talk("autodarts", now=now)
            talk.live(frame())
            for _ in range(3):  # all at the same moment
                events = talk.hear(Received(talk.socket, json=frame(T20, S5, D16)))
                keys += [key_of(event) for event in events if isinstance(event, Hit)]
                talk.live(FINISHED)
        assert len(set(keys)) == len(keys) == 18


def test_nothing_with_a_secret_is_asked_for() -> None:
    """The configuration holds the key of the board, and so does what version 2 says of its system."""
    web = shipped("autodarts").profile.web
    assert web is not None
    assert not {"/api/config", "/api/system"} & {web.socket, *web.paths.values()}


def test_a_long_evening_fills_nothing() -> None:
    talk = opened()
    for _ in range(300):
        talk.now += SECOND
        talk.live(frame(T20), frame(T20, S5), frame(S5), frame(S5, D16), STARTED, FINISHED)
        talk.send(Mend("start"))
    board = vars(talk.host._side._board)  # type: ignore[attr-defined]  # noqa: SLF001
    held = [vars(talk.host._side), board]  # noqa: SLF001
    assert max(len(each) for values in held for each in values.values() if hasattr(each, "__len__")) <= 16
    assert len(json.dumps(board["_visit_ns"])) < 64
