"""Telling Bluetooth boards apart by their advertisements, before a connection is made.

A service alone does not name a board: most carry the number their radio module came with, and two kinds of board
share fff0. A name alone does not either. So both must fit. An advertisement has little room, though, and may leave
the services out; then the name decides, and the service is looked for once the board is connected.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from drivers.address import Address, AddressError
from protocol.profile import Ble, Profile
from protocol.sentence import say

_REGISTERED = "0000{}-0000-1000-8000-00805f9b34fb"
_ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}")


class Advert(NamedTuple):
    """What one Bluetooth device says about itself.

    `name` is "" when it gives none, `services` are 128-bit UUIDs in lower case, `rssi` is its signal in dBm:
    about -30 beside the adapter, -90 at the edge of its reach.
    """

    address: str
    name: str
    services: tuple[str, ...]
    rssi: int


def matches(profile: Profile, name: str, services: Collection[str]) -> bool:
    """Whether a device with this name and these services can be a board of this profile. No services: any."""
    if profile.ble is None:
        return False
    said = {expand_uuid(service) for service in services}
    return has_name_of(profile.ble, name) and (not said or expand_uuid(profile.ble.service) in said)


def has_name_of(ble: Ble, name: str) -> bool:
    """Whether the name begins like one of the board's, case aside."""
    return name.casefold().startswith(tuple(known.casefold() for known in ble.names))


def expand_uuid(uuid: str) -> str:
    """The UUID in 36 lower-case characters; it may be given as the four digits of a registered one."""
    lower = uuid.lower()
    return _REGISTERED.format(lower) if len(lower) == 4 else lower


def parse_target(address: Address) -> tuple[str | None, str | None]:
    """The device address (upper case) or the name that a `ble:` address asks for; both None for `auto`.

    Raises AddressError for what can only be a mistyped device address.
    """
    target = address.target
    upper = target.upper().replace("-", ":")
    if target.lower() == "auto":
        return None, None
    if _ADDRESS.fullmatch(upper):
        return upper, None
    if ":" in target and not set(upper) - set("0123456789ABCDEF:"):
        raise AddressError(
            say("address.ble", "{given} is not a Bluetooth address: write it like ble:C2:A4:CF:01:02:03", given=target)
        )
    return None, target
