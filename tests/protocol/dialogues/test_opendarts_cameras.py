"""opendarts, message by message, as its own documents describe them."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.codebook import shipped
from protocol.events import MOST_KEY, Correct, Hit, Mend, Unread
from protocol.web_frames import Received
from tests.protocol.dialogues.talking import Talk, key_of, tell

VISIT = "visit_1795000000123"
NEXT = "visit_1795000055555"
RECENT = "GET /api/live/recent?limit=12"
LAYOUT = shipped("opendarts-cameras").layout
JSON = dict[str, Any]  # Any: JSON

T20 = {
    "label": "T20",
    "sector": 20,
    "ring": "treble",
    "value": 60,
    "captured_at_utc": "2026-11-28T10:00:01.100000+00:00",
}
S5 = {
    "label": "S5",
    "sector": 5,
    "ring": "single_outer",
    "value": 5,
    "captured_at_utc": "2026-11-28T10:00:04.400000+00:00",
}
D16 = {"label": "D16", "sector": 16, "ring": "double", "value": 32}
FAILED = {"label": "failed to score", "sector": 0, "ring": "", "value": 0}
WORKED_EXAMPLE = {
    "type": "state",
    "event": "throw_detected",
    "running": True,
    "status": "throw",
    "visit": VISIT,
    "n_darts": 2,
    "darts": [T20, S5],
    "at": "2026-11-28T10:00:04.700000+00:00",
}


def state(*darts: JSON, event: str = "throw_detected", visit: str | None = VISIT, **other: Any) -> JSON:
    """A snapshot."""
    said = {"type": "state", "event": event, "running": True, "status": "throw", "visit": visit}
    return said | {"n_darts": len(darts), "darts": list(darts), "at": "2026-11-28T10:00:04.7+00:00"} | other


def thrown(index: int, ring: str, sector: object, at: object, visit: str = VISIT, **other: Any) -> JSON:
    """A THROW_DETECTED."""
    said = {"type": "THROW_DETECTED", "visit_id": visit, "visit_index": index, "sector": sector, "ring": ring}
    return said | {"ok": True, "board_xy_mm": at, "session": "s", "throw_id": "t"} | other


def opened(*messages: JSON) -> Talk:
    """A connection to a board without darts, after these messages."""
    talk = Talk("opendarts-cameras")
    assert talk.live(state(event="hello", visit=None)) == ["found", "ready"]
    assert talk.take() == [RECENT]
    assert talk.answer(RECENT, json={"visits": [], "count": 0, "limit": 12, "buffer_max": 12}) == []
    talk.live(*messages)
    return talk


class TestDarts:
    def test_the_worked_example(self) -> None:
        talk = opened(state(T20))
        assert talk.live(thrown(1, "single_outer", 5, [-30.0, 121.4])) == [], "no dart by itself"
        heard = talk.hear(Received(talk.socket, json=WORKED_EXAMPLE))
        assert [tell(event) for event in heard] == ["O5 at -300,1214"]
        assert key_of(heard[0]) == f"{VISIT}/1"
        assert talk.live(WORKED_EXAMPLE, WORKED_EXAMPLE) == [], "once"

    def test_a_point_of_the_projects_own_test_with_its_sector_as_text(self) -> None:
        assert opened().live(thrown(0, "treble", "20", [3.5, 101.2]), state(T20)) == ["T20 at 35,1012"]

    @pytest.mark.parametrize(
        "detected",
        [
            thrown(0, "treble", 20, [3.5, 101.2], ok=False),
            thrown(0, "treble", 20, [3.5]),
            thrown(0, "treble", 20, "3.5, 101.2"),
            thrown(0, "treble", 20, None),
            thrown(0, "treble", 20, ["inf", 101.2]),
            thrown(0, "treble", 20, ["nan", 101.2]),
            thrown(0, "treble", 20, [1000.1, 0]),
            thrown(0, "treble", 20, [True, 0]),
            thrown(0, "treble", 20, [3.5, 101.2], visit=NEXT),
            thrown(1, "treble", 20, [3.5, 101.2]),
            thrown(0, "single_outer", 20, [3.5, 101.2]),
            thrown(0, "treble", 1, [3.5, 101.2]),
            {"type": "THROW_DETECTED"},
        ],
        ids=str,
    )
    def test_a_dart_has_no_point_of_another_dart_or_of_none(self, detected: JSON) -> None:
        assert opened().live(detected, state(T20)) == ["T20"]

    def test_a_dart_that_could_not_be_read_has_its_point_all_the_same(self) -> None:
        detected = thrown(0, "", 0, [-20.5, 103.0], ok=False)
        assert opened().live(detected, state(FAILED)) == ["unread at -205,1030"]
        for of_another in (thrown(0, "treble", 20, [3.5, 101.2]), thrown(1, "", 0, [-20.5, 103.0], ok=False)):
            assert opened().live(of_another, state(FAILED)) == ["unread"]

    def test_what_is_far_off_but_within_a_metre(self) -> None:
        miss = {"label": "MISS", "sector": 0, "ring": "miss", "value": 0}
        assert opened().live(thrown(0, "miss", 0, [-1000.0, 12]), state(miss)) == ["MISS at -10000,120"]

    @pytest.mark.parametrize(
        ("dart", "word"),
        [
            (T20, "T20"),
            (D16, "D16"),
            ({"label": "S5", "sector": 5, "ring": "single_inner", "value": 5}, "I5"),
            ({"label": "BULL", "sector": 25, "ring": "bull", "value": 50}, "DB"),
            ({"label": "25", "sector": 25, "ring": "outer_bull", "value": 25}, "SB"),
            ({"label": "MISS", "sector": 0, "ring": "miss", "value": 0}, "MISS"),
            (S5 | {"sector": "5", "value": "5"}, "O5"),
            ({"sector": 5, "ring": "single_outer"}, "O5"),
            (S5 | {"label": "outer single"}, "O5"),
            (FAILED, "unread"),
            (T20 | {"label": "failed to score"}, "unread"),
            (T20 | {"ring": ""}, "unread"),
            (T20 | {"value": 20}, "unread"),
            (T20 | {"label": "T19"}, "unread"),
            (T20 | {"label": "BULL"}, "unread"),
            (T20 | {"sector": 21, "value": 63}, "unread"),
            (T20 | {"sector": 25}, "unread"),
            ({"label": "MISS", "sector": 20, "ring": "miss", "value": 0}, "unread"),
            ({"label": "BULL", "sector": 20, "ring": "bull", "value": 40}, "unread"),
            (T20 | {"ring": ["treble"]}, "unread"),
            (T20 | {"sector": None}, "unread"),
            ({}, "unread"),
        ],
        ids=str,
    )
    def test_what_a_dart_says_of_itself(self, dart: JSON, word: str) -> None:
        """One that contradicts itself takes its place in the visit all the same."""
        assert opened().live(state(dart), state(dart, D16)) == [word, "D16"]

    def test_a_dart_that_is_none(self) -> None:
        said = state(T20)
        said["darts"] = ["T20"]
        assert opened().live(said) == ["unread"]

    def test_darts_of_a_lost_message(self) -> None:
        assert opened().live(thrown(1, "double", 16, [1, 2]), state(T20, D16, FAILED)) == [
            "T20",
            "D16 at 10,20",
            "unread",
        ]

    @pytest.mark.parametrize(
        "said",
        [
            None,
            [],
            "state",
            state(T20, n_darts=2),
            state(T20, n_darts="one"),
            state(T20, T20, T20, T20),
            state(T20, visit=None),
            state(T20) | {"visit": 1795000000123},
            state(T20) | {"visit": ""},
            state(T20) | {"visit": "visit\x1b[2J"},
            state(T20) | {"visit": "v" * (MOST_KEY - 1)},
            state(T20) | {"darts": {"0": T20}},
        ],
        ids=repr,
    )
    def test_a_snapshot_that_contradicts_itself_is_garbage(self, said: object) -> None:
        talk = opened()
        assert talk.live(said) == ["garbage"]
        assert talk.live(state(T20)) == ["T20"]

    @pytest.mark.parametrize(
        "said",
        [state(T20) | {"n_darts": "1"}, {"type": "state", "visit": VISIT, "darts": [T20]}, state(T20, n_darts=1.0)],
    )
    def test_absent_keys_and_text_for_numbers(self, said: JSON) -> None:
        assert opened().live(said) == ["T20"]

    def test_other_messages_are_passed_over(self) -> None:
        assert opened().live({"type": "BOARD_PHOTO", "version": 3}, {}, {"type": ["state"]}) == []

    def test_the_longest_id_of_a_visit(self) -> None:
        (hit,) = opened().hear(Received("/api/live", json=state(T20, visit="v" * (MOST_KEY - 2))))
        assert len(key_of(hit)) == MOST_KEY


class TestCorrectionsOfTheBoard:
    def test_a_correction(self) -> None:
        talk = opened(state(FAILED), state(FAILED, T20))
        assert talk.live(state(S5 | {"corrected": True}, T20, event="throw_corrected")) == [f"{VISIT}/0 is O5"]
        assert talk.live(state(S5, D16)) == [f"{VISIT}/1 is D16"], "whatever it says of itself: it is the truth"
        assert talk.live(state(S5, FAILED)) == [], "a dart that was read stays what it was"


class TestTheEndOfAVisit:
    @pytest.mark.parametrize(
        "end",
        [
            state(event="visit_complete", visit=None),
            state(event="visit_complete", visit=NEXT),
            state(T20, D16, event="visit_complete"),
            state(T20, D16, event="visit_complete", status="takeout"),
        ],
        ids=["no visit", "the next visit", "the visit", "the visit, in takeout"],
    )
    def test_a_takeout(self, end: JSON) -> None:
        talk = opened(state(T20, D16))
        started = state(T20, D16, event="takeout_started", status="takeout")
        assert talk.live(started, started) == ["takeout started"]
        assert talk.live(end, end, state(event="", visit=None)) == ["takeout finished"]
        assert talk.live(state(S5, visit=NEXT)) == ["O5"]

    def test_the_last_dart_comes_with_the_end(self) -> None:
        assert opened(state(T20)).live(state(T20, D16, event="visit_complete")) == ["D16", "takeout finished"]

    def test_an_end_shows_the_first_dart_of_the_next(self) -> None:
        assert opened(state(T20)).live(state(S5, event="visit_complete", visit=NEXT)) == ["takeout finished", "O5"]

    def test_a_visit_of_which_nothing_but_its_end_came(self) -> None:
        end = state(T20, D16, event="visit_complete")
        assert opened().live(end, end) == ["T20", "D16", "takeout finished"]

    def test_a_takeout_of_an_empty_board(self) -> None:
        started = state(event="takeout_started", visit=None, status="takeout")
        assert opened().live(started, state(event="visit_complete", visit=None)) == []

    def test_a_false_takeout(self) -> None:
        talk = opened(state(T20))
        talk.live(state(T20, event="takeout_started", status="takeout"))
        assert talk.live(state(T20, event="")) == ["takeout false"]
        assert talk.live(state(T20, D16)) == ["D16"]

    def test_a_reset_by_hand(self) -> None:
        reset = state(event="manual_reset", visit=None)
        assert opened(state(T20)).live(reset, reset) == ["cleared"]
        assert opened().live(reset) == []

    def test_a_visit_that_is_over_says_nothing_more(self) -> None:
        talk = opened(state(T20), state(T20, event="visit_complete"))
        assert talk.live(state(T20, D16), state(S5)) == []
        assert talk.live(state(S5, visit=NEXT), state(T20, D16)) == ["O5"]
        assert talk.live(state(S5, D16, visit=NEXT)) == ["D16"]

    def test_a_dart_of_the_next_visit_ends_one_without_a_word(self) -> None:
        assert opened(state(T20)).live(state(S5, visit=NEXT)) == ["takeout finished", "O5"]

    @pytest.mark.parametrize(
        ("visits", "heard"),
        [
            ([{"visit": VISIT, "n_darts": 1, "darts": [T20], "reason": "takeout"}], ["takeout finished"]),
            ([{"visit": VISIT, "n_darts": 1, "darts": [T20], "reason": "reset"}], ["cleared"]),
            ([], ["cleared"]),
            ("nonsense", ["cleared"]),
        ],
    )
    def test_one_that_is_gone_without_a_word_is_looked_up(self, visits: object, heard: list[str]) -> None:
        talk = opened(state(T20))
        gone = state(event="", visit=None)
        assert talk.live(gone, gone) == []
        assert talk.take() == [RECENT]
        assert talk.answer(RECENT, json={"visits": visits}) == heard
        assert talk.live(gone, state(event="visit_complete", visit=None)) == []

    def test_the_first_answer_says_nothing_of_one_that_is_gone_since(self) -> None:
        talk = Talk("opendarts-cameras")
        talk.live(state(T20, event="hello"), state(event="", visit=None))
        assert talk.take() == [RECENT]
        assert talk.answer(RECENT, json={"visits": []}) == []
        assert talk.take() == [RECENT]
        assert talk.answer(RECENT, json={"visits": [{"visit": VISIT, "darts": [T20]}]}) == ["takeout finished"]

    def test_one_that_is_gone_while_the_board_is_stopped_is_not_over(self) -> None:
        talk = opened(state(T20))
        assert talk.live(state(event="stopped", visit=None, running=False, status="stopped")) == [
            "camera.stopped start"
        ]
        assert talk.take() == []
        assert talk.live(state(T20, event="started")) == ["ready"]


class TestTheFirstSnapshot:
    def test_darts_that_were_there_before(self) -> None:
        talk = Talk("opendarts-cameras")
        assert talk.take() == []
        assert talk.live(thrown(0, "treble", 20, [3.5, 101.2]), state(T20, FAILED, event="hello")) == [
            "found T20 at 35,1012 unread",
            "ready",
        ]
        assert talk.live(state(T20, FAILED, event="hello"), state(T20, FAILED, D16)) == ["D16"]

    def test_the_visits_before_fill_the_gap(self) -> None:
        talk = Talk("opendarts-cameras")
        talk.live(state(T20, event="hello"))
        visits = [
            {"visit": "visit_1", "n_darts": 2, "darts": [T20, FAILED], "total": 60, "reason": "takeout"},
            {"visit": "visit_2", "n_darts": 1, "darts": [D16], "reason": "manual_reset"},
            {"visit": VISIT, "n_darts": 1, "darts": [T20], "reason": "takeout"},
            {"visit": "visit_3", "n_darts": 0, "darts": [], "reason": "takeout"},
            {"visit": 4, "darts": [T20]},
            "visit_5",
            {"visit": "visit_6", "n_darts": 1, "darts": [S5], "reason": "takeout"},
        ]
        events = talk.hear(Received(RECENT, status=200, json={"visits": visits, "count": 7}))
        assert [tell(event) for event in events] == ["found T20 unread over", "found O5 over"]
        assert talk.answer(RECENT, json={"visits": visits}) == [], "asked for once"
        assert talk.take() == [RECENT]

    @pytest.mark.parametrize("said", [{"failed": "no answer", "status": None}, {"text": "<html>"}, {"json": [1]}])
    def test_the_visits_before_are_not_to_be_had(self, said: JSON) -> None:
        talk = Talk("opendarts-cameras")
        talk.live(state(event="hello", visit=None))
        assert talk.answer(RECENT, **said) == []

    def test_the_keys_are_those_of_before(self) -> None:
        talk = Talk("opendarts-cameras")
        (found, _) = talk.hear(Received(talk.socket, json=state(T20, FAILED, event="hello")))
        assert [key_of(dart) for dart in getattr(found, "darts", ())] == [f"{VISIT}/0", f"{VISIT}/1"]

    @pytest.mark.parametrize("is_over", [False, True])
    def test_the_socket_was_away(self, is_over: bool) -> None:
        """What happened then is found, and not news: a table asks about it."""
        talk = opened(state(T20))
        if is_over:
            talk.live(state(event="visit_complete", visit=None))
        talk.hear(Received(talk.socket, socket="closed"))
        talk.hear(Received(talk.socket, socket="open"))
        assert talk.live(state(S5, event="hello", visit=NEXT)) == ["found O5"]
        assert talk.take() == [RECENT]
        visits = [{"visit": VISIT, "darts": [T20, D16], "reason": "takeout"}]
        assert talk.answer(RECENT, json={"visits": visits}) == ([] if is_over else ["found T20 D16 over"])

    def test_it_is_the_end_of_a_visit(self) -> None:
        talk = Talk("opendarts-cameras")
        assert talk.live(state(T20, event="visit_complete")) == ["found T20 over", "ready"]
        assert talk.live(state(T20, event="visit_complete"), state(S5, visit=NEXT)) == ["O5"]
        talk = Talk("opendarts-cameras")
        assert talk.live(state(T20, event="manual_reset")) == ["found", "ready"]


class TestReadiness:
    @pytest.mark.parametrize(
        ("status", "word"),
        [
            ("stopped", "camera.stopped start"),
            ("connecting", "camera.starting -"),
            ("camera_error", "camera.camera_error -"),
            ("no_live_capture", "camera.no_capture -"),
        ],
    )
    def test_each_status_has_a_sentence(self, status: str, word: str) -> None:
        talk = opened()
        off = state(visit=None, event=status, status=status, running=status != "stopped")
        assert talk.live(off, off) == [word]
        assert talk.live(state(event="started", visit=None), state(event="", visit=None)) == ["ready"]

    def test_a_takeout_is_no_trouble_and_an_unknown_status_says_nothing(self) -> None:
        assert opened().live(state(visit=None, status="takeout"), state(visit=None, status="dancing")) == []
        assert opened().live(state(visit=None) | {"status": 7}) == []

    def test_a_capture_that_does_not_run(self) -> None:
        assert opened().live(state(visit=None, running=False)) == ["camera.stopped start"]

    def test_it_is_said_first_of_all(self) -> None:
        talk = Talk("opendarts-cameras")
        stopped = state(event="hello", visit=None, running=False, status="stopped")
        assert talk.live(stopped) == ["found", "camera.stopped start"]


class TestWhatItIsTold:
    @pytest.mark.parametrize(
        ("segment", "body"),
        [
            ("T20", {"ring": "treble", "sector": "20"}),
            ("D16", {"ring": "double", "sector": "16"}),
            ("I5", {"ring": "single_inner", "sector": "5"}),
            ("O5", {"ring": "single_outer", "sector": "5"}),
            ("S5", {"ring": "single_outer", "sector": "5"}),
            ("DB", {"ring": "bull"}),
            ("SB", {"ring": "outer_bull"}),
            ("MISS", {"ring": "outside"}),
        ],
    )
    def test_a_correction(self, segment: str, body: JSON) -> None:
        talk = opened(state(FAILED))
        talk.send(Correct(f"{VISIT}/0", LAYOUT[segment]))
        assert talk.take() == [f"POST /api/visits/{VISIT}/throws/0/correct {body}"]

    @pytest.mark.parametrize(
        "key", ["", "/0", f"{VISIT}/3", f"{VISIT}", "123-0", f"{VISIT}/-1", "a\n/1", "v" * 70 + "/0"]
    )
    def test_a_key_of_another_board_is_not_told(self, key: str) -> None:
        talk = opened()
        talk.send(Correct(key, LAYOUT["T20"]))
        assert talk.take() == []

    def test_that_there_was_no_dart_is_not_told(self) -> None:
        talk = opened(state(T20))
        talk.send(Correct(f"{VISIT}/0", None))
        assert talk.take() == []

    def test_a_visit_cannot_lead_elsewhere(self) -> None:
        talk = opened()
        talk.send(Correct("../{token}?x/0", LAYOUT["DB"]))
        assert talk.take() == ["POST /api/visits/..%2F%7Btoken%7D%3Fx/throws/0/correct {'ring': 'bull'}"]

    @pytest.mark.parametrize(
        ("said", "word"),
        [
            ({"status": 200, "json": {}}, []),
            ({"status": 204}, []),
            ({"status": 404}, ["camera.dart_gone"]),
            ({"status": 400, "json": {"error": "no"}}, ["camera.correction_refused"]),
            ({"status": 409}, ["camera.locked"]),
            ({"status": 500, "text": "oh"}, ["camera.not_corrected"]),
            ({"failed": "no answer", "status": None}, ["camera.not_corrected"]),
        ],
    )
    def test_its_answer_to_a_correction(self, said: JSON, word: list[str]) -> None:
        talk = opened(state(FAILED))
        talk.send(Correct(f"{VISIT}/0", LAYOUT["T20"]))
        source = f"POST /api/visits/{VISIT}/throws/0/correct"
        talk.take()
        assert talk.answer(source, **said) == word
        assert talk.answer(source, **said) == [], "one answer each"
        assert talk.take() == [], "never repeated"

    def test_start(self) -> None:
        talk = opened()
        talk.send(Mend("start"))
        assert talk.take() == ["POST /api/start"]
        assert talk.answer("POST /api/start", json={"ok": True}) == []
        talk.send(Mend("start"))
        assert talk.answer("POST /api/start", status=None, failed="refused") == ["camera.not_started"]

    def test_a_reset_of_ours_is_no_question(self) -> None:
        reset = state(event="manual_reset", visit=None)
        talk = opened(state(T20))
        talk.send(Mend("reset"))
        assert talk.take() == ["POST /api/reset"]
        assert talk.live(reset, reset, state(S5, visit=NEXT), reset) == ["O5", "cleared"]
        talk = opened(state(T20))
        talk.send(Mend("reset"))
        assert talk.answer("POST /api/reset", status=500) == ["camera.not_reset"]
        assert talk.live(reset) == ["cleared"]

    def test_a_reset_of_an_empty_board_says_nothing_of_the_next_visit(self) -> None:
        talk = opened()
        talk.send(Mend("reset"))
        assert talk.live(state(T20), state(event="manual_reset", visit=None)) == ["T20", "cleared"]

    def test_answers_that_no_one_asked_for(self) -> None:
        assert opened().answer("POST /api/stop", status=500) == []


def test_a_long_evening_fills_nothing() -> None:
    talk = opened()
    for number in range(500):
        visit = f"visit_{number}"
        assert talk.live(thrown(0, "treble", 20, [1, 2], visit=visit), state(T20, visit=visit))[-1:] == ["T20 at 10,20"]
        talk.live(thrown(1, "treble", 20, [1, 2], visit=visit))
        talk.send(Correct(f"{visit}/0", LAYOUT["T19"]))
    sizes = {name: len(held) for name, held in vars(talk.host._side).items() if hasattr(held, "__len__")}  # noqa: SLF001
    assert max(sizes.values()) <= 16


def test_events_are_darts_with_the_time_they_came() -> None:
    talk = opened()
    talk.now = 77
    (hit,) = talk.hear(Received(talk.socket, json=state(T20)))
    (unread,) = talk.hear(Received(talk.socket, json=state(T20, FAILED)))
    assert isinstance(hit, Hit)
    assert isinstance(unread, Unread)
    assert hit.time_ns == unread.time_ns == 77
