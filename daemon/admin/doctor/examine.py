"""All checks of `oche doctor`, in order: computer, configuration, boards, service, page, daemon and broker.

A part that fails becomes one line and the others go on. The parts that only read this machine run at the same time,
because listening to Bluetooth takes seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path

from daemon.admin.doctor import boards, computer, configuration, service
from daemon.admin.doctor.boards import TableBoard
from daemon.admin.doctor.broker import check_running
from daemon.admin.doctor.checks import RESTART, Check, Name, command, then
from daemon.admin.doctor.configuration import ConfigFile
from daemon.admin.doctor.network_boards import check_network_boards
from daemon.admin.doctor.proxies import check_proxies
from daemon.admin.doctor.service import Account, Unit
from daemon.admin.doctor.system import Process, System
from daemon.board.proxies import use_proxies
from daemon.config.reader import DEFAULT_FILE
from daemon.config.sections import Config
from daemon.config.unconfigured import find_config, find_state_folder, is_unconfigured
from daemon.service.lock import FILE, is_daemon_running
from drivers import udev
from drivers.usb_devices import list_usb_devices
from protocol.sentence import Sentence, say

_PATIENCE_S = 10.0
"""For one part; listening through proxies takes longest."""

Examination = Awaitable[Iterable[Check]]


async def examine(named: Path | None, system: System | None = None) -> AsyncIterator[Check]:
    """Yields the checks of the daemon that this file configures (None: the usual file), each as soon as it is done."""
    system = system or System()
    unit = await service.read_unit(system)
    account = service.find_account(unit, system)
    file = None if is_unconfigured(named) else named or DEFAULT_FILE
    if file is None:
        state = unit.get("StateDirectory")
        checked = (await find_config(Path("/var/lib", state) if state else find_state_folder())).checked
        config_file = ConfigFile(checked.config, checked)
    else:
        config_file = await asyncio.to_thread(configuration.read_configuration, file)
        config_file = configuration.with_credentials(config_file, await service.find_credentials(system, unit))
    parts = _list_examinations(file, system, unit, account, config_file)
    async with use_proxies(config_file.checked.config.proxy if config_file.checked is not None else ()):
        tasks = [asyncio.create_task(_run_shielded(name, part)) for name, part in parts]
        try:
            for task in tasks:
                for check in await task:
                    yield check
        finally:
            for task in tasks:
                task.cancel()
    if config_file.checked is not None:
        async for check in check_running(config_file.checked, is_configured=file is not None):
            yield check


def _list_examinations(
    file: Path | None, system: System, unit: Unit, account: Account | None, config_file: ConfigFile
) -> Iterable[tuple[Name, Examination]]:
    checked, web, folder = config_file.checked, config_file.config.web, Path(config_file.config.bridge.state_dir)
    is_running = is_daemon_running(folder)
    ours = (system.holders(folder / FILE).processes or system.holders(folder).processes) if is_running else ()
    if is_running is None:
        ours = service.find_main_process(unit)
    is_made = "StateDirectory" in unit and folder.is_relative_to("/var/lib") and unit["StateDirectory"] == folder.name
    serial, usb, radio = (boards.find_boards(checked, scheme) for scheme in ("serial", "usb", "ble"))
    has_proxies = checked is not None and bool(checked.config.proxy)
    near = boards.list_near(radio, system, has_proxies=has_proxies)
    network = [each for scheme in ("tcp", "rfc2217") for each in boards.find_boards(checked, scheme)]
    yield "machine", _run_in_thread(computer.check_machine)
    yield "power", computer.check_power(system)
    yield "clock", _run_in_thread(lambda: computer.check_clock(system))
    yield "config", _run_in_thread(lambda: configuration.check_configuration(file, config_file, account))
    yield "plug-ins", _run_in_thread(lambda: configuration.check_plugins(file or DEFAULT_FILE, checked))
    if account is not None:
        yield "groups", _run_in_thread(lambda: service.check_groups(account, _list_groups(serial, usb, near, system)))
    yield "state", _run_in_thread(lambda: computer.check_storage(folder, account, system, is_made=is_made))
    yield "journal", _run_in_thread(lambda: computer.check_journals(folder))
    yield "serial", _run_in_thread(lambda: boards.check_serial_ports(serial, account, ours, system))
    yield "modem", _run_in_thread(lambda: boards.check_modem(serial, system))
    yield "braille", _run_in_thread(lambda: boards.check_braille(list_usb_devices(), system))
    yield "usb", _run_in_thread(lambda: boards.check_usb_boards(usb, list_usb_devices(), account, ours, system))
    yield "network", check_network_boards(network, is_running=True if ours else is_running)
    if web_boards := boards.find_boards(checked, "web"):
        yield "camera", _check_cameras(web_boards, account)
    if checked is not None:
        if has_proxies:
            yield "proxy", check_proxies(checked.config.proxy, account, is_running=is_running)
        yield "bluetooth", boards.check_bluetooth(radio, system, is_running=is_running, has_proxies=has_proxies)
    else:
        yield "bluetooth", boards.check_radio(system)
    yield "service", _run_in_thread(lambda: _check_service_account(unit, account, ours))
    page = configuration.check_page(web, folder, account, system, file, is_running=is_running)
    yield "page", _run_in_thread(lambda: page)
    if config_file.config.outlets.loudspeaker.on:
        yield "loudspeaker", _run_in_thread(lambda: _check_loudspeaker(config_file.config, unit, account, system))
    if config_file.config.league.on:
        yield "league", _run_in_thread(lambda: _check_league(config_file.config))


async def _check_cameras(web_boards: list[TableBoard], account: Account | None) -> Iterable[Check]:
    from daemon.admin.doctor.cameras import check_cameras  # noqa: PLC0415  nothing of HTTP is loaded without a camera

    return await check_cameras(web_boards, account)


def _check_loudspeaker(config: Config, unit: Unit, account: Account | None, system: System) -> Iterable[Check]:
    from daemon.admin.doctor.loudspeaker import check_loudspeaker  # noqa: PLC0415  nothing of outlets is loaded without

    folder = Path(config.bridge.state_dir)
    return check_loudspeaker(config.outlets.loudspeaker, folder, config.bridge.language, unit, account, system)


def _check_league(config: Config) -> Iterable[Check]:
    from daemon.admin.doctor.league import check_league  # noqa: PLC0415  nothing of a league is loaded without

    return check_league(config)


def _check_service_account(unit: Unit, account: Account | None, ours: Iterable[Process]) -> Iterable[Check]:
    if account is None:
        text = say("doctor.no_user", "the service's user {name} does not exist", name=str(unit.get("User")))
        yield Check("service", "problem", text, then(command("sudo systemd-sysusers"), RESTART))
    yield from service.check_service(unit, tuple(ours))


def _list_groups(serial: list[TableBoard], usb: list[TableBoard], radio: list[TableBoard], system: System) -> list[str]:
    wanted = [boards.find_port_group(Path(board.address.target)) for board in serial]
    if usb:
        wanted.append(udev.GROUP)
    if radio and boards.needs_bluetooth_group(system):
        wanted.append(boards.BLUETOOTH_GROUP)
    return list(dict.fromkeys(wanted))


async def _run_in_thread(checks: Callable[[], Iterable[Check]]) -> list[Check]:
    """The checks, made in a thread: a disk may be slow."""
    return await asyncio.to_thread(lambda: list(checks()))


async def _run_shielded(name: Name, part: Examination) -> list[Check]:
    """The checks of this part; when it fails, a check that says so."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return list(await part)
    except TimeoutError:
        why: str | Sentence = say("doctor.too_long", "it took too long")
    except Exception as error:  # noqa: BLE001  one part that fails must not end the examination
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    text = say("doctor.unseen", "could not be checked ({why})", why=why)
    return [Check(name, "warning", text, say("doctor.report_it", "please report this"))]
