"""The radios that hear boards, shared by every board of this program: an adapter, and the Bluetooth proxies.

An adapter listens or connects, one thing at a time: BlueZ answers a second wish with "in progress". So seekers
take turns, but the one whose turn it is listens for all of them; and the turn ends as soon as a wanted board is heard,
since a board that has just spoken is the one to connect to. Where others listen too, it lasts a moment longer, and the
one that hears the board best gets it, unless it could not connect to it lately. Two boards of a kind never go to one
seeker.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from bleak import BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError

from drivers.ble_adverts import Advert
from drivers.bluez import BUS_ERRORS
from drivers.cancellation import finish_before_cancel
from drivers.proxies import Proxy, open_proxies
from drivers.transport import make_printable

if TYPE_CHECKING:
    from drivers.proxy_link import ProxyLink

TROUBLES = (BleakError, TimeoutError, *BUS_ERRORS)
"""What bleak raises when something is wrong with the board, the adapter or proxy, the service or the bus."""

_REMEMBERED_DBM = -127
"""bleak's word for a device that BlueZ remembers but does not hear."""
_COMPARE_S = 0.5
"""How long a board that one radio heard may be heard by others: several of its advertisements."""

_FAILURE_DB = 20
"""By so much a board counts as fainter for each time in a row that a radio could not connect to it."""


class Unheard(Exception):
    """No such board could be heard."""


class Heard(NamedTuple):
    """A board that advertises, its signal in dBm, and the proxy that heard it; None: the adapter did."""

    device: BLEDevice
    signal_dbm: int
    proxy: ProxyLink | None = None

    @property
    def way(self) -> tuple[str, Proxy | None]:
        """The board, and the radio."""
        return self.device.address, None if self.proxy is None else self.proxy.proxy


class _Seeker:
    def __init__(self, wanted: Callable[[Advert], bool], *, is_local: bool) -> None:
        self.wanted = wanted
        self.is_local = is_local
        self.found: Heard | None = None


_Note = Callable[[Advert, BLEDevice, "ProxyLink | None"], None]


class Radio:
    """An adapter, None: none, and the proxies. Get it from `get_radio`.

    `held` are the addresses of the devices that this program has links to.
    """

    def __init__(self, adapter: str | None, held: set[str] | None = None) -> None:
        self.adapter = adapter
        self.held = set() if held is None else held
        self._turn = asyncio.Lock()
        self._seekers: list[_Seeker] = []
        self._failures: Counter[tuple[str, Proxy | None]] = Counter()
        self._news = asyncio.Event()

    @asynccontextmanager
    async def found(
        self, wanted: Callable[[Advert], bool], patience_s: float, *, is_local: bool = False
    ) -> AsyncIterator[Heard]:
        """The first free board of that kind that speaks, held from now on; in the block no other task uses the radio.

        `is_local`: only if the adapter hears it. Raises Unheard after so many seconds of listening (waiting for others
        is not counted), and what bleak raises.
        """
        seeker = _Seeker(wanted, is_local=is_local)
        self._seekers.append(seeker)
        try:
            while True:
                async with self._turn:
                    if not any(other.found for other in self._seekers):
                        patience_s -= await self._listen(patience_s, is_local=is_local)
                    if seeker.found is not None and seeker.found.device.address in self.held:
                        seeker.found = None  # who seeks with another adapter heard it too, and was faster
                    if seeker.found is not None:
                        self.held.add(seeker.found.device.address)
                        try:
                            yield seeker.found
                        except Exception:
                            self._failures[seeker.found.way] += 1
                            raise
                        del self._failures[seeker.found.way]
                        return
                    if patience_s <= 0:
                        raise Unheard
                await asyncio.sleep(0)  # one whose board was heard may have been cancelled, and has to run to go away
        finally:
            self._seekers.remove(seeker)

    async def hear(self, seconds: float, *, is_local: bool = False) -> dict[str, Advert]:
        """What is heard in so many seconds, by address. Of several radios the one counts that hears a device best."""
        told: dict[tuple[str, ProxyLink | None], Advert] = {}

        def note(advert: Advert, _: BLEDevice, proxy: ProxyLink | None) -> None:
            if proxy is None or not is_local:
                told[advert.address, proxy] = advert

        async with self._turn, self._keep_listening(note, is_local=is_local):
            await asyncio.sleep(seconds)
        heard: dict[str, Advert] = {}
        for advert in sorted(told.values(), key=lambda each: each.rssi):
            fainter = heard.get(advert.address, advert)
            heard[advert.address] = advert._replace(name=advert.name or fainter.name)
        return heard

    async def _listen(self, patience_s: float, *, is_local: bool) -> float:
        """Listens until a board that is wanted is heard; returns how long that took, in seconds."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._news.clear()
        async with self._keep_listening(self._offer, is_local=is_local) as radios:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    await self._news.wait()
            if self._news.is_set() and radios > 1:
                await asyncio.sleep(_COMPARE_S)
        return loop.time() - began

    def _offer(self, advert: Advert, device: BLEDevice, proxy: ProxyLink | None) -> None:
        if advert.address in self.held or (proxy is not None and proxy.trouble is not None):
            return
        heard = Heard(device, advert.rssi, proxy)
        for seeker in self._seekers:
            if seeker.found is not None and seeker.found.device.address == advert.address:
                if self._rate(heard) > self._rate(seeker.found) and not (seeker.is_local and proxy is not None):
                    seeker.found = heard
                return
        for seeker in self._seekers:
            if seeker.found is None and not (seeker.is_local and proxy is not None) and seeker.wanted(advert):
                seeker.found = heard
                self._news.set()
                return

    def _rate(self, heard: Heard) -> int:
        return heard.signal_dbm - _FAILURE_DB * self._failures[heard.way]

    @asynccontextmanager
    async def _keep_listening(self, note: _Note, *, is_local: bool) -> AsyncIterator[int]:
        """Has all radios listen; gives how many there are. `is_local`: raises where the adapter cannot."""
        proxies = open_proxies()
        async with AsyncExitStack() as stack:
            radios = 0
            if proxies is not None:
                stack.enter_context(proxies.listen(note))
                radios = proxies.usable
            if self.adapter is not None:
                try:
                    await stack.enter_async_context(self._scan(self.adapter, note))
                    radios += 1
                except TROUBLES:
                    if is_local or not radios:
                        raise
            yield radios

    @asynccontextmanager
    async def _scan(self, adapter: str, note: _Note) -> AsyncIterator[None]:
        def heard(device: BLEDevice, data: AdvertisementData) -> None:
            if data.rssi != _REMEMBERED_DBM:
                name = make_printable(data.local_name or "")
                note(Advert(device.address, name, tuple(data.service_uuids), data.rssi), device, None)

        scanner = BleakScanner(heard, bluez={"adapter": adapter})
        try:
            await finish_before_cancel(scanner.start())  # cut short, BlueZ would go on listening for ever
            yield
        finally:
            await finish_before_cancel(scanner.stop())


_Radios = dict[str | None, Radio]
_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[_Radios, set[str]]] = WeakKeyDictionary()


def get_radio(adapter: str | None) -> Radio:
    """The radio of that adapter (hci0) in the running event loop, None: of the proxies alone. They share `held`."""
    radios, held = _of_loop.setdefault(asyncio.get_running_loop(), ({}, set()))
    return radios.setdefault(adapter, Radio(adapter, held))
