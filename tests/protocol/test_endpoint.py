"""The laws of both ends of the wire, for every shipped profile. What frames mean is held to the truth elsewhere."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codebook import Codebook, load, make_blank_codebook, shipped
from protocol.dialogue import NO_ANSWER
from protocol.endpoint import Board, Host, connect, has_lamps
from protocol.events import (
    TOLD,
    Battery,
    BoardEvent,
    Button,
    Echo,
    Flash,
    Garbage,
    Hit,
    Light,
    MissSensed,
    Status,
    Stuck,
    Unanswered,
    Write,
)
from protocol.source import Source
from tests.protocol.hearing import FRAMED, SECOND, WEB, heard, said, sayable, spoken, words
from tests.sweep import BOARDS, many, sweep

SOME = pytest.mark.parametrize("name", sweep(FRAMED, BOARDS.__contains__))
EVERY = pytest.mark.parametrize("name", FRAMED)
STREAMS = pytest.mark.parametrize("name", [n for n in FRAMED if not shipped(n).profile.framing.is_packets])
PACKETS = pytest.mark.parametrize("name", [n for n in FRAMED if shipped(n).profile.framing.is_packets])
LINES = pytest.mark.parametrize(
    "name",
    [n for n in FRAMED if shipped(n).profile.framing.kind == "delimited" and shipped(n).profile.link != "ble"],
)
PLAIN = pytest.mark.parametrize("name", [n for n in FRAMED if shipped(n).profile.dialogue == "plain"])

BRIEFLY = settings(max_examples=many(8, 30), deadline=None)
"""There are many profiles; the fuzzer goes on where this ends."""

SPLIT = {
    *("fynn", "opendarts", "granboard", "dartslive-home", "sdb-bt", "unicorn", "smartness", "darts-connect"),
    *("pidart", "raspuinodart", "pydarts-7x12"),
}
"""Boards that tell the two singles of a number apart."""

BOTH = {"granboard-bridge", "plain-standard"}
"""Those that can say it either way."""


@cache
def wires(name: str) -> st.SearchStrategy[list[bytes]]:
    """What may come from a board of this kind, packet by packet: what it says, bits of that, and anything else."""
    codebook = shipped(name)
    good = st.sampled_from(spoken(Board(codebook), *sayable(codebook)))
    bits = st.tuples(good, st.integers(0, 20), st.integers(0, 20)).map(lambda t: t[0][t[1] : t[1] + t[2]])
    framing = codebook.profile.framing
    marks = st.sampled_from([framing.start.encode(), framing.end.encode(), b"\n", b"\r", b" ", b"\0", b"x" * 70])
    return st.lists(good | bits | marks | st.binary(max_size=12), max_size=12)


@pytest.mark.parametrize("name", [*FRAMED, *WEB])
def test_a_board_that_has_lamps_is_told_what_to_light(name: str) -> None:
    codebook = shipped(name)
    host = Host(codebook)
    host.send(Flash(codebook.layout["T20"] if "T20" in codebook.layout else codebook.segments[0]))
    assert bool(host.packets()) == has_lamps(codebook.profile)


@pytest.mark.parametrize("name", WEB)
def test_a_board_that_is_a_web_server_has_no_frames_to_send(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} has no frames to send: its messages are those of a web server$"):
        Board(shipped(name))


@EVERY
def test_whatever_a_board_can_say_the_host_understands(name: str) -> None:
    codebook = shipped(name)
    board, host = Board(codebook), Host(codebook)
    connect(host, board, 0)
    for count, event in enumerate(sayable(codebook), 1):
        now = count * SECOND
        assert board.send(event)
        (back,) = [heard for packet in board.packets() for heard in host.feed(packet, now)]
        assert said(back) == said(event)
        assert back.time_ns == now
        assert codebook.meaning(back.raw) is not None
        assert (board.packets(), board.outgoing()) == ([], b""), "handed out once"
        board.tick(now + SECOND)
        assert [heard for packet in board.packets() for heard in host.feed(packet, now)] == [], "a button is let go"


@EVERY
def test_every_segment_is_reported_as_itself_or_its_merged_single(name: str) -> None:
    codebook = shipped(name)
    if codebook.layout.name == "standard":
        assert len(codebook.segments) == (82 if name in SPLIT else 102 if name in BOTH else 62)
    else:
        assert set(codebook.segments) == set(codebook.layout) - {codebook.layout.miss}
    for segment in codebook.layout.areas:
        seen = codebook.reported(segment)
        assert seen is not None
        assert seen == segment or (segment.id[0] in "IO" and seen.id == f"S{segment.id[1:]}")
        assert words(name, *spoken(Board(codebook), Hit(segment=segment))) == [seen.id]


@STREAMS
@BRIEFLY
@given(data=st.data())
def test_how_the_bytes_were_cut_never_shows(name: str, data: st.DataObject) -> None:
    stream = b"".join(data.draw(wires(name)))
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    chunks = [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]
    whole = heard(name, stream)
    assert heard(name, *chunks) == whole
    assert heard(name, *(stream[i : i + 1] for i in range(len(stream)))) == whole, "byte by byte"


@EVERY
@BRIEFLY
@given(data=st.data())
def test_no_bytes_make_it_raise_or_act(name: str, data: st.DataObject) -> None:
    codebook = shipped(name)
    chunks = data.draw(wires(name) | st.lists(st.binary(max_size=200), max_size=8))
    host, board = Host(codebook), Board(codebook)
    host.on_open(0)
    for count, chunk in enumerate(chunks):
        for event in host.feed(chunk, count) + host.tick(count * 20 * SECOND):
            assert isinstance(event, Hit | Button | MissSensed | Stuck | Status | Echo | Garbage | Unanswered)
            if isinstance(event, Hit | Button | MissSensed | Stuck):
                assert codebook.meaning(event.raw) is not None
        for command in board.feed(chunk, count):
            assert isinstance(command, Write | Light | Flash)


@STREAMS
@BRIEFLY
@given(data=st.data())
def test_after_garbage_and_an_end_the_next_hit_is_read(name: str, data: st.DataObject) -> None:
    codebook = shipped(name)
    kind, end = codebook.profile.framing.kind, codebook.profile.framing.end.encode()
    garbage = b"".join(data.draw(wires(name))) if kind != "camera" else data.draw(st.binary(max_size=200))
    if kind == "camera":
        garbage = garbage.replace(b"\x23", b"")  # a header would be one, and what it counts would be skipped
    segment = data.draw(st.sampled_from(codebook.segments))
    good = b"".join(spoken(Board(codebook), Hit(segment=segment)))
    assert words(name, garbage + (end if kind == "delimited" else b"") + good)[-1] == segment.id


@PACKETS
@BRIEFLY
@given(data=st.data())
def test_packets_that_are_none_cost_no_other(name: str, data: st.DataObject) -> None:
    codebook = shipped(name)
    host, board = Host(codebook), Board(codebook)
    for noise in data.draw(wires(name)):
        host.feed(noise, 0)
    board.feed(b"", 0)
    segment = data.draw(st.sampled_from(codebook.segments))
    for key in spoken(Board(codebook), Hit(segment=segment))[1:]:
        host.feed(key, 0)  # all keys up
    packets = [*spoken(board, Hit(segment=segment)), *spoken(board, Hit(segment=segment))]
    assert [said(event) for packet in packets for event in host.feed(packet, 1)][-1] in (segment.id, "echo")


@SOME
def test_a_thousand_hits_a_millisecond_apart_are_complete_and_in_order(name: str) -> None:
    codebook = shipped(name)
    segments = [codebook.segments[(n * 37) % len(codebook.segments)] for n in range(1000)]
    board, host = Board(codebook), Host(codebook)
    connect(host, board, 0)
    events: list[BoardEvent] = []
    for n, segment in enumerate(segments):
        for packet in spoken(board, Hit(segment=segment)):
            events += host.feed(packet, n * 1_000_000)
    assert [(said(e), e.time_ns) for e in events] == [(s.id, n * 1_000_000) for n, s in enumerate(segments)]


@STREAMS
def test_a_burst_in_one_chunk_is_complete_too(name: str) -> None:
    codebook = shipped(name)
    board = Board(codebook)
    for segment in codebook.segments * 20:
        board.send(Hit(segment=segment))
    assert words(name, board.outgoing()) == [s.id for s in codebook.segments * 20]


@LINES
def test_an_overlong_line_is_one_garbage(name: str) -> None:
    (event,) = heard(name, b"?" * 5000 + shipped(name).profile.framing.end.encode())
    assert event == Garbage(raw=b"?" * 64, time_ns=5)


@EVERY
def test_commands_reach_the_board(name: str) -> None:
    host, board = Host(shipped(name)), Board(shipped(name))
    assert (host.packets(), host.outgoing()) == ([], b"")
    frames = [b"B", b"N"] if shipped(name).profile.framing.kind == "fixed" else [b"BAN", b"NEXT"]
    if shipped(name).profile.framing.kind == "camera":
        frames = [bytes.fromhex("23080000 02000000 03010000 00000000 00000000")]
    for frame in frames:
        host.send(Write(frame))
    assert [c for packet in host.packets() for c in board.feed(packet, 0)] == [Write(frame) for frame in frames]
    assert host.outgoing() == b""


@PLAIN
def test_lamps_are_no_bytes_for_a_board_without(name: str) -> None:
    host = Host(shipped(name))
    segment = shipped(name).segments[0]
    host.send(Light((segment,)))
    host.send(Flash(segment))
    assert host.packets() == []


@LINES
def test_noise_from_the_host_is_no_command(name: str) -> None:
    assert Board(shipped(name)).feed(b"?" * 5000 + shipped(name).profile.framing.end.encode(), 0) == []


@PLAIN
def test_a_board_without_a_dialogue_keeps_no_clock(name: str) -> None:
    host, board = Host(shipped(name)), Board(shipped(name))
    assert connect(host, board, 0) == []
    for end in (host, board):
        assert end.deadline() is None
        assert end.tick(0) == []


def test_what_a_board_has_no_words_for_is_not_said() -> None:
    board = Board(shipped("fynn"))
    layout = shipped("fynn").layout
    mute: list[BoardEvent] = [
        MissSensed(),
        Stuck(),
        Button(name="undo"),
        Battery(percent=80),
        Hit(segment=layout["S20"]),
    ]
    for event in (*mute, Hit(segment=layout.miss), Echo(), Unanswered(said=NO_ANSWER)):
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


CHATTY = """
id = "chatty"
name = "Greets, and talks in between"
ignore = ["Ready.", "Debug: *"]
[serial]
banner = "Chatty 2"
[hits]
frame = "{id}"
ignore_case = %s
"""


def test_only_the_greeting_of_a_board_is_about_itself() -> None:
    host = Host(load(Source(CHATTY % "false", "chatty.toml")))
    lines = b"Ready.\r\nChatty 2\r\nDebug: T20\r\nDebug:\r\nCHATTY 2\r\nT20\r\n"
    heard = host.feed(lines, 0)
    assert [said(event) for event in heard] == ["status Chatty 2", "garbage", "garbage", "T20"]
    assert [event.raw for event in heard[1:3]] == [b"Debug:", b"CHATTY 2"]


def test_where_the_case_does_not_count_it_does_for_no_frame() -> None:
    host = Host(load(Source(CHATTY % "true", "chatty.toml")))
    lines = b"READY.\r\nchatty 2\r\ndEBUG: t20\r\nt20\r\n"
    assert [said(event) for event in host.feed(lines, 0)] == ["status chatty 2", "T20"]


MASKED = """
id = "masked"
name = "Counts its packets"
notation = "hex"
ignore = ["00 a0", "00 b0 00 07 *"]
[framing]
kind = "datagram"
[handshake]
send = "01"
expect = "00 c0"
[hits]
mask = "00 f0%s"
names = { T20 = "00 10" }
"""


@pytest.mark.parametrize(
    ("rest", "packets"),
    [
        (
            "",
            {
                "77 a1": "",
                "77 a1 00": "garbage",
                "77": "garbage",
                "00 e0": "garbage",
                "77 b9 00 07 12": "",
                "77 b9 00 08": "garbage",
            },
        ),
        (" *", {"77 a1": "", "77 a1 05": "", "77 b9 00 07": "", "77 b9": "garbage", "00 e0 00 07": "garbage"}),
        (" ff ff *", {"00 a0": "", "77 a0": "garbage", "77 b9 00 07 12": "", "77 b9 00 08": "garbage"}),
    ],
)
def test_what_a_mask_leaves_out_counts_for_no_frame(rest: str, packets: dict[str, str]) -> None:
    text = MASKED % rest
    host = Host(load(Source(text.replace("00 10", "00 10 00 00") if "ff" in rest else text, "masked.toml")))
    for packet, meaning in packets.items():
        assert [said(event) for event in host.feed(bytes.fromhex(packet), 0)] == ([meaning] if meaning else [])


def test_an_answer_counts_by_what_counts_of_a_frame() -> None:
    caseless = HANDSHAKE.replace("[hits]", "[hits]\nignore_case = true")
    for text, answer in ((MASKED % "", b"\x55\xcf"), (caseless, b"Ready\r\n")):
        host = Host(load(Source(text, "shy.toml")))
        host.on_open(0)
        assert host.feed(answer, 1) == []
        assert host.deadline() is None


def test_where_nothing_means_anything_every_frame_comes_as_it_is() -> None:
    host = Host(make_blank_codebook(shipped("realopendarts").profile))
    lines = b"1,7\r\nVIB\r\nnoise\r\n"
    assert host.feed(lines, 3) == [Garbage(raw=raw, time_ns=3) for raw in lines.split()]
    assert host.feed(b"Ready.\r\n", 3) == [], "what is known to mean nothing is no riddle"


HANDSHAKE = """
id = "shy"
name = "Asked first"
[hits]
frame = "{id}"
[handshake]
send = "HELLO"
expect = "READY"
within_ms = 300
"""


def test_a_handshake_needs_no_code() -> None:
    shy = load(Source(HANDSHAKE, "shy.toml"))
    host, board = Host(shy), Board(shy)
    host.on_open(0)
    assert host.deadline() == 300_000_000
    asked = host.outgoing()
    assert asked == b"HELLO\r\n"
    assert board.feed(asked, 0) == []
    assert host.feed(b"T20\r\n" + board.outgoing() + b"T19\r\n", 1) == host_hits(shy, "T20", "T19")
    assert host.deadline() is None
    assert host.feed(b"READY\r\n", 2) == [Garbage(raw=b"READY", time_ns=2)], "it was not asked for"


def test_an_unanswered_handshake_says_what_to_do() -> None:
    host = Host(load(Source(HANDSHAKE, "shy.toml")))
    host.on_open(0)
    assert host.tick(299_999_999) == []
    (event,) = host.tick(300_000_000)
    assert isinstance(event, Unanswered)
    assert str(event.said) == (
        "the board does not answer: check that this is the board's port and that the profile is right"
    )
    assert host.deadline() is None


def host_hits(codebook: Codebook, *ids: str) -> list[BoardEvent]:
    return [Hit(segment=codebook.layout[i], raw=i.encode(), time_ns=1) for i in ids]


def test_each_kind_of_event_can_be_told() -> None:
    assert set(TOLD) == set(BoardEvent.__subclasses__())
