"""Bluetooth boards on a virtual radio, with the kernel's Bluetooth, bluetoothd and bleak as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from protocol.codebook import shipped
from protocol.standard import standard
from simulator.habits import find_habits
from simulator.kernel.ble_board import BleBoard, Phone
from simulator.kernel.radio import Adapter, Air
from tests.daemon.process import eventually, journal
from tests.esphome_proxy import run_proxy
from tests.rig.jobs.conftest import BluetoothService, told
from tests.rig.jobs.evening import LEG, Evening

GRANBOARD = 'board = "ble:auto"\nprofile = "granboard"'
BOARDS = ("granboard", "dartslive-home", "sdb-bt", "unicorn", "smartness")


def board_of(profile: str, air: Air) -> BleBoard:
    codebook = shipped(profile)
    return BleBoard(codebook, air, f"F0:F1:F2:F3:F4:{BOARDS.index(profile):02X}", habits=find_habits(codebook.profile))


@pytest.mark.parametrize("profile", BOARDS)
async def test_every_board_connects_and_delivers(
    tmp_path: Path, bluetooth: BluetoothService, air: Air, profile: str
) -> None:
    table = f'board = "ble:auto"\nprofile = "{profile}"'
    async with board_of(profile, air) as board, Evening(tmp_path, table) as evening:
        await evening.hears(board)
        await evening.play(board, LEG[:8])
        evening.assert_kept()


@pytest.fixture
async def granboard(bluetooth: BluetoothService, air: Air) -> AsyncIterator[BleBoard]:
    async with board_of("granboard", air) as board:
        yield board


async def test_a_leg_with_the_link_lost_and_the_batteries_out(tmp_path: Path, granboard: BleBoard) -> None:
    async with Evening(tmp_path, GRANBOARD) as evening:
        await evening.hears(granboard)
        await evening.play(granboard, LEG[:6])
        granboard.drop()
        await evening.until_board(is_online=False)
        granboard.hit(standard()["T1"])

        await evening.hears(granboard)
        await evening.play(granboard, LEG[6:13])
        await granboard.unplug(0)
        granboard.hit(standard()["T1"])
        await evening.until_board(is_online=False)
        granboard.plug()

        await evening.hears(granboard)
        await evening.play(granboard, LEG[13:])
        state = await evening.state()
        assert (state["phase"], state["winners"]) == ("over", [0])
        evening.assert_kept()


async def test_the_service_is_killed_in_mid_leg(
    tmp_path: Path, bluetooth: BluetoothService, granboard: BleBoard
) -> None:
    async with Evening(tmp_path, GRANBOARD) as evening:
        await evening.hears(granboard)
        await evening.play(granboard, LEG[:6])
        await bluetooth.kill()
        assert "Bluetooth service" in await evening.until_board(is_online=False)
        await bluetooth.start()
        await evening.hears(granboard)
        await evening.play(granboard, LEG[6:])
        evening.assert_kept()


async def test_a_phone_holds_the_link(tmp_path: Path, air: Air, granboard: BleBoard) -> None:
    phone = Phone(air)
    await phone.connect(granboard)
    await eventually(lambda: granboard.is_connected)
    async with Evening(tmp_path, GRANBOARD) as evening:
        assert "on every phone" in await evening.until_board(is_online=False)
        await asyncio.sleep(60)
        assert phone.is_connected, "the link of another program was cut"
        phone.leave()
        await evening.hears(granboard)
        await evening.play(granboard, LEG[:3])
        evening.assert_kept()


async def test_a_link_that_the_service_kept_is_freed(tmp_path: Path, granboard: BleBoard) -> None:
    """What an opener that failed halfway leaves behind: a connected board is silent and cannot be found."""
    await told("--timeout", "10", "scan", "on")
    await told("connect", granboard.mac)
    await eventually(lambda: granboard.is_connected)
    async with Evening(tmp_path, GRANBOARD) as evening:
        await evening.hears(granboard)
        await evening.play(granboard, LEG[:3])
        evening.assert_kept()


async def test_a_board_falls_asleep_and_a_dart_wakes_it(tmp_path: Path, bluetooth: BluetoothService, air: Air) -> None:
    codebook = shipped("unicorn")
    sleepy = replace(find_habits(codebook.profile), sleep_ms=60_000)
    table = 'board = "ble:auto"\nprofile = "unicorn"'
    async with BleBoard(codebook, air, habits=sleepy) as board, Evening(tmp_path, table) as evening:
        await evening.hears(board)
        await evening.play(board, LEG[:2])
        await asyncio.sleep(70)
        await evening.until_board(is_online=False)
        assert not board.hit(standard()["T1"]), "it was asleep"
        await evening.hears(board)
        await evening.play(board, LEG[2:6])
        evening.assert_kept()


async def test_the_adapter_is_pulled(tmp_path: Path, adapter: Adapter, granboard: BleBoard) -> None:
    async with Evening(tmp_path, GRANBOARD) as evening:
        await evening.hears(granboard)
        await evening.play(granboard, LEG[:2])
        await adapter.pull()
        await evening.until_said("there is no Bluetooth adapter")
        await adapter.plug()
        await told("power", "on")
        await evening.hears(granboard)
        await evening.play(granboard, LEG[2:6])
        evening.assert_kept()


async def test_an_adapter_and_a_proxy_carry_a_board_each(tmp_path: Path, granboard: BleBoard) -> None:
    async with run_proxy() as proxy:
        board = proxy.place("sdb-bt", "58:CE:97:0B:54:C8")
        cellar = f"""
[[table]]
name = "cellar"
board = "ble:auto"
profile = "sdb-bt"
players = ["Cy", "Di"]

[[proxy]]
host = "127.0.0.1:{proxy.port}"
"""
        async with Evening(tmp_path, GRANBOARD + cellar) as evening:
            await evening.hears(granboard)
            await board.wait_until_open()
            await evening.play(granboard, LEG[:3])
            await proxy.reboot()
            await evening.play(granboard, LEG[3:6])
            await board.wait_until_open()
            assert board.hit(standard()["T20"])
            await eventually(lambda: [line.get("throw") for line in journal(tmp_path, "cellar")] == ["T20"])
            evening.assert_kept()
