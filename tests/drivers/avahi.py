"""Avahi without a network: the part of its D-Bus interface that finds services, as its documents have it.

Like the real one it tells a browser of each service on each interface and version of IP, by signals for that client
alone, the first of them before the answer that names the browser.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

_BROWSER = "org.freedesktop.Avahi.ServiceBrowser"


@dataclass
class Service:
    """A service in reach. `addresses` are by version of IP: 0 or 1; without one it cannot be resolved."""

    name: str
    kind: str
    port: int
    addresses: dict[int, str]
    texts: list[str] = field(default_factory=list)
    interface: int = 1


class Avahi:
    """The daemon, with these services around it. `is_slow`: it never says that it has told all."""

    def __init__(self, bus_address: str, *services: Service, is_slow: bool = False, refuses: bool = False) -> None:
        self.calls: list[tuple[str, list[Any]]] = []
        self._address = bus_address
        self._services = services
        self._is_slow = is_slow
        self._refuses = refuses
        self._bus: MessageBus | None = None

    async def __aenter__(self) -> Self:
        self._bus = await MessageBus(bus_address=self._address).connect()
        self._bus.add_message_handler(self._called)
        await self._bus.request_name("org.freedesktop.Avahi")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._bus is not None
        self._bus.disconnect()
        await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]  # it returns nothing

    def _called(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL or message.path != "/":
            return False
        self.calls.append((message.member or "", message.body))
        if self._refuses:
            return Message.new_error(message, "org.freedesktop.Avahi.AccessDeniedError", "Access denied")
        if message.member == "ServiceBrowserNew":
            return self._browse(message)
        assert message.member == "ResolveService"
        interface, version, name, kind, domain, wanted, _ = message.body
        for each in self._services:
            if (each.interface, each.name, each.kind) == (interface, name, kind) and wanted in each.addresses:
                texts = [text.encode() for text in each.texts]
                told = [interface, version, name, kind, domain, "darts.local", wanted, each.addresses[wanted]]
                return Message.new_method_return(message, "iissssisqaayu", [*told, each.port, texts, 4])
        return Message.new_error(message, "org.freedesktop.Avahi.TimeoutError", "Timeout reached")

    def _browse(self, message: Message) -> Message:
        path = f"/Client1/ServiceBrowser{len(self.calls)}"
        for each in self._services:
            if each.kind == message.body[2]:
                for version in (1, 0):
                    told = [each.interface, version, each.name, each.kind, "local", 4]
                    self._tell(message, path, "ItemNew", "iisssu", told)
        if not self._is_slow:
            self._tell(message, path, "AllForNow", "", [])
        return Message.new_method_return(message, "o", [path])

    def _tell(self, message: Message, path: str, member: str, signature: str, body: list[Any]) -> None:
        assert self._bus is not None
        signal = Message.new_signal(path, _BROWSER, member, signature, body)
        signal.destination = message.sender
        self._bus.send(signal)
