"""`oche doctor` on the boards that are read over USB itself: plugged in, ours to use, and free?"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from daemon.doctor.boards import Board
from daemon.doctor.checks import Check
from daemon.doctor.host import Host, Program
from daemon.doctor.whose import Who
from drivers import libusb
from drivers.udev import GROUP, RULES_FILE, rule
from drivers.usb_plugged import Plugged, fitting
from protocol.profile import Usb

_INSTALL = "sudo apt install libusb-1.0-0"


def check_usb_boards(
    boards: Collection[Board], plugged: list[Plugged], who: Who | None, ours: Collection[Program], host: Host
) -> Iterator[Check]:
    """`ours` are the daemons that have the state folder."""
    if boards and not libusb.is_installed():
        yield Check("usb", "problem", "USB boards need libusb, which is not installed", _INSTALL)
    for board in boards:
        assert board.profile.usb is not None  # the configuration was checked
        found = fitting(plugged, board.address, board.profile.usb)
        if not found:
            text = f"the USB board of table {board.table} ({board.address}) is not plugged in"
            yield Check("usb", "problem", text, "plug it in; oche scan names what is there")
        for device in found:
            yield _device(device, board.profile.usb, board.table, who, ours, host)


def _device(device: Plugged, usb: Usb, table: str, who: Who | None, ours: Collection[Program], host: Host) -> Check:
    node = Path(device.node)
    what = f"the USB board of table {table} ({device.label} in port {device.bus})"
    if who is not None and node.exists() and not who.may(node, os.R_OK | os.W_OK):
        return _denied(node, device, usb, what, who)
    holders = host.holders(node)
    others = holders.besides(ours)
    if others:
        text = f"{what} is held by {' and '.join(map(str, others))}"
        return Check("usb", "problem", text, f"close it: sudo kill {others[0].pid}")
    return Check("usb", "ok", f"{what} is there" + (", and the daemon has it" if holders.programs else ""))


def _denied(node: Path, device: Plugged, usb: Usb, what: str, who: Who) -> Check:
    text = f"{who.name} has no permission to use {what}"
    if node.stat().st_mode & stat.S_IWGRP and _group(node) == GROUP:
        return Check("usb", "problem", text, who.remedy(GROUP))
    line = rule(device.vid, device.pid, usb.product)
    remedy = (
        f"write the line {line} to {RULES_FILE}, then sudo udevadm control --reload and sudo udevadm trigger {node}"
    )
    return Check("usb", "problem", text, remedy)


def _group(node: Path) -> str:
    try:
        return grp.getgrgid(node.stat().st_gid).gr_name
    except KeyError:
        return ""
