"""The longest packet that is taken from a broker, and the length of those that it gets.

MQTT 5 lets us tell it to the broker, which may not care; MQTT 3.1.1 does not. A longer packet is read and thrown away:
to end the connection would let one retained message keep it from ever standing.
"""

from __future__ import annotations

import logging
from typing import Any

from daemon.mqtt.message import OutgoingMessage

log = logging.getLogger("oche.mqtt")

LONGEST = 256 * 1024
"""Bytes of a packet after its fixed header."""
_AROUND = 24
"""Bytes of a PUBLISH that are neither topic nor payload nor correlation, at most."""


def estimate_bytes(message: OutgoingMessage) -> int:
    """Returns the length of the packet that this message makes, or a few bytes more."""
    return len(message.topic.encode()) + len(message.payload) + len(message.correlation or b"") + _AROUND


class PacketLimit:
    """Stands between a client of the library and its socket. Raises BlockingIOError while it throws bytes away."""

    def __init__(self, client: Any) -> None:  # Any: of the library's client it takes what is private
        self._client = client
        self._receive = client._sock_recv  # noqa: SLF001  the library has no limit of its own
        self._is_warned = False
        client._sock_recv = self._receive_within  # noqa: SLF001

    def _receive_within(self, size: int) -> bytes:
        packet: dict[str, Any] = self._client._in_packet  # noqa: SLF001
        if not packet["have_remaining"] or packet["remaining_length"] <= LONGEST:
            return bytes(self._receive(size))
        if not self._is_warned:
            self._is_warned = True
            log.warning(
                "ignored a packet of %d bytes from the broker: the limit is %d",
                *(packet["remaining_length"], LONGEST),
            )
        data = bytes(self._receive(min(size, LONGEST)))
        if not data:
            return data  # the connection has ended
        packet["to_process"] -= len(data)
        if not packet["to_process"]:
            packet.update(command=0, have_remaining=0, remaining_count=[], remaining_mult=1, remaining_length=0)
        raise BlockingIOError
