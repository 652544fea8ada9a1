"""What hosts announce: the question, the answers as responders send them, and whatever else comes."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.mdns import MOST_PACKET_BYTES, Announced, Lookup, make_local
from tests.drivers.mdns_packets import AAAA, PTR, SRV, TXT, A, Record, announce, write_packet

BOARD = "_autodarts-board._tcp"
CAMERAS = "_opendartboard._tcp"
ANNOUNCED = announce(CAMERAS, "Cellar\\2", 13520, "192.168.0.7", "fe80::7", texts=("path=/scores", "AUTH=token"))
FOUND = Announced(CAMERAS, "Cellar.2", "192.168.0.7", 13520, {"path": "/scores", "auth": "token"})


def read(*packets: bytes, interface: str = "wlan0") -> list[Announced]:
    lookup = Lookup([BOARD, CAMERAS])
    for packet in packets:
        lookup.feed(packet, interface)
    return lookup.list_found()


def list_questions(packet: bytes) -> list[tuple[str, int]]:
    """The names and kinds that are asked for, as a responder reads them."""
    number, at, found = struct.unpack_from("!6H", packet)[2], 12, []
    for _ in range(number):
        labels = []
        while packet[at]:
            labels.append(packet[at + 1 : at + 1 + packet[at]].decode())
            at += 1 + packet[at]
        kind, group = struct.unpack_from("!HH", packet, at + 1)
        assert group == 1, "the answer comes to our own port: that is asked for by another bit only from the usual one"
        found.append((".".join(labels), kind))
        at += 5
    assert at == len(packet)
    return found


def test_a_service_is_read_from_one_packet_or_from_several_in_any_order() -> None:
    assert read(write_packet(*ANNOUNCED)) == [FOUND]
    assert read(*(write_packet(record) for record in reversed(ANNOUNCED))) == [FOUND]
    assert read(write_packet(*ANNOUNCED, questions=(f"{CAMERAS}.local",))) == [FOUND]


def test_only_what_is_missing_is_asked_again() -> None:
    lookup = Lookup([BOARD, CAMERAS])
    both = [(f"{BOARD}.local", PTR), (f"{CAMERAS}.local", PTR)]
    assert list_questions(lookup.ask()) == both
    lookup.feed(write_packet(ANNOUNCED[0]))
    instance = "Cellar.2._opendartboard._tcp.local"
    assert list_questions(lookup.ask()) == [*both, (instance, SRV), (instance, TXT)]
    lookup.feed(write_packet(ANNOUNCED[1]))
    assert list_questions(lookup.ask()) == [*both, ("darts.local", A), ("darts.local", AAAA)]
    lookup.feed(write_packet(ANNOUNCED[3]))
    assert list_questions(lookup.ask()) == both


def test_nothing_is_asked_of_what_is_no_instance_of_the_service() -> None:
    lookup = Lookup([BOARD])
    lookup.feed(write_packet(Record(f"{BOARD}.local", PTR, "printer._http._tcp.local")))
    assert list_questions(lookup.ask()) == [(f"{BOARD}.local", PTR)]


def test_names_are_the_same_in_capitals() -> None:
    ptr, srv, _, address, _ = ANNOUNCED
    shouted = (srv._replace(name=srv.name.upper()), address._replace(name="DARTS.Local"))
    (found,) = read(write_packet(ptr._replace(name=ptr.name.upper()), *shouted))
    assert (found.service, found.label, found.host) == (CAMERAS, "Cellar.2", "192.168.0.7")


@pytest.mark.parametrize(
    ("addresses", "host"),
    [
        (("fe80::7", "fd00::7", "10.0.0.7"), "10.0.0.7"),
        (("fe80::7", "fd00::7"), "fd00::7"),
        (("fe80::7",), "fe80::7%wlan0"),
        (("8.8.8.8", "10.0.0.7"), "10.0.0.7"),
        (("8.8.8.8", "2001:4860:4860::8888", "127.0.0.1", "::1", "224.0.0.251", "0.0.0.0"), None),
    ],
)
def test_only_addresses_of_the_local_network_are_taken(addresses: tuple[str, ...], host: str | None) -> None:
    found = read(write_packet(*announce(BOARD, "darts", 3180, *addresses)))
    assert [each.host for each in found] == ([host] if host else [])


def test_an_address_of_one_interface_is_nothing_without_it() -> None:
    assert make_local("fe80::7") is None
    assert make_local("fe80::7", "wlan0") == "fe80::7%wlan0"
    assert make_local("::ffff:192.168.0.7") == "192.168.0.7"


@pytest.mark.parametrize(
    "packet",
    [
        write_packet(*ANNOUNCED, flags=0),  # a question
        write_packet(*ANNOUNCED, flags=0x8403),  # an answer with a fault
        write_packet(*(record._replace(seconds=0) for record in ANNOUNCED)),  # it says goodbye
        write_packet(*(record._replace(group=3) for record in ANNOUNCED)),  # of another network than the internet's
        write_packet(*announce("_http._tcp", "printer", 80, "192.168.0.9")),  # of something else
        write_packet(*announce(BOARD, "darts", 0, "192.168.0.7")),
        write_packet(Record(f"{BOARD}.local", PTR, f"{CAMERAS}.local"), *ANNOUNCED[1:]),  # no instance of it
        write_packet(
            *announce(BOARD, "darts", 3180, "192.168.0.7", host="a." * 130 + "local")
        ),  # longer than names are
        write_packet(*ANNOUNCED).ljust(MOST_PACKET_BYTES + 1, b"\0"),
    ],
)
def test_what_is_no_answer_is_passed_over(packet: bytes) -> None:
    assert read(packet) == []


def test_a_name_that_leads_round_ends_the_packet() -> None:
    head = struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0)
    for name in (b"\xc0\x0c", b"\x01a\xc0\x0c", b"\xc0\x0e\xc0\x0c", b"\x40", b"\x3fshort", b"\xc0", b"\x01a" * 200):
        assert read(head + name, write_packet(*ANNOUNCED)) == [FOUND]


def test_texts_that_a_terminal_would_obey_are_shown_as_marks() -> None:
    (found,) = read(write_packet(*announce(BOARD, "\x1b[31m" + "x" * 40, 3180, "10.0.0.7", texts=("v=\x1b[0m", "=b"))))
    assert found.label == "?[31m" + "x" * 40
    assert found.texts == {"v": "?[0m"}


def test_a_flood_fills_nothing() -> None:
    lookup = Lookup([BOARD])
    for number in range(300):
        records = [
            each
            for k in range(8)
            for each in announce(
                BOARD, f"n{number}-{k}", 3180, f"10.{k}.{number // 250}.{number % 250}", host=f"h{number}-{k}.local"
            )
        ]
        lookup.feed(write_packet(*records))
    assert len(lookup.list_found()) == 32
    assert len(lookup.ask()) < MOST_PACKET_BYTES
    lookup = Lookup([CAMERAS])
    for number in range(40):
        lookup.feed(write_packet(announce(CAMERAS, f"n{number}", 1, "10.0.0.1")[0]))
    lookup.feed(write_packet(*ANNOUNCED))
    assert lookup.list_found() == [], "there is no room for another name"
    lookup = Lookup([CAMERAS])
    for _ in range(256):
        lookup.feed(b"")
    lookup.feed(write_packet(*ANNOUNCED))
    assert lookup.list_found() == [], "so many packets are too many for the time of a look"


labels = st.text(min_size=1, max_size=20).map(lambda text: text.replace(".", "\\").replace("\0", "0"))


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_no_bytes_are_too_strange(packets: list[bytes]) -> None:
    lookup = Lookup([BOARD])
    for packet in packets:
        lookup.feed(packet)
        lookup.feed(struct.pack("!6H", 0, 0x8400, 0, 9, 9, 9) + packet)
    lookup.list_found()
    lookup.ask()


@given(st.data())
def test_a_packet_that_was_damaged_on_its_way_is_read_or_passed_over(data: st.DataObject) -> None:
    packet = bytearray(write_packet(*ANNOUNCED))
    for _ in range(data.draw(st.integers(1, 5))):
        packet[data.draw(st.integers(0, len(packet) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(packet)))
    for found in read(bytes(packet[:cut]), bytes(packet)):
        assert found.host.isprintable()
        assert 0 < found.port < 65536
    assert read(bytes(packet), write_packet(*ANNOUNCED)), "what comes after it is read all the same"


@given(
    labels.filter(lambda text: len(text.encode()) < 63),
    st.integers(1, 65535),
    st.ip_addresses(v=4, network="10.0.0.0/8"),
)
def test_what_is_announced_is_found(label: str, port: int, address: object) -> None:
    (found,) = read(write_packet(*announce(BOARD, label, port, str(address))))
    assert (found.port, found.host) == (port, str(address))
