"""Five kinds of Bluetooth board as the public sources describe them, and opening them as the daemon does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial

import pytest

from drivers.address import Scheme
from drivers.bluetooth import Patience, open_board
from drivers.schemes import SCHEMES, parse
from drivers.session import Session
from drivers.transport import LinkError, Transport
from protocol.codebook import shipped
from protocol.profile import Profile
from protocol.segment import Segment
from protocol.templates import Meaning
from tests.drivers.bluetoothd import BleBoard
from tests.drivers.listening import PATIENCE_S, SOON

GRAN = shipped("granboard")
SHORT = Patience(find_s=0.4, connect_s=0.6)
LONG = Patience(find_s=PATIENCE_S, connect_s=PATIENCE_S)


def granboard(number: int = 1) -> BleBoard:
    uuid = "442f157{}-8a00-9a28-cbe1-e1d4212d53eb".format
    return BleBoard(f"C2:A4:CF:00:00:{number:02}", "GRANBOARD", uuid(0), uuid(1), uuid(2))


def dartslive() -> BleBoard:
    uuid = "6e40{}-b5a3-f393-e0a9-e50e24dcca9e".format
    return BleBoard("D0:00:00:00:00:02", "DARTSLIVE HOME", uuid("0001"), uuid("fff6"))


def sdb_bt() -> BleBoard:
    return BleBoard("58:CE:97:0B:54:C8", "SDB-BT", "fff0", "fff1", "fff2", notify_flags=("notify", "read"))


def unicorn() -> BleBoard:
    board = BleBoard("C4:BE:84:00:00:04", "joofunn Dartboard (B)", "fff0", "fff1", "fff2", is_service_advertised=False)
    board.write_flags, board.enable, board.charge = ("write",), b"\x03", 80
    return board


def smartness() -> BleBoard:
    return BleBoard("64:CF:D9:3A:E0:C1", "Smartness1", "ffe0", "ffe1", notify_flags=("read", "notify"))


async def opened(profile: Profile, target: str = "auto", patience: Patience = LONG) -> Transport:
    return await open_board(parse(f"ble:{target}"), profile, patience)


async def trouble(profile: Profile = GRAN.profile, target: str = "auto") -> LinkError:
    with pytest.raises(LinkError) as caught:
        await opened(profile, target, SHORT)
    assert "\n" not in str(caught.value)
    return caught.value


async def heard(line: Transport, count: int) -> list[bytes]:
    async with asyncio.timeout(PATIENCE_S):
        return [await line.receive() for _ in range(count)]


def schemes(patience: Patience = SHORT) -> Mapping[str, Scheme]:
    return {**SCHEMES, "ble": SCHEMES["ble"]._replace(open=partial(open_board, patience=patience))}


def session(target: str = "auto", book: str = "granboard", patience: Patience = SHORT) -> Session:
    return Session("bar", f"ble:{target}", shipped(book), schemes=schemes(patience), backoff=SOON, refused_backoff=SOON)


def frame(segment: Segment) -> bytes:
    return GRAN.profile.framing.wrap(GRAN.frames[Meaning("hit", segment=segment)])
