"""The machine as the doctor reads it: its files, its programs' answers, and which program has a file open.

Everything below goes through a root folder, so that what another machine has in /proc, /sys and /run can be laid before
it. A serial port is never opened: that alone restarts most boards.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_ANSWER_S = 3.0


class Program(NamedTuple):
    """A program that runs."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


class Holders(NamedTuple):
    """The programs that have something open. `all_seen`: there was none that we may not look into."""

    programs: tuple[Program, ...]
    all_seen: bool

    def besides(self, ours: Iterable[Program]) -> list[Program]:
        """Those that are none of ours."""
        known = {program.pid for program in ours}
        return [program for program in self.programs if program.pid not in known]


class Host(NamedTuple):
    """A machine, seen from this folder down."""

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """Where an absolute path of that machine is."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str:
        """What is in this file, without the blanks around it; "" when it cannot be read."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    async def says(self, *command: str) -> str:
        """What this program prints; "" when there is no such program, or it fails or takes too long."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError:
            return ""
        try:
            async with asyncio.timeout(_ANSWER_S):
                printed, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            return ""
        return printed.decode(errors="replace").strip() if process.returncode == 0 else ""

    def programs(self, name: str) -> list[Program]:
        """Those of this name that run."""
        return [Program(pid, name) for pid in self._pids() if self._name(pid) == name]

    def holders(self, file: Path) -> Holders:
        """Who has this file or device open, or has locked it. Only root sees into the programs of others."""
        try:
            wanted = file.stat()
        except OSError:
            return Holders((), False)

        def is_it(link: Path) -> bool:
            found = link.stat()
            if wanted.st_rdev:
                return found.st_rdev == wanted.st_rdev
            return (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino)

        found, all_seen = self._open_at(is_it)
        device = f"{os.major(wanted.st_dev):02x}:{os.minor(wanted.st_dev):02x}:{wanted.st_ino}"
        found |= {
            int(pid) for pid, at in re.findall(r" (\d+) (\w+:\w+:\d+) ", self.text("/proc/locks")) if at == device
        }
        return Holders(self._named(found), all_seen)

    def listeners(self, port: int) -> Holders:
        """Who listens at this TCP port."""
        sockets = set()
        for table in ("tcp", "tcp6"):
            for line in self.text(f"/proc/net/{table}").splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    sockets.add(f"socket:[{fields[9]}]")
        found, all_seen = self._open_at(lambda link: str(link.readlink()) in sockets)
        return Holders(self._named(found), all_seen)

    def _open_at(self, is_it: Callable[[Path], bool]) -> tuple[set[int], bool]:
        found, all_seen = set(), True
        for pid in self._pids():
            try:
                links = list(self.at(f"/proc/{pid}/fd").iterdir())
            except PermissionError:
                all_seen = False
                continue
            except OSError:
                continue  # it has ended
            for link in links:
                try:
                    if is_it(link):
                        found.add(pid)
                except OSError:
                    continue  # closed meanwhile
        return found, all_seen

    def _named(self, pids: set[int]) -> tuple[Program, ...]:
        return tuple(Program(pid, self._name(pid)) for pid in sorted(pids - {os.getpid()}))

    def _name(self, pid: int) -> str:
        return self.text(f"/proc/{pid}/comm") or "a program"

    def _pids(self) -> Iterator[int]:
        for folder in self.at("/proc").glob("[0-9]*"):
            yield int(folder.name)
