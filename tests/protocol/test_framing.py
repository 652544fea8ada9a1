"""Laws of cutting bytes into frames, and templates: what is filled in, in which notation."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.framing import Frame, Framer, Framing
from protocol.profile import Notation
from protocol.templates import Values, fill, find_words

LINES = Framing()
FRAMINGS = [
    LINES,
    Framing(end="\n", limit=8),
    Framing(end="\r", limit=5),
    Framing(end="@", limit=1),
    Framing(start="<", end=">", limit=6),
    Framing(start="$$", end="\r\n", limit=10),
    Framing(kind="fixed"),
    Framing(kind="fixed", size=3),
]
CUTTING = pytest.mark.parametrize("framing", FRAMINGS, ids=str)

wire = st.lists(
    st.sampled_from([b"<", b">", b"$", b"$$", b"@", b"\r", b"\n", b"\r\n", b" ", b"T20", b"\xff"]), max_size=30
)
wires = wire.map(b"".join) | st.binary(max_size=60)


def cut(framing: Framing, data: bytes, places: list[int] | None = None) -> list[Frame]:
    """The frames in these bytes when they arrive in chunks that end at these places."""
    framer = Framer(framing)
    ends = [*sorted(place % (len(data) + 1) for place in places or ()), len(data)]
    starts = [0, *ends[:-1]]
    return [frame for a, b in zip(starts, ends, strict=True) for frame in framer.feed(data[a:b])]


@CUTTING
@given(data=wires, places=st.lists(st.integers(0, 1000), max_size=12))
def test_how_the_bytes_were_cut_never_shows(framing: Framing, data: bytes, places: list[int]) -> None:
    whole = cut(framing, data)
    assert cut(framing, data, places) == whole
    assert cut(framing, data, list(range(len(data)))) == whole, "byte by byte"


@CUTTING
@given(data=st.lists(wires, max_size=6))
def test_what_is_kept_and_what_is_handed_out_is_bounded(framing: Framing, data: list[bytes]) -> None:
    framer = Framer(framing)
    empty = len(pickle.dumps(framer))
    bound = max(framing.limit, framing.size)
    kept = bound * (2 if framing.start else 1)  # a frame, and how the noise before it began
    for chunk in data:
        frames = framer.feed(chunk * 20)
        assert all(0 < len(frame.data) <= bound for frame in frames)
        assert len(pickle.dumps(framer)) <= empty + kept + 8


@CUTTING
@given(garbage=wires)
def test_after_garbage_and_an_end_a_good_frame_is_read(framing: Framing, garbage: bytes) -> None:
    if framing.kind == "fixed":
        garbage += b"x" * (-len(garbage) % framing.size)  # nothing tells where a fixed frame begins
        good = b"abc"[: framing.size]
    else:
        garbage += framing.end.encode()
        good = b"7"
    assert cut(framing, garbage + framing.wrap(good))[-1] == Frame(good)


@CUTTING
@given(words=st.lists(st.text("aZ09,;", min_size=3, max_size=8).map(str.encode), max_size=20))
def test_wrapped_frames_come_back_in_order(framing: Framing, words: list[bytes]) -> None:
    size = framing.size if framing.kind == "fixed" else framing.limit - len(framing.start) - framing.end.count("\r\n")
    frames = [word[:size] for word in words]
    assert cut(framing, b"".join(map(framing.wrap, frames))) == [Frame(b) for b in frames]


@pytest.mark.parametrize("data", [b"3,4\r\n", b"3,4\n", b"\r\n\n3,4\r\n\r\n", b" 3,4 \t\r\n", b"3,4\r\r\n"])
def test_cr_lf_or_lf_and_white_space_are_all_the_same(data: bytes) -> None:
    assert cut(LINES, data) == [Frame(b"3,4")]
    assert cut(Framing(end="\n"), data) == [Frame(b"3,4")]


def test_a_lone_cr_does_not_end_a_line() -> None:
    assert cut(LINES, b"1,2\r3,4\r\n") == [Frame(b"1,2\r3,4")]


def test_a_line_that_has_not_ended_is_waited_for() -> None:
    framer = Framer(LINES)
    assert framer.feed(b"1,") == []
    assert framer.feed(b"") == []
    assert framer.feed(b"2\r") == []
    assert framer.feed(b"\n3") == [Frame(b"1,2")]


@pytest.mark.parametrize("length", [65, 66, 1000, 100_000])
def test_an_overlong_line_is_one_broken_frame(length: int) -> None:
    line = b"x" * length
    assert cut(LINES, line) == [Frame(b"x" * 64, broken=True)], "at once, not only at its end"
    assert cut(LINES, line + b"\r\n1,2\r\n") == [Frame(b"x" * 64, broken=True), Frame(b"1,2")]


def test_a_line_of_just_the_limit_is_whole() -> None:
    assert cut(LINES, b"x" * 64 + b"\n") == [Frame(b"x" * 64)]


MARKED = Framing(start="<", end=">")


@pytest.mark.parametrize(
    ("data", "frames"),
    [
        (b"<T20>", [Frame(b"T20")]),
        (b"<T20>\r\n<D5>\r\n", [Frame(b"T20"), Frame(b"D5")]),
        (b"boot v1.2\r\n<T20>", [Frame(b"T20")]),
        (b"1700; <T20>\r\n17<01<D5>", [Frame(b"T20"), Frame(b"<01", broken=True), Frame(b"D5")]),
        (b"<T2<D5>", [Frame(b"<T2", broken=True), Frame(b"D5")]),
        (b"T20><D5>", [Frame(b"T20", broken=True), Frame(b"D5")]),
        (b"<>>\r\n><D5>", [Frame(b"D5")]),
    ],
)
def test_a_start_marker_tells_frames_from_noise(data: bytes, frames: list[Frame]) -> None:
    assert cut(MARKED, data) == frames


@given(noise=st.binary(max_size=1000).map(lambda noise: noise.replace(b">", b"=").replace(b"<", b"=")))
def test_noise_before_a_start_marker_costs_no_frame_and_is_none(noise: bytes) -> None:
    assert cut(MARKED, noise + b"<T20><D5>") == [Frame(b"T20"), Frame(b"D5")]


@given(noise=st.binary(min_size=65, max_size=300).map(lambda noise: b"<" + noise.replace(b">", b"<")))
def test_a_frame_that_does_not_end_is_told_however_long_it_is(noise: bytes) -> None:
    assert cut(MARKED, noise + b"<T20><D5>") == [Frame(noise[:64], broken=True), Frame(b"T20"), Frame(b"D5")]


def test_noise_without_any_end_is_told_once() -> None:
    assert cut(MARKED, b"x" * 1024) == []
    assert cut(MARKED, b"x" * 100_000) == [Frame(b"x" * 64, broken=True)]
    assert cut(MARKED, b"x" * 100_000 + b"<T20>") == [Frame(b"x" * 64, broken=True), Frame(b"T20")]
    assert cut(MARKED, b"x" * 100 + b">") == [Frame(b"x" * 64, broken=True)]


def test_a_datagram_is_a_frame() -> None:
    framing = Framing(kind="datagram", limit=4)
    framer = Framer(framing)
    assert framer.feed(b"") == []
    assert framer.feed(b"\r\n 1") == [Frame(b"\r\n 1")]
    assert framer.feed(b"12345") == [Frame(b"1234", broken=True)]
    assert framer.feed(framing.wrap(b"ok")) == [Frame(b"ok")]


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
        ("{row:02};{row:02X}{16*row+col:x} {n+180:03X}", "text", b"06;066b 0C8"),
        ("{n:2}{n:}{7:02}", "text", b"{n:2}{n:}{7:02}"),
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
        ("{n+236}", "hex", "{n+236} is 256, and a byte must be 0 to 255"),
        ("{n-21}", "hex", "{n-21} is -1, and a byte must be 0 to 255"),
        ("0x14", "hex", "'0x14' is not hex: write each byte as two digits, as in 54 32 0d"),
        ("{ring}", "hex", "'{ring}' is not hex: write each byte as two digits, as in 54 32 0d"),
        ("{row:02X}", "hex", "'{row:02X}' is not hex: write each byte as two digits, as in 54 32 0d"),
        ("{id:02}", "text", "{id:02} calculates with id, which is not a number"),
        ("{id+1}", "text", "{id+1} calculates with id, which is not a number"),
        ("→", "text", "'→' contains characters that no board sends"),
    ],
)
def test_a_template_that_cannot_be(template: str, notation: Notation, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        fill(template, notation, VALUES)
    assert str(caught.value) == sentence


def test_the_words_of_a_template() -> None:
    assert find_words("{16*row+col} {n} {7} {Not} {}") == {"row", "col", "n"}


@given(base=st.integers(0, 100), factor=st.integers(0, 9), n=st.integers(0, 17))
def test_sums_are_sums(base: int, factor: int, n: int) -> None:
    assert fill(f"{{{base}+{factor}*n}}", "hex", {"n": n}) == bytes([base + factor * n])
    assert fill(f"{{{factor}*n+{base}}}", "text", {"n": n}) == str(base + factor * n).encode()
