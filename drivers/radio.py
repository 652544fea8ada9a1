"""One Bluetooth adapter, shared by every board of this program.

An adapter listens or connects, one thing at a time: BlueZ answers a second wish with "in progress". So seekers
take turns, but the one whose turn it is listens for all of them; and the turn ends as soon as a wanted board is heard,
since a board that has just spoken is the one to connect to. Two boards of a kind never go to one seeker.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from bleak import BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData

from drivers.ble_adverts import Advert
from drivers.cancellation import finish_before_cancel
from drivers.transport import make_printable

_REMEMBERED_DBM = -127
"""bleak's word for a device that BlueZ remembers but does not hear."""


class Unheard(Exception):
    """No such board could be heard."""


class Heard(NamedTuple):
    """A board that advertises, and its signal in dBm."""

    device: BLEDevice
    signal_dbm: int


class _Seeker:
    def __init__(self, wanted: Callable[[Advert], bool]) -> None:
        self.wanted = wanted
        self.found: Heard | None = None


class Radio:
    """One adapter. Get it from `get_radio`. `held` are the addresses of the devices that this program has links to."""

    def __init__(self, adapter: str) -> None:
        self.adapter = adapter
        self.held: set[str] = set()
        self._turn = asyncio.Lock()
        self._seekers: list[_Seeker] = []
        self._news = asyncio.Event()

    @asynccontextmanager
    async def found(self, wanted: Callable[[Advert], bool], patience_s: float) -> AsyncIterator[Heard]:
        """The first free board of that kind that speaks, held from now on; in the block no other task uses the radio.

        Raises Unheard after so many seconds of listening (waiting for others is not counted), and what bleak raises.
        """
        seeker = _Seeker(wanted)
        self._seekers.append(seeker)
        try:
            while True:
                async with self._turn:
                    if not any(other.found for other in self._seekers):
                        patience_s -= await self._listen(patience_s)
                    if seeker.found is not None:
                        self.held.add(seeker.found.device.address)
                        yield seeker.found
                        return
                    if patience_s <= 0:
                        raise Unheard
                await asyncio.sleep(0)  # one whose board was heard may have been cancelled, and has to run to go away
        finally:
            self._seekers.remove(seeker)

    async def hear(self, seconds: float) -> dict[str, Advert]:
        """What is heard in so many seconds, by address."""
        heard: dict[str, Advert] = {}

        def note(advert: Advert, _: BLEDevice) -> None:
            heard[advert.address] = advert

        async with self._turn, self._keep_listening(note):
            await asyncio.sleep(seconds)
        return heard

    async def _listen(self, patience_s: float) -> float:
        """Listens until a board that is wanted is heard; returns how long that took, in seconds."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._news.clear()
        async with self._keep_listening(self._offer):
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    await self._news.wait()
        return loop.time() - began

    def _offer(self, advert: Advert, device: BLEDevice) -> None:
        if advert.address in self.held or any(
            s.found and s.found.device.address == advert.address for s in self._seekers
        ):
            return
        for seeker in self._seekers:
            if seeker.found is None and seeker.wanted(advert):
                seeker.found = Heard(device, advert.rssi)
                self._news.set()
                return

    @asynccontextmanager
    async def _keep_listening(self, note: Callable[[Advert, BLEDevice], None]) -> AsyncIterator[None]:
        def heard(device: BLEDevice, data: AdvertisementData) -> None:
            if data.rssi != _REMEMBERED_DBM:
                note(
                    Advert(device.address, make_printable(data.local_name or ""), tuple(data.service_uuids), data.rssi),
                    device,
                )

        scanner = BleakScanner(heard, bluez={"adapter": self.adapter})
        try:
            await finish_before_cancel(scanner.start())  # cut short, BlueZ would go on listening for ever
            yield
        finally:
            await finish_before_cancel(scanner.stop())


_radios: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Radio]] = WeakKeyDictionary()


def get_radio(adapter: str) -> Radio:
    """The radio of that adapter (hci0) in the running event loop."""
    radios = _radios.setdefault(asyncio.get_running_loop(), {})
    return radios.setdefault(adapter, Radio(adapter))
