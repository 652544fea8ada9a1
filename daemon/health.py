"""The health of the daemon: for `systemctl status` in one sentence, over MQTT in figures.

The first time systemd is also told that the daemon is ready: the configuration is then valid, and the parts run. Boards
and brokers are not waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from msgspec import UNSET
from msgspec.structs import replace

from daemon.board.link import BoardLink
from daemon.config.sections import Config
from daemon.mqtt.broker_status import CONNECTED
from daemon.mqtt.link import MqttLink
from daemon.part import BrokerTrouble, Part
from daemon.service.systemd import notify
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.events import LinkUp
from protocol.messages import Health, TableHealth
from protocol.topics import HEALTH_S, KEPT_S

_LOOK_S = 5.0
"""How often the status is looked at without an event: not every change raises one."""


class StatusLine(Part):
    """Tells systemd. A Part. `unusable` are further tables; `mqtt` is None where it is off."""

    def __init__(
        self, tables: Mapping[str, Table], unusable: Collection[str], mqtt: MqttLink | None, trouble: BrokerTrouble
    ) -> None:
        self._tables = tables
        self._unusable = unusable
        self._mqtt = mqtt
        self._news = asyncio.Event()
        trouble.subscribe(lambda _: self._news.set())

    @property
    def sentence(self) -> str:
        """As in `2 tables; boards: main online, back offline; broker 192.168.1.10:1883`."""
        count = len(self._tables) + len(self._unusable)
        boards = [f"{name} {'online' if table.board.online else 'offline'}" for name, table in self._tables.items()]
        troubles = [f"{name}: {table.trouble}" for name, table in self._tables.items() if table.trouble]
        troubles += [f"{name} cannot be used" for name in self._unusable]
        tables = "1 table" if count == 1 else f"{count} tables"
        return "; ".join([tables, f"boards: {', '.join(boards)}", self._describe_broker(), *troubles])

    def publish(self, update: Update) -> None:
        """Looks again after news of a board, or a notice."""
        if update.board is not None or update.notice is not None:
            self._news.set()

    async def run(self) -> None:
        """Tells systemd every change until cancelled."""
        last_sent = ""
        while True:
            self._news.clear()
            ready = {} if last_sent else {"READY": 1}
            if (sentence := self.sentence) != last_sent and notify(STATUS=sentence, **ready):
                last_sent = sentence
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._news.wait()

    def _describe_broker(self) -> str:
        if self._mqtt is None:
            return "MQTT off"
        status = self._mqtt.status.sentence
        if status.startswith(CONNECTED):
            return f"broker {self._mqtt.attempts.broker}{status.removeprefix(CONNECTED)}"
        return f"broker: {status}"


class HealthReport(Part):
    """Publishes the health at regular intervals, and at news of a board. A Part.

    `outlets` has what of them fails at the time, and why, by name.
    """

    def __init__(
        self,
        config: Config,
        links: Mapping[str, BoardLink],
        mqtt: MqttLink,
        trouble: BrokerTrouble,
        outlets: Mapping[str, str],
    ) -> None:
        self._outlets = outlets
        self._bridge = config.bridge.name
        self._links = links
        self._mqtt = mqtt
        self._started = time.monotonic()
        self._news = asyncio.Event()
        trouble.subscribe(lambda _: self._news.set())  # the version of MQTT may be another one

    def publish(self, update: Update) -> None:
        """Ends the wait when a board has gone, or a segment is stuck."""
        if update.board is not None:
            self._news.set()

    async def run(self) -> None:
        """Publishes until cancelled."""
        while True:
            self._news.clear()
            tables = {name: _make_table_health(link, self._mqtt.refused(name)) for name, link in self._links.items()}
            uptime_s, refused = round(time.monotonic() - self._started), self._mqtt.bridge_inbox.refused
            failing = dict(self._outlets) or UNSET
            health = Health(uptime_s, self._mqtt.reconnects, tables, refused, failing)
            if self._mqtt.attempts.version == "3.1.1":  # else the broker itself forgets it in time
                until = datetime.now(UTC) + timedelta(seconds=KEPT_S)
                health = replace(health, good_until=until.isoformat(timespec="seconds"))
            self._mqtt.outbox.put("bridge_health", health, bridge=self._bridge)
            for name, link in self._links.items():
                self._mqtt.outbox.put("board_info", link.table.board.info, table=name)
            with suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_S):
                    await self._news.wait()


def _make_table_health(link: BoardLink, refused: int) -> TableHealth:
    table, counts, status = link.table, link.table.scorer.status.counts, link.session.status
    return TableHealth(
        reconnects=link.session.reconnects,
        hits=counts.hits,
        dropped=counts.dropped,
        stray=counts.stray,
        garbage=counts.garbage,
        queue=len(table.backlog),
        drops=dict(counts.drops),
        stuck=table.board.info.stuck,
        trouble=table.board.info.trouble,
        remark=status.text if isinstance(status, LinkUp) and status.is_flooding else table.recovery.remark,
        refused=refused,
    )
