"""A display of a venue: speaks MQTT 3.1.1, and goes to the next node by itself when its own is gone."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

import aiomqtt

from tests.faults.witness import Witness
from tests.venue.nats import client

JSON = dict[str, Any]  # Any: JSON


class Viewer(Witness):
    """Sees what every client may see, from the first of these nodes that it reaches."""

    qos = 0

    def __init__(self, addresses: Sequence[str]) -> None:
        super().__init__(1883, "oche/bridge/+/state", "oche/table/+/state", "oche/table/+/attr/+", "oche/table/+/event")
        self._addresses = itertools.cycle(addresses)

    @property
    def events(self) -> list[JSON]:
        """Of all tables, in order."""
        return [json.loads(said.text) for said in self.said if said.topic.endswith("/event")]

    def connect(self) -> aiomqtt.Client:
        return client(next(self._addresses), "display")

    async def until_line(self, table: str, line: int) -> JSON:
        """The state, once it has come to this line of the match."""
        assert await self.until(lambda: self.line(table) >= line), f"it never came; last seen: {self.now()}"
        state: JSON = json.loads(self.now()[f"oche/table/{table}/state"])
        return state

    def line(self, table: str) -> int:
        """Of the newest state; 0 before the first."""
        text = self.now().get(f"oche/table/{table}/state")
        return int(json.loads(text)["line"]) if text else 0

    def values(self, table: str) -> dict[str, str]:
        """The plain values of a table, by their names."""
        found = {topic.removeprefix(f"oche/table/{table}/attr/"): text for topic, text in self.now().items()}
        return {name: text for name, text in found.items() if "/" not in name}

    def fresh(self, table: str, line: int) -> float:
        """When the first state beyond this line came, by the monotonic clock."""
        states = (said for said in self.said if said.topic == f"oche/table/{table}/state")
        return next(said.at for said in states if json.loads(said.text)["line"] > line)

    async def bridges(self, wanted: dict[str, str]) -> None:
        """Waits until these bridges are online or offline."""
        topics = {f"oche/bridge/{name}/state": is_ for name, is_ in wanted.items()}
        assert await self.until(lambda: topics.items() <= self.now().items()), self.now()
