"""What BlueZ knows and bleak does not tell, read from its D-Bus interface.

bleak 3.1 hears when D-Bus ends, but still not when the Bluetooth service alone does, or when a device goes with its
adapter and BlueZ does not say before that the link ended (BlueZ 5.66 says it): a link would then be silent for ever.
Its own picture of BlueZ outlives the service. It names the devices that are linked (BleakAdapter), but by that picture,
not before it knows their services, and not whether a program listens to them; and a board that holds a link which BlueZ
kept after a connection failed on our side cannot be found by listening. So every link begins with a fresh look, over a
connection of its own that goes on watching as long as the link lasts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Self

from dbus_fast import AuthError, BusType, DBusFastError, Message, MessageType, unpack_variants
from dbus_fast.aio import MessageBus

from drivers.transport import LinkError, Refused, Unavailable, make_printable
from protocol.sentence import Sentence, advise, say

_BLUEZ = "org.bluez"
_BUS = "org.freedesktop.DBus"
_OBJECTS = "org.freedesktop.DBus.ObjectManager"
_ADAPTER = "org.bluez.Adapter1"
_DEVICE = "org.bluez.Device1"
_CHARACTERISTIC = "org.bluez.GattCharacteristic1"
_ANSWER_S = 5.0

BUS_ERRORS = (OSError, EOFError, DBusFastError)
"""What a connection to D-Bus raises when the bus itself is gone."""

NO_BUS = advise(
    say("link.no_bus", "Bluetooth needs D-Bus, which is not running"),
    say("link.start_bus", "sudo apt install bluez, then sudo systemctl start dbus bluetooth"),
)
NO_SERVICE = advise(
    say("link.no_service", "the Bluetooth service does not answer"),
    say("link.start_service", "sudo systemctl start bluetooth (Debian package bluez)"),
)
DENIED = advise(
    say("link.denied", "no permission to use Bluetooth"),
    say("link.join_group", "join the group bluetooth (sudo usermod -aG bluetooth USER), then log in again"),
)

_STOPPED = say(
    "link.service_stopped",
    "the Bluetooth service stopped; oche keeps trying. systemctl status bluetooth shows why",
)


class BluezDevice(NamedTuple):
    """A device BlueZ knows. `is_listened`: a program is subscribed to its notifications."""

    path: str
    address: str
    name: str
    services: tuple[str, ...]
    is_connected: bool
    is_paired: bool
    is_listened: bool


class AdapterState(NamedTuple):
    """An adapter that is switched on, by its name (hci0), the devices BlueZ knows on it, and whether it listens."""

    adapter: str
    devices: list[BluezDevice]
    is_listening: bool


class Bluez:
    """A connection to BlueZ. Made by `connect`."""

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self._watched: Callable[[Sentence], None] | None = None
        self._paths: tuple[str, ...] = ()
        bus.add_message_handler(self._take_signal)

    @classmethod
    async def connect(cls) -> Self:
        """Connects to the system's D-Bus; raises a LinkError."""
        bus = MessageBus(bus_type=BusType.SYSTEM)
        try:
            async with asyncio.timeout(_ANSWER_S):
                await bus.connect()
        except AuthError:
            raise Refused(DENIED) from None
        except (*BUS_ERRORS, TimeoutError):
            raise Unavailable(NO_BUS) from None
        return cls(bus)

    async def aclose(self) -> None:
        """Closes the connection."""
        self._watched = None
        self._bus.disconnect()
        with suppress(*BUS_ERRORS):
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]  # it returns nothing

    async def look(self, wanted: str | None) -> AdapterState:
        """The adapter of that name, or the first that is on, and its devices; raises a LinkError that says why not."""
        (objects,) = await self._call(_BLUEZ, "/", _OBJECTS, "GetManagedObjects")
        known: dict[str, dict[str, Any]] = {path: unpack_variants(interfaces) for path, interfaces in objects.items()}
        adapters = {
            path.rsplit("/", 1)[1]: interfaces[_ADAPTER] for path, interfaces in known.items() if _ADAPTER in interfaces
        }
        adapter = _choose_adapter(adapters, wanted)
        devices = [_read_device(path, known) for path in known if _is_device_of(adapter, known[path])]
        return AdapterState(adapter, devices, bool(adapters[adapter].get("Discovering")))

    async def hang_up(self, device: BluezDevice) -> None:
        """Ends BlueZ's link to this device, also one that another program made."""
        with suppress(Unavailable):  # it may have ended just now; and whether BlueZ is there the next call tells
            await self._call(_BLUEZ, device.path, _DEVICE, "Disconnect")

    async def forget(self, adapter: str, device_path: str) -> None:
        """Makes BlueZ ask the device again, next time, what it can do; what a person has paired stays as it is."""
        for device in (await self.look(adapter)).devices:
            if device.path == device_path and not device.is_paired:
                with suppress(Unavailable):
                    await self._call(_BLUEZ, f"/org/bluez/{adapter}", _ADAPTER, "RemoveDevice", "o", [device_path])

    async def watch(self, adapter: str, device_path: str, gone: Callable[[Sentence], None]) -> None:
        """From now on calls `gone` with one sentence when the service, the adapter or its device is no more."""
        self._watched, self._paths = gone, (f"/org/bluez/{adapter}", device_path)
        await self._match(f"sender='{_BUS}',interface='{_BUS}',member='NameOwnerChanged',arg0='{_BLUEZ}'")
        await self._match(f"sender='{_BLUEZ}',interface='{_OBJECTS}',member='InterfacesRemoved'")

    def _take_signal(self, message: Message) -> None:
        if self._watched is None or message.message_type is not MessageType.SIGNAL:
            return
        if message.member == "NameOwnerChanged" and message.body[0] == _BLUEZ:
            self._watched(_STOPPED)
        if message.member != "InterfacesRemoved" or message.body[0] not in self._paths:
            return
        if {_ADAPTER, _DEVICE} & set(message.body[1]):  # a device may lose less, such as its battery, and stay
            self._watched(say("link.adapter_gone", "the Bluetooth adapter is gone: plug it in again"))

    async def _match(self, rule: str) -> None:
        await self._call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", [rule])

    # Any: a D-Bus body holds whatever its signature says
    async def _call(
        self,
        destination: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: list[Any] | None = None,
    ) -> list[Any]:
        message = Message(destination, path, interface, member, signature=signature, body=body or [])
        try:
            async with asyncio.timeout(_ANSWER_S):
                reply = await self._bus.call(message)
        except TimeoutError:
            raise Unavailable(NO_SERVICE) from None
        except BUS_ERRORS:
            raise Unavailable(NO_BUS) from None
        if reply.message_type is MessageType.ERROR:
            raise explain_error(reply.error_name or "")
        return reply.body


def explain_error(error_name: str) -> LinkError:
    """The LinkError for a D-Bus error that is not about one board: rights, adapter, service."""
    if error_name.endswith(".AccessDenied"):
        return Refused(DENIED)
    if error_name == "org.bluez.Error.NotReady":
        return Unavailable(_explain_power(say("link.this_machine", "this machine")))
    return Unavailable(NO_SERVICE)


def _choose_adapter(adapters: Mapping[str, Mapping[str, Any]], wanted: str | None) -> str:
    """The adapter to use, among those that can look for boards at all."""
    able = sorted(name for name, told in adapters.items() if "central" in told.get("Roles", ["central"]))
    if wanted is not None and wanted not in able:
        there = say("link.there_is", " (there is {given})", given=", ".join(able)) if able else ""
        remedy = say("link.other_adapter", "plug it in, or correct the address{there}", there=there)
        raise Unavailable(advise(say("link.no_such", "there is no Bluetooth adapter {name}", name=wanted), remedy))
    if not able:
        remedy = say("link.plug_in_adapter", "plug one in, or switch the built-in one on in the settings")
        raise Unavailable(advise(say("link.no_adapter", "there is no Bluetooth adapter"), remedy))
    for name in [wanted] if wanted else able:
        if adapters[name].get("Powered"):
            return name
    raise Unavailable(_explain_power(wanted or able[0]))


def _explain_power(where: str | Sentence) -> Sentence:
    remedy = say("link.power_on", "run sudo rfkill unblock bluetooth, then sudo bluetoothctl power on")
    return advise(say("link.off", "Bluetooth is off on {name}", name=where), remedy)


def _is_device_of(adapter: str, interfaces: Mapping[str, Any]) -> bool:
    return _DEVICE in interfaces and interfaces[_DEVICE].get("Adapter") == f"/org/bluez/{adapter}"


def _read_device(path: str, known: Mapping[str, Mapping[str, Any]]) -> BluezDevice:
    told = known[path][_DEVICE]
    return BluezDevice(
        path=path,
        address=told["Address"],
        name=make_printable(told.get("Name", "")),
        services=tuple(told.get("UUIDs", ())),
        is_connected=bool(told.get("Connected")),
        is_paired=bool(told.get("Paired")),
        is_listened=any(
            interfaces.get(_CHARACTERISTIC, {}).get("Notifying")
            for other, interfaces in known.items()
            if other.startswith(f"{path}/")
        ),
    )
