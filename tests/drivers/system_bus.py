"""A system bus of our own, and a service on it that keeps a tree of objects: what a made-up bluetoothd stands on.

dbus-daemon and dbus-fast are the real ones, so messages, match rules and policies are too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

Reply = tuple[str, list[Any]]
Method = Callable[[Message], Awaitable[Reply]]

_OBJECTS = "org.freedesktop.DBus.ObjectManager"
_SIGNATURES = {
    **dict.fromkeys(("Address", "AddressType", "Name", "Alias", "UUID"), "s"),
    **dict.fromkeys(("Adapter", "Device", "Service"), "o"),
    **dict.fromkeys(("Powered", "Discovering", "Connected", "ServicesResolved", "Paired", "Bonded", "Trusted"), "b"),
    **dict.fromkeys(("Blocked", "LegacyPairing", "Primary", "Notifying"), "b"),
    **dict.fromkeys(("Roles", "UUIDs", "Flags"), "as"),
    "RSSI": "n",
    "Value": "ay",
    "MTU": "q",
    "Includes": "ao",
}
_BUS_CONFIG = """<busconfig>
  <type>system</type><listen>unix:path={folder}/bus</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true"/><allow receive_type="signal"/><allow receive_requested_reply="true"/>
    {rules}
  </policy>
</busconfig>"""


@asynccontextmanager
async def system_bus(dbus_daemon: Path, folder: Path, rules: str = "") -> AsyncIterator[str]:
    """A D-Bus of our own; gives its address. `rules` are further lines of its policy."""
    config = folder / "bus.conf"
    config.write_text(_BUS_CONFIG.format(folder=folder, rules=rules), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        dbus_daemon,
        "--config-file",
        config,
        "--nofork",
        "--nopidfile",
        "--print-address",
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


class DBusRefusal(Exception):
    """What a method answers instead: the name of a D-Bus error and a text."""


class ObjectTree:
    """A service's objects: path, interface, property. A client that watches is told of every change.

    `methods` are what may be called on them, by member; each gets the message and gives signature and body back.
    """

    def __init__(self, bus_address: str, name: str) -> None:
        self.objects: dict[str, dict[str, dict[str, Any]]] = {}
        self.methods: dict[str, Method] = {}
        self._bus_address = bus_address
        self._name = name
        self._bus: MessageBus | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Takes its name on the bus."""
        self._bus = await MessageBus(bus_address=self._bus_address).connect()
        self._bus.add_message_handler(self._called)
        await self._bus.request_name(self._name)

    async def die(self) -> None:
        """Leaves the bus without a word about its objects."""
        tasks, self._tasks = self._tasks, set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.objects.clear()
        if self._bus is not None:
            self._bus.disconnect()
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]  # it returns nothing
            self._bus = None

    async def settled(self) -> None:
        """Waits until the bus has taken all that was said."""
        assert self._bus
        bus = "org.freedesktop.DBus"
        await self._bus.call(Message(bus, "/org/freedesktop/DBus", bus, "GetId"))

    def add(self, path: str, interface: str, told: dict[str, Any]) -> None:
        """A new object; one that is there already stays as it is."""
        if path not in self.objects:
            self.objects[path] = {interface: told}
            self._emit("/", "InterfacesAdded", "oa{sa{sv}}", [path, _told(self.objects[path])])

    def change(self, path: str, interface: str, told: dict[str, Any], gone: tuple[str, ...] = ()) -> None:
        """Properties have new values, or none any more; nothing happens to an object that is not there."""
        if path in self.objects:
            self.objects[path][interface].update(told)
            for name in gone:
                self.objects[path][interface].pop(name, None)
            self._emit(path, "PropertiesChanged", "sa{sv}as", [interface, _variants(told), list(gone)])

    def remove(self, beginning: str) -> None:
        """All objects below and including this path are gone, the lowest first."""
        for path in sorted((path for path in self.objects if path.startswith(beginning)), reverse=True):
            self._emit("/", "InterfacesRemoved", "oas", [path, list(self.objects.pop(path))])

    def shed(self, path: str, interface: str) -> None:
        """An object goes on without this interface."""
        self.objects[path].pop(interface, None)
        self._emit("/", "InterfacesRemoved", "oas", [path, [interface]])

    def keep(self, task: asyncio.Task[None]) -> None:
        """This goes on until it ends or the service dies."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _called(self, message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL or message.interface == "org.freedesktop.DBus.Peer":
            return False
        self.keep(asyncio.create_task(self._answer(message)))
        return True

    async def _answer(self, message: Message) -> None:
        try:
            reply = Message.new_method_return(message, *await self._reply(message))
        except DBusRefusal as refusal:
            reply = Message.new_error(message, *refusal.args)
        if self._bus is not None:
            await self._bus.send(reply)

    async def _reply(self, message: Message) -> Reply:
        if message.member == "GetManagedObjects":
            return "a{oa{sa{sv}}}", [{path: _told(interfaces) for path, interfaces in self.objects.items()}]
        if message.path not in self.objects or message.member not in self.methods:
            raise DBusRefusal("org.freedesktop.DBus.Error.UnknownObject", "gone")
        return await self.methods[message.member](message)

    def _emit(self, path: str, member: str, signature: str, body: list[Any]) -> None:
        if self._bus is not None:
            interface = _OBJECTS if path == "/" else "org.freedesktop.DBus.Properties"
            self._bus.send(Message.new_signal(path, interface, member, signature, body))


def _told(interfaces: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Variant]]:
    return {interface: _variants(told) for interface, told in interfaces.items()}


def _variants(told: dict[str, Any]) -> dict[str, Variant]:
    return {name: Variant(_SIGNATURES[name], value) for name, value in told.items()}
