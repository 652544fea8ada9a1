"""Work that is broken off at one of its calls to the system: the process is killed there, or the call fails.

Only calls that Python makes are counted, and where a process is killed also statements for SQLite that change
something; what SQLite does by itself is atomic.

    python -m tests.daemon.broken_off MODULE WORK MADE FOLDER

does MODULE.WORK in copies of MADE in FOLDER, killed at the first call in the first, and so on, and not in the last one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import partial
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

    def patch_sqlite(self) -> None:
        """Counts statements, too; for good."""
        calls = self

        class Connection(sqlite3.Connection):
            def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:  # Any: as SQLite has them
                if re.match(r"commit|update|delete|insert|pragma (wal_checkpoint|application_id =)", statement):
                    calls.step()
                return super().execute(statement, *given)

        sqlite3.connect = partial(sqlite3.connect, factory=Connection)  # type: ignore[assignment]

    def step(self) -> None:
        """Counts one."""
        self.count += 1
        if self.count == self._at:
            self._do()

    def _wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:  # Any: as the call has them
        def counted(*given: Any, **named: Any) -> Any:  # Any: as above
            self.step()
            return call(*given, **named)

        return counted


def fail() -> None:
    """As a disk does now and then."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def kill_everywhere(work: Callable[[Path], None], made: Path, into: Path) -> None:
    """Does the work as is said above. For a process that has no threads."""
    number, status = 0, 9
    while status == 9:
        number += 1
        folder = Path(shutil.copytree(made, into / f"killed-{number:03}"))
        process = os.fork()
        if process == 0:
            try:
                calls = Calls(number, lambda: os._exit(9))
                calls.patch(setattr)
                calls.patch_sqlite()
                work(folder)
                os._exit(0)
            except BaseException:  # noqa: BLE001  as the interpreter itself does
                traceback.print_exc()
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status:
        sys.exit("the work failed")


def run_killed_everywhere(module: str, work: str, made: Path, into: Path) -> list[Path]:
    """As `kill_everywhere`, in a process of its own; returns the folders."""
    told = subprocess.run(
        [sys.executable, "-m", __name__, module, work, made, into], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    return sorted(into.glob("killed-*"))


def main() -> None:
    module, work, made, into = sys.argv[1:]
    kill_everywhere(getattr(import_module(module), work), Path(made), Path(into))


if __name__ == "__main__":
    main()
