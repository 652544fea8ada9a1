"""`oche doctor` on the configuration, the page, the tables and the service.

Sockets and locks are real ones; what systemd says of a unit is what `systemctl show` prints.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.admin.doctor import service
from daemon.admin.doctor.configuration import (
    check_configuration,
    check_page,
    check_plugins,
    read_configuration,
    with_credentials,
)
from daemon.admin.doctor.examine import examine
from daemon.admin.doctor.system import Process, System
from daemon.admin.doctor.topics import check_tables, check_version
from daemon.config.sections import Web
from tests.daemon.checkup import HERE, ROOT_USER, SERVICE, lines, only, program, write
from tests.daemon.process import ROOT, configure, run

# The configuration


async def test_without_a_configuration_the_rest_is_looked_at(tmp_path: Path) -> None:
    told = await run("doctor", "--config", tmp_path / "oche.toml")
    assert (told.process.returncode, told.errors) == (1, "")
    *checks, total = told.output.splitlines()
    said = {line.split()[1]: line for line in checks}
    assert said["config"].startswith(
        f"problem  config      there is no {tmp_path}/oche.toml: write one with the output of oche"
    )
    assert {"machine", "clock", "state", "disk", "page"} <= set(said)
    assert not {"groups", "serial", "usb", "bluetooth"} & set(said), "nothing is said of what may not be there"
    assert "problem" in total


@pytest.mark.parametrize("text", ["x = = 3", "[[table]]\nboard = 'serial:/dev/ttyUSB0'\ngame = 'nine'", "\udce4"])
async def test_with_a_broken_configuration_the_rest_is_looked_at(tmp_path: Path, text: str) -> None:
    file = tmp_path / "oche.toml"
    file.write_bytes(f"[bridge]\nstate_dir = '{tmp_path}/kept'\n{text}".encode("utf-8", "surrogateescape"))
    said = {check.name: check async for check in examine(file, System(tmp_path))}
    assert said["config"].verdict == "problem"
    assert str(file) in str(said["config"].text)
    assert {"machine", "clock", "state", "disk", "page"} <= set(said)
    assert not {"groups", "serial", "usb", "bluetooth"} & set(said)
    assert ("kept" in str(said["state"].text)) == ("nine" in text), "what can be read of it counts"


def test_a_configuration_that_the_service_may_not_read(tmp_path: Path) -> None:
    file = configure(tmp_path, 1883)
    os.chmod(tmp_path, 0o755)  # noqa: PTH101  as the rest of /tmp is, whatever pytest made of it
    file.chmod(0o600)
    line = only(check_configuration(file, read_configuration(file), SERVICE))
    assert line.startswith(f"problem config oche may not read {file}: sudo chown oche {file}")
    assert only(check_configuration(file, read_configuration(file), ROOT_USER)).startswith("ok config")


def test_a_broken_plugin_is_named_and_says_what_to_do(tmp_path: Path) -> None:
    file = configure(tmp_path, 1883)
    write(tmp_path, "games/nine.py", "this is no Python\n")
    line = only(check_plugins(file, read_configuration(file).checked))
    assert line.startswith("problem plug-ins the plug-in nine is not used")
    (tmp_path / "other").mkdir()
    assert not lines(check_plugins(tmp_path / "other" / "oche.toml", None))


def test_the_doctor_has_the_secrets_of_the_service(tmp_path: Path) -> None:
    """They are root's, and a shell has no credentials."""
    file = configure(tmp_path, 1883, mqtt='username = "oche"')
    secrets = {"mqtt-password": write(tmp_path, "secret", "x"), "web-token": write(tmp_path, "token", "y")}
    written = with_credentials(read_configuration(file), secrets)
    assert written.checked is not None
    assert written.checked.config.mqtt.password_file == f"{tmp_path}/secret"
    assert written.config.web.token_file == f"{tmp_path}/token"
    assert with_credentials(read_configuration(tmp_path / "none"), secrets).config.mqtt.password_file is None


# The page


def of_page(web: Web, folder: Path, *, is_running: bool = False) -> list[str]:
    return lines(check_page(web, folder, ROOT_USER, HERE, is_running=is_running))


def test_a_port_of_the_page_that_is_taken(tmp_path: Path) -> None:
    code = "import socket\ntaken = socket.create_server(('127.0.0.1', 0))\nprint(taken.getsockname()[1])"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}\nimport sys\nsys.stdout.flush()\nsys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        line = of_page(Web(port=port), tmp_path)[0]
        assert (
            f"(process {other.pid}) already listens at 127.0.0.1:{port}: close it (sudo kill {other.pid}), or" in line
        )
        assert of_page(Web(port=port), tmp_path, is_running=True)[0].startswith(
            "ok page only this machine can reach it"
        )
        other.communicate()
    assert of_page(Web(port=port), tmp_path)[0].startswith("ok page only this machine can reach it")
    assert of_page(Web(host="192.0.2.1"), tmp_path)[0].startswith("problem page 192.0.2.1 is not an address of this")
    assert only(check_page(Web(port=0, on=False), tmp_path, None, HERE, is_running=False)).startswith(
        "ok page it is sw"
    )


async def test_a_page_for_the_network_needs_a_token(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    web = Web(host="0.0.0.0", port=0)
    assert "sudo oche token" in of_page(web, state)[0]
    assert of_page(web, state)[0].startswith("problem page the network can reach it, but there is no token yet")
    told = await run("token", "--config", configure(tmp_path, 1883))
    assert told.process.returncode == 0, told.errors
    assert of_page(web, state) == ["ok page the network can reach it, and it has a token"]


# The daemon and its service


def test_the_doctor_reports_the_trouble_of_tables() -> None:
    now = {
        "oche/bridge/oche/health": (
            b'{"tables": {"main": {"trouble": "no room; free some \\u001b[2J", "stuck": ["D20"]}}}'
        ),
        "oche/table/main/board/state": b"offline",
        "oche/table/main/board/info": b'{"text": "there is no serial port /dev/x: plug the board in"}',
        "oche/bridge/oche/info": b'{"version": "0.0.1"}',
    }
    stuck = "at table main stays closed: free the segment: a dart or its tip may be stuck in it"
    assert lines(check_tables("oche", "oche", ["main", "bar"], now)) == [
        "problem table main is not saving anything: no room: free some ?[2J",
        f"warning table the contact of D20 {stuck}",
        "warning table the board of main is offline: there is no serial port /dev/x: plug the board in",
    ]
    assert only(check_version("oche", "oche", now)).endswith("is installed: sudo systemctl restart oche")
    for body in (b"", b"[]", b"{", b'{"tables": 3}'):
        now = dict.fromkeys(now, body)
        assert not lines(check_tables("oche", "oche", ["main"], now))
        assert not lines(check_version("oche", "oche", now))


RUNS = """LoadState=loaded
UnitFileState=enabled
ActiveState=active
SubState=running
Result=success
ExecMainStatus=0
NRestarts=0
NeedDaemonReload=no
MainPID=812
User=oche
StateDirectory=oche
"""
UNITS = {
    "ok service oche.service is installed and running": {},
    "problem service oche.service is masked: sudo systemctl unmask oche": {"LoadState": "masked"},
    "problem service oche.service failed: the daemon cannot use its configuration: fix it, then sudo": {
        "ActiveState": "failed",
        "ExecMainStatus": "2",
    },
    "problem service oche.service failed (watchdog): sudo journalctl -u oche -n 20": {
        "ActiveState": "failed",
        "Result": "watchdog",
    },
    "problem service oche.service keeps ending (restarts so far: 9, the last end: exit-code)": {
        "ActiveState": "activating",
        "SubState": "auto-restart",
        "NRestarts": "9",
        "Result": "exit-code",
    },
    "warning service oche.service is running, but had to be restarted 4 times": {"NRestarts": "4"},
    "warning service oche.service does not start at boot: sudo systemctl enable oche": {"UnitFileState": "disabled"},
    "warning service oche.service was changed, and systemd has not reloaded it": {"NeedDaemonReload": "yes"},
    "ok service oche is not installed as a service": {"LoadState": "not-found"},
}


@pytest.mark.parametrize("sentence", UNITS)
def test_the_states_of_the_unit(sentence: str) -> None:
    """As `systemctl show` prints them."""
    unit = {**service.parse_unit(RUNS), **UNITS[sentence]}
    assert only(service.check_service(unit, [Process(812, "oche")])).startswith(sentence)


def test_another_daemon_beside_the_service() -> None:
    line = only(service.check_service(service.parse_unit(RUNS), [Process(99, "python3")]))
    sentence = "problem service a daemon that is not the service uses the state folder: python3 (process 99)"
    assert line.startswith(f"{sentence}: stop it with sudo kill 99")


def test_the_lock_names_the_daemon_that_has_the_folder(tmp_path: Path) -> None:
    code = "from daemon.service.lock import lock_folder\nhold = lock_folder(Path(sys.argv[1]))\nhold.__enter__()"
    with program(f"sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n{code}", tmp_path) as pid:
        assert [each.pid for each in HERE.holders(tmp_path / "lock").processes] == [pid]
    assert not HERE.holders(tmp_path / "lock").processes
