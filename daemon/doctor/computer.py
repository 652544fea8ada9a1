"""`oche doctor` on the computer: Python, power supply, clock, state folder, disk and journals."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path

from daemon.doctor import machine
from daemon.doctor.checks import Check, Command, Verdict, write_remedy
from daemon.doctor.service import Account
from daemon.doctor.system import System
from daemon.errors import UserError
from daemon.table.journal_errors import StoreError
from daemon.table.stored_journal import find_journals

_SINCE_START = 16
"""The bits so much higher tell the same of the time since the start."""
_LOW, _CAPPED, _SLOWED, _HOT = 1, 2, 4, 8
_THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"
_SUPPLY = "take the power supply made for this Pi and a short cable; give hungry USB devices a powered hub"
_FIRST_YEAR, _LAST_YEAR = 2025, 2100
_UNSYNCHRONISED = 5
"""TIME_ERROR of adjtimex(2)."""
_TIMEX_BYTES = 512
"""More than struct timex has anywhere; all zero, it only asks."""
_SET_CLOCK = write_remedy(
    Command("sudo timedatectl set-ntp true"), ", and let this machine reach a time server (timedatectl says which)"
)
_MEGABYTE = 1 << 20
_FULL_MB, _SCARCE_MB = 20, 200
_FULL_FILES = 100
_MAKE_ROOM = "sudo apt clean and sudo journalctl --vacuum-size=50M make room; df -h says where it went"
_MEMORY = ("/upper/", "/media/root-rw/")
"""Where Raspberry Pi OS and Debian's overlayroot keep, in memory, what is written to a protected card."""
_PATIENCE_S = 4.0
"""For all journals together."""


def check_machine() -> Iterator[Check]:
    """Whether this machine and its Python can run oche."""
    complaint = machine.check_this_machine()
    if complaint is None:
        yield Check("machine", "ok", "it can run oche: 64 bits, and a Python that is new enough")
    else:
        yield Check.from_sentence("machine", "problem", complaint)


async def check_power(system: System) -> Iterator[Check]:
    """Whether a Raspberry Pi gets enough voltage: a weak supply makes USB boards drop out. Empty on other machines."""
    if "Raspberry Pi" not in system.read("/sys/firmware/devicetree/base/model"):
        return iter(())
    said = system.read(_THROTTLED) or await system.output("vcgencmd", "get_throttled")
    try:
        bits = int(said.rpartition("=")[2], 16)
    except ValueError:
        text = "what the Pi knows of its power supply cannot be read"
        remedy = "run oche doctor as root (sudo), or look for a flash on its screen"
        return iter([Check("power", "warning", text, remedy)])
    return judge_power(bits)


def judge_power(bits: int) -> Iterator[Check]:
    """The checks of the firmware's bits: see get_throttled in the Raspberry Pi's documentation."""
    now, since = bits & 0xF, bits >> _SINCE_START & 0xF
    if now & _LOW:
        yield Check("power", "problem", "the Pi gets too little voltage at this moment", _SUPPLY)
    elif since & _LOW:
        yield Check("power", "warning", "the Pi got too little voltage at times since it was started", _SUPPLY)
    if (now | since) & _HOT or ((now | since) & (_CAPPED | _SLOWED) and not (now | since) & _LOW):
        text = "the Pi is too hot, and slowed down" if now & ~_LOW else "the Pi was too hot at times, and slowed down"
        yield Check("power", "warning", text, "give it air, a heat sink or a fan")
    if not now | since:
        yield Check("power", "ok", "the Pi has had enough voltage since it was started")


def check_clock(system: System) -> Iterator[Check]:
    """Whether the clock is right, by the kernel and systemd's time client: a Pi has no clock that is always on."""
    is_right = _is_synchronised() or system.at("/run/systemd/timesync/synchronized").exists()
    yield judge_clock(time.gmtime().tm_year, is_right=is_right)


def judge_clock(year: int, *, is_right: bool) -> Check:
    """The check of a clock that shows this year. `is_right`: a time server has answered."""
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return Check("clock", "problem", f"the clock says that this is the year {year}", *_SET_CLOCK)
    if not is_right:
        text = "no time server was heard, so matches may be dated wrongly and certificates seem not to be valid"
        return Check("clock", "warning", text, *_SET_CLOCK)
    return Check("clock", "ok", "a time server has answered")


def _is_synchronised() -> bool:
    libc = ctypes.CDLL(None)
    asked = ctypes.create_string_buffer(_TIMEX_BYTES)
    found = int(libc.adjtimex(asked)) if hasattr(libc, "adjtimex") else -1
    return found not in (-1, _UNSYNCHRONISED)


def check_storage(folder: Path, account: Account | None, system: System, *, is_made: bool) -> Iterator[Check]:
    """Whether the account may write the state folder, whether it lasts, and whether the disk has room.

    `is_made`: systemd makes the folder when the service starts.
    """
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    yield from _check_mount(there, system)
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        text = f"the file system of {folder} is read-only, as a card gets that fails"
        remedy = "dmesg says why; sudo reboot has it checked; a card that does so again is worn out"
        yield Check("state", "problem", text, remedy)
    elif there != folder:
        yield from _check_missing(folder, there, account, is_made=is_made)
    elif not folder.is_dir():
        yield Check(
            "state", "problem", f"{folder} is no folder", *write_remedy(Command(f"sudo mv {folder} {folder}.old"))
        )
    elif account is not None:
        yield _check_permissions(folder, account)
    yield _check_room(there)


def _check_missing(folder: Path, there: Path, account: Account | None, *, is_made: bool) -> Iterator[Check]:
    if is_made or account is None or account.may(there, os.W_OK | os.X_OK):
        yield Check("state", "ok", f"{folder} will be made when oche starts")
        return
    make = Command(f"sudo install -d -o {account.name} -m 750 {folder}")
    remedy = write_remedy(make, ", or set another bridge.state_dir")
    yield Check("state", "problem", f"{folder} is not there, and {account.name} may not make it", *remedy)


def _check_permissions(folder: Path, account: Account) -> Check:
    remedy = write_remedy(Command(f"sudo chown -R {account.name}: {folder}"))
    if not (account.may_reach(folder) and account.may(folder, os.R_OK | os.W_OK | os.X_OK)):
        return Check("state", "problem", f"{account.name} may not write in {folder}", *remedy)
    try:
        others = [file.name for file in sorted(folder.iterdir()) if not account.may(file, os.R_OK | os.W_OK)]
    except PermissionError:
        return Check("state", "warning", f"cannot look into {folder}", "run oche doctor as root (sudo)")
    if others:
        return Check("state", "problem", f"{account.name} may not write {', '.join(others)} in {folder}", *remedy)
    return Check("state", "ok", f"{account.name} may write in {folder}")


def _check_mount(there: Path, system: System) -> Iterator[Check]:
    kind, options = _find_file_system(there, system)
    if kind in ("tmpfs", "ramfs"):
        remedy = "set bridge.state_dir to a folder on the disk"
        yield Check("state", "warning", f"{there} is in memory: every match is lost when the machine restarts", remedy)
    elif kind == "overlay" and any(f"upperdir={place}" in options for place in _MEMORY):
        text = f"the card is protected by an overlay, so what is written to {there} is lost when the machine restarts"
        lines = Command("sudo raspi-config nonint disable_overlayfs"), ", then ", Command("sudo reboot")
        yield Check("state", "warning", text, *write_remedy(*lines, "; or keep the state on another disk"))


def _find_file_system(there: Path, system: System) -> tuple[str, str]:
    """The kind and the options of the file system there: those of the longest mount point, the last one of several."""
    best, found = "", ("", "")
    for line in system.read("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4].encode().decode("unicode_escape")
        if there.absolute().resolve().is_relative_to(point) and len(point) >= len(best):
            kind, _, options = after.split()[:3]
            best, found = point, (kind, options)
    return found


def _check_room(there: Path) -> Check:
    disk = os.statvfs(there)
    free_mb = disk.f_bavail * disk.f_frsize // _MEGABYTE
    if disk.f_files and disk.f_favail < _FULL_FILES:
        return Check("disk", "problem", f"the disk of {there} takes no more files ({disk.f_favail})", _MAKE_ROOM)
    if free_mb < _SCARCE_MB:
        verdict: Verdict = "warning" if free_mb >= _FULL_MB else "problem"
        return Check("disk", verdict, f"only {free_mb} MB are free on the disk of {there}", _MAKE_ROOM)
    return Check("disk", "ok", f"{free_mb} MB are free on the disk of {there}")


def check_journals(folder: Path) -> Iterator[Check]:
    """Whether each journal is intact, read beside a daemon that may be writing, and whether one was set aside."""
    try:
        found = find_journals(folder)
        aside = sorted(
            file.name for file in folder.glob("*.sqlite3.damaged-*") if not file.name.endswith(("-wal", "-shm"))
        )
    except (UserError, OSError) as error:
        yield Check("journal", "warning", str(error).partition("; ")[0], "run oche doctor as root (sudo)")
        return
    good = slow = 0
    for journal in found:
        try:
            is_whole = journal.check(_PATIENCE_S / len(found))
        except StoreError as error:
            what, _, remedy = str(error).partition("; ")
            back = (
                f"stop oche, sudo mv {journal.path} {journal.path}.damaged; a backup comes back with oche restore FILE"
            )
            yield Check("journal", "problem", what, remedy if "newer" in what else back)
        else:
            good += is_whole
            slow += not is_whole
    for name in aside:
        text = f"a damaged journal was set aside as {name}; its table has begun a new one"
        remedy = f"a backup comes back with oche restore FILE; when it is of no more use: sudo rm {folder / name}*"
        yield Check("journal", "warning", text, remedy)
    if slow:
        text = f"{slow} could not be read through in {_PATIENCE_S:.0f} seconds; so far they are intact"
        yield Check("journal", "ok", text)
    if good:
        yield Check("journal", "ok", f"{good} {'journal is' if good == 1 else 'journals are'} intact")
