"""The proxies of the configuration, which reach boards on Bluetooth in other rooms, while a program needs them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from daemon.config.sections import ProxyConfig
from drivers.proxies import PROXY_PORT, Proxy, close_proxies, set_proxies


@asynccontextmanager
async def use_proxies(proxies: Sequence[ProxyConfig]) -> AsyncIterator[None]:
    """Has the boards on Bluetooth reached through these proxies, too, while the block lasts."""
    if not proxies:
        yield
        return
    set_proxies([_make_proxy(each) for each in proxies])
    try:
        yield
    finally:
        set_proxies(())
        await close_proxies()


def _make_proxy(proxy: ProxyConfig) -> Proxy:
    address = proxy.find_address(PROXY_PORT)
    return Proxy(address.host, address.port, Path(proxy.key_file) if proxy.key_file else None)
