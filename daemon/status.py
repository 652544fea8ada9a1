"""What is connected, in one sentence for `systemctl status`; said again whenever it has changed.

The first time it also says that the daemon is ready. It can only once the configuration was found valid and the parts
run, this one among them; boards and brokers are not waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress

from daemon.mqtt.link import MqttLink
from daemon.mqtt.standing import CONNECTED
from daemon.notify import notify
from daemon.table import Table
from daemon.updates import Update

_LOOK_S = 5.0
"""For what sends no word when it changes."""


class StatusLine:
    """Says it. An Outlet; run it as a task. `unusable` are the names of further tables."""

    def __init__(self, tables: Mapping[str, Table], unusable: Collection[str], mqtt: MqttLink) -> None:
        self._tables = tables
        self._unusable = unusable
        self._mqtt = mqtt
        self._news = asyncio.Event()
        mqtt.standing.watchers.append(lambda _: self._news.set())

    @property
    def sentence(self) -> str:
        """As in `2 tables; boards: main online, back offline; broker 192.168.1.10:1883`."""
        count = len(self._tables) + len(self._unusable)
        boards = ", ".join(f"{name} {_linked(table)}" for name, table in self._tables.items())
        troubles = [f"{name}: {table.trouble}" for name, table in self._tables.items() if table.trouble]
        troubles += [f"{name} cannot be used" for name in self._unusable]
        parts = [f"{count} table{'s'[: count != 1]}", f"boards: {boards}", self._broker(), *troubles]
        return "; ".join(parts)

    def publish(self, update: Update) -> None:
        """Looks again when there is news of a board, or of trouble."""
        if update.board is not None or update.notice is not None:
            self._news.set()

    async def run(self) -> None:
        """Says it at every change until cancelled."""
        said = ""
        while True:
            self._news.clear()
            ready = {} if said else {"READY": 1}
            if (sentence := self.sentence) != said and notify(STATUS=sentence, **ready):
                said = sentence
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._news.wait()

    def _broker(self) -> str:
        """Which one, and what is wrong with it."""
        status = self._mqtt.status
        if status.startswith(CONNECTED):
            return f"broker {self._mqtt.where}{status.removeprefix(CONNECTED)}"
        return f"broker: {status}"


def _linked(table: Table) -> str:
    return "online" if table.board.online else "offline"
