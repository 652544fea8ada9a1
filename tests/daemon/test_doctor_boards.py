"""`oche doctor` on the way to the boards: permissions, serial ports, Bluetooth.

Ports, programs that hold them and the bus are real ones; /sys and /run are laid out as such a machine has them.
"""

from __future__ import annotations

import asyncio
import grp
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from daemon.admin.doctor.boards import (
    check_braille,
    check_modem,
    check_serial_ports,
    check_switches,
    find_boards,
    needs_bluetooth_group,
)
from daemon.admin.doctor.examine import examine
from daemon.admin.doctor.network_boards import check_network_boards
from daemon.admin.doctor.service import Account, check_groups, find_account
from daemon.admin.doctor.system import Process, System
from daemon.config.reader import read_config
from daemon.service.lock import lock_folder
from drivers.usb_devices import UsbDevice
from tests.daemon.checkup import HERE, NOBODY, ROOT_USER, SERVICE, as_another_user, lines, only, program, write
from tests.daemon.process import configure
from tests.drivers.bluetoothd import BleBoard, Bluetoothd
from tests.drivers.system_bus import system_bus

# Whose permissions


def test_the_callers_account_counts_and_the_services_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    us = find_account({}, HERE)
    assert us is not None
    assert (us.uid, us.is_caller) == (os.geteuid(), True)
    them = find_account({"LoadState": "loaded", "User": "nobody", "SupplementaryGroups": "dialout"}, HERE)
    assert them is not None
    assert (them.name, them.is_caller, them.is_service) == ("nobody", False, True)
    assert not [line for line in lines(check_groups(them, ["dialout"])) if not line.startswith("ok")]
    assert find_account({"LoadState": "loaded", "User": "nobody-at-all"}, HERE) is None


def test_a_group_that_is_missing_and_one_that_does_not_count_yet(tmp_path: Path) -> None:
    line = only(check_groups(SERVICE, ["dialout"]))
    again = "sudo systemctl restart oche"
    assert line == f"problem groups oche is not in the group dialout: sudo usermod -aG dialout oche, then {again}"
    line = only(check_groups(NOBODY._replace(listed=frozenset({20, 65534})), ["dialout"]))
    assert line.endswith("after this login began, so it does not count yet: log out and in again")
    assert "sudo groupadd --system no-such-group" in only(check_groups(NOBODY, ["no-such-group"]))
    assert not lines(check_groups(ROOT_USER, ["dialout"]))
    write(tmp_path, "/proc/77/status", "Name:\toche\nGid:\t65534\t65534\t65534\t65534\nGroups:\t65534 \n")
    unit = {"LoadState": "loaded", "User": "nobody", "SupplementaryGroups": "dialout", "MainPID": "77"}
    account = find_account(unit, System(tmp_path))
    assert account is not None
    assert only(check_groups(account, ["dialout"])).endswith(f"so it does not count yet: {again}")
    write(tmp_path, "/proc/78/status", "Name:\toche\nGid:\t1\t1\t1\t1\nGroups:\t1 65534 \n")
    account = find_account(unit | {"User": "daemon", "MainPID": "78"}, System(tmp_path))
    assert account is not None
    assert only(check_groups(account, ["dialout"])).startswith("ok"), "the service sees its own group alone"


def test_bluetooth_takes_a_group_only_where_the_bus_says_so(tmp_path: Path) -> None:
    group = '<policy group="bluetooth"><allow send_destination="org.bluez"/></policy>'
    write(tmp_path, "/etc/dbus-1/system.d/bluetooth.conf", group)
    assert needs_bluetooth_group(System(tmp_path))
    default = '<policy context="default">\n    <allow send_destination="org.bluez"/>\n  </policy>'
    write(tmp_path, "/usr/share/dbus-1/system.d/bluetooth.conf", group + default)
    assert not needs_bluetooth_group(System(tmp_path))


# Serial ports


@pytest.fixture
def port(tmp_path: Path) -> Iterator[Path]:
    """A serial port that no process has but us, who do not count."""
    master, slave = os.openpty()
    link = tmp_path / "board"
    link.symlink_to(os.ttyname(slave))
    os.close(slave)
    yield link
    os.close(master)


def of_port(
    folder: Path, account: Account = ROOT_USER, ours: Sequence[Process] = (), system: System = HERE
) -> list[str]:
    setup = read_config(configure(folder, 1883))
    return lines(check_serial_ports(find_boards(setup, "serial"), account, ours, system))


def test_a_port_that_is_not_there_and_one_that_is_free(tmp_path: Path, port: Path) -> None:
    (tmp_path / "proc/77/fd").mkdir(parents=True)  # the only program that runs: into those of others only root looks
    assert of_port(tmp_path, system=System(tmp_path)) == [
        f"ok serial {port}, the port of table main, is there and free"
    ]
    port.unlink()
    (line,) = of_port(tmp_path)
    assert line.startswith(f"problem serial the serial port of table main, {port}, is not there: plug the board in")
    port.write_text("")
    (line,) = of_port(tmp_path)
    assert line.startswith(f"problem serial {port} is not a serial port")


@pytest.mark.parametrize("how", ["fcntl.ioctl(port, termios.TIOCEXCL)", "fcntl.flock(port, fcntl.LOCK_EX)"])
def test_a_port_that_another_program_holds(tmp_path: Path, port: Path, how: str) -> None:
    code = f"import fcntl, os, termios\nport = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)\n{how}"
    with program(code, port) as pid:
        (line,) = of_port(tmp_path)
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        holder = f"{name} (process {pid})"
        assert (
            line == f"problem serial {port}, the port of table main, is in use by {holder}: close it: sudo kill {pid}"
        )
        (line,) = of_port(tmp_path, ours=[Process(pid, name)])
        assert line == f"ok serial the daemon uses {port}, the port of table main"


def test_a_locked_port_is_seen_without_rights_to_look_into_programs(port: Path) -> None:
    """As the locks of the kernel have it, which every user may read."""
    code = "import fcntl, os\nfcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY), fcntl.LOCK_EX)"
    device = port.resolve()
    with program(code, device) as pid, as_another_user():
        found = HERE.holders(device)
    assert [each.pid for each in found.processes] == [pid]
    assert not found.all_seen, "there are others that only root may look into"


def test_a_pty_of_a_container_is_another_one(tmp_path: Path, port: Path) -> None:
    device, folder = port.resolve(), tmp_path / "pts"
    folder.mkdir()
    code = f"""
import fcntl, os, sys
ends = []
while not os.path.exists("{folder}/{device.name}"):
    ends.append(os.open("{folder}/ptmx", os.O_RDWR | os.O_NOCTTY))
fcntl.ioctl(ends[-1], 0x40045431, bytes(4))  # TIOCSPTLCK: unlocks it
print(os.fstat(os.open("{folder}/{device.name}", os.O_RDWR | os.O_NOCTTY)).st_rdev, flush=True)
sys.stdin.read()
"""
    script = f"mount -t devpts -o newinstance,ptmxmode=666 none {folder} && exec {sys.executable} -c '{code}'"
    command = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-ec", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as container:
        assert container.stdout is not None
        assert int(container.stdout.readline()) == device.stat().st_rdev
        assert container.pid not in [each.pid for each in HERE.holders(device).processes]
        container.communicate()


def test_a_port_that_is_not_for_us(tmp_path: Path, port: Path) -> None:
    device = port.resolve()
    if os.geteuid() == 0:
        os.chown(device, 0, 20)  # as udev does; a port of ours has a group already, which only root can change
    device.chmod(0o660)
    number = device.stat().st_gid
    (line,) = of_port(tmp_path, SERVICE)
    remedy = f"sudo usermod -aG {grp.getgrgid(number).gr_name} oche, then sudo systemctl restart oche"
    assert line == f"problem serial oche has no permission to use {port}: {remedy}"
    assert of_port(tmp_path, SERVICE._replace(groups=frozenset({number})))[0].startswith("ok")
    device.chmod(0o600)
    (line,) = of_port(tmp_path, SERVICE)
    assert f'KERNEL=="{device.name}", GROUP="dialout", MODE="0660"' in line


def test_the_console_of_the_machine(tmp_path: Path, port: Path) -> None:
    write(tmp_path, "/sys/class/tty/console/active", f"tty1 {port.resolve().name}\n")
    line = of_port(tmp_path, system=System(tmp_path))[0]
    assert line.startswith(f"problem serial {port} is the console of this machine")
    assert "remove console=" in line
    write(tmp_path, "/usr/bin/raspi-config", "")
    line = of_port(tmp_path, system=System(tmp_path))[0]
    assert line.endswith("sudo raspi-config nonint do_serial_cons 1, then sudo reboot")


def test_modemmanager_talks_to_what_looks_like_a_modem(tmp_path: Path, port: Path) -> None:
    here, found = System(tmp_path), find_boards(read_config(configure(tmp_path, 1883)), "serial")
    number = port.stat().st_rdev
    name = f"{os.major(number)}:{os.minor(number)}"
    for key, text in (("bInterfaceClass", "02"), ("bInterfaceSubClass", "02"), ("bInterfaceProtocol", "01")):
        write(tmp_path, f"/sys/devices/usb1/1-1/1-1:1.0/{key}", f"{text}\n")
    write(tmp_path, "/sys/devices/usb1/1-1/dev", "189:4\n")
    (tmp_path / "sys/dev/char" / name).mkdir(parents=True)
    (tmp_path / "sys/dev/char" / name / "device").symlink_to(tmp_path / "sys/devices/usb1/1-1/1-1:1.0")
    assert not lines(check_modem(found, here))
    write(tmp_path, "/proc/77/comm", "ModemManager\n")
    assert only(check_modem(found, here)).startswith(f"warning modem ModemManager probes {port} each time")
    write(tmp_path, "/run/udev/data/c189:4", "E:ID_MM_DEVICE_IGNORE=1\n")
    assert only(check_modem(found, here)).startswith("ok modem")


def test_brltty_takes_an_adapter_for_a_braille_display(tmp_path: Path) -> None:
    here = System(tmp_path)
    device = UsbDevice(0x1A86, 0x7523, "USB Serial", None, None, "1-2", "/dev/bus/usb/001/005")
    rule = 'ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="brltty_usb_run"\n'
    write(tmp_path, "/usr/lib/udev/rules.d/85-brltty.rules", f"# {rule}")
    assert not lines(check_braille([device], here))
    write(tmp_path, "/usr/lib/udev/rules.d/85-brltty.rules", f"# Device: 1A86:7523\n{rule}")
    interface = tmp_path / "sys/bus/usb/devices/1-2:1.0"
    interface.mkdir(parents=True)
    (tmp_path / "drivers/ch341").mkdir(parents=True)
    (tmp_path / "drivers/usbfs").mkdir()
    (interface / "driver").symlink_to(tmp_path / "drivers/ch341")
    assert only(check_braille([device], here)).startswith("warning braille brltty may take USB Serial (1a86:7523)")
    (interface / "driver").unlink()
    (interface / "driver").symlink_to(tmp_path / "drivers/usbfs")
    line = only(check_braille([device], here))
    assert line.startswith("problem braille brltty took USB Serial (1a86:7523) for a braille display: sudo apt rem")
    (tmp_path / "etc/udev/rules.d").mkdir(parents=True)
    (tmp_path / "etc/udev/rules.d/85-brltty.rules").symlink_to("/dev/null")
    assert not lines(check_braille([device], here))


# Bluetooth


def test_the_switches_of_the_radio(tmp_path: Path) -> None:
    for number, (kind, soft, hard) in enumerate((("wlan", 1, 1), ("bluetooth", 1, 0))):
        for name, text in (("type", kind), ("soft", soft), ("hard", hard), ("name", "hci0")):
            write(tmp_path, f"/sys/class/rfkill/rfkill{number}/{name}", f"{text}\n")
    line = only(check_switches(System(tmp_path)))
    assert line.startswith("problem bluetooth hci0 is blocked by software: sudo rfkill unblock bluetooth")
    write(tmp_path, "/sys/class/rfkill/rfkill1/hard", "1\n")
    assert only(check_switches(System(tmp_path))).startswith("problem bluetooth hci0 is switched off by a switch")


GRAN = "442f157{}-8a00-9a28-cbe1-e1d4212d53eb"


async def of_radio(folder: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> dict[str, str]:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
    monkeypatch.setattr("daemon.admin.doctor.boards._LISTEN_S", 0.3)
    file = configure(folder, 1, board="ble:auto", profile="granboard")
    return {check.name: " ".join(str(check).split()) async for check in examine(file, System(folder))}


async def test_the_states_of_the_adapter_and_a_board_that_is_not_heard(
    tmp_path: Path, dbus_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = await of_radio(tmp_path, monkeypatch, f"unix:path={tmp_path}/nothing")
    assert said["bluetooth"].startswith("problem bluetooth Bluetooth needs D-Bus, which is not running: ")
    async with system_bus(dbus_path, tmp_path) as address:
        said = await of_radio(tmp_path, monkeypatch, address)
        assert said["bluetooth"].startswith("problem bluetooth the Bluetooth service does not answer: ")
        async with Bluetoothd(address, adapters={}):
            said = await of_radio(tmp_path, monkeypatch, address)
            assert said["bluetooth"].startswith("problem bluetooth there is no Bluetooth adapter: ")
        async with Bluetoothd(address, adapters={"hci0": False}):
            said = await of_radio(tmp_path, monkeypatch, address)
            assert said["bluetooth"].startswith("problem bluetooth Bluetooth is off on hci0: ")
        board = BleBoard("C2:A4:CF:00:00:01", "GRANBOARD", GRAN.format(0), GRAN.format(1), GRAN.format(2))
        async with Bluetoothd(address, board) as bluetoothd:
            said = await of_radio(tmp_path, monkeypatch, address)
            assert said["bluetooth"] == "ok bluetooth BlueZ answers, and hci0 is on"
            assert said["adverts"] == "ok adverts the board of table main can be heard"
            board.is_held_by_phone = True
            said = await of_radio(tmp_path, monkeypatch, address)
            assert said["adverts"].startswith(
                "warning adverts the board of table main (ble:auto) cannot be heard: wake it"
            )
            assert "close its maker's app on every phone" in said["adverts"]
            assert board.journal == []
            assert not bluetoothd.scans
            bluetoothd.keep_listening("hci0")
            said = await of_radio(tmp_path, monkeypatch, address)
            assert said["bluetooth"].startswith("warning bluetooth another program keeps hci0 scanning")
            with lock_folder(tmp_path / "state"):
                assert "adverts" not in await of_radio(tmp_path, monkeypatch, address)


async def test_a_bus_that_refuses_us(tmp_path: Path, dbus_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    denied = '<deny send_destination="org.bluez"/>'
    async with system_bus(dbus_path, tmp_path, denied) as address, Bluetoothd(address):
        said = await of_radio(tmp_path, monkeypatch, address)
        assert said["bluetooth"].startswith(
            "problem bluetooth no permission to use Bluetooth: join the group bluetooth"
        )


# Boards on the network


async def test_a_board_on_the_network_is_connected_to_unless_a_daemon_has_it(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\r\n")
        await reader.read()
        writer.close()

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def look(port: int, *, is_running: bool | None = False) -> str:
        board = f"tcp:127.0.0.1:{port}"
        setup = read_config(configure(tmp_path, board=board))
        return only(await check_network_boards(find_boards(setup, "tcp"), is_running=is_running))

    async with await asyncio.start_server(keep, "127.0.0.1", 0) as server:
        port: int = server.sockets[0].getsockname()[1]
        assert await look(port) == f"ok network tcp:127.0.0.1:{port}, the board of table main, accepts a connection"
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        said = await look(port)
        assert said.startswith(f"problem network the board at 127.0.0.1:{port} ended the connection: check that")
        assert said.endswith("no other program uses it")
        said = await look(port, is_running=True)
        assert said == f"ok network tcp:127.0.0.1:{port} was not checked: the running daemon uses it"
        said = await look(port, is_running=None)
        assert said.startswith(f"warning network tcp:127.0.0.1:{port} was not checked")
        assert said.endswith("run oche doctor as root (sudo)")
    said = await look(port := unused_tcp_port_factory())
    assert said.startswith(f"problem network 127.0.0.1:{port}"), "nothing listens there"
    assert ": " in said.removeprefix(f"problem network 127.0.0.1:{port}"), "it says what to do"
