"""Whose permissions count: those of the service's user where the service is installed, else of whoever asks.

A group may have been given after its user logged in, or after the service started: then it is in the system's list
and does not count yet.
"""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from daemon.doctor.checks import Check
from daemon.doctor.host import Host
from daemon.doctor.service import Unit, is_installed

_USUAL = "oche"
"""The service's user, of which a unit that is masked says nothing."""


class Who(NamedTuple):
    """A user. `groups` count now, `listed` are those of the system's list; `is_us`: the doctor runs as that user."""

    name: str
    uid: int
    groups: frozenset[int]
    listed: frozenset[int]
    is_service: bool
    is_us: bool

    def may(self, path: Path, mode: int) -> bool:
        """May it use what is there so (os.R_OK, W_OK, X_OK)? For another user an access list is not looked at."""
        if self.is_us:
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
        """May it pass through all folders on the way there?"""
        return all(self.may(folder, os.X_OK) for folder in path.absolute().parents)

    def remedy(self, group: str) -> str:
        """How it comes to use this group."""
        again = "sudo systemctl restart oche" if self.is_service else "log out and in again"
        number = _number(group)
        if number in self.listed:
            return again
        make = f"sudo groupadd --system {group}, then " if number is None else ""
        return f"{make}sudo usermod -aG {group} {self.name}, then {again}"


def find(unit: Unit, host: Host) -> Who | None:
    """Whose permissions count. None: the service's user does not exist."""
    name = unit.get("User") or (_USUAL if unit.get("LoadState") == "masked" else "")
    if is_installed(unit) and name:
        return _service(name, unit, host)
    uid = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    if uid == 0 and caller.isdigit() and int(caller) and not is_installed(unit):
        return _listed(int(caller), is_service=False)
    name = _name(uid)
    groups = frozenset({os.getegid(), *os.getgroups()})
    return Who(name, uid, groups, groups | _groups(name), is_installed(unit), is_us=True)


def check_groups(who: Who, groups: Collection[str]) -> Iterator[Check]:
    """Is it in all these groups, and do they count yet?"""
    missing = [group for group in groups if _number(group) not in who.groups]
    if who.uid == 0 or not groups:
        return
    for group in missing:
        if _number(group) in who.listed:
            what = "the service was started" if who.is_service else "this login began"
            text = f"{who.name} was put into the group {group} after {what}, so it does not count yet"
        else:
            text = f"{who.name} is not in the group {group}"
        yield Check("groups", "problem", text, who.remedy(group))
    if not missing:
        yield Check("groups", "ok", f"{who.name} is in {', '.join(groups)}")


def _service(name: str, unit: Unit, host: Host) -> Who | None:
    try:
        found = _listed(pwd.getpwnam(name).pw_uid, is_service=True)
    except KeyError:
        return None
    if found is None:
        return None
    more = frozenset(filter(None, map(_number, unit.get("SupplementaryGroups", "").split())))
    listed = found.listed | more
    status = host.text(f"/proc/{unit.get('MainPID', '0')}/status")
    counting = [line.split()[1:] for line in status.splitlines() if line.startswith(("Gid:", "Groups:"))]
    now = frozenset(int(number) for numbers in counting for number in numbers)
    return found._replace(groups=now or listed, listed=listed)


def _listed(uid: int, *, is_service: bool) -> Who | None:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        return None
    groups = _groups(name)
    return Who(name, uid, groups, groups, is_service, is_us=False)


def _groups(name: str) -> frozenset[int]:
    try:
        return frozenset(os.getgrouplist(name, pwd.getpwnam(name).pw_gid))
    except KeyError:
        return frozenset()


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _number(group: str) -> int | None:
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None
