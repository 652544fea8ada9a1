"""The codec's laws for every shipped profile. What the lines mean is held against the truth in test_formats.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codebook import Codebook, load, shipped, shipped_names
from protocol.endpoint import Board, Host
from protocol.events import Battery, Button, Event, Garbage, Hit, Miss, Status, Write
from protocol.source import Source
from tests.protocol.hearing import heard, said

EVERY = pytest.mark.parametrize("name", shipped_names())


def lines_of(codebook: Codebook) -> st.SearchStrategy[bytes]:
    """What may come from a board of this kind: its lines, bits of them, and anything else."""
    framing = codebook.profile.framing
    good = st.sampled_from(sorted(codebook.meanings)).map(framing.wrap)
    marks = st.sampled_from([framing.start.encode(), framing.end.encode(), b"\n", b"\r", b" ", b"x" * 70])
    return st.lists(good | marks | st.binary(max_size=8), max_size=12).map(b"".join)


@EVERY
def test_whatever_a_board_can_say_the_host_understands(name: str) -> None:
    codebook = shipped(name)
    board, host = Board(codebook), Host(codebook)
    sayable: list[Event] = [Hit(segment=segment) for segment in codebook.segments]
    sayable += [Button(name=button) for button in codebook.profile.buttons]
    sayable += [Miss()] if codebook.profile.miss else []
    for event in sayable:
        assert board.send(event)
        (back,) = host.feed(board.outgoing(), 7)
        assert said(back) == said(event)
        assert back.time_ns == 7
        assert back.raw in codebook.meanings or codebook.profile.hits.ignore_case
        assert board.outgoing() == b"", "handed out once"


@EVERY
def test_every_segment_of_the_face_is_reported_as_itself_or_as_its_merged_single(name: str) -> None:
    codebook = shipped(name)
    split = {"fynn": 82, "opendarts": 82, "granboard-bridge": 102, "plain-standard": 102}
    if codebook.layout.name == "standard":
        assert len(codebook.segments) == split.get(name, 62)
    else:
        assert set(codebook.segments) == set(codebook.layout) - {codebook.layout.miss}
    for segment in codebook.layout.areas:
        seen = codebook.reported(segment)
        assert seen is not None
        assert seen == segment or (segment.id[0] in "IO" and seen.id == f"S{segment.id[1:]}")
        board = Board(codebook)
        assert board.send(Hit(segment=segment))
        assert [said(e) for e in Host(codebook).feed(board.outgoing(), 0)] == [seen.id]


@EVERY
@given(data=st.data())
def test_how_the_bytes_were_cut_never_shows(name: str, data: st.DataObject) -> None:
    stream = data.draw(lines_of(shipped(name)))
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    chunks = [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]
    whole = heard(name, stream)
    assert heard(name, *chunks) == whole
    assert heard(name, *(stream[i : i + 1] for i in range(len(stream)))) == whole, "byte by byte"


@EVERY
@given(chunks=st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_make_it_raise_or_act(name: str, chunks: list[bytes]) -> None:
    codebook = shipped(name)
    for event in heard(name, *chunks):
        assert isinstance(event, Hit | Button | Miss | Status | Garbage)
        assert isinstance(event, Garbage | Status) == (codebook.meaning(event.raw) is None)
    board = Board(codebook)
    assert all(isinstance(command, Write) for chunk in chunks for command in board.feed(chunk, 0))


@EVERY
@given(data=st.data())
def test_after_garbage_and_an_end_the_next_hit_is_read(name: str, data: st.DataObject) -> None:
    codebook = shipped(name)
    framing = codebook.profile.framing
    garbage = data.draw(lines_of(codebook)) + framing.end.encode()
    segment = data.draw(st.sampled_from(codebook.segments))
    events = heard(name, garbage, framing.wrap(codebook.frames[codebook.meanings[frame_of(codebook, segment.id)]]))
    assert said(events[-1]) == segment.id


def frame_of(codebook: Codebook, segment_id: str) -> bytes:
    return next(f for f, m in codebook.meanings.items() if m.segment is not None and m.segment.id == segment_id)


@EVERY
def test_a_thousand_hits_a_millisecond_apart_are_complete_and_in_order(name: str) -> None:
    codebook = shipped(name)
    segments = [codebook.segments[(n * 37) % len(codebook.segments)] for n in range(1000)]
    board, host = Board(codebook), Host(codebook)
    events: list[Event] = []
    for n, segment in enumerate(segments):
        board.send(Hit(segment=segment))
        events += host.feed(board.outgoing(), n * 1_000_000)
    assert [(said(e), e.time_ns) for e in events] == [(s.id, n * 1_000_000) for n, s in enumerate(segments)]


@EVERY
def test_a_burst_in_one_chunk_is_complete_too(name: str) -> None:
    codebook = shipped(name)
    board = Board(codebook)
    for segment in codebook.segments * 20:
        board.send(Hit(segment=segment))
    assert [said(e) for e in heard(name, board.outgoing())] == [s.id for s in codebook.segments * 20]


@EVERY
def test_an_overlong_line_is_one_garbage(name: str) -> None:
    (event,) = heard(name, b"?" * 5000 + shipped(name).profile.framing.end.encode())
    assert event == Garbage(raw=b"?" * 64, time_ns=5)


@EVERY
def test_commands_reach_the_board(name: str) -> None:
    host, board = Host(shipped(name)), Board(shipped(name))
    assert host.outgoing() == b""
    host.send(Write(b"BAN"))
    host.send(Write(b"NEXT"))
    assert board.feed(host.outgoing(), 0) == [Write(b"BAN"), Write(b"NEXT")]
    assert host.outgoing() == b""


@EVERY
def test_noise_from_the_host_is_no_command(name: str) -> None:
    assert Board(shipped(name)).feed(b"?" * 5000 + shipped(name).profile.framing.end.encode(), 0) == []


@EVERY
def test_a_line_board_keeps_no_clock(name: str) -> None:
    for end in (Host(shipped(name)), Board(shipped(name))):
        assert end.deadline() is None
        assert end.tick(0) == []


def test_what_a_board_has_no_words_for_is_not_said() -> None:
    board = Board(shipped("fynn"))
    face = shipped("fynn").layout
    for event in (Miss(), Button(name="undo"), Battery(percent=80), Hit(segment=face["S20"]), Hit(segment=face.miss)):
        assert not board.send(event)
    assert board.outgoing() == b""


def test_only_singles_merge_on_a_board_that_merges() -> None:
    singles = load(Source('id = "singles"\nname = "Singles only"\n[hits.names]\nS = "{n}"\n', "singles.toml"))
    reported = {i: singles.reported(singles.layout[i]) for i in ("O20", "I20", "S20", "T20", "D20", "SB", "DB", "MISS")}
    s20 = singles.layout["S20"]
    assert reported == {"O20": s20, "I20": s20, "S20": s20} | dict.fromkeys(["T20", "D20", "SB", "DB", "MISS"])


def test_noise_and_greetings_are_said_as_they_are() -> None:
    board, host = Board(shipped("opendarts")), Host(shipped("opendarts"))
    assert board.send(Status(text="OpenDarts", raw=b"OpenDarts"))
    assert board.send(Garbage(raw=b"\xffboot\x00"))
    assert host.feed(board.outgoing(), 3) == [
        Status(text="OpenDarts", raw=b"OpenDarts", time_ns=3),
        Garbage(raw=b"\xffboot\x00", time_ns=3),
    ]
