"""A serial board behind an FTDI FT232R, of which the kernel's ftdi_sio makes a real /dev/ttyUSB0.

Unlike a pty, that port has a kernel driver which can lose it in the middle of a transfer, and a chip that is told the
speed.
"""

from __future__ import annotations

from collections.abc import Callable

from protocol.codebook import Codebook
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.link import clock
from simulator.uart import misread
from simulator.usb_board import UsbBoard
from simulator.usbip import BULK, Device, Endpoint, Identity, Interface, Request

_FTDI = Identity(0x0403, 0x6001, ("FTDI", "FT232R USB UART", "A5001"), release=0x0600)
_FROM_CHIP, _TO_CHIP = 0x81, 0x02
_VENDOR_OUT, _VENDOR_IN = 0x40, 0xC0
_RESET, _MODEM_CONTROL, _BAUD, _MODEM_STATUS, _LATENCY = 0, 1, 3, 5, 10
_STATUS = b"\x01\x60"
"""What each packet of the chip begins with: modem and line status, nothing amiss."""
_ROOM = 62
_EIGHTHS = (0, 3, 2, 4, 1, 5, 6, 7)
"""The chip's numbers for eighths in its divisor, in order."""


class FtdiBoard(UsbBoard):
    """A serial board behind an FT232R."""

    def __init__(self, codebook: Codebook, *, faults: Faults = SOUND, habits: Habits = PLAIN) -> None:
        super().__init__(codebook, faults=faults, habits=habits)
        self._chip = _Ft232r(self._hear, self._listen)

    @property
    def device(self) -> Device:
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

    def tear(self, packet: bytes) -> None:
        """Pulls the plug when half of this packet has crossed the wire."""
        self._rest()
        self._chip.tear(_FROM_CHIP, _STATUS + packet)

    def _is_open(self) -> bool:
        return self._chip.is_plugged and self._chip.is_open

    def _listen(self) -> None:
        """A host has opened the port, which resets the controller."""
        self.firmware.opened(clock())
        self._heard.set()
        self._print()

    def _hear(self, data: bytes) -> None:
        self._feed(misread(data, self.baud, self.firmware.habits.baud))

    def _send(self, writes: list[bytes]) -> None:
        if self._is_open():
            for data in writes:
                self._chip.put(misread(data, self.firmware.habits.baud, self.baud))


class _Ft232r(Device):
    """The chip. `heard` gets what is sent to the board, `listened` is called when a host opens the port."""

    def __init__(self, heard: Callable[[bytes], None], listened: Callable[[], None]) -> None:
        super().__init__(
            _FTDI, [Interface((0xFF, 0xFF, 0xFF), [Endpoint(_FROM_CHIP, BULK, 64), Endpoint(_TO_CHIP, BULK, 64)])]
        )
        self.baud = 0
        self.is_open = False
        self._heard = heard
        self._listened = listened

    def plug(self) -> None:
        self.baud = 0
        self.is_open = False
        super().plug()

    def put(self, data: bytes) -> None:
        """Hands these bytes of the board to the host."""
        for at in range(0, len(data), _ROOM):
            self.send(_FROM_CHIP, _STATUS + data[at : at + _ROOM])

    def received(self, endpoint: int, data: bytes) -> None:
        """Bytes for the board."""
        self._heard(data)

    def answer(self, request: Request, data: bytes) -> bytes | None:
        """What the chip is asked, and told of the line."""
        if request.kind == _VENDOR_IN:
            return {_MODEM_STATUS: _STATUS, _LATENCY: b"\x10"}.get(request.request, bytes(request.length))
        if request.kind != _VENDOR_OUT:
            return None
        if request.request == _RESET:
            self.forget(_FROM_CHIP)
        elif request.request == _BAUD:
            self.baud = _baud(request.value | (request.about & 1) << 16)
        elif request.request == _MODEM_CONTROL and request.value & 0x0100:
            was_open, self.is_open = self.is_open, bool(request.value & 1)  # the line "terminal ready"
            if self.is_open and not was_open:
                self._listened()
        return b""


def _baud(divisor: int) -> int:
    """The speed for a divisor of the chip: 3 MHz by its lower 14 bits and the eighths above them."""
    eighths = (divisor & 0x3FFF) * 8 + _EIGHTHS.index(divisor >> 14)
    return round(24_000_000 / eighths) if eighths else 3_000_000
