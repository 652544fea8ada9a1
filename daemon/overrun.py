"""A limit on how long one call may take, so that a rule that never comes to an end stops nothing but itself.

On the main thread, where the tables are, a timer of the kernel interrupts whatever runs there, also something that
waits; on another thread (bots, statistics) Python itself raises it in that thread, between two steps of a loop. What
counts is the processor time of that thread alone, so a busy machine is no overrun.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_TICK_S = 0.5
"""How often it is looked at the clock, from then on."""
_WAITING = 5
"""On the main thread nobody may wait either: so many times the limit, by the clock on the wall."""


class Overrun(BaseException):
    """It took too long. No Exception, so that what runs wild does not catch it by accident."""

    def __str__(self) -> str:
        return "it does not come to an end"


class _Watched(threading.local):
    is_on = False


_watched = _Watched()
_until: tuple[float, float] | None = None
"""On the main thread: when it is too much, by its processor time and by the clock on the wall."""


@contextmanager
def limited(limit_s: float) -> Iterator[None]:
    """Raises Overrun in the block once it has used so much processor time. Within another one it does nothing."""
    if _watched.is_on:
        yield
        return
    _watched.is_on = True
    on_main = threading.current_thread() is threading.main_thread()
    try:
        with _by_signal(limit_s) if on_main else _by_watcher(limit_s):
            yield
    finally:
        _watched.is_on = False


@contextmanager
def _by_signal(limit_s: float) -> Iterator[None]:
    global _until  # noqa: PLW0603  a process has one such timer
    if signal.getsignal(signal.SIGALRM) is not _ring:
        signal.signal(signal.SIGALRM, _ring)  # for good: a signal that comes late must find somebody
    _until = time.thread_time() + limit_s, time.monotonic() + limit_s * _WAITING
    signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)
    try:
        yield
    finally:
        _until = None
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ring(number: int, frame: FrameType | None) -> None:
    if _until is not None and (time.thread_time() >= _until[0] or time.monotonic() >= _until[1]):
        raise Overrun


@contextmanager
def _by_watcher(limit_s: float) -> Iterator[None]:
    ident = threading.get_ident()
    clock, until = time.pthread_getcpuclockid(ident), time.thread_time() + limit_s
    lock, ended = threading.Lock(), threading.Event()

    def watch() -> None:
        while not ended.wait(_TICK_S):
            with lock:
                if not ended.is_set() and time.clock_gettime(clock) >= until:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(Overrun))

    threading.Thread(target=watch, name="overrun", daemon=True).start()
    try:
        yield
    finally:
        while not ended.is_set():
            try:
                with lock:
                    ended.set()
            except Overrun:  # it came when all was done
                continue
