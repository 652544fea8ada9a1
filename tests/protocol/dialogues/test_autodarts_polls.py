"""The Autodarts Board Manager: its two ways to one state, whether it detects darts, and a takeout that does not end."""

from __future__ import annotations

import pytest

from protocol.events import Mend
from protocol.web_frames import Received
from tests.protocol.dialogues.autodarts_states import (
    D16,
    FINISHED,
    JSON,
    RECORDED_EMPTY,
    S5,
    STARTED,
    STATE,
    STATS,
    T20,
    VERSION,
    frame,
    opened,
    state,
)
from tests.protocol.dialogues.talking import SECOND, Talk


class TestPolls:
    def test_how_often(self) -> None:
        talk = opened()
        talk.hear(Received(talk.socket, socket="closed"))
        assert talk.wait(1.9) == []
        assert talk.take() == []
        for _ in range(3):
            talk.wait(2)
            assert talk.take() == [STATE]
            talk.answer(STATE, json=RECORDED_EMPTY)

    def test_seldom_beside_a_socket_that_speaks(self) -> None:
        talk = opened()
        asked = 0
        for _ in range(100):
            talk.wait(0.5)
            talk.live(STATS)
            for _each in talk.take():
                asked += 1
                talk.answer(STATE, json=RECORDED_EMPTY)
        assert 4 <= asked <= 5

    def test_one_at_a_time_until_it_is_lost(self) -> None:
        talk = opened()
        talk.wait(14)
        assert talk.take() == [STATE]
        talk.wait(8)
        assert talk.take() == [STATE]

    def test_an_answer_that_is_none_is_asked_for_again(self) -> None:
        talk = opened()
        talk.wait(2)
        assert talk.answer(STATE, status=None, failed="no answer") == []
        talk.take()
        talk.wait(2)
        assert talk.take() == [STATE]

    def test_it_finds_darts_and_takeouts_while_the_socket_is_away(self) -> None:
        talk = opened()
        talk.hear(Received(talk.socket, socket="closed"))
        heard = list[str]()
        for snapshot in (state(T20), state(T20), state(T20, S5, status="Takeout"), RECORDED_EMPTY, state(D16)):
            talk.wait(2)
            heard += talk.answer(STATE, json=snapshot)
        assert heard == ["T20 at 17,1020", "O5 at -340,1190", "takeout finished", "D16 at -1020,-1190"]

    def test_an_older_answer_does_not_undo_a_newer_frame(self) -> None:
        talk = opened()
        talk.wait(2)
        assert talk.live(frame(T20)) == ["T20 at 17,1020"]
        assert talk.answer(STATE, json=RECORDED_EMPTY) == []
        assert talk.live(frame(T20, S5)) == ["O5 at -340,1190"]

    def test_a_newer_answer_waits_for_the_frame(self) -> None:
        """Else a frame that is on its way would undo it, and its dart would come twice."""
        talk = opened(frame(T20))
        talk.take()
        while not talk.take():
            talk.wait(1)
            talk.live(STATS)
        assert talk.answer(STATE, json=state(S5)) == []
        assert talk.live(FINISHED, frame(S5)) == ["takeout finished", "O5 at -340,1190"]

    def test_it_is_believed_the_second_time(self) -> None:
        talk = opened()
        for second in range(20):
            talk.wait(1)
            talk.live(STATS)
            for _ in talk.take():
                if heard := talk.answer(STATE, json=state(T20)):
                    assert heard == ["T20 at 17,1020"]
                    assert 11 <= second <= 14, "a quiet poll, and the one that confirms it"
                    return
        pytest.fail("the dart was never believed")

    def test_old_frames_after_a_silence_are_no_news(self) -> None:
        talk = opened()
        seen = [state(T20), state(T20, S5), state(T20, S5, D16), RECORDED_EMPTY, state(D16)]
        talk.wait(2)
        assert talk.answer(STATE, json=RECORDED_EMPTY) == []
        heard = list[str]()
        for snapshot in seen:
            talk.wait(2)
            heard += talk.answer(STATE, json=snapshot)
        assert len(heard) == 5
        talk.take()
        late = [heard for each in seen for heard in talk.live({"type": "state", "data": each})]
        assert late == []
        assert talk.take() == [STATE]
        assert talk.answer(STATE, json=state(D16)) == [], "asked for before the last of them"
        assert talk.take() == [STATE]
        assert talk.answer(STATE, json=state(D16)) == []
        assert talk.live(frame(D16, S5)) == ["O5 at -340,1190"], "both say the same again"

    def test_the_same_state_twice_is_no_proof_of_being_up_to_date(self) -> None:
        """The polls have seen a whole visit since the socket said the same as they do now."""
        talk = Talk("autodarts", now=SECOND)
        talk.answer(STATE, json=RECORDED_EMPTY)
        heard = talk.live({"type": "state", "data": RECORDED_EMPTY})
        for snapshot in (state(T20), RECORDED_EMPTY):
            heard += talk.answer(STATE, json=snapshot)
            talk.wait(2)
        assert heard == ["T20 at 17,1020", "takeout finished"]
        assert talk.live(frame(T20), {"type": "state", "data": RECORDED_EMPTY}) == []

    def test_a_new_socket_may_be_behind(self) -> None:
        talk = opened()
        talk.hear(Received(talk.socket, socket="closed"))
        talk.wait(2)
        assert talk.answer(STATE, json=state(T20)) == ["T20 at 17,1020"]
        talk.hear(Received(talk.socket, socket="open"))
        talk.take()
        assert talk.live(frame(T20, S5)) == []
        assert talk.take() == [STATE], "an answer says whether it is"
        assert talk.answer(STATE, json=state(T20, S5)) == ["O5 at -340,1190"]

    def test_without_answers_the_socket_is_believed(self) -> None:
        talk = Talk("autodarts", now=SECOND)
        talk.answer(STATE, json=RECORDED_EMPTY)
        assert talk.live(frame(T20)) == []
        assert talk.answer(STATE, status=None, failed="no answer") == ["T20 at 17,1020"]
        talk = Talk("autodarts", now=SECOND)
        talk.answer(STATE, json=RECORDED_EMPTY)
        assert talk.live(frame(T20), frame(T20, S5)) == []
        assert talk.wait(2) == ["T20 at 17,1020", "O5 at -340,1190"]
        assert talk.live(frame(event="Takeout finished")) == ["takeout finished"]

    @pytest.mark.parametrize(
        ("said", "word"),
        [
            ({"text": "<html>"}, "camera.other_page -"),
            ({"json": {"status": "ok"}}, "camera.other_page -"),
            ({"status": 404}, "camera.other_page -"),
            ({"status": 401}, "camera.closed_off -"),
            ({"status": 403}, "camera.closed_off -"),
            ({"status": 503}, "camera.starting -"),
            ({"json": state(T20, numThrows=3)}, "garbage"),
        ],
    )
    def test_answers_that_are_no_state(self, said: JSON, word: str) -> None:
        talk = Talk("autodarts", now=SECOND)
        assert talk.answer(STATE, **said) == [word]
        talk.wait(3)
        assert talk.answer(STATE, json=RECORDED_EMPTY) == ["found inexact", "ready"]

    def test_a_socket_that_speaks_is_worth_more_than_such_an_answer(self) -> None:
        talk = opened(frame(T20))
        talk.wait(2)
        assert talk.answer(STATE, status=503) == []


class TestReadiness:
    @pytest.mark.parametrize(
        ("said", "word"),
        [
            (state(running=False, status="Stopped", event="Stopped"), "camera.stopped start"),
            (state(running=False, status="Stopping"), "camera.stopped start"),
            (state(running=False, status="Offline"), "camera.stopped start"),
            (state(running=False), "camera.stopped start"),
            (state(running=True, status="Stopped"), "camera.stopped start"),
            (
                state(running=False, status="Stopped", event="Standby: 15 minutes without activity"),
                "camera.standby start",
            ),
            (state(running=False, status="Starting"), "camera.starting -"),
            (state(running=True, status="Starting"), "camera.starting -"),
            (state(running=True, status="Calibrating"), "camera.calibrating -"),
            (state(running=False, status="Calibration"), "camera.calibrating -"),
            (state(running=False, status="Setup"), "camera.setting_up -"),
            (state(running=True, status="Error"), "camera.faulty -"),
            (state(running=False, status="Stopped", connected=False), "camera.stopped start"),
        ],
        ids=str,
    )
    def test_each_reason_has_a_sentence(self, said: JSON, word: str) -> None:
        talk = opened()
        assert talk.live({"type": "state", "data": said}, {"type": "state", "data": said}) == [word]
        assert talk.live(frame(), frame(status="Running")) == ["ready"]

    def test_the_clouds_absence_is_no_trouble(self) -> None:
        assert opened().live(frame(T20, connected=False)) == ["T20 at 17,1020"]

    def test_version_2_that_has_not_reached_its_maker(self) -> None:
        talk = Talk("autodarts", now=SECOND)
        assert talk.answer(VERSION, text="v2.0.2\n") == ["Autodarts Board Manager 2.0.2"]
        off = state(running=False, status="Stopped", connected=False)
        assert talk.answer(STATE, json=off) == ["camera.offline start"]

    @pytest.mark.parametrize(
        ("said", "words"),
        [
            ({"text": "2.0.0-beta.1"}, ["Autodarts Board Manager 2.0.0-beta.1"]),
            ({"json": 2.0}, ["Autodarts Board Manager 2.0"]),
            ({"json": "0.22.0"}, ["Autodarts Board Manager 0.22.0"]),
            ({"text": "<html>"}, []),
            ({"text": "2.0\x1b[2J"}, []),
            ({"json": {"version": "2.0"}}, []),
            ({"json": True}, []),
            ({"status": 404, "text": "404"}, []),
            ({"status": None, "failed": "no answer"}, []),
        ],
    )
    def test_its_version(self, said: JSON, words: list[str]) -> None:
        assert Talk("autodarts").answer(VERSION, **said) == words

    def test_start(self) -> None:
        talk = opened()
        talk.send(Mend("start"))
        assert talk.take() == ["PUT /api/start"]
        assert talk.answer("PUT /api/start", json={}) == []

    @pytest.mark.parametrize("status", [404, 405])
    def test_start_of_an_old_version(self, status: int) -> None:
        talk = opened()
        talk.send(Mend("start"))
        assert talk.take() == ["PUT /api/start"]
        assert talk.answer("PUT /api/start", status=status) == []
        assert talk.take() == ["PUT /api/detection/start"]
        assert talk.answer("PUT /api/detection/start", status=status) == ["camera.not_started"]

    @pytest.mark.parametrize("said", [{"status": 500}, {"status": None, "failed": "no answer"}])
    def test_a_start_that_fails(self, said: JSON) -> None:
        talk = opened()
        talk.send(Mend("start"))
        talk.take()
        assert talk.answer("PUT /api/start", **said) == ["camera.not_started"]
        assert talk.take() == []


STUCK = frame(event="Takeout started", status="Takeout in progress")
HAND = {"type": "motion_state", "data": {"isHand": True}}


class TestAStuckTakeout:
    def wait(self, talk: Talk, seconds: int) -> list[str]:
        """What is heard and asked while nothing but stats comes."""
        heard = list[str]()
        for _ in range(seconds):
            heard += talk.wait(1)
            heard += talk.live(STATS)
            heard += [asked for asked in talk.take() if asked != STATE]
        return heard

    def test_it_is_freed(self) -> None:
        talk = opened(frame(T20), FINISHED, STUCK)
        assert self.wait(talk, 9) == []
        assert talk.live(STUCK) == []
        assert self.wait(talk, 1) == ["POST /api/reset"]
        assert talk.live(frame(event="Manual reset")) == []
        assert self.wait(talk, 30) == []
        assert talk.live(frame(S5)) == ["O5 at -340,1190"]

    def test_not_while_a_hand_is_there(self) -> None:
        talk = opened(frame(T20), FINISHED, STUCK)
        for _ in range(5):
            assert self.wait(talk, 9) == []
            talk.live(HAND, {"type": "motion_state", "data": {"isHand": False}})
        assert self.wait(talk, 10) == ["POST /api/reset"]

    def test_three_times_then_a_person_is_asked(self) -> None:
        talk = opened(frame(T20), FINISHED, STUCK)
        assert self.wait(talk, 60) == ["POST /api/reset"] * 3 + ["camera.stuck reset"]
        assert talk.live(STUCK, HAND) == []
        assert self.wait(talk, 60) == []
        talk.send(Mend("reset"))
        assert talk.take() == ["POST /api/reset"]
        assert talk.live(frame(event="Manual reset")) == ["ready"]

    def test_one_that_comes_again_and_again_is_not_reset_for_ever(self) -> None:
        talk = opened(frame(T20), FINISHED)
        heard = list[str]()
        for _ in range(5):
            talk.live(STUCK)
            heard += self.wait(talk, 10)
            heard += talk.live(frame(event="Manual reset"))
        assert heard == ["POST /api/reset"] * 3 + ["camera.stuck reset", "ready"] * 2
        talk.live(frame(T20), FINISHED, STUCK)
        assert self.wait(talk, 10) == ["POST /api/reset"], "with a dart between, it starts over"

    def test_its_failed_resets_are_not_complained_about(self) -> None:
        talk = opened(frame(T20), FINISHED, STUCK)
        assert self.wait(talk, 10) == ["POST /api/reset"]
        assert talk.answer("POST /api/reset", status=500) == []

    def test_a_hand_before_darts_are_pulled_is_no_such_thing(self) -> None:
        talk = opened(frame(T20, S5), STARTED)
        assert self.wait(talk, 40) == []
