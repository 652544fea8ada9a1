"""Serial ports by the name that stays: what is /dev/ttyUSB0 today may be /dev/ttyUSB1 after the next start.

udev's link by id names the device, and is the first choice. Adapters of one make without serial numbers share such a
link, and it leads to whichever came last; of these the link by path names the socket each of them is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from serial.tools import list_ports

from drivers.discovery import Port
from drivers.plain import plain

BY_ID, BY_PATH = Path("/dev/serial/by-id"), Path("/dev/serial/by-path")


def serial_ports() -> list[Port]:
    """All serial ports, those of USB first, then by name. Looks at files only: nothing is opened."""
    by_id, by_path = links(BY_ID), links(BY_PATH)
    try:
        infos = list_ports.comports()
    except (OSError, TypeError, ValueError):  # one was pulled out while it was looked at
        infos = list_ports.comports()
    makes = [(info.vid, info.pid, info.serial_number) for info in infos]
    ports = []
    for info, make in zip(infos, makes, strict=True):
        names = [by_path, by_id] if makes.count(make) > 1 else [by_id, by_path]
        path = next((each[info.device] for each in names if info.device in each), info.device)
        product, manufacturer = (plain(text or "") or None for text in (info.product, info.manufacturer))
        ports.append(Port(path, info.device, info.vid, info.pid, product, manufacturer))
    return sorted(ports, key=lambda port: (port.vid is None, port.device))


def links(folder: Path) -> Mapping[str, str]:
    """The link in this folder to each device; the first by name where there are several."""
    try:
        return {str(link.resolve()): str(link) for link in sorted(folder.iterdir(), reverse=True)}
    except OSError:  # without a USB port there is no such folder
        return {}
