"""The shape of everything that runs beside the tables, so that putting the daemon together is a list of parts.

A table itself knows of a part only that it takes news: `Outlet` in daemon/table/effects.py. What defines `publish` gets
them (daemon/assemble.py).
"""

from __future__ import annotations

from collections.abc import Callable

from daemon.table.effects import Update


class Part:
    """A part of the daemon. What a part does not define does nothing."""

    def publish(self, update: Update) -> None:
        """Takes the news of a table. Does not wait: a part that is slow keeps its own bounded backlog."""

    async def run(self) -> None:
        """Runs until cancelled."""

    async def close(self) -> None:
        """Ends what was begun for a client, when the daemon ends. All parts still run."""


class BrokerTrouble:
    """What is wrong with the link to the broker, in one sentence; "" when nothing is, or nothing is known yet."""

    def __init__(self) -> None:
        self.sentence = ""
        self._listeners: list[Callable[[str], None]] = []

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Calls this with the sentence whenever it changes."""
        self._listeners.append(listener)

    def tell(self, sentence: str) -> None:
        """Sets the sentence."""
        self.sentence = sentence
        for listener in self._listeners:
            listener(sentence)
