"""Feeds a table with what its board says, over the link that the configuration names."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.config.schemes import make_schemes, make_simulated, with_token
from daemon.errors import UserError
from daemon.part import Part
from daemon.release import read_version
from daemon.table.table import Table
from drivers.address import Address, AddressError
from drivers.capture import record_links
from drivers.recent_traffic import RecentTraffic
from drivers.session import Session, now_ns
from drivers.tcp_line import parse_host_port
from protocol.events import BoardCommand, LinkDown
from protocol.sentence import Sentence

if TYPE_CHECKING:
    from daemon.board.capture import BoardCapture

WATCH_S = 10.0
"""How long what becomes of events is kept after a page has asked for it."""


class BoardLink(Part):
    """The connection of a table to its board. A Part."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._port = asyncio.Lock()
        """Held by who has the board."""
        self._wanted = asyncio.Event()
        """Set while another than the table waits for the board."""
        self._traffic = RecentTraffic(has_camera=table.codebook.profile.framing.kind == "camera")
        self._watch_end: asyncio.TimerHandle | None = None
        try:
            self.board = make_simulated(table.config.board, table.codebook)
            self.session = self._session()
        except AddressError as error:
            raise UserError(f"table {table.name}: {error}", 2) from None

    async def run(self) -> None:
        """Listens until cancelled, but while the board is lent. Until then a simulated board is plugged in."""
        async with self.board or nullcontext():
            while True:
                async with self._port:
                    self.session = self._session()
                    async with self.session as session:
                        listening = asyncio.create_task(session.run())
                        wanted = asyncio.create_task(self._wanted.wait())
                        try:
                            await asyncio.wait({listening, wanted}, return_when=asyncio.FIRST_COMPLETED)
                        finally:
                            listening.cancel()
                            wanted.cancel()
                if listening.done() and not listening.cancelled():
                    return listening.result()

    @asynccontextmanager
    async def lend(self, reason: Sentence) -> AsyncIterator[None]:
        """Leaves the board to the block; displays show the `reason`, and the board is taken back afterwards."""
        self._wanted.set()
        try:
            await self._port.acquire()
        finally:
            self._wanted.clear()
        try:
            await self.table.feed(LinkDown(self.table.name, reason, "unavailable", now_ns()))
            yield
        finally:
            self._port.release()

    async def send(self, command: BoardCommand) -> bool:
        """Sends a command to the board. False while the board is away."""
        return await self.session.send(command)

    def encode_traffic(self) -> bytes:
        """Returns the latest raw traffic of the board, as a recording."""
        return self._traffic.encode(self.session.address, read_version(), self.table.codebook.profile.id)

    def watch(self) -> list[dict[str, Any]]:  # Any: JSON
        """Returns what became of the latest events of the board, at times of `encode_traffic`.

        They are those since this was first called; when it is not called for a while, all are forgotten.
        """
        if self._watch_end is not None:
            self._watch_end.cancel()
        self._watch_end = asyncio.get_running_loop().call_later(WATCH_S, self.table.scorer.end_watch)
        return self.table.scorer.watch_board().encode(self._traffic.count_ms)

    async def begin_capture(self, file: Path, seconds: float) -> BoardCapture:
        """Begins to record what the board says from now on. Raises OSError and CaptureError."""
        from daemon.board.capture import BoardCapture  # noqa: PLC0415  seldom

        capture = BoardCapture(file, self.session, self.table.codebook.profile.id, self._traffic.copy_to)
        await capture.begin(seconds)
        return capture

    def _session(self) -> Session:
        config = self.table.config
        schemes = record_links(with_token(make_schemes(self.board), config.board_token_file), self._traffic)
        return Session(self.table.name, config.board, self.table.codebook, schemes=schemes, deliver=self.table.feed)


@asynccontextmanager
async def lend_board(links: Mapping[str, BoardLink], board: Address, reason: Sentence) -> AsyncIterator[None]:
    """Leaves the board at this address to the block, whichever of these tables play on it: see `BoardLink.lend`."""
    async with AsyncExitStack() as stack:
        for link in links.values():
            if is_same_board(board, link.session.address):
                await stack.enter_async_context(link.lend(reason))
        yield


def is_same_board(one: Address, other: Address) -> bool:
    """Whether two addresses may be of one board; "auto" is any of its kind, and no port is that of its profile."""
    if one.scheme != other.scheme:
        return False
    if one.options.get("serial") != other.options.get("serial") and one.scheme == "web":
        return False
    if one.scheme in ("tcp", "rfc2217", "web"):
        ours, theirs = parse_host_port(one), parse_host_port(other)
        return ours.host.lower() == theirs.host.lower() and (
            ours.port == theirs.port or None in (ours.port, theirs.port)
        )
    targets = {one.target.lower(), other.target.lower()}
    return "auto" in targets or len(targets) == 1 or os.path.realpath(one.target) == os.path.realpath(other.target)
