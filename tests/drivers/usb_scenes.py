"""Scenes with USB boards, for a pytest of its own under `umockdev-wrapper`: test_usb.py runs them.

pyusb, libusb and libudev are the real ones; the kernel and the boards are another process, see usb_bench.py.
"""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any  # JSON

import msgspec
import pytest

from daemon.admin.doctor.boards import TableBoard as Configured
from daemon.admin.doctor.boards import check_usb_boards
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System
from drivers.schemes import parse
from drivers.transport import Lost, Refused, Unavailable
from drivers.udev import RULES_FILE, make_rule
from drivers.usb_board import UsbTransport, open_reports
from drivers.usb_devices import list_usb_devices
from protocol.framing import Framing
from protocol.profile import Hits, Profile, Usb
from tests.drivers.listening import PATIENCE_S
from tests.drivers.usb_bench import Bench, Board

LEONARDO = Profile(
    id="leonardo",
    name="A keyboard that is none",
    hits=Hits(),
    link="usb",
    usb=Usb(ids=["2341:8036"], product="Arduino"),
)
VENDOR = Profile(
    id="vendor",
    name="A board with reports of its own",
    hits=Hits(frame="{id}"),
    framing=Framing(kind="datagram"),
    link="usb",
    usb=Usb(ids=["16c0:05df"]),
)
KEYBOARD = [3, 1, 1]
ARDUINO: dict[str, Any] = {"vid": 0x2341, "pid": 0x8036, "product": "Arduino Leonardo", "manufacturer": "Arduino LLC"}


@pytest.fixture(scope="module")
def shared_bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


@pytest.fixture
def bench(shared_bench: Bench) -> Iterator[Bench]:
    """A bench without boards."""
    yield shared_bench
    for folder in (shared_bench.folder / "sys/bus/usb/devices").glob("*-*"):
        shared_bench.ask({"do": "unplug", "port": folder.name})


async def open_usb(address: str, profile: Profile = VENDOR) -> UsbTransport:
    async with asyncio.timeout(PATIENCE_S):
        return await open_reports(parse(address), profile)


async def read(line: UsbTransport, count: int) -> list[bytes]:
    async with asyncio.timeout(PATIENCE_S):
        return [await line.receive() for _ in range(count)]


async def lost(line: UsbTransport) -> tuple[list[bytes], str]:
    """The reports that still come before the loss, and the loss's sentence."""
    reports: list[bytes] = []
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                reports.append(await line.receive())
            except Lost as error:
                return reports, str(error)


async def no_reader() -> None:
    """Waits until every reader has ended and has been heard."""
    async with asyncio.timeout(PATIENCE_S):
        while [thread for thread in threading.enumerate() if thread.name.startswith("USB board")]:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    await asyncio.sleep(0)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def vendor_board(bench: Bench, port: str = "1-1", **said: Any) -> Board:
    return bench.plug(port, vid=0x16C0, pid=0x05DF, product="DartMat", **said)


async def test_what_is_plugged_in_is_found_without_opening_anything(bench: Bench) -> None:
    bench.plug("1-2", **ARDUINO, serial="SN7", kind=KEYBOARD)
    bench.plug("1-10", vid=0x16C0, pid=0x05DF)
    bench.plug("1-11", vid=0x16C0, pid=0x05DF, product="Dart", serial=99 * "7")
    shown = bench.folder / "sys/bus/usb/devices/1-11/product"
    shown.write_text('Dart\x1b[2J\n[mqtt]\nhost = "evil"\n', encoding="utf-8")
    bench.plug("1-1.4", vid=0x046D, pid=0xC31C, product="Keyb\udcff".encode("utf-8", "replace").decode())
    found = list_usb_devices()
    assert [device.bus for device in found] == ["1-1.4", "1-2", "1-10", "1-11"]
    assert found[1][:5] == (0x2341, 0x8036, "Arduino Leonardo", "Arduino LLC", "SN7")
    assert found[2][2:5] == (None, None, None)
    assert found[1].label == "2341:8036"
    assert (found[3].product, found[3].serial) == ('Dart?[2J?[mqtt]?host = "evil"', 64 * "7")


async def test_a_keyboard_is_taken_from_the_kernel_and_given_back(bench: Bench) -> None:
    board = bench.plug(**ARDUINO, kind=KEYBOARD, driver="usbhid")
    async with aclosing(await open_usb("usb:auto", LEONARDO)) as line:
        assert (board.driver, board.is_held) == (None, True)
        assert board.log == [["control", 0x21, 0x0A, 0, 0, ""], ["control", 0x21, 0x0B, 0, 0, ""]]
        pressed, released = b"\x02\x00\x04\x00\x00\x00\x00\x00", bytes(8)
        board.say(pressed, released)
        assert await read(line, 2) == [pressed, released]
        await line.send(b"\x01")
        assert board.log[-1] == ["control", 0x21, 0x09, 0x0200, 0, "01"]
    assert (board.driver, board.is_held) == ("usbhid", False)
    assert board.log[-1] == ["control", 0x21, 0x0B, 1, 0, ""], "it speaks the reports it spoke before"


async def test_a_board_of_its_own_kind_is_read_and_written(bench: Bench) -> None:
    board = vendor_board(bench, listens="always", interface=2, configured=False)
    profile = msgspec.structs.replace(VENDOR, usb=Usb(ids=["16C0:05DF"], interface=2, endpoint=0x81))
    async with aclosing(await open_usb("usb:auto", profile)) as line:
        reports = [bytes([n % 256] * (1 + n % 8)) for n in range(300)]
        board.say(*reports)
        assert await read(line, 300) == reports
        await line.send(b"lamp")
        assert board.log == [["out", 2, b"lamp".hex()]]


async def test_closing_ends_a_read_in_flight_and_may_come_twice(bench: Bench) -> None:
    board = vendor_board(bench)
    line = await open_usb("usb:16c0:05df")
    waiting = asyncio.create_task(lost(line))
    async with asyncio.timeout(PATIENCE_S):
        while not board.reading:  # noqa: ASYNC110  the other process sends no word
            await asyncio.sleep(0.001)
        await asyncio.gather(line.aclose(), line.aclose())
        await line.aclose()
    assert "closed" in (await waiting)[1]
    with pytest.raises(Lost, match="closed"):
        await line.send(b"x")
    assert not board.is_held
    await no_reader()


async def test_a_board_whose_opening_or_closing_was_cancelled_is_given_back(bench: Bench) -> None:
    board = bench.plug(**ARDUINO, kind=KEYBOARD, driver="usbhid")
    for wait_s in (0, 0.003, 0.01, 0.02, 0.03):
        opening = asyncio.create_task(open_usb("usb:auto", LEONARDO))
        await asyncio.sleep(wait_s)
        opening.cancel()
        await asyncio.wait([opening])
        if opening.cancelled():
            assert board.driver == "usbhid"
        else:
            closing = asyncio.create_task(opening.result().aclose())
            await asyncio.sleep(0)
            closing.cancel()
            await asyncio.wait([closing])
        async with asyncio.timeout(PATIENCE_S):
            while board.driver is None:  # noqa: ASYNC110  the other process sends no word
                await asyncio.sleep(0.001)


async def test_a_board_is_given_back_however_often_it_is_cancelled(bench: Bench) -> None:
    board = bench.plug(**ARDUINO, kind=KEYBOARD, driver="usbhid")
    for is_closing in (False, True):
        line = await open_usb("usb:auto", LEONARDO) if is_closing else None
        task = asyncio.create_task(line.aclose() if line else open_usb("usb:auto", LEONARDO))
        for _ in range(5):
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert (board.driver, board.is_held) == ("usbhid", False)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_an_unforeseen_failure_of_the_reader_gives_the_board_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> bytes:
        raise ZeroDivisionError

    monkeypatch.setattr("usb.core.Endpoint.read", fail)
    board = bench.plug(**ARDUINO, kind=KEYBOARD, driver="usbhid")
    async with aclosing(await open_usb("usb:auto", LEONARDO)) as line:
        reports, sentence = await lost(line)
        assert not reports
        assert "report it" in sentence
        await no_reader()
        assert board.driver == "usbhid"


async def test_nothing_stays_open_after_many_connections(bench: Bench) -> None:
    vendor_board(bench)
    await (await open_usb("usb:auto")).aclose()
    before = open_files()
    for _ in range(10):
        await (await open_usb("usb:auto")).aclose()
    assert open_files() <= before


async def test_what_arrived_before_the_plug_was_pulled_is_delivered_before_the_loss(bench: Bench) -> None:
    board = vendor_board(bench)
    async with aclosing(await open_usb("usb:auto")) as line:
        board.say(b"T20", b"D5")
        assert await read(line, 1) == [b"T20"]
        board.say(b"DB")
        async with asyncio.timeout(PATIENCE_S):
            while not board.reading:  # noqa: ASYNC110  it reads on, so what was said before has arrived
                await asyncio.sleep(0.001)
        board.unplug()
        await no_reader()
        reports, sentence = await lost(line)
        assert reports == [b"D5", b"DB"]
        assert "plug it in again" in sentence
        with pytest.raises(Lost):
            await line.send(b"x")
    with pytest.raises(Unavailable, match="there is no USB board of the profile vendor: plug it in"):
        await open_usb("usb:auto")


async def test_a_slow_reader_makes_the_board_wait_and_loses_nothing(bench: Bench) -> None:
    board = vendor_board(bench)
    reports = [f"{n:08}".encode() for n in range(1500)]
    async with aclosing(await open_usb("usb:auto")) as line:
        board.say(*reports)
        async with asyncio.timeout(PATIENCE_S):
            while board.reading or board.waiting != 1500 - 1024:  # noqa: ASYNC110  the other process sends no word
                await asyncio.sleep(0.01)
        assert await read(line, 1500) == reports


@pytest.mark.parametrize("code", [errno.EPIPE, errno.EPROTO, errno.EOVERFLOW])
async def test_a_read_that_fails_now_and_then_is_tried_again(bench: Bench, code: int) -> None:
    board = vendor_board(bench)
    board.fail("read", code, 2)
    async with aclosing(await open_usb("usb:auto")) as line:
        board.say(b"T20")
        assert await read(line, 1) == [b"T20"]
        assert (["clear"] in board.log) == (code == errno.EPIPE)


async def test_a_read_that_always_fails_ends_the_link(bench: Bench) -> None:
    board = vendor_board(bench)
    board.fail("read", errno.EPROTO, 1000)
    async with aclosing(await open_usb("usb:auto")) as line:
        assert "another cable" in (await lost(line))[1]


async def test_a_board_that_takes_no_bytes_is_given_up(bench: Bench) -> None:
    vendor_board(bench, listens="never")
    async with aclosing(await open_usb("usb:auto")) as line:
        with pytest.raises(Lost, match="accepts no more bytes"):
            await line.send(b"lamp")
        assert "accepts no more bytes" in (await lost(line))[1]


async def test_what_a_board_refuses_is_passed_over(bench: Bench) -> None:
    board = vendor_board(bench)
    async with aclosing(await open_usb("usb:auto")) as line:
        board.fail("control", errno.EPIPE)
        await line.send(b"lamp")
        board.say(b"T20")
        assert await read(line, 1) == [b"T20"]


async def test_a_board_that_is_held_says_who_can_tell(bench: Bench) -> None:
    board = vendor_board(bench, driver="dartd")
    async with aclosing(await open_usb("usb:auto")) as first:
        with pytest.raises(Refused, match=f"another program uses the USB board 16c0:05df.*fuser {board.node}"):
            await open_usb("usb:auto")
        board.say(b"T20")
        assert await read(first, 1) == [b"T20"]
    board.fail("claim", errno.EBUSY)
    with pytest.raises(Refused, match="another program uses"):
        await open_usb("usb:auto")
    assert board.driver == "dartd", "the kernel's driver comes back though the claim failed"


async def test_the_doctor_says_what_keeps_a_board_from_us(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(account: Account) -> str:
        (check,) = check_usb_boards(
            [Configured("main", parse("usb:auto"), VENDOR)], list_usb_devices(), account, (), System()
        )
        return " ".join(str(check).split())

    us = Account("root", 0, frozenset(), frozenset(), is_service=True, is_caller=False)
    service = Account("oche", 65533, frozenset({65533}), frozenset({65533}), is_service=True, is_caller=False)
    assert said(us).startswith("problem usb the USB board of table main (usb:auto) is not plugged in: plug it in")
    board = vendor_board(bench)
    assert said(us).startswith("ok usb the USB board of table main (16c0:05df in port 1-1) is plugged in")
    await asyncio.to_thread(bench.shut, board.node)
    line = said(service)
    assert line.startswith("problem usb oche has no permission to use the USB board of table main")
    assert (
        f"{make_rule(0x16C0, 0x05DF)} to {RULES_FILE}, then run sudo udevadm control --reload and sudo udevadm" in line
    )
    monkeypatch.setattr("drivers.usb_devices.LIBUSB", "libnothing.so.0")
    checks = list(
        check_usb_boards([Configured("main", parse("usb:auto"), VENDOR)], list_usb_devices(), us, (), System())
    )
    assert str(checks[0].remedy) == "sudo apt install libusb-1.0-0"


async def test_a_board_one_may_not_use_names_the_rule(bench: Bench) -> None:
    board = vendor_board(bench)
    await asyncio.to_thread(bench.shut, board.node)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        with pytest.raises(Refused) as caught:
            await open_usb("usb:auto")
    finally:
        if is_root:
            os.seteuid(0)
    assert make_rule(0x16C0, 0x05DF) in str(caught.value)
    assert RULES_FILE in str(caught.value)
    assert "udevadm control --reload" in str(caught.value)


@pytest.mark.parametrize("code", [errno.ENODEV, errno.EPROTO])
async def test_a_board_that_goes_while_it_is_opened_is_unavailable(bench: Bench, code: int) -> None:
    vendor_board(bench).fail("claim", code)
    with pytest.raises(Unavailable, match="plug it in"):
        await open_usb("usb:auto")


async def test_equal_boards_are_told_apart(bench: Bench) -> None:
    boards = [vendor_board(bench, port, serial=serial) for port, serial in (("1-1", "A"), ("1-2", "B"))]
    for address, board in (("usb:auto?serial=B", boards[1]), ("usb:16C0:05DF?bus=1-1", boards[0])):
        async with aclosing(await open_usb(address)) as line:
            board.say(b"T20")
            assert await read(line, 1) == [b"T20"]
    with pytest.raises(Unavailable, match=r"no USB board 16c0:05df\?serial=C"):
        await open_usb("usb:16c0:05df?serial=C")


async def test_a_profile_finds_its_board_and_no_other(bench: Bench) -> None:
    bench.plug("1-1", **{**ARDUINO, "product": "CNC mill"}, kind=KEYBOARD)
    with pytest.raises(Unavailable, match="of the profile leonardo"):
        await open_usb("usb:auto", LEONARDO)
    await (await open_usb("usb:2341:8036", LEONARDO)).aclose()
    with pytest.raises(Refused, match="has no interrupt endpoint to read from on interface 1"):
        await open_usb("usb:2341:8036", msgspec.structs.replace(LEONARDO, usb=Usb(ids=[], interface=1)))
    with pytest.raises(Refused, match="the profile leonardo does not describe a USB board"):
        await open_usb("usb:auto", msgspec.structs.replace(LEONARDO, usb=None))
