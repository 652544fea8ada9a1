"""What hosts of the local networks announce by mDNS: one question, and what is read from the answers (RFC 6762, 6763).

Pure: packets in, packets out. Who carries them is in drivers/announced.py. Anyone on the network may answer, with
anything: a packet that is no answer is passed over, a name cannot lead round in a circle, and of everything that is
kept there is a limit. Nothing is asked again that is known.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from drivers.transport import make_printable

MOST_PACKET_BYTES = 9000
_MOST_RECORDS = 128
"""In a packet; and of the packets of one look so many are read."""
_MOST_PACKETS = 256
_MOST_SERVICES = 32
_MOST_HOSTS = 64
_MOST_ADDRESSES = 8
_MOST_TEXTS = 32
_MOST_QUESTIONS = 24
_MOST_NAME_BYTES = 255

_PTR, _TXT, _SRV, _A, _AAAA = 12, 16, 33, 1, 28
_ADDRESS_BYTES = {_A: 4, _AAAA: 16}
_IN = 1
_IS_ANSWER = 0x8000
_KIND_AND_FAULT = 0x780F
"""The bits of a head that are 0 in an answer without a fault."""
_CLASS = 0x7FFF
"""Without the bit by which an answer replaces what was known before."""
_HEAD = struct.Struct("!6H")
_RECORD = struct.Struct("!HHIH")
_SRV_HEAD = struct.Struct("!3H")
_POINTER = 0xC0

Name = tuple[bytes, ...]
"""The labels of a name, as they were sent; compared by `_fold`."""


class Announced(NamedTuple):
    """A service that a host announces: `service` as in `_autodarts-board._tcp`, `label` as people read it.

    `host` is an address of the local network, with the interface where it is of that alone, as in `fe80::1%wlan0`.
    `texts` are its further words, such as `version`, by their names in lower case.
    """

    service: str
    label: str
    host: str
    port: int
    texts: Mapping[str, str]


class Lookup:
    """What is known of these services. Ask, feed what comes, and ask again what is still missing."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = {_fold(name): name for service in services for name in [_split(service)]}
        self._instances = dict[Name, Name]()
        """The names of what was announced, as they were sent."""
        self._places = dict[Name, tuple[Name, int]]()
        self._texts = dict[Name, dict[str, str]]()
        self._addresses = dict[Name, list[str]]()
        self._packets = 0

    def ask(self) -> bytes:
        """Returns a packet that asks for the services, and for what is missing of those that were announced."""
        questions = [(name, _PTR) for name in self._services.values()]
        for key, name in self._instances.items():
            place = self._places.get(key)
            if place is None:
                questions += [(name, _SRV), (name, _TXT)]
            elif _fold(place[0]) not in self._addresses:
                questions += [(place[0], _A), (place[0], _AAAA)]
        questions = questions[:_MOST_QUESTIONS]
        asked = (_encode_name(name) + struct.pack("!HH", kind, _IN) for name, kind in questions)
        return _HEAD.pack(0, 0, len(questions), 0, 0, 0) + b"".join(asked)

    def feed(self, packet: bytes, interface: str = "") -> None:
        """Takes what has come in by this interface. Passes over what is no answer, or is broken; never raises."""
        self._packets += 1
        if self._packets > _MOST_PACKETS or len(packet) > MOST_PACKET_BYTES:
            return
        with suppress(_BrokenPacketError, struct.error):
            self._read(packet, interface)

    def list_found(self) -> list[Announced]:
        """Returns what can be reached: service, port and an address on the local network are known."""
        found = []
        for key, name in self._instances.items():
            if key not in self._places:
                continue
            target, port = self._places[key]
            addresses = self._addresses.get(_fold(target))
            if addresses:
                service = self._services[key[1:]]
                label = make_printable(name[0].decode("utf-8", "replace"))
                texts = self._texts.get(key, {})
                found.append(Announced(_join(service[:-1]), label, min(addresses, key=rank_address), port, texts))
        return found

    def _read(self, packet: bytes, interface: str) -> None:
        _, flags, questions, *counts = _HEAD.unpack_from(packet)
        if not flags & _IS_ANSWER or flags & _KIND_AND_FAULT:
            return
        at = _HEAD.size
        for _ in range(min(questions, _MOST_QUESTIONS)):
            _, at = _read_name(packet, at)
            at += 4
        for _ in range(min(sum(counts), _MOST_RECORDS)):
            name, at = _read_name(packet, at)
            kind, group, seconds, length = _RECORD.unpack_from(packet, at)
            at += _RECORD.size
            if at + length > len(packet):
                raise _BrokenPacketError
            if group & _CLASS == _IN and seconds:  # no seconds: it says goodbye
                self._take(packet, name, kind, at, length, interface)
            at += length

    def _take(self, packet: bytes, name: Name, kind: int, at: int, length: int, interface: str) -> None:
        key = _fold(name)
        if kind == _PTR and key in self._services:
            instance, _ = _read_name(packet, at)
            if _fold(instance[1:]) == key and len(self._instances) < _MOST_SERVICES:
                self._instances.setdefault(_fold(instance), instance)
        elif kind == _SRV and key[1:] in self._services and _has_room(self._places, key, _MOST_SERVICES):
            _, _, port = _SRV_HEAD.unpack_from(packet, at)
            target, _ = _read_name(packet, at + _SRV_HEAD.size)
            if port:
                self._places[key] = target, port
        elif kind == _TXT and key[1:] in self._services and _has_room(self._texts, key, _MOST_SERVICES):
            self._texts[key] = read_texts(_split_texts(packet[at : at + length]))
        elif kind in _ADDRESS_BYTES and length == _ADDRESS_BYTES[kind] and _has_room(self._addresses, key, _MOST_HOSTS):
            address = make_local(packet[at : at + length], interface)
            known = self._addresses.setdefault(key, []) if address else []
            if address and address not in known and len(known) < _MOST_ADDRESSES:
                known.append(address)


class _BrokenPacketError(Exception):
    """A packet that ends too early, or a name that cannot be."""


def make_local(given: bytes | str, interface: str = "") -> str | None:
    """Returns the address of a host on the local networks, as it is written; None for any other, and for this machine.

    An address that only this interface reaches is written with it. Raises ValueError for what is none.
    """
    address = ipaddress.ip_address(given)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    others = address.is_loopback or address.is_unspecified or address.is_multicast or address.is_reserved
    if others or not address.is_private:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.is_link_local:
        bare = str(address).partition("%")[0]
        return f"{bare}%{interface}" if interface else None
    return str(address)


def rank_address(text: str) -> tuple[bool, bool]:
    """Orders addresses: those that are easy to type first, and those of one interface last."""
    return ":" in text, "%" in text


def read_texts(texts: Iterable[bytes]) -> dict[str, str]:
    """Returns what stands in the words of a service, `name=value` each; the first of a name counts."""
    found = dict[str, str]()
    for text, _ in zip(texts, range(_MOST_TEXTS), strict=False):
        name, _, value = text.decode("utf-8", "replace").partition("=")
        if name:
            found.setdefault(make_printable(name).lower(), make_printable(value))
    return found


def _has_room(kept: Mapping[Name, object], key: Name, most: int) -> bool:
    return key in kept or len(kept) < most


def _split(service: str) -> Name:
    return (*(part.encode() for part in service.split(".")), b"local")


def _join(name: Name) -> str:
    return ".".join(label.decode("utf-8", "replace") for label in name)


def _fold(name: Name) -> Name:
    """As names are compared: letters of ASCII in lower case."""
    return tuple(label.lower() for label in name)


def _encode_name(name: Name) -> bytes:
    return b"".join(bytes([len(label)]) + label for label in name) + b"\0"


def _read_name(packet: bytes, at: int) -> tuple[Name, int]:
    """Returns the name there, and where what follows begins. Raises _BrokenPacketError."""
    labels = list[bytes]()
    size, end, least = 0, 0, at
    while True:
        if at >= len(packet):
            raise _BrokenPacketError
        length = packet[at]
        if length & _POINTER == _POINTER:
            if at + 1 >= len(packet):
                raise _BrokenPacketError
            end = end or at + 2
            at = (length & ~_POINTER) << 8 | packet[at + 1]
            if at >= least:  # always further back: no way leads round
                raise _BrokenPacketError
            least = at
            continue
        size += length + 1
        if length & _POINTER or size > _MOST_NAME_BYTES or at + 1 + length > len(packet):
            raise _BrokenPacketError
        at += 1 + length
        if not length:
            return tuple(labels), end or at
        labels.append(packet[at - length : at])


def _split_texts(data: bytes) -> Iterable[bytes]:
    at = 0
    while at < len(data):
        yield data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
