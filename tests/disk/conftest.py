"""Disks that fail: a small one that fills up, and errors in single calls of the kernel; and what a display is told."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

from tests.daemon.display import Display
from tests.daemon.process import ROOT

_MOUNT = 'mount -t tmpfs -o "size=$2m" none "$1" && echo ready && exec cat'


class SmallDisk:
    """A disk of so many megabytes, mounted on `folder` in a name space of its own while the block lasts."""

    def __init__(self, folder: Path, megabytes: int = 2) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self._own_user = os.geteuid() != 0
        user = ["--user", "--map-root-user"] if self._own_user else []
        command = ["unshare", "--mount", *user, "sh", "-c", _MOUNT, "sh", str(folder), str(megabytes)]
        self._holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == b"ready\n", "no file system could be mounted"
        return self

    def __exit__(self, *error: object) -> None:
        assert self._holder.stdin is not None
        assert self._holder.stdout is not None
        self._holder.stdin.close()
        self._holder.stdout.close()
        self._holder.wait()

    @property
    def inside(self) -> tuple[str, ...]:
        """What starts a program that sees it."""
        user = ("--user", "--preserve-credentials") if self._own_user else ()
        return ("nsenter", f"--target={self._holder.pid}", "--mount", f"--wd={ROOT}", *user)

    @property
    def seen(self) -> Path:
        """The folder as it is seen from outside."""
        return Path(f"/proc/{self._holder.pid}/root{self._folder}")

    def fill(self) -> None:
        """Leaves no room."""
        with suppress(OSError), (self.seen / "fill").open("ab", buffering=0) as file:
            for size in (1 << 20, 1024):
                with suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def set_read_only(self) -> None:
        """As a worn-out card is."""
        self._remount("ro")

    def set_writable(self) -> None:
        """As it was before."""
        self._remount("rw")

    def _remount(self, mode: str) -> None:
        subprocess.run([*self.inside, "mount", "-o", f"remount,{mode}", str(self._folder)], check=True)

    def make_room(self) -> None:
        """As it was before."""
        (self.seen / "fill").unlink(missing_ok=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Where the daemon's state is."""
    if "namespaces" in os.environ.get("OCHE_WITHOUT", "").split(","):
        pytest.skip("needs root, or name spaces of a user")
    with SmallDisk(tmp_path / "state") as disk:
        yield disk


class Faults:
    """Faults of a program that is started in `env`; see faults.c."""

    def __init__(self, library: Path, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.env = {**os.environ, "LD_PRELOAD": str(library), "OCHE_FAULTS": str(folder)}

    def begin(self, fault: str, text: str) -> None:
        """From now on."""
        draft = self._folder / "draft"
        draft.write_text(text, encoding="ascii")
        draft.rename(self._folder / fault)

    def end(self, fault: str) -> None:
        """From now on no more."""
        (self._folder / fault).unlink()


@pytest.fixture
def faults(fault_library: Path, tmp_path: Path) -> Faults:
    """None yet."""
    return Faults(fault_library, tmp_path / "faults")


KITCHEN = '[[table]]\nname = "kitchen"\nboard = "serial:/dev/null"\nprofile = "quick.toml"'
"""Another table, whose board is not there."""


def trouble(display: Display, table: str = "main") -> str | None:
    """As the retained messages have it, which must agree sooner or later; "" while they do not."""
    info = _json(display, f"oche/table/{table}/board/info").get("trouble")
    health = _json(display, "oche/bridge/oche/health").get("tables", {}).get(table, {}).get("trouble", "")
    return info if info == health else ""


async def is_stopped(display: Display, table: str = "main") -> str:
    """Waits until it is; the reason."""
    await display.until(lambda: bool(trouble(display, table)))
    return str(trouble(display, table))


async def goes_on(display: Display, table: str = "main") -> None:
    """Waits until it does."""
    await display.until(lambda: trouble(display, table) is None)


def _json(display: Display, topic: str) -> dict[str, Any]:  # Any: JSON
    found: dict[str, Any] = json.loads(display.now.get(topic) or "{}")
    return found
