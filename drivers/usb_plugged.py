"""Which USB devices are plugged in, and which of them an address means.

The kernel has read every device's texts when it was plugged in and shows them to everybody. So nothing is opened or
asked here: no permission is needed to be found, a device that answers badly cannot spoil the list, and one that was
pulled a moment ago is not in it.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import NamedTuple

from drivers.address import Address, AddressError
from drivers.plain import plain
from protocol.profile import Usb

_DEVICES = Path("/sys/bus/usb/devices")
_HUB = 0x09
_ID = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4})", re.IGNORECASE)


class Plugged(NamedTuple):
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


async def plugged() -> list[Plugged]:
    """All that is plugged in but hubs, ordered by port. Never raises."""
    return await asyncio.get_running_loop().run_in_executor(None, look)


def look() -> list[Plugged]:
    """The same, for threads."""
    found = []
    for folder in _DEVICES.glob("*-*"):
        if ":" in folder.name:
            continue  # an interface
        try:
            if int(_text(folder, "bDeviceClass") or "0", 16) == _HUB:
                continue
            found.append(_plugged(folder))
        except (OSError, ValueError):
            continue  # pulled out while we looked
    return sorted(found, key=lambda device: [int(number) for number in re.findall(r"\d+", device.bus)])


def drivers_of(device: Plugged, devices: Path = _DEVICES) -> set[str]:
    """What has its interfaces now: drivers of the kernel, or `usbfs` for any other program."""
    links = [folder / "driver" for folder in devices.glob(f"{device.bus}:*")]
    return {link.resolve().name for link in links if link.exists()}


def ids(address: Address) -> tuple[int, int] | None:
    """Vendor and product in the address, None for `auto`; raises AddressError."""
    if address.target == "auto":
        return None
    found = _ID.fullmatch(address.target)
    if found is None:
        raise AddressError(
            f"{address.target!r} in {address} is no USB id: write four hex digits of the vendor and four of the"
            " product, as in usb:2341:8036, or usb:auto"
        )
    return int(found[1], 16), int(found[2], 16)


def fitting(devices: list[Plugged], address: Address, usb: Usb) -> list[Plugged]:
    """Those an address means. Its options choose among equal ones; `auto` goes by the ids of the profile."""
    wanted = ids(address)
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


def _plugged(folder: Path) -> Plugged:
    bus, number = (int(_text(folder, name) or "") for name in ("busnum", "devnum"))
    return Plugged(
        vid=int(_text(folder, "idVendor") or "", 16),
        pid=int(_text(folder, "idProduct") or "", 16),
        product=_text(folder, "product"),
        manufacturer=_text(folder, "manufacturer"),
        serial=_text(folder, "serial"),
        bus=folder.name,
        node=f"/dev/bus/usb/{bus:03}/{number:03}",
    )


def _text(folder: Path, name: str) -> str | None:
    try:
        return plain((folder / name).read_text(encoding="utf-8", errors="replace").strip()) or None
    except FileNotFoundError:
        return None
