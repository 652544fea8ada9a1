"""How the daemon is: said now and then, and at once when there is news of a board."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress

from daemon.listener import Listener
from daemon.mqtt.link import MqttLink
from daemon.sections import Config
from daemon.updates import Update
from protocol.messages import Health, TableHealth
from protocol.topics import HEALTH_S


class HealthReport:
    """Says it. An Outlet; run it as a task."""

    def __init__(self, config: Config, listeners: Mapping[str, Listener], mqtt: MqttLink) -> None:
        self._bridge = config.bridge.name
        self._listeners = listeners
        self._mqtt = mqtt
        self._started = time.monotonic()
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        """A board that has gone, or a segment that is stuck, does not wait for its turn."""
        if update.board is not None:
            self._news.set()

    async def run(self) -> None:
        """Reports until cancelled."""
        while True:
            self._news.clear()
            tables = {name: _table_health(listener) for name, listener in self._listeners.items()}
            health = Health(round(time.monotonic() - self._started), self._mqtt.reconnects, tables)
            self._mqtt.shadow.say("bridge_health", health, bridge=self._bridge)
            for name, listener in self._listeners.items():
                self._mqtt.shadow.say("board_info", listener.table.board.info, table=name)
            with suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_S):
                    await self._news.wait()


def _table_health(listener: Listener) -> TableHealth:
    table = listener.table
    return TableHealth(
        reconnects=listener.session.reconnects,
        hits=table.counts.hits,
        dropped=table.counts.dropped,
        stray=table.counts.stray,
        garbage=table.counts.garbage,
        queue=table.backlog,
        drops=dict(table.counts.drops),
        stuck=table.board.info.stuck,
        trouble=table.board.info.trouble,
        remark=table.remark,
    )
