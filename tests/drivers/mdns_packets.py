"""Packets of mDNS as responders send them: with names that point back into the packet, written without our reader."""

from __future__ import annotations

import struct
from ipaddress import ip_address
from typing import NamedTuple

PTR, TXT, SRV, A, AAAA = 12, 16, 33, 1, 28
ANSWER = 0x8400


class Record(NamedTuple):
    """A record: its name, kind, and what it says, a name for PTR, port and name for SRV."""

    name: str
    kind: int
    says: str | tuple[int, str] | list[str]
    seconds: int = 120
    group: int = 0x8001


def write_packet(*records: Record, flags: int = ANSWER, questions: tuple[str, ...] = ()) -> bytes:
    """Returns the packet with these records, the first as its answer and the others beside it."""
    packet = bytearray(struct.pack("!6H", 0, flags, len(questions), min(1, len(records)), 0, max(0, len(records) - 1)))
    places = dict[str, int]()
    for name in questions:
        _write_name(packet, name, places)
        packet += struct.pack("!HH", PTR, 1)
    for record in records:
        _write_name(packet, record.name, places)
        packet += struct.pack("!HHIH", record.kind, record.group, record.seconds, 0)
        begin = len(packet)
        if isinstance(record.says, tuple):
            packet += struct.pack("!HHH", 0, 0, record.says[0])
            _write_name(packet, record.says[1], places)
        elif isinstance(record.says, list):
            packet += b"".join(bytes([len(each)]) + each.encode() for each in record.says)
        elif record.kind == PTR:
            _write_name(packet, record.says, places)
        else:
            packet += ip_address(record.says).packed
        struct.pack_into("!H", packet, begin - 2, len(packet) - begin)
    return bytes(packet)


def _write_name(packet: bytearray, name: str, places: dict[str, int]) -> None:
    rest = name
    while rest:
        if rest in places:
            packet += struct.pack("!H", 0xC000 | places[rest])
            return
        places[rest] = len(packet)
        label, _, rest = rest.partition(".")
        written = label.replace("\\", ".").encode()  # a dot within a label is written as \ in these tests
        packet += bytes([len(written)]) + written
    packet += b"\0"


def announce(
    service: str, label: str, port: int, *addresses: str, texts: tuple[str, ...] = (), host: str = "darts.local"
) -> list[Record]:
    """Returns the records of a service on a host with these addresses."""
    instance = f"{label}.{service}.local"
    kinds = [Record(host, AAAA if ":" in address else A, address) for address in addresses]
    return [
        Record(f"{service}.local", PTR, instance, group=1),
        Record(instance, SRV, (port, host)),
        Record(instance, TXT, list(texts)),
        *kinds,
    ]
