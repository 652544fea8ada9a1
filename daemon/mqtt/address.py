"""Where a broker is: `host`, `host:port`, an IPv6 address as it is, or in brackets before a port."""

from __future__ import annotations

import re
from typing import NamedTuple

_WRITTEN = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.%\w]+)\](?::(?P<v6_port>\d+))?|(?P<host>[^:\[\]\s/]+)(?::(?P<port>\d+))?")
_BARE_V6 = re.compile(r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.%\w]*")


class BrokerAddress(NamedTuple):
    """A host by name or number, and its TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def broker_address(text: str, port: int) -> BrokerAddress:
    """The address written so, at this port if it names none. Raises ValueError."""
    if _BARE_V6.fullmatch(text):
        return BrokerAddress(text, port)
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no broker's address: write host, host:port or [IPv6]:port, without mqtt://")
    number = int(found["v6_port"] or found["port"] or port)
    if not 1 <= number <= 65535:
        raise ValueError(f"{text!r} has no such port: it is from 1 to 65535")
    return BrokerAddress(found["v6"] or found["host"], number)
