"""Lives of the daemon, one after the other, each ended by a kill: the parent's end of tests/crash/template.py."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.daemon.process import PATIENCE_S, ROOT


class Lives:
    """`async with Lives(config, log)`; their words go to the log. For `sabotage` see tests/crash/sabotage.py."""

    def __init__(self, config: Path, log: Path, *sabotage: str) -> None:
        self._command = (sys.executable, "-m", "tests.crash.template", str(config), *sabotage)
        self._log = log
        self._template: asyncio.subprocess.Process | None = None
        self._pid: int | None = None

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        with self._log.open("ab") as log:
            self._template = await asyncio.create_subprocess_exec(
                *self._command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=log
            )
        await self._said("ready")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._template is not None
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
        assert self._template.stdin is not None
        self._template.stdin.close()
        await self._template.wait()
        if error is not None:
            error.add_note(f"The daemons said:\n{self._log.read_text(encoding='utf-8')[-4000:]}")

    async def begin(self) -> None:
        """A daemon is born; it has yet to open its journals."""
        assert self._template is not None
        assert self._template.stdin is not None
        self._template.stdin.write(b"\n")
        self._pid = int(await self._said("born"))

    async def kill(self) -> None:
        """Ends it without a farewell. It must have lived until then."""
        assert self._pid is not None
        os.kill(self._pid, signal.SIGKILL)
        self._pid = None
        status = int(await self._said("died"))
        assert os.WIFSIGNALED(status), f"it had ended by itself, with {os.waitstatus_to_exitcode(status)}"
        assert os.WTERMSIG(status) == signal.SIGKILL

    async def _said(self, word: str) -> str:
        """The rest of the line that begins with this word."""
        assert self._template is not None
        assert self._template.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await self._template.stdout.readline()).decode()
        assert line.startswith(word), f"the template said {line!r}: {self._log.read_text(encoding='utf-8')[-4000:]}"
        return line.removeprefix(word).strip()
