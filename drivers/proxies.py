"""ESPHome Bluetooth proxies: radios in other rooms, which carry the links of `ble:` boards over the network.

Which proxies there are is said once, by `set_proxies`; without any, nothing of their libraries is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from protocol.sentence import Sentence

PROXY_PORT = 6053


class Proxy(NamedTuple):
    """A proxy on the network. `key_file` contains its encryption key (32 bytes in base64); None: it has none."""

    host: str
    port: int = PROXY_PORT
    key_file: Path | None = None

    def __str__(self) -> str:
        return self.host if self.port == PROXY_PORT else f"{self.host}:{self.port}"


class ProxyState(NamedTuple):
    """What is known of a proxy: `trouble` says why it cannot be used, None: it can.

    `name` is what it calls itself, "" while it has not answered. `free` of its `slots` connections are not in use.
    """

    proxy: Proxy
    name: str = ""
    trouble: Sentence | None = None
    free: int = 0
    slots: int = 0


def set_proxies(proxies: Sequence[Proxy]) -> None:
    """Has the `ble:` boards of this process reached through these proxies as well, from now on."""
    raise NotImplementedError


def get_proxies() -> tuple[Proxy, ...]:
    """The proxies that are set."""
    raise NotImplementedError


async def look_at_proxies(patience_s: float) -> list[ProxyState]:
    """The state of each proxy, after waiting at most so many seconds for those that have not answered yet."""
    raise NotImplementedError


async def close_proxies() -> None:
    """Ends the connections to the proxies."""
    raise NotImplementedError
