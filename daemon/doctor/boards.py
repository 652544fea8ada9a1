"""`oche doctor` on the boards of the configuration: is each there, ours to use, free, and in range?

No serial port is opened, because opening one restarts most of the controllers that boards are built with. Bluetooth is
listened to only while no daemon runs, because an adapter does one thing at a time.
"""

from __future__ import annotations

import grp
import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from daemon.config.reader import Setup
from daemon.config.schemes import SCHEMES
from daemon.doctor.checks import Check, Command, Remedy, write_remedy
from daemon.doctor.service import Account
from daemon.doctor.system import Process, System
from drivers.address import Address
from drivers.schemes import parse
from drivers.transport import LinkError
from drivers.udev import GROUP, RULES_FILE, rule
from drivers.usb_devices import UsbDevice, is_libusb_installed, list_bound_drivers, match_address
from protocol.profile import Profile, Usb

_USUAL_GROUP = "dialout"
_AT_COMMANDS = {"01", "02", "03", "04", "05", "06"}
"""The protocols of a modem in the USB class for communication."""
_RULE = re.compile(r'^\s*[^#\n]*ENV\{PRODUCT\}=="([0-9a-f]+)/([0-9a-f]+)/', re.MULTILINE)
_RULE_FOLDERS = ("/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/run/udev/rules.d", "/etc/udev/rules.d")
BLUETOOTH_GROUP = "bluetooth"
_LISTEN_S = 4.0
_SILENT = (
    "wake it (its button, or a dart), bring it nearer, and close its maker's app on every phone around: "
    "a board that a phone is connected to is silent"
)
_DBUS_POLICIES = ("/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.d/bluetooth.conf")
_OPEN_TO_ALL = re.compile(r'<policy context="default">\s*<allow send_destination="org\.bluez"/>')


class TableBoard(NamedTuple):
    """The board of one table."""

    table: str
    address: Address
    profile: Profile


def find_boards(setup: Setup | None, scheme: str) -> list[TableBoard]:
    """The boards of the configuration whose addresses have this scheme; empty without a usable configuration."""
    if setup is None:
        return []
    found = [
        TableBoard(table.name, parse(table.board, SCHEMES), codebook.profile)
        for table, codebook in zip(setup.config.table, setup.codebooks, strict=True)
    ]
    return [board for board in found if board.address.scheme == scheme]


def check_serial_ports(
    boards: Collection[TableBoard], account: Account | None, ours: Collection[Process], system: System
) -> Iterator[Check]:
    """Whether each port is there, ours to use, and free. `ours` are our daemons, which may hold it."""
    for board in boards:
        path = Path(board.address.target)
        yield from _check_console(path, system)
        yield _check_port(path, board.table, account, ours, system)


def find_port_group(path: Path) -> str:
    """The group that may use this port; Debian's `dialout` where the port does not say."""
    return _find_writing_group(path) or _USUAL_GROUP


def _find_writing_group(device: Path) -> str:
    """The group that may write this device; "" when there is none but root's."""
    try:
        found = device.stat()
        return grp.getgrgid(found.st_gid).gr_name if found.st_gid and found.st_mode & stat.S_IWGRP else ""
    except (OSError, KeyError):
        return ""


def _check_port(path: Path, table: str, account: Account | None, ours: Collection[Process], system: System) -> Check:
    if not path.exists():
        text = f"the serial port of table {table}, {path}, is not there"
        return Check("serial", "problem", text, "plug the board in; oche scan names the ports that are there")
    if not path.is_char_device():
        return Check("serial", "problem", f"{path} is no serial port", "oche scan names those that are there")
    if account is not None and not account.may(path, os.R_OK | os.W_OK):
        return _report_denied_port(path, account)
    holders = system.holders(path)
    others = holders.other_than(ours)
    if others:
        text = f"{path}, the port of table {table}, is held by {' and '.join(map(str, others))}"
        return Check("serial", "problem", text, *_release(others[0], path))
    if holders.processes:
        return Check("serial", "ok", f"the daemon has {path}, the port of table {table}")
    if not holders.all_seen:
        text = f"{path} is there; whether another program holds it only root sees"
        return Check("serial", "ok", text)
    return Check("serial", "ok", f"{path}, the port of table {table}, is there and free")


def _report_denied_port(path: Path, account: Account) -> Check:
    group = find_port_group(path)
    text = f"{account.name} has no permission to use {path}"
    if _find_writing_group(path):
        return Check("serial", "problem", text, *account.remedy(group))
    rule = f'KERNEL=="{path.resolve().name}", GROUP="{group}", MODE="0660"'
    what = f"a rule in /etc/udev/rules.d takes it away: remove that, or add the line {rule}; then "
    return Check("serial", "problem", text, *write_remedy(what, Command("sudo udevadm trigger")))


def _release(program: Process, path: Path) -> Remedy:
    match program.name:
        case "agetty":
            return write_remedy(Command(f"sudo systemctl mask --now serial-getty@{path.resolve().name}.service"))
        case "ModemManager":
            return write_remedy(Command("sudo systemctl disable --now ModemManager"))
    return write_remedy("close it: ", Command(f"sudo kill {program.pid}"))


def _check_console(path: Path, system: System) -> Iterator[Check]:
    """Whether the kernel writes its messages to this port, and a login waits there."""
    name = path.resolve().name
    if name in system.read("/sys/class/tty/console/active").split():
        if system.at("/usr/bin/raspi-config").exists():
            what: str = Command("sudo raspi-config nonint do_serial_cons 1")
        else:
            what = f"remove console={name} from the kernel's command line (see /proc/cmdline)"
        text = f"{path} is the console of this machine: its messages go to the board, and a login waits there"
        yield Check("serial", "problem", text, *write_remedy(what, ", then ", Command("sudo reboot")))


def check_modem(boards: Collection[TableBoard], system: System) -> Iterator[Check]:
    """Whether ModemManager will send AT commands to one of our ports, as it does to every Arduino."""
    if not (boards and system.processes("ModemManager")):
        return
    asked = [board.address.target for board in boards if _looks_like_modem(Path(board.address.target), system)]
    if asked:
        text = f"ModemManager talks to {', '.join(asked)} whenever it is plugged in"
        disable = Command("sudo systemctl disable --now ModemManager")
        yield Check("modem", "warning", text, *write_remedy(disable, ", if this machine has no modem"))
    else:
        yield Check("modem", "ok", "ModemManager runs, and leaves our ports alone")


def check_braille(plugged: Collection[UsbDevice], system: System) -> Iterator[Check]:
    """Whether brltty, for braille displays, has taken a serial adapter away from the kernel, or may do so."""
    wanted = _read_brltty_ids(system)
    for device in plugged:
        if (device.vid, device.pid) in wanted:
            what = f"{device.product or 'the adapter'} ({device.label})"
            condition = ", and plug it in again (only if no one here reads braille)"
            remedy = write_remedy(Command("sudo apt remove brltty"), condition)
            if list_bound_drivers(device, system.at("/sys/bus/usb/devices")) <= {"usbfs"}:
                yield Check("braille", "problem", f"brltty has taken {what} for a braille display", *remedy)
            else:
                yield Check("braille", "warning", f"brltty may take {what} for a braille display", *remedy)


def _looks_like_modem(path: Path, system: System) -> bool:
    """Whether it passes ModemManager's strict filter, its default; `ID_MM_DEVICE_IGNORE` keeps it off."""
    try:
        device = path.stat().st_rdev
    except OSError:
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    interface = f"/sys/dev/char/{number}/device"
    codes = [system.read(f"{interface}/bInterface{part}") for part in ("Class", "SubClass", "Protocol")]
    is_modem = codes[:2] == ["02", "02"] and codes[2] in _AT_COMMANDS
    marks = (number, system.read(f"{interface}/../dev"))
    return is_modem and not any("ID_MM_DEVICE_IGNORE=1" in system.read(f"/run/udev/data/c{mark}") for mark in marks)


def _read_brltty_ids(system: System) -> set[tuple[int, int]]:
    """The vendor and product ids in brltty's udev rules; a file in /etc hides one of the same name."""
    files = {file.name: file for folder in _RULE_FOLDERS for file in sorted(system.at(folder).glob("*brltty*.rules"))}
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files.values() if file.is_file()]
    return {(int(vid, 16), int(pid, 16)) for text in texts for vid, pid in _RULE.findall(text)}


def check_usb_boards(
    boards: Collection[TableBoard],
    plugged: list[UsbDevice],
    account: Account | None,
    ours: Collection[Process],
    system: System,
) -> Iterator[Check]:
    """Whether each USB board is plugged in, ours to use, and free. `ours` are our daemons, which may hold it."""
    if boards and not is_libusb_installed():
        remedy = write_remedy(Command("sudo apt install libusb-1.0-0"))
        yield Check("usb", "problem", "USB boards need libusb, which is not installed", *remedy)
    for board in boards:
        assert board.profile.usb is not None  # the configuration was checked
        found = match_address(plugged, board.address, board.profile.usb)
        if not found:
            text = f"the USB board of table {board.table} ({board.address}) is not plugged in"
            yield Check("usb", "problem", text, "plug it in; oche scan names what is there")
        for device in found:
            yield _check_device(device, board.profile.usb, board.table, account, ours, system)


def _check_device(
    device: UsbDevice, usb: Usb, table: str, account: Account | None, ours: Collection[Process], system: System
) -> Check:
    node = Path(device.node)
    what = f"the USB board of table {table} ({device.label} in port {device.bus})"
    if account is not None and node.exists() and not account.may(node, os.R_OK | os.W_OK):
        return _report_denied_device(node, device, usb, what, account)
    holders = system.holders(node)
    others = holders.other_than(ours)
    if others:
        text = f"{what} is held by {' and '.join(map(str, others))}"
        return Check("usb", "problem", text, *write_remedy("close it: ", Command(f"sudo kill {others[0].pid}")))
    return Check("usb", "ok", f"{what} is there" + (", and the daemon has it" if holders.processes else ""))


def _report_denied_device(node: Path, device: UsbDevice, usb: Usb, what: str, account: Account) -> Check:
    text = f"{account.name} has no permission to use {what}"
    if _find_writing_group(node) == GROUP:
        return Check("usb", "problem", text, *account.remedy(GROUP))
    line = rule(device.vid, device.pid, usb.product)
    remedy = (
        f"write the line {line} to {RULES_FILE}, then sudo udevadm control --reload and sudo udevadm trigger {node}"
    )
    return Check("usb", "problem", text, remedy)


def needs_bluetooth_group(system: System) -> bool:
    """Whether D-Bus lets only a group talk to BlueZ. Debian's present rules let every user."""
    rules = [text for file in _DBUS_POLICIES if (text := system.read(file))]
    return not any(_OPEN_TO_ALL.search(text) for text in rules)


def check_switches(system: System) -> Iterator[Check]:
    """The Bluetooth switches of rfkill that are off."""
    for folder in sorted(system.at("/sys/class/rfkill").glob("rfkill*")):
        place = f"/sys/class/rfkill/{folder.name}"
        if system.read(f"{place}/type") != "bluetooth":
            continue
        name = system.read(f"{place}/name") or "Bluetooth"
        if system.read(f"{place}/hard") == "1":
            text = f"{name} is switched off by a switch of the machine"
            yield Check("bluetooth", "problem", text, "switch it on there, or in the settings of its firmware")
        elif system.read(f"{place}/soft") == "1":
            text = f"{name} is blocked by software"
            lines = Command("sudo rfkill unblock bluetooth"), ", then ", Command("sudo bluetoothctl power on")
            yield Check("bluetooth", "problem", text, *write_remedy(*lines))


async def check_radio(system: System) -> list[Check]:
    """The checks of Bluetooth while the boards are not known: warnings at most, and none on a machine without it."""
    if not any(system.at("/sys/class/bluetooth").glob("hci*")):
        return []
    checks = list(check_switches(system)) or [(await _check_adapter(None, may_listen=True))[0]]
    return [replace(check, verdict="warning") if check.verdict == "problem" else check for check in checks]


async def check_bluetooth(boards: Collection[TableBoard], system: System, *, is_running: bool | None) -> list[Check]:
    """Whether the radio is on, BlueZ answers, and the boards are heard. `is_running`: a daemon has the adapter."""
    blocked = list(check_switches(system))
    if not boards or blocked:
        return blocked if boards else []
    checks = []
    for wanted in dict.fromkeys(board.address.options.get("adapter") for board in boards):
        check, adapter = await _check_adapter(wanted, may_listen=is_running is not False)
        checks.append(check)
        if adapter is not None and is_running is False:
            checks += await _listen([b for b in boards if b.address.options.get("adapter") == wanted], adapter)
    return checks


async def _check_adapter(wanted: str | None, *, may_listen: bool) -> tuple[Check, str | None]:
    """The check of this adapter (None: of any), and its name. `may_listen`: our daemon may keep it listening."""
    try:
        from drivers.bluez import Bluez  # noqa: PLC0415  only Bluetooth needs these libraries
    except ImportError:
        return Check("bluetooth", "problem", "Bluetooth boards need the library bleak", "pip install bleak"), None
    try:
        bluez = await Bluez.connect()
        try:
            view = await bluez.look(wanted)
        finally:
            await bluez.aclose()
    except LinkError as error:
        return Check.from_sentence("bluetooth", "problem", str(error)), None
    if view.is_listening and not may_listen:
        text = f"another program keeps {view.adapter} listening, which makes connections slow and fail"
        remedy = write_remedy("close it; ", Command("sudo systemctl restart bluetooth"), " ends what it left")
        return Check("bluetooth", "warning", text, *remedy), view.adapter
    return Check("bluetooth", "ok", f"BlueZ answers, and {view.adapter} is on"), view.adapter


async def _listen(boards: Collection[TableBoard], adapter: str) -> list[Check]:
    from drivers.bluetooth import is_heard, listen_for_adverts  # noqa: PLC0415  as above

    try:
        adverts = await listen_for_adverts(_LISTEN_S, adapter)
    except LinkError as error:
        what, _, remedy = str(error).partition(": ")
        return [Check("adverts", "warning", f"could not listen: {what}", remedy)]
    checks = []
    for board in boards:
        if is_heard(board.address, board.profile, adverts):
            checks.append(Check("adverts", "ok", f"the board of table {board.table} is heard"))
        else:
            text = f"the board of table {board.table} ({board.address}) is not heard"
            checks.append(Check("adverts", "warning", text, _SILENT))
    return checks
