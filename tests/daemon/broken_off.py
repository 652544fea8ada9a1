"""Work that is broken off at one of its calls to the system: the process is killed there, or the call fails.

Only calls that Python makes are counted; what SQLite does by itself is atomic.

    python -m tests.daemon.broken_off MODULE WORK MADE FOLDER

does MODULE.WORK in copies of MADE in FOLDER, killed at the first call in the first, and so on, and not in the last one;
prints how many there are.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

CALLS = ("link", "rename", "replace", "unlink", "fsync", "mkdir", "open", "ftruncate")


class Calls:
    """Counts the calls that change files, and does something before one of them: number `at`, from 1."""

    def __init__(self, at: int, do: Callable[[], None]) -> None:
        self.count = 0
        self._at = at
        self._do = do

    def patch(self, put: Callable[[object, str, object], None]) -> None:
        """Counts from now on."""
        for name in CALLS:
            put(os, name, self._wrap(getattr(os, name)))

    def _wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:  # Any: as the call has them
        def counted(*given: Any, **named: Any) -> Any:  # Any: as above
            self.count += 1
            if self.count == self._at:
                self._do()
            return call(*given, **named)

        return counted


def fail() -> None:
    """As a disk does now and then."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def kill_everywhere(work: Callable[[Path], None], made: Path, into: Path) -> list[Path]:
    """Does the work in copies of a folder as is said above; returns them. For a process that has no threads."""
    folders: list[Path] = []
    status = 9
    while status == 9:
        folders.append(folder := into / f"killed-{len(folders) + 1:03}")
        shutil.copytree(made, folder)
        process = os.fork()
        if process == 0:
            try:
                Calls(len(folders), lambda: os._exit(9)).patch(setattr)
                work(folder)
                os._exit(0)
            except BaseException:  # noqa: BLE001  as the interpreter itself does
                traceback.print_exc()
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if status not in (0, 9):
            sys.exit("the work failed")
    return folders


def run_killed_everywhere(module: str, work: str, made: Path, into: Path) -> list[Path]:
    """As `kill_everywhere`, in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-m", __name__, module, work, made, into], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    folders = sorted(into.glob("killed-*"))
    assert len(folders) == int(told.stdout)
    return folders


def main() -> None:
    module, work, made, into = sys.argv[1:]
    folders = kill_everywhere(getattr(import_module(module), work), Path(made), Path(into))
    sys.stdout.write(f"{len(folders)}\n")


if __name__ == "__main__":
    main()
