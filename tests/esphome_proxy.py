"""An ESPHome Bluetooth proxy in software, which speaks the messages of aioesphomeapi, plain or encrypted (Noise)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class ProxiedBoard(Protocol):
    """A board within the reach of a proxy; tests/drivers and tests/daemon throw with it."""

    address: str

    async def notify(self, data: bytes) -> None:
        """Has the board send this as one notification, to whoever listens."""

    async def hang_up(self) -> None:
        """Has the board end its link."""


class EsphomeProxy(Protocol):
    """The proxy. `port` is where it listens on 127.0.0.1."""

    port: int

    def place(self, profile: str, address: str, name: str, *, rssi: int = -60) -> ProxiedBoard:
        """Puts a board of this profile within reach, with the services and characteristics that its profile names."""

    def take_away(self, board: ProxiedBoard) -> None:
        """Puts it out of reach: its link ends, and it advertises no more."""


def run_proxy(
    *, key: str | None = None, name: str = "proxy-cellar", slots: int = 3, active: bool = True, port: int = 0
) -> AbstractAsyncContextManager[EsphomeProxy]:
    """Runs one while the block lasts; `key` is 32 bytes in base64, None: it speaks plain; `active`: it connects."""
    raise NotImplementedError
