"""The packets that oche makes itself, against the library that makes all others."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from daemon.mqtt.message import OutgoingMessage
from daemon.mqtt.packets import encode_publish

MESSAGES = st.builds(
    OutgoingMessage,
    topic=st.text("abc/é", min_size=1, max_size=300),
    payload=st.one_of(st.binary(max_size=200), st.integers(100, 20_000).map(bytes)),
    retain=st.booleans(),
    qos=st.sampled_from([0, 1]),
    expiry_s=st.none() | st.integers(0, 2**32 - 1),
    correlation=st.none() | st.binary(max_size=300),
    response=st.none(),
)
NUMBERS = st.integers(1, 65535)


def split(packet: bytes) -> tuple[int, bytes]:
    """The first byte, and what is behind the length; as MQTT has it, and the length must be right."""
    length = shift = 0
    for index, byte in enumerate(packet[1:5], start=2):
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            assert len(packet) == index + length
            return packet[0], packet[index:]
    raise AssertionError("the length has no end")


def read(head: int, rest: bytes, version: MQTTProtocolVersion) -> MQTTMessage:
    """What the library's client hands to its owner when this packet came in."""
    found: list[MQTTMessage] = []
    client: Any = Client(CallbackAPIVersion.VERSION2, protocol=version)
    client.on_message = lambda client, userdata, message: found.append(message)
    client._in_packet.update(command=head, packet=bytearray(rest), remaining_length=len(rest))  # noqa: SLF001
    client._handle_publish()  # noqa: SLF001  there is no public way
    return found[0]


@given(MESSAGES, NUMBERS, st.booleans())
def test_the_library_reads_what_is_published(message: OutgoingMessage, number: int, is_version_5: bool) -> None:
    version = MQTTProtocolVersion.MQTTv5 if is_version_5 else MQTTProtocolVersion.MQTTv311
    found = read(*split(encode_publish(message, number, is_version_5=is_version_5)), version)
    assert (found.topic, found.payload) == (message.topic, message.payload)
    assert (found.qos, found.retain, found.dup) == (message.qos, message.retain, False)
    assert found.mid == (number if message.qos else 0)
    if is_version_5:
        assert getattr(found.properties, "MessageExpiryInterval", None) == message.expiry_s
        assert getattr(found.properties, "CorrelationData", None) == message.correlation
