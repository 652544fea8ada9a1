"""`oche doctor` on the machine: disks, journals, clock, power; and what happens when a part of it stumbles.

File systems and journals are real ones. What a Raspberry Pi's firmware says is what such a machine was seen to say.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.computer import check_clock, check_journals, check_power, check_storage, judge_clock
from daemon.admin.doctor.examine import _run_shielded
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System
from daemon.journal.journal_file import JournalFile
from tests.daemon.checkup import HERE, NOBODY, ROOT_USER, SERVICE, lines, only, write
from tests.daemon.process import ROOT

# The disk


def of_storage(
    folder: Path, account: Account = ROOT_USER, *, is_made: bool = False, system: System = HERE
) -> dict[str, str]:
    return {
        check.name: " ".join(str(check).split()) for check in check_storage(folder, account, system, is_made=is_made)
    }


def test_a_state_folder_that_is_not_the_services(tmp_path: Path) -> None:
    ours = takewhile(lambda each: each.name.startswith(("pytest-", "popen-", "test_")), (tmp_path, *tmp_path.parents))
    for folder in ours:
        folder.chmod(0o755)  # else each of them is root's alone
    state = tmp_path / "state"
    remedy = f"sudo install -d -o oche -m 750 {state}"
    assert remedy in of_storage(state, SERVICE)["state"]
    assert of_storage(state, SERVICE, is_made=True)["state"].startswith("ok")
    state.mkdir(mode=0o750)
    sentence = f"problem state oche may not write in {state}: sudo chown -R oche: {state}"
    assert of_storage(state, SERVICE)["state"] == sentence
    if os.geteuid() == 0:
        os.chown(state, SERVICE.uid, SERVICE.uid)
    owner = SERVICE._replace(uid=state.stat().st_uid)  # only root gives it to another user: else it is ours
    assert of_storage(state, owner)["state"] == f"ok state oche may write in {state}"
    (state / "main.sqlite3").touch(mode=0o400)
    assert of_storage(state, owner)["state"].startswith("problem state oche may not write main.sqlite3 in")
    (state / "main.sqlite3").unlink()
    state.rmdir()
    state.touch()
    assert of_storage(state)["state"] == f"problem state {state} is not a folder: sudo mv {state} {state}.old"


def test_what_is_to_be_typed_has_a_folder_with_a_blank_as_one_word(tmp_path: Path) -> None:
    state = tmp_path / "my board"
    assert of_storage(state / "state", NOBODY)["state"].partition(" -m 750 ")[2].startswith(f"'{state}/state'")
    state.mkdir(mode=0o700)
    assert of_storage(state, NOBODY)["state"].endswith(f"sudo chown -R nobody: '{state}'")
    (state / "main.sqlite3.damaged-1").touch()
    assert only(check_journals(state)).endswith(f"sudo rm '{state}/main.sqlite3.damaged-1'*")
    state.joinpath("file").touch()
    assert of_storage(state / "file")["state"].endswith(f"sudo mv '{state}/file' '{state}/file.old'")


MOUNTED = """
import os, sys
from pathlib import Path
from daemon.admin.doctor.system import System
from daemon.admin.doctor.computer import check_storage
from daemon.admin.doctor.service import find_account
folder = Path(sys.argv[1])
for check in check_storage(folder, find_account({}, System()), System(), is_made=False):
    print(check.verdict, check.name, check.text)
"""


@pytest.mark.slow
def test_a_disk_that_is_full_in_memory_and_read_only(tmp_path: Path) -> None:
    """Real mounts, in a namespace of their own.

    One lies over the other: util-linux 2.41 cannot mount anew what belongs to a user who is not in the namespace.
    """
    ask = f"{sys.executable} -c '{MOUNTED}' {tmp_path}"
    disks = ("size=2m,nr_inodes=40", "size=400m", "size=100m", "size=400m,ro")
    script = "\n".join(f"mount -t tmpfs -o {options} none {tmp_path} && {ask}" for options in disks)
    command = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-ec", script]
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert told.count(f"warning state {tmp_path} is in memory: all matches are lost when the machine restarts") == 4
    assert f"problem disk the disk of {tmp_path} has no room for more files" in told
    assert f"ok disk 400 MB are free on the disk of {tmp_path}" in told
    assert f"warning disk only 100 MB are free on the disk of {tmp_path}" in told
    assert f"problem state the file system of {tmp_path} is read-only" in told


def test_a_card_that_is_protected_by_an_overlay(tmp_path: Path) -> None:
    mounts = (
        "22 1 0:20 / / rw,relatime - overlay overlayroot rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,x"
    )
    write(tmp_path, "/proc/self/mountinfo", mounts)
    for check in check_storage(tmp_path, ROOT_USER, System(tmp_path), is_made=False):
        if "overlay" in str(check.text):
            assert "sudo raspi-config nonint disable_overlayfs" in str(check.remedy)
            return
    pytest.fail("nothing was said of the overlay")


# The journals


def test_journals_that_are_whole_damaged_newer_and_set_aside(tmp_path: Path) -> None:
    assert not lines(check_journals(tmp_path / "nothing"))
    JournalFile(tmp_path / "main.sqlite3").close()
    assert only(check_journals(tmp_path)) == "ok journal 1 journal is intact"
    with closing(sqlite3.connect(tmp_path / "bar.sqlite3")) as db:
        db.execute("create table t (a)")
        db.executemany("insert into t values (zeroblob(?))", [(5000,)] * 20)
        db.execute("create index i on t (a)")
        db.commit()
    damaged = bytearray((tmp_path / "bar.sqlite3").read_bytes())
    damaged[8192:12288] = b"\xff" * 4096
    (tmp_path / "bar.sqlite3").write_bytes(damaged)
    with closing(sqlite3.connect(tmp_path / "club.sqlite3")) as db:
        db.execute("pragma user_version = 99")
    (tmp_path / "main.sqlite3.damaged-2026-11-22").touch()
    before = sorted(file.name for file in tmp_path.iterdir())
    said = lines(check_journals(tmp_path))
    assert sorted(file.name for file in tmp_path.iterdir()) == before, "it leaves nothing"
    assert len(said) == 4
    assert said[0].startswith("problem journal ")
    assert "damaged" in said[0] or "malformed" in said[0]
    assert said[1].startswith(f"problem journal the journal {tmp_path}/club.sqlite3 was written by a newer oche")
    assert said[2].startswith("warning journal a damaged journal was moved aside as main.sqlite3.damaged-2026-11-22")
    assert said[3] == "ok journal 1 journal is intact"


def test_a_journal_that_is_being_written_is_read_beside_it(tmp_path: Path) -> None:
    store = JournalFile(tmp_path / "main.sqlite3")
    assert only(check_journals(tmp_path)) == "ok journal 1 journal is intact"
    store.test_room()
    store.close()


# Clock and power


def test_the_clock() -> None:
    assert str(judge_clock(1970, is_right=True)).startswith("problem  clock       the clock says the year is")
    assert judge_clock(2026, is_right=False).verdict == "warning"
    assert judge_clock(2026, is_right=True).verdict == "ok"
    assert len(list(check_clock(HERE))) == 1


@pytest.mark.parametrize(
    ("bits", "said"),
    [
        ("0", ["ok"]),
        ("50005", ["problem"]),
        ("50000", ["warning"]),
        ("80008", ["warning"]),
        ("d0008", ["warning", "warning"]),
        ("20000", ["warning"]),
    ],
)
async def test_the_power_supply_of_a_pi(tmp_path: Path, bits: str, said: list[str]) -> None:
    assert not list(await check_power(System(tmp_path)))
    write(tmp_path, "/sys/firmware/devicetree/base/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    write(tmp_path, "/sys/devices/platform/soc/soc:firmware/get_throttled", f"{bits}\n")
    assert [check.verdict for check in await check_power(System(tmp_path))] == said


# All of it


async def test_a_part_that_stumbles_is_a_line() -> None:
    async def stumble() -> list[Check]:
        raise OSError(5, "Input/output error")

    (check,) = await _run_shielded("disk", stumble())
    assert str(check).startswith("warning  disk        could not be checked (OSError: [Errno 5] Input/output error)")


def test_the_machine_is_asked_in_a_bare_checkout() -> None:
    told = subprocess.run(["/usr/bin/python3", "-I", "-S", ROOT / "daemon/admin/doctor/machine.py"], check=False)
    assert told.returncode in (0, 1)
