"""Boards that say when a contact opens as well: the press is learned, and the profile ignores the release."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from protocol.codebook import load
from protocol.learning.candidates import Cell
from protocol.learning.dialogue import Dialogue
from protocol.learning.releases import Releases
from protocol.profile import Hits, Profile
from protocol.source import Source
from tests.protocol.test_frame_forms import GRAN, S, Written, check, learn
from tests.protocol.wired import assert_reads
from tests.sweep import sweep


def letters(cell: Cell) -> str:
    """A contact that is no number."""
    return f"<{chr(65 + cell[0])}{chr(97 + cell[1])}>"


BOTH: dict[str, tuple[Written, Written]] = {
    "P and R": (lambda cell: "P{},{}".format(*cell), lambda cell: "R{},{}".format(*cell)),
    "down and up": (lambda cell: "{} {} down".format(*cell), lambda cell: "{} {} up".format(*cell)),
    "1 and 0": (lambda cell: "{};{};1".format(*cell), lambda cell: "{};{};0".format(*cell)),
    "JSON": (
        lambda cell: '{{"r":{},"c":{},"pressed":true}}'.format(*cell),
        lambda cell: '{{"r":{},"c":{},"pressed":false}}'.format(*cell),
    ),
    "JSON with numbers": (
        lambda cell: '{{"state":1,"r":{},"c":{}}}'.format(*cell),
        lambda cell: '{{"state":0,"r":{},"c":{}}}'.format(*cell),
    ),
    "a minus": (lambda cell: "{},{}".format(*cell), lambda cell: "-{},{}".format(*cell)),
    "words of its own": (lambda cell: "a{}.{}".format(*cell), lambda cell: "z{}.{}".format(*cell)),
    "letters": (lambda cell: f"+{letters(cell)}", lambda cell: f"-{letters(cell)}"),
    "letters and words of its own": (lambda cell: f"{letters(cell)}yes", lambda cell: f"{letters(cell)}no"),
    "letters and one word": (letters, lambda cell: "up"),
    "letters and one word of its own": (letters, lambda cell: "over"),
}
LIKE_PRESSES: dict[str, tuple[Written, Written]] = {
    "a running number, 1 and 0": (
        lambda cell: f"{12 * cell[0] + cell[1]},1",
        lambda cell: f"{12 * cell[0] + cell[1]},0",
    ),
    "1 and 0, a running number": (
        lambda cell: f"1 {12 * cell[0] + cell[1]}",
        lambda cell: f"0 {12 * cell[0] + cell[1]}",
    ),
    "a bit": (lambda cell: f"0x{16 * cell[0] + cell[1]:02X}", lambda cell: f"0x{16 * cell[0] + cell[1] | 0x80:02X}"),
    "a bit in small letters": (
        lambda cell: f"key 0x{16 * cell[0] + cell[1] | 0x80:02x}",
        lambda cell: f"key 0x{16 * cell[0] + cell[1]:02x}",
    ),
}
"""Releases that look like presses of a matrix board."""
USUAL = {
    "P and R",
    "1 and 0",
    "JSON",
    "a minus",
    "words of its own",
    "letters and words of its own",
    "letters and one word",
    "a running number, 1 and 0",
    "a bit",
}
"""One of each kind: a word of releases, a number, a sign, words that only this board has, a bit."""


@pytest.mark.slow
@pytest.mark.parametrize("way", sweep([*BOTH, *LIKE_PRESSES], lambda way: way in USUAL))
def test_the_press_is_kept_and_the_release_ignored(way: str) -> None:
    press, release = {**BOTH, **LIKE_PRESSES}[way]
    dialogue, presses = learn(GRAN, press, release=release)
    check(dialogue, GRAN, press)
    book = load(Source(dialogue.write_profile(), "mine.toml"))
    for cell in GRAN.values():
        assert book.meaning(release(cell).encode()) is None
        assert book.ignores(release(cell).encode()), release(cell)
    assert presses <= (84 if way in BOTH else 96)


def test_a_release_within_the_press_is_no_second_contact() -> None:
    dialogue = Dialogue(Profile(id="mine", name="mine", hits=Hits(frame="*")))
    dialogue.connect(0)
    dialogue.hear(b"<Aa> down", 1)
    dialogue.hear(b"<Aa> up", 2)
    dialogue.tick(dialogue.deadline() or 0)
    assert dialogue.answers == [("I20", "<Aa> down")]


@pytest.mark.parametrize(
    ("press", "frame"),
    [
        ("T20", "D20"),
        ("I20", "O20"),
        ("3,1", "3,0"),
        ("1", "0"),
        ("S1", "S0"),
        ("11", "10"),
        ("<Aa>", "<Ab>"),
        ("7", "5"),
    ],
)
def test_another_press_is_no_release_however_often_it_follows(press: str, frame: str) -> None:
    releases = Releases()
    assert not any(releases.is_release(press, frame) for _ in range(3))
    assert releases.list_frames([press]) == []


def test_a_word_that_begins_every_release_is_ignored_in_one_line() -> None:
    releases = Releases()
    assert releases.is_release("P3,7", "R3,7", is_alone=True)
    assert releases.list_frames(["P3,7", "P4,7"]) == []
    assert releases.is_release("P4,7", "R4,7", is_alone=True)
    assert releases.list_frames(["P3,7", "P4,7"]) == ["R*"]
    assert releases.list_frames(["P3,7", "Ready"]) == ["R3,7"]


PAIRS: dict[str, Callable[[str], str]] = {
    "1 and 0 beside two numbers": lambda bed: f"{bed[1:]},1,{int(bed[0] != 'O')}",
    "plus and minus": lambda bed: bed[1:] + ("-" if bed[0] == "O" else "+"),
    "H and L": lambda bed: bed[1:] + ("L" if bed[0] == "O" else "H"),
    "nothing and minus": lambda bed: bed[1:] + ("-" if bed[0] == "O" else ""),
    "down and up": lambda bed: f"{bed[1:]} {'up' if bed[0] == 'O' else 'down'}",
}
"""What boards send for inner and outer singles that differ as a press and its release do on others."""


def say_bed(pair: str, bed: str) -> str:
    return PAIRS[pair](bed) if bed[0] in "IO" else f"<{bed}>"


@pytest.mark.parametrize(
    ("pair", "frame", "by_name"),
    sweep(
        product(PAIRS, ["*", None], [False, True]), lambda case: case[0] == "down and up" or case[1:] == (None, False)
    ),
)
def test_two_beds_that_differ_by_a_word_of_releases_are_both_learned(
    pair: str, frame: str | None, *, by_name: bool
) -> None:
    dialogue, now, presses = Dialogue(Profile(id="mine", name="mine", hits=Hits(frame=frame)), by_name=by_name), 0, 0
    dialogue.connect(now)
    said: dict[str, str] = {}
    while (ask := dialogue.press) is not None:
        bed = f"O{ask.press[1:]}" if ask.press[0] == "S" and ask.press != "SB" else ask.press
        said[bed] = say_bed(pair, bed)
        dialogue.hear(said[bed].encode(), now)
        now += 2 * S
        dialogue.tick(now)
        presses += 1
        assert presses < (110 if by_name else 90), dialogue.answers
    assert_reads(dialogue.write_profile(), said)
    assert len(said) == 82
    assert "ignore" not in dialogue.write_profile()


@pytest.mark.parametrize("pair", PAIRS)
def test_a_program_that_presses_once_is_waited_for_once(pair: str) -> None:
    dialogue, now, dead = Dialogue(Profile(id="mine", name="mine", hits=Hits(frame="*")), by_name=True), 0, []
    dialogue.connect(now)
    while (ask := dialogue.press) is not None:
        dialogue.hear(say_bed(pair, ask.press.replace("S", "O") if ask.press != "SB" else "SB").encode(), now)
        number = len(dialogue.answers)
        while len(dialogue.answers) == number and dialogue.press is not None:
            now = dialogue.deadline() or now
            dialogue.tick(now)
        dead += [segment for segment, contact in dialogue.answers[number:] if contact is None]
    assert dead == []


@pytest.mark.parametrize("is_strange", [False, True])
@pytest.mark.parametrize(
    ("press", "frame"), [("20,1,1", "20,1,0"), ("20+", "20-"), ("20H", "20L"), ("20", "20-"), ("3,7 on", "3,7 off")]
)
def test_what_was_taken_for_a_release_can_be_taken_back(press: str, frame: str, *, is_strange: bool) -> None:
    releases = Releases()
    assert releases.is_release(press, frame, is_strange=is_strange)
    assert not releases.is_believed(press, frame)
    assert not releases.list_frames([press])
    assert not releases.examples
    releases.refute(press, frame)
    assert not any(releases.is_release(press, frame, is_strange=is_strange) for _ in range(3))
    releases.note_press()
    assert not releases.list_frames([press])
    assert not releases.examples


def test_a_press_that_is_taken_back_takes_its_release_with_it() -> None:
    dialogue = Dialogue(Profile(id="mine", name="mine", hits=Hits(frame="*")))
    dialogue.connect(0)
    dialogue.hear(b"<Aa> down", 1)
    dialogue.hear(b"<Aa> up", 2)
    dialogue.tick(S)
    assert dialogue.reader.releases.examples == [("<Aa> down", "<Aa> up")]
    dialogue.undo(2 * S)
    assert dialogue.reader.releases.examples == []


def test_what_was_noticed_is_known_to_an_earlier_run_s_successor() -> None:
    press, release = BOTH["letters and words of its own"]
    dialogue, _ = learn(GRAN, press, release=release)
    later = Dialogue(
        Profile(id="mine", name="mine", hits=Hits()),
        dialogue.answers[:20],
        frame=dialogue.reader.frame,
        releases=dialogue.reader.releases.examples,
    )
    later.connect(0)
    last = dialogue.answers[19][1]
    assert isinstance(last, str)
    later.hear(last.replace("yes", "no").encode(), 10**9)
    later.tick(2 * 10**9)
    assert later.answers == dialogue.answers[:20]
    assert "ignore" in dialogue.write_profile()


@pytest.mark.parametrize(
    ("asked", "first"), [("D20 D2 T5 T9 D7 D8", 1), ("I20 O20 I1 O1 I18 O18", None), ("D20 D2 T5 T9 D7", None)]
)
def test_every_second_answer_is_a_release_unless_halves_of_singles_were_asked_for(
    asked: str, first: int | None
) -> None:
    answers = [(segment, f"{at // 2},{1 - at % 2}") for at, segment in enumerate(asked.split())]
    assert Releases().find_first(answers) == first
