"""Small disks of their own, which are filled and emptied. Only root may mount them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BLOCK = bytes(1_000_000)
_HOLD = 'mount -t tmpfs -o "size=$2" oche-test "$1" || exit; echo ready; cat; umount --lazy "$1"'
"""Ends with its standard input, also where the process that holds that is killed: no mount is left behind."""


class SmallDisk:
    """What is mounted on a folder."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leaves no room for anything else."""
        with suppress(OSError), self._filler.open("wb", buffering=0) as filler:
            while filler.write(_BLOCK) == len(_BLOCK):
                pass

    def make_room(self) -> None:
        """As it was before."""
        self._filler.unlink(missing_ok=True)


@contextmanager
def mount_disk(folder: Path, size: int) -> Iterator[SmallDisk | None]:
    """Gives this folder a disk of so many bytes; None where this user may not do that."""
    if os.getuid() != 0 or shutil.which("mount") is None:
        yield None
        return
    command = ("sh", "-c", _HOLD, "sh", str(folder), str(size))
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as holder:
        assert holder.stdout is not None
        has_disk = holder.stdout.readline() == b"ready\n"
        try:
            yield SmallDisk(folder) if has_disk else None
        finally:
            holder.communicate()
            assert not has_disk or holder.returncode == 0, f"{folder} is still mounted"
