"""Looking around for boards on every kind of link at once; what cannot be looked for is a sentence, not the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from drivers import libusb
from drivers.discovery import Found, Port, boards_first, of_adverts, of_ports, of_usb, recognised
from drivers.ports import serial_ports
from drivers.probe import ask
from drivers.transport import LinkError
from drivers.usb_plugged import plugged
from protocol.profile import Profile


class Around(NamedTuple):
    """What there is, boards first, and what could not be looked at, one sentence each."""

    found: list[Found]
    notes: list[str]


async def look_around(profiles: Sequence[Profile], seconds: float, *, probe: bool = False) -> Around:
    """Listens to Bluetooth for so many seconds; meanwhile looks at USB and the serial ports, with `probe` into them."""
    parts = await asyncio.gather(_usb(profiles), _serial(profiles, probe), _bluetooth(profiles, seconds))
    found = [each for part in parts for each in part.found]
    return Around(boards_first(found), [note for part in parts for note in part.notes])


async def _usb(profiles: Sequence[Profile]) -> Around:
    found = of_usb(await plugged(), profiles)
    return Around(found, [libusb.MISSING] if found and not libusb.is_installed() else [])


async def _serial(profiles: Sequence[Profile], probe: bool) -> Around:
    ports = await asyncio.get_running_loop().run_in_executor(None, serial_ports)
    found = of_ports(ports, profiles)
    if not probe:
        return Around(found, [])
    # A port that is no USB device belongs to the machine itself: a console, its own Bluetooth chip.
    asked = [_asked(each, port, profiles) for each, port in zip(found, ports, strict=True) if port.vid is not None]
    parts = await asyncio.gather(*asked)
    known = [each for part in parts for each in part.found]
    return Around(known + found[len(known) :], [note for part in parts for note in part.notes])


async def _asked(found: Found, port: Port, profiles: Sequence[Profile]) -> Around:
    try:
        profile_id = await ask(port.path, profiles)
    except LinkError as error:
        return Around([found], [f"{port.device} could not be asked: {error}"])
    return Around([found if profile_id is None else recognised(found, profile_id)], [])


async def _bluetooth(profiles: Sequence[Profile], seconds: float) -> Around:
    try:
        from drivers.bluetooth import advertised  # noqa: PLC0415  what else there is can be found without it
    except ImportError:
        return Around([], ["Bluetooth boards need the library bleak: pip install bleak"])
    try:
        return Around(of_adverts(await advertised(seconds), profiles), [])
    except LinkError as error:
        return Around([], [str(error)])
