"""`oche doctor` on Bluetooth: is the radio on, does BlueZ answer, and are the boards heard?

Listening is left to the daemon while it runs: an adapter does one thing at a time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from daemon.doctor.boards import Board
from daemon.doctor.checks import Check
from daemon.doctor.host import Host
from drivers.transport import LinkError

GROUP = "bluetooth"
_LISTEN_S = 4.0
_WHO_HAS_IT = (
    "wake it (its button, or a dart), bring it nearer, and close its maker's app on every phone around: "
    "a board that a phone is connected to is silent"
)
_POLICIES = ("/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.d/bluetooth.conf")
_EVERYBODY = re.compile(r'<policy context="default">\s*<allow send_destination="org\.bluez"/>')


def needs_group(host: Host) -> bool:
    """Does D-Bus let only a group talk to BlueZ? Debian's rules of today let everybody."""
    rules = [text for file in _POLICIES if (text := host.text(file))]
    return not any(_EVERYBODY.search(text) for text in rules)


def check_switches(host: Host) -> Iterator[Check]:
    """The switches that rfkill knows."""
    for folder in sorted(host.at("/sys/class/rfkill").glob("rfkill*")):
        place = f"/sys/class/rfkill/{folder.name}"
        if host.text(f"{place}/type") != "bluetooth":
            continue
        name = host.text(f"{place}/name") or "Bluetooth"
        if host.text(f"{place}/hard") == "1":
            text = f"{name} is switched off by a switch of the machine"
            yield Check("bluetooth", "problem", text, "switch it on there, or in the settings of its firmware")
        elif host.text(f"{place}/soft") == "1":
            text = f"{name} is blocked by software"
            remedy = "sudo rfkill unblock bluetooth, then sudo bluetoothctl power on"
            yield Check("bluetooth", "problem", text, remedy)


async def check_radio(host: Host) -> list[Check]:
    """While nobody has said which boards there are: a machine without Bluetooth may be right as it is."""
    checks = list(check_switches(host)) or [(await _adapter(None, may_listen=True))[0]]
    return [replace(check, verdict="warning") if check.verdict == "problem" else check for check in checks]


async def check_bluetooth(boards: Collection[Board], host: Host, *, is_running: bool | None) -> list[Check]:
    """`is_running`: a daemon has the adapter; None: nobody knows."""
    blocked = list(check_switches(host))
    if not boards or blocked:
        return blocked if boards else []
    checks = []
    for wanted in dict.fromkeys(board.address.options.get("adapter") for board in boards):
        check, adapter = await _adapter(wanted, may_listen=is_running is not False)
        checks.append(check)
        if adapter is not None and is_running is False:
            checks += await _listen([b for b in boards if b.address.options.get("adapter") == wanted], adapter)
    return checks


async def _adapter(wanted: str | None, *, may_listen: bool) -> tuple[Check, str | None]:
    """Is this one (None: any) on? And its name. `may_listen`: our daemon may be what keeps it listening."""
    try:
        from drivers.bluez import Bluez  # noqa: PLC0415  nobody else needs Bluetooth's libraries
    except ImportError:
        return Check("bluetooth", "problem", "Bluetooth boards need the library bleak", "pip install bleak"), None
    try:
        bluez = await Bluez.connect()
        try:
            view = await bluez.look(wanted)
        finally:
            await bluez.aclose()
    except LinkError as error:
        what, _, remedy = str(error).partition(": ")
        return Check("bluetooth", "problem", what, remedy), None
    if view.is_listening and not may_listen:
        text = f"another program keeps {view.adapter} listening, which makes connections slow and fail"
        return Check(
            "bluetooth", "warning", text, "close it; sudo systemctl restart bluetooth ends what it left"
        ), view.adapter
    return Check("bluetooth", "ok", f"BlueZ answers, and {view.adapter} is on"), view.adapter


async def _listen(boards: Collection[Board], adapter: str) -> list[Check]:
    from drivers.bluetooth import advertised, is_heard  # noqa: PLC0415  as above

    try:
        adverts = await advertised(_LISTEN_S, adapter)
    except LinkError as error:
        what, _, remedy = str(error).partition(": ")
        return [Check("air", "warning", f"could not listen: {what}", remedy)]
    checks = []
    for board in boards:
        if is_heard(board.address, board.profile, adverts):
            checks.append(Check("air", "ok", f"the board of table {board.table} is heard"))
        else:
            text = f"the board of table {board.table} ({board.address}) is not heard"
            checks.append(Check("air", "warning", text, _WHO_HAS_IT))
    return checks
