"""`none`: a table without a sensor, as for steel tip. Its link is always there, and nothing comes over it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from drivers.transport import Transport

if TYPE_CHECKING:
    from drivers.address import Address
    from protocol.profile import Profile


class NoSensor(Transport):
    """The link of a table whose darts people enter."""

    async def receive(self) -> bytes:
        """Waits until it is cancelled."""
        never: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        return await never

    async def send(self, data: bytes) -> None:
        """Drops the bytes: there is nothing that could read them."""

    async def aclose(self) -> None:
        """Closes nothing."""


async def open_none(address: Address, profile: Profile) -> Transport:
    """Opens the link of a table without a sensor."""
    return NoSensor()
