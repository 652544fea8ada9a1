"""The disks of the fault run: none is left behind, however that ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.process import ROOT, eventually
from tests.faults.league.disks import mount_disk

DIES = """
import os, sys
from pathlib import Path
from tests.faults.league.disks import mount_disk

with mount_disk(Path(sys.argv[1]), 1_000_000):
    print(os.path.ismount(sys.argv[1]))
    os._exit(1)
"""


def test_a_disk_is_filled_emptied_and_taken_away(tmp_path: Path) -> None:
    with mount_disk(tmp_path, 1_000_000) as disk:
        if disk is None:
            pytest.skip("needs root, and a system that lets it mount")
        for name in ("one", "other"):
            disk.fill()
            with pytest.raises(OSError, match="No space left"):
                (tmp_path / name).write_bytes(bytes(100_000))
            disk.make_room()
            (tmp_path / name).write_bytes(bytes(100_000))
        assert tmp_path.is_mount()
    assert not tmp_path.is_mount()


async def test_no_disk_is_left_behind_by_a_run_that_is_ended(tmp_path: Path) -> None:
    """As a test that hangs is."""
    command = (sys.executable, "-u", "-c", DIES, str(tmp_path))
    done = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.stdout != b"True\n":
        pytest.skip("needs root, and a system that lets it mount")
    await eventually(lambda: not tmp_path.is_mount())
