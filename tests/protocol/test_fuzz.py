"""Host and Board of every profile under fire: what boards say, bent in every way a wire can bend it, without end.

Nothing may raise, nothing may grow, and no bytes that mean nothing may become an action. `make test` gives each
profile a few thousand bytes; the long gate gives all of them together ten million.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import get_args

import pytest

from protocol.codebook import Codebook, expand, shipped
from protocol.endpoint import Board, Host
from protocol.events import BoardCommand, BoardEvent, Button, Flash, Hit, Light, MissSensed, Stuck, Write
from protocol.framing import Framing
from protocol.profile import WEB_DIALOGUES, Ble, Dialogue, Handshake, Hits, Profile
from tests.protocol.hearing import FRAMED, sayable, spoken
from tests.protocol.test_boards import THROW
from tests.sweep import BOARDS, sweep

SOME = pytest.mark.parametrize("name", sweep(FRAMED, BOARDS.__contains__))
EVERY = pytest.mark.parametrize("name", FRAMED)
SHORT_BYTES = 3_000
LONG_BYTES = 10_000_000
FLOOD_KB = 100
"""What comes at last, without any end in it."""
MOST_GROWTH_BYTES = 64 * 1024
MS = 1_000_000


def storm(codebook: Codebook, rng: Random) -> Iterator[bytes]:
    """Chunks without end."""
    good = spoken(Board(codebook), *sayable(codebook))
    framing = codebook.profile.framing
    marks = [framing.start.encode(), framing.end.encode(), b"\0", b"\r", b" ", b"\xff\xd8", bytes.fromhex("23080000")]
    while True:
        chunk = bytearray(rng.choice(good))
        match rng.randrange(10):
            case 0 if chunk:
                chunk[rng.randrange(len(chunk))] ^= 1 << rng.randrange(8)
            case 1:
                del chunk[rng.randrange(len(chunk) + 1) :]
            case 2:
                del chunk[: rng.randrange(len(chunk) + 1)]
            case 3:
                chunk += rng.choice(good)
            case 4:
                at = rng.randrange(len(chunk) + 1)
                chunk[at:at] = rng.choice(marks)
            case 5:
                chunk = bytearray(rng.randbytes(rng.randrange(40)))
            case 6:
                chunk = bytearray(rng.choice(marks) * rng.randrange(1, 100))
            case 7:
                chunk = bytearray(bytes([rng.randrange(256)]) * rng.randrange(1, 300))
        yield bytes(chunk)


def survive(name: str, total: int, seed: int) -> int:
    """Feeds both ends so many bytes and a flood; the growth of memory in bytes from a tenth of the way to its end."""
    codebook, rng = shipped(name), Random(seed)
    host, board = Host(codebook), Board(codebook)
    says = sayable(codebook)
    orders: list[BoardCommand] = [Light(codebook.segments[:9]), Flash(codebook.segments[0]), Write(b"x" * 12)]
    now = fed = early = 0
    flood_kb = 1 if codebook.profile.framing.kind == "fixed" else FLOOD_KB  # there, each byte is an end
    host.on_open(now)
    tracemalloc.start()
    try:
        for chunk in storm(codebook, rng):
            now += rng.choice((0, 1, 40, 900, 20_000)) * MS
            _check(codebook, [*host.feed(chunk, now), *host.tick(now)])
            assert all(isinstance(order, Light | Flash | Write) for order in board.feed(chunk, now))
            board.tick(now)
            if rng.random() < 0.05:
                board.send(rng.choice(says))
                host.send(rng.choice(orders))
                for packet in host.packets():
                    board.feed(packet, now)
            for packet in board.packets():
                _check(codebook, host.feed(packet, now))
            host.packets()
            fed += len(chunk)
            if not early and fed > total / 10:
                early = tracemalloc.get_traced_memory()[0]
            if fed >= total:
                for piece in (chunk, spoken(Board(codebook), says[0])[0][:-2], *[b"?" * 1000] * flood_kb):
                    _check(codebook, host.feed(piece, now))
                    board.feed(piece, now)
                return tracemalloc.get_traced_memory()[0] - early
    finally:
        tracemalloc.stop()
    raise AssertionError("the storm has no end")


def _check(codebook: Codebook, events: list[BoardEvent]) -> None:
    for event in events:
        if isinstance(event, Hit | Button | MissSensed | Stuck):
            assert codebook.meaning(event.raw) is not None


@SOME
def test_a_storm_of_bytes(name: str) -> None:
    assert survive(name, SHORT_BYTES, seed=1) < MOST_GROWTH_BYTES


@pytest.mark.long
@EVERY
def test_a_long_storm_of_bytes(name: str) -> None:
    assert survive(name, LONG_BYTES // len(FRAMED) + 1, seed=2) < MOST_GROWTH_BYTES


KINDS: tuple[Framing, ...] = (
    Framing(),
    Framing(end="@", limit=3),
    Framing(start="<", end=">", limit=4),
    Framing(kind="fixed"),
    Framing(kind="fixed", size=3),
    Framing(kind="datagram", limit=2),
    Framing(kind="keyboard", limit=1),
    Framing(kind="camera"),
)
"""Every way to cut a stream, some with little room."""


@pytest.mark.parametrize("dialogue", [each for each in get_args(Dialogue) if each not in WEB_DIALOGUES])
def test_no_profile_however_odd_makes_a_dialogue_raise(dialogue: Dialogue) -> None:
    """People write profiles: any dialogue may meet any framing, and an `ignore` that swallows all."""
    chance = Random(3)
    for framing, ignore, ignore_case, layout, handshake in product(
        KINDS, ([], ["*"], ["a*", "GB8;102"]), (False, True), ("standard", "yatzy"), (None, Handshake("?", "a"))
    ):
        size = framing.size if framing.kind == "fixed" else 1
        frame = bytes.fromhex(f"{THROW} 61") if framing.kind == "camera" else b"a" * size
        first, last = shipped(f"plain-{layout}").segments[0], shipped(f"plain-{layout}").segments[-1]
        names = {first.id: frame.decode("latin-1"), last.id: frame[:-1].decode("latin-1") + "b"}
        profile = Profile(
            id="odd",
            name="Odd",
            layout=layout,
            hits=Hits(names=dict(names), ignore_case=ignore_case),
            framing=framing,
            dialogue=dialogue,
            handshake=handshake,
            ignore=ignore,
            ble=Ble(names=["odd"], service="fff0", notify="fff1", write="fff2", enable="03"),
        )
        _survive_odd(expand(profile), chance)


def _survive_odd(codebook: Codebook, chance: Random) -> None:
    host, board = Host(codebook), Board(codebook)
    marks = [b"\0", b"\0@", b"@", b"GB8;102", b"a", b"\xff\xe4", b"\0Px\xe4\0", b"\r\n", b"\x01" * 16, b"\x01" * 20]
    host.on_open(0)
    for piece in (b"a", b"P\xe4", b"\0"):  # an answer, and what some say of themselves then
        _check(codebook, host.feed(piece, 0))
    for now in range(0, 30_000 * MS, 999 * MS):
        chunk = b"".join(chance.choices(marks, k=3)) + chance.randbytes(chance.randrange(3))
        for piece in (chance.choice(marks), chunk):
            _check(codebook, [*host.feed(piece, now), *host.tick(now)])
            board.feed(piece, now)
        host.send(Light(codebook.layout.segments))
        host.send(Flash(chance.choice(codebook.layout.segments)))
        board.send(Hit(segment=chance.choice(codebook.layout.segments), time_ns=now))
        board.tick(now)
        for packet in host.packets():
            board.feed(packet, now)
        for packet in board.packets():
            _check(codebook, host.feed(packet, now))
