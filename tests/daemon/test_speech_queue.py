"""When one loudspeaker says what: in virtual time, which is an argument."""

from __future__ import annotations

from itertools import pairwise

import pytest

from daemon.outlets.speech_queue import MOST_WAITING, VISIT_S, Kind, SpeechItem, SpeechQueue

SPEAKING_S = 0.4


class Loudspeaker:
    """Says what is due, each for SPEAKING_S, while time passes; `said` has when it began."""

    def __init__(self) -> None:
        self.queue = SpeechQueue[SpeechItem]()
        self.now = 0.0
        self.said: list[tuple[float, str]] = []

    def put(
        self, text: str, kind: Kind = "news", about: str = "", correction: str = "", *, drops: bool = False
    ) -> None:
        self.queue.put(SpeechItem(kind, text, about, correction, drops), self.now)
        self.wait(0)

    def wait(self, seconds: float = 60) -> None:
        end = self.now + seconds
        while (deadline := self.queue.deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            item = self.queue.take(self.now)
            assert item is not None
            self.said.append((round(self.now, 3), item.text))
            self.queue.hold(self.now + SPEAKING_S)
        self.now = end

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.said]


def test_darts_are_called_at_once_and_a_visit_after_its_last_dart() -> None:
    speaker = Loudspeaker()
    speaker.put("T20", "dart")
    speaker.wait(5)
    speaker.put("T19", "dart")
    speaker.put("117", "visit")
    speaker.wait()
    assert speaker.said == [(0, "T20"), (5, "T19"), (5 + VISIT_S, "117")]


def test_calls_do_not_overlap_and_keep_their_order() -> None:
    speaker = Loudspeaker()
    for text in "abc":
        speaker.put(text)
    speaker.put("visit", "visit")
    speaker.put("turn", "turn")
    speaker.wait()
    begun = [at for at, _ in speaker.said]
    assert speaker.texts == ["a", "b", "c", "visit", "turn"]
    assert all(later - earlier >= SPEAKING_S - 1e-9 for earlier, later in pairwise(begun))


def test_a_visit_that_is_corrected_before_its_call_is_called_once_as_corrected() -> None:
    speaker = Loudspeaker()
    speaker.put("140", "visit", "visit 1")
    speaker.wait(VISIT_S - 0.1)
    speaker.put("100", "visit", "visit 1", "Corrected: 100")
    speaker.wait()
    assert speaker.said == [(VISIT_S, "100")]


def test_a_visit_that_is_corrected_after_its_call_is_called_again() -> None:
    speaker = Loudspeaker()
    speaker.put("140", "visit", "visit 1")
    speaker.wait(2)
    speaker.put("100", "visit", "visit 1", "Corrected: 100")
    speaker.wait()
    assert speaker.texts == ["140", "Corrected: 100"]


def test_the_first_dart_of_the_next_visit_drops_what_has_not_begun() -> None:
    speaker = Loudspeaker()
    speaker.put("dart", "dart")
    speaker.put("140", "visit")
    speaker.put("Bo to throw", "turn")
    speaker.wait(0.1)
    speaker.put("T20", "dart", drops=True)
    speaker.wait()
    assert speaker.texts == ["dart", "T20"]


def test_of_what_is_to_be_done_only_the_latest_is_said() -> None:
    speaker = Loudspeaker()
    speaker.put("dart 1", "dart")
    speaker.put("2 darts", "turn")
    speaker.put("dart 2", "dart")
    speaker.put("1 dart", "turn")
    speaker.put("aim lower", "turn")
    speaker.put("closed")
    speaker.wait()
    assert speaker.texts == ["dart 1", "dart 2", "aim lower", "closed"]


def test_a_dart_that_is_corrected_is_told_before_its_visit() -> None:
    speaker = Loudspeaker()
    speaker.put("S20", "dart", "dart 3")
    speaker.put("140", "visit", "visit 1")
    speaker.wait(0.1)
    speaker.put("T20", "dart", "dart 3", "Corrected: T20")
    speaker.put("180", "visit", "visit 1", "Corrected: 180")
    speaker.wait()
    assert speaker.texts == ["S20", "Corrected: T20", "180"]


@pytest.mark.parametrize("finished_at", [0.1, 3.0])
def test_the_next_one_waits_until_the_loudspeaker_has_finished(finished_at: float) -> None:
    queue = SpeechQueue[SpeechItem]()
    for text in "ab":
        queue.put(SpeechItem("news", text), 0)
    assert queue.take(0) == SpeechItem("news", "a")
    queue.hold(float("inf"))
    assert queue.take(1) is None
    queue.hold(finished_at)
    assert queue.deadline() == finished_at
    assert queue.take(finished_at) == SpeechItem("news", "b")
    assert queue.deadline() is None


def test_a_match_of_bots_leaves_no_queue_behind() -> None:
    queue = SpeechQueue[SpeechItem]()
    for number in range(2 * MOST_WAITING):
        queue.put(SpeechItem("news", str(number)), 0)
    assert len(queue) == MOST_WAITING
    assert queue.take(0) == SpeechItem("news", str(MOST_WAITING))
