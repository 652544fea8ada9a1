"""Boards with a USB plug: one behind a serial chip, one that speaks by interrupt reports.

The kernel's own drivers serve both, through its virtual host controller. Of the FTDI FT232R the kernel makes a real
/dev/ttyUSB0: unlike a pty, that port has a driver which can lose it in the middle of a transfer, and a chip that is
told the speed. A board that says it is a keyboard is an Arduino Leonardo, serial port and all: usbhid takes it for a
keyboard that people type on.
"""

from __future__ import annotations

import asyncio
import struct
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress

from protocol.codebook import Codebook
from simulator.board import FirmwareBoard, loop_time_ns
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.kernel.usbip import BULK, INTERRUPT, ControlRequest, Endpoint, Identity, Interface, VirtualUsbDevice
from simulator.uart import misread


class UsbipBoard(FirmwareBoard):
    """A board with a USB plug."""

    @property
    @abstractmethod
    def device(self) -> VirtualUsbDevice:
        """What the kernel sees."""

    def plug(self) -> None:
        """Plugs it in; raises OSError where there is no virtual USB controller, or no right to use it."""
        self.device.plug()

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Pulls the plug, once the host has taken what the board said before, or when patience is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not self.device.is_read:  # noqa: ASYNC110  the kernel sends no word
                    await asyncio.sleep(0.002)
        self._pull()

    @abstractmethod
    def tear(self, packet: bytes) -> None:
        """Pulls the plug when half of this packet has crossed the wire."""

    def _pull(self) -> None:
        self._rest()
        self.device.pull()


_FTDI = Identity(0x0403, 0x6001, ("FTDI", "FT232R USB UART", "A5001"), release=0x0600)
_FROM_CHIP, _TO_CHIP = 0x81, 0x02
_VENDOR_OUT, _VENDOR_IN = 0x40, 0xC0
_RESET, _MODEM_CONTROL, _BAUD, _MODEM_STATUS, _SET_LATENCY, _GET_LATENCY = 0, 1, 3, 5, 9, 10
_STATUS = b"\x01\x60"
"""What each packet of the chip begins with: modem and line status, nothing amiss."""
_ROOM = 62
_EIGHTHS = (0, 3, 2, 4, 1, 5, 6, 7)
"""The chip's numbers for eighths in its divisor, in order."""


class FtdiBoard(UsbipBoard):
    """A serial board behind an FT232R."""

    def __init__(self, codebook: Codebook, *, faults: Faults = SOUND, habits: Habits = PLAIN) -> None:
        super().__init__(codebook, faults=faults, habits=habits)
        self._chip = _Ft232r(self._hear, self._listen)

    @property
    def device(self) -> VirtualUsbDevice:
        """The chip."""
        return self._chip

    @property
    def address(self) -> str:
        """For a driver, if no other serial port is plugged in."""
        return "serial:/dev/ttyUSB0"

    @property
    def baud(self) -> int:
        """The speed the host has set, 0 before."""
        return self._chip.baud

    @property
    def latency_ms(self) -> int:
        """How long a real chip would wait for more, until it sends a packet that is not full."""
        return self._chip.latency_ms

    def tear(self, packet: bytes) -> None:
        """Pulls the plug when half of this packet has crossed the wire."""
        self._rest()
        self._chip.tear(_FROM_CHIP, _STATUS + packet)

    def _is_open(self) -> bool:
        return self._chip.is_plugged and self._chip.is_open

    def _listen(self) -> None:
        """A host has opened the port, which resets the controller."""
        self.firmware.on_open(loop_time_ns())
        self._heard.set()
        self._print()

    def _hear(self, data: bytes) -> None:
        self._feed(misread(data, self.baud, self.firmware.habits.baud))

    def _send(self, writes: list[bytes]) -> None:
        if self._is_open():
            for data in writes:
                self._chip.put(misread(data, self.firmware.habits.baud, self.baud))


class _Ft232r(VirtualUsbDevice):
    """The chip. `heard` gets what is sent to the board, `listened` is called when a host opens the port."""

    def __init__(self, heard: Callable[[bytes], None], listened: Callable[[], None]) -> None:
        super().__init__(
            _FTDI, [Interface((0xFF, 0xFF, 0xFF), [Endpoint(_FROM_CHIP, BULK, 64), Endpoint(_TO_CHIP, BULK, 64)])]
        )
        self.baud = 0
        self.latency_ms = 16
        self.is_open = False
        self._heard = heard
        self._listened = listened

    def plug(self) -> None:
        self.baud = 0
        self.latency_ms = 16
        self.is_open = False
        super().plug()

    def put(self, data: bytes) -> None:
        """Hands these bytes of the board to the host."""
        for at in range(0, len(data), _ROOM):
            self.send(_FROM_CHIP, _STATUS + data[at : at + _ROOM])

    def received(self, endpoint: int, data: bytes) -> None:
        """Bytes for the board."""
        self._heard(data)

    def answer(self, request: ControlRequest, data: bytes) -> bytes | None:
        """What the chip is asked, and told of the line."""
        if request.kind == _VENDOR_IN:
            answers = {_MODEM_STATUS: _STATUS, _GET_LATENCY: bytes([self.latency_ms])}
            return answers.get(request.request, bytes(request.length))
        if request.kind != _VENDOR_OUT:
            return None
        if request.request == _RESET:
            self.forget(_FROM_CHIP)
        elif request.request == _BAUD:
            self.baud = _baud(request.value | (request.about & 1) << 16)
        elif request.request == _SET_LATENCY:
            self.latency_ms = request.value & 0xFF
        elif request.request == _MODEM_CONTROL and request.value & 0x0100:
            was_open, self.is_open = self.is_open, bool(request.value & 1)  # the line "terminal ready"
            if self.is_open and not was_open:
                self._listened()
        return b""


def _baud(divisor: int) -> int:
    """The speed for a divisor of the chip: 3 MHz by its lower 14 bits and the eighths above them."""
    eighths = (divisor & 0x3FFF) * 8 + _EIGHTHS.index(divisor >> 14)
    return round(24_000_000 / eighths) if eighths else 3_000_000


_FROM_BOARD = 0x81
_HID_DESCRIPTOR, _REPORT_DESCRIPTOR = 0x21, 0x22
_FROM_INTERFACE, _TO_INTERFACE, _SET_REPORT = 0x81, 0x21, 9
_KEYBOARD = bytes.fromhex(
    "05010906a101"  # a keyboard;
    "8502"  # its report 2 has
    "050719e029e715002501750195088102"  # a bit for each key such as Shift,
    "950175088103"  # a byte for nothing,
    "95067508150025730507190029738100c0"  # and six keys that are down
)
"""What the Keyboard library of an Arduino Leonardo calls itself."""
_LEONARDO = (
    Interface(
        (2, 2, 0),
        (Endpoint(0x81, INTERRUPT, 16, 64),),
        extra=bytes.fromhex("0524001001 0524010101 04240206 0524060001"),
        group=bytes.fromhex("080b000202020000"),
    ),
    Interface((10, 0, 0), (Endpoint(0x02, BULK, 64), Endpoint(0x83, BULK, 64))),
    Interface(
        (3, 0, 0),
        (Endpoint(0x84, INTERRUPT, 64, 1),),
        extra=struct.pack("<BBHBBBH", 9, _HID_DESCRIPTOR, 0x0101, 0, 1, _REPORT_DESCRIPTOR, len(_KEYBOARD)),
    ),
)
"""A Leonardo has a serial port too: the first two. The keyboard is the third."""


class ReportBoard(UsbipBoard):
    """A board that sends interrupt reports: a Leonardo's, or those of a maker's own kind."""

    def __init__(self, codebook: Codebook, *, faults: Faults = SOUND, habits: Habits = PLAIN) -> None:
        super().__init__(codebook, faults=faults, habits=habits)
        usb = codebook.profile.usb
        if usb is None:
            raise ValueError(f"{codebook.profile.id} is not a USB board")
        vendor, product = (int(number, 16) for number in usb.ids[0].split(":"))
        if codebook.profile.framing.kind == "keyboard":
            identity = Identity(vendor, product, ("Arduino LLC", "Arduino Leonardo", "HIDFG"), (0xEF, 2, 1))
            self._device = _Reporter(identity, _LEONARDO, 0, 2, self._feed, self._heard.set)
            self._endpoint = _LEONARDO[2].endpoints[0].address
        else:
            self._endpoint = usb.endpoint or _FROM_BOARD
            identity = Identity(vendor, product, ("oche", usb.product or "Dartboard", "0001"))
            face = Interface((0xFF, 0, 0), [Endpoint(self._endpoint, INTERRUPT, 64, 1)])
            self._device = _Reporter(identity, [face], usb.interface, usb.interface, self._feed, self._heard.set)

    @property
    def device(self) -> VirtualUsbDevice:
        """The board itself."""
        return self._device

    @property
    def address(self) -> str:
        """For a driver, if no other of its kind is plugged in."""
        return "usb:auto"

    def plug(self) -> None:
        """Plugs it in: there is no port to open, so it starts at once."""
        super().plug()
        self.firmware.on_open(loop_time_ns())
        self._print()

    def tear(self, packet: bytes) -> None:
        """Pulls the plug when half of this packet has crossed the wire."""
        self._rest()
        self._device.tear(self._endpoint, packet)

    def _is_open(self) -> bool:
        return self._device.is_waited_for(self._endpoint)

    def _send(self, writes: list[bytes]) -> None:
        for report in writes:
            self._device.send(self._endpoint, report)


class _Reporter(VirtualUsbDevice):
    """A device that reports. `heard` gets what the host sends to the interface `own`; `listened`: it wants to read."""

    def __init__(
        self,
        identity: Identity,
        interfaces: Sequence[Interface],
        first: int,
        own: int,
        heard: Callable[[bytes], None],
        listened: Callable[[], None],
    ) -> None:
        super().__init__(identity, interfaces, first)
        self._own = own
        self._heard = heard
        self._listened = listened

    def asked(self, endpoint: int) -> None:
        """A host reads; the kernel's own driver does only while a program uses the keyboard."""
        self._listened()

    def answer(self, request: ControlRequest, data: bytes) -> bytes | None:
        """A keyboard's description, and consent to all that the host sets."""
        if request.kind == _FROM_INTERFACE and request.value >> 8 == _REPORT_DESCRIPTOR:
            return _KEYBOARD
        if request.kind != _TO_INTERFACE:
            return None
        if request.request == _SET_REPORT and request.about == self._own:
            self._heard(data)
        return b""
