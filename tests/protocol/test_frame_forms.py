"""Boards that write their hits in every way that was met: no guess from one press outlives the presses against it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.learning.candidates import Cell
from protocol.learning.dialogue import Dialogue, Note
from protocol.learning.forms import FrameForms
from protocol.learning.survey import Answer
from protocol.profile import Hits, Profile
from tests.protocol.wired import Board, any_wiring, assert_reads, pressed
from tests.sweep import many, sweep

OPEN = Profile(id="mine", name="mine", hits=Hits())
S = 1_000_000_000
Written = Callable[[Cell], str]
"""What a board sends for a contact."""


def say_with_bull(cell: Cell) -> str:
    """A board on gran_12x7 that has a word for one of its contacts."""
    return "BULL" if cell == GRAN["DB"] else f"{cell[0]}x{cell[1]}"


GRAN = any_wiring("gran_12x7", Random(3))
FORMS: dict[str, tuple[Written, int]] = {
    "row: 3, col: 4": (lambda cell: f"row: {cell[0]}, col: {cell[1]}", 17),
    "row=3 col=2": (lambda cell: f"row={cell[0]} col={cell[1]}", 17),
    "column first": (lambda cell: f"x={cell[1]} y={cell[0]}", 17),
    "JSON": (lambda cell: f'{{"r":{cell[0]},"c":{cell[1]}}}', 17),
    "JSON with more": (lambda cell: f'{{"player": 1, "r": {cell[0]}, "c": {cell[1]}}}', 20),
    "a hex code": (lambda cell: f"0x{16 * cell[0] + cell[1]:02X}", 17),
    "a hex code in small letters": (lambda cell: f"0x{16 * cell[0] + cell[1]:x}", 17),
    "a hex code behind a word": (lambda cell: f"key 0x{16 * cell[0] + cell[1]:02x}", 17),
    "a hex code without 0x": (lambda cell: f"{16 * cell[0] + cell[1]:X}", 20),
    "two hex digits": (lambda cell: f"{cell[0]:X},{cell[1]:X}", 17),
    "two digits": (lambda cell: f"{cell[0]:02},{cell[1]:02}", 17),
    "pins": (lambda cell: f"{cell[0] + 2}:{cell[1] + 22}", 17),
    "three numbers": (lambda cell: f"1,{cell[0]},{cell[1]}", 20),
    "a sentence": (lambda cell: f"Contact closed at {cell[0]}/{cell[1]}", 18),
    "a word for one of them": (say_with_bull, 90),
    "a running number": (lambda cell: str(12 * cell[0] + cell[1]), 90),
    "a hex code above all rows": (lambda cell: f"0x{0x604 + 16 * cell[0] + cell[1]:X}", 90),
    "a long hex code above all rows": (lambda cell: f"0x{0x8043 + 16 * cell[0] + cell[1]:X}", 90),
    "a hex code with all bits": (lambda cell: f"0xFF{16 * cell[0] + cell[1]:02X}", 90),
    "a hex code above all rows behind a word": (lambda cell: f"key 0x{0x700 + 16 * cell[0] + cell[1]:x}", 90),
    "two hex codes above all rows": (lambda cell: f"0x{0x1F0 + cell[0]:X},0x{cell[1]:X}", 90),
    "letters": (lambda cell: f"<{chr(65 + cell[0])}{chr(97 + cell[1])}>", 90),
}


USUAL = {
    "column first",
    "JSON with more",
    "a hex code behind a word",
    "a hex code without 0x",
    "two digits",
    "pins",
    "a word for one of them",
    "a running number",
    "two hex codes above all rows",
    "letters",
}
"""One of each kind: of what stands around the numbers, of how they are written, and of what is no row and column."""


def learn(
    board: Board, written: Written, *, release: Written | None = None, noise: str = "", most: int = 100
) -> tuple[Dialogue, int]:
    """Presses whatever is asked for, once each time; each press is let go of after a second. Counts the presses."""
    dialogue, now, presses = Dialogue(OPEN), 0, 0
    dialogue.connect(now)

    def wait(seconds: float) -> None:
        nonlocal now
        until = now + int(seconds * S)
        while (deadline := dialogue.deadline()) is not None and deadline <= until:
            dialogue.tick(deadline)
        now = until

    while (ask := dialogue.press) is not None:
        assert presses < most, dialogue.answers
        presses += 1
        cell = pressed(board, ask.press)
        wait(1)
        if noise:
            dialogue.hear(noise.encode(), now)
            wait(1)
        dialogue.hear(written(cell).encode(), now)
        wait(1.5)
        if release is not None:
            dialogue.hear(release(cell).encode(), now)
    return dialogue, presses


def check(dialogue: Dialogue, board: Board, written: Written) -> None:
    """Every segment of the board decodes by the profile."""
    assert_reads(dialogue.write_profile(), {segment: written(cell) for segment, cell in board.items()})


@pytest.mark.parametrize("form", sweep(FORMS, lambda form: form in USUAL))
def test_a_board_is_learned_however_it_writes_its_hits(form: str) -> None:
    written, most = FORMS[form]
    dialogue, presses = learn(GRAN, written)
    check(dialogue, GRAN, written)
    assert presses <= most


def test_a_board_that_prints_the_hex_of_its_contacts_is_learned_from_its_first_five_presses_on() -> None:
    dialogue = Dialogue(OPEN)
    dialogue.connect(0)
    for count, frame in enumerate((b"0x43", b"0x54", b"0x07", b"0x1A", b"0x2F"), 1):
        assert not [each for each in dialogue.hear(frame, 2 * count * S) if isinstance(each, Note)]
        dialogue.tick(2 * count * S + S)
        assert len(dialogue.answers) == count
    assert [contact for _, contact in dialogue.answers] == [(4, 3), (5, 4), (0, 7), (1, 10), (2, 15)]
    assert dialogue.reader.frame == "0x{16*row+col:02X}"


def test_presses_that_an_earlier_run_misread_are_read_anew() -> None:
    """Up to 0.4 the first press of 0x43 was kept as row 0, column 43, and nothing after it was a contact."""
    kept: list[Answer] = [("D20", (0, 43)), ("D12", (0, 54)), ("T9", None)]
    dialogue = Dialogue(OPEN, kept, frame="{row}x{col}")
    dialogue.connect(0)
    dialogue.hear(b"0x1A", S)
    dialogue.tick(2 * S)
    assert [contact for _, contact in dialogue.answers] == [(4, 3), (5, 4), None, (1, 10)]


def test_a_form_that_was_given_is_kept_whatever_comes() -> None:
    dialogue = Dialogue(Profile(id="mine", name="mine", hits=Hits(frame="{row},{col}")))
    dialogue.connect(0)
    for count in range(1, 9):
        dialogue.hear(b"03,07", 2 * count * S)
    assert (dialogue.answers, dialogue.reader.frame) == ([], "{row},{col}")


@pytest.mark.slow
@pytest.mark.parametrize("noise", sweep(["alive", "LOG 17 ms", "temperature 21.5 C"], "LOG 17 ms".__eq__))
def test_what_a_board_says_before_each_press_is_no_contact(noise: str) -> None:
    def written(cell: Cell) -> str:
        return f"{cell[0]},{cell[1]}"

    dialogue, presses = learn(GRAN, written, noise=noise)
    check(dialogue, GRAN, written)
    assert presses <= 17


@pytest.mark.parametrize(
    ("frames", "template"),
    [
        ("0x3 0x43", "0x{16*row+col:X}"),
        ("0x43 0x54 0xa3", "0x{16*row+col:x}"),
        ("0x03,0x07", "0x{row:02X},0x{col:02X}"),
        ("03,07 10,11", "{row:02},{col:02}"),
        ("3,7 4,6 BULL", "*"),
        ("3,7,1 4,6,1", "*"),
        ("3,7,1 4,6,1 2,2,1", "{row},{col},1"),
        ("1A 43", "*"),
        ("T20 D5", "*"),
        ("1700,3 1800,4 1900,6", "*"),
    ],
)
def test_the_form_is_the_first_that_reads_all_frames(frames: str, template: str) -> None:
    assert FrameForms(OPEN).choose([frame.encode() for frame in frames.split()], is_sure=True) == template


TEXTS = ["3,7", "03,07", "3,A", "0x43", "0xa3", "P3,7", "R3,7", "3,7,1", "3,7,0", "12", "T20", "up", "alive", "{row}"]
SAID = st.sampled_from([*TEXTS, "{3}", '{"r":3,"c":4}', "999,1", "0x0304", "\xff", "Ready:1.0"])


@pytest.mark.slow
@settings(max_examples=many(8, 100), deadline=None)
@given(
    said=st.lists(st.tuples(SAID | st.text(min_size=1, max_size=6), st.sampled_from([0.1, 1.5, 4.0])), max_size=25),
    step=st.data(),
)
def test_whatever_a_board_says_its_learning_can_be_gone_on_with(
    said: list[tuple[str, float]], step: st.DataObject
) -> None:
    dialogue, now = Dialogue(OPEN), 0
    dialogue.connect(now)
    for text, seconds in said:
        dialogue.hear(text.encode("latin-1", "replace"), now)
        now += int(seconds * S)
        dialogue.tick(now)
        if step.draw(st.integers(0, 9)) == 0:
            dialogue.undo(now)
    dialogue.tick(now + S)
    reader = dialogue.reader
    later = Dialogue(OPEN, dialogue.answers, frame=reader.frame, releases=reader.releases.examples)
    assert later.answers == dialogue.answers
    assert later.press == dialogue.press or not dialogue.answers
