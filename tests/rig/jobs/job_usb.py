"""Report boards over libusb and pyusb: the kernel's drivers step aside and come back, permissions are udev's."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import usb.core  # type: ignore[import-untyped]  # it ships no types
import usb.util  # type: ignore[import-untyped]

from drivers.udev import RULES_FILE, make_rule
from protocol.codebook import load, shipped
from protocol.keyboard import press_keys
from protocol.source import Source
from protocol.standard import standard
from simulator.kernel.usb_boards import ReportBoard
from tests.daemon.process import eventually
from tests.rig.jobs.evening import LEG, Evening
from tests.rig.machine import ROOT

VENDOR = """
id = "own-reports"
name = "A board with reports of its own"
link = "usb"
[usb]
ids = ["16c0:05df"]
[framing]
kind = "datagram"
[hits]
frame = "{id}"
[buttons]
next = "next"
"""
LEONARDO = 'board = "usb:auto"\nprofile = "pydarts-leonardo"'
_PLUGS = 3
"""Now and then the kernel gives up on a device that is plugged in right after another has left: it is done again."""
PLUGDEV = 46
"""Debian's number of that group."""


@pytest.fixture
async def leonardo() -> AsyncIterator[ReportBoard]:
    async with ReportBoard(shipped("pydarts-leonardo")) as board:
        for _ in range(_PLUGS):
            with suppress(TimeoutError):
                await eventually(lambda: driver() == "usbhid")
                break
            await board.unplug()
            board.plug()
        assert driver() == "usbhid", "the kernel does not take it for a keyboard"
        yield board


def driver() -> str:
    """Which of the kernel's drivers has the board's keyboard; "" for none."""
    for link in Path("/sys/bus/usb/devices").glob("*:1.2/driver"):
        return link.resolve().name
    return ""


def node(board: ReportBoard) -> Path:
    """The board's node, which permissions are about."""
    vendor = f"{board.device.identity.vendor:04x}"
    (found,) = (f.parent for f in Path("/sys/bus/usb/devices").glob("*/idVendor") if f.read_text().strip() == vendor)
    bus, number = (int((found / name).read_text()) for name in ("busnum", "devnum"))
    return Path(f"/dev/bus/usb/{bus:03}/{number:03}")


async def test_a_keyboard_board_plays_a_leg_and_is_pulled_mid_report(tmp_path: Path, leonardo: ReportBoard) -> None:
    async with Evening(tmp_path, LEONARDO) as evening:
        await evening.hears(leonardo)
        assert driver() == "usbfs", "the kernel still takes it for a keyboard"
        await evening.play(leonardo, LEG[:10])

        leonardo.tear(press_keys(b"a")[0])
        await evening.until_board(is_online=False)
        await eventually(lambda: not driver())
        leonardo.hit(standard()["T1"])

        leonardo.plug()
        await evening.hears(leonardo)
        await evening.play(leonardo, LEG[10:])
        state = await evening.state()
        assert (state["phase"], state["winners"]) == ("over", [0])
        evening.assert_kept()
        assert await evening.process.stop() == 0
    assert driver() == "usbhid", "the keyboard was not given back"


async def test_a_vendors_reports_play_a_leg(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(VENDOR)
    table = f'board = "usb:16c0:05df"\nprofile = "{tmp_path}/own.toml"'
    async with ReportBoard(load(Source(VENDOR, "own.toml"))) as board, Evening(tmp_path, table) as evening:
        await evening.hears(board)
        await evening.play(board, LEG[:9])
        board.tear(b"T16")
        await evening.until_board(is_online=False)
        board.plug()
        await evening.hears(board)
        await evening.play(board, LEG[9:])
        evening.assert_kept()


def claimed() -> Any:  # Any: pyusb has no types
    """The board, in the hands of another program."""
    device = usb.core.find(idVendor=0x2341, idProduct=0x8036)
    device.detach_kernel_driver(2)
    usb.util.claim_interface(device, 2)
    return device


async def test_another_program_holds_the_board(tmp_path: Path, leonardo: ReportBoard) -> None:
    other = await asyncio.to_thread(claimed)  # the board answers from this loop
    async with Evening(tmp_path, LEONARDO) as evening:
        said = await evening.until_board(is_online=False)
        assert "another program uses the USB board 2341:8036" in said
        assert str(node(leonardo)) in said
        await asyncio.to_thread(usb.util.dispose_resources, other)
        await evening.hears(leonardo)
        await evening.play(leonardo, LEG[:1])
        evening.assert_kept()


async def test_udevs_rule_opens_the_board_to_a_user(
    tmp_path: Path, leonardo: ReportBoard, udev: None, as_user: None
) -> None:
    async with Evening(tmp_path, LEONARDO) as evening:
        said = await evening.until_board(is_online=False)
        line = make_rule(0x2341, 0x8036)
        assert "no permission" in said
        assert f"write the line {line} to {RULES_FILE}," in said

        write_rules(line)
        await leonardo.unplug()
        leonardo.plug()  # as the sentence says
        await evening.hears(leonardo)
        assert node(leonardo).stat().st_gid == PLUGDEV
        await evening.play(leonardo, LEG[:3])
        evening.assert_kept()


def write_rules(line: str) -> None:
    """What the sentence tells a person to do."""
    Path(RULES_FILE).write_text(f"{line}\n")
    subprocess.run(["udevadm", "control", "--reload"], check=True)


@pytest.fixture
def udev() -> Iterator[None]:
    """The system's udev."""
    process = subprocess.Popen(["/lib/systemd/systemd-udevd"])
    subprocess.run(["udevadm", "settle"], check=True)
    yield
    process.kill()
    process.wait()


@pytest.fixture
def as_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on the daemon is run by a user who is not root, but in the group plugdev."""
    program = tmp_path / "as-user"
    python = shlex.quote(sys.executable)
    program.write_text(
        f'#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --groups={PLUGDEV} --no-new-privs {python} "$@"\n'
    )
    program.chmod(0o755)
    for folder in {*Path(sys.executable).resolve().parents, *ROOT.parents, *tmp_path.parents}:
        # Other users cannot enter the home of root; the kernel of the test forgets what is changed here.
        folder.chmod(folder.stat().st_mode | 0o755)
    tmp_path.chmod(0o777)
    monkeypatch.setattr(sys, "executable", str(program))
