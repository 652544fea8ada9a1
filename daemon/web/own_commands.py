"""Runs a command of oche beside the daemon, for what is asked for seldom and takes long: no dart waits for it.

It is the command that a person would type, in a process of its own with a lower priority, which ends with the request.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import IO

from daemon.errors import UserError

_CODE = (
    "import os, sys; sys.path[:] = {path!r}; os.nice(10); from daemon.die_with_parent import die_with; "
    "die_with({parent}) or sys.exit(1); from daemon.cli import main; main()"
)


async def run_command(*arguments: str, out: IO[bytes], given: bytes = b"", patience_s: float) -> int:
    """Runs `oche` with these arguments, and writes its standard output into this file; returns its exit status.

    `given` is its standard input. Raises UserError with its last line when it fails without any output, or does not
    end in time.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-c", _CODE.format(path=sys.path, parent=os.getpid()), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=out,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the daemon
    )
    try:
        async with asyncio.timeout(patience_s):
            _, said = await process.communicate(given)
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
