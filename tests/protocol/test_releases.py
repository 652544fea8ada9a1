"""Boards that say when a contact opens as well: the press is learned, and the profile ignores the release."""

from __future__ import annotations

import pytest

from protocol.codebook import load
from protocol.learning.candidates import Cell
from protocol.learning.dialogue import Dialogue
from protocol.learning.releases import Releases
from protocol.profile import Hits, Profile
from protocol.source import Source
from tests.protocol.test_frame_forms import GRAN, Written, check, learn


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


@pytest.mark.parametrize("way", BOTH)
def test_the_press_is_kept_and_the_release_ignored(way: str) -> None:
    press, release = BOTH[way]
    dialogue, presses = learn(GRAN, press, release=release)
    check(dialogue, GRAN, press)
    book = load(Source(dialogue.write_profile(), "mine.toml"))
    for cell in GRAN.values():
        assert book.meaning(release(cell).encode()) is None
        assert book.ignores(release(cell).encode()), release(cell)
    assert presses <= 84


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
    assert releases.is_release("P3,7", "R3,7")
    assert releases.list_frames(["P3,7", "P4,7"]) == ["R*"]
    assert releases.list_frames(["P3,7", "Ready"]) == ["R3,7"]


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
