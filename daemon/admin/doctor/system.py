"""The system as the doctor reads it: files, the output of commands, and which process has a file or a port open.

All paths are below a root folder, so that a test can give the /proc, /sys and /run of another machine.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from protocol.sentence import Sentence, say

_ANSWER_S = 3.0
_PTYS = range(136, 144)
"""The major numbers of ptys. Every container counts its own from 0, so the numbers do not tell them apart."""


class Process(NamedTuple):
    """A running process, by its id and the name of its program."""

    pid: int
    name: str

    @property
    def said(self) -> Sentence:
        """Its name, and how to tell it from another one of that name."""
        return say("doctor.process", "{name} (process {pid})", name=self.name, pid=self.pid)


def list_processes(processes: Sequence[Process]) -> Sentence:
    """Returns the names of these processes, of which there is at least one."""
    said, *others = (each.said for each in processes)
    for each in others:
        said = say("doctor.and", "{one} and {other}", one=said, other=each)
    return said


class Holders(NamedTuple):
    """The processes that have something open. `all_seen` is False if some process may not be looked into."""

    processes: tuple[Process, ...]
    all_seen: bool

    def other_than(self, ours: Iterable[Process]) -> list[Process]:
        """The processes that are not among ours."""
        known = {process.pid for process in ours}
        return [process for process in self.processes if process.pid not in known]


class System(NamedTuple):
    """A machine whose root folder is `root`."""

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """The path below `root` for an absolute path of that machine."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str:
        """The text of this file, stripped; "" when it cannot be read."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    async def output(self, *command: str) -> str:
        """The standard output of this command; "" when it does not exist, fails or takes too long."""
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

    def processes(self, name: str) -> list[Process]:
        """The running processes of the program of this name."""
        return [Process(pid, name) for pid in self._list_pids() if self._name(pid) == name]

    def holders(self, file: Path) -> Holders:
        """The processes that have this file or device open or locked. Only root may look into those of others."""
        try:
            wanted = file.stat()
        except OSError:
            return Holders((), False)

        def is_it(link: Path) -> bool:
            found = link.stat()
            if wanted.st_rdev and os.major(wanted.st_rdev) not in _PTYS:
                return found.st_rdev == wanted.st_rdev
            return (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino)

        found, all_seen = self._open_at(is_it)
        device = f"{os.major(wanted.st_dev):02x}:{os.minor(wanted.st_dev):02x}:{wanted.st_ino}"
        found |= {
            int(pid) for pid, at in re.findall(r" (\d+) (\w+:\w+:\d+) ", self.read("/proc/locks")) if at == device
        }
        return Holders(self._name_processes(found), all_seen)

    def listeners(self, port: int) -> Holders:
        """The processes that listen at this TCP port."""
        sockets = set()
        for table in ("tcp", "tcp6"):
            for line in self.read(f"/proc/net/{table}").splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    sockets.add(f"socket:[{fields[9]}]")
        found, all_seen = self._open_at(lambda link: str(link.readlink()) in sockets)
        return Holders(self._name_processes(found), all_seen)

    def _open_at(self, is_it: Callable[[Path], bool]) -> tuple[set[int], bool]:
        found, all_seen = set(), True
        for pid in self._list_pids():
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

    def _name_processes(self, pids: set[int]) -> tuple[Process, ...]:
        return tuple(Process(pid, self._name(pid)) for pid in sorted(pids - {os.getpid()}))

    def _name(self, pid: int) -> str:
        return self.read(f"/proc/{pid}/comm") or "a program"

    def _list_pids(self) -> Iterator[int]:
        for folder in self.at("/proc").glob("[0-9]*"):
            yield int(folder.name)
