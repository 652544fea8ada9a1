"""A USB board that speaks by interrupt reports, as the `usb` of its profile says.

One that says it is a keyboard is an Arduino Leonardo, serial port and all: the kernel's usbhid takes it for a keyboard
that people type on.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from protocol.codebook import Codebook
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.link import clock
from simulator.usb_board import UsbBoard
from simulator.usbip import BULK, INTERRUPT, Device, Endpoint, Identity, Interface, Request

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


class ReportBoard(UsbBoard):
    """A board that sends interrupt reports: a Leonardo's, or those of a maker's own kind."""

    def __init__(self, codebook: Codebook, *, faults: Faults = SOUND, habits: Habits = PLAIN) -> None:
        super().__init__(codebook, faults=faults, habits=habits)
        usb = codebook.profile.usb
        if usb is None:
            raise ValueError(f"{codebook.profile.id} is no USB board")
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
    def device(self) -> Device:
        """The board itself."""
        return self._device

    @property
    def address(self) -> str:
        """For a driver, if no other of its kind is plugged in."""
        return "usb:auto"

    def plug(self) -> None:
        """Plugs it in: there is no port to open, so it starts at once."""
        super().plug()
        self.firmware.opened(clock())
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


class _Reporter(Device):
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
        """A host reads; the kernel's own driver does only while somebody uses the keyboard."""
        self._listened()

    def answer(self, request: Request, data: bytes) -> bytes | None:
        """A keyboard's description, and consent to all that the host sets."""
        if request.kind == _FROM_INTERFACE and request.value >> 8 == _REPORT_DESCRIPTOR:
            return _KEYBOARD
        if request.kind != _TO_INTERFACE:
            return None
        if request.request == _SET_REPORT and request.about == self._own:
            self._heard(data)
        return b""
