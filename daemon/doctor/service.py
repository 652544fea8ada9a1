"""`oche doctor` on the service: is the unit there, does it start at boot, does it run, and is it alone?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from daemon.doctor.checks import Check
from daemon.doctor.host import Host, Program

UNIT = "oche.service"
_WANTED = (
    "LoadState UnitFileState ActiveState SubState Result ExecMainStatus NRestarts NeedDaemonReload MainPID User"
    " SupplementaryGroups StateDirectory"
)
_LOG = "journalctl -u oche -n 20 says why"
_OFTEN = 3
_BROKEN = "2"
"""The exit status of a daemon whose configuration cannot be used."""

Unit = Mapping[str, str]
"""The properties of the unit by name; empty where there is no systemd."""


async def look_up(host: Host) -> Unit:
    """Asks systemd."""
    if not host.at("/run/systemd/system").is_dir():
        return {}
    return read(await host.says("systemctl", "show", UNIT, f"--property={','.join(_WANTED.split())}"))


def read(printed: str) -> Unit:
    """What `systemctl show` has printed."""
    return dict(line.split("=", 1) for line in printed.splitlines() if "=" in line)


async def credentials(host: Host, unit: Unit) -> dict[str, Path]:
    """The secrets that systemd gives the service, by name: files that are there and that we may read."""
    if not is_installed(unit) or "CREDENTIALS_DIRECTORY" in os.environ:
        return {}
    printed = await host.says("systemctl", "cat", UNIT)
    found = {
        name: host.at(path) for name, path in re.findall(r"^LoadCredential=([^:\s]+):(\S+)", printed, re.MULTILINE)
    }
    return {name: file for name, file in found.items() if os.access(file, os.R_OK) and file.stat().st_size}


def is_installed(unit: Unit) -> bool:
    """Is there such a unit?"""
    return unit.get("LoadState") in ("loaded", "masked")


def program(unit: Unit) -> tuple[Program, ...]:
    """The service's process, for whoever may not see who has the state folder."""
    pid = int(unit.get("MainPID") or 0)
    return (Program(pid, "oche"),) if pid else ()


def check_service(unit: Unit, running: Sequence[Program]) -> Iterator[Check]:
    """`running`: the daemons that have the state folder."""
    if not unit:
        return  # another init, a container: whoever has that starts oche by other means
    if not is_installed(unit):
        yield Check("service", "ok", "oche is not installed as a service, so nobody starts it at boot")
        return
    found = [*_state(unit), *_beside(unit, running)]
    runs = "runs" if unit.get("ActiveState") == "active" else "is stopped"
    yield from found or [Check("service", "ok", f"{UNIT} is installed and {runs}")]


def _state(unit: Unit) -> Iterator[Check]:
    if unit["LoadState"] == "masked":
        yield Check(
            "service", "problem", f"{UNIT} is masked", "sudo systemctl unmask oche, then sudo systemctl start oche"
        )
        return
    restarts = int(unit.get("NRestarts") or 0)
    if unit.get("ActiveState") == "failed":
        if unit.get("ExecMainStatus") == _BROKEN:
            why = "the daemon cannot use its configuration"
            yield Check("service", "problem", f"{UNIT} failed: {why}", "mend it, then sudo systemctl restart oche")
        else:
            text = f"{UNIT} failed ({unit.get('Result', 'unknown')})"
            yield Check("service", "problem", text, f"{_LOG}; then sudo systemctl restart oche")
    elif unit.get("SubState") == "auto-restart" or (unit.get("ActiveState") == "activating" and restarts >= _OFTEN):
        text = f"{UNIT} ends again and again ({restarts} times so far, the last time: {unit.get('Result', 'unknown')})"
        yield Check("service", "problem", text, _LOG)
    elif restarts >= _OFTEN:
        yield Check("service", "warning", f"{UNIT} runs, but had to be started again {restarts} times", _LOG)
    if unit.get("UnitFileState") == "disabled":
        yield Check("service", "warning", f"{UNIT} does not start at boot", "sudo systemctl enable oche")
    if unit.get("NeedDaemonReload") == "yes":
        remedy = "sudo systemctl daemon-reload, then sudo systemctl restart oche"
        yield Check("service", "warning", f"{UNIT} was changed and systemd has not read it again", remedy)


def _beside(unit: Unit, running: Sequence[Program]) -> Iterator[Check]:
    main = int(unit.get("MainPID") or 0)
    for program in running:
        if program.pid != main:
            text = f"a daemon that is not the service has the state folder: {program}"
            remedy = f"stop it with sudo kill {program.pid}, then sudo systemctl restart oche"
            yield Check("service", "problem", text, remedy)
