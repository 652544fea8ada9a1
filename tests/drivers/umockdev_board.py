"""A USB board under umockdev, and the kernel's side of it: what libusb asks of a device's node is answered here.

It keeps what the kernel would keep: who has claimed the interface, which driver is bound to it, which transfers wait.
"""

from __future__ import annotations

import errno
import struct
from collections import deque
from typing import Any  # umockdev's objects have no types

import gi  # type: ignore[import-not-found, import-untyped, unused-ignore]  # the system's, not the environment's

gi.require_version("UMockdev", "1.0")
from gi.repository import (  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: E402
    GLib,
    UMockdev,
)


def _ioctl(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("U") << 8 | number


GET_DRIVER, SUBMIT, DISCARD = _ioctl(1, 8, 260), _ioctl(2, 10, 56), _ioctl(0, 11, 0)
REAP, REAP_NOW = _ioctl(1, 12, 8), _ioctl(1, 13, 8)
SET_CONFIGURATION, CLAIM, RELEASE, CLEAR = _ioctl(2, 5, 4), _ioctl(2, 15, 4), _ioctl(2, 16, 4), _ioctl(2, 21, 4)
DRIVER, CAPABILITIES, CAPABILITIES_READ = _ioctl(3, 18, 16), _ioctl(2, 26, 4), _ioctl(1, 26, 4)
DETACH = _ioctl(0, 22, 0)
EMPTY_REAP_MS = 2
"""The mocked node always says that there is something to reap; unpaced, libusb would ask without end."""


class Transfer:
    """One URB on its way."""

    def __init__(self, arg: Any) -> None:
        self.urb = arg.resolve(0, 56)
        kind, self.endpoint, self.size = struct.unpack_from("<BB22xi", bytes(self.urb.retrieve()))
        self.is_control = kind == 2
        self.buffer = self.urb.resolve(16, self.size) if self.size else None
        self.sent = bytes(self.buffer.retrieve()) if self.buffer and not self.endpoint & 0x80 else b""

    def end(self, status: int, data: bytes | None = None, offset: int = 0) -> None:
        """`data` is what was read; None: all was written, if status is 0."""
        if data and self.buffer is not None:
            data = data[: self.size - offset]
            self.buffer.update(offset, data)
        done = len(data) if data is not None else 0 if status else self.size
        self.urb.update(4, struct.pack("<i", -status))
        self.urb.update(28, struct.pack("<i", done))


class Opener:
    """The process that has the board's node open."""

    def __init__(self) -> None:
        self.waiting: list[Transfer] = []
        self.done: deque[Transfer] = deque()
        self.reaper: Any = None


class Board:
    """What is said about it is in the command that plugs it in."""

    def __init__(self, bed: Any, number: int, said: dict[str, Any]) -> None:
        self.bed, self.said = bed, said
        self.path = f"/devices/pci0000:00/usb1/{said['port']}"
        self.node = f"/dev/bus/usb/001/{number:03}"
        self.openers: dict[Any, Opener] = {}
        self.reports: deque[bytes] = deque()
        self.faults: dict[str, list[int]] = {}
        self.driver: str | None = said.get("driver")
        self.holder: Any = None
        self.is_gone = False
        self.log: list[list[Any]] = []
        self.ioctls = UMockdev.IoctlBase()
        self.ioctls.connect("handle-ioctl", self.handle)
        self.ioctls.connect("client-vanished", self.vanished)
        bed.attach_ioctl(self.node, self.ioctls)
        texts = "".join(
            f"A: {name}={said[name]}\\n\n" for name in ("product", "manufacturer", "serial") if name in said
        )
        bed.add_from_string(
            f"P: {self.path}\nN: bus/usb/001/{number:03}\n"
            f"E: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM={number:03}\nE: DEVNAME={self.node}\n"
            f"A: busnum=1\\n\nA: devnum={number}\\n\nA: speed=12\\n\nA: bDeviceClass=00\\n\n"
            f"A: bConfigurationValue={int(said.get('configured', True))}\\n\n"
            f"A: idVendor={said['vid']:04x}\\n\nA: idProduct={said['pid']:04x}\\n\n{texts}"
            f"H: descriptors={self.descriptors().hex()}\n"
        )
        bed.uevent(f"/sys{self.path}", "add")

    def descriptors(self) -> bytes:
        said = self.said
        ends = [struct.pack("<BBBBHB", 7, 5, 0x81, 3, 8, 10)]
        if said.get("listens"):
            ends.append(struct.pack("<BBBBHB", 7, 5, 0x02, 3, 8, 10))
        kind = said.get("kind", [0xFF, 0, 0])
        interface = struct.pack("<9B", 9, 4, said.get("interface", 0), 0, len(ends), *kind, 0) + b"".join(ends)
        device = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x110, 0, 0, 0, 8, said["vid"], said["pid"], 0x100, 1, 2, 3, 1)
        return device + struct.pack("<BBHBBBBB", 9, 2, 9 + len(interface), 1, 1, 0, 0x80, 50) + interface

    def unplug(self) -> None:
        self.is_gone = True
        for opener in self.openers.values():
            while opener.waiting:
                self.finish(opener, opener.waiting.pop(), errno.ESHUTDOWN, b"")
            if opener.reaper is not None:
                self.reap(opener)
        self.bed.uevent(f"/sys{self.path}", "remove")
        self.bed.remove_device(f"/sys{self.path}")

    def say(self, report: bytes) -> None:
        self.reports.append(report)
        self.deliver()

    def deliver(self) -> None:
        for opener in self.openers.values():
            for transfer in [t for t in opener.waiting if t.endpoint & 0x80 and not t.is_control]:
                if self.reports:
                    opener.waiting.remove(transfer)
                    self.finish(opener, transfer, 0, self.reports.popleft())

    def finish(
        self, opener: Opener, transfer: Transfer, status: int, data: bytes | None = None, offset: int = 0
    ) -> None:
        transfer.end(status, data, offset)
        opener.done.append(transfer)
        if opener.reaper is not None:
            self.reap(opener)

    def reap(self, opener: Opener) -> None:
        """Answers the one who waits for transfers that are done."""
        client, opener.reaper = opener.reaper, None
        if opener.done:
            client.get_arg().resolve(0, 8).set_ptr(0, opener.done.popleft().urb)
            client.complete(0, 0)
        else:
            client.complete(-1, errno.ENODEV if self.is_gone else errno.EAGAIN)

    def reap_nothing(self, opener: Opener) -> bool:
        """Time is up for one who waits; False: once."""
        if opener.reaper is not None:
            self.reap(opener)
        return False

    def fault(self, what: str) -> int:
        """The next error this was told to have, 0 for none."""
        waiting = self.faults.get(what)
        return waiting.pop(0) if waiting else 0

    def vanished(self, _: Any, client: Any) -> None:
        self.openers.pop(client, None)
        if self.holder == client:
            self.holder = None

    def handle(self, _: Any, client: Any) -> bool:
        opener = self.openers.setdefault(client, Opener())
        request, arg = client.get_request() & 0xFFFFFFFF, client.get_arg()
        if request in (REAP, REAP_NOW):
            opener.reaper = client
            if opener.done or self.is_gone or not opener.waiting:
                self.reap(opener)
            else:
                GLib.timeout_add(EMPTY_REAP_MS, self.reap_nothing, opener)
        elif self.is_gone:
            client.complete(-1, errno.ENODEV)
        elif request == SUBMIT:
            transfer = Transfer(arg)
            code = self.fault("submit")
            client.complete(-1 if code else 0, code)
            if not code:
                self.submit(opener, transfer)
        elif request == DISCARD:
            address = struct.unpack("<Q", bytes(arg.retrieve())[:8])[0]
            found = next((t for t in opener.waiting if t.urb.client_addr == address), None)
            client.complete(0 if found else -1, 0 if found else errno.EINVAL)
            if found:
                opener.waiting.remove(found)
                self.finish(opener, found, errno.ENOENT, b"")
        else:
            code = self.control(request, client, opener, arg)
            client.complete(-1 if code else 0, code)
        return True

    def control(self, request: int, client: Any, opener: Opener, arg: Any) -> int:
        """The calls that are answered at once: 0, or the error's number."""
        if request in (CAPABILITIES, CAPABILITIES_READ):
            arg.resolve(0, 4).update(0, struct.pack("<I", 0x17))
        elif request == GET_DRIVER:
            return self.tell_driver(arg.resolve(0, 260))
        elif request == CLAIM:
            return self.claim(client)
        elif request == RELEASE:
            self.release(opener)
        elif request == DRIVER:
            return self.drive(*struct.unpack_from("<4xi", bytes(arg.resolve(0, 16).retrieve())))
        elif request == SET_CONFIGURATION:
            self.bed.set_attribute(f"/sys{self.path}", "bConfigurationValue", "1\n")
        elif request == CLEAR:
            self.log.append(["clear"])
        return 0

    def tell_driver(self, answer: Any) -> int:
        name = "usbfs" if self.holder is not None else self.driver
        if name is None:
            return errno.ENODATA
        answer.update(4, name.encode() + b"\0")
        return 0

    def drive(self, wanted: int) -> int:
        """Sends the kernel's driver away, or calls it back."""
        if wanted == DETACH:
            self.driver = None
        elif self.holder is None:
            self.driver = self.said.get("driver")
        else:
            return errno.EBUSY
        return 0

    def claim(self, client: Any) -> int:
        if code := self.fault("claim"):
            return code
        if self.driver is not None or self.holder not in (None, client):
            return errno.EBUSY
        self.holder = client
        return 0

    def release(self, opener: Opener) -> None:
        self.holder = None
        for transfer in [t for t in opener.waiting if t.endpoint & 0x80 and not t.is_control]:
            opener.waiting.remove(transfer)
            self.finish(opener, transfer, errno.ENOENT, b"")

    def submit(self, opener: Opener, transfer: Transfer) -> None:
        if transfer.is_control:
            kind, number, value, index, _ = struct.unpack_from("<BBHHH", transfer.sent)
            self.log.append(["control", kind, number, value, index, transfer.sent[8:].hex()])
            self.finish(opener, transfer, self.fault("control"))
        elif transfer.endpoint & 0x80:
            if code := self.fault("read"):
                self.finish(opener, transfer, code, b"")
            else:
                opener.waiting.append(transfer)
                self.deliver()
        elif self.said.get("listens") == "never":
            opener.waiting.append(transfer)
        else:
            self.log.append(["out", transfer.endpoint, transfer.sent.hex()])
            self.finish(opener, transfer, self.fault("write"))
