"""Recordings as a few words of a test, played in no time: an event loop that goes to a moment instead of waiting."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, Unpack

from drivers.address import parse
from drivers.capture import Recording
from drivers.replay import open_replay
from drivers.transport import Lost, Unavailable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

ADDRESS = parse("serial:/dev/ttyUSB0")
FOREVER_S = 1e6


class _Jump(selectors.DefaultSelector):
    """Instead of waiting for a moment, goes there."""

    now_s = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None:
            self.now_s += timeout
            timeout = 0
        return super().select(timeout)


class _Jumping(asyncio.SelectorEventLoop):
    """An event loop that never waits: hours of a recording pass at once, and every moment is exact."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now_s

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """At once: a thread would be left behind by hours."""
        done = self.create_future()
        done.set_result(func(*args))
        return done


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:  # Any: what nobody sends and yields
    """Runs this in no time."""
    with asyncio.Runner(loop_factory=_Jumping) as runner:
        return runner.run(coroutine)


def record(path: Path, *happened: tuple[int, Any]) -> Path:  # Any: bytes, or what Recording calls it
    """A recording of (milliseconds, what happened): bytes that came, or the name of what befell the link."""
    now_ms = 0
    with Recording(path, ADDRESS, version="1", overwrite=True, clock=lambda: now_ms * 1_000_000) as recording:
        for at_ms, what in happened:
            now_ms = at_ms
            match what:
                case bytes():
                    recording.received(what)
                case int():
                    recording.charge(what)
                case "up":
                    recording.up()
                case "unavailable":
                    recording.failed(Unavailable("plug it in"))
                case _:
                    recording.down(what, "pulled")
    return path


async def heard(path: Path, *, speed: str = "1", patience_s: float = FOREVER_S) -> list[tuple[float, bytes | str]]:
    """All that a replay says before it falls silent, and when: milliseconds after it began."""
    address = parse(f"replay:{path}?speed={speed}")
    said: list[tuple[float, bytes | str]] = []
    loop = asyncio.get_running_loop()
    start_s = loop.time()

    def note(what: bytes | str) -> None:
        said.append((round((loop.time() - start_s) * 1000, 3), what))

    try:
        async with asyncio.timeout(patience_s):
            while True:
                link = await open_replay(address)
                note("up")
                try:
                    while True:
                        note(await link.receive())
                except Lost:
                    note("lost")
                finally:
                    await link.aclose()
    except TimeoutError:
        return said
