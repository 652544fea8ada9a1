"""The daemon, ready to be born as often as it is killed: `python -m tests.crash.template CONFIG [SABOTAGE]`.

It has read everything that a daemon reads before its first line, and then prints `ready`. For each line on its standard
input it forks a daemon that runs as `oche run` does, and prints `born` with the process id, and `died` with the wait
status. So a life costs some hundredths of a second, and not one.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import signal
import sys
import traceback
from pathlib import Path

import drivers.serial_line
from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from tests.crash.sabotage import SABOTAGE

_PR_SET_PDEATHSIG = 1
_LINE = drivers.serial_line.SerialTransport
"""Else imported by each life for itself."""


def main() -> None:
    """Forks until standard input ends."""
    setup = read_config(Path(sys.argv[1]))
    for name in sys.argv[2:]:
        SABOTAGE[name]()
    gc.collect()
    gc.freeze()  # what the lives share stays shared
    print("ready", flush=True)  # noqa: T201
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _live(setup)
        print("born", pid, flush=True)  # noqa: T201
        _, status = os.waitpid(pid, 0)
        print("died", status, flush=True)  # noqa: T201


def _live(setup: CheckedConfig) -> None:
    """A life; whatever ends it but a kill is a mistake, which is told."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        asyncio.run(_run(setup))
    except BaseException:  # noqa: BLE001  a fork must not go on as its parent
        traceback.print_exc()
    os._exit(3)


async def _run(setup: CheckedConfig) -> None:
    async with run_daemon(setup):
        await asyncio.Event().wait()


if __name__ == "__main__":
    main()
