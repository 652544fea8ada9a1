"""`oche doctor` on two programs that take serial adapters for something else: ModemManager and brltty.

ModemManager says AT commands to what claims to understand them, which every Arduino does. brltty, for braille displays,
takes adapters whose ids some display has too, away from the kernel: the port is then gone a second after it came.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from daemon.doctor.boards import Board
from daemon.doctor.checks import Check
from daemon.doctor.host import Host
from drivers.usb_plugged import Plugged, drivers_of

_AT_COMMANDS = {"01", "02", "03", "04", "05", "06"}
"""The protocols of a modem in the USB class for communication."""
_RULE = re.compile(r'^\s*[^#\n]*ENV\{PRODUCT\}=="([0-9a-f]+)/([0-9a-f]+)/', re.MULTILINE)
_RULE_FOLDERS = ("/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/run/udev/rules.d", "/etc/udev/rules.d")


def check_modem(boards: Collection[Board], host: Host) -> Iterator[Check]:
    """Will ModemManager talk to one of our ports?"""
    if not (boards and host.programs("ModemManager")):
        return
    asked = [board.address.target for board in boards if _looks_like_modem(Path(board.address.target), host)]
    if asked:
        text = f"ModemManager talks to {', '.join(asked)} whenever it is plugged in"
        remedy = "sudo systemctl disable --now ModemManager, if this machine has no modem"
        yield Check("modem", "warning", text, remedy)
    else:
        yield Check("modem", "ok", "ModemManager runs, and leaves our ports alone")


def check_braille(plugged: Collection[Plugged], host: Host) -> Iterator[Check]:
    """Has brltty taken a serial adapter, or will it?"""
    wanted = _wanted_by_brltty(host)
    for device in plugged:
        if (device.vid, device.pid) in wanted:
            what = f"{device.product or 'the adapter'} ({device.label})"
            remedy = "sudo apt remove brltty, and plug it in again (only if nobody here reads braille)"
            if drivers_of(device, host.at("/sys/bus/usb/devices")) <= {"usbfs"}:
                yield Check("braille", "problem", f"brltty has taken {what} for a braille display", remedy)
            else:
                yield Check("braille", "warning", f"brltty may take {what} for a braille display", remedy)


def _looks_like_modem(path: Path, host: Host) -> bool:
    """By ModemManager's strict filter, which is its usual one; `ID_MM_DEVICE_IGNORE` keeps it off."""
    try:
        number = path.stat().st_rdev
        interface = host.at(f"/sys/dev/char/{os.major(number)}:{os.minor(number)}/device").resolve()
    except OSError:
        return False
    said = [_line(interface / name) for name in ("bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")]
    is_modem = said[:2] == ["02", "02"] and said[2] in _AT_COMMANDS
    marks = (f"{os.major(number)}:{os.minor(number)}", _line(interface.parent / "dev"))
    return is_modem and not any("ID_MM_DEVICE_IGNORE=1" in host.text(f"/run/udev/data/c{mark}") for mark in marks)


def _wanted_by_brltty(host: Host) -> set[tuple[int, int]]:
    """Vendor and product ids in its rules; a file in /etc hides one of its name."""
    files = {file.name: file for folder in _RULE_FOLDERS for file in sorted(host.at(folder).glob("*brltty*.rules"))}
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files.values() if file.is_file()]
    return {(int(vid, 16), int(pid, 16)) for text in texts for vid, pid in _RULE.findall(text)}


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
