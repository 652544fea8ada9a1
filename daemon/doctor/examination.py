"""What `oche doctor` looks at, one thing after the other, from the ground up: machine, files, boards, service, broker.

Each part stands alone: one that fails is a line, and the next has its turn. What only reads this machine is begun all
at once, so that whoever waits for one (a radio to be listened to) waits for all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path

from daemon.doctor import bluetooth, machine
from daemon.doctor.boards import boards
from daemon.doctor.checks import Check, Name
from daemon.doctor.clock import check_clock
from daemon.doctor.configuration import Written, check_configuration, check_plugins, read, with_credentials
from daemon.doctor.host import Host, Program
from daemon.doctor.journals import check_journals
from daemon.doctor.meddlers import check_braille, check_modem
from daemon.doctor.page import check_page
from daemon.doctor.power import check_power
from daemon.doctor.running import check_running
from daemon.doctor.serial_ports import USUAL_GROUP, check_serial_ports, group_of
from daemon.doctor.service import Unit, check_service, credentials, look_up, program
from daemon.doctor.storage import check_storage
from daemon.doctor.usb_boards import check_usb_boards
from daemon.doctor.whose import Who, check_groups, find
from daemon.lock import FILE, is_locked
from drivers import udev
from drivers.usb_plugged import look

_PATIENCE_S = 8.0

Part = Awaitable[Iterable[Check]]


async def examine(file: Path, host: Host | None = None) -> AsyncIterator[Check]:
    """All checks of the daemon that this file configures, each as soon as it is done."""
    host = host or Host()
    unit = await look_up(host)
    who = find(unit, host)
    written = with_credentials(await asyncio.to_thread(read, file), await credentials(host, unit))
    parts = [
        (name, asyncio.create_task(_shielded(name, part))) for name, part in _parts(file, host, unit, who, written)
    ]
    try:
        for _, task in parts:
            for check in await task:
                yield check
    finally:
        for _, task in parts:
            task.cancel()
    if written.setup is not None:
        async for check in check_running(written.setup):
            yield check


def _parts(file: Path, host: Host, unit: Unit, who: Who | None, written: Written) -> Iterable[tuple[Name, Part]]:
    setup, folder = written.setup, Path(written.config.bridge.state_dir)
    is_running = is_locked(folder)
    ours = host.holders(folder / FILE).programs if is_running else program(unit) if is_running is None else ()
    is_made = "StateDirectory" in unit and folder.is_relative_to("/var/lib") and unit["StateDirectory"] == folder.name
    serial, usb, radio = (boards(setup, scheme) for scheme in ("serial", "usb", "ble"))
    yield "machine", _all(_machine)
    yield "power", check_power(host)
    yield "clock", _all(lambda: check_clock(host))
    yield "config", _all(lambda: check_configuration(file, written, who))
    yield "plug-ins", _all(lambda: check_plugins(file, setup))
    if who is not None:
        yield "groups", _all(lambda: check_groups(who, _groups(written, host)))
    yield "state", _all(lambda: check_storage(folder, who, host, is_made=is_made))
    yield "journal", _all(lambda: check_journals(folder))
    yield "serial", _all(lambda: check_serial_ports(serial, who, ours, host))
    yield "modem", _all(lambda: check_modem(serial, host))
    yield "braille", _all(lambda: check_braille(look(), host))
    yield "usb", _all(lambda: check_usb_boards(usb, look(), who, ours, host))
    if setup is not None:
        yield "bluetooth", bluetooth.check_bluetooth(radio, host, is_running=is_running)
    else:
        yield "bluetooth", bluetooth.check_radio(host)
    yield "service", _all(lambda: _service(unit, who, ours))
    yield "page", _all(lambda: check_page(written.config.web, folder, who, host, is_running=is_running))


def _machine() -> Iterable[Check]:
    complaint = machine.here()
    if complaint is None:
        yield Check("machine", "ok", "it can run oche: 64 bits, and a Python that is new enough")
    else:
        what, _, remedy = complaint.partition(": ")
        yield Check("machine", "problem", what, remedy)


def _service(unit: Unit, who: Who | None, ours: Iterable[Program]) -> Iterable[Check]:
    if who is None:
        remedy = "sudo systemd-sysusers, then sudo systemctl restart oche"
        yield Check("service", "problem", f"the service's user {unit.get('User')} does not exist", remedy)
    yield from check_service(unit, tuple(ours))


def _groups(written: Written, host: Host) -> list[str]:
    """The groups that open the boards of the configuration; where it cannot be used, those of any board."""
    setup = written.setup
    serial, usb, radio = (boards(setup, scheme) for scheme in ("serial", "usb", "ble"))
    wanted = [group_of(Path(board.address.target)) for board in serial] if setup else [USUAL_GROUP]
    if usb or not setup:
        wanted.append(udev.GROUP)
    if (radio or not setup) and bluetooth.needs_group(host):
        wanted.append(bluetooth.GROUP)
    return list(dict.fromkeys(wanted))


async def _all(checks: Callable[[], Iterable[Check]]) -> list[Check]:
    """In a thread: files may be slow, and so may the disk be that they are on."""
    return await asyncio.to_thread(lambda: list(checks()))


async def _shielded(name: Name, part: Part) -> list[Check]:
    """The checks of this part, or a line that says that it could not be looked at."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return list(await part)
    except TimeoutError:
        why = "it took too long"
    except Exception as error:  # noqa: BLE001  a doctor who stumbles looks at the rest
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return [Check(name, "warning", f"could not look at it ({why})", "please report this")]
