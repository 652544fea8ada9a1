"""A limit on how long one call may take, so that a rule that never comes to an end stops nothing but itself.

On the main thread, where the tables are, a timer of the kernel interrupts whatever runs there, also something that
waits; on another thread (bots, statistics) Python itself raises it in that thread, between two steps of a loop. What
counts is the processor time of that thread alone, so a busy machine is no overrun. Who waits is told by the ticks of
the timer that it was awake for: a process that was frozen meanwhile sees one of them, however long that took.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from types import FrameType, TracebackType

_TICK_S = 0.5
"""How often it is looked at the clock, from then on."""
_WAITING = 5
"""On the main thread nobody may wait either: for so many times the limit, in ticks."""
_FEWEST_TICKS = 3
"""But so many in any case."""


class Overrun(BaseException):
    """It took too long. No Exception, so that what runs wild does not catch it by accident."""

    def __str__(self) -> str:
        return "it does not come to an end"


class Limit:
    """Raises Overrun in the block once it has used so much processor time. Within another one it does nothing.

    It is raised in the block and nowhere else: never once `__exit__` has begun. Therefore this is no generator, which
    would be left through code of others.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.is_on = False
        self._watch: _Watch | None = None

    def __enter__(self) -> None:
        global _on_main, _is_ready  # noqa: PLW0603  a process has one such timer
        if _here.limit is not None:
            return
        _here.limit = self
        if threading.get_ident() != _MAIN:
            self.is_on = True
            self._watch = _Watch(self)
            return
        if not _is_ready:
            signal.signal(signal.SIGALRM, _ring)  # for good: a signal that comes late must find somebody
            _is_ready = True
        self.ends_s = time.thread_time() + self.limit_s
        self.ticks_left = max(_FEWEST_TICKS, round(self.limit_s * _WAITING / _TICK_S))
        _on_main = self
        signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)
        self.is_on = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_on = False  # before anything else: from here on nothing is raised
        if _here.limit is self:
            if self._watch is None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            else:
                self._watch.end()
            _here.limit = None
        if error is not None:
            self.failed(error)

    def failed(self, error: BaseException) -> None:
        """What becomes of an error that leaves the block; what is raised here takes its place."""


def limited(limit_s: float) -> Limit:
    """A block that may use so much processor time."""
    return Limit(limit_s)


def leave() -> None:
    """Off the main thread, for whoever has caught an Overrun outside the block: it came as the block was left."""
    if (limit := _here.limit) is not None:
        limit.is_on = False
        if limit._watch is not None:  # noqa: SLF001  ours
            limit._watch.end()  # noqa: SLF001
        _here.limit = None


class _Here(threading.local):
    limit: Limit | None = None


_here = _Here()
_MAIN = threading.main_thread().ident
_is_ready = False
_on_main: Limit | None = None


def _ring(number: int, frame: FrameType | None) -> None:
    """A tick. A frame of this file is at the door of a block: it is about to be left, or not yet entered."""
    limit = _on_main
    if limit is None or not limit.is_on or (frame is not None and frame.f_globals is globals()):
        return
    limit.ticks_left -= 1
    if limit.ticks_left <= 0 or time.thread_time() >= limit.ends_s:
        raise Overrun


class _Watch:
    """Looks at the clock of the thread that makes it, from one of its own, until its `end`."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._ident = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._ident)
        self._ends_s = time.thread_time() + limit.limit_s
        self._lock, self._ended = threading.Lock(), threading.Event()
        threading.Thread(target=self._run, name="overrun", daemon=True).start()

    def end(self) -> None:
        """Nothing is raised any more; what is on its way is called back."""
        while True:
            try:
                self._ended.set()
                with self._lock:
                    self._raise(ctypes.py_object())
            except Overrun:  # it was faster
                continue
            return

    def _run(self) -> None:
        while not self._ended.wait(_TICK_S):
            with self._lock:
                if not self._ended.is_set() and time.clock_gettime(self._clock) >= self._ends_s:
                    frame = sys._current_frames().get(self._ident)  # noqa: SLF001  there is no other way to ask
                    if self._limit.is_on and frame is not None and frame.f_globals is not globals():
                        self._raise(ctypes.py_object(Overrun))

    def _raise(self, what: ctypes.py_object[type[Overrun]]) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._ident), what)
