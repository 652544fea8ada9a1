"""One USB board taken over from the kernel: found, claimed, read, and given back as it was. All of it blocks.

Three things are decided here. The kernel takes such a board for a keyboard and would type its hits into the console,
so the kernel's driver is sent away, and called back at the end. Each board has a libusb of its own: a shared one
learns of a board plugged in later from udev alone, and in a container never. And a read waits without a limit, as the
kernel's own driver does: taking a transfer back every now and then, only to look whether somebody wants to close, is
a chance to lose a report each time; giving up the interface ends it just as well.
"""

from __future__ import annotations

import errno
from contextlib import ExitStack, suppress
from threading import Lock
from typing import Any

import usb.core  # type: ignore[import-untyped]  # pyusb ships no types: what comes from it is Any
import usb.util  # type: ignore[import-untyped]
from usb.backend import libusb1  # type: ignore[import-untyped]

from drivers import libusb
from drivers.transport import LinkError, Refused, Unavailable
from drivers.udev import RULES_FILE, rule
from drivers.usb_plugged import Plugged
from protocol.profile import Usb

TROUBLE = (usb.core.USBError, ValueError, NotImplementedError)
"""What pyusb raises: ValueError for a device that vanished, NotImplementedError for what libusb cannot."""

_WAIT_MS = 1000
_HID = 0x03
_BOOT_KEYBOARD = (0x01, 0x01)
_TO_INTERFACE = 0x21
_SET_REPORT, _SET_IDLE, _SET_PROTOCOL = 0x09, 0x0A, 0x0B
_OUTPUT_REPORT = 0x0200
_BOOT, _REPORT = 0, 1

_opening = Lock()


class UsbBoard:
    """A claimed board. Made from what was found and `how` the profile says it speaks; raises Unavailable or Refused.

    One thread reads; it calls `give_back` when it is done. The others may be called from any thread.
    """

    def __init__(self, found: Plugged, how: Usb) -> None:
        self._found = found
        self._how = how
        self._lock = Lock()
        self._backend = _libusb()
        self._device: Any = None  # pyusb's, as the two endpoints
        self._in: Any = None
        self._out: Any = None
        try:
            with ExitStack() as undo:
                undo.callback(self._forget)
                self._take(undo)
                self._undo = undo.pop_all()
        except TROUBLE as error:
            raise _explained(error, found) from None

    def read(self) -> bytes:
        """Waits for a report; b"" when the interface was released meanwhile. Raises TROUBLE."""
        return bytes(self._in.read(self._in.wMaxPacketSize & 0x7FF, timeout=0))

    def write(self, data: bytes) -> None:
        """Sends a report. What the board refuses is passed over. Raises TROUBLE, a timeout among them."""
        with self._lock:
            if self._device is None:
                raise usb.core.USBError("given back", errno=errno.ENODEV)
            try:
                if self._out is not None:
                    self._out.write(data, timeout=_WAIT_MS)
                else:
                    self._ask(_SET_REPORT, _OUTPUT_REPORT, data)
            except usb.core.USBError as error:
                if error.errno != errno.EPIPE:
                    raise
                if self._out is not None:
                    self._out.clear_halt()

    def clear(self) -> None:
        """Lets the endpoint speak again after it had stalled. Raises TROUBLE."""
        self._in.clear_halt()

    def release(self) -> None:
        """Gives the interface up, which ends a read in flight. A read that begins at this moment claims it anew."""
        with self._lock, suppress(*TROUBLE):
            if self._device is not None:
                # That was between the kernel and the read: pyusb gives up only what it has claimed itself.
                usb.util.claim_interface(self._device, self._how.interface)
                usb.util.release_interface(self._device, self._how.interface)

    def give_back(self) -> None:
        """Leaves the board to the kernel as it was found. May be called twice; never raises."""
        with self._lock:
            self._undo.close()

    def _take(self, undo: ExitStack) -> None:
        self._device = device = self._find()
        undo.callback(usb.util.dispose_resources, device)
        interface = self._interface()
        number = interface.bInterfaceNumber
        if device.is_kernel_driver_active(number):
            device.detach_kernel_driver(number)
            undo.callback(_quietly, device.attach_kernel_driver, number)
        usb.util.claim_interface(device, number)
        undo.callback(_quietly, usb.util.release_interface, device, number)
        if interface.bInterfaceClass == _HID:
            _quietly(self._ask, _SET_IDLE, 0)  # else a key held down repeats its report
            if (interface.bInterfaceSubClass, interface.bInterfaceProtocol) == _BOOT_KEYBOARD:
                _quietly(self._ask, _SET_PROTOCOL, _BOOT)  # the one report format every keyboard shares
                undo.callback(_quietly, self._ask, _SET_PROTOCOL, _REPORT)

    def _find(self) -> Any:
        node = self._found.node
        found = usb.core.find(
            backend=self._backend, custom_match=lambda d: f"/dev/bus/usb/{d.bus:03}/{d.address:03}" == node
        )
        if found is None:
            raise Unavailable(f"the USB board {self._found.label} was pulled out again: plug it in")
        return found

    def _interface(self) -> Any:
        """The interface the profile names; keeps its two endpoints. A board without a configuration gets its first."""
        try:
            configuration = self._device.get_active_configuration()
        except usb.core.USBError as error:
            if error.errno is not None:
                raise
            self._device.set_configuration()
            configuration = self._device.get_active_configuration()
        number, wanted = self._how.interface, self._how.endpoint
        interface = usb.util.find_descriptor(configuration, bInterfaceNumber=number, bAlternateSetting=0)
        ends = [e for e in interface or () if usb.util.endpoint_type(e.bmAttributes) == usb.util.ENDPOINT_TYPE_INTR]
        for end in ends:
            address = end.bEndpointAddress
            if usb.util.endpoint_direction(address) == usb.util.ENDPOINT_OUT:
                self._out = self._out or end
            elif self._in is None and wanted in (None, address):
                self._in = end
        if self._in is None:
            what = f"endpoint 0x{wanted:02x}" if wanted else "interrupt endpoint"
            raise Refused(
                f"the USB board {self._found.label} has no {what} to read from on interface {number}:"
                " choose another profile, or correct [usb] in this one"
            )
        return interface

    def _ask(self, request: int, value: int, data: bytes = b"") -> None:
        self._device.ctrl_transfer(_TO_INTERFACE, request, value, self._how.interface, data, _WAIT_MS)

    def _forget(self) -> None:
        """Lets pyusb's objects go, the device before the libusb it belongs to: in the other order it may crash."""
        self._in = self._out = self._device = None
        self._backend = None


def _libusb() -> Any:
    """A libusb of one's own; raises Refused."""
    with _opening:
        backend = libusb1.get_backend(find_library=lambda _: libusb.LIBRARY)
        libusb1._lib_object = None  # noqa: SLF001  else pyusb would hand the same one out again, and keep it open
    if backend is not None:
        return backend
    if not libusb.is_installed():
        raise Refused(libusb.MISSING)
    raise Refused("libusb does not start: a service needs AF_NETLINK among its RestrictAddressFamilies")


def _quietly(call: Any, *args: Any) -> None:  # Any: pyusb's functions
    """For what a board need not understand, and for giving back what may be gone."""
    with suppress(*TROUBLE):
        call(*args)


def _explained(error: Exception, found: Plugged) -> LinkError:
    code = getattr(error, "errno", None)
    board = f"the USB board {found.label}"
    if code in (errno.EACCES, errno.EPERM):
        return Refused(
            f"no permission to use {board}: write the line {rule(found.vid, found.pid)} to {RULES_FILE},"
            " run udevadm control --reload as root, and plug the board in again"
        )
    if code == errno.EBUSY:
        return Refused(
            f"another program holds {board} in port {found.bus}: close it (fuser {found.node} names it), or say which"
            " of several equal boards is meant with ?bus= or ?serial="
        )
    if code in (errno.ENODEV, errno.ENOENT, errno.ESHUTDOWN):
        return Unavailable(f"{board} was pulled out again: plug it in")
    return Unavailable(f"{board} does not answer as it should: plug it in again, or into another port")
