"""What is plugged in or in the air, and which boards it may be: from what others found to lines for the configuration.

Pure, so that a made-up list tests it. How sure a fit is, is said in three words and never guessed upwards: `sure`, the
thing says what only this board says; `likely`, its ids or its name fit; `possible`, it is a serial port of the kind
that people build boards with, and only what it sends could tell more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import tomli_w

from drivers.address import Address
from drivers.ble_names import Advert, fits
from drivers.usb_plugged import Plugged
from protocol.profile import Profile, Usb

Sureness = Literal["sure", "likely", "possible"]

_ORDER: tuple[Sureness, ...] = ("sure", "likely", "possible")

_CHIPS = {
    0x0403: "FTDI",
    0x067B: "Prolific PL2303",
    0x10C4: "CP210x",
    0x16C0: "Teensy",
    0x1A86: "CH340",
    0x1B4F: "SparkFun",
    0x2341: "Arduino",
    0x239A: "Adafruit",
    0x2A03: "Arduino",
    0x2E8A: "Raspberry Pi Pico",
    0x303A: "Espressif ESP32",
}
"""Who made the controller, or the chip that gives it its USB port, by vendor id."""


class Port(NamedTuple):
    """A serial port: the path to use, the kernel's name for it today, and what its USB device says, if it is one."""

    path: str
    device: str
    vid: int | None = None
    pid: int | None = None
    product: str | None = None
    manufacturer: str | None = None


class Fit(NamedTuple):
    """A profile that fits, by its name in the configuration: the id of a shipped one, or the file."""

    profile: str
    sure: Sureness


class Found(NamedTuple):
    """One thing that was found: where it is, what it says it is ("" if nothing), what fits it, the surest first."""

    address: str
    what: str
    fits: tuple[Fit, ...] = ()

    @property
    def sure(self) -> Sureness | None:
        """How sure the best fit is."""
        return self.fits[0].sure if self.fits else None

    def lines(self) -> str:
        """What to paste into the configuration; "" for what fits nothing."""
        if not self.fits:
            return ""
        best, *others = [fit.profile for fit in self.fits]
        or_else = f"  # or {', '.join(others)}" if others else ""
        or_any = "  # or ble:auto, when it is the only one around" if self.address.startswith("ble:") else ""
        return f"[[table]]\n{_line('board', self.address)}{or_any}\n{_line('profile', best)}{or_else}"


def of_ports(ports: Iterable[Port], profiles: Sequence[Profile]) -> list[Found]:
    """Serial ports. A port of USB may be any board that speaks over serial."""
    speaking = [profile.id for profile in profiles if profile.link == "serial"]
    found = []
    for port in ports:
        chip = _CHIPS.get(port.vid) if port.vid is not None else None
        says = " ".join(filter(None, (port.manufacturer, port.product)))
        label = f"{port.vid:04x}:{port.pid:04x}" if port.vid is not None and port.pid is not None else ""
        device = port.device if port.device != port.path else ""
        what = ", ".join(filter(None, (device, says, chip, label))) or "a serial port of this machine"
        found.append(Found(f"serial:{port.path}", what, _fits(speaking if port.vid is not None else [], "possible")))
    return found


def recognised(port: Found, profile_id: str) -> Found:
    """The port after it has said what it is."""
    return port._replace(fits=_fits([profile_id], "sure"))


def of_usb(devices: Sequence[Plugged], profiles: Sequence[Profile]) -> list[Found]:
    """Plugged in USB devices that fit a profile; of all the others nobody wants to read."""
    found = []
    for device in devices:
        fitting = [Fit(each.id, sure) for each in profiles if each.usb and (sure := _likeness(device, each.usb))]
        if fitting:
            what = " ".join(filter(None, (device.manufacturer, device.product))) or "a USB device"
            fitting.sort(key=lambda fit: _ORDER.index(fit.sure))
            found.append(Found(_usb_address(device, devices), what, tuple(fitting)))
    return found


def of_adverts(adverts: Iterable[Advert], profiles: Sequence[Profile]) -> list[Found]:
    """Bluetooth devices, the loudest first. A name without its service is likely only: some leave it out."""
    found = []
    for advert in sorted(adverts, key=lambda each: -each.rssi):
        fitting = [profile.id for profile in profiles if fits(profile, advert.name, advert.services)]
        what = f"{advert.name}, {advert.rssi} dBm" if advert.name else ""
        found.append(Found(f"ble:{advert.address}", what, _fits(fitting, "sure" if advert.services else "likely")))
    return found


def boards_first(found: Iterable[Found]) -> list[Found]:
    """The surest first; within one degree the order stays."""
    return sorted(found, key=lambda each: _ORDER.index(each.sure) if each.sure else len(_ORDER))


def _fits(ids: Iterable[str], sure: Sureness) -> tuple[Fit, ...]:
    return tuple(Fit(each, sure) for each in ids)


def _likeness(device: Plugged, usb: Usb) -> Sureness | None:
    """Ids are those of a controller that other things are built with too; a product text is the board's own."""
    if device.label not in (each.lower() for each in usb.ids):
        return None
    if usb.product is None:
        return "likely"
    return "sure" if (device.product or "").startswith(usb.product) else None


def _usb_address(device: Plugged, devices: Sequence[Plugged]) -> str:
    """Its ids, with what tells it from another of the same ids: its serial number, or the port it is in."""
    twins = [each for each in devices if (each.vid, each.pid) == (device.vid, device.pid)]
    if len(twins) == 1:
        options = {}
    elif device.serial and [each.serial for each in twins].count(device.serial) == 1:
        options = {"serial": device.serial}
    else:
        options = {"bus": device.bus}
    return str(Address("usb", device.label, options))


def _line(key: str, text: str) -> str:
    return tomli_w.dumps({key: text}).rstrip("\n")
