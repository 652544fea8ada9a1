"""Small disks of their own, which are filled and emptied. Only root may mount them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BLOCK = bytes(1_000_000)


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
        self._filler.unlink()


@contextmanager
def mount_disk(folder: Path, size: int) -> Iterator[SmallDisk | None]:
    """Gives this folder a disk of so many bytes; None where this user may not do that."""
    command = ("mount", "-t", "tmpfs", "-o", f"size={size}", "oche-test", str(folder))
    is_root = os.getuid() == 0 and shutil.which("mount") is not None
    has_disk = is_root and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield SmallDisk(folder) if has_disk else None
    finally:
        if has_disk:
            subprocess.run(("umount", "--lazy", str(folder)), check=True)
