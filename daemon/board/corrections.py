"""What a board is told of its darts: corrections of players, and that it is to start or to reset.

It is told once what it is about is on the disk, one after the other, however slow the board is. What cannot be sent is
said to the people at the table, and not sent later: the board may see other darts by then. Loaded only by tables whose
board listens.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from daemon.part import Part
from daemon.table.effects import Update
from protocol.events import BoardCommand
from protocol.sentence import Sentence, say

Send = Callable[[BoardCommand], Awaitable[bool]]
"""Sends a command to the board; False when the command could not be sent."""
_MOST_WAITING = 32


class Corrections(Part):
    """Those for the board of one table. A Part. `notify` says a sentence to the people at it."""

    def __init__(self, send: Send, notify: Callable[[Sentence], None]) -> None:
        self._send = send
        self._notify = notify
        self._waiting: deque[BoardCommand] = deque(maxlen=_MOST_WAITING)
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """Notes what the board is to be told; `run` sends it."""
        if update.to_board:
            self._waiting += update.to_board
            self._news.set()

    async def run(self) -> None:
        """Sends it until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                if not await self._send(self._waiting.popleft()):
                    self._waiting.clear()
                    self._notify(say("link.untold", "the board was not told of this: it is not connected"))
