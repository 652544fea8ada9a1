"""oche as a process under test: its configuration file, a command, and waiting for what must come."""

from __future__ import annotations

import asyncio
import io
import os
import re
import resource
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
import pytest

from daemon.cli import main
from protocol.codebook import read_shipped
from protocol.segment import Segment
from protocol.standard import standard
from simulator.pty_board import PtyBoard

PATIENCE_S = 120


async def eventually(is_so: Callable[[], bool | Awaitable[bool]]) -> None:
    """Asks until the answer is yes; for what sends no word when it changes.

    Where it takes a request to another process, it asks ever less often: so as not to keep that one from its work.
    """
    pause_s = 0.01
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = is_so()
            if not isinstance(answer, bool):
                answer, pause_s = await answer, min(1.3 * pause_s, 0.2)
            if answer:
                return
            await asyncio.sleep(pause_s)


async def ended(task: asyncio.Task[None]) -> None:
    """Cancels it until it ends: asyncio.wait_for, by which libraries wait, may swallow that on Python 3.11."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=1)


@contextmanager
def small_disk(most_bytes: int) -> Iterator[None]:
    """No file can be larger, for this process and for those that it begins within.

    They keep no compiled modules: Python 3.11 would cut a larger one off, and the next process could not read it.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


STRICT = ("-W", "always::ResourceWarning")
ROOT = Path(__file__).parents[2]


def configure(
    folder: Path,
    broker_port: int = 0,
    table: str = "",
    *,
    board: str = "",
    profile: str = "quick.toml",
    more: str = "",
    bridge: str = "",
    mqtt: str = "",
    web: str = "",
) -> Path:
    """A configuration file for one table `main` on FOLDER/board, with these lines added to its parts.

    The port 0 stands for no MQTT at all. The board is the shipped one without debounce, so that a test may throw as
    fast as it likes.
    """
    text = read_shipped("opendarts").text.replace("repeat_ms = 600", "repeat_ms = 0\ncontact_ms = 0")
    (folder / "quick.toml").write_text(text, encoding="utf-8")
    file = folder / "oche.toml"
    file.write_text(
        f"""
[bridge]
state_dir = "{folder}/state"
{bridge}

[mqtt]
on = {str(broker_port > 0).lower()}
host = "127.0.0.1"
port = {broker_port or 1883}
{mqtt}

[web]
port = 0
{web}

[[table]]
board = "{board or f"serial:{folder}/board"}"
profile = "{profile}"
players = ["Ann", "Bo"]
{table}
{more}
""",
        encoding="utf-8",
    )
    return file


def segment(segment_id: str) -> Segment:
    """A segment of the standard layout."""
    return standard()[segment_id]


def throw(board: PtyBoard, *segment_ids: str) -> None:
    """Darts, as the bytes the board sends for them."""
    for segment_id in segment_ids:
        assert board.hit(segment(segment_id))


def journal(folder: Path, table: str = "main") -> list[dict[str, Any]]:
    """The lines of the match begun last, read from the disk by code of the tests alone."""
    with closing(sqlite3.connect(f"file:{folder}/state/{table}.sqlite3?mode=ro", uri=True)) as db:
        rows = db.execute(
            "select line, input from entry where match = (select max(number) from match) order by line"
        ).fetchall()
    assert [line for line, _ in rows] == list(range(2, len(rows) + 2)), "a line is missing"
    return [msgspec.json.decode(text) for _, text in rows]


class Process:
    """`oche …` as a process: `async with Process("run", "--config", file)` starts it and leaves none behind."""

    def __init__(
        self,
        *arguments: str | Path,
        env: dict[str, str] | None = None,
        python: tuple[str, ...] = STRICT,
        inside: tuple[str, ...] = (),
    ) -> None:
        """`inside`: the command that it is the end of, and that becomes it (as `nsenter` does)."""
        self.arguments = [str(argument) for argument in arguments]
        self.errors = ""
        """All of its standard error so far."""
        self.output = ""
        self._env = env
        self._python = python
        self._inside = inside
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *self._inside,
            sys.executable,
            *self._python,
            "-m",
            "daemon.cli",
            *self.arguments,
            cwd=ROOT,
            env=self._env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._readers = [asyncio.create_task(self._read("output")), asyncio.create_task(self._read("errors"))]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The process itself."""
        assert self._process is not None
        return self._process

    async def said(self, text: str) -> None:
        """Waits until it has printed this."""
        await self.until(lambda: text in self.errors or text in self.output)

    async def until(self, is_so: Any) -> None:  # Any: () -> bool
        """Waits until what it has printed makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    assert not all(r.done() for r in self._readers), f"it ended: {self.output}{self.errors}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"it never said so: {self.output}{self.errors}") from None

    async def runs(self) -> str:
        """Waits until the daemon runs; the address of its page."""
        await self.said("running; tables")
        found = re.search(r"page: (\S+)", self.errors)
        assert found is not None
        return found[1]

    async def ended(self) -> int:
        """Its exit status, when it has ended by itself."""
        async with asyncio.timeout(PATIENCE_S):
            status = await self.process.wait()
            await asyncio.wait(self._readers)
        return status

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end; its exit status."""
        self.signal(number)
        return await self.ended()

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal, unless it has ended.

        Past subprocess, which first asks whether the process has ended: where it has, asyncio never learns its status.
        """
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, number)

    async def kill(self) -> None:
        """Ends it without a farewell."""
        self.process.kill()
        await self.ended()

    async def _read(self, name: str) -> None:
        stream = self.process.stdout if name == "output" else self.process.stderr
        assert stream is not None
        while line := await stream.readline():
            setattr(self, name, getattr(self, name) + line.decode())
            self._news.set()
        self._news.set()


def broken_mosquitto(folder: Path) -> dict[str, str]:
    """The environment of a machine whose mosquitto does not start, so that the embedded broker takes its place."""
    program = folder / "broken" / "mosquitto"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}


async def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Process:
    """A command that ends by itself."""
    async with Process(*arguments, env=env) as process:
        await process.ended()
    return process


__all__ = ["Process", "broken_mosquitto", "configure", "eventually", "journal", "run", "segment", "throw"]


class Said(NamedTuple):
    status: int | str | None
    output: str
    errors: str


class Saying:
    """The command line of this test."""

    def __init__(self, captured: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self._captured = captured
        self._patch = patch

    def raw(self, *arguments: object, typed: str = "") -> tuple[int | str | None, bytes, str]:
        """The same, with what was printed as bytes. `typed` is what a user types."""
        self._patch.setattr(sys, "argv", ["oche", *map(str, arguments)])
        self._patch.setattr(sys, "stdin", io.StringIO(typed))
        status: int | str | None = 0
        try:
            main()
        except SystemExit as left:
            status = left.code
        output, errors = self._captured.readouterr()
        return status, output, errors.decode()

    def __call__(self, *arguments: object, typed: str = "") -> Said:
        status, output, errors = self.raw(*arguments, typed=typed)
        return Said(status, output.decode(), errors)
