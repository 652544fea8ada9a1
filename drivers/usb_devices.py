"""Which USB devices are plugged in, and which of them an address means.

The kernel has read every device's texts when it was plugged in and shows them to every user. So nothing is opened or
asked here: no permission is needed, and a device that answers badly cannot spoil the list. The system's USB library is
looked for here as well, without the Python one, so that a scan needs neither.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import NamedTuple

from drivers.address import Address, AddressError
from drivers.transport import make_printable
from protocol.profile import Usb
from protocol.sentence import say

_DEVICES = Path("/sys/bus/usb/devices")
_HUB = 0x09
_ID = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4})", re.IGNORECASE)


class UsbDevice(NamedTuple):
    """A device that is plugged in. Texts it does not have are None.

    `bus` is the port it is in, the same one whenever it is plugged in there: `1-1.4` is port 4 of the hub in port 1 of
    bus 1. `node` is its file, another one each time.
    """

    vid: int
    pid: int
    product: str | None
    manufacturer: str | None
    serial: str | None
    bus: str
    node: str

    @property
    def label(self) -> str:
        """Its ids as people write them."""
        return f"{self.vid:04x}:{self.pid:04x}"


def list_usb_devices() -> list[UsbDevice]:
    """All devices but hubs, ordered by port. It reads files, so it blocks; it never raises."""
    found = []
    for folder in _DEVICES.glob("*-*"):
        if ":" in folder.name:
            continue  # an interface
        try:
            if int(_read_text(folder, "bDeviceClass") or "0", 16) == _HUB:
                continue
            found.append(_read_device(folder))
        except (OSError, ValueError):
            continue  # pulled out while we looked
    return sorted(found, key=lambda device: [int(number) for number in re.findall(r"\d+", device.bus)])


def list_bound_drivers(device: UsbDevice, devices: Path = _DEVICES) -> set[str]:
    """The kernel's drivers that are bound to its interfaces; `usbfs` is any program."""
    links = [folder / "driver" for folder in devices.glob(f"{device.bus}:*")]
    return {link.resolve().name for link in links if link.exists()}


def parse_ids(address: Address) -> tuple[int, int] | None:
    """Vendor and product in the address, None for `auto`; raises AddressError."""
    if address.target == "auto":
        return None
    found = _ID.fullmatch(address.target)
    if found is None:
        raise AddressError(
            say(
                "address.usb",
                "{given} in {name} is not a USB id: write four hex digits for the vendor and four for "
                "the product, as in usb:2341:8036, or usb:auto",
                given=repr(address.target),
                name=str(address),
            )
        )
    return int(found[1], 16), int(found[2], 16)


def match_address(devices: list[UsbDevice], address: Address, usb: Usb) -> list[UsbDevice]:
    """The devices that an address means. Its options choose among equal ones; `auto` is the ids of the profile."""
    wanted = parse_ids(address)
    profiled = [text.lower() for text in usb.ids]
    return [
        device
        for device in devices
        if all(getattr(device, option) == value for option, value in address.options.items())
        and (
            (device.vid, device.pid) == wanted
            if wanted
            else device.label in profiled and (device.product or "").startswith(usb.product or "")
        )
    ]


def _read_device(folder: Path) -> UsbDevice:
    bus, number = (int(_read_text(folder, name) or "") for name in ("busnum", "devnum"))
    return UsbDevice(
        vid=int(_read_text(folder, "idVendor") or "", 16),
        pid=int(_read_text(folder, "idProduct") or "", 16),
        product=_read_text(folder, "product"),
        manufacturer=_read_text(folder, "manufacturer"),
        serial=_read_text(folder, "serial"),
        bus=folder.name,
        node=f"/dev/bus/usb/{bus:03}/{number:03}",
    )


def _read_text(folder: Path, name: str) -> str | None:
    try:
        return make_printable((folder / name).read_text(encoding="utf-8", errors="replace").strip()) or None
    except FileNotFoundError:
        return None


LIBUSB = "libusb-1.0.so.0"
LIBUSB_MISSING = say("link.no_libusb", "USB boards need libusb: install the Debian package libusb-1.0-0")


def is_libusb_installed() -> bool:
    """Whether the library can be loaded."""
    try:
        ctypes.CDLL(LIBUSB)
    except OSError:
        return False
    return True
