"""ESPHome Bluetooth proxies: radios in other rooms, which carry the links of `ble:` boards over the network.

Which proxies there are is said once, by `set_proxies`; without any, nothing of their libraries is loaded. Each event
loop has connections of its own to them: they begin when the first board is looked for, and are made again for ever.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from drivers.backoff import Backoff
from drivers.proxy import PROXY_PORT, Proxy, Trouble, say_failure, say_silence, say_unknown
from protocol.extras import suggest_extra
from protocol.sentence import Sentence, advise, say

if TYPE_CHECKING:
    from bleak.backends.device import BLEDevice

    from drivers.ble_adverts import Advert
    from drivers.proxy_link import Hear, ProxyLink

__all__ = [
    "PROXY_PORT",
    "Proxy",
    "ProxyState",
    "close_proxies",
    "get_proxies",
    "look_at_proxies",
    "open_proxies",
    "set_proxies",
]

_BACKOFF = Backoff(first_s=1.0, most_s=30.0)


class ProxyState(NamedTuple):
    """What is known of a proxy: `trouble` says why it cannot be used, None: it can.

    `name` is what it calls itself, "" while it has not answered. `free` of its `slots` connections are not in use.
    """

    proxy: Proxy
    name: str = ""
    trouble: Sentence | None = None
    free: int = 0
    slots: int = 0


class _Kept:
    """The connection to one proxy, made again for ever. `failed` is why the latest attempt failed."""

    def __init__(self, proxy: Proxy, proxies: Proxies) -> None:
        self.proxy = proxy
        self.link: ProxyLink | None = None
        self.failed: Sentence | None = None
        self._proxies = proxies
        self.task = asyncio.create_task(self._run())

    @property
    def trouble(self) -> Sentence | None:
        """Why it can be used for no board just now; None also while nothing is known."""
        return self.link.trouble if self.link is not None and self.link.is_up else self.failed

    @property
    def is_known(self) -> bool:
        return self.is_usable or self.trouble is not None

    @property
    def is_usable(self) -> bool:
        return self.link is not None and self.link.is_up and self.link.trouble is None

    @property
    def state(self) -> ProxyState:
        trouble = self.trouble or (None if self.is_usable else say_silence(self.proxy))
        if self.link is None or not self.link.is_up:
            return ProxyState(self.proxy, self.link.name if self.link else "", trouble)
        return ProxyState(self.proxy, self.link.name, trouble, self.link.free, self.link.slots)

    async def _run(self) -> None:
        failures, random = 0, Random()
        try:
            while True:
                try:
                    await self._use(await _load())
                    failures = 0
                except Trouble as trouble:
                    self.failed = trouble.said
                except Exception as error:  # noqa: BLE001  whatever else its library raises must not end this
                    self.failed = say_failure(self.proxy, error)
                self._proxies.tell()
                failures += 1
                await asyncio.sleep(_BACKOFF.delay_s(failures, random))
        finally:
            self._proxies.drop(self)

    async def _use(self, link_class: type[ProxyLink]) -> None:
        """Connects, and stays until the connection has ended."""
        self.link = link = link_class(self.proxy, await _look_up(self.proxy))
        try:
            await link.connect()
            self._proxies.attach(link)
            self.failed = await link.wait_closed()
        finally:
            await link.aclose()


class Proxies:
    """The proxies of one event loop. Get them from `open_proxies`."""

    def __init__(self) -> None:
        self._kept: dict[Proxy, _Kept] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()
        self._listeners: list[Hear] = []

    @property
    def usable(self) -> int:
        """How many can be used now."""
        return sum(kept.is_usable for kept in self._kept.values())

    @property
    def trouble(self) -> Sentence | None:
        """Why the first of those cannot be used that cannot. None: all can."""
        return next((state.trouble for state in self.states if state.trouble is not None), None)

    @property
    def states(self) -> list[ProxyState]:
        """What is known of each, in the order in which they were set."""
        return [kept.state for kept in self._kept.values()]

    async def settle(self, patience_s: float, *, all_of_them: bool = False) -> None:
        """Waits until one can be used, or it is known why none can; `all_of_them`: until it is known of each."""
        try:
            async with asyncio.timeout(patience_s):
                while not (all(kept.is_known for kept in self._kept.values()) or (self.usable and not all_of_them)):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return

    @contextmanager
    def listen(self, hear: Hear) -> Iterator[None]:
        """Has them listen: `hear` is called for each advertisement that one of them hears, while the block lasts."""
        self._listeners.append(hear)
        self._tune()
        try:
            yield
        finally:
            self._listeners.remove(hear)
            self._tune()

    def keep(self, wanted: Sequence[Proxy]) -> None:
        """Connects to those that are new, and ends the connections to those that are no longer wanted."""
        for proxy in self._kept.keys() - set(wanted):
            self._kept[proxy].task.cancel()
        self._kept = {proxy: self._kept.get(proxy) or self._start(proxy) for proxy in wanted}

    def attach(self, link: ProxyLink) -> None:
        """A connection is up."""
        link.listen(self._hear if self._listeners else None)
        self.tell()

    def tell(self) -> None:
        """Something is known that was not."""
        self._news.set()

    def drop(self, kept: _Kept) -> None:
        """A connection will not be made again."""
        if self._kept.get(kept.proxy) is kept:
            del self._kept[kept.proxy]
        if not self._kept:
            _of_loop.pop(asyncio.get_running_loop(), None)

    async def aclose(self) -> None:
        """Ends all connections."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, proxy: Proxy) -> _Kept:
        kept = _Kept(proxy, self)
        self._tasks.add(kept.task)
        kept.task.add_done_callback(self._tasks.discard)
        return kept

    def _hear(self, advert: Advert, device: BLEDevice, link: ProxyLink) -> None:
        for hear in list(self._listeners):
            hear(advert, device, link)

    def _tune(self) -> None:
        for kept in self._kept.values():
            if kept.link is not None and kept.link.is_up:
                kept.link.listen(self._hear if self._listeners else None)


_proxies: list[Proxy] = []
_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Proxies] = WeakKeyDictionary()


def set_proxies(proxies: Sequence[Proxy]) -> None:
    """Has the `ble:` boards of this process reached through these proxies as well, from now on."""
    _proxies[:] = dict.fromkeys(proxies)
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    if loop in _of_loop:
        _of_loop[loop].keep(_proxies)


def get_proxies() -> tuple[Proxy, ...]:
    """The proxies that are set."""
    return tuple(_proxies)


def open_proxies() -> Proxies | None:
    """The proxies of the running event loop, which are connected to from now on. None: none are set."""
    if not _proxies:
        return None
    proxies = _of_loop.setdefault(asyncio.get_running_loop(), Proxies())
    proxies.keep(_proxies)
    return proxies


async def look_at_proxies(patience_s: float) -> list[ProxyState]:
    """The state of each proxy, after waiting at most so many seconds for those that have not answered yet."""
    proxies = open_proxies()
    if proxies is None:
        return []
    await proxies.settle(patience_s, all_of_them=True)
    return proxies.states


async def close_proxies() -> None:
    """Ends the connections to the proxies."""
    proxies = _of_loop.get(asyncio.get_running_loop())
    if proxies is not None:
        await proxies.aclose()


async def _look_up(proxy: Proxy) -> list[str]:
    """The host, or its addresses if it is a name without a dot, which the library would ask all of the network for.

    Raises Trouble where it has none. A name that ends in .local is left to the library, which asks by mDNS.
    """
    if "." in proxy.host or ":" in proxy.host:
        return [proxy.host]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # of which the second is of what can be no name
        raise Trouble(say_unknown(proxy)) from None
    return [str(address[0]) for *_, address in found]


async def _load() -> type[ProxyLink]:
    """The class of connections. It is imported beside the loop, since the libraries are large."""
    try:
        module = await asyncio.to_thread(import_module, "drivers.proxy_link")
    except ImportError:
        what = say("link.no_proxy_library", "Bluetooth proxies need the library bleak-esphome")
        said = advise(what, suggest_extra("proxy", __file__))
        raise Trouble(said) from None
    link: type[ProxyLink] = module.ProxyLink
    return link
