"""`oche doctor` on the computer: Python, power supply, clock, state folder, disk and journals."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from daemon.admin.doctor import machine
from daemon.admin.doctor.checks import AS_ROOT, Check, Verdict, command, then
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System
from daemon.errors import UserError
from daemon.journal.errors import StoreError, Unusable
from daemon.journal.stored import find_journals
from daemon.remedies import MOUNTS, find_mount, is_read_only, suggest_for_read_only
from protocol.sentence import say

_SINCE_START = 16
"""The bits so much higher tell the same of the time since the start."""
_LOW, _CAPPED, _SLOWED, _HOT = 1, 2, 4, 8
_THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"
_SUPPLY = say(
    "doctor.supply",
    "use the power supply made for this Pi and a short cable; connect power-hungry USB devices to a powered hub",
)
_FIRST_YEAR, _LAST_YEAR = 2025, 2100
_UNSYNCHRONISED = 5
"""TIME_ERROR of adjtimex(2)."""
_TIMEX_BYTES = 512
"""More than struct timex has anywhere; all zero, it only asks."""
_SET_CLOCK = say(
    "doctor.set_clock",
    "{run}, and let this machine reach a time server (timedatectl shows which)",
    run=command("sudo timedatectl set-ntp true"),
)
_MEGABYTE = 1 << 20
_FULL_MB, _SCARCE_MB = 20, 200
_FULL_FILES = 100
_MAKE_ROOM = say(
    "doctor.make_room", "sudo apt clean and sudo journalctl --vacuum-size=50M free space; df -h shows what uses it"
)
_MEMORY = ("/upper/", "/media/root-rw/")
"""Where Raspberry Pi OS and Debian's overlayroot keep, in memory, what is written to a protected card."""
_PATIENCE_S = 4.0
"""For all journals together."""


def check_machine() -> Iterator[Check]:
    """Whether this machine and its Python can run oche."""
    complaint = machine.check_this_machine()
    if complaint is None:
        text = say("doctor.machine_ok", "it can run oche: 64 bits, and Python is new enough")
        yield Check("machine", "ok", text)
    else:  # without a page there is no other language
        yield Check.from_sentence("machine", "problem", complaint)


async def check_power(system: System) -> Iterator[Check]:
    """Whether a Raspberry Pi gets enough voltage: a weak supply makes USB boards drop out. Empty on other machines."""
    if "Raspberry Pi" not in system.read("/sys/firmware/devicetree/base/model"):
        return iter(())
    said = system.read(_THROTTLED) or await system.output("vcgencmd", "get_throttled")
    try:
        bits = int(said.rpartition("=")[2], 16)
    except ValueError:
        text = say("doctor.power_unread", "the doctor cannot read what the Pi knows about its power supply")
        remedy = say("doctor.flash", "run oche doctor as root (sudo), or watch for a lightning bolt on the Pi's screen")
        return iter([Check("power", "warning", text, remedy)])
    return judge_power(bits)


def judge_power(bits: int) -> Iterator[Check]:
    """The checks of the firmware's bits: see get_throttled in the Raspberry Pi's documentation."""
    now, since = bits & 0xF, bits >> _SINCE_START & 0xF
    if now & _LOW:
        text = say("doctor.power_low", "the Pi is getting too little voltage right now")
        yield Check("power", "problem", text, _SUPPLY)
    elif since & _LOW:
        text = say("doctor.power_was_low", "the Pi got too little voltage at times since it started")
        yield Check("power", "warning", text, _SUPPLY)
    if (now | since) & _HOT or ((now | since) & (_CAPPED | _SLOWED) and not (now | since) & _LOW):
        is_hot = say("doctor.hot", "the Pi is too hot, and has slowed down")
        was_hot = say("doctor.was_hot", "the Pi was too hot at times, and slowed down")
        remedy = say("doctor.cool", "give it air, a heat sink or a fan")
        yield Check("power", "warning", is_hot if now & ~_LOW else was_hot, remedy)
    if not now | since:
        yield Check("power", "ok", say("doctor.power_ok", "the Pi has had enough voltage since it started"))


def check_clock(system: System) -> Iterator[Check]:
    """Whether the clock is right, by the kernel and systemd's time client: a Pi has no clock that is always on."""
    is_right = _is_synchronised() or system.at("/run/systemd/timesync/synchronized").exists()
    yield judge_clock(time.gmtime().tm_year, is_right=is_right)


def judge_clock(year: int, *, is_right: bool) -> Check:
    """The check of a clock that shows this year. `is_right`: a time server has answered."""
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        text = say("doctor.year", "the clock says the year is {year}", year=year)
        return Check("clock", "problem", text, _SET_CLOCK)
    if not is_right:
        text = say(
            "doctor.no_time",
            "no time server has answered, so matches may get the wrong date, and valid certificates may seem invalid",
        )
        return Check("clock", "warning", text, _SET_CLOCK)
    return Check("clock", "ok", say("doctor.clock_ok", "a time server has answered"))


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
    if is_read_only(there):
        yield _report_read_only(folder, there, system)
    elif there != folder:
        yield from _check_missing(folder, there, account, is_made=is_made)
    elif not folder.is_dir():
        text = say("doctor.no_folder", "{path} is not a folder", path=str(folder))
        yield Check("state", "problem", text, command(f"sudo mv {quote(str(folder))} {quote(f'{folder}.old')}"))
    elif account is not None:
        yield _check_permissions(folder, account)
    yield _check_room(there)


def _report_read_only(folder: Path, there: Path, system: System) -> Check:
    listed = system.read(str(MOUNTS))
    if not find_mount(there, listed).is_disk_read_only:
        text = say("doctor.shown_read_only", "{path} is read-only for oche", path=str(folder))
        return Check("state", "problem", text, suggest_for_read_only(folder, listed))
    text = say(
        "doctor.read_only", "the file system of {path} is read-only, as happens when an SD card fails", path=str(folder)
    )
    remedy = say(
        "doctor.check_card",
        "sudo dmesg shows why; sudo reboot makes the system check it; if it happens again, the card is worn out",
    )
    return Check("state", "problem", text, remedy)


def _check_missing(folder: Path, there: Path, account: Account | None, *, is_made: bool) -> Iterator[Check]:
    if is_made or account is None or account.may(there, os.W_OK | os.X_OK):
        yield Check("state", "ok", say("doctor.will_make", "oche creates {path} when it starts", path=str(folder)))
        return
    said = "doctor.no_state", "{path} does not exist, and {name} may not create it"
    make = command(f"sudo install -d -o {account.name} -m 750 {quote(str(folder))}")
    remedy = say("doctor.make_state", "{run}, or set another bridge.state_dir", run=make)
    yield Check("state", "problem", say(*said, path=str(folder), name=account.name), remedy)


def _check_permissions(folder: Path, account: Account) -> Check:
    name, path = account.name, str(folder)
    remedy = command(f"sudo chown -R {name}: {quote(path)}")
    if not (account.may_reach(folder) and account.may(folder, os.R_OK | os.W_OK | os.X_OK)):
        text = say("doctor.may_not_write_in", "{name} may not write in {path}", name=name, path=path)
        return Check("state", "problem", text, remedy)
    try:
        others = [file.name for file in sorted(folder.iterdir()) if not account.may(file, os.R_OK | os.W_OK)]
    except PermissionError:
        return Check("state", "warning", say("doctor.closed", "cannot look into {path}", path=path), AS_ROOT)
    if others:
        said = "doctor.may_not_write", "{name} may not write {given} in {path}"
        return Check("state", "problem", say(*said, name=name, given=", ".join(others), path=path), remedy)
    return Check("state", "ok", say("doctor.may_write", "{name} may write in {path}", name=name, path=path))


def _check_mount(there: Path, system: System) -> Iterator[Check]:
    kind, options, _ = find_mount(there, system.read(str(MOUNTS)))
    if kind in ("tmpfs", "ramfs"):
        text = say(
            "doctor.in_memory",
            "{path} is in memory: all matches are lost when the machine restarts",
            path=str(there),
        )
        remedy = say("doctor.state_on_disk", "set bridge.state_dir to a folder on the disk")
        yield Check("state", "warning", text, remedy)
    elif kind == "overlay" and any(f"upperdir={place}" in options for place in _MEMORY):
        text = say(
            "doctor.overlay",
            "an overlay protects the card, so what is written to {path} is lost when the machine restarts",
            path=str(there),
        )
        lines = then(command("sudo raspi-config nonint disable_overlayfs"), command("sudo reboot"))
        remedy = say("doctor.no_overlay", "{run}; or keep the state on another disk", run=lines)
        yield Check("state", "warning", text, remedy)


def _check_room(there: Path) -> Check:
    disk = os.statvfs(there)
    free_mb = disk.f_bavail * disk.f_frsize // _MEGABYTE
    if disk.f_files and disk.f_favail < _FULL_FILES:
        said = "doctor.no_files", "the disk of {path} has no room for more files ({number})"
        return Check("disk", "problem", say(*said, path=str(there), number=disk.f_favail), _MAKE_ROOM)
    if free_mb < _SCARCE_MB:
        verdict: Verdict = "warning" if free_mb >= _FULL_MB else "problem"
        said = "doctor.little_room", "only {free} MB are free on the disk of {path}"
        return Check("disk", verdict, say(*said, free=free_mb, path=str(there)), _MAKE_ROOM)
    said = "doctor.room", "{free} MB are free on the disk of {path}"
    return Check("disk", "ok", say(*said, free=free_mb, path=str(there)))


def check_journals(folder: Path) -> Iterator[Check]:
    """Whether each journal is intact, read beside a daemon that may be writing, and whether one was set aside."""
    try:
        found = find_journals(folder)
        aside = sorted(
            file.name for file in folder.glob("*.sqlite3.damaged-*") if not file.name.endswith(("-wal", "-shm"))
        )
    except (UserError, OSError) as error:
        yield Check("journal", "warning", str(error).partition("; ")[0], AS_ROOT)
        return
    good = slow = 0
    for journal in found:
        try:
            is_whole = journal.check(_PATIENCE_S / len(found))
        except StoreError as error:
            what, is_newer = str(error).partition("; ")[0], isinstance(error, Unusable)
            text = say("doctor.journal", "{what}", what=what)
            back = say(
                "doctor.journal_back",
                "stop oche, then sudo mv {path} {path}.damaged; to restore a backup, run oche restore FILE",
                path=quote(str(journal.path)),
            )
            yield Check("journal", "problem", text, say("doctor.update", "update this one") if is_newer else back)
        else:
            good += is_whole
            slow += not is_whole
    for name in aside:
        text = say(
            "doctor.journal_aside",
            "a damaged journal was moved aside as {name}; its table has started a new one",
            name=name,
        )
        remedy = say(
            "doctor.remove_aside",
            "to restore a backup, run oche restore FILE; when you no longer need the old journal: sudo rm {path}*",
            path=quote(str(folder / name)),
        )
        yield Check("journal", "warning", text, remedy)
    if slow:
        said = (
            "doctor.journals_slow",
            "{number} could not be read to the end in {seconds} seconds; the parts that were read are intact",
        )
        yield Check("journal", "ok", say(*said, number=slow, seconds=round(_PATIENCE_S)))
    if good == 1:
        yield Check("journal", "ok", say("doctor.journal_ok", "1 journal is intact"))
    elif good:
        yield Check("journal", "ok", say("doctor.journals_ok", "{number} journals are intact", number=good))
