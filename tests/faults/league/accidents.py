"""What happens to the programs of a league, at random moments: each is hit again and again, beside the others."""

from __future__ import annotations

import asyncio
import os
import signal
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Self

from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process
from tests.faults.league.cable import Cable
from tests.faults.league.disks import SmallDisk
from tests.league.postgres import Postgres
from tests.venue.nats import Cluster


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
    """PostgreSQL. Its disk is filled where it has one of its own."""

    def __init__(self, postgres: Postgres, disk: SmallDisk | None) -> None:
        super().__init__("database")
        self.kinds = ("killed", "stopped", *(("disk full",) if disk else ()))
        self._postgres = postgres
        self._disk = disk

    async def hit(self, kind: str, rng: Random) -> None:
        if kind == "disk full":
            assert self._disk is not None
            await asyncio.to_thread(self._disk.fill)
            await asyncio.sleep(rng.uniform(0, 4))
            self._disk.make_room()
            # Without room for its log it may have ended by itself.
            await asyncio.to_thread(self._postgres.stop)
        else:
            await asyncio.to_thread(self._postgres.kill if kind == "killed" else self._postgres.stop)
            await asyncio.sleep(rng.uniform(0, 2))
        await asyncio.to_thread(self._postgres.start)


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
    """Three brokers that are one, of which one dies at a time, or has no room on its disk (`disks`, by their names)."""

    def __init__(self, cluster: Cluster, disks: Mapping[str, SmallDisk]) -> None:
        super().__init__("node")
        self.kinds = ("killed", *(("disk full",) if disks else ()))
        self._cluster = cluster
        self._disks = disks

    async def hit(self, kind: str, rng: Random) -> None:
        node = rng.choice(self._cluster.nodes)
        if kind == "disk full":
            disk = self._disks[node.name]
            await asyncio.to_thread(disk.fill)
            await asyncio.sleep(rng.uniform(0, 10))
            disk.make_room()  # it keeps nothing more until it is started again
        await node.kill()
        await asyncio.sleep(rng.uniform(0, 10))
        await node.start()
        await self._cluster.whole()


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
