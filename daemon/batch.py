"""What a few inputs of a table came to: what is written, then shown, then answered, together."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct, field

from daemon.store import Begin, Line
from daemon.updates import BoardNews
from protocol import messages
from protocol.commands import CommandError

Answer = dict[str, Any]  # Any: JSON


class Batch(Struct):
    """What a few inputs came to, until it is committed."""

    written: list[Begin | Line] = field(default_factory=list)
    events: list[messages.Event] = field(default_factory=list)
    replies: list[tuple[asyncio.Future[Answer], Answer | CommandError]] = field(default_factory=list)
    notice: str | None = None
    board: BoardNews | None = None
    plan: messages.Plan | None = None
    inputs: int = 0
    """How many they were."""

    def answer(self) -> None:
        """Everybody is told what became of theirs."""
        for reply, answer in self.replies:
            if reply.done():
                continue  # whoever asked has gone
            if isinstance(answer, CommandError):
                reply.set_exception(answer)
            else:
                reply.set_result(answer)

    def refuse(self, error: CommandError) -> None:
        """Nothing became of any."""
        self.replies = [(reply, error) for reply, _ in self.replies]
        self.answer()
