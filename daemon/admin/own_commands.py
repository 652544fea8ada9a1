"""Runs a command of oche beside the daemon, for what is asked for seldom and takes long: no dart waits for it.

It is the command that a person would type, in a process of its own with a lower priority, which ends with the request.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from daemon.errors import UserError
from daemon.files import RESERVE_BYTES, open_descriptor
from protocol.sentence import Sentence, say

_CODE = (
    "import os, sys; sys.path[:] = {path!r}; os.nice(10); from daemon.die_with_parent import die_with; "
    "die_with({parent}) or sys.exit(1); from daemon.cli import main; main()"
)


_WORK_PREFIX = ".oche-backup-"
"""How the folder begins that the journals are copied into for a backup."""
_TEMPORARY_PREFIX = ".oche-temporary-"
"""How a file begins that loses its name at once, where the disk knows no files without one."""
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW
BACKUPS = "backups"
"""The folder in the state folder for backups that were asked for over MQTT."""


def find_lack_of_room(folder: Path) -> Sentence | None:
    """Returns why a backup of the state folder might fill the disk that it is on. Raises OSError."""
    sizes = {file: file.stat().st_size for file in folder.iterdir() if file.is_file()}
    copies = sum(size for file, size in sizes.items() if file.suffix in (".sqlite3", ".db"))  # which it is made of
    needed = sum(sizes.values()) + copies + RESERVE_BYTES
    if needed <= (free := shutil.disk_usage(folder).free):
        return None
    return say(
        "care.no_room",
        "the disk has too little room to make a backup there first: {free} MB are free, and it may need {needed} "
        "MB. Make room, or type  oche backup FILE  on the machine, with a FILE on another disk",
        free=str(free // 1_000_000),
        needed=str(-(-needed // 1_000_000)),
    )


@contextmanager
def make_work_folder(place: Path | None) -> Iterator[Path]:
    """Yields a folder that the journals are copied into for a backup, in this place or where TMPDIR says.

    What former backups have left in the place is removed. Raises OSError.
    """
    if place is not None:
        remove_work_folders(place)
    told = place or os.environ.get("TMPDIR")  # the library would first write a file there to try it
    with TemporaryDirectory(prefix=_WORK_PREFIX, dir=told) as name, open_descriptor(Path(name), _FOLDER) as folder:
        fcntl.flock(folder, fcntl.LOCK_SH)  # until this process ends, however it does
        yield Path(name)


def remove_work_folders(place: Path) -> None:
    """Removes the folders in this place of backups that were cut off; what cannot be removed stays."""
    for work in place.glob(f"{_WORK_PREFIX}*"):
        with suppress(OSError), open_descriptor(work, _FOLDER) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # else another backup is at work
            shutil.rmtree(work, ignore_errors=True)


def remove_unfinished(folder: Path) -> None:
    """Removes what backups have left in this state folder that were cut off; what cannot be removed stays."""
    for place in (folder, folder / BACKUPS):
        remove_work_folders(place)
    for draft in (*(folder / BACKUPS).glob("*.tar.gz.new"), *folder.glob(f"{_TEMPORARY_PREFIX}*")):
        with suppress(OSError):
            draft.unlink()


async def read_command(*arguments: str, folder: Path, given: bytes | IO[bytes] = b"", patience_s: float) -> bytes:
    """Returns what a command writes, as `run_command` runs it. Raises UserError, and OSError for a full disk."""
    out = await keep_output(*arguments, folder=folder, given=given, patience_s=patience_s)
    try:
        return out.read()
    finally:
        close_beside(out)


async def keep_output(*arguments: str, folder: Path, given: bytes | IO[bytes] = b"", patience_s: float) -> IO[bytes]:
    """Returns the same in a file without a name, which is to be closed beside the event loop. Raises as above."""
    out = await asyncio.to_thread(make_temporary, folder)  # /tmp may be in memory
    try:
        await run_command(*arguments, folder=folder, out=out, given=given, patience_s=patience_s)
    except BaseException:
        close_beside(out)
        raise
    out.seek(0)
    return out


@asynccontextmanager
async def open_temporary(folder: Path) -> AsyncIterator[IO[bytes]]:
    """Yields a file without a name in this folder, which is made and let go beside the event loop. Raises OSError."""
    file = await asyncio.to_thread(make_temporary, folder)
    try:
        yield file
    finally:
        close_beside(file)


def make_temporary(folder: Path) -> IO[bytes]:
    """Returns a file without a name in this folder. Raises OSError."""
    return TemporaryFile(dir=folder, prefix=_TEMPORARY_PREFIX)


def close_beside(file: IO[bytes]) -> None:
    """Closes a file without waiting for it: to let go a large one takes the disk a while."""
    asyncio.get_running_loop().run_in_executor(None, file.close)


async def run_command(
    *arguments: str, folder: Path, out: IO[bytes], given: bytes | IO[bytes] = b"", patience_s: float
) -> None:
    """Runs `oche` with these arguments, and writes its standard output into this file.

    `given` is its standard input, bytes or a file. What it needs for a moment is in this `folder`: /tmp may be in
    memory. Raises UserError when it fails, with its last line where there is no output, or does not end in time.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-c", _CODE.format(path=sys.path, parent=os.getpid()), *arguments),
        stdin=asyncio.subprocess.PIPE if isinstance(given, bytes) else given,
        stdout=out,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
        process_group=0,  # Ctrl-C is for the daemon. Linux weighs nice within a session: no new session
    )
    try:
        async with asyncio.timeout(patience_s):
            _, said = await process.communicate(given if isinstance(given, bytes) else None)
            if process.stdin is not None:
                with suppress(OSError):  # it has not read all; Debian 12's Python logs an error that is not asked for
                    await process.stdin.wait_closed()
    except TimeoutError:
        raise UserError(f"oche {arguments[0]} has not ended in time: type it on the machine itself") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode and not os.fstat(out.fileno()).st_size:
        lines = said.decode(errors="replace").strip().splitlines() or [f"oche {arguments[0]} has failed"]
        raise UserError(lines[-1].removeprefix("oche: "))
    if process.returncode and arguments[0] != "doctor":  # which ends with 1 when it has found a problem
        raise UserError(f"oche {arguments[0]} has failed: type it on the machine itself")


def choose_place(folder: Path, name: str, ending: str) -> Path:
    """Returns where a new file of this name can be, in a folder that only this user reads. Raises OSError."""
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = f"{name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}"
    numbers = (f"-{number}" for number in range(2, 1000))
    return next(place for more in ("", *numbers) if not (place := folder / f"{stem}{more}{ending}").exists())
