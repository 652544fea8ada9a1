"""Each habit of each board, one by one: from the dart over the bytes to what counts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol.codebook import Codebook, expand, shipped
from protocol.endpoint import Host
from protocol.events import Echo, Hit, Status
from protocol.mat import Wiring
from simulator.board import make_firmware
from simulator.contacts import Faults
from simulator.habits import HABITS, MODELS, PLAIN, Habits, find_habits, speed_up
from tests.protocol.hearing import FRAMED
from tests.simulator.conversation import Conversation

GRANBOARD = shipped("granboard")
UNICORN = shipped("unicorn")
SDB = shipped("sdb-bt")
DARTSLIVE = shipped("dartslive-home")
SMARTNESS = shipped("smartness")
DARTS_CONNECT = shipped("darts-connect")
OPENDARTS = shipped("opendarts")


def test_every_habit_is_of_a_board_that_ships() -> None:
    assert set(HABITS) <= set(FRAMED)


@pytest.mark.parametrize("name", FRAMED)
def test_with_all_habits_a_dart_is_a_dart(name: str) -> None:
    book = shipped(name)
    told = Conversation(book, habits=find_habits(book.profile))
    ids = [segment.id for segment in book.segments]
    assert told.throw(10_000, *ids, apart_ms=3000)
    assert told.counted(10_000 + 3000 * len(ids)) == ids
    assert told.garbage == []


# GRANBOARD


def test_the_greeting_of_a_granboard_comes_glued_to_its_first_frame() -> None:
    told = Conversation(GRANBOARD, habits=Habits(greeting=b"GB8;102", keeps_greeting=True))
    assert told.packets == []
    told.throw(500, "T3", "T3", apart_ms=500)
    assert told.packets == [b"GB8;1027.0@", b"7.0@"]
    assert [event.text for event in told.events if isinstance(event, Status)] == ["GB8;102"]
    assert told.counted() == ["T3", "T3"]


def test_frames_that_share_a_packet() -> None:
    told = Conversation(GRANBOARD, habits=Habits(gather_ms=8))
    told.throw(100, "O1", "SB", apart_ms=2)
    told.miss(105)
    assert told.counted() == ["O1", "SB", "MISS"]
    assert told.packets == [b"2.5@8.0@OUT@"]


def test_a_packet_holds_twenty_bytes() -> None:
    told = Conversation(GRANBOARD, habits=Habits(gather_ms=50))
    told.throw(100, "D16", "D14", "D11", "D9", "D8", "D6")
    told.until(1000)
    hits = [event.segment.id for event in told.events if isinstance(event, Hit)]
    assert hits == ["D16", "D14", "D11", "D9", "D8", "D6"]
    assert [len(packet) for packet in told.packets] == [20, 6]


def test_frames_cut_in_two() -> None:
    told = Conversation(GRANBOARD, habits=Habits(cuts=1.0))
    told.throw(100, "T20", "D16", "DB", apart_ms=500)
    assert told.counted() == ["T20", "D16", "DB"]
    assert len(told.packets) == 6
    assert all(not packet.count(b"@") or packet.endswith(b"@") for packet in told.packets)


def test_a_frame_said_again_within_tens_of_ms() -> None:
    told = Conversation(GRANBOARD, habits=Habits(again_ms=(30,)))
    told.throw(100, "T20", "T20", apart_ms=600)
    assert told.counted() == ["T20", "T20"]
    assert told.packets == [b"3.4@"] * 4
    assert told.dropped == {"repeat"}


def test_a_132_tells_misses_and_a_3s_does_not() -> None:
    told = Conversation(GRANBOARD, habits=HABITS["granboard"])
    assert told.miss(1000)
    assert told.counted() == ["MISS"]
    quiet = Conversation(GRANBOARD, habits=MODELS["granboard 3s"])
    assert not quiet.miss(1000)
    assert quiet.counted() == []


def test_a_link_lost_within_a_frame_costs_that_dart_alone() -> None:
    told = Conversation(GRANBOARD, habits=replace(HABITS["granboard"], cuts=0.0))
    told.throw(1000, "T20")
    assert told.counted(2000) == ["T20"]
    told.events += told.host.feed(b"11.", 0)
    again = Conversation(GRANBOARD, habits=HABITS["granboard"])  # a new link is a new Host
    again.throw(1000, "D16", "T1", apart_ms=1000)
    assert again.counted() == ["D16", "T1"]
    assert again.garbage == []


# Unicorn


def test_a_unicorn_says_nothing_before_it_is_enabled() -> None:
    profile = UNICORN.profile
    assert profile.ble is not None
    deaf = expand(replace(profile, ble=replace(profile.ble, enable="")))
    told = Conversation(UNICORN)
    told.board.feed(b"\x02", 0)
    assert not told.throw(1000, "T20")
    assert told.counted(19_000) == []
    assert told.throw(21_000, "T20"), "the host has written 03 once more"
    assert told.counted() == ["T20"]
    assert Conversation(deaf).throw(1000, "T20")


def test_a_dart_that_a_unicorn_reports_three_times() -> None:
    told = Conversation(UNICORN, habits=Habits(again_ms=(350, 1190)))
    told.throw(1000, "T20", "D5", "T20", apart_ms=3000)
    assert told.counted() == ["T20", "D5", "T20"]
    assert len(told.packets) == 9
    assert told.dropped == {"repeat"}


def test_a_unicorn_mounted_with_its_button_at_the_3() -> None:
    turned = expand(replace(UNICORN.profile, hits=replace(UNICORN.profile.hits, wiring=Wiring(button_at=3))))
    told = Conversation(turned)
    told.throw(1000, "O17", "O13", "O4", "SB", apart_ms=2000)
    assert told.packets == [bytes([10, 1]), bytes([1, 1]), bytes([20, 1]), bytes([25, 1])]
    assert told.counted() == ["O17", "O13", "O4", "SB"]


def test_the_rim_button() -> None:
    told = Conversation(UNICORN)
    assert told.press(1000)
    assert told.packets == [bytes.fromhex("55aa")]
    assert told.counted() == ["next"]
    assert not told.miss(5000)


def test_a_weak_battery_loses_darts() -> None:
    told = Conversation(UNICORN, habits=replace(HABITS["unicorn"], charge=20))
    seen = [told.throw(1000 + 4000 * n, "T20") for n in range(40)]
    assert 0 < sum(seen) < 40
    assert told.counted(200_000) == ["T20"] * sum(seen)


# SDB-BT


def test_packets_are_counted_summed_up_and_sent_twice() -> None:
    told = Conversation(SDB, habits=Habits(again_ms=(5,)))
    told.throw(1000, "D20", "D20", apart_ms=1000)
    assert told.counted() == ["D20", "D20"]
    first, second = bytes.fromhex("01000000 0500 0d0002 0f"), bytes.fromhex("02000000 0500 0d0002 0f")
    assert told.packets == [first, first, second, second]
    assert [type(event) for event in told.events] == [Hit, Echo, Hit, Echo]


def test_the_count_restarts_with_each_connection() -> None:
    first, second = (Conversation(SDB) for _ in range(2))
    for told in (first, second):
        told.throw(1000, "T20")
        assert told.packets[0][:4] == bytes.fromhex("01000000")
        assert told.counted() == ["T20"]


def test_a_button_that_is_let_go_is_no_miss() -> None:
    told = Conversation(SDB, habits=HABITS["sdb-bt"])
    told.press(1000)
    told.miss(3000)
    assert told.counted() == ["next", "MISS"]
    codes = [packet[6:9].hex() for packet in dict.fromkeys(told.packets)]
    assert codes == ["0000ff", "0000ee", "0000ee"]


def test_a_long_press_is_a_press_a_long_one_and_a_release() -> None:
    told = Conversation(SDB, habits=HABITS["sdb-bt"])
    assert told.press(1000, "long")
    told.until(5000)
    assert [packet[6:9].hex() for packet in told.packets] == ["0000ff", "0000cc", "0000ee"]
    assert told.counted() == ["next", "long"]


# DARTSLIVE HOME


@pytest.mark.parametrize(("habits", "packet"), [(PLAIN, "a203500004"), (MODELS["dartslive-home a1"], "a103500000")])
def test_both_headers(habits: Habits, packet: str) -> None:
    told = Conversation(DARTSLIVE, habits=habits)
    told.throw(1000, "T20")
    told.press(3000)
    assert told.packets[0].hex() == packet
    assert told.counted() == ["T20", "next"]


# Smartness


def test_one_byte_a_dart_and_unknown_bytes() -> None:
    told = Conversation(SMARTNESS, Faults(noise=b"\xfe"))
    told.throw(6000, "O16", "T20", "D1", apart_ms=2000)
    told.press(20_000)
    assert [packet for packet in told.packets if packet != b"\xfe"] == [b"\x10", b"\x50", b"\x29", b"\x65"]
    assert told.counted() == ["O16", "T20", "D1", "next"]
    assert told.garbage == [b"\xfe"] * 3


def test_a_subscription_too_early_is_lost() -> None:
    assert SMARTNESS.profile.ble is not None
    hasty = expand(replace(SMARTNESS.profile, ble=replace(SMARTNESS.profile.ble, settle_ms=0)))
    told = Conversation(hasty, habits=HABITS["smartness"])
    told.throw(10_000, "T20")
    assert told.counted() == []
    patient = Conversation(SMARTNESS, habits=HABITS["smartness"])
    patient.throw(10_000, "T20")
    assert patient.counted() == ["T20"]


# Darts Connect


def test_a_photograph_with_the_magic_in_it_comes_with_each_throw() -> None:
    told = Conversation(DARTS_CONNECT, habits=Habits(picture=20_000, cuts=1.0))
    told.throw(1000, "T20", "DB", "I1", apart_ms=2000)
    assert told.counted(8000) == ["T20", "DB", "I1"]
    sent = b"".join(told.packets)
    assert len(sent) > 60_000
    assert sent.count(bytes.fromhex("23080000")) >= 6
    assert told.garbage == []


def test_the_red_button_says_everything_twice() -> None:
    told = Conversation(DARTS_CONNECT, habits=Habits(key_again_ms=(20,)))
    told.press(1000)
    assert told.counted(5000) == ["next"]
    assert len([event for event in told.events if isinstance(event, Echo)]) == 1


def test_it_answers_heartbeats_and_its_silence_is_noticed() -> None:
    told = Conversation(DARTS_CONNECT)
    told.until(60_000)
    assert len(told.packets) >= 6
    assert told.events == []
    host = Host(DARTS_CONNECT)
    host.on_open(0)
    said = [event for second in range(30) for event in host.tick(second * 1_000_000_000)]
    assert [type(event).__name__ for event in said] == ["Unanswered"]


# Boards on a wire


def test_opening_the_port_resets_the_board() -> None:
    told = Conversation(OPENDARTS, habits=Habits(wake_ms=1500))
    assert not told.throw(700, "T20"), "the board is asleep"
    assert not told.miss(800)
    assert not told.press(900)
    assert told.throw(1600, "T20")
    assert told.packets == [b"OpenDarts\r\n", b"1,0\r\n"]
    assert told.counted() == ["T20"]


def test_a_late_timer_changes_no_order() -> None:
    board = make_firmware(OPENDARTS, habits=Habits(wake_ms=1500, again_ms=(30,)))
    board.on_open(0)
    board.hit(OPENDARTS.layout["T20"], 1_600_000_000)
    board.press("next", 1_700_000_000)
    assert board.outgoing() == [b"OpenDarts\r\n", b"1,0\r\n", b"1,0\r\n", b"next\r\n"]


def test_what_a_boot_loader_says_costs_the_greeting_and_no_dart() -> None:
    told = Conversation(OPENDARTS, habits=Habits(wake_ms=1500, boot=b"\xf0\xff\x00"))
    told.throw(2000, "T20")
    assert told.counted() == ["T20"]
    assert told.garbage == [b"\xf0\xff\x00OpenDarts"]


@pytest.mark.parametrize("name", [n for n in FRAMED if shipped(n).profile.handshake is not None])
def test_a_handshake_is_answered(name: str) -> None:
    book = shipped(name)
    told = Conversation(book)
    told.throw(2000, "T20")
    assert told.counted() == ["T20"]
    assert [event for event in told.events if isinstance(event, Status)] != []


def test_a_stuck_contact_that_the_board_names_as_stuck() -> None:
    told = Conversation(shipped("pidart"), Faults(stuck_ms=400))
    told.throw(1000, "T20")
    assert told.counted(5000) == ["T20"]
    assert told.packets[1:] == [b"\x70"] * 10
    assert told.dropped == {"stuck"}


def test_a_stuck_contact_silences_a_board_that_waits_for_it_to_open() -> None:
    told = Conversation(shipped("pydarts-8x8"), Faults(stuck_ms=400), Habits(waits_for_release=True))
    told.throw(1000, "T20")
    assert not told.throw(5000, "D5")
    told.board.free(9_000_000_000)
    assert told.throw(9500, "SB")
    told.board.free(9_900_000_000)
    told.until(10_000)
    told.press(11_000, "none")
    assert told.counted() == ["T20", "SB"]


# The foil


@pytest.mark.parametrize("turn", [1, 7, 19])
def test_a_board_turned_by_some_numbers(turn: int) -> None:
    hits = OPENDARTS.profile.hits
    right = expand(replace(OPENDARTS.profile, hits=replace(hits, wiring=Wiring(turn=turn))))
    ids = [segment.id for segment in OPENDARTS.segments]
    told = Conversation(OPENDARTS, Faults(turn=turn), host=right)
    told.throw(1000, *ids, apart_ms=1000)
    assert told.counted(100_000) == ids
    wrong = Conversation(OPENDARTS, Faults(turn=turn))
    wrong.throw(1000, "I20", "SB", apart_ms=1000)
    assert wrong.counted()[0] != "I20"
    assert wrong.counted()[1] == "SB"


def test_a_slow_scan_misses_darts() -> None:
    quick_scan, slow_scan = (Conversation(OPENDARTS, Faults(scan_ms=ms)) for ms in (0.5, 7.0))
    ids = [segment.id for segment in OPENDARTS.segments]
    assert quick_scan.throw(1000, *ids, apart_ms=1000)
    seen = [slow_scan.throw(1000 + 1000 * n, segment_id) for n, segment_id in enumerate(ids)]
    assert 0 < sum(seen) < len(ids)
    assert slow_scan.counted(100_000) == [i for i, is_seen in zip(ids, seen, strict=True) if is_seen]


@pytest.mark.parametrize("shake_ms", [-15, 0, 15])
def test_a_miss_sensor_that_fires_on_hits(shake_ms: int) -> None:
    book = _with(OPENDARTS, miss_ms=50)
    told = Conversation(book, Faults(shake_ms=shake_ms))
    told.throw(1000, "T20", "D5", apart_ms=2000)
    told.miss(6000)
    assert told.counted() == ["T20", "D5", "MISS"]
    assert told.dropped == {"sensor"}


def test_habits_can_be_hurried() -> None:
    hurried = speed_up(HABITS["unicorn"], 10)
    assert (hurried.again_ms, hurried.sleep_ms, hurried.charge) == ((35, 90), 90_000, 80)
    assert speed_up(PLAIN, 10) == PLAIN


def _with(book: Codebook, **times_ms: int) -> Codebook:
    return expand(replace(book.profile, timing=replace(book.profile.timing, **times_ms)))
