"""USB devices in software, plugged into the kernel's virtual host controller (vhci_hcd) over USB/IP.

The kernel then does with them what it does with a real one: it enumerates them, binds its drivers, makes their nodes,
and takes all of that away when they are unplugged. No `usbip` tool is needed: one end of a socket pair is handed to
the controller, we are the device at the other end. Plugging in takes root and a kernel with vhci_hcd (`make rig`).
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

BULK, INTERRUPT = 2, 3
"""Kinds of endpoint."""

_CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
_FREE = "004"
_FULL_SPEED = 2
_DEVICE_NUMBER = 1 << 16 | 2
_SUBMIT, _UNLINK, _SUBMITTED, _UNLINKED = 1, 2, 3, 4
_HEAD = struct.Struct(">7I12x8s")
_HEAD_BYTES = 48
_STALLED, _UNLINKED_IN_TIME = -32, -104
_TO_HOST = 0x80
_STANDARD = 0x60
"""The bits of a request's kind that are 0 for a request every device has to answer."""
_GET_STATUS, _GET_DESCRIPTOR, _SET_CONFIGURATION, _GET_INTERFACE = 0, 6, 9, 10
_DEVICE, _CONFIGURATION, _STRING = 1, 2, 3
_ENGLISH = b"\x09\x04"
"""The only language of the texts."""


class Endpoint(NamedTuple):
    """`address` has bit 7 set when the device sends; `size` is that of a packet in bytes."""

    address: int
    kind: int
    size: int
    interval_ms: int = 0

    def descriptor(self) -> bytes:
        """As it stands in the configuration."""
        return struct.pack("<BBBBHB", 7, 5, self.address, self.kind, self.size, self.interval_ms)


class Interface(NamedTuple):
    """`code` is class, subclass and protocol; `extra` the descriptors of its class, which follow its own.

    `group` is the descriptor before it that says which interfaces are one function.
    """

    code: tuple[int, int, int]
    endpoints: Sequence[Endpoint]
    extra: bytes = b""
    group: bytes = b""

    def descriptor(self, number: int) -> bytes:
        """As it stands in the configuration."""
        head = struct.pack("<BBBBBBBBB", 9, 4, number, 0, len(self.endpoints), *self.code, 0)
        return self.group + head + self.extra + b"".join(endpoint.descriptor() for endpoint in self.endpoints)


class Identity(NamedTuple):
    """What a device tells of itself before anything else; `release` in binary coded decimals."""

    vendor: int
    product: int
    texts: tuple[str, str, str]
    """Maker, product, serial number."""
    code: tuple[int, int, int] = (0, 0, 0)
    release: int = 0x0100


class ControlRequest(NamedTuple):
    """A request on the control endpoint, in the order of the USB specification: bmRequestType to wLength."""

    kind: int
    request: int
    value: int
    about: int
    length: int


class VirtualUsbDevice:
    """A device. A kind of device overrides `answer` and `received`. All methods belong to the running event loop."""

    def __init__(self, identity: Identity, interfaces: Sequence[Interface], first_interface: int = 0) -> None:
        self.identity = identity
        texts, code = identity.texts, identity.code
        head = (identity.vendor, identity.product, identity.release)
        self._about = {_DEVICE: struct.pack("<BBHBBBBHHHBBBB", 18, _DEVICE, 0x0200, *code, 64, *head, 1, 2, 3, 1)}
        body = b"".join(interface.descriptor(number) for number, interface in enumerate(interfaces, first_interface))
        about = struct.pack("<BBHBBBBB", 9, _CONFIGURATION, 9 + len(body), len(interfaces), 1, 0, 0x80, 50)
        self._about[_CONFIGURATION] = about + body
        self._texts = (_ENGLISH, *(text.encode("utf-16-le") for text in texts))
        self._configuration = 0
        self._waiting: defaultdict[int, deque[tuple[int, int]]] = defaultdict(deque)
        """Reads of the host that are not answered yet, by endpoint: number and room in bytes."""
        self._unread: defaultdict[int, deque[bytes]] = defaultdict(deque)
        self._plug: socket.socket | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def is_plugged(self) -> bool:
        """Is the plug in?"""
        return self._plug is not None

    @property
    def is_read(self) -> bool:
        """Has the host read all that was sent?"""
        return not any(self._unread.values())

    def plug(self) -> None:
        """Plugs it in; the kernel looks at it from now on. Raises OSError when this kernel has no such controller."""
        if self._plug is not None:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            line = f"{_find_free_port()} {theirs.fileno()} {_DEVICE_NUMBER} {_FULL_SPEED}"
            (_CONTROLLER / "attach").write_text(line, encoding="ascii")
        ours.setblocking(False)
        self._plug = ours
        self._serving = asyncio.create_task(self._serve(ours), name="USB device")

    def pull(self) -> None:
        """Pulls the plug: what the host has not read is gone."""
        if self._plug is None:
            return
        with suppress(OSError):
            self._plug.shutdown(socket.SHUT_RDWR)  # ends `_serve` too
        self._plug = self._writer = None
        self._waiting.clear()
        self._unread.clear()
        self._configuration = 0

    def tear(self, endpoint: int, data: bytes) -> None:
        """Pulls the plug while the second half of this packet is on the wire. The host must be reading."""
        if self._writer is not None and self._waiting[endpoint]:
            number, _ = self._waiting[endpoint].popleft()
            self._writer.write(_submitted(number, 0, len(data)) + data[: len(data) // 2])
        self.pull()

    def send(self, endpoint: int, data: bytes) -> None:
        """Hands out a packet when the host next asks this endpoint."""
        if self._writer is not None:
            self._unread[endpoint].append(data)
            self._hand_out(endpoint)

    def is_waited_for(self, endpoint: int) -> bool:
        """Does the host wait for something from this endpoint?"""
        return self._plug is not None and bool(self._waiting[endpoint])

    def forget(self, endpoint: int) -> None:
        """Throws away what the host has not read."""
        self._unread[endpoint].clear()

    def answer(self, request: ControlRequest, data: bytes) -> bytes | None:
        """The answer to a request of the device's class or maker; None refuses it. `data` came along with it."""
        return None

    def received(self, endpoint: int, data: bytes) -> None:
        """The host has sent this."""

    def asked(self, endpoint: int) -> None:
        """The host waits for something from this endpoint."""

    async def _serve(self, plug: socket.socket) -> None:
        """Everything the host asks, until the plug is pulled."""
        reader, writer = await asyncio.open_connection(sock=plug)
        self._writer = writer if self._plug is plug else None
        try:
            while True:
                head = await reader.readexactly(_HEAD_BYTES)
                if self._plug is not plug:
                    return  # what was asked before the plug was pulled; perhaps it is in again
                command, number, _, is_read, endpoint, at_20, length, setup = _HEAD.unpack(head)
                if command == _UNLINK:
                    writer.write(struct.pack(">5Ii24x", _UNLINKED, number, 0, 0, 0, self._unlink(at_20)))
                    continue
                data = b"" if is_read else await reader.readexactly(length)
                if endpoint == 0:
                    writer.write(self._control(number, ControlRequest(*struct.unpack("<BBHHH", setup)), data))
                elif is_read:
                    self._waiting[endpoint | _TO_HOST].append((number, length))
                    self._hand_out(endpoint | _TO_HOST)
                    self.asked(endpoint | _TO_HOST)
                else:
                    self.received(endpoint, data)
                    writer.write(_submitted(number, 0, length))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the plug was pulled
        finally:
            writer.close()

    def _hand_out(self, endpoint: int) -> None:
        waiting, unread = self._waiting[endpoint], self._unread[endpoint]
        while self._writer is not None and waiting and unread:
            number, room = waiting.popleft()
            data = unread.popleft()[:room]
            self._writer.write(_submitted(number, 0, len(data)) + data)

    def _unlink(self, victim: int) -> int:
        for waiting in self._waiting.values():
            for entry in waiting:
                if entry[0] == victim:
                    waiting.remove(entry)
                    return _UNLINKED_IN_TIME
        return 0

    def _control(self, number: int, request: ControlRequest, data: bytes) -> bytes:
        said = self.answer(request, data) if request.kind & _STANDARD else self._standard(request)
        if said is None:
            return _submitted(number, _STALLED, 0)
        if not request.kind & _TO_HOST:
            return _submitted(number, 0, len(data))
        said = said[: request.length]
        return _submitted(number, 0, len(said)) + said

    def _standard(self, request: ControlRequest) -> bytes | None:
        if request.kind & _TO_HOST:
            kind, index = divmod(request.value, 256)
            match (request.request, kind):
                case (n, k) if n == _GET_DESCRIPTOR and k in self._about:
                    return self._about[k]
                case (n, k) if n == _GET_DESCRIPTOR and k == _STRING and index < len(self._texts):
                    return bytes([2 + len(self._texts[index]), _STRING]) + self._texts[index]
                case (n, _) if n == _GET_DESCRIPTOR:
                    return self.answer(request, b"")
            return {_GET_STATUS: b"\0\0", _GET_INTERFACE: b"\0"}.get(request.request, bytes([self._configuration]))
        if request.request == _SET_CONFIGURATION:
            self._configuration = request.value
        return b""


def _submitted(number: int, status: int, length: int) -> bytes:
    return struct.pack(">5IiI3I8x", _SUBMITTED, number, 0, 0, 0, status, length, 0, 0xFFFFFFFF, 0)


def _find_free_port() -> int:
    for line in (_CONTROLLER / "status").read_text(encoding="ascii").splitlines():
        hub, port, state, *_ = line.split()
        if hub == "hs" and state == _FREE:
            return int(port)
    raise OSError("every port of the virtual USB controller is taken: unplug a device first")
