"""What happens to the broker and the daemon, at random moments."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from types import TracebackType
from typing import NamedTuple, Self

from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process
from tests.faults.witness import Witness

ONLINE = "oche/bridge/oche/state"


class Dark(NamedTuple):
    """A while in which no broker ran (seconds since 1970)."""

    begin: float
    end: float


class Accidents:
    """One after the other. The lists are what happened, for the figures; times are in seconds."""

    def __init__(self, broker: Mosquitto, witness: Witness, rng: Random) -> None:
        self.dark: list[Dark] = []
        self.hangs: list[float] = []
        self.back: list[float] = []
        """From the moment the broker runs again until everything is said again."""
        self.daemon_kills = 0
        self._broker = broker
        self._witness = witness
        self._rng = rng
        self._before = 0
        """The witness's connections when the broker died last: what these were told is old."""

    async def kill_broker(self, dark_s: float) -> None:
        """It dies, forgets everything and is away up to so long; seldom, it dies again as soon as it lives."""
        self._before = self._witness.connections
        await self._broker.kill()
        begin = time.time()
        await asyncio.sleep(self._rng.choice((0.0, self._rng.uniform(0, dark_s))))
        end = time.time()
        await self._broker.start()
        self.dark.append(Dark(begin, end))
        if self._rng.random() < 0.9:
            await self.recovery()

    async def hang_broker(self, seconds: float) -> None:
        """It stands still. What was said to it waits."""
        self._broker.hang()
        await asyncio.sleep(seconds)
        self._broker.go_on()
        self.hangs.append(seconds)

    async def recovery(self) -> None:
        """Waits until the daemon has said that all is well, after the last death of the broker."""
        begin = asyncio.get_running_loop().time()

        def is_back() -> bool:
            return self._witness.connections > self._before and self._witness.now().get(ONLINE) == "online"

        assert await self._witness.until(is_back), "it never came back"
        self.back.append(asyncio.get_running_loop().time() - begin)


class Daemon:
    """The daemon as a process that is started again when it is killed: `async with Daemon(file)` starts it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._process: Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._running.__aexit__(kind, error, trace)
        if error is not None:
            error.add_note(f"The daemon said:\n{self._running.errors}")

    async def start(self) -> None:
        """Runs until its tables are there."""
        self._process = await Process("run", "--config", self._file).__aenter__()
        await self._process.runs()

    async def kill(self) -> None:
        """Ends it without a farewell."""
        await self._running.kill()

    async def stop(self) -> None:
        """Asks it to end, which it must do well."""
        assert await self._running.stop() == 0, self._running.errors

    @property
    def _running(self) -> Process:
        assert self._process is not None
        return self._process


@asynccontextmanager
async def happening(accident: Callable[[], Awaitable[None]], rng: Random, apart_s: float) -> AsyncIterator[None]:
    """This accident again and again while the block lasts, up to `apart_s` after the one before; the last one ends."""
    is_on = True

    async def again() -> None:
        while is_on:
            await asyncio.sleep(rng.uniform(0, apart_s))
            await accident()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(again())
        yield
        is_on = False
