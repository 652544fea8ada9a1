"""The frames of ESPHome's native API as a node reads and writes them: plain, or encrypted by Noise.

Sans-IO. A plain frame is 00, the length and the number of the message as varints, the message. An encrypted one is 01,
the length in two bytes, and what Noise makes of number and length in two bytes each, and the message.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Protocol

from cryptography.exceptions import InvalidTag
from noise.connection import NoiseConnection

Frame = tuple[int, bytes]
"""The number of a message and the message."""

_PATTERN = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
_PROLOGUE = b"NoiseAPIInit\0\0"  # with the length of a client's hello, which is empty


class Rejected(Exception):
    """The node does not go on with this client, and has told it why."""


class Frames(Protocol):
    """One connection's frames."""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The messages that are complete with these bytes of the client; raises Rejected."""

    def wrap(self, number: int, message: bytes) -> bytes:
        """The frame of a message to the client."""


class PlainFrames:
    """A node without an encryption key; `say` sends bytes as they are."""

    def __init__(self, say: Callable[[bytes], None]) -> None:
        self._say = say
        self._read = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        self._read += data
        while self._read:
            if self._read[0] != 0:
                self._say(b"\0Bad indicator byte")
                raise Rejected
            at, numbers = 1, []
            for _ in ("length", "number"):
                number, at = _read_varint(self._read, at)
                numbers.append(number)
            length, number = numbers
            if at == 0 or len(self._read) < at + length:
                return
            message = bytes(self._read[at : at + length])
            del self._read[: at + length]
            yield number, message

    def wrap(self, number: int, message: bytes) -> bytes:
        return b"\0" + _varint(len(message)) + _varint(number) + message


class NoiseFrames:
    """A node with an encryption key, in base64, and what it says of itself before a client has shown that it has it."""

    def __init__(self, say: Callable[[bytes], None], key: str, name: str, mac: str) -> None:
        self._say = say
        self._hello = b"\1" + name.encode() + b"\0" + mac.encode() + b"\0"
        self._read = bytearray()
        self._is_greeted = False
        self._noise = NoiseConnection.from_name(_PATTERN)
        self._noise.set_as_responder()
        self._noise.set_psks(base64.b64decode(key))
        self._noise.set_prologue(_PROLOGUE)
        self._noise.start_handshake()

    def feed(self, data: bytes) -> Iterator[Frame]:
        self._read += data
        while self._read:
            if self._read[0] != 1:
                self._say(_noise_frame(b"\1Bad indicator byte"))
                raise Rejected
            end = 3 + int.from_bytes(self._read[1:3])
            if len(self._read) < max(3, end):
                return
            body = bytes(self._read[3:end])
            del self._read[:end]
            if not self._is_greeted:
                self._is_greeted = True
                self._say(_noise_frame(self._hello))
            elif not self._noise.handshake_finished:
                self._shake_hands(body)
            else:
                yield self._decrypt(body)

    def wrap(self, number: int, message: bytes) -> bytes:
        plain = number.to_bytes(2) + len(message).to_bytes(2) + message
        return _noise_frame(bytes(self._noise.encrypt(plain)))

    def _shake_hands(self, body: bytes) -> None:
        try:
            self._noise.read_message(body[1:])
        except InvalidTag:
            self._say(_noise_frame(b"\1Handshake MAC failure"))
            raise Rejected from None
        self._say(_noise_frame(b"\0" + bytes(self._noise.write_message())))

    def _decrypt(self, body: bytes) -> Frame:
        plain = bytes(self._noise.decrypt(body))
        return int.from_bytes(plain[:2]), plain[4 : 4 + int.from_bytes(plain[2:4])]


def _noise_frame(body: bytes) -> bytes:
    return b"\1" + len(body).to_bytes(2) + body


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def _read_varint(data: bytearray, at: int) -> tuple[int, int]:
    """The number that is written there, and where it ends; ends at 0: it is not complete. `at` 0: nothing was there."""
    number = shift = 0
    while 0 < at < len(data):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at
    return 0, 0
