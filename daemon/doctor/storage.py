"""`oche doctor` on the state folder and the disk below it: may it be written, does it last, is there room?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from daemon.doctor.checks import Check
from daemon.doctor.host import Host
from daemon.doctor.whose import Who

_MEGABYTE = 1 << 20
_FULL_MB, _SCARCE_MB = 20, 200
_FULL_FILES = 100
_ROOM = "sudo apt clean and sudo journalctl --vacuum-size=50M make room; df -h says where it went"
_MEMORY = ("/upper/", "/media/root-rw/")
"""Where Raspberry Pi OS and Debian's overlayroot keep what a protected card is not to get: in memory."""


def check_storage(folder: Path, who: Who | None, host: Host, *, is_made: bool) -> Iterator[Check]:
    """`who` writes there. `is_made`: systemd makes the folder when the service starts."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    yield from _mount(there, host)
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        text = f"the file system of {folder} is read-only, as a card gets that fails"
        yield Check(
            "state",
            "problem",
            text,
            "dmesg says why; sudo reboot has it checked; a card that does so again is worn out",
        )
    elif there != folder:
        yield from _missing(folder, there, who, is_made=is_made)
    elif not folder.is_dir():
        yield Check("state", "problem", f"{folder} is no folder", f"sudo mv {folder} {folder}.old")
    elif who is not None:
        yield _own(folder, who)
    yield _room(there)


def _missing(folder: Path, there: Path, who: Who | None, *, is_made: bool) -> Iterator[Check]:
    if is_made or who is None or who.may(there, os.W_OK | os.X_OK):
        yield Check("state", "ok", f"{folder} will be made when oche starts")
        return
    remedy = f"sudo install -d -o {who.name} -m 750 {folder}, or set another bridge.state_dir"
    yield Check("state", "problem", f"{folder} is not there, and {who.name} may not make it", remedy)


def _own(folder: Path, who: Who) -> Check:
    remedy = f"sudo chown -R {who.name}: {folder}"
    if not (who.may_reach(folder) and who.may(folder, os.R_OK | os.W_OK | os.X_OK)):
        return Check("state", "problem", f"{who.name} may not write in {folder}", remedy)
    try:
        others = [file.name for file in sorted(folder.iterdir()) if not who.may(file, os.R_OK | os.W_OK)]
    except PermissionError:
        return Check("state", "warning", f"cannot look into {folder}", "run oche doctor as root (sudo)")
    if others:
        return Check("state", "problem", f"{who.name} may not write {', '.join(others)} in {folder}", remedy)
    return Check("state", "ok", f"{who.name} may write in {folder}")


def _mount(there: Path, host: Host) -> Iterator[Check]:
    kind, options = _file_system(there, host)
    if kind in ("tmpfs", "ramfs"):
        remedy = "set bridge.state_dir to a folder on the disk"
        yield Check("state", "warning", f"{there} is in memory: every match is lost when the machine restarts", remedy)
    elif kind == "overlay" and any(f"upperdir={place}" in options for place in _MEMORY):
        text = f"the card is protected by an overlay, so what is written to {there} is lost when the machine restarts"
        remedy = "sudo raspi-config nonint disable_overlayfs, then sudo reboot; or keep the state on another disk"
        yield Check("state", "warning", text, remedy)


def _file_system(there: Path, host: Host) -> tuple[str, str]:
    """Its kind and its options: those of the longest mount point that leads there, the last one of several."""
    best, found = "", ("", "")
    for line in host.text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4].encode().decode("unicode_escape")
        if there.absolute().resolve().is_relative_to(point) and len(point) >= len(best):
            kind, _, options = after.split()[:3]
            best, found = point, (kind, options)
    return found


def _room(there: Path) -> Check:
    disk = os.statvfs(there)
    free_mb = disk.f_bavail * disk.f_frsize // _MEGABYTE
    if disk.f_files and disk.f_favail < _FULL_FILES:
        return Check("disk", "problem", f"the disk of {there} takes no more files ({disk.f_favail})", _ROOM)
    if free_mb < _SCARCE_MB:
        verdict = Check("disk", "warning", f"only {free_mb} MB are free on the disk of {there}", _ROOM)
        return verdict if free_mb >= _FULL_MB else Check("disk", "problem", verdict.text, _ROOM)
    return Check("disk", "ok", f"{free_mb} MB are free on the disk of {there}")
