"""`oche doctor` on the service: its unit, and the account whose permissions count.

That is the account of the service where the unit is installed, else of the caller. A group that was given after its
user logged in, or after the service started, is listed by the system and does not count yet.
"""

from __future__ import annotations

import grp
import os
import pwd
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from daemon.doctor.checks import RESTART, Check, Command, Remedy, write_remedy
from daemon.doctor.system import Process, System

_USUAL_USER = "oche"
"""The service's user where the unit is masked, which then does not say."""
UNIT = "oche.service"
_PROPERTIES = (
    "LoadState UnitFileState ActiveState SubState Result ExecMainStatus NRestarts NeedDaemonReload MainPID User"
    " SupplementaryGroups StateDirectory"
)
_UNMAPPED_GROUP = 65534
"""What the kernel shows for all groups but its own to a service with PrivateUsers, as the page's doctor runs in one."""
_LOG = "journalctl -u oche -n 20 says why"
_OFTEN = 3
_UNUSABLE_CONFIG = "2"
"""The exit status of a daemon whose configuration cannot be used."""
Unit = Mapping[str, str]
"""The properties of the unit by name; empty where there is no systemd."""


class Account(NamedTuple):
    """A user. `groups` count now, `listed` are in the system's list. `is_caller`: the doctor runs as this user."""

    name: str
    uid: int
    groups: frozenset[int]
    listed: frozenset[int]
    is_service: bool
    is_caller: bool

    def may(self, path: Path, mode: int) -> bool:
        """Whether it has this access (os.R_OK | os.W_OK | os.X_OK). Access lists count for the caller only."""
        if self.is_caller:
            return os.access(path, mode, effective_ids=True)
        if self.uid == 0:
            return path.exists()
        try:
            found = path.stat()
        except OSError:
            return False
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid in self.groups else 0
        return (found.st_mode >> shift) & mode == mode

    def may_reach(self, path: Path) -> bool:
        """Whether it may pass through all folders above this path."""
        return all(self.may(folder, os.X_OK) for folder in path.absolute().parents)

    def remedy(self, group: str) -> Remedy:
        """What to type so that this group counts for it."""
        again = RESTART if self.is_service else "log out and in again"
        number = _group_id(group)
        if number in self.listed:
            return write_remedy(again)
        make = (Command(f"sudo groupadd --system {group}"), ", then ") if number is None else ()
        return write_remedy(*make, Command(f"sudo usermod -aG {group} {self.name}"), ", then ", again)


def find_account(unit: Unit, system: System) -> Account | None:
    """The account whose permissions count; None when the service's user does not exist."""
    name = unit.get("User") or (_USUAL_USER if unit.get("LoadState") == "masked" else "")
    if is_installed(unit) and name:
        return _find_service_account(name, unit, system)
    uid = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    if uid == 0 and caller.isdigit() and int(caller) and not is_installed(unit):
        name, groups = _find_user_name(int(caller)), _list_groups(_find_user_name(int(caller)))
        return Account(name, int(caller), groups, groups, is_service=False, is_caller=False)
    name = _find_user_name(uid)
    groups = frozenset({os.getegid(), *os.getgroups()})
    return Account(name, uid, groups, groups | _list_groups(name), is_installed(unit), is_caller=True)


def check_groups(account: Account, groups: Collection[str]) -> Iterator[Check]:
    """Whether it is in all these groups, and whether they count yet."""
    missing = [group for group in groups if _group_id(group) not in account.groups]
    if account.uid == 0 or not groups:
        return
    for group in missing:
        if _group_id(group) in account.listed:
            what = "the service was started" if account.is_service else "this login began"
            text = f"{account.name} was put into the group {group} after {what}, so it does not count yet"
        else:
            text = f"{account.name} is not in the group {group}"
        yield Check("groups", "problem", text, *account.remedy(group))
    if not missing:
        yield Check("groups", "ok", f"{account.name} is in {', '.join(groups)}")


def _find_service_account(name: str, unit: Unit, system: System) -> Account | None:
    try:
        uid = pwd.getpwnam(name).pw_uid
    except KeyError:
        return None
    more = frozenset(filter(None, map(_group_id, unit.get("SupplementaryGroups", "").split())))
    listed = _list_groups(name) | more
    status = system.read(f"/proc/{unit.get('MainPID', '0')}/status")
    counting = [line.split()[1:] for line in status.splitlines() if line.startswith(("Gid:", "Groups:"))]
    now = frozenset(int(number) for numbers in counting for number in numbers)
    is_seen = bool(now) and _UNMAPPED_GROUP not in now - listed
    return Account(name, uid, now if is_seen else listed, listed, is_service=True, is_caller=False)


def _list_groups(name: str) -> frozenset[int]:
    try:
        return frozenset(os.getgrouplist(name, pwd.getpwnam(name).pw_gid))
    except KeyError:
        return frozenset()


def _find_user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_id(group: str) -> int | None:
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


async def read_unit(system: System) -> Unit:
    """The properties of oche's unit, asked of systemd."""
    if not system.at("/run/systemd/system").is_dir():
        return {}
    return parse_unit(await system.output("systemctl", "show", UNIT, f"--property={','.join(_PROPERTIES.split())}"))


def parse_unit(printed: str) -> Unit:
    """The properties that `systemctl show` has printed."""
    return dict(line.split("=", 1) for line in printed.splitlines() if "=" in line)


async def find_credentials(system: System, unit: Unit) -> dict[str, Path]:
    """The credentials that systemd gives the service, by name: files that exist and that we may read."""
    if not is_installed(unit) or "CREDENTIALS_DIRECTORY" in os.environ:
        return {}
    printed = await system.output("systemctl", "cat", UNIT)
    found = {
        name: system.at(path) for name, path in re.findall(r"^LoadCredential=([^:\s]+):(\S+)", printed, re.MULTILINE)
    }
    return {name: file for name, file in found.items() if os.access(file, os.R_OK) and file.stat().st_size}


def is_installed(unit: Unit) -> bool:
    """Whether systemd knows the unit."""
    return unit.get("LoadState") in ("loaded", "masked")


def find_main_process(unit: Unit) -> tuple[Process, ...]:
    """The service's process as systemd has it; empty when it is not running."""
    pid = int(unit.get("MainPID") or 0)
    return (Process(pid, "oche"),) if pid else ()


def check_service(unit: Unit, running: Sequence[Process]) -> Iterator[Check]:
    """Whether the unit is there, starts at boot, and runs alone. `running`: the daemons that have the state folder."""
    if not unit:
        return  # another init, or a container: oche is started by other means
    if not is_installed(unit):
        yield Check("service", "ok", "oche is not installed as a service, so it does not start at boot")
        return
    found = [*_check_unit(unit), *_check_other_daemons(unit, running)]
    runs = "runs" if unit.get("ActiveState") == "active" else "is stopped"
    yield from found or [Check("service", "ok", f"{UNIT} is installed and {runs}")]


def _check_unit(unit: Unit) -> Iterator[Check]:
    if unit["LoadState"] == "masked":
        yield Check(
            "service", "problem", f"{UNIT} is masked", "sudo systemctl unmask oche, then sudo systemctl start oche"
        )
        return
    restarts = int(unit.get("NRestarts") or 0)
    if unit.get("ActiveState") == "failed":
        if unit.get("ExecMainStatus") == _UNUSABLE_CONFIG:
            why = "the daemon cannot use its configuration"
            yield Check("service", "problem", f"{UNIT} failed: {why}", *write_remedy("mend it, then ", RESTART))
        else:
            text = f"{UNIT} failed ({unit.get('Result', 'unknown')})"
            yield Check("service", "problem", text, *write_remedy(_LOG, "; then ", RESTART))
    elif unit.get("SubState") == "auto-restart" or (unit.get("ActiveState") == "activating" and restarts >= _OFTEN):
        text = f"{UNIT} ends again and again ({restarts} times so far, the last time: {unit.get('Result', 'unknown')})"
        yield Check("service", "problem", text, _LOG)
    elif restarts >= _OFTEN:
        yield Check("service", "warning", f"{UNIT} runs, but had to be started again {restarts} times", _LOG)
    if unit.get("UnitFileState") == "disabled":
        yield Check(
            "service", "warning", f"{UNIT} does not start at boot", *write_remedy(Command("sudo systemctl enable oche"))
        )
    if unit.get("NeedDaemonReload") == "yes":
        remedy = write_remedy(Command("sudo systemctl daemon-reload"), ", then ", RESTART)
        yield Check("service", "warning", f"{UNIT} was changed and systemd has not read it again", *remedy)


def _check_other_daemons(unit: Unit, running: Sequence[Process]) -> Iterator[Check]:
    main = int(unit.get("MainPID") or 0)
    for process in running:
        if process.pid != main:
            text = f"a daemon that is not the service has the state folder: {process}"
            stop = Command(f"sudo kill {process.pid}")
            yield Check("service", "problem", text, *write_remedy("stop it with ", stop, ", then ", RESTART))
