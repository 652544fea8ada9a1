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
from shlex import quote
from typing import NamedTuple

from daemon.admin.doctor.checks import AS_ROOT, RESTART, Check, Name, command, then
from daemon.admin.doctor.system import Process, System
from daemon.config.credentials import SecretError, read_secret
from protocol.sentence import Sentence, say, split_advice

_USUAL_USER = "oche"
"""The service's user where the unit is masked, which then does not say."""
UNIT = "oche.service"
_PROPERTIES = (
    "LoadState UnitFileState ActiveState SubState Result ExecMainStatus NRestarts NeedDaemonReload MainPID User"
    " SupplementaryGroups StateDirectory DeviceAllow"
)
_UNMAPPED_GROUP = 65534
"""What the kernel shows for all groups but its own to a service with PrivateUsers, as the page's doctor runs in one."""
_LOG = say("doctor.see_log", "sudo journalctl -u oche -n 20 shows why")
_SERVICE_BEGAN = say("doctor.service_began", "the service was started")
_LOGIN_BEGAN = say("doctor.login_began", "this login began")
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

    def remedy(self, group: str) -> Sentence:
        """What to type so that this group counts for it."""
        again = RESTART if self.is_service else say("doctor.log_in_again", "log out and in again")
        number = _group_id(group)
        if number in self.listed:
            return again
        steps = command(f"sudo usermod -aG {group} {self.name}"), again
        return then(command(f"sudo groupadd --system {group}"), *steps) if number is None else then(*steps)


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
            text = say(
                "doctor.group_late",
                "{name} was added to the group {given} after {what}, so it does not count yet",
                name=account.name,
                given=group,
                what=_SERVICE_BEGAN if account.is_service else _LOGIN_BEGAN,
            )
        else:
            text = say("doctor.no_group", "{name} is not in the group {given}", name=account.name, given=group)
        yield Check("groups", "problem", text, account.remedy(group))
    if not missing:
        text = say("doctor.groups_ok", "{name} is in {given}", name=account.name, given=", ".join(groups))
        yield Check("groups", "ok", text)


def check_secret(name: Name, file: Path, what: Sentence, account: Account | None) -> Check | None:
    """The check of this name of the file of a secret; None: it is there, has one, and is for the daemon alone."""
    try:
        read_secret(file, what)
    except SecretError as error:
        found, remedy = split_advice(error.said)
        return Check(name, "problem", found, AS_ROOT if error.is_denied else remedy)
    if account is not None and not (account.may(file, os.R_OK) and account.may_reach(file)):
        text = say("doctor.no_permission", "{name} has no permission to use {what}", name=account.name, what=str(file))
        remedy = say(
            "doctor.own_file",
            "give it the file: {run}; its folders must be open to it as well",
            run=command(f"sudo chown {account.name} {quote(str(file))}"),
        )
        return Check(name, "problem", text, remedy)
    if file.stat().st_mode & 0o004:
        text = say("doctor.open_secret", "every user of this machine can read {path}", path=str(file))
        return Check(name, "warning", text, command(f"sudo chmod o= {quote(str(file))}"))
    return None


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
    """The properties that `systemctl show` has printed; one that has several lines is their values in a row."""
    found: dict[str, str] = {}
    for line in printed.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            found[key] = f"{found[key]} {value}" if key in found else value
    return found


async def find_credentials(system: System, unit: Unit) -> dict[str, Path]:
    """The credentials that systemd gives the service, by name: files that exist and that we may read."""
    if not is_installed(unit) or "CREDENTIALS_DIRECTORY" in os.environ:
        return {}
    found = await locate_credentials(system)
    return {name: file for name, file in found.items() if os.access(file, os.R_OK) and file.stat().st_size}


async def locate_credentials(system: System) -> dict[str, Path]:
    """The files from which systemd takes the credentials of the service, by name, whether they are there or not."""
    printed = await system.output("systemctl", "cat", UNIT)
    return {
        name: system.at(path) for name, path in re.findall(r"^LoadCredential=([^:\s]+):(\S+)", printed, re.MULTILINE)
    }


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
        text = say("doctor.no_service", "oche is not installed as a service, so it does not start at boot")
        yield Check("service", "ok", text)
        return
    found = [*_check_unit(unit), *_check_other_daemons(unit, running)]
    runs = say("doctor.service_runs", "{name} is installed and running", name=UNIT)
    stopped = say("doctor.service_stopped", "{name} is installed and is stopped", name=UNIT)
    yield from found or [Check("service", "ok", runs if unit.get("ActiveState") == "active" else stopped)]


def _check_unit(unit: Unit) -> Iterator[Check]:
    if unit["LoadState"] == "masked":
        remedy = say("doctor.unmask", "sudo systemctl unmask oche, then sudo systemctl start oche")
        yield Check("service", "problem", say("doctor.masked", "{name} is masked", name=UNIT), remedy)
        return
    restarts = int(unit.get("NRestarts") or 0)
    if unit.get("ActiveState") == "failed":
        if unit.get("ExecMainStatus") == _UNUSABLE_CONFIG:
            text = say("doctor.failed_config", "{name} failed: the daemon cannot use its configuration", name=UNIT)
            yield Check("service", "problem", text, say("doctor.mend", "fix it, then {run}", run=RESTART))
        else:
            text = say("doctor.failed", "{name} failed ({given})", name=UNIT, given=unit.get("Result", "unknown"))
            remedy = say("doctor.see_log_first", "{log}; then {run}", log=_LOG, run=RESTART)
            yield Check("service", "problem", text, remedy)
    elif unit.get("SubState") == "auto-restart" or (unit.get("ActiveState") == "activating" and restarts >= _OFTEN):
        text = say(
            "doctor.ends",
            "{name} keeps ending (restarts so far: {times}, the last end: {given})",
            name=UNIT,
            times=restarts,
            given=unit.get("Result", "unknown"),
        )
        yield Check("service", "problem", text, _LOG)
    elif restarts >= _OFTEN:
        said = "doctor.restarted", "{name} is running, but had to be restarted {times} times"
        yield Check("service", "warning", say(*said, name=UNIT, times=restarts), _LOG)
    if unit.get("UnitFileState") == "disabled":
        text = say("doctor.not_at_boot", "{name} does not start at boot", name=UNIT)
        yield Check("service", "warning", text, command("sudo systemctl enable oche"))
    if unit.get("NeedDaemonReload") == "yes":
        text = say("doctor.unread_unit", "{name} was changed, and systemd has not reloaded it", name=UNIT)
        yield Check("service", "warning", text, then(command("sudo systemctl daemon-reload"), RESTART))


def _check_other_daemons(unit: Unit, running: Sequence[Process]) -> Iterator[Check]:
    main = int(unit.get("MainPID") or 0)
    for process in running:
        if process.pid != main:
            text = say(
                "doctor.other_daemon",
                "a daemon that is not the service uses the state folder: {held}",
                held=process.said,
            )
            stop = say("doctor.stop", "stop it with {run}", run=command(f"sudo kill {process.pid}"))
            yield Check("service", "problem", text, then(stop, RESTART))
