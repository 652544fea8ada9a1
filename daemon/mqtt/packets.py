"""The packet that a dart makes most of: what is published, as bytes.

The library makes and queues each with a lock and a call of the kernel of its own; of these there are half a dozen for
each dart, of which most leave together. All other packets stay with it, but for the acknowledgements of these, which
`client.py` takes.
"""

from __future__ import annotations

from daemon.mqtt.message import OutgoingMessage

_PUBLISH = 0x30
_EXPIRY = 0x02
_CORRELATION = 0x09
_LONG = 0x80
"""A length from here on takes more than one byte."""


def encode_publish(message: OutgoingMessage, number: int, *, is_version_5: bool) -> bytes:
    """Returns the packet that publishes this message; `number` is that of one with QoS 1."""
    topic = message.topic.encode()
    head = len(topic).to_bytes(2) + topic
    if message.qos:
        head += number.to_bytes(2)
    if is_version_5:
        properties = b""
        if message.expiry_s is not None:
            properties += bytes((_EXPIRY,)) + message.expiry_s.to_bytes(4)
        if message.correlation is not None:
            properties += bytes((_CORRELATION,)) + len(message.correlation).to_bytes(2) + message.correlation
        head += _encode_length(len(properties)) + properties
    kind = _PUBLISH | message.qos << 1 | message.retain
    return bytes((kind,)) + _encode_length(len(head) + len(message.payload)) + head + message.payload


def _encode_length(length: int) -> bytes:
    found = bytearray()
    while length >= _LONG:
        found.append(length & (_LONG - 1) | _LONG)
        length >>= 7
    found.append(length)
    return bytes(found)
