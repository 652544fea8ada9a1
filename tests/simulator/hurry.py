"""An event loop that makes its own time: whatever waits, waits for nothing, in the right order and to the millisecond.

Time jumps to the next timer whenever nothing is ready and no thread is at work, so that a match with every habit of
its board takes no longer than the computing in it, and a busy machine changes nothing in it. For what is in memory
only: a kernel takes its own time.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class _Selector(selectors.DefaultSelector):
    loop: HurriedLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.loop.working:
            return super().select(None)
        assert timeout is not None, "every task waits, and no timer is left"
        self.loop.now += timeout
        return []


class HurriedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        selector = _Selector()
        selector.loop = self
        self.now = 1000.0
        self.working = 0
        super().__init__(selector)

    def time(self) -> float:
        return self.now

    def run_in_executor(  # type: ignore[override]  # typeshed names a variadic that Python 3.11 lacks
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        self.working += 1
        work = super().run_in_executor(executor, func, *args)
        work.add_done_callback(self._worked)
        return work

    async def shutdown_default_executor(self, *args: Any) -> None:
        self.working += 1  # its threads end in a time of their own
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self.working -= 1

    def _worked(self, _: object) -> None:
        self.working -= 1


def hurry(main: Coroutine[None, None, T]) -> T:
    """Runs this to its end, at once."""
    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        return runner.run(main)


def in_no_time(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Makes a test of this coroutine function, which runs at once."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        hurry(test(*args, **kwargs))

    return run
