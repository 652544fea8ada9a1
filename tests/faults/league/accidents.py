"""What happens to the programs of a league, at random moments: each is hit again and again, beside the others."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Self

from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process
from tests.faults.league.cable import Cable
from tests.faults.league.place import Place
from tests.league.postgres import Postgres
from tests.venue.nats import Cluster

DISK_BYTES = 400_000_000
"""Of the disk of the database, which is filled now and then."""
_BLOCK = bytes(1_000_000)


class Target(ABC):
    """Something that is hit. `kinds` are the accidents that it may have; each ends with all as it was before."""

    kinds: Sequence[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_hit = False

    @abstractmethod
    async def hit(self, kind: str, rng: Random) -> None:
        """Has this accident, and returns when it is mended."""


class CableTarget(Target):
    """The lines of one program to the brokers."""

    kinds = ("cut", "dropped")

    def __init__(self, name: str, cables: Sequence[Cable], longest_s: float) -> None:
        super().__init__(f"line of {name}")
        self._cables = cables
        self._longest_s = longest_s

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "cut":
            for cable in self._cables:
                cable.cut()
            await asyncio.sleep(rng.uniform(0, self._longest_s))
            for cable in self._cables:
                cable.mend()
        for cable in self._cables:
            if kind == "dropped" or rng.random() < 0.5:
                cable.drop()


class PlaceTarget(Target):
    """A daemon."""

    kinds = ("killed",)

    def __init__(self, place: Place) -> None:
        super().__init__("daemon")
        self._place = place

    async def hit(self, kind: str, rng: Random) -> None:
        await self._place.kill()
        await asyncio.sleep(rng.uniform(0, 2))
        await self._place.start()


class Collector(Target):
    """`async with` it runs `oche collect` with this configuration."""

    kinds = ("killed", "hung")

    def __init__(self, config: Path, env: dict[str, str]) -> None:
        super().__init__("collector")
        self._config = config
        self._env = {**os.environ, **env}
        self._process: Process | None = None

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.__aexit__()

    @property
    def errors(self) -> str:
        """What the latest one has said."""
        return self._running.errors

    @property
    def _running(self) -> Process:
        assert self._process is not None
        return self._process

    async def _start(self) -> None:
        self._process = await Process("collect", "--config", self._config, env=self._env).__aenter__()

    async def hit(self, kind: str, rng: Random) -> None:
        assert self._running.process.returncode is None, self.errors
        if kind == "killed":
            await self._running.kill()
            await asyncio.sleep(rng.uniform(0, 2))
            await self._start()
        else:
            self._running.signal(signal.SIGSTOP)
            await asyncio.sleep(rng.uniform(0, 3))
            self._running.signal(signal.SIGCONT)


class Database(Target):
    """PostgreSQL. Its disk is filled where it has one of its own (`has_disk`)."""

    def __init__(self, postgres: Postgres, *, has_disk: bool) -> None:
        super().__init__("database")
        self.kinds = ("killed", "stopped", "disk full")[: 2 + has_disk]
        self._postgres = postgres

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "disk full":
            filler = self._postgres.folder / "filler"
            await asyncio.to_thread(fill, filler)
            await asyncio.sleep(rng.uniform(0, 4))
            filler.unlink()
            # Without room for its log it may have ended by itself.
            await asyncio.to_thread(self._postgres.stop)
        else:
            await asyncio.to_thread(self._postgres.kill if kind == "killed" else self._postgres.stop)
            await asyncio.sleep(rng.uniform(0, 2))
        await asyncio.to_thread(self._postgres.start)


def fill(file: Path) -> None:
    """Makes this file so long that nothing else has room on its disk."""
    with suppress(OSError), file.open("wb", buffering=0) as filler:
        while filler.write(_BLOCK) == len(_BLOCK):
            pass


class Broker(Target):
    """The broker that all use."""

    kinds = ("killed", "hung")

    def __init__(self, broker: Mosquitto) -> None:
        super().__init__("broker")
        self._broker = broker

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "killed":
            await self._broker.kill()
            await asyncio.sleep(rng.uniform(0, 3))
            await self._broker.start()
        else:
            self._broker.hang()
            await asyncio.sleep(rng.uniform(0, 3))
            self._broker.go_on()


class Nodes(Target):
    """Three brokers that are one, of which one dies at a time."""

    kinds = ("killed",)

    def __init__(self, cluster: Cluster) -> None:
        super().__init__("node")
        self._cluster = cluster

    async def hit(self, kind: str, rng: Random) -> None:
        node = rng.choice(self._cluster.nodes)
        await node.kill()
        await asyncio.sleep(rng.uniform(0, 10))
        await node.start()
        await self._cluster.whole()


@contextmanager
def mount_disk(folder: Path) -> Iterator[bool]:
    """Gives this folder a small disk of its own, if this user may do that; whether it has."""
    command = ("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "oche-test", str(folder))
    is_root = os.getuid() == 0 and shutil.which("mount") is not None
    has_disk = is_root and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield has_disk
    finally:
        if has_disk:
            subprocess.run(("umount", "--lazy", str(folder)), check=True)


class Accidents:
    """Hits one of these again and again, up to `apart_s` after the one before, until `end`. `counts` says how often."""

    def __init__(self, targets: Sequence[Target], rng: Random, apart_s: float) -> None:
        self.counts = Counter[str]()
        self._targets = targets
        self._rng = rng
        self._apart_s = apart_s
        self._is_over = asyncio.Event()

    def end(self) -> None:
        """Begins no other one."""
        self._is_over.set()

    async def run(self) -> None:
        """Returns when all is mended."""
        async with asyncio.TaskGroup() as hits:
            while not self._is_over.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._is_over.wait(), self._rng.uniform(0, self._apart_s))
                free = [each for each in self._targets if not each.is_hit]
                if free and not self._is_over.is_set():
                    hits.create_task(self._hit(self._rng.choice(free)))

    async def _hit(self, target: Target) -> None:
        target.is_hit = True
        kind = self._rng.choice(target.kinds)
        self.counts[f"{target.name} {kind}"] += 1
        await target.hit(kind, self._rng)
        target.is_hit = False
