"""A guest on the network who sends whatever he likes, how he comes in, and what has to be true of the daemon."""

from __future__ import annotations

import asyncio
import re
from contextlib import AbstractAsyncContextManager, suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import aiohttp
from click.testing import CliRunner, Result

from daemon.assemble import RunningDaemon
from daemon.commands.token import command
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, Process, eventually, throw
from tests.manners.nonsense import Nonsense

ANYWHERE = 'host = "0.0.0.0"\n'
"""Every machine of the network reaches it, so that a client on the loopback has no rights of its own either."""


def oche_token(file: Path, *options: str) -> Result:
    """What `oche token` says."""
    return CliRunner().invoke(command, ["--config", str(file), *options])


def guest(running: RunningDaemon, **headers: str) -> aiohttp.ClientSession:
    """A new client, which keeps cookies; aiohttp does so for an address only if it is told."""
    jar = aiohttp.CookieJar(unsafe=True)
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    return aiohttp.ClientSession(running.page, headers=headers, cookie_jar=jar, timeout=timeout)


async def status_of(asked: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> int:
    """Of the answer to this request."""
    async with asked as answer:
        return answer.status


async def enter(client: aiohttp.ClientSession, token: str) -> int:
    """The status of the answer to who enters with this token; the client keeps the cookie."""
    return await status_of(client.post("/api/enter", json={"token": token}))


_FIRST = int(IPv4Address("127.1.0.1"))
TELL_TALES = (b"Traceback", b"aiohttp", b"Python/", b"site-packages", b".py", b"File ")
"""What no answer says."""
GROWTH_KB = 30_000


class Victim:
    """The daemon under test."""

    def __init__(self, process: Process, page: str, board: PtyBoard) -> None:
        self.process = process
        self.page = page
        self.port = int(page.rstrip("/").rpartition(":")[2])
        self._board = board
        self._guests = 0

    @property
    def memory_kb(self) -> int:
        """What it holds now."""
        with open(f"/proc/{self.process.process.pid}/status", encoding="ascii") as status:  # noqa: PTH123
            return int(re.findall(r"VmRSS:\s+(\d+)", status.read())[0])

    async def send(self, nonsense: Nonsense) -> bytes:
        """What comes back, to the end of the connection; each comes from another address, for the pace is limited."""
        self._guests += 1
        mine = str(IPv4Address(_FIRST + self._guests // 20))
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(mine, 0))
        try:
            writer.write(nonsense.data)
            if not nonsense.is_whole:
                with suppress(OSError):  # it has hung up already
                    writer.write_eof()
            async with asyncio.timeout(PATIENCE_S):
                return await reader.read()
        except ConnectionError:
            return b""  # hung up on
        finally:
            writer.close()

    async def state(self, table: str = "main") -> Any:  # Any: JSON
        """What the page shows."""
        async with aiohttp.ClientSession() as web, web.get(f"{self.page}api/table/{table}/state") as answer:
            return await answer.json()

    async def plays(self) -> None:
        """A dart of a board is shown, as on any evening."""
        line = (await self.state())["line"]
        throw(self._board, "T20")

        async def has_come() -> bool:
            return bool((await self.state())["line"] > line)

        await eventually(has_come)

    def said_nothing_bad(self) -> None:
        """No traceback, no mistake."""
        assert "Traceback" not in self.process.errors, self.process.errors
        errors = [line for line in self.process.errors.splitlines() if line.startswith(("ERROR", "CRITICAL"))]
        assert not errors


def check_answer(sent: bytes, answer: bytes) -> None:
    """Refused, or harmless; in either case well dressed, and nothing about our insides."""
    about = f"{sent[:300]!r} was answered {answer[:900]!r}"
    for status in re.findall(rb"HTTP/\d\.\d (\d+) ", answer):
        assert status in (b"100", b"503") or int(status) < 500, about
    if answer:
        assert b"Server: oche\r\n" in answer, about
        assert b"X-Content-Type-Options: nosniff\r\n" in answer, about
    if b"<!doctype html>" not in answer and b"/* " not in answer:
        assert not [word for word in TELL_TALES if word in answer], about
