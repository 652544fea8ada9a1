"""Bluetooth links that fail, end, come back, and get into each other's way: bleak over a D-Bus of our own."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
from bleak.backends.bluezdbus.version import BlueZFeatures
from msgspec.structs import replace

from drivers.bluetooth import Patience, listen_for_adverts
from drivers.bluez import BUS_ERRORS, Bluez
from drivers.radio import Radio
from drivers.transport import Refused, Transport, Unavailable
from protocol.codebook import shipped
from protocol.events import Hit, LinkDown, LinkUp
from protocol.segment import Segment
from protocol.sentence import Sentence
from tests.drivers.ble import (
    GRAN,
    LONG,
    SHORT,
    dartslive,
    frame,
    granboard,
    opened,
    sdb_bt,
    session,
    trouble,
    unicorn,
)
from tests.drivers.bluetoothd import Bluetoothd
from tests.drivers.listening import PATIENCE_S, hits, take, take_until
from tests.drivers.system_bus import system_bus

# Coming back


async def test_no_dart_is_lost_while_connected_however_often_the_link_drops(bus: str) -> None:
    rng = random.Random(3)
    thrown: list[Segment] = []
    async with Bluetoothd(bus, board := granboard()) as bluez, session() as line:
        received: list[object] = []
        for _ in range(12):
            received += await take_until(line, LinkUp)
            for segment in rng.sample(GRAN.segments, rng.randrange(30)):
                assert bluez.say(board, frame(segment))
                thrown.append(segment)
            bluez.drop(board)
        received += await take_until(line, LinkUp)
        assert hits(received) == thrown
        assert bluez.collisions == 0
        assert line.reconnects == 12
    assert not board.is_connected


async def test_a_held_or_sleeping_board_is_said_once_and_comes_back(bus: str) -> None:
    async with Bluetoothd(bus, board := granboard()) as bluez, session() as line:
        await take_until(line, LinkUp)
        board.is_asleep = True
        bluez.drop(board)
        lost, unheard = [item for item in await take(line, 2) if isinstance(item, LinkDown)]
        assert (lost.kind, unheard.kind) == ("lost", "unavailable")
        assert "wake it" in unheard.reason
        assert "phone" in unheard.reason
        board.is_asleep, board.is_held_by_phone = False, True
        await asyncio.sleep(0.5)  # several attempts
        board.is_held_by_phone = False
        assert isinstance((await take(line, 1))[0], LinkUp)
        assert bluez.say(board, frame(GRAN.layout["T20"]))
        assert hits(await take_until(line, Hit)) == [GRAN.layout["T20"]]


async def test_a_board_that_needs_a_while_after_hanging_up_is_waited_for(bus: str) -> None:
    board = unicorn()
    board.release_s = 0.7  # longer than the patience below, which the profile's number extends
    async with Bluetoothd(bus, board):
        await (await opened(shipped("unicorn").profile)).aclose()
        line = await opened(shipped("unicorn").profile, patience=Patience(0.2, PATIENCE_S))
        await line.aclose()


@pytest.mark.parametrize("is_at_once", [True, False])
async def test_a_restarted_bluetooth_service_costs_a_reconnect_and_no_more(bus: str, is_at_once: bool) -> None:
    async with Bluetoothd(bus, board := granboard()) as bluez, session() as line:
        for _ in range(2):
            await take_until(line, LinkUp)
            assert bluez.say(board, frame(GRAN.layout["D5"]))
            await take_until(line, Hit)
            await bluez.die()
            if is_at_once:
                await bluez.start()
            down = [item for item in await take_until(line, LinkDown) if isinstance(item, LinkDown)][-1]
            assert down.kind == "lost"
            assert "systemctl status bluetooth" in down.reason
            if not is_at_once:
                down = [item for item in await take_until(line, LinkDown) if isinstance(item, LinkDown)][-1]
                assert down.kind == "unavailable"
                assert "systemctl start bluetooth" in down.reason
                await bluez.start()
        await take_until(line, LinkUp)
        assert bluez.say(board, frame(GRAN.layout["T20"]))
        assert hits(await take_until(line, Hit)) == [GRAN.layout["T20"]]


async def test_a_d_bus_that_ended_costs_a_reconnect_and_no_more(
    dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    async with session() as line:
        for folder in (tmp_path / "before", tmp_path / "after"):
            folder.mkdir()
            async with system_bus(dbus_path, folder) as address:
                monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
                bluez = Bluetoothd(address, granboard())
                await bluez.start()
                await take_until(line, LinkUp)
            lost, unavailable = [item for item in await take(line, 2) if isinstance(item, LinkDown)]
            assert (lost.kind, unavailable.kind) == ("lost", "unavailable")
            assert "systemctl start dbus" in unavailable.reason
            with suppress(*BUS_ERRORS):
                await bluez.die()


async def test_an_adapter_lost_in_mid_play_is_named_and_comes_back(bus: str) -> None:
    async with Bluetoothd(bus, board := granboard()) as bluez, session() as line:
        await take_until(line, LinkUp)
        bluez.switch("hci0", is_on=False)
        reasons = [item.reason for item in await take(line, 2) if isinstance(item, LinkDown)]
        assert "sudo rfkill unblock bluetooth, then sudo bluetoothctl power on" in reasons[1]
        bluez.switch("hci0", is_on=True)
        await take_until(line, LinkUp)
        bluez.pull("hci0")
        reasons = [item.reason for item in await take(line, 2) if isinstance(item, LinkDown)]
        assert "plug it in" in reasons[0]
        assert "there is no Bluetooth adapter" in reasons[1]
        await bluez.die()
        await bluez.start()
        await take_until(line, LinkUp)
        assert board.is_listened


async def test_a_board_that_only_loses_its_battery_service_is_not_gone(bus: str) -> None:
    gone: list[Sentence] = []
    async with Bluetoothd(bus, board := granboard()) as bluez:
        bluez.keep_link(board)
        watching = await Bluez.connect()
        await watching.watch("hci0", board.path, gone.append)
        bluez.lose_battery(board)
        assert len((await watching.look(None)).devices) == 1  # the answer comes after what was said before
        assert gone == []
        bluez.pull("hci0")
        with pytest.raises(Unavailable):
            await watching.look(None)
        assert "the Bluetooth adapter is gone" in str(gone[0])
        await watching.aclose()


async def test_a_connection_that_failed_here_does_not_hide_the_board(bus: str) -> None:
    board = granboard()
    board.failures = ["kept", "refused", "kept"]
    async with Bluetoothd(bus, board) as bluez, session() as line:
        await take_until(line, LinkUp)
        # On a busy machine a link that was kept may be found in time and used; every other one was hung up.
        *before, last = board.journal
        assert last == "listen"
        assert before == ["connect", *["hang up", "connect"] * before.count("hang up")]
        assert bluez.say(board, frame(GRAN.layout["T20"]))
        assert hits(await take_until(line, Hit)) == [GRAN.layout["T20"]]


async def test_a_link_left_by_a_program_that_was_killed_is_freed(bus: str) -> None:
    async with Bluetoothd(bus, board := granboard()) as bluez:
        bluez.keep_link(board)
        line = await opened(GRAN.profile, patience=SHORT)
        assert board.is_listened
        await line.aclose()


async def test_a_link_that_another_program_uses_stays_its_own(bus: str) -> None:
    async with Bluetoothd(bus, board := granboard()) as bluez:
        bluez.keep_link(board, is_listened=True)
        error = await trouble(target=board.address)
        assert isinstance(error, Refused)
        assert "another table or program" in str(error)
        assert isinstance(await trouble(), Unavailable)
        assert board.is_listened


@pytest.mark.parametrize(("failure", "words"), [("refused", "bring it nearer"), ("silent", "bring it nearer")])
async def test_a_connection_that_fails_says_what_to_do_and_leaves_nothing(bus: str, failure: str, words: str) -> None:
    board = granboard()
    board.failures = [failure]  # type: ignore[list-item]  # one of the words
    async with Bluetoothd(bus, board) as bluez:
        error = await trouble()
        assert isinstance(error, Unavailable)
        assert words in str(error)
        assert not board.is_connected
        assert not bluez.is_connecting


# Troubles before any board


async def test_without_d_bus_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    error = await trouble()
    assert isinstance(error, Unavailable)
    assert "apt install bluez" in str(error)
    with pytest.raises(Unavailable):
        await listen_for_adverts(0.1)


async def test_without_the_service_it_says_how_to_start_it(bus: str) -> None:
    error = await trouble()
    assert isinstance(error, Unavailable)
    assert "systemctl start bluetooth" in str(error)


@pytest.mark.parametrize(
    ("adapters", "target", "words"),
    [
        ({}, "auto", "there is no Bluetooth adapter: plug one in"),
        ({"hci0": True}, "auto?adapter=hci7", r"no Bluetooth adapter hci7.*there is hci0"),
        ({"hci0": False, "hci1": False}, "auto", "off on hci0.*rfkill unblock bluetooth"),
        ({"hci0": True, "hci1": False}, "auto?adapter=hci1", "off on hci1"),
    ],
)
async def test_an_adapter_that_cannot_be_used_is_named(
    bus: str, adapters: dict[str, bool], target: str, words: str
) -> None:
    async with Bluetoothd(bus, adapters=adapters):
        with pytest.raises(Unavailable, match=words):
            await opened(GRAN.profile, target, SHORT)


async def test_the_first_adapter_that_is_on_is_taken(bus: str) -> None:
    async with Bluetoothd(bus, granboard(), adapters={"hci1": False, "hci0": True, "hci2": False}):
        await (await opened(GRAN.profile)).aclose()


async def test_without_permission_it_names_the_group(
    dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = '<deny send_destination="org.bluez"/>'
    async with system_bus(dbus_path, tmp_path, denied) as address:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        async with Bluetoothd(address, granboard()):
            error = await trouble()
            assert isinstance(error, Refused)
            assert "usermod -aG bluetooth" in str(error)


# Several at once, and giving up


async def test_several_boards_on_one_adapter_do_not_get_into_each_others_way(bus: str) -> None:
    boards = [granboard(1), granboard(2), sdb_bt(), unicorn(), dartslive()]
    names = ["granboard", "granboard", "sdb-bt", "unicorn", "dartslive-home"]
    async with Bluetoothd(bus, *boards) as bluez, AsyncExitStack() as stack:
        absent = await stack.enter_async_context(session(book="smartness"))
        lines = [await stack.enter_async_context(session(book=name, patience=LONG)) for name in names]
        for _ in range(2):
            await asyncio.gather(*(take_until(line, LinkUp) for line in lines))
            assert all(board.is_listened for board in boards)
            for board in boards:
                bluez.drop(board)
        await asyncio.gather(*(take_until(line, LinkUp) for line in lines))
        assert bluez.collisions == 0
        assert isinstance((await take(absent, 1))[0], LinkDown)
    assert not any(board.is_connected for board in boards)
    assert not bluez.scans


async def test_one_board_for_two_tables_is_refused_to_the_second(bus: str) -> None:
    settling = GRAN.profile
    assert settling.ble
    settling = replace(settling, ble=replace(settling.ble, settle_ms=500))
    async with Bluetoothd(bus, board := granboard()):
        opening = asyncio.create_task(opened(settling))
        async with asyncio.timeout(PATIENCE_S):
            while not board.is_connected:  # noqa: ASYNC110  the board is on another bus connection
                await asyncio.sleep(0.005)
        assert isinstance(await trouble(target=board.address), Refused)
        line = await opening
        assert isinstance(await trouble(target=board.address), Refused)
        assert board.is_listened
        await line.aclose()


async def test_a_board_that_hangs_up_at_once_was_not_connected_to(bus: str) -> None:
    settling = GRAN.profile
    assert settling.ble
    settling = replace(settling, ble=replace(settling.ble, settle_ms=500))
    async with Bluetoothd(bus, board := granboard()) as bluez:
        opening = asyncio.create_task(trouble(settling))
        async with asyncio.timeout(PATIENCE_S):
            while not board.is_connected:  # noqa: ASYNC110  the board is on another bus connection
                await asyncio.sleep(0.005)
        bluez.drop(board)
        assert str(await opening).startswith("the granboard board was heard, but the connection failed")


async def test_one_board_never_goes_to_two_who_want_any(bus: str) -> None:
    async with Bluetoothd(bus, board := granboard()):
        for _ in range(3):
            opening = [opened(GRAN.profile, patience=SHORT) for _ in range(2)]
            one, other = await asyncio.gather(*opening, return_exceptions=True)
            got, missed = (one, other) if isinstance(one, Transport) else (other, one)
            assert isinstance(got, Transport)
            assert isinstance(missed, Unavailable)
            assert board.is_connected
            await got.aclose()


async def test_giving_up_a_board_that_was_just_heard_holds_up_no_other_table(bus: str) -> None:
    radio, one, other = Radio("hci0"), granboard(1), granboard(2)

    async def seek(address: str) -> None:
        async with radio.found(lambda advert: advert.address == address, PATIENCE_S):
            pass
        second.cancel()  # it waits for its turn, and its board was heard together with this one

    async with Bluetoothd(bus, one, other):
        first, absent, second = (
            asyncio.create_task(seek(address)) for address in (one.address, "00:00:00:00:00:00", other.address)
        )
        await first
        await asyncio.wait([second])
        assert second.cancelled()
        absent.cancel()
        await asyncio.wait([absent])


@pytest.mark.long
async def test_giving_up_at_any_moment_leaves_no_link_and_no_listening(bus: str) -> None:
    board = unicorn()
    async with Bluetoothd(bus, board) as bluez:
        for step in range(30):
            opening = asyncio.create_task(opened(shipped("unicorn").profile))
            for _ in range(step * 2):
                await asyncio.sleep(0.001)
            opening.cancel()
            await asyncio.wait([opening])
            if not opening.cancelled():
                await opening.result().aclose()
            assert not bluez.scans, step
            assert not board.is_connected, step
            assert not bluez.is_connecting, step
        await (await opened(shipped("unicorn").profile)).aclose()
        assert "listen" in board.journal


async def test_giving_up_the_first_connect_of_all_holds_up_no_later_one(
    bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library asks once which BlueZ there is, and who comes meanwhile waits for that."""
    monkeypatch.setattr(BlueZFeatures, "checked_bluez_version", False)
    monkeypatch.setattr(BlueZFeatures, "_check_bluez_event", None)
    async with Bluetoothd(bus, board := unicorn()):
        opening = asyncio.create_task(opened(shipped("unicorn").profile))
        while vars(BlueZFeatures)["_check_bluez_event"] is None:  # noqa: ASYNC110  no event tells when it begins
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])
        async with asyncio.timeout(PATIENCE_S):
            await (await opened(shipped("unicorn").profile)).aclose()
        assert "listen" in board.journal


async def test_a_closing_that_is_cancelled_goes_on_to_its_end(bus: str) -> None:
    async with Bluetoothd(bus, board := unicorn()):
        for step in range(8):
            line = await opened(shipped("unicorn").profile)
            closing = asyncio.create_task(line.aclose())
            for _ in range(step):
                await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait([closing])
            await line.aclose()
            assert board.journal[-3:] == ["hush", "write 02", "hang up"]
            assert not board.is_connected
