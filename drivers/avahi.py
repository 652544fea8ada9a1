"""What Avahi knows of services on the local networks, asked over D-Bus where it runs. It is never started for that.

It answers a browser with one signal for each service, interface and version of IP, and with `AllForNow` once it has
told what it knows. These signals may come before the answer that names their browser, so all are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from socket import if_indextoname
from typing import Any

from dbus_fast import AuthError, BusType, DBusFastError, Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus

from drivers.mdns import Announced, make_local, rank_address, read_texts
from drivers.transport import make_printable

_AVAHI = "org.freedesktop.Avahi"
_SERVER = "org.freedesktop.Avahi.Server"
_BROWSER = "org.freedesktop.Avahi.ServiceBrowser"
_BUS = "org.freedesktop.DBus"
_ANY = -1
_INET6 = 1
_MOST_SERVICES = 32
_AT_ONCE = 8
_BUS_S = 5.0
_BUS_ERRORS = (OSError, EOFError, DBusFastError, AuthError, ValueError)

_Item = tuple[int, int, str, str, str]
"""Interface, version of IP, name, type and domain, as a browser tells of a service."""
_Service = tuple[int, str, str, str]
"""The same without the version of IP."""


class AvahiMissingError(Exception):
    """Avahi does not run here, or does not talk to us."""


async def browse(services: Sequence[str], seconds: float) -> list[Announced]:
    """Returns the services that Avahi knows or finds within so many seconds; as many more are for where they are.

    Raises AvahiMissingError.
    """
    bus = MessageBus(bus_type=BusType.SYSTEM)
    try:
        async with asyncio.timeout(_BUS_S):
            await bus.connect()
    except (*_BUS_ERRORS, TimeoutError):
        raise AvahiMissingError from None
    try:
        return await _browse(bus, services, seconds)
    except (*_BUS_ERRORS, TimeoutError):
        raise AvahiMissingError from None
    finally:
        bus.disconnect()
        with suppress(*_BUS_ERRORS):
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]  # it returns nothing


async def _browse(bus: MessageBus, services: Sequence[str], seconds: float) -> list[Announced]:
    items, told, is_new = dict[_Item, None](), set[str](), asyncio.Event()

    def take(message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL or message.interface != _BROWSER:
            return
        if message.member == "ItemNew" and message.signature == "iisssu" and len(items) < _MOST_SERVICES:
            interface, version, name, service, domain, _ = message.body
            items[interface, version, name, service, domain] = None
        elif message.member in ("AllForNow", "Failure") and message.path:
            told.add(message.path)
            is_new.set()

    bus.add_message_handler(take)
    rule = f"type='signal',sender='{_AVAHI}',interface='{_BROWSER}'"
    await _call(bus, _BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", [rule])
    browsers = set[str]()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for service in services:
                wanted = [_ANY, _ANY, service, "local", 0]
                browsers.update(await _call(bus, _AVAHI, "/", _SERVER, "ServiceBrowserNew", "iissu", wanted))
            while not browsers <= told:
                is_new.clear()
                await is_new.wait()
    versions = dict[_Service, list[int]]()
    for interface, version, name, kind, domain in items:
        if kind in services:
            versions.setdefault((interface, name, kind, domain), []).append(version)
    free = asyncio.Semaphore(_AT_ONCE)
    found = await asyncio.gather(*(_resolve(bus, each, sorted(of), free, seconds) for each, of in versions.items()))
    best = dict[tuple[str, str], Announced]()
    for each in sorted((each for each in found if each), key=lambda each: rank_address(each.host)):
        best.setdefault((each.service, each.label), each)
    return [*best.values()]


async def _resolve(
    bus: MessageBus, service: _Service, versions: Sequence[int], free: asyncio.Semaphore, seconds: float
) -> Announced | None:
    """Returns where this service is; None where Avahi cannot tell within that time, or it is not on a local network.

    Of these versions of IP, the next is asked for where one has no address: that takes Avahi seconds.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), free:
            for version in versions:
                with suppress(*_BUS_ERRORS):
                    if (found := await _resolve_version(bus, service, version)) is not None:
                        return found
    return None


async def _resolve_version(bus: MessageBus, service: _Service, version: int) -> Announced | None:
    """Raises what the bus raises, and ValueError where there is no such address."""
    interface, name, kind, domain = service
    wanted = [interface, version, name, kind, domain, version, 0]
    told = await _call(bus, _AVAHI, "/", _SERVER, "ResolveService", "iisssiu", wanted)
    at, _, name, _, _, _, _, address, port, texts, _ = told
    host = make_local(address, if_indextoname(at) if version == _INET6 else "")
    if host is None or not port:
        return None
    return Announced(kind, make_printable(name), host, port, read_texts(bytes(text) for text in texts))


# Any: a D-Bus body holds whatever its signature says
async def _call(
    bus: MessageBus, destination: str, path: str, interface: str, member: str, signature: str, body: list[Any]
) -> list[Any]:
    """Returns the body of the answer. Raises ValueError where it is a refusal, and what the bus raises."""
    message = Message(destination, path, interface, member, signature=signature, body=body)
    message.flags = MessageFlag.NO_AUTOSTART
    answer = await bus.call(message)
    if answer.message_type is MessageType.ERROR:
        raise ValueError(member)
    return list(answer.body)
