"""What people and other programs write for a bed of the standard layout; what is kept of it is the id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.layouts import find_layout
from protocol.segment import UnknownSegment
from protocol.standard import NUMBERS, standard

LAYOUT = standard()
WORDS = {"T": ("t", "triple", "Treble "), "D": ("d", "double"), "S": ("s", "Single ")}
BULLS = {
    "SB": ("25", "S25", "OB", "SB", "outer bull", "Single Bull", "SBULL"),
    "DB": ("50", "D25", "IB", "DB", "BULL", "Bullseye", "inner bull", "double bull", "double 25", "DBull"),
    "MISS": ("0", "miss"),
}


@given(st.sampled_from([segment.id for segment in LAYOUT]), st.data())
def test_an_id_is_read_in_any_case(segment_id: str, data: st.DataObject) -> None:
    written = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in segment_id)
    assert LAYOUT.find(f" {written} ").id == segment_id


@pytest.mark.parametrize("ring", WORDS)
def test_rings_are_read_as_words(ring: str) -> None:
    for number in NUMBERS:
        for word in WORDS[ring]:
            assert LAYOUT.find(f"{word}{number}").id == LAYOUT.find(f"{word} {number}".upper()).id == f"{ring}{number}"


@pytest.mark.parametrize("bull", BULLS)
def test_bulls_are_read_as_programs_and_players_write_them(bull: str) -> None:
    for text in BULLS[bull]:
        assert {LAYOUT.find(each).id for each in (text, text.lower(), text.upper())} == {bull}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("20", "S20"),
        ("doubel 16", "D16"),
        ("tripel 20", "T20"),
        ("T21", "T2"),
        ("bulls", "DB"),
        ("outerbul", "SB"),
        ("60", None),
        ("?", None),
    ],
)
def test_what_is_not_read_names_the_nearest_that_is(text: str, meant: str | None) -> None:
    with pytest.raises(UnknownSegment) as refused:
        LAYOUT.find(text)
    end = "" if meant is None else f"; did you mean {meant}?"
    assert str(refused.value) == f"the standard layout has no segment {text!r}{end}"


@pytest.mark.parametrize(("layout", "text"), [("yatzy", "6I"), ("yatzy", "25"), ("ground_round", "bull")])
def test_other_layouts_read_their_ids_alone(layout: str, text: str) -> None:
    with pytest.raises(UnknownSegment):
        find_layout(layout).find(text)
