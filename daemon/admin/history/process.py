"""The process in which the history is read, beside the daemon: however long that takes, no dart waits for it.

A thread would not do: matches are replayed, and a thread that replays keeps the interpreter for five milliseconds at a
time. What happens in the process is in worker.py, which the daemon does not import.
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.plugins import loader
from protocol.segment import Layout

FRAME = struct.Struct(">I")
"""What is said is pickled, and its length stands before it."""
_IDLE_S = 60.0
"""After so long without a question the process ends, and its memory is free."""
_CODE = "import sys; sys.path[:] = {path!r}; from daemon.admin.history.worker import main; main({parent})"


class HistoryProcess:
    """The reader of the journals in `folder`. `layouts` are the layouts of the tables, by the table's name.

    The process is started with the first question, and again after it has ended. Questions are answered in turn.
    """

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self.progress = 0, 0
        """How many matches of how many the latest reading has done."""
        self._folder = folder
        self._layouts = dict(layouts)
        self._start = asyncio.Lock()
        self._numbers = count()
        self._answers: dict[int, asyncio.Future[bytes | None]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, work: str, *args: object) -> bytes | None:
        """What the method of worker.Worker of this name returns. Raises UserError."""
        async with self._start:
            process = self._process
            if process is None:
                with explain_errors("the history cannot be read"):
                    process = self._process = await self._start_process()
        if self._idle is not None:
            self._idle.cancel()
        number = next(self._numbers)
        answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        _write(process, _frame((number, work, args)))
        return await answer

    async def close(self) -> None:
        """Ends the process, whatever it does; those who wait for an answer are cancelled."""
        for answer in self._answers.values():
            answer.cancel()
        if self._idle is not None:
            self._idle.cancel()
        async with self._start:  # one that is being started would outlive this
            if self._process is not None:
                with suppress(ProcessLookupError):  # it has just ended
                    self._process.kill()
        if self._listening is not None:
            await self._listening

    async def _start_process(self) -> asyncio.subprocess.Process:
        about = _frame((self._folder, self._layouts, loader.list_sources()))  # before there is a process to be ended
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-c", _CODE.format(path=sys.path, parent=os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            process_group=0,  # Ctrl-C is for the daemon. Linux weighs nice within a session: no new session
        )
        _write(process, about)
        self._listening = asyncio.create_task(self._listen(process))
        return process

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hands out what the process says, until it ends."""
        import pickle  # noqa: PLC0415  needed with the first question only

        assert process.stdout is not None
        try:
            while True:
                (length,) = FRAME.unpack(await process.stdout.readexactly(FRAME.size))
                number, kind, said = pickle.loads(await process.stdout.readexactly(length))
                self._hand_out(number, kind, said)
        except asyncio.IncompleteReadError:
            pass
        await process.wait()  # else the loop may be closed before it knows that the process has ended
        if self._process is process:  # it did not end because it was idle
            self._process = None
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(UserError("the history was not read to its end: try again"))
            self._answers.clear()
        await process.wait()
        assert process.stdin is not None
        with suppress(OSError):  # it has not read all; Debian 12's Python logs an error that is not asked for
            await process.stdin.wait_closed()

    def _hand_out(self, number: int, kind: str, said: Any) -> None:  # Any: by its kind
        if kind == "progress":
            self.progress = said
            return
        answer = self._answers.pop(number)
        if not answer.done():  # the client that asked has not gone away
            if kind == "error":
                answer.set_exception(UserError(said))
            else:
                answer.set_result(said)
        if not self._answers:
            self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._end)

    def _end(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        self._process = None


def _frame(said: object) -> bytes:
    import pickle  # noqa: PLC0415  as above

    data = pickle.dumps(said)
    return FRAME.pack(len(data)) + data


def _write(process: asyncio.subprocess.Process, data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
