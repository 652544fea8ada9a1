"""The process for the care of the machine: what dies in it, what is given up, and that nothing in it waits for another.

A reading is held by a pipe in the place of its cache, so that no test depends on how long one takes.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
import tarfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

import pytest

from daemon.admin import process
from daemon.admin.answers import ENDING, Refused
from daemon.admin.process import CountMatch, ForgetMatches, ReadHistory, WorkerProcess
from daemon.admin.requests import (
    HealthCheck,
    KeepBackup,
    ListFigures,
    ListMatches,
    MakeBackup,
    ReadSteps,
    StageBackup,
    TryBroker,
)
from daemon.errors import UserError
from protocol.layouts import find_layout
from tests.daemon.backups import play_evening
from tests.daemon.process import PATIENCE_S, eventually
from tests.daemon.test_settings import overwrite

FIGURES = ListFigures()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return play_evening(tmp_path)


@pytest.fixture
def folder(file: Path) -> Path:
    return file.parent / "state"


@pytest.fixture
async def worker(file: Path, folder: Path) -> AsyncIterator[WorkerProcess]:
    worker = WorkerProcess(folder, {"main": find_layout("standard")}, file)
    yield worker
    await worker.close()


def list_children(pid: int) -> list[int]:
    """Those that live. A thread of the process may end while its children are read."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (task / "children").read_text().split())
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


def find_children() -> list[int]:
    """What carries out requests for them."""
    return [child for each in find_workers() for child in list_children(each)]


async def test_a_process_is_there_from_the_first_request_until_a_while_after_the_last(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_workers() == []
    await worker.read(ReadHistory())
    (first,) = find_workers()
    assert b'"Ann"' in bytes(await worker.read(FIGURES))
    assert find_workers() == [first]
    assert os.getpriority(os.PRIO_PROCESS, find_children()[0]) >= 10
    monkeypatch.setattr(process, "_IDLE_S", 0)
    await worker.read(ReadHistory())
    await eventually(lambda: find_workers() == [])
    assert b'"Ann"' in bytes(await worker.read(FIGURES))


async def test_once_it_is_closed_it_refuses_and_starts_no_process(worker: WorkerProcess, folder: Path) -> None:
    async def refuse() -> None:
        with pytest.raises(Refused) as error:
            await worker.read(FIGURES)
        assert (error.value.code, str(error.value.said)) == ("unavailable", str(ENDING))
        with pytest.raises(Refused):
            await worker.write(MakeBackup(), "backup", PATIENCE_S)

    async def ask_as_it_ends() -> None:
        with pytest.raises(asyncio.CancelledError):
            await worker.read(ReadHistory())
        await refuse()

    async with held_reading(worker, folder):
        asking = asyncio.create_task(ask_as_it_ends())
        await asyncio.sleep(0)  # it has asked
        closing = asyncio.create_task(worker.close())
        await asyncio.sleep(0)  # it has begun, and waits for those who are told
        await refuse()
        await asyncio.gather(asking, closing)
    await refuse()
    assert find_workers() == []
    assert list_left(folder) == []


def list_left(folder: Path) -> list[Path]:
    """What is in the folder of the state only while something is made or checked."""
    return [*folder.glob(".*"), *folder.glob("restore-*"), *folder.glob("backups/*")]


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


@pytest.mark.slow
@pytest.mark.parametrize("find", [find_children, find_workers], ids=["the reader", "the process"])
async def test_what_dies_inside_costs_the_requests_under_way_alone(
    worker: WorkerProcess, folder: Path, find: Callable[[], list[int]]
) -> None:
    async with held_reading(worker, folder) as reading:
        os.kill(find()[0], signal.SIGKILL)
        with pytest.raises(UserError, match="the history was not read to its end: try again"):
            await reading
    assert b'"Ann"' in bytes(await worker.read(FIGURES))


@pytest.mark.parametrize("more", [(), ("x" * (1 << 20),)], ids=["sent", "sent in part"])
@pytest.mark.long
async def test_what_is_given_up_before_it_has_begun_is_not_carried_out(
    worker: WorkerProcess, folder: Path, more: tuple[str, ...]
) -> None:
    async with held_reading(worker, folder) as reading:
        forgetting = asyncio.create_task(worker.read(ForgetMatches(("ann", *more), False, ())))
        await asyncio.sleep(0.1)
        forgetting.cancel()
        await asyncio.wait({forgetting})
    await reading
    await worker.read(ReadHistory())
    assert b'"Ann"' in bytes(await worker.read(FIGURES))
    assert (await worker.read(ForgetMatches(("ann",), False, ()))).matches == 2
    await worker.read(ReadHistory())
    assert b'"Ann"' not in bytes(await worker.read(FIGURES))


async def test_an_error_is_told_as_it_was_said(worker: WorkerProcess) -> None:
    with pytest.raises(Refused) as refused:
        await worker.read(ReadSteps("none"))
    assert (refused.value.code, refused.value.said) == ("unknown", "there is no finished match with this id")
    assert await worker.read(CountMatch("main", "none")) is False


@contextmanager
def locked(journal: Path) -> Iterator[None]:
    """A backup waits for this journal as long as the block lasts."""
    with closing(sqlite3.connect(journal, isolation_level=None)) as db:
        db.execute("pragma locking_mode = exclusive")
        db.execute("begin exclusive")
        yield


@asynccontextmanager
async def held_backup(
    worker: WorkerProcess, folder: Path
) -> AsyncIterator[asyncio.Task[tuple[IO[bytes], Any]]]:  # Any: JSON
    """One that has begun, and goes on when the block ends."""
    with locked(folder / "main.sqlite3"):
        making = asyncio.create_task(worker.write(MakeBackup(), "backup", PATIENCE_S))
        await eventually(lambda: any(folder.glob(".oche-backup-*/back.sqlite3")))
        yield making


@pytest.mark.slow
async def test_a_long_request_keeps_no_other_waiting(worker: WorkerProcess, folder: Path) -> None:
    async with held_reading(worker, folder) as reading:
        checks = await worker.carry_out(HealthCheck(), "doctor", PATIENCE_S)
        assert json.loads(bytes(checks.checks[0]))["name"] == "machine"
        assert not reading.done()
    await reading
    async with held_backup(worker, folder) as making:
        assert (await worker.carry_out(HealthCheck(), "doctor", PATIENCE_S)).checks
        assert b'"Bo"' in bytes(await worker.read(ListMatches()))
        assert not making.done()
    backup, told = await making
    assert told == {"remarks": []}
    with backup, tarfile.open(fileobj=backup) as packed:
        assert {"state/main.sqlite3", "config/oche.toml"} <= {*packed.getnames()}
    assert list_left(folder) == []


@pytest.mark.long
async def test_of_a_backup_that_is_given_up_nothing_is_left(worker: WorkerProcess, folder: Path) -> None:
    async with held_backup(worker, folder) as making:
        assert len(find_children()) == 1
        making.cancel()
        await asyncio.wait({making})
        await eventually(lambda: find_children() == [])
        await eventually(lambda: list_left(folder) == [])


@pytest.mark.long
async def test_of_a_backup_that_is_checked_for_nobody_nothing_is_left(worker: WorkerProcess, folder: Path) -> None:
    file = folder.with_name("backup.tar.gz")
    made, _ = await worker.write(MakeBackup(), "backup", PATIENCE_S)
    with made:
        file.write_bytes(made.read())
    os.mkfifo(folder / "held.sqlite3")  # its matches are counted, for as long as nobody writes them
    checking = asyncio.create_task(worker.carry_out(StageBackup(file), "restore", PATIENCE_S))
    await eventually(lambda: any(folder.glob("**/restore-*/oche.toml")))
    checking.cancel()
    await asyncio.wait({checking})
    await eventually(lambda: list_left(folder) == [])
    (folder / "held.sqlite3").unlink()
    told = await worker.carry_out(StageBackup(file), "restore", PATIENCE_S)
    assert [each.name for each in list_left(folder)] == [told["restore"]]


async def test_what_takes_too_long_is_ended_with_a_sentence(
    worker: WorkerProcess, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with locked(folder / "main.sqlite3"):
        keeping = asyncio.create_task(worker.carry_out(KeepBackup(), "backup", PATIENCE_S))
        await eventually(lambda: any(folder.glob("backups/**/back.sqlite3")))
        assert len(find_children()) == 1
        loop = asyncio.get_running_loop()
        with monkeypatch.context() as later:
            later.setattr(loop, "time", lambda: time.monotonic() + PATIENCE_S)
            with pytest.raises(UserError, match="oche backup did not finish in time: run it on the machine itself"):
                await keeping
        await eventually(lambda: find_children() == [])
        await eventually(lambda: list_left(folder) == [])


@pytest.mark.slow
@pytest.mark.parametrize("find", [find_children, find_workers], ids=["the child", "the process"])
async def test_what_is_killed_says_so_and_the_next_one_is_made(
    worker: WorkerProcess, folder: Path, find: Callable[[], list[int]]
) -> None:
    async with held_backup(worker, folder) as making:
        os.kill(find()[0], signal.SIGKILL)
        with pytest.raises(UserError, match="oche backup failed: run it on the machine itself"):
            await making
    made, _ = await worker.write(MakeBackup(), "backup", PATIENCE_S)
    made.close()
    assert list_left(folder) == [], "what a dead one has left is removed by the next"


def begin_with(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Has a process that is started from now on do this first."""
    monkeypatch.setattr(process, "_CODE", process._CODE.replace("; from", f"; exec({code!r}); from", 1))  # noqa: SLF001  else all of it


@pytest.mark.long
async def test_where_no_child_can_be_made_that_is_told_until_one_can(
    worker: WorkerProcess, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = folder.with_name("full")
    begin_with(
        monkeypatch,
        f"""
import errno, os
fork = os.fork
def fork_or_refuse():
    if os.path.exists({str(full)!r}):
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return fork()
os.fork = fork_or_refuse
""",
    )
    said = "the request cannot be carried out: resource temporarily unavailable; try again in a moment"
    await worker.read(ReadHistory())
    os.kill(find_children()[0], signal.SIGKILL)
    await eventually(lambda: find_children() == [])
    full.touch()
    for _ in range(2):
        with pytest.raises(UserError, match=said):
            await worker.read(ForgetMatches(("x" * (1 << 20),), True, ()))
        with pytest.raises(UserError, match=said):
            await worker.carry_out(HealthCheck(), "doctor", PATIENCE_S)
    full.unlink()
    assert b'"Ann"' in bytes(await worker.read(FIGURES))
    assert (await worker.carry_out(HealthCheck(), "doctor", PATIENCE_S)).checks


async def test_a_fault_is_in_the_log_with_where_it_happened(
    worker: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(UserError, match="oche doctor failed: run it on the machine itself"):
        await worker.carry_out(TryBroker("1"), "doctor", PATIENCE_S)  # of no broker at all
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "in carry_out\n    assert given.broker is not None\n" in record.getMessage()


async def test_a_fault_in_reading_costs_that_request_alone(
    worker: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(UserError, match="the history was not read to its end: try again"):
        await worker.read(ReadSteps("none", first=cast("str", None)))
    (record,) = caplog.records
    assert "Traceback" in record.getMessage()
    assert b'"Ann"' in bytes(await worker.read(FIGURES))


@pytest.mark.long
async def test_a_disk_that_does_not_answer_is_not_told_as_the_end_of_the_patience(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_with(
        monkeypatch,
        """
import errno, os, shutil
def wait_in_vain(folder):
    raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
shutil.disk_usage = wait_in_vain
""",
    )
    with pytest.raises(TimeoutError, match="Connection timed out"):
        await worker.carry_out(KeepBackup(), "backup", PATIENCE_S)


@pytest.mark.long
async def test_what_was_updated_on_the_disk_is_not_asked_by_a_daemon_of_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "read_version", lambda: "0.0.1")
    before = WorkerProcess(folder, {})
    monkeypatch.undo()
    try:
        for _ in range(2):
            with pytest.raises(UserError, match="oche was updated: restart it"):
                await before.read(ReadHistory())
            with pytest.raises(UserError, match="oche was updated: restart it"):
                await before.carry_out(HealthCheck(), "doctor", PATIENCE_S)
    finally:
        await before.close()


async def test_a_mistake_in_the_file_is_told_as_by_the_command(worker: WorkerProcess, file: Path) -> None:
    overwrite(file, "[wob]\n")
    with pytest.raises(UserError, match=f"^{file}, line 1: .*wob"):
        await worker.carry_out(KeepBackup(), "backup", PATIENCE_S)


@pytest.mark.slow
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
