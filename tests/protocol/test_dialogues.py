"""What boards say besides hits, one habit at a time: each is something a real board or its published reader does."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.codebook import expand, shipped
from protocol.endpoint import Board, Host, connect
from protocol.events import BoardCommand, Button, Flash, Hit, Light, MissSensed, Status, Write
from protocol.framing import Framing
from protocol.profile import Hits, Profile
from protocol.segment import Segment
from protocol.standard import standard
from tests.protocol.hearing import DATA, SECOND, said, spoken, words
from tests.protocol.test_boards import THROW, sdb

LAYOUT = standard()
MS = 1_000_000


def hit(segment_id: str, time_ns: int = 0) -> Hit:
    return Hit(segment=LAYOUT[segment_id], time_ns=time_ns)


def told(host: Host, *chunks: bytes, now: int = 0) -> list[str]:
    return [said(event) for chunk in chunks for event in host.feed(chunk, now)]


TALKS = re.findall(
    r"^([a-z-]+): (.+)\n((?:(?![a-z-]+: ).*\n)+)", (DATA / "dialogues.txt").read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(("board", "talk"), [pytest.param(b, talk, id=f"{b}: {title}") for b, title, talk in TALKS])
def test_what_a_board_and_its_host_say(board: str, talk: str) -> None:
    for connection in talk.strip().split("\n\n"):
        host, now, heard = Host(shipped(board)), 0, list[str]()
        for line in connection.splitlines():
            step, _, rest = line.partition(" ")
            match step:
                case "at":
                    now = round(float(rest) * MS)
                case "open":
                    host.on_open(now)
                case "tick":
                    heard += map(said, host.tick(now))
                case "due":
                    assert host.deadline() == (None if rest == "never" else round(float(rest) * MS)), line
                case ">":
                    assert [packet.hex() for packet in host.packets()] == rest.split(), line
                case "<":
                    text = re.sub('"(.*)"', lambda found: found[1].encode("latin-1").hex(), rest)
                    heard += map(said, host.feed(bytes.fromhex(text), now))
                case _:
                    assert heard == rest.split(", ")
                    heard.clear()
        assert heard == []


class TestGranboard:
    def test_a_frame_of_nothing_is_none(self) -> None:
        """However much the profile ignores."""
        host = Host(expand(replace(shipped("granboard").profile, ignore=["*"])))
        assert told(host, b"\0@", b"@\0\0@", b"GB8;102\0@", b"3.4@") == ["status GB8;102", "T20"]

    def test_lamps_of_beds_the_layout_does_not_have(self) -> None:
        """A profile may put any layout on it; no command may raise."""
        star = expand(Profile(id="x", name="x", layout="yatzy", hits=Hits(frame="{id}"), dialogue="granboard"))
        host, board = Host(star), Board(star)
        host.send(Light(star.segments))
        host.send(Light((Segment("X70", 70, 1),)))
        host.send(Flash(star.segments[0]))
        for packet in (*host.packets(), b"\x01" * 20, b"\x01" * 10 + b"\0" * 6, b"\x02" + b"\x1c" * 15):
            assert not any(isinstance(command, Flash) for command in board.feed(packet, 0))

    @given(first=st.integers(0, 0x2F), separator=st.sampled_from([b"", b"\0"]))
    def test_a_clone_that_counts_behind_the_end(self, first: int, separator: bytes) -> None:
        """A count that looks like a digit makes another segment of a frame for those who do not know it for a count."""
        frames = [b"1.6@", b"11.6@", b"0.1@", b"BTN@"] * 80
        meanings = ["D18", "D16", "I4", "button next"] * 80
        packets = [frame + bytes([(first + n) % 256]) + separator for n, frame in enumerate(frames)]
        assert words("granboard", *packets) == meanings

    def test_its_lamps_show_targets(self) -> None:
        assert lamps(Light((LAYOUT["S1"],))) == "07" + "00" * 19
        assert lamps(Light((LAYOUT["T20"], LAYOUT["D1"]))) == "04" + "00" * 18 + "01"
        assert lamps(Light(LAYOUT.group("20"))) == "00" * 19 + "07", "several beds of one number"
        assert lamps(Light((LAYOUT["SB"], LAYOUT["T20"]))) == "00" * 19 + "01"
        assert lamps(Light((LAYOUT["DB"],))) == "07" * 20, "the bull has no lamp of its own"
        assert lamps(Light(())) == lamps(Light((LAYOUT["MISS"],))) == "00" * 20

    def test_its_lamps_show_a_hit(self) -> None:
        assert lamps(Flash(LAYOUT["O1"])) == "01ff0000ff95000000001c0014000001", "as it was captured"
        assert lamps(Flash(LAYOUT["T20"])) == "03ff0000ff9500000000190014000001"
        assert lamps(Flash(LAYOUT["DB"])) == "02ff0000ff9500000000000014000001"
        assert lamps(Flash(LAYOUT["MISS"])) == ""

    def test_the_lamp_below_each_number(self) -> None:
        published = [28, 49, 55, 34, 22, 40, 1, 7, 16, 43, 10, 19, 37, 13, 46, 4, 52, 31, 58, 25]
        for n, lamp in enumerate(published, 1):
            assert bytes.fromhex(lamps(Flash(LAYOUT[f"D{n}"])))[10:12] == bytes([lamp, 0])

    @pytest.mark.parametrize(
        "setting", ["040000000000000000003435", "0f0000000000000000003637", "0000004b0405000000003a3b"]
    )
    def test_a_setting_that_persists_is_never_sent(self, setting: str) -> None:
        assert lamps(Write(bytes.fromhex(setting))) == ""
        assert lamps(Write(bytes.fromhex(setting)[:11])) != ""

    @given(st.lists(st.sampled_from(LAYOUT.segments), max_size=8))
    def test_no_lamp_command_is_a_setting(self, segments: list[Segment]) -> None:
        commands: list[BoardCommand] = [Light(tuple(segments)), *map(Flash, segments)]
        for command in commands:
            assert len(lamps(command)) // 2 in (0, 16, 20)

    @given(st.lists(st.sampled_from([s for s in LAYOUT.areas if s.value != 25]), max_size=8))
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


def lamps(command: BoardCommand) -> str:
    host = Host(shipped("granboard"))
    host.send(command)
    packets = host.packets()
    assert len(packets) <= 1
    return b"".join(packets).hex()


class TestSdbBt:
    def test_it_remembers_256_packets(self) -> None:
        host = Host(shipped("sdb-bt"))
        old = sdb(0, "0b0002")
        told(host, old, *(sdb(n, "0d0100") for n in range(1, 256)))
        assert told(host, old) == ["echo"]
        assert told(host, sdb(256, "0d0100"), old) == ["D1", "T20"]

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
        assert words("sdb-bt", *packets, *spoken(board, MissSensed())) == ["button next", "T20", "miss"]


class TestUnicorn:
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
        host.on_open(0)
        for n in range(1, 5):
            (beat,) = host.packets()
            assert beat.hex() == BEAT
            assert board.feed(beat, 0) == []
            (reply,) = board.packets()
            assert reply == REPLY
            assert host.feed(reply, (n - 1) * 10 * SECOND) == []
            assert host.deadline() == n * 10 * SECOND
            assert host.tick(n * 10 * SECOND) == []


class TestPikado:
    def test_it_is_asked_and_tells_its_version(self) -> None:
        host, board = Host(shipped("pikado")), Board(shipped("pikado"))
        assert [said(event) for event in connect(host, board, 0)] == ["status Pikado_2010_02_13"]
        assert host.deadline() is None
        assert told(host, *spoken(board, hit("T20"), Button(name="next"), MissSensed())) == [
            "T20",
            "button next",
            "miss",
        ]

    def test_a_version_in_larger_frames_may_hold_any_byte(self) -> None:
        """What a person writes on top of this dialogue may cut frames as it likes."""
        host = Host(expand(replace(shipped("pikado").profile, framing=Framing(kind="datagram"))))
        host.on_open(0)
        assert told(host, b"\0", b"P\xff\xe4", b"\0") == ["status P\xff\xe4"]

    @pytest.mark.parametrize(("asked", "answer"), [("00", "ff"), ("08", "00"), ("10", "04"), ("0810", "0008")])
    def test_what_its_firmware_answers(self, asked: str, answer: str) -> None:
        board = Board(shipped("pikado"))
        assert board.feed(bytes.fromhex(asked), 0) == []
        assert board.outgoing().hex() == answer
