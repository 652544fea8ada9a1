"""Which tables of other daemons can be reached over the broker, and whether their boards are connected."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec
from msgspec import Struct

from daemon.mqtt.link import MqttLink
from daemon.mqtt.message import IncomingMessage
from protocol.messages import CONTRACT
from protocol.topics import TopicNames
from protocol.tournament import FoundTable


class _Info(Struct):
    """What is read of the info of a bridge."""

    tables: tuple[str, ...] = ()
    contract: int = 1


class Neighbours:
    """As far as it has been said over the present connection. `tell` is called with each piece of news."""

    def __init__(self, link: MqttLink | None, own: Collection[str], tell: Callable[[], None]) -> None:
        self._link = link
        self._own = own
        self._tell = tell
        self._looks_around = False
        self._infos: dict[str, _Info] = {}
        self._online: set[str] = set()
        self._boards: set[str] = set()
        self._watched: set[str] = set()
        self._connection = 0

    @property
    def connections(self) -> int:
        """How often there was a connection to the broker; 0: it is not there now."""
        link = self._link
        return link.outbox.connections if link is not None and link.outbox.is_followed else 0

    def look_around(self) -> None:
        """Listens to which daemons there are, from the first time on."""
        if self._link is not None and not self._looks_around:
            self._looks_around = True
            self._link.follow("bridge_info", self._take_info)
            self._link.follow("bridge_state", self._take_availability)

    def list_there(self) -> list[FoundTable]:
        """The tables of the daemons that are there; an older one plays no match in two places."""
        self._forget_former()
        there = {bridge: self._infos[bridge] for bridge in sorted(self._online & self._infos.keys())}
        found = {table: bridge for bridge, info in there.items() if info.contract >= CONTRACT for table in info.tables}
        return [FoundTable(table, table, bridge) for table, bridge in found.items() if table not in self._own]

    def watch(self, table: str) -> None:
        """Listens to what is said of this table."""
        if self._link is None or table in self._own or table in self._watched:
            return
        self.look_around()
        self._watched.add(table)
        self._link.follow("board_state", self._take_board, table=table)

    def is_there(self, table: str) -> bool:
        """Whether what is sent now reaches this table."""
        if table in self._own:
            return True
        self._forget_former()
        return self.connections > 0 and any(
            table in self._infos[bridge].tables for bridge in self._online & self._infos.keys()
        )

    def has_board(self, table: str) -> bool:
        """Whether the board of this table of another daemon is connected."""
        return table in self._boards

    def _forget_former(self) -> None:
        link = self._link
        if link is not None and self._connection != link.outbox.connections:
            self._connection = link.outbox.connections
            self._online.clear()
            self._boards.clear()

    def _take_info(self, message: IncomingMessage, address: TopicNames) -> None:
        try:
            info = msgspec.json.decode(message.payload, type=_Info)
        except (ValueError, RecursionError):
            return
        self._infos[address.names["bridge"]] = info
        self._tell()

    def _take_availability(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        change = self._online.add if message.payload == b"online" else self._online.discard
        change(address.names["bridge"])
        self._tell()

    def _take_board(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        change = self._boards.add if message.payload == b"online" else self._boards.discard
        change(address.names["table"])
        self._tell()
