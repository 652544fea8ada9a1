"""Runs a command of oche beside the daemon, for what is asked for seldom and takes long: no dart waits for it.

It is the command that a person would type, in a process of its own with a lower priority, which ends with the request.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from daemon.errors import UserError
from protocol.sentence import Sentence, say

_CODE = (
    "import os, sys; sys.path[:] = {path!r}; os.nice(10); from daemon.die_with_parent import die_with; "
    "die_with({parent}) or sys.exit(1); from daemon.cli import main; main()"
)


_RESERVE_BYTES = 50_000_000
"""What a backup leaves free for the darts that are thrown meanwhile, and for the rest of the machine."""


def find_lack_of_room(folder: Path) -> Sentence | None:
    """Returns why a backup of the state folder might fill the disk that it is on. Raises OSError."""
    needed = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) + _RESERVE_BYTES
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if needed <= free:
        return None
    return say(
        "care.no_room",
        "the disk has too little room to make a backup there first: {free} MB are free, and it may need {needed} "
        "MB. Make room, or type  oche backup FILE  on the machine, with a FILE on another disk",
        free=str(free // 1_000_000),
        needed=str(-(-needed // 1_000_000)),
    )


async def run_command(*arguments: str, out: IO[bytes], given: bytes | IO[bytes] = b"", patience_s: float) -> int:
    """Runs `oche` with these arguments, and writes its standard output into this file; returns its exit status.

    `given` is its standard input, bytes or a file. Raises UserError with its last line when it fails without any
    output, or does not end in time.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-c", _CODE.format(path=sys.path, parent=os.getpid()), *arguments),
        stdin=asyncio.subprocess.PIPE if isinstance(given, bytes) else given,
        stdout=out,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,  # Ctrl-C is for the daemon. Linux weighs nice within a session: no new session
    )
    try:
        async with asyncio.timeout(patience_s):
            _, said = await process.communicate(given if isinstance(given, bytes) else None)
    except TimeoutError:
        raise UserError(f"oche {arguments[0]} has not ended in time: type it on the machine itself") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    assert process.returncode is not None
    if process.returncode and not os.fstat(out.fileno()).st_size:
        lines = said.decode(errors="replace").strip().splitlines() or [f"oche {arguments[0]} has failed"]
        raise UserError(lines[-1].removeprefix("oche: "))
    return process.returncode
