"""What is said aloud at each table, as a retained topic with a counter, for any speaker that can read MQTT.

A speaker that reconnects reads the latest sentence again, and knows by `session` and `n` that it has said it. While the
broker is away nothing is kept: only what happens after the connection is said. How long a speaker takes is estimated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from daemon.mqtt.outbox import Outbox
from daemon.outlets.backlog import Backlog
from daemon.outlets.play_by_ear import Mode, tell, write_item
from daemon.outlets.speech_queue import SpeechItem, SpeechQueue
from daemon.outlets.where_it_went import prepare_aims
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.messages import Spoken, State
from protocol.segment import Layout

_PAUSE_S = 0.3
"""Between two sentences."""


class SpokenTopic(Part):
    """Publishes what is to be said at these tables, in this language. A Part. `pace` is in letters a second."""

    def __init__(self, tables: Mapping[str, Table], outbox: Outbox, language: str, mode: Mode, pace: int) -> None:
        self._tables = tables
        self._outbox = outbox
        self._language = language
        self._mode: Mode = mode
        self._pace = pace
        self._waiting = Backlog[Update]("what is said aloud")
        self._queues = {name: SpeechQueue[SpeechItem]() for name in tables}
        self._states: dict[str, State] = {}
        self._said = dict.fromkeys(tables, 0)

    def publish(self, update: Update) -> None:
        """Notes the update; `run` looks at it."""
        if update.state is None and not update.events:
            return
        self._waiting.put(update)

    async def run(self) -> None:
        """Says what is due until cancelled."""
        self._states |= {name: table.state() for name, table in self._tables.items() if name not in self._states}
        for table in self._tables.values():
            await prepare_aims(table.codebook.layout)
        clock = asyncio.get_running_loop().time
        while True:
            deadlines = [due for queue in self._queues.values() if (due := queue.deadline()) is not None]
            try:
                async with asyncio.timeout_at(min(deadlines, default=None)):
                    update = await self._waiting.take()
            except TimeoutError:
                pass
            else:
                layout = self._tables[update.table].codebook.layout
                await prepare_aims(layout)
                self._take(update, layout, clock())
            for name, queue in self._queues.items():
                self._say(name, queue, clock())
            await asyncio.sleep(0)  # a backlog must not hold up a dart

    def _take(self, update: Update, layout: Layout, now: float) -> None:
        table = update.table
        before = self._states[table]
        state = self._states[table] = update.state or before
        if not self._outbox.is_followed:
            self._queues[table].clear()
            return
        has_button = self._tables[table].codebook.has_next
        for utterance in tell(before, state, update.events, layout, self._mode, has_button=has_button):
            self._queues[table].put(write_item(utterance, self._language), now)

    def _say(self, table: str, queue: SpeechQueue[SpeechItem], now: float) -> None:
        item = queue.take(now)
        if item is None:
            return
        self._said[table] += 1
        state, run_id = self._states[table], self._tables[table].run_id
        said = Spoken(self._said[table], item.text, item.kind, run_id, state.match, state.line)
        self._outbox.put("spoken", said, table=table)
        queue.hold(now + len(item.text) / self._pace + _PAUSE_S)
