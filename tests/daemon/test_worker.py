"""The process for the care of the machine: what dies in it, what is given up, and that nothing in it waits for another.

A reading is held by a pipe in the place of its cache, so that no test depends on how long one takes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from daemon.admin import process
from daemon.admin.process import CountMatch, ForgetMatches, ReadHistory, WorkerProcess
from daemon.admin.requests import ListFigures, ReadSteps, Refused
from daemon.errors import UserError
from protocol.layouts import find_layout
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually

FIGURES = ListFigures()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    return tmp_path / "state"


@pytest.fixture
async def worker(folder: Path) -> AsyncIterator[WorkerProcess]:
    worker = WorkerProcess(folder, {"main": find_layout("standard")})
    yield worker
    await worker.close()


def list_children(pid: int) -> list[int]:
    """Those that live."""
    found = [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]
    return [child for child in found if _is_alive(child)]


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def find_workers() -> list[int]:
    """The processes that work for this one."""
    return [
        each for each in list_children(os.getpid()) if b"admin.worker" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def find_readers() -> list[int]:
    """Those of them that read the history."""
    return [child for each in find_workers() for child in list_children(each)]


async def test_a_process_is_there_from_the_first_request_until_a_while_after_the_last(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_workers() == []
    await worker.read(ReadHistory())
    (first,) = find_workers()
    assert b'"Ann"' in bytes(await worker.read(FIGURES))
    assert find_workers() == [first]
    assert os.getpriority(os.PRIO_PROCESS, find_readers()[0]) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    monkeypatch.setattr(process, "_IDLE_S", 0)
    await worker.read(ReadHistory())
    await eventually(lambda: find_workers() == [])
    assert b'"Ann"' in bytes(await worker.read(FIGURES))


@asynccontextmanager
async def held_reading(worker: WorkerProcess, folder: Path) -> AsyncIterator[asyncio.Task[None]]:
    """A reading that has begun, and goes on when the block ends."""
    cache = folder / "statistics.cache"
    cache.unlink(missing_ok=True)
    os.mkfifo(cache)
    ends: list[int] = []

    def has_begun() -> bool:
        with suppress(OSError):  # nobody reads it yet
            ends.append(os.open(cache, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    reading = asyncio.create_task(worker.read(ReadHistory()))
    await eventually(has_begun)
    try:
        yield reading
    finally:
        cache.unlink()
        os.close(ends[0])


@pytest.mark.parametrize("find", [find_readers, find_workers], ids=["the reader", "the process"])
async def test_what_dies_inside_costs_the_requests_under_way_alone(
    worker: WorkerProcess, folder: Path, find: Callable[[], list[int]]
) -> None:
    async with held_reading(worker, folder) as reading:
        os.kill(find()[0], signal.SIGKILL)
        with pytest.raises(UserError, match="the history was not read to its end: try again"):
            await reading
    assert b'"Ann"' in bytes(await worker.read(FIGURES))


async def test_what_is_given_up_before_it_has_begun_is_not_carried_out(worker: WorkerProcess, folder: Path) -> None:
    async with held_reading(worker, folder) as reading:
        forgetting = asyncio.create_task(worker.read(ForgetMatches(("ann",), False, ())))
        await asyncio.sleep(0)
        forgetting.cancel()
        await asyncio.wait({forgetting})
    await reading
    await worker.read(ReadHistory())
    assert b'"Ann"' in bytes(await worker.read(FIGURES))
    assert (await worker.read(ForgetMatches(("ann",), False, ()))).matches == 1
    await worker.read(ReadHistory())
    assert b'"Ann"' not in bytes(await worker.read(FIGURES))


async def test_an_error_is_told_as_it_was_said(worker: WorkerProcess) -> None:
    with pytest.raises(Refused) as refused:
        await worker.read(ReadSteps("none"))
    assert (refused.value.code, refused.value.said) == ("unknown", "no match of that id is over")
    assert await worker.read(CountMatch("main", "none")) is False


async def test_all_of_it_dies_with_the_daemon(folder: Path) -> None:
    code = f"""
import asyncio, pathlib, time
from daemon.admin.process import ReadHistory, WorkerProcess
async def run():
    await WorkerProcess(pathlib.Path({str(folder)!r}), {{}}).read(ReadHistory())
    print("read", flush=True)
    time.sleep(1000)
asyncio.run(run())
"""
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert daemon.stdout is not None
    assert await daemon.stdout.readline() == b"read\n"
    (worker,) = list_children(daemon.pid)
    (reader,) = list_children(worker)
    daemon.kill()
    await daemon.wait()
    await eventually(lambda: not _is_alive(worker) and not _is_alive(reader))
