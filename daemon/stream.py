"""What one display reads: its bounded share of a table's news, as server-sent events.

A display that is too slow is cut off and comes back by itself with the newest state, so it can never hold up a dart.
"""

from __future__ import annotations

import asyncio

import msgspec

from daemon.table import Table
from daemon.updates import Update

_BACKLOG = 500
_BACKLOG_BYTES = 512 * 1024
_PING_S = 5.0


class Reader:
    """One display and what it has not been sent yet. `seat`: whose private view it shows; None: the public one."""

    def __init__(self, table: Table, seat: int | None, transport: asyncio.BaseTransport | None) -> None:
        self.seat = seat
        self._match = table.state().match
        self._transport = transport
        self._backlog: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._bytes = 0
        self.tell(chunks(table.whole._replace(state=table.state(seat))))

    def may_see(self, table: Table) -> bool:
        """False: this was a seat of a match that is gone, and the next one has other people's hands."""
        if self.seat is None or table.state().match == self._match:
            return True
        self.end()
        return False

    def tell(self, news: list[bytes]) -> bool:
        """False: it is too slow, and was cut off."""
        for chunk in news:
            if self._backlog.qsize() >= _BACKLOG or self._bytes > _BACKLOG_BYTES:
                if isinstance(self._transport, asyncio.Transport):
                    self._transport.abort()  # it is waiting for room that may never come
                self.end()
                return False
            self._backlog.put_nowait(chunk)
            self._bytes += len(chunk)
        return True

    def end(self) -> None:
        """Nothing more will come."""
        self._backlog.put_nowait(None)

    async def next(self) -> bytes | None:
        """The next news, None at the end; a comment when there are none for a while: silence means a dead link."""
        try:
            async with asyncio.timeout(_PING_S):
                news = await self._backlog.get()
        except TimeoutError:
            return b": ping\n\n"
        self._bytes -= len(news or b"")
        return news


def chunks(update: Update) -> list[bytes]:
    """News as events: the board, the state, what comes next, then what happened."""
    found = []
    if update.board is not None:
        online, info = update.board
        board = {
            "state": "online" if online else "offline",
            "text": info.text,
            "stuck": info.stuck,
            "trouble": info.trouble,
        }
        found.append(_event("board", board))
    if update.state is not None:
        found.append(_event("state", update.state))
    if update.plan is not None:
        found.append(_event("plan", update.plan))
    found += [_event("fact", event) for event in update.events]
    if update.notice is not None:
        found.append(_event("notice", {"text": update.notice}))
    return found


def of_broker(trouble: str) -> bytes:
    """The trouble with the broker as an event; "" says that there is none."""
    return _event("broker", {"text": trouble})


def of_page(version: str) -> bytes:
    """Which version of the page is served, as an event."""
    return _event("page", {"version": version})


def _event(name: str, value: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"
