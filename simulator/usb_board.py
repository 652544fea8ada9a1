"""A board with a USB plug, whatever is behind it: plugged in, read up and pulled out, also in the middle of a word."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from contextlib import suppress

from simulator.link import SimulatedBoard
from simulator.usbip import Device


class UsbBoard(SimulatedBoard):
    """A board with a USB plug."""

    @property
    @abstractmethod
    def device(self) -> Device:
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
