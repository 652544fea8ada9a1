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

from daemon.admin.doctor.checks import Check, command, then
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import Process, System, list_processes
from daemon.config.reader import CheckedConfig
from daemon.config.schemes import SCHEMES
from drivers.address import Address
from drivers.schemes import parse
from drivers.transport import LinkError
from drivers.udev import GROUP, RULES_FILE, make_rule
from drivers.usb_devices import UsbDevice, is_libusb_installed, list_bound_drivers, match_address
from protocol.profile import Profile, Usb
from protocol.sentence import Sentence, get_reason, say, split_advice

_USUAL_GROUP = "dialout"
_AT_COMMANDS = {"01", "02", "03", "04", "05", "06"}
"""The protocols of a modem in the USB class for communication."""
_RULE = re.compile(r'^\s*[^#\n]*ENV\{PRODUCT\}=="([0-9a-f]+)/([0-9a-f]+)/', re.MULTILINE)
_RULE_FOLDERS = ("/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/run/udev/rules.d", "/etc/udev/rules.d")
BLUETOOTH_GROUP = "bluetooth"
_LISTEN_S = 4.0
_SILENT = say(
    "doctor.wake",
    "wake it (press its button, or throw a dart), bring it nearer, and close its maker's app "
    "on every phone nearby: while a phone is connected, a board is silent",
)
_DBUS_POLICIES = ("/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.d/bluetooth.conf")
_OPEN_TO_ALL = re.compile(r'<policy context="default">\s*<allow send_destination="org\.bluez"/>')


class TableBoard(NamedTuple):
    """The board of one table."""

    table: str
    address: Address
    profile: Profile
    token_file: str | None = None


def find_boards(checked: CheckedConfig | None, scheme: str) -> list[TableBoard]:
    """The boards of the configuration whose addresses have this scheme; empty without a usable configuration."""
    if checked is None:
        return []
    found = [
        TableBoard(table.name, parse(table.board, SCHEMES), codebook.profile, table.board_token_file)
        for table, codebook in zip(checked.config.table, checked.codebooks, strict=True)
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
    at = str(path)
    if not path.exists():
        text = say("doctor.port_gone", "the serial port of table {name}, {path}, is not there", name=table, path=at)
        remedy = say("doctor.plug_in_port", "plug the board in; oche scan shows the ports that are there")
        return Check("serial", "problem", text, remedy)
    if not path.is_char_device():
        text = say("doctor.no_port", "{path} is not a serial port", path=at)
        return Check("serial", "problem", text, say("doctor.scan_ports", "oche scan shows the ports that are there"))
    if account is not None and not account.may(path, os.R_OK | os.W_OK):
        return _report_denied_port(path, account)
    holders = system.holders(path)
    others = holders.other_than(ours)
    if others:
        held = list_processes(others)
        text = say(
            "doctor.port_held", "{path}, the port of table {name}, is in use by {held}", path=at, name=table, held=held
        )
        return Check("serial", "problem", text, _release(others[0], path))
    if holders.processes:
        text = say("doctor.port_ours", "the daemon uses {path}, the port of table {name}", path=at, name=table)
    elif not holders.all_seen:
        text = say(
            "doctor.port_unseen",
            "{path} is there; run the doctor as root (sudo) to see whether another program uses it",
            path=at,
        )
    else:
        text = say("doctor.port_free", "{path}, the port of table {name}, is there and free", path=at, name=table)
    return Check("serial", "ok", text)


def _report_denied_port(path: Path, account: Account) -> Check:
    group = find_port_group(path)
    text = say("doctor.no_permission", "{name} has no permission to use {what}", name=account.name, what=str(path))
    if _find_writing_group(path):
        return Check("serial", "problem", text, account.remedy(group))
    remedy = say(
        "doctor.rule_takes",
        "a rule in /etc/udev/rules.d takes the permission away: remove it, or add the line {given}; then {run}",
        given=f'KERNEL=="{path.resolve().name}", GROUP="{group}", MODE="0660"',
        run=command("sudo udevadm trigger"),
    )
    return Check("serial", "problem", text, remedy)


def _release(program: Process, path: Path) -> Sentence:
    match program.name:
        case "agetty":
            return command(f"sudo systemctl mask --now serial-getty@{path.resolve().name}.service")
        case "ModemManager":
            return command("sudo systemctl disable --now ModemManager")
    return _close(program)


def _close(program: Process) -> Sentence:
    return say("doctor.close", "close it: {run}", run=command(f"sudo kill {program.pid}"))


def _check_console(path: Path, system: System) -> Iterator[Check]:
    """Whether the kernel writes its messages to this port, and a login waits there."""
    name = path.resolve().name
    if name in system.read("/sys/class/tty/console/active").split():
        if system.at("/usr/bin/raspi-config").exists():
            remedy = command("sudo raspi-config nonint do_serial_cons 1")
        else:
            remedy = say(
                "doctor.no_console",
                "remove console={given} from the kernel's command line (see /proc/cmdline)",
                given=name,
            )
        text = say(
            "doctor.console",
            "{path} is the console of this machine: its messages go to the board, and a login waits there",
            path=str(path),
        )
        yield Check("serial", "problem", text, then(remedy, command("sudo reboot")))


def check_modem(boards: Collection[TableBoard], system: System) -> Iterator[Check]:
    """Whether ModemManager will send AT commands to one of our ports, as it does to every Arduino."""
    if not (boards and system.processes("ModemManager")):
        return
    asked = [board.address.target for board in boards if _looks_like_modem(Path(board.address.target), system)]
    if asked:
        text = say(
            "doctor.modem", "ModemManager probes {path} each time the board is plugged in", path=", ".join(asked)
        )
        disable = command("sudo systemctl disable --now ModemManager")
        yield Check(
            "modem", "warning", text, say("doctor.no_modem", "{run}, unless this machine has a modem", run=disable)
        )
    else:
        yield Check("modem", "ok", say("doctor.modem_ok", "ModemManager runs, and leaves the ports of boards alone"))


def check_braille(plugged: Collection[UsbDevice], system: System) -> Iterator[Check]:
    """Whether brltty, for braille displays, has taken a serial adapter away from the kernel, or may do so."""
    wanted = _read_brltty_ids(system)
    for device in plugged:
        if (device.vid, device.pid) in wanted:
            name, label = device.product or say("doctor.adapter", "the adapter"), device.label
            remedy = say(
                "doctor.no_braille",
                "{run}, and plug the board in again (only if no one here uses a braille display)",
                run=command("sudo apt remove brltty"),
            )
            if list_bound_drivers(device, system.at("/sys/bus/usb/devices")) <= {"usbfs"}:
                said = "doctor.braille", "brltty took {name} ({label}) for a braille display"
                yield Check("braille", "problem", say(*said, name=name, label=label), remedy)
            else:
                said = "doctor.braille_may", "brltty may take {name} ({label}) for a braille display"
                yield Check("braille", "warning", say(*said, name=name, label=label), remedy)


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
        text = say("doctor.no_libusb", "USB boards need libusb, which is not installed")
        yield Check("usb", "problem", text, command("sudo apt install libusb-1.0-0"))
    for board in boards:
        assert board.profile.usb is not None  # the configuration was checked
        found = match_address(plugged, board.address, board.profile.usb)
        if not found:
            text = say(
                "doctor.usb_gone",
                "the USB board of table {name} ({given}) is not plugged in",
                name=board.table,
                given=str(board.address),
            )
            remedy = say("doctor.plug_in_usb", "plug it in; oche scan shows what is there")
            yield Check("usb", "problem", text, remedy)
        for device in found:
            yield _check_device(device, board.profile.usb, board.table, account, ours, system)


def _check_device(
    device: UsbDevice, usb: Usb, table: str, account: Account | None, ours: Collection[Process], system: System
) -> Check:
    node = Path(device.node)
    what = say(
        "doctor.usb_board",
        "the USB board of table {name} ({label} in port {bus})",
        name=table,
        label=device.label,
        bus=device.bus,
    )
    if account is not None and node.exists() and not account.may(node, os.R_OK | os.W_OK):
        return _report_denied_device(node, device, usb, what, account)
    holders = system.holders(node)
    others = holders.other_than(ours)
    if others:
        text = say("doctor.usb_held", "{what} is in use by {held}", what=what, held=list_processes(others))
        return Check("usb", "problem", text, _close(others[0]))
    if holders.processes:
        return Check("usb", "ok", say("doctor.usb_ours", "{what} is plugged in, and the daemon uses it", what=what))
    return Check("usb", "ok", say("doctor.usb_there", "{what} is plugged in", what=what))


def _report_denied_device(node: Path, device: UsbDevice, usb: Usb, what: Sentence, account: Account) -> Check:
    text = say("doctor.no_permission", "{name} has no permission to use {what}", name=account.name, what=what)
    if _find_writing_group(node) == GROUP:
        return Check("usb", "problem", text, account.remedy(GROUP))
    remedy = say(
        "doctor.write_rule",
        "write the line {given} to {file}, then run sudo udevadm control --reload and sudo udevadm trigger {node}",
        given=make_rule(device.vid, device.pid, usb.product),
        file=RULES_FILE,
        node=str(node),
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
            text = say("doctor.radio_off", "{name} is switched off by a switch of the machine", name=name)
            remedy = say("doctor.switch_on", "switch it on there, or in the settings of its firmware")
            yield Check("bluetooth", "problem", text, remedy)
        elif system.read(f"{place}/soft") == "1":
            text = say("doctor.radio_blocked", "{name} is blocked by software", name=name)
            remedy = then(command("sudo rfkill unblock bluetooth"), command("sudo bluetoothctl power on"))
            yield Check("bluetooth", "problem", text, remedy)


async def check_radio(system: System) -> list[Check]:
    """The checks of Bluetooth while the boards are not known: warnings at most, and none on a machine without it."""
    if not _has_adapter(system):
        return []
    checks = list(check_switches(system)) or [(await _check_adapter(None, may_listen=True))[0]]
    return [_soften(check) for check in checks]


def list_near(boards: Collection[TableBoard], system: System, *, has_proxies: bool) -> list[TableBoard]:
    """Those that an adapter of this machine is to reach: with proxies and without an adapter, those that name one."""
    if not has_proxies or _has_adapter(system):
        return list(boards)
    return [board for board in boards if "adapter" in board.address.options]


def _has_adapter(system: System) -> bool:
    return any(system.at("/sys/class/bluetooth").glob("hci*"))


async def check_bluetooth(
    boards: Collection[TableBoard], system: System, *, is_running: bool | None, has_proxies: bool = False
) -> list[Check]:
    """Whether the radio is on, BlueZ answers, and the boards are heard. `is_running`: a daemon has the adapter.

    Where there are proxies, which reach all boards that name no adapter, trouble with the radio is a warning.
    """
    blocked = list(check_switches(system))
    if not boards or (blocked and not has_proxies):
        return blocked if boards else []
    is_needed = any("adapter" in board.address.options for board in boards)
    checks = blocked if is_needed else [_soften(check) for check in blocked]
    near = list_near(boards, system, has_proxies=has_proxies)
    for wanted in dict.fromkeys(board.address.options.get("adapter") for board in boards):
        own = [board for board in boards if board.address.options.get("adapter") == wanted]
        is_reached = has_proxies and wanted is None
        if own[0] in near and not blocked:
            check, adapter = await _check_adapter(wanted, may_listen=is_running is not False)
            checks.append(_soften(check) if is_reached else check)
            is_reached = is_reached or adapter is not None
        if is_reached and is_running is False:
            checks += await _listen(own, wanted)
    return checks


def _soften(check: Check) -> Check:
    return replace(check, verdict="warning") if check.verdict == "problem" else check


async def _check_adapter(wanted: str | None, *, may_listen: bool) -> tuple[Check, str | None]:
    """The check of this adapter (None: of any), and its name. `may_listen`: our daemon may keep it listening."""
    try:
        from drivers.bluez import Bluez  # noqa: PLC0415  only Bluetooth needs these libraries
    except ImportError:
        text = say("link.no_bleak", "Bluetooth boards need the library bleak")
        return Check("bluetooth", "problem", text, "pip install bleak"), None
    try:
        bluez = await Bluez.connect()
        try:
            view = await bluez.look(wanted)
        finally:
            await bluez.aclose()
    except LinkError as error:
        return Check.from_sentence("bluetooth", "problem", get_reason(error)), None
    if view.is_listening and not may_listen:
        text = say(
            "doctor.radio_busy",
            "another program keeps {name} scanning, which makes connections slow and unreliable",
            name=view.adapter,
        )
        remedy = say(
            "doctor.free_radio",
            "close that program; {run} stops a scan it left behind",
            run=command("sudo systemctl restart bluetooth"),
        )
        return Check("bluetooth", "warning", text, remedy), view.adapter
    text = say("doctor.radio_ok", "BlueZ answers, and {name} is on", name=view.adapter)
    return Check("bluetooth", "ok", text), view.adapter


async def _listen(boards: Collection[TableBoard], adapter: str | None) -> list[Check]:
    from drivers.bluetooth import is_heard, listen_for_adverts  # noqa: PLC0415  as above

    try:
        adverts = await listen_for_adverts(_LISTEN_S, adapter)
    except LinkError as error:
        what, remedy = split_advice(get_reason(error))
        return [
            Check("adverts", "warning", say("doctor.unheard", "could not listen for boards: {what}", what=what), remedy)
        ]
    checks = []
    for board in boards:
        if is_heard(board.address, board.profile, adverts):
            text = say("doctor.heard", "the board of table {name} can be heard", name=board.table)
            checks.append(Check("adverts", "ok", text))
        else:
            text = say(
                "doctor.silent",
                "the board of table {name} ({given}) cannot be heard",
                name=board.table,
                given=str(board.address),
            )
            checks.append(Check("adverts", "warning", text, _SILENT))
    return checks
