"""The disk has it before any client is told: by the calls that the daemon makes of the kernel, in their order.

A kill cannot show this, because what a program has written survives it; a power cut takes what was not synchronised.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.crash.machine import HEARD, ONLINE
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import ROOT, configure, throw
from tests.faults.witness import Witness

_CALLS = "trace=pwrite64,fsync,fdatasync,sendto"
_FILE = re.compile(r"\(\d+<([^>]*)>")
_TOLD = re.compile("oche/table/main/(state|event|response|next)")
_NEXT = "oche/table/main/next"


@pytest.mark.slow
async def test_nothing_is_told_before_the_disk_has_it(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, strace_path: Path
) -> None:
    config = configure(tmp_path, broker.port, mqtt='discovery = "off"')
    async with Witness(broker.port, *HEARD, _NEXT) as witness:
        async with traced(strace_path, config, tmp_path / "first", witness) as daemon:
            for line, segment_id in enumerate(("T20", "O5", "D1"), 2):
                throw(board, segment_id)
                await is_told(witness, line)
            board.press("next")
            await is_told(witness, 5)
            await witness.say("oche/table/main/request/game", "burma_road")
            assert await witness.until(lambda: is_planned(witness))
            await is_told(witness, 5)
            os.kill(daemon, signal.SIGKILL)
        assert await witness.until(lambda: witness.now()[ONLINE] == "offline")
        async with traced(strace_path, config, tmp_path / "second", witness):
            assert is_planned(witness), "the plan that was told is gone"
            throw(board, "T19")
            await is_told(witness, 6)
    journal = f"{tmp_path}/state/main.sqlite3-wal"
    # What is written before the first dart only tests the disk, beside what is told.
    assert told(tmp_path / "first", journal, set(), since=r"\"line\":2,") >= 7
    # It is unknown whether what a killed daemon has left in the journal is on the disk: it may have died on the way.
    assert told(tmp_path / "second", journal, {journal}) >= 2


def told(trace: Path, journal: str, unsafe: set[str], since: str = "") -> int:
    """How often something was told of the table, each time with a journal that was all on disk.

    `unsafe` are the files of which something was not there at the beginning. What is told before `since` is not judged.
    """
    count, is_judged = 0, not since
    for call, text in calls(trace.read_text(encoding="utf-8", errors="replace").splitlines()):
        found = _FILE.search(text)
        if call == "pwrite64" and found is not None:
            unsafe.add(found[1])
        elif call in ("fsync", "fdatasync") and found is not None:
            unsafe.discard(found[1])
        elif call == "sendto" and _TOLD.search(text) and (is_judged := is_judged or since in text):
            count += 1
            assert journal not in unsafe, f"told before the disk had it: {text[:300]}"
    return count


def calls(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each call and its text: a write or a word to the broker when it begins, a synchronisation when it has ended."""
    begun: dict[str, str] = {}
    for line in lines:
        thread, text = line.split(maxsplit=1)
        if text.startswith("<..."):
            yield text.split()[1], begun.pop(thread, "")
            continue
        call = text.partition("(")[0]
        if text.endswith("<unfinished ...>") and call in ("fsync", "fdatasync"):
            begun[thread] = text
        elif call in ("pwrite64", "fsync", "fdatasync", "sendto"):
            yield call, text


@asynccontextmanager
async def traced(strace: Path, config: Path, trace: Path, witness: Witness) -> AsyncIterator[int]:
    """A daemon whose calls are written down, once it is online; gives its process id, and ends it."""
    command = (strace, "-f", "-y", "-qq", "-s", "400", "-e", _CALLS, "-o", trace)
    process = await asyncio.create_subprocess_exec(
        *command,
        sys.executable,
        "-m",
        "daemon.cli",
        "run",
        "--config",
        config,
        cwd=ROOT,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        topics = ONLINE, "oche/table/main/board/state"
        assert await witness.until(lambda: all(witness.now().get(topic) == "online" for topic in topics))
        yield child(process.pid)
    finally:
        # Either may be gone by now: the daemon, when the test has killed it, and then the tracer too.
        with suppress(ProcessLookupError, FileNotFoundError, IndexError):
            os.kill(child(process.pid), signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def child(pid: int) -> int:
    """The process that this one has started."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


def is_planned(witness: Witness) -> bool:
    """Whether the display was told of the plan last that a player has made."""
    return '"game":"burma_road"' in witness.now().get(_NEXT, "")


async def is_told(witness: Witness, line: int) -> None:
    """Waits until the display has heard of this line, and of what followed from it."""
    assert await witness.until(lambda: f'"line":{line},' in witness.now().get("oche/table/main/state", ""))
    count = -1
    while count != len(witness.said):  # until it is quiet
        count = len(witness.said)
        await asyncio.sleep(0.1)
