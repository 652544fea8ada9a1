"""What boards say besides hits, one habit at a time: each is something a real board or its published reader does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.codebook import expand, shipped
from protocol.endpoint import Board, Host, meet
from protocol.events import Button, Command, Flash, Garbage, Hit, Light, Miss, Status, Unanswered, Write
from protocol.framing import Framing
from protocol.profile import Hits, Profile
from protocol.segment import Segment
from protocol.standard import standard
from tests.protocol.hearing import SECOND, said, spoken, words
from tests.protocol.test_boards import THROW, sdb

FACE = standard()
MS = 1_000_000


def hit(segment_id: str, time_ns: int = 0) -> Hit:
    return Hit(segment=FACE[segment_id], time_ns=time_ns)


def told(host: Host, *chunks: bytes, now: int = 0) -> list[str]:
    return [said(event) for chunk in chunks for event in host.feed(chunk, now)]


class TestGranboard:
    @pytest.mark.parametrize(
        ("chunks", "expected"),
        [
            (["GB8;1027.0@"], ["status GB8;102", "T3"]),
            (["GB7;101", "7.0@"], ["status GB7;101", "T3"]),
            (["GB", "8;1", "0211.6@"], ["status GB8;102", "D16"]),
            (["GB8;102@"], ["status GB8;102"]),
            (["GB8;102BTN@"], ["status GB8;102", "button next"]),
            (["2.5@8.0@OUT@"], ["O1", "SB", "miss"]),
            (["2.", "5@"], ["O1"]),
            (["11", ".6@11.", "6@"], ["D16", "D16"]),
            (["write OK@3.4@"], ["T20"]),
            (["GB8;10.0@"], ["garbage"]),
            (["4.1@", "8.1@", "12.0@", "0.7@"], ["garbage"] * 4),
            (["31.6@", "A3.4@"], ["garbage", "garbage"]),
        ],
    )
    def test_its_greeting_and_its_frames(self, chunks: list[str], expected: list[str]) -> None:
        assert words("granboard", *(chunk.encode() for chunk in chunks)) == expected

    def test_a_frame_of_nothing_is_none(self) -> None:
        """However much the profile ignores, and between the frames of a clone that counts too."""
        host = Host(expand(replace(shipped("granboard").profile, ignore=["*"])))
        assert told(host, b"\0@", b"@\0\0@", b"GB8;102\0@", b"3.4@") == ["status GB8;102", "T20"]
        assert words("granboard", b"\x3e3.4@", b"\x3f3.4@", b"\0@1.6@", b"\x411.6@") == ["T20", "T20", "D18", "D18"]

    def test_lamps_of_beds_the_face_does_not_have(self) -> None:
        """A profile may put any face on it; no command may raise."""
        star = expand(Profile(id="x", name="x", layout="yatzy", hits=Hits(frame="{id}"), dialogue="granboard"))
        host, board = Host(star), Board(star)
        host.send(Light(star.segments))
        host.send(Light((Segment("X70", 70, 1),)))
        host.send(Flash(star.segments[0]))
        for packet in (*host.packets(), b"\x01" * 20, b"\x01" * 10 + b"\0" * 6, b"\x02" + b"\x1c" * 15):
            assert not any(isinstance(command, Flash) for command in board.feed(packet, 0))

    def test_a_lone_00_between_packets(self) -> None:
        assert words("granboard", b"3.4@", b"\0", b"11.6@", b"\0", b"\0", b"1.6@") == ["T20", "D16", "D18"]

    @given(first=st.integers(0, 0x2F), separator=st.sampled_from([b"", b"\0"]))
    def test_a_clone_that_counts_behind_the_end(self, first: int, separator: bytes) -> None:
        """A count that looks like a digit makes another segment of a frame for those who do not know it for a count."""
        frames = [b"1.6@", b"11.6@", b"0.1@", b"BTN@"] * 80
        meanings = ["D18", "D16", "I4", "button next"] * 80
        packets = [frame + bytes([(first + n) % 256]) + separator for n, frame in enumerate(frames)]
        assert words("granboard", *packets) == meanings

    def test_a_board_that_does_not_count_is_never_taken_for_one_that_does(self) -> None:
        host = Host(shipped("granboard"))
        assert told(host, b"3.4@\x30", b"1.6@") == ["T20", "garbage"], "a single stray byte that looks like a digit"
        assert told(host, b"\x2f3.4@", b"0.1@", b"11.6@") == ["T20", "I4", "D16"]

    def test_its_lamps_show_targets(self) -> None:
        assert lamps(Light((FACE["S1"],))) == "07" + "00" * 19
        assert lamps(Light((FACE["T20"], FACE["D1"]))) == "04" + "00" * 18 + "01"
        assert lamps(Light(FACE.group("20"))) == "00" * 19 + "07", "several beds of one number"
        assert lamps(Light((FACE["SB"], FACE["T20"]))) == "00" * 19 + "01"
        assert lamps(Light((FACE["DB"],))) == "07" * 20, "the bull has no lamp of its own"
        assert lamps(Light(())) == lamps(Light((FACE["MISS"],))) == "00" * 20

    def test_its_lamps_show_a_hit(self) -> None:
        assert lamps(Flash(FACE["O1"])) == "01ff0000ff95000000001c0014000001", "as it was captured"
        assert lamps(Flash(FACE["T20"])) == "03ff0000ff9500000000190014000001"
        assert lamps(Flash(FACE["DB"])) == "02ff0000ff9500000000000014000001"
        assert lamps(Flash(FACE["MISS"])) == ""

    def test_the_lamp_below_each_number(self) -> None:
        published = [28, 49, 55, 34, 22, 40, 1, 7, 16, 43, 10, 19, 37, 13, 46, 4, 52, 31, 58, 25]
        for n, lamp in enumerate(published, 1):
            assert bytes.fromhex(lamps(Flash(FACE[f"D{n}"])))[10:12] == bytes([lamp, 0])

    @pytest.mark.parametrize(
        "setting", ["040000000000000000003435", "0f0000000000000000003637", "0000004b0405000000003a3b"]
    )
    def test_a_setting_that_persists_is_never_sent(self, setting: str) -> None:
        assert lamps(Write(bytes.fromhex(setting))) == ""
        assert lamps(Write(bytes.fromhex(setting)[:11])) != ""

    @given(st.lists(st.sampled_from(FACE.segments), max_size=8))
    def test_no_lamp_command_is_a_setting(self, segments: list[Segment]) -> None:
        commands: list[Command] = [Light(tuple(segments)), *map(Flash, segments)]
        for command in commands:
            assert len(lamps(command)) // 2 in (0, 16, 20)

    @given(st.lists(st.sampled_from([s for s in FACE.areas if s.value != 25]), max_size=8))
    def test_the_board_lights_the_numbers_it_was_told(self, segments: list[Segment]) -> None:
        board = Board(shipped("granboard"))
        (lit,) = board.feed(bytes.fromhex(lamps(Light(tuple(segments)))), 0)
        assert isinstance(lit, Light)
        assert {s.value for s in lit.segments} == {s.value for s in segments}
        for segment in segments:
            (flash,) = board.feed(bytes.fromhex(lamps(Flash(segment))), 0)
            assert isinstance(flash, Flash)
            assert (flash.segment.points, flash.segment.value) == (segment.points, segment.value)

    def test_a_greeting_is_said_without_an_end(self) -> None:
        board = Board(shipped("granboard"))
        greeting = Status(text="GB8;102", raw=b"GB8;102")
        assert b"".join(spoken(board, greeting, hit("T3"))) == b"GB8;1027.0@"


def lamps(command: Command) -> str:
    host = Host(shipped("granboard"))
    host.send(command)
    packets = host.packets()
    assert len(packets) <= 1
    return b"".join(packets).hex()


class TestSdbBt:
    def test_the_same_packet_again_is_an_echo(self) -> None:
        host = Host(shipped("sdb-bt"))
        t20, d1 = sdb(1, "0b0002"), sdb(2, "0d0100")
        assert told(host, t20, t20, d1, t20) == ["T20", "echo", "D1", "echo"]

    def test_the_same_segment_with_another_count_is_another_dart(self) -> None:
        assert words("sdb-bt", sdb(1, "0b0002"), sdb(2, "0b0002")) == ["T20", "T20"]

    def test_it_remembers_256_packets(self) -> None:
        host = Host(shipped("sdb-bt"))
        old = sdb(0, "0b0002")
        told(host, old, *(sdb(n, "0d0100") for n in range(1, 256)))
        assert told(host, old) == ["echo"]
        assert told(host, sdb(256, "0d0100"), old) == ["D1", "T20"]

    def test_a_new_connection_counts_from_the_start(self) -> None:
        for _ in range(2):
            assert words("sdb-bt", sdb(1, "0b0002")) == ["T20"]

    def test_a_miss_or_a_button_let_go(self) -> None:
        press, let_go, held = "0000ff", "0000ee", "0000cc"
        heard = words("sdb-bt", *(sdb(n, key) for n, key in enumerate([let_go, press, let_go, let_go], 1)))
        assert heard == ["miss", "button next", "miss"]
        heard = words("sdb-bt", *(sdb(n, key) for n, key in enumerate([press, held, let_go, let_go], 1)))
        assert heard == ["button next", "button long", "miss"]

    @pytest.mark.parametrize(("at_ms", "heard"), [(4_999, []), (5_000, ["miss"]), (60_000, ["miss"])])
    def test_a_release_that_was_lost_costs_no_later_miss(self, at_ms: int, heard: list[str]) -> None:
        host = Host(shipped("sdb-bt"))
        assert told(host, sdb(1, "0000ff")) == ["button next"]
        assert told(host, sdb(2, "0000ee"), now=at_ms * MS) == heard
        assert told(host, sdb(3, "0000ee"), now=at_ms * MS + 1) == ["miss"], "it was let go only once"

    def test_a_button_that_is_held_for_long_is_let_go_all_the_same(self) -> None:
        host = Host(shipped("sdb-bt"))
        for n in range(4):
            assert told(host, sdb(n, "0000cc" if n else "0000ff"), now=n * 4 * SECOND) != []
        assert told(host, sdb(9, "0000ee"), now=16 * SECOND) == []

    def test_a_dart_between_press_and_release_is_one(self) -> None:
        heard = words("sdb-bt", *(sdb(n, key) for n, key in enumerate(["0000ff", "0b0002", "0000ee"], 1)))
        assert heard == ["button next", "T20"]

    @given(st.binary(min_size=10, max_size=10))
    def test_a_wrong_sum_is_garbage(self, packet: bytes) -> None:
        if packet[9] != sum(packet[6:9]) % 256:
            assert words("sdb-bt", packet) == ["garbage"]

    def test_a_simulated_press_is_let_go(self) -> None:
        board = Board(shipped("sdb-bt"))
        packets = spoken(board, Button(name="next", time_ns=SECOND), hit("T20"))
        assert board.deadline() == SECOND + 120 * MS
        board.tick(SECOND + 120 * MS)
        packets += board.packets()
        assert board.deadline() is None
        assert [int.from_bytes(packet[:4], "little") for packet in packets] == [1, 2, 3]
        assert [packet[6:9].hex() for packet in packets] == ["0000ff", "0b0002", "0000ee"]
        assert words("sdb-bt", *packets, *spoken(board, Miss())) == ["button next", "T20", "miss"]


class TestUnicorn:
    def test_it_is_told_again_three_times(self) -> None:
        host = Host(shipped("unicorn"))
        host.opened(0)
        assert host.packets() == [], "the link itself has told it when it connected"
        for n in range(1, 4):
            assert host.deadline() == 20 * n * SECOND
            assert host.tick(20 * n * SECOND - 1) == []
            assert host.packets() == []
            assert host.tick(20 * n * SECOND) == []
            assert host.packets() == [b"\x03"]
        assert host.deadline() is None

    def test_the_first_dart_proves_that_it_listens(self) -> None:
        host = Host(shipped("unicorn"))
        host.opened(0)
        assert told(host, b"\x55\xaa", b"\x99\x99") == ["button next", "garbage"]
        assert host.deadline() == 20 * SECOND, "a key or noise proves nothing"
        assert told(host, b"\x14\x03") == ["T20"]
        assert host.deadline() is None

    def test_the_link_switches_it_on_and_off(self) -> None:
        ble = shipped("unicorn").profile.ble
        assert ble is not None
        assert (ble.enable, ble.disable, ble.release_ms) == ("03", "02", 2500)


BEAT = "23080000ff000000000000000000000000000000"
REPLY = bytes.fromhex("23080000ff0000000101000008000000003050400100000000000000")
NEXT = bytes.fromhex("2308000001000000040100000800000052010000a0ef714000100000")


def throw(key: str, image: bytes = b"", *, counted: bool = False) -> bytes:
    """A throw with its photograph, whose size the header counts or not."""
    jpeg = b"\xff\xd8" + image + b"\xff\xd9"
    frame = bytearray(bytes.fromhex(f"{THROW} {key} 001000"))
    frame[12:16] = (8 + (len(jpeg) if counted else 0)).to_bytes(4, "little")
    return bytes(frame) + jpeg


class TestDartsConnect:
    def test_a_photograph_may_hold_anything(self) -> None:
        image = b"\xff\xe0" + NEXT + bytes.fromhex(f"{THROW} 54") + bytes(3000) + b"\x23\x08"
        for counted in (False, True):
            stream = throw("54", image, counted=counted) + throw("34", counted=counted) + NEXT
            assert words("darts-connect", stream) == ["T20", "D20", "button next"]
            assert words("darts-connect", *(stream[i : i + 7] for i in range(0, len(stream), 7))) == [
                *("T20", "D20", "button next")
            ]

    def test_a_photograph_that_is_counted_may_hold_its_own_end(self) -> None:
        assert words("darts-connect", throw("54", b"\xff\xd9" + NEXT, counted=True), NEXT) == ["T20", "button next"]

    def test_a_throw_without_a_photograph(self) -> None:
        assert words("darts-connect", NEXT + throw("54") + NEXT) == ["button next", "T20", "button next"]
        assert words("darts-connect", throw("54")[:-4], throw("34")[:-4], NEXT) == ["T20", "D20", "button next"]

    def test_noise_before_a_frame(self) -> None:
        assert words("darts-connect", b"HTTP/1.1 400\r\n" + throw("54")) == ["garbage", "T20"]
        assert words("darts-connect", b"x" * 5000 + NEXT) == ["garbage", "button next"]
        assert words("darts-connect", b"\x23\x08\x00\x00" * 3 + NEXT) == ["garbage", "button next"]

    def test_a_size_that_cannot_be_swallows_nothing(self) -> None:
        huge = bytes.fromhex("23080000 01000000 02010000 ffffffff 00000000")
        assert words("darts-connect", huge + NEXT) == ["garbage", "button next"]

    def test_it_hears_from_us_and_answers(self) -> None:
        host, board = Host(shipped("darts-connect")), Board(shipped("darts-connect"))
        host.opened(0)
        for n in range(1, 5):
            (beat,) = host.packets()
            assert beat.hex() == BEAT
            assert board.feed(beat, 0) == []
            (reply,) = board.packets()
            assert reply == REPLY
            assert host.feed(reply, (n - 1) * 10 * SECOND) == []
            assert host.deadline() == n * 10 * SECOND
            assert host.tick(n * 10 * SECOND) == []

    def test_silence_for_15_s_is_the_end(self) -> None:
        host = Host(shipped("darts-connect"))
        host.opened(0)
        host.feed(b"\x23", 4 * SECOND)
        host.tick(10 * SECOND)
        assert host.deadline() == 19 * SECOND
        (event,) = host.tick(19 * SECOND)
        assert isinstance(event, Unanswered)
        assert event.text == "the board has fallen silent: switch it off and on again"
        assert host.deadline() is None

    def test_a_tick_that_comes_late_is_no_silence(self) -> None:
        host = Host(shipped("darts-connect"))
        host.opened(0)
        host.feed(REPLY, 14 * SECOND)
        assert host.tick(14 * SECOND) == []
        assert host.packets()[-1].hex() == BEAT
        assert host.deadline() == 24 * SECOND

    def test_its_button_says_everything_twice(self) -> None:
        host = Host(shipped("darts-connect"))
        assert told(host, NEXT) == ["button next"]
        assert told(host, NEXT, now=49 * MS) == ["echo"]
        assert told(host, NEXT, now=50 * MS) == ["button next"]
        assert told(host, throw("54"), throw("54"), now=51 * MS) == ["T20", "T20"], "darts are none of that"

    def test_decoding_without_a_connection_needs_no_clock(self) -> None:
        host = Host(shipped("darts-connect"))
        assert told(host, NEXT, now=5 * SECOND) == ["button next"]
        assert host.deadline() is None


class TestPikado:
    def test_it_is_asked_and_tells_its_version(self) -> None:
        host, board = Host(shipped("pikado")), Board(shipped("pikado"))
        assert [said(event) for event in meet(host, board, 0)] == ["status Pikado_2010_02_13"]
        assert host.deadline() is None
        assert told(host, *spoken(board, hit("T20"), Button(name="next"), Miss())) == ["T20", "button next", "miss"]

    def test_what_it_is_asked(self) -> None:
        host = Host(shipped("pikado"))
        host.opened(0)
        assert (host.packets(), host.deadline()) == ([b"\x04"], 1000 * MS)
        assert told(host, b"\0") == []
        assert (host.packets(), host.deadline()) == ([b"\x11"], 1000 * MS)

    def test_nobody_answers(self) -> None:
        host = Host(shipped("pikado"))
        host.opened(0)
        (event,) = host.tick(1000 * MS)
        assert isinstance(event, Unanswered)

    def test_a_dart_before_the_answer_and_one_before_the_version_count(self) -> None:
        host = Host(shipped("pikado"))
        host.opened(0)
        assert told(host, b"\x0a", b"\0", b"\x30", b"Pikado_2010\0", b"\x30", b"\x0a") == [
            *("T20", "D8", "status Pikado_2010", "D8", "T20")
        ]

    def test_a_version_that_never_comes_costs_nothing(self) -> None:
        host = Host(shipped("pikado"))
        host.opened(0)
        assert told(host, b"\0") == []
        assert host.tick(2000 * MS) == []
        assert host.deadline() is None
        assert told(host, b"\x30") == ["D8"]

    def test_a_version_without_an_end_is_garbage(self) -> None:
        host = Host(shipped("pikado"))
        host.opened(0)
        assert told(host, b"\0Pikado") == []
        assert host.tick(1000 * MS) == [Garbage(raw=b"Pikado", time_ns=1000 * MS)]

    def test_a_version_in_larger_frames_may_hold_any_byte(self) -> None:
        """What a person writes on top of this dialogue may cut frames as it likes."""
        host = Host(expand(replace(shipped("pikado").profile, framing=Framing(kind="datagram"))))
        host.opened(0)
        assert told(host, b"\0", b"P\xff\xe4", b"\0") == ["status P\xff\xe4"]

    @pytest.mark.parametrize(("asked", "answer"), [("00", "ff"), ("08", "00"), ("10", "04"), ("0810", "0008")])
    def test_what_its_firmware_answers(self, asked: str, answer: str) -> None:
        board = Board(shipped("pikado"))
        assert board.feed(bytes.fromhex(asked), 0) == []
        assert board.outgoing().hex() == answer


def test_stuck_contacts_of_pidart() -> None:
    assert words("pidart", b"\x09\x70\x70\x70\x1a") == ["T20", "stuck", "stuck", "stuck", "I1"]
