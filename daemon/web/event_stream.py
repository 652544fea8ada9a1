"""The news of tables as server-sent events, and the stream of one display."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from daemon.table.effects import Update
from daemon.table.table import Table
from daemon.web.ear import EarListener
from protocol.events import NO_SENSOR
from protocol.messages import State
from protocol.sentence import write_said, write_sentence

_BACKLOG = 500
"""Updates."""
_BACKLOG_BYTES = 512 * 1024
_PING_S = 5.0


class EventStream:
    """A BodyStream of the events that a display was not sent yet. `seat`: whose view it shows; None: the public one.

    It begins with all that is to show of `table`; None: it is about no table, and begins with what is added.

    A display that is too slow is disconnected, and comes back by itself for the newest state: so it never holds up a
    dart. `note` is called now and then while nothing happens. `ear` is there for a display that plays by ear.
    """

    def __init__(
        self,
        table: Table | None,
        seat: int | None,
        abort: Callable[[], None],
        leave: Callable[[], None],
        note: Callable[[], None],
        ear: EarListener | None = None,
    ) -> None:
        self.seat = seat
        self.ear = ear
        self._note = note
        self.close = leave
        self._match = table.state().match if table else None
        self._abort = abort
        self._backlog: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._bytes = 0
        if table is not None:
            self.send(encode_update(table.everything._replace(state=table.state(seat), plan=table.committed.plan)))

    def end_if_outdated(self, table: Table) -> bool:
        """Ends the stream if it is of a seat of an earlier match, because this one has other hands; returns whether."""
        is_outdated = self.seat is not None and table.state().match != self._match
        if is_outdated:
            self.end()
        return is_outdated

    def send(self, events: list[bytes]) -> bool:
        """Adds the events of one update, which go out in one piece: the page takes the facts of one input together.

        Returns False if the display was too slow, and is disconnected.
        """
        if self._backlog.qsize() >= _BACKLOG or self._bytes > _BACKLOG_BYTES:
            self._abort()  # it may wait for ever to be written to
            self.end()
            return False
        if piece := b"".join(events):
            self._backlog.put_nowait(piece)
            self._bytes += len(piece)
        return True

    def end(self) -> None:
        """Ends the stream after what was added."""
        self._backlog.put_nowait(None)

    async def next(self) -> bytes | None:
        """Returns the events of the next update, None at the end; a comment after _PING_S.

        To the display, silence is a dead link.
        """
        try:
            async with asyncio.timeout(_PING_S):
                piece = await self._backlog.get()
        except TimeoutError:
            self._note()
            return b": ping\n\n"
        self._bytes -= len(piece or b"")
        return piece


def encode_update(update: Update) -> list[bytes]:
    """Returns an update as server-sent events: board, state, next match, then the facts."""
    found = []
    if update.board is not None:
        state, info = "online" if update.board.sees_darts else "offline", update.board.info
        board = {"state": state, "sensor": info.address != NO_SENSOR, "stuck": info.stuck}
        if info.remedy is not None:
            board["remedy"] = info.remedy
        board |= write_said("text", update.board.said or info.text) | write_said("trouble", update.board.trouble)
        found.append(encode_event("board", board))
    if update.state is not None:
        found.append(encode_event("state", update.state))
    if update.plan is not None:
        found.append(encode_event("plan", update.plan))
    found += [encode_event("fact", event) for event in update.events]
    if update.notice is not None:
        found.append(encode_event("notice", write_sentence(update.notice)))
    return found


def encode_table(name: str, state: State) -> bytes:
    """Returns the state of one of several tables as an event."""
    return encode_event("table", {"table": name, "state": state})


def encode_event(name: str, value: object) -> bytes:
    """Returns one event."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"
