"""Bluetooth boards through the real bleak, over a D-Bus of our own: which board, and what is said to it.

The other end is tests/drivers/bluetoothd.py.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from drivers.address import AddressError
from drivers.ble_adverts import matches
from drivers.bluetooth import Notifications, listen_for_adverts
from drivers.bluez import Bluez
from drivers.transport import Lost, Refused
from protocol.codebook import shipped
from protocol.events import Battery, LinkUp
from tests.drivers.ble import (
    GRAN,
    dartslive,
    granboard,
    heard,
    opened,
    sdb_bt,
    session,
    smartness,
    trouble,
    unicorn,
)
from tests.drivers.bluetoothd import BleBoard, Bluetoothd
from tests.drivers.listening import take_until


@pytest.mark.parametrize(
    ("profile", "board", "journal"),
    [
        ("granboard", granboard(), ["listen", "hush"]),
        ("dartslive-home", dartslive(), ["listen", "hush"]),
        ("sdb-bt", sdb_bt(), ["listen", "hush"]),
        ("unicorn", unicorn(), ["write 03", "listen", "hush", "write 02"]),
        ("smartness", smartness(), ["listen", "hush"]),
    ],
)
async def test_each_board_is_found_begun_and_left_in_its_order(
    bus: str, profile: str, board: BleBoard, journal: list[str]
) -> None:
    kind = shipped(profile).profile
    assert kind.ble
    async with Bluetoothd(bus, board) as bluez:
        before = asyncio.get_running_loop().time()
        line = await opened(replace(kind, ble=replace(kind.ble, settle_ms=min(kind.ble.settle_ms, 100))))
        assert asyncio.get_running_loop().time() - before >= min(kind.ble.settle_ms, 100) / 1000
        assert not bluez.scans
        assert bluez.say(board, b"said")
        assert await heard(line, 1) == [b"said"]
        await line.aclose()
        await line.aclose()
        assert board.journal == ["connect", *journal, "hang up"]
        assert not board.is_connected
        with pytest.raises(Lost):
            await line.receive()


async def test_a_board_is_told_each_command_in_one_write_of_its_kind(bus: str) -> None:
    gran, bristle, mute = granboard(), unicorn(), smartness()
    silent = shipped("smartness").profile
    assert silent.ble
    async with Bluetoothd(bus, gran, bristle, mute), AsyncExitStack() as stack:
        profiles = (GRAN.profile, shipped("unicorn").profile, replace(silent, ble=replace(silent.ble, settle_ms=0)))
        lines = [await opened(profile) for profile in profiles]
        for line in lines:
            stack.push_async_callback(line.aclose)
            await asyncio.gather(line.send(bytes(range(20))), line.send(b"\x02"), line.send(b""))
        assert gran.journal[2:] == [f"write {bytes(range(20)).hex()} without response", "write 02 without response"]
        assert bristle.journal[3:] == [f"write {bytes(range(20)).hex()}", "write 02"]
        assert mute.journal == ["connect", "listen"]


async def test_a_board_that_answers_every_write_is_asked_to(bus: str) -> None:
    board = granboard()
    board.write_flags = ("write",)
    async with Bluetoothd(bus, board):
        line = await opened(GRAN.profile)
        await line.send(b"\x01")
        assert board.journal[2:] == ["write 01"]
        await line.aclose()


async def test_the_charge_is_told_by_boards_that_have_a_battery(bus: str) -> None:
    bristle, gran = unicorn(), granboard()
    async with Bluetoothd(bus, bristle, gran), session(book="unicorn") as line:
        (charge,) = [item for item in await take_until(line, Battery) if isinstance(item, Battery)]
        assert charge.percent == 80
        other = await opened(GRAN.profile)
        assert await other.battery() is None
        await other.aclose()


async def test_how_loud_a_board_is_heard_is_told(bus: str) -> None:
    async with Bluetoothd(bus, unicorn()), session(book="unicorn") as line:
        (up,) = [item for item in await take_until(line, LinkUp) if isinstance(item, LinkUp)]
        assert up.signal_dbm in {-50, -51}


async def test_a_charge_that_could_not_be_read_is_asked_for_again(bus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.session._CHARGE_S", 0.01)  # ten minutes
    board = unicorn()
    board.charge_failures = 2
    async with Bluetoothd(bus, board), session(book="unicorn") as line:
        items = await take_until(line, Battery)
        assert [item.percent for item in items if isinstance(item, Battery)] == [80]
        assert line.reconnects == 0


async def test_notifications_come_whole_and_in_order_however_late(bus: str) -> None:
    rng = random.Random(1)
    said = [rng.randbytes(rng.randrange(1, 21)) for _ in range(500)]
    said[100:103] = [b"same"] * 3
    async with Bluetoothd(bus, board := granboard()) as bluez:
        line = await opened(GRAN.profile)
        for number, data in enumerate(said):
            assert bluez.say(board, data)
            if number % 50 == 0:
                await bluez.settled()  # dbus-fast gives a connection up whose socket is full
        bluez.drop(board)
        assert await heard(line, 500) == said
        with pytest.raises(Lost, match="in reach, awake and charged"):
            await line.receive()
        with pytest.raises(Lost):
            await line.send(b"lamp")
        with pytest.raises(Lost):
            await line.battery()
        await line.aclose()


async def test_a_reader_who_never_reads_ends_the_link_without_loss() -> None:
    inbox = Notifications()
    for number in range(10_000):
        inbox.put(None, bytearray(number.to_bytes(2, "big")))  # type: ignore[arg-type]  # who said it is not looked at
    assert inbox.lost
    kept = [await inbox.take() for _ in range(8192)]
    assert kept == [number.to_bytes(2, "big") for number in range(8192)]
    with pytest.raises(Lost, match="switch it off and on"):
        await inbox.take()


# Which board


async def test_two_kinds_of_board_with_one_service_are_told_apart(bus: str) -> None:
    async with Bluetoothd(bus, one := sdb_bt(), other := unicorn()):
        lines = await asyncio.gather(opened(shipped("unicorn").profile), opened(shipped("sdb-bt").profile))
        assert one.journal == ["connect", "listen"]
        assert other.journal == ["connect", "write 03", "listen"]
        for line in lines:
            await line.aclose()


async def test_a_radio_module_with_the_same_service_is_no_board(bus: str) -> None:
    leaf, grandstream = granboard(1), granboard(2)
    leaf.name, grandstream.name, grandstream.service = "Leaf_A_#1", "Grandstream phone", "180d"
    async with Bluetoothd(bus, leaf, grandstream):
        assert "wake it" in str(await trouble())
        assert not leaf.journal + grandstream.journal


async def test_an_address_or_a_name_picks_one_of_several(bus: str) -> None:
    first, second = granboard(1), granboard(2)
    second.name = "GRANBOARD bar"
    async with Bluetoothd(bus, first, second):
        for target, meant in [("c2-a4-cf-00-00-02", second), (first.address, first), ("Granboard BAR", second)]:
            line = await opened(GRAN.profile, target)
            assert [board.address for board in (first, second) if board.is_connected] == [meant.address]
            await line.aclose()


async def test_a_wrong_device_is_refused_and_left_alone(bus: str) -> None:
    stranger, wrong_profile = sdb_bt(), shipped("granboard").profile
    async with Bluetoothd(bus, stranger):
        error = await trouble(wrong_profile, stranger.address)
        assert isinstance(error, Refused)
        assert "SDB-BT" in str(error)
        assert not stranger.journal


async def test_a_name_that_is_no_name_goes_nowhere_as_it_is(bus: str) -> None:
    board = granboard()
    board.name = 'GRAN\n[mqtt]\nhost = "evil"\n#\x1b[2J' + 99 * "x"
    said = 'GRAN?[mqtt]?host = "evil"?#?[2J'
    async with Bluetoothd(bus, board):
        (advert,) = await listen_for_adverts(0.3)
        assert advert.name == said + (64 - len(said)) * "x"
        error = str(await trouble(shipped("unicorn").profile, board.address))
        assert f"calls itself {advert.name}, and" in error
        (known,) = (await (bluez := await Bluez.connect()).look(None)).devices
        assert known.name == advert.name
        await bluez.aclose()


async def test_a_board_lacking_its_kinds_services_is_refused_and_asked_anew(bus: str) -> None:
    board = unicorn()
    board.is_stale = True
    async with Bluetoothd(bus, board):
        error = await trouble(shipped("unicorn").profile)
        assert isinstance(error, Refused)
        assert "switch it off and on" in str(error)
        assert not board.is_connected
        await (await opened(shipped("unicorn").profile)).aclose()


@pytest.mark.parametrize(
    "board",
    [
        dataclasses.replace(unicorn(), notify_flags=("read",)),
        dataclasses.replace(unicorn(), write_flags=("read",)),
        dataclasses.replace(unicorn(), write="fff9"),
    ],
)
async def test_characteristics_count_by_what_they_can_do(bus: str, board: BleBoard) -> None:
    async with Bluetoothd(bus, board):
        assert isinstance(await trouble(shipped("unicorn").profile), Refused)
        assert not board.is_connected
        assert "listen" not in board.journal


async def test_what_a_person_paired_is_not_unpaired(bus: str) -> None:
    board = granboard()
    board.is_paired = board.is_stale = True
    async with Bluetoothd(bus, board):
        for _ in range(2):
            assert isinstance(await trouble(GRAN.profile, board.address), Refused)


async def test_a_profile_without_bluetooth_is_refused() -> None:
    with pytest.raises(AddressError, match="no Bluetooth"):
        await opened(shipped("opendarts").profile)


def test_name_and_service_must_both_fit() -> None:
    gran, service = GRAN.profile, granboard().service
    assert matches(gran, "granboard 3s", ["180f", service.upper()])
    assert matches(gran, "GRANBOARD", [])
    assert not matches(gran, "GRANBOARD", ["180f"])
    assert not matches(gran, "Leaf_A", [service])
    assert not matches(gran, "", [service])
    assert matches(shipped("sdb-bt").profile, "SDB-BT", ["0000FFF0-0000-1000-8000-00805F9B34FB"])
    assert not matches(shipped("unicorn").profile, "SDB-BT", ["fff0"])
    assert not matches(shipped("opendarts").profile, "anything", [])


async def test_what_is_heard_around(bus: str) -> None:
    asleep = smartness()
    asleep.is_asleep = True
    async with Bluetoothd(bus, granboard(), sdb_bt(), asleep) as bluez:
        around = await listen_for_adverts(0.3)
        assert not bluez.scans
        assert {advert.rssi for advert in around} <= {-50, -51}
        assert {(advert.name, advert.services) for advert in around} == {
            ("GRANBOARD", (granboard().service,)),
            ("SDB-BT", ("0000fff0-0000-1000-8000-00805f9b34fb",)),
        }
