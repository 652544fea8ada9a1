"""Boards that lie: what cameras say, with anything in the place of anything. No host raises, or fills up."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest

from protocol.codebook import shipped
from protocol.commands import MOST_CLOSE, MOST_OFF
from protocol.endpoint import Host
from protocol.events import (
    MOST_KEY,
    Amended,
    BoardCommand,
    BoardEvent,
    Correct,
    Flash,
    Found,
    Garbage,
    Hit,
    Light,
    Mend,
    Unread,
    Write,
)
from protocol.segment import Layout
from protocol.web_frames import decode_wanted
from simulator.cameras.camera import Quirks
from tests.protocol.hearing import WEB
from tests.simulator.web_conversation import WebConversation
from tests.sweep import many

EVERY = pytest.mark.parametrize("name", WEB)
MS = 1_000_000
MOST_GROWTH_BYTES = 256 * 1024
MOST_ASKED = 64
"""Requests that follow from one packet or one moment."""
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1e308, -0.5, 2**63, 10**40),
    *("", "20", "-1", "nan", "1e999", "visit_1", "T20", "Bull", "a" * 300, "\x1b[2J\x1b]0;owned\x07", "\u202e\n"),
    *([], {}, [[]], [1, 2], [1e9, -1e9], [None, None], {"x": None}, {"x": 1e9, "y": "up"}, ["dart"] * 50),
    {"number": 99, "multiplier": 7, "bed": "?"},
]


@cache
def packets(name: str) -> tuple[bytes, ...]:
    """What cameras of this kind say in a quarter of an hour, to a host that asks."""
    found: list[bytes] = []
    for seed, quirks in enumerate((Quirks(), Quirks(chatter=True, is_text=True, leaves_out=True, keeps_darts=True))):
        talk, chance = WebConversation(name, quirks, seed), Random(seed)
        talk.connect()
        for _ in range(8):
            for _ in range(chance.randrange(1, 4)):
                talk.camera.land((chance.randrange(-1700, 1700), chance.randrange(-1700, 1700)))
                talk.pump()
                talk.wait(1000)
            talk.camera.begin_takeout()
            talk.camera.end_takeout()
            talk.pump()
            talk.wait(20_000)
        talk.camera.stop()
        talk.camera.forget()
        talk.pump()
        talk.connect()
        found += talk.packets
    return tuple(dict.fromkeys(found))


def spoil(value: Any, chance: Random) -> Any:
    """The same with something else in some place of it."""
    if chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(value, dict):
        kept = {key: spoil(each, chance) if chance.random() < 0.4 else each for key, each in value.items()}
        return {key: each for key, each in kept.items() if chance.random() < 0.95}
    if isinstance(value, list):
        return [spoil(each, chance) for each in value for _ in range(chance.choice([0, 1, 1, 1, 2]))]
    return value


def storm(name: str, chance: Random) -> Iterator[bytes]:
    """Packets without end."""
    good = packets(name)
    while True:
        packet = chance.choice(good)
        match chance.randrange(8):
            case 0:
                yield packet[: chance.randrange(len(packet))]
            case 1:
                spoiled = bytearray(packet)
                spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
                yield bytes(spoiled)
            case 2:
                yield packet
            case 3:
                yield b'{"from":"/","json":' + b"[" * chance.choice([10, 10, 10, 1000, 60_000])
            case 4:
                yield chance.randbytes(chance.randrange(1, 60))
            case _:
                yield json.dumps(spoil(json.loads(packet), chance)).encode()


def check(event: BoardEvent, layout: Layout) -> None:
    """What holds of every event, whatever was said."""
    for dart in event.darts if isinstance(event, Found) else [event]:
        if isinstance(dart, Hit | Amended | Unread):
            assert 0 < len(dart.key) <= MOST_KEY
            assert dart.key.isprintable()
            if dart.point is not None:
                assert all(type(value) is int and abs(value) <= MOST_OFF for value in dart.point)
        if isinstance(dart, Hit | Amended):
            assert dart.segment in layout.segments
        if isinstance(dart, Hit):
            assert len(dart.close) <= MOST_CLOSE
            assert all(segment in layout.segments for segment in dart.close)
    if isinstance(event, Garbage):
        assert len(event.raw) <= 64


def measure() -> int:
    """The bytes that are in use."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@EVERY
@pytest.mark.parametrize("seed", range(many(1, 4)))
def test_a_storm_of_spoiled_messages(name: str, seed: int) -> None:
    book, chance = shipped(name), Random(seed)
    host, layout = Host(book), book.layout
    orders: list[BoardCommand] = [
        *(Mend("start"), Mend("reset"), Correct("visit_1/0", layout["T20"]), Correct("?" * 64, None)),
        *(Light(layout.segments), Flash(layout["T20"]), Write(b"x")),
    ]
    host.on_open(0)
    now, early, total = 0, 0, many(600, 5000)
    packets(name)
    tracemalloc.start()
    try:
        for fed, packet in enumerate(islice(storm(name, chance), total)):
            now += chance.choice((0, 1, 40, 900, 20_000)) * MS
            for event in [*host.feed(packet, now), *host.tick(now)]:
                check(event, layout)
            if chance.random() < 0.05:
                host.send(chance.choice(orders))
            asked = host.packets()
            assert len(asked) <= MOST_ASKED
            for request in asked:
                decode_wanted(request)
            if fed == total // 10:
                early = measure()
        assert measure() - early < MOST_GROWTH_BYTES
    finally:
        tracemalloc.stop()


@EVERY
def test_after_the_storm_a_dart_is_heard_as_it_is(name: str) -> None:
    """A new connection knows nothing of what was said in the one before."""
    chance = Random(5)
    talk = WebConversation(name, Quirks())
    talk.connect()
    for packet in islice(storm(name, chance), 300):
        talk.hear(packet)
    before = len(talk.hits)
    talk.connect()
    talk.wait(3000)
    talk.camera.land((-32, 1012))
    talk.pump()
    talk.wait(3000)
    assert [hit.segment.id for hit in talk.hits[before:] if isinstance(hit, Hit)] == ["T20"]
