"""The messages of MQTT as the rest of the daemon sees them, whatever library sends and receives them."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from protocol.messages import BridgeResponse, Response


class OutgoingMessage(NamedTuple):
    """A message to publish.

    `correlation` is the CorrelationData of the request that it answers (MQTT 5), `response` the answer.
    """

    topic: str
    payload: bytes
    retain: bool
    qos: int
    expiry_s: int | None = None
    correlation: bytes | None = None
    response: Response | BridgeResponse | None = None


class IncomingMessage(Struct, frozen=True):
    """A message that came in. `reply_to` and `correlation` are its ResponseTopic and CorrelationData (MQTT 5)."""

    topic: str
    payload: bytes
    retained: bool = False
    reply_to: str | None = None
    correlation: bytes | None = None
