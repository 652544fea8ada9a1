"""The dialogue of learning: whatever a finger does besides, the board that is found is the one that was pressed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.learning.dialogue import Ask, Dialogue, Note
from protocol.learning.forms import guess_template
from protocol.profile import Hits, Profile
from protocol.standard import merged
from tests.protocol.wired import Board, any_wiring, assert_reads, pressed
from tests.sweep import many

OPEN = Profile(id="mine", name="mine", hits=Hits())
MS = 1_000_000


class Finger:
    """Presses by its own clock; the board sends what `form` makes of row and column."""

    def __init__(self, board: Board, form: str) -> None:
        self.dialogue = Dialogue(OPEN)
        self.said = self.dialogue.connect(0)
        self.now = 0
        self._board = board
        self._form = form

    def frame(self, segment: str) -> bytes:
        """What the board sends for it."""
        row, col = pressed(self._board, segment)
        return self._form.format(row=row, col=col).encode()

    def send(self, *frames: bytes, ms: int = 40) -> None:
        """Sends frames, so far apart."""
        for frame in frames:
            self.now += ms * MS
            self.said += self.dialogue.hear(frame, self.now)

    def wait(self, ms: int = 1500) -> None:
        """Lets time pass."""
        until = self.now + ms * MS
        while (deadline := self.dialogue.deadline()) is not None and deadline <= until:
            self.now = deadline
            self.said += self.dialogue.tick(self.now)
        self.now = until


HABITS = st.sampled_from(["plain", "bounces", "is held", "two at once", "noise", "is taken back", "plug"])


@settings(max_examples=many(12, 100))
@given(
    name=st.sampled_from(["oem_8x8", "gran_12x7", "loewen_4x16"]),
    seed=st.integers(0, 1000),
    form=st.sampled_from(["{row},{col}", "r{row} c{col}", "({col}:{row})"]),
    habits=st.lists(HABITS, max_size=12),
)
@pytest.mark.long
def test_no_habit_of_a_finger_makes_another_board(name: str, seed: int, form: str, habits: list[str]) -> None:
    finger = Finger(any_wiring(name, Random(seed)), form)
    dialogue = finger.dialogue
    presses = 0
    while (ask := dialogue.press) is not None:
        presses += 1
        assert presses < 120
        habit = habits.pop() if habits and dialogue.answers else "plain"
        if habit == "noise":
            finger.send(b"hello?")
        elif habit == "plug":
            finger.said += [*dialogue.disconnect("unplugged"), *dialogue.connect(finger.now)]
            assert dialogue.press == ask
        frame = finger.frame(ask.press)
        if habit == "two at once":
            other = next(each for each in ("T20", "D3") if finger.frame(each) != frame)
            finger.send(frame, finger.frame(other))
            finger.wait()
            assert dialogue.press == ask, "asked for again"
        finger.send(frame)
        if habit in ("bounces", "is held"):
            finger.send(frame, frame, ms=60)
        finger.wait(300 if habit == "is held" else 1500)
        if habit == "is held":
            finger.send(frame, frame, ms=400)
            finger.wait()
        if habit == "is taken back":
            dialogue.undo(finger.now)
            assert dialogue.press == ask
    assert dialogue.finding.mat is not None
    frames = {segment: finger.frame(segment).decode() for segment in dialogue.finding.contacts}
    assert_reads(dialogue.write_profile(), frames)
    for segment_id in ("T20", "D3", "T20"):
        finger.send(finger.frame(segment_id), finger.frame(segment_id))
        finger.wait()
    finger.send(b"hello?")
    assert dialogue.tried == ("T20", "D3", "T20", "")


def test_one_contact_for_two_beds_is_told_and_asked_for_again() -> None:
    finger = Finger(any_wiring("oem_8x8", Random(1)), "{row}-{col}")
    first = finger.dialogue.press
    assert first is not None
    finger.send(finger.frame(first.press))
    finger.wait()
    second = finger.dialogue.press
    assert second is not None
    assert merged(second.press) != merged(first.press)
    finger.send(finger.frame(first.press))
    finger.wait()
    assert [each.said.text for each in finger.said if isinstance(each, Note)] == [
        (
            f"{second.press} sends the same as {first.press}: you pressed a wrong bed, "
            "or the board cannot tell the two apart."
        )
    ]


def test_a_greeting_is_no_press_and_frames_of_any_kind_are_learned_when_they_come_again() -> None:
    finger = Finger(any_wiring("oem_8x8", Random(1)), "<{row}{col}>")
    dialogue = finger.dialogue
    finger.send(b"OpenDarts")
    finger.wait(5000)
    ask = dialogue.press
    assert ask is not None
    assert ask.press == "D20"
    assert not dialogue.answers
    finger.send(finger.frame("D20"), finger.frame("D20"))
    finger.wait(5000)
    assert not dialogue.answers
    finger.send(finger.frame("D20"))
    finger.wait()
    assert dialogue.answers == [("D20", finger.frame("D20").decode())]
    assert dialogue.reader.frame == "*"
    assert [each.press for each in finger.said[-1:] if isinstance(each, Ask)] == ["I20"]
    finger.said += dialogue.undo(finger.now)
    finger.send(b"3;4")
    finger.wait()
    assert dialogue.answers == [("D20", (3, 4))]


@pytest.mark.parametrize(
    ("frame", "template"),
    [
        (b"3,7", "{row},{col}"),
        (b"(12 4)", "({row} {col})"),
        (b"R3C11;", "R{row}C{col};"),
        (b"37", "*"),
        (b"T20", "*"),
        (b"1,2,3", "*"),
        (b"{3},4", "{{row}},{col}"),
        (b"Ready, version 1.0", "*"),
        (b"Hello 3 of 4", "*"),
        (b"\x13", "*"),
    ],
)
def test_two_numbers_are_taken_for_row_and_column(frame: bytes, template: str) -> None:
    assert guess_template(frame) == template
