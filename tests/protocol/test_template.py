"""Templates: what is filled in, in which notation, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.template import Notation, Values, fill, words

VALUES: Values = {"n": 20, "nn": "07", "row": 6, "col": 11, "id": "T20", "key": "ä"}


@pytest.mark.parametrize(
    ("template", "notation", "frame"),
    [
        ("{n}", "text", b"20"),
        ("{nn};{n}", "text", b"07;20"),
        ("{100+n}", "text", b"120"),
        ("<{id}>", "text", b"<T20>"),
        ("{key}", "text", b"\xe4"),
        ('{"segment":"{id}"}', "text", b'{"segment":"T20"}'),
        ("{column}{}{Row}{n*2}{-}", "text", b"{column}{}{Row}{n*2}{-}"),
        ("{n-1}", "text", b"19"),
        ("{n}", "hex", b"\x14"),
        ("a2 03 {n+60} 00 04", "hex", bytes.fromhex("a203500004")),
        ("{16*row+col}", "hex", b"\x6b"),
        ("{16*row + col + 1}", "hex", b"\x6c"),
        ("{0x10*row+col+0x01}", "hex", b"\x6c"),
        ("{n+0x81}", "hex", b"\x95"),
        ("01{key}", "hex", b"\x01\xe4"),
        ("A2  0a\tFF", "hex", b"\xa2\x0a\xff"),
    ],
)
def test_a_template_filled_in(template: str, notation: Notation, frame: bytes) -> None:
    assert fill(template, notation, VALUES) == frame


@pytest.mark.parametrize(
    ("template", "notation", "sentence"),
    [
        ("{n+236}", "hex", "{n+236} is 256, which does not fit into a byte"),
        ("{n-21}", "hex", "{n-21} is -1, which does not fit into a byte"),
        ("0x14", "hex", "'0x14' is not hex; write each byte as two digits, as in 54 32 0d"),
        ("{ring}", "hex", "'{ring}' is not hex; write each byte as two digits, as in 54 32 0d"),
        ("{id+1}", "text", "{id+1} counts with id, which is no number"),
        ("→", "text", "'→' holds characters no board sends"),
    ],
)
def test_a_template_that_cannot_be(template: str, notation: Notation, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        fill(template, notation, VALUES)
    assert str(caught.value) == sentence


def test_the_words_of_a_template() -> None:
    assert words("{16*row+col} {n} {7} {Not} {}") == {"row", "col", "n"}


@given(base=st.integers(0, 100), factor=st.integers(0, 9), n=st.integers(0, 17))
def test_sums_are_sums(base: int, factor: int, n: int) -> None:
    assert fill(f"{{{base}+{factor}*n}}", "hex", {"n": n}) == bytes([base + factor * n])
    assert fill(f"{{{factor}*n+{base}}}", "text", {"n": n}) == str(base + factor * n).encode()
