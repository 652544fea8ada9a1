"""What oche says to do where it cannot write: a full disk, one that fails, a folder that is shut, a right that lacks.

The file systems are real ones, mounted in a name space of their own.
"""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.config.credentials import SecretError, read_secret
from daemon.remedies import find_mount, suggest_for_read_only, suggest_in_daemon, suggest_other_folder, suggest_remedy
from protocol.sentence import say, split_advice
from tests.daemon.checkup import write
from tests.daemon.process import ROOT

CHECK = "sudo dmesg shows why, and sudo reboot makes the system check the disk"
FAILED = "25 1 179:2 / / ro,noatime shared:1 - ext4 /dev/mmcblk0p2 ro,errors=remount-ro"
"""A card whose file system Linux has made read-only."""
SHUT = """\
25 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw,errors=remount-ro
90 25 179:2 {folder} {folder} ro,noatime shared:2 - ext4 /dev/mmcblk0p2 rw,errors=remount-ro"""
"""A folder of a good card as a unit with ProtectSystem=strict sees it."""
TRIES = """
import sys
from pathlib import Path
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.doctor.computer import check_storage
from daemon.admin.doctor.system import System
from daemon.errors import UserError
from daemon.files import explain_errors, replace_file
from daemon.remedies import suggest_in_daemon
from daemon.service.lock import lock_folder
from daemon.journal.journal_file import JournalFile
from daemon.journal.errors import StoreError
from daemon.web.token import make_token

folder = Path(sys.argv[1])

def open_journal():
    JournalFile(folder / "main.sqlite3").close()

def reserve():
    with lock_folder(folder / "new"):
        pass

def write():
    with explain_errors("cannot write", suggest_in_daemon):
        replace_file(folder / "x.json", b"")

def write_to():
    with explain_errors("cannot write", None):
        replace_file(folder / "x.json", b"")

for try_it in (open_journal, reserve, write, lambda: make_token(folder), write_to):
    try:
        try_it()
    except (StoreError, UserError) as error:
        print(error)
for check in check_storage(folder, None, System(), is_made=False):
    if check.name == "state" and check.verdict == "problem":
        print(check.text, check.remedy, sep=": ")
print(SettingsFile(folder / "oche.toml").trouble)
"""


@pytest.mark.parametrize(
    ("number", "in_daemon", "typed"),
    [
        (errno.ENOSPC, "; free some space on that disk", "; free some space on that disk"),
        (errno.EDQUOT, "; free some space on that disk", "; free some space on that disk"),
        (errno.EACCES, "; give it to the user that oche runs as", "; run this as root (sudo)"),
        (errno.EPERM, "; give it to the user that oche runs as", "; run this as root (sudo)"),
        (errno.EIO, "", ""),
        (errno.EROFS, f"; {CHECK}", f"; {CHECK}"),
        (errno.ENOENT, "", ""),
    ],
)
def test_each_reason_has_its_own_remedy(number: int, in_daemon: str, typed: str) -> None:
    named = () if number == errno.EROFS else ("/var/lib/oche/main.sqlite3",)
    error = OSError(number, os.strerror(number), *named)
    assert (str(suggest_in_daemon(error)), str(suggest_remedy(error))) == (in_daemon, typed)
    other = "configure another folder (bridge.state_dir)"
    assert suggest_other_folder(error) == (f"{in_daemon}, or {other}" if in_daemon else f"; {other}")


def test_a_disk_that_fails_is_told_from_a_folder_that_is_shut(tmp_path: Path) -> None:
    assert str(suggest_for_read_only(tmp_path / "state" / "new", FAILED)) == CHECK
    shut = str(suggest_for_read_only(tmp_path / "state", SHUT.format(folder=tmp_path)))
    assert f"write ReadWritePaths={tmp_path} below [Service]" in shut
    assert "dmesg" not in shut
    assert str(suggest_for_read_only(tmp_path, "")) == CHECK, "what cannot be told is the usual reason"
    assert find_mount(tmp_path, SHUT.format(folder=tmp_path)).options == "rw,errors=remount-ro"


@pytest.mark.parametrize("name", ["state", "my state", 'a "b" \\c', "100%"])
def test_a_unit_is_told_of_a_folder_that_is_there(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "oche.toml").touch()
    listed = SHUT.format(folder=tmp_path)
    for path in (
        folder,
        folder / "oche.toml",
        folder / "oche.toml.new",
        folder / "new" / "state",
        folder / "oche.toml/x",
    ):
        written = str(suggest_for_read_only(path, listed)).partition("ReadWritePaths=")[2].partition(" below [")[0]
        assert [part.replace("%%", "%") for part in shlex.split(written)] == [str(folder)], path


@pytest.mark.parametrize("is_shut", [False, True])
def test_what_is_read_only_is_never_called_full(tmp_path: Path, *, is_shut: bool) -> None:
    write(tmp_path, "/oche.toml", "")
    again = f"mount -o bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}"
    how = again if is_shut else f"mount -t tmpfs -o ro none {tmp_path}"
    script = f"{how} && exec {sys.executable} -c '{TRIES}' {tmp_path}"
    command = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-ec", script]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, check=True)
    told = ran.stdout.splitlines()
    assert len(told) == 7, told
    typed = f"the file system of {tmp_path} is read-only: name another folder, or mount it for writing (findmnt -T "
    for sentence in told:
        is_typed = sentence in told[3:5]
        assert (f"write ReadWritePaths={tmp_path} below [Service]" in sentence) == (is_shut and not is_typed), sentence
        assert (f"{typed}{tmp_path} shows" in sentence) == (is_shut and is_typed), sentence
        assert ("sudo dmesg shows why" in sentence) != is_shut, sentence
        assert not any(wrong in sentence for wrong in ("room", "space", "as root", "writable", "give it to")), sentence


@pytest.mark.parametrize(
    ("content", "why", "remedy"),
    [
        (None, "no such file or directory", "write the broker's password into that file"),
        ("", "the file is empty", "write the broker's password into that file"),
        ("folder", "is a directory", "write the broker's password into that file"),
        ("denied", "permission denied", "let the user that oche runs as read that file"),
    ],
)
def test_a_secret_that_cannot_be_read_says_what_is_missing_and_who_needs_it(
    tmp_path: Path, content: str | None, why: str, remedy: str
) -> None:
    file = tmp_path / "mqtt-password"
    if content == "folder":
        file.mkdir()
    elif content is not None:
        file.write_text(content, encoding="utf-8")
    user = os.geteuid()
    try:
        if content == "denied":
            file.chmod(0)
            if user == 0:
                os.seteuid(65534)
        with pytest.raises(SecretError) as caught:
            read_secret(file, say("secret.broker", "the broker's password"))
    finally:
        os.seteuid(user)
    what, helps = split_advice(caught.value.said)
    assert str(what) == f"cannot read the broker's password from {file}: {why}"
    assert str(helps).startswith(remedy)
    assert caught.value.is_denied == (content == "denied")
    assert not any(wrong in str(helps) for wrong in ("root", "sudo"))
