"""The trial of a plug-in: it is first loaded in a child process, which it may end, keep waiting or leave threads in.

What else goes wrong in a plug-in is an error that is caught where it is loaded.
"""

from __future__ import annotations

import logging
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, TextIO

from daemon import files

log = logging.getLogger("oche")

LIMIT_S = 5
"""Processor time of a trial, and the time that it may wait for something."""
_POLL_S = 0.1
_STREAMS = ("stdin", "stdout", "stderr")
"""By their numbers as files."""
_PASSED, _FAILED, _END = b"+", b"-", b"\n"
_TOO_LONG = f"it does not finish within {LIMIT_S} seconds"


def try_in_child(work: Callable[[], str | None], explain: Callable[[BaseException], str]) -> str | None:
    """Returns why this work must not be done in this process; None when it can be, or where no child can be had.

    The reason is what the work returns in the child; an error that leaves it, as `explain` has it; that it ends or
    keeps the child; that it starts a thread, which a process would wait for at its end; or that it closes or replaces a
    standard stream: the next file that is opened would get its number, and what is printed.
    """
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        return None
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:  # by our parent: how a child ended would be lost
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    parent = os.getpid()
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        log.warning("plug-ins are loaded without a trial: no process could be started (%s)", files.explain(error))
        return None
    if child == 0:
        _work(work, explain, writing, parent)
    os.close(writing)
    try:
        return _wait(child, reading)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _work(
    work: Callable[[], str | None], explain: Callable[[BaseException], str], writing: int, parent: int
) -> NoReturn:
    """Does the work in the child, in silence and as long as the parent lives, and writes the verdict."""
    try:
        from daemon.die_with_parent import die_with  # noqa: PLC0415  the start without plug-ins needs none of it

        if not die_with(parent):
            os._exit(0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
        silent = os.open(os.devnull, os.O_RDWR)
        for number in range(len(_STREAMS)):
            os.dup2(silent, number)
        streams = [getattr(sys, name) for name in _STREAMS]
        with suppress(OSError, ValueError):  # a smaller limit holds already
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 1))
        try:
            reason = work()
        except BaseException as error:  # noqa: BLE001  as in the loader, which reports it
            reason = explain(error)
        if reason is None and len(sys._current_frames()) > 1:  # noqa: SLF001  threading does not know all threads
            reason = "it starts a thread, which games may not do"
        if reason is None:
            reason = _find_lost_stream(streams, silent)
        os.write(writing, (_PASSED if reason is None else _FAILED + reason.encode(errors="replace")[:4000]) + _END)
    finally:
        os._exit(0)


def _find_lost_stream(before: Sequence[TextIO | None], silent: int) -> str | None:
    """Returns which standard stream is closed or another one by now; all of them were the file `silent`."""
    for number, (name, stream) in enumerate(zip(_STREAMS, before, strict=True)):
        is_same = getattr(sys, name) is stream and (stream is None or not stream.closed)
        with suppress(OSError):
            if is_same and os.path.sameopenfile(number, silent):
                continue
        return f"it closes or replaces sys.{name}, which plug-ins may not do"
    return None


def _wait(child: int, reading: int) -> str | None:
    """Returns the reason that the child writes, or that follows from its end."""
    said, waited_s = b"", 0.0
    while not said.endswith(_END):
        if not select.select([reading], [], [], _POLL_S)[0]:
            waited_s += _POLL_S * _is_idle(child)
            if waited_s >= LIMIT_S:
                return _TOO_LONG
        elif piece := os.read(reading, 1 << 16):
            said += piece
        else:
            time.sleep(_POLL_S)  # the pipe is closed before the child has ended; one that has closed it may never end
            ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            is_slow = ended is not None and (ended.si_code, ended.si_status) == (os.CLD_KILLED, signal.SIGXCPU)
            return _TOO_LONG if is_slow else "it ends the process that loads it"
    return None if said.startswith(_PASSED) else said[1:-1].decode(errors="replace")


def _is_idle(child: int) -> bool:
    """Whether the child sleeps, is stopped or has ended; one that the machine gives no processor is not idle."""
    with suppress(OSError):
        return Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] in "STtZ"
    return True
