"""A board that speaks by USB interrupt reports, as a link.

The interface is taken from the kernel's driver in a way that can be undone step by step, and given back at the end.
Each board has a libusb of its own: a shared one learns of a board that is plugged in later from udev alone, and in a
container never. One thread a board does nothing but read, without a limit, as the kernel's own driver does: taking a
transfer back every now and then is a chance to lose a report each time; giving up the interface ends it just as well.
The thread reads only while there is room, so the board waits and nothing is dropped; it is the thread that gives the
board back, so no closed device is ever used. What was read before a board was pulled out is handed out before the loss.
"""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from threading import Event, Lock, Semaphore, Thread
from typing import Any

import usb.core  # type: ignore[import-untyped]  # pyusb ships no types: what comes from it is Any
import usb.util  # type: ignore[import-untyped]
from usb.backend import libusb1  # type: ignore[import-untyped]

from drivers import usb_devices
from drivers.address import Address
from drivers.cancellation import finish_before_cancel
from drivers.transport import LinkError, Lost, Refused, Transport, Unavailable
from drivers.udev import RULES_FILE, make_rule
from drivers.usb_devices import UsbDevice, list_usb_devices, match_address
from protocol.profile import Profile, Usb
from protocol.sentence import Sentence, say

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

    def __init__(self, found: UsbDevice, how: Usb) -> None:
        self._found = found
        self._how = how
        self._lock = Lock()
        self._backend = _load_libusb()
        self._device: Any = None  # pyusb's, as the two endpoints
        self._in: Any = None
        self._out: Any = None
        try:
            with ExitStack() as undo:
                undo.callback(self._forget)
                self._take(undo)
                self._undo = undo.pop_all()
        except TROUBLE as error:
            raise _explain_error(error, found) from None

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
        """Clears a stall of the endpoint. Raises TROUBLE."""
        self._in.clear_halt()

    def release(self) -> None:
        """Gives the interface up, which ends a read in flight. A read that begins at this moment claims it again."""
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
        interface = self._claim_interface()
        number = interface.bInterfaceNumber
        if device.is_kernel_driver_active(number):
            device.detach_kernel_driver(number)
            undo.callback(_call_quietly, device.attach_kernel_driver, number)
        usb.util.claim_interface(device, number)
        undo.callback(_call_quietly, usb.util.release_interface, device, number)
        if interface.bInterfaceClass == _HID:
            _call_quietly(self._ask, _SET_IDLE, 0)  # else a key held down repeats its report
            if (interface.bInterfaceSubClass, interface.bInterfaceProtocol) == _BOOT_KEYBOARD:
                _call_quietly(self._ask, _SET_PROTOCOL, _BOOT)  # the one report format every keyboard shares
                undo.callback(_call_quietly, self._ask, _SET_PROTOCOL, _REPORT)

    def _find(self) -> Any:
        node = self._found.node
        found = usb.core.find(
            backend=self._backend, custom_match=lambda d: f"/dev/bus/usb/{d.bus:03}/{d.address:03}" == node
        )
        if found is None:
            raise Unavailable(say(*_GONE, name=self._found.label))
        return found

    def _claim_interface(self) -> Any:
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
            said = say(
                "link.usb_endpoint",
                "the USB board {name} has no {what} to read from on interface {number}: choose another profile, or "
                "correct [usb] in this one",
                name=self._found.label,
                what=f"endpoint 0x{wanted:02x}" if wanted else "interrupt endpoint",
                number=number,
            )
            raise Refused(said)
        return interface

    def _ask(self, request: int, value: int, data: bytes = b"") -> None:
        self._device.ctrl_transfer(_TO_INTERFACE, request, value, self._how.interface, data, _WAIT_MS)

    def _forget(self) -> None:
        """Lets pyusb's objects go, the device before the libusb it belongs to: in the other order it may crash."""
        self._in = self._out = self._device = None
        self._backend = None


def _load_libusb() -> Any:
    """A new instance of libusb; raises Refused."""
    with _opening:
        backend = libusb1.get_backend(find_library=lambda _: usb_devices.LIBUSB)
        libusb1._lib_object = None  # noqa: SLF001  else pyusb would hand the same one out again, and keep it open
    if backend is not None:
        return backend
    if not usb_devices.is_libusb_installed():
        raise Refused(usb_devices.LIBUSB_MISSING)
    raise Refused(
        say("link.no_netlink", "libusb cannot start: add AF_NETLINK to RestrictAddressFamilies of the service")
    )


def _call_quietly(call: Any, *args: Any) -> None:  # Any: pyusb's functions
    """Calls it and passes over TROUBLE: for requests that a board may refuse, and for devices that may be gone."""
    with suppress(*TROUBLE):
        call(*args)


def _explain_error(error: Exception, found: UsbDevice) -> LinkError:
    code = getattr(error, "errno", None)
    if code in (errno.EACCES, errno.EPERM):
        said = say(
            "link.usb_denied",
            "no permission to use the USB board {name}: write the line {given} to {file}, run "
            "sudo udevadm control --reload, and plug the board in again",
            name=found.label,
            given=make_rule(found.vid, found.pid),
            file=RULES_FILE,
        )
        return Refused(said)
    if code == errno.EBUSY:
        said = say(
            "link.usb_held",
            "another program uses the USB board {name} in port {bus}: close it (fuser {given} names "
            "it), or choose one of several identical boards with ?bus= or ?serial=",
            name=found.label,
            bus=found.bus,
            given=found.node,
        )
        return Refused(said)
    if code in (errno.ENODEV, errno.ENOENT, errno.ESHUTDOWN):
        return Unavailable(say(*_GONE, name=found.label))
    return Unavailable(say(*_ODD, name=found.label))


_GONE = "link.usb_gone", "the USB board {name} was unplugged again: plug it in"
_PULLED = "link.usb_pulled", "the USB board {name} was unplugged or switched off: plug it in again"
_FULL = "link.usb_full", "the USB board {name} accepts no more bytes: plug it in again"
_FAILS = "link.usb_fails", "every read from the USB board {name} fails: try another cable or another port"
_ODD = "link.usb_odd", "the USB board {name} does not answer as it should: plug it in again, or into another port"
_BROKEN = (
    "link.usb_broken",
    "the USB board {name} cannot be read because of a mistake in oche: plug it in again, and report it",
)

_KEPT_REPORTS = 1024
_BAD_READS = 25
"""Failed reads in a row before a board that is still there is given up."""
_PAUSE_S = 0.02
"""Between failed reads: a cable that is being pulled fails for some time before the board is gone."""
_WAKE_S = 0.05


class UsbTransport(Transport):
    """An open board; `receive` is one report. Made by `open_reports`."""

    def __init__(self, board: UsbBoard, label: str) -> None:
        self._board = board
        self._label = label
        self._loop = asyncio.get_running_loop()
        self._reports: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._sending = asyncio.Lock()
        self._lost: Lost | None = None
        self._room = Semaphore(_KEPT_REPORTS)
        self._closing = Event()
        self._reader = Thread(target=self._listen, name=f"USB board {label}", daemon=True)
        self._reader.start()

    async def receive(self) -> bytes:
        """One report, as the board sent it."""
        while not self._reports:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        self._room.release()
        return self._reports.popleft()

    async def send(self, data: bytes) -> None:
        """One report for the board; this waits until the board has taken it."""
        if self._lost is not None:
            raise self._lost
        async with self._sending:
            try:
                await self._loop.run_in_executor(None, self._board.write, data)
            except TROUBLE as error:
                if getattr(error, "errno", None) == errno.ENODEV:
                    raise Lost(self._say(_PULLED)) from None  # the reader says when it is over: it may have reports
                self._end(self._say(_FULL))
        if self._lost is not None:
            raise self._lost

    async def aclose(self) -> None:
        """Ends the reader, which gives the board back to the kernel: all of it, even when cancelled meanwhile."""
        self._end(f"the USB board {self._label} is closed")
        await finish_before_cancel(asyncio.to_thread(self._shut))

    def _end(self, reason: str | Sentence) -> None:
        self._lost = self._lost or Lost(reason)
        self._news.set()

    def _arrive(self, report: bytes) -> None:
        self._reports.append(report)
        self._news.set()

    def _shut(self) -> None:
        """Ends the reader, whatever it waits for."""
        self._closing.set()
        self._room.release()
        while self._reader.is_alive():
            self._board.release()  # ends a read in flight; one that begins at this moment is ended the next time
            self._reader.join(_WAKE_S)

    def _listen(self) -> None:
        """The thread: reads to the end, gives the board back, and says why it ended."""
        reason: str | Sentence = self._say(_BROKEN)
        try:
            reason = self._read_on()
        finally:  # whatever it was, `receive` must not wait for a reader that has ended
            self._board.give_back()
            self._tell(self._end, reason)

    def _read_on(self) -> str | Sentence:
        bad_reads = 0
        while True:
            self._room.acquire()
            if self._closing.is_set():
                return f"the USB board {self._label} is closed"
            try:
                report = self._board.read()
            except TROUBLE as error:
                bad_reads += 1
                code = getattr(error, "errno", None)
                if code == errno.ENODEV:
                    return self._say(_PULLED)
                if bad_reads == _BAD_READS:
                    return self._say(_FAILS)
                if code == errno.EPIPE:
                    with suppress(*TROUBLE):
                        self._board.clear()
                self._closing.wait(_PAUSE_S)
                report = b""
            else:
                bad_reads = 0
            if report:
                self._tell(self._arrive, report)
            else:
                self._room.release()

    def _tell(self, call: Callable[[Any], None], what: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call, what)

    def _say(self, what: tuple[str, str]) -> Sentence:
        return say(*what, name=self._label)


async def open_reports(address: Address, profile: Profile) -> UsbTransport:
    """Opens the board an address means; raises Unavailable or Refused with what to do, AddressError for no id."""
    taking = asyncio.to_thread(_take, address, profile)
    board, label = await finish_before_cancel(taking, give_back=lambda taken: asyncio.to_thread(taken[0].give_back))
    return UsbTransport(board, label)


def _take(address: Address, profile: Profile) -> tuple[UsbBoard, str]:
    if profile.usb is None:
        said = say(
            "link.usb_profile",
            "the profile {name} does not describe a USB board: correct the profile or the address {given}",
            name=profile.id,
            given=str(address),
        )
        raise Refused(said)
    found = match_address(list_usb_devices(), address, profile.usb)
    if not found:
        of_profile = say("link.of_profile", "of the profile {name}", name=profile.id)
        absent = "link.no_usb", "there is no USB board {given}: plug it in; oche scan shows what is there"
        is_any = address.target == "auto"
        raise Unavailable(say(*absent, given=of_profile if is_any else str(address).removeprefix("usb:")))
    return UsbBoard(found[0], profile.usb), found[0].label
