"""Bluetooth LE boards as links, by bleak over BlueZ: finding one and connecting to it.

A board has one link to give, and is silent while that is taken or while it sleeps. So an opener first frees a link
that BlueZ kept from an earlier failure, then listens, then connects to what it has just heard. What a board needs
after that differs (a pause, a word of command before it may be subscribed to) and is data of its profile.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import NamedTuple

from bleak import BleakClient
from bleak.backends.bluezdbus.version import BlueZFeatures
from bleak.exc import BleakDBusError, BleakGATTProtocolError

from drivers.address import Address, AddressError
from drivers.ble_names import Advert, fits, named_like, particular
from drivers.bluez import Bluez, Device, explained
from drivers.gatt import TROUBLES, BluetoothBoard, Gatt, Inbox, hang_up
from drivers.plain import plain
from drivers.radio import Unheard, radio
from drivers.transport import LinkError, Refused, Transport, Unavailable
from drivers.whole import whole
from protocol.profile import Ble, Profile


class Patience(NamedTuple):
    """How long to listen for a board, and how long to try to connect to it, in seconds."""

    find_s: float = 10.0
    connect_s: float = 20.0


PATIENT = Patience()


class _Wanted(NamedTuple):
    """Which board an address means; without `address` and `name` it is any board of the profile."""

    profile: Profile
    ble: Ble
    address: str | None
    name: str | None

    def __str__(self) -> str:
        return f"the board {self.address or self.name}" if self.address or self.name else f"the {self.profile.id} board"

    def means(self, advert: Advert) -> bool:
        if self.address is not None:
            return advert.address == self.address  # if it does not fit, that is for a human to hear
        if self.name is not None and advert.name.casefold() != self.name.casefold():
            return False
        return fits(self.profile, advert.name, advert.services)


async def open_board(address: Address, profile: Profile, patience: Patience = PATIENT) -> Transport:
    """Finds the board and connects to it; raises a LinkError with what to do.

    Cancelled at any moment, it leaves no link and no listening behind.
    """
    wanted = _wanted(address, profile)
    try:
        async with AsyncExitStack() as stack:
            return await _open(wanted, address.options.get("adapter"), patience, stack)
    except Unheard:
        raise _unheard(wanted) from None
    except TROUBLES as error:
        raise _explained(error, wanted) from None


async def advertised(seconds: float, adapter: str | None = None) -> list[Advert]:
    """Every Bluetooth LE device that is heard in so many seconds, the loudest first; raises a LinkError.

    `adapter` is a name such as hci0; None: the first that is switched on. A board that somebody is connected to is
    silent, and so is one that sleeps.
    """
    bluez = await Bluez.connect()
    try:
        heard = await radio((await bluez.look(adapter)).adapter).hear(seconds)
    except BleakDBusError as error:
        raise explained(error.dbus_error) from None
    except TROUBLES:
        raise Unavailable("Bluetooth stopped while listening: try again") from None
    finally:
        await bluez.aclose()
    return sorted(heard.values(), key=lambda advert: -advert.rssi)


def is_heard(address: Address, profile: Profile, adverts: Iterable[Advert]) -> bool:
    """Is a board that the address means among these? Raises AddressError."""
    wanted = _wanted(address, profile)
    return any(wanted.means(advert) for advert in adverts)


def _wanted(address: Address, profile: Profile) -> _Wanted:
    if profile.ble is None:
        raise AddressError(f"a {profile.id} board has no Bluetooth: correct the address {address} or the profile")
    return _Wanted(profile, profile.ble, *particular(address))


async def _open(wanted: _Wanted, adapter: str | None, patience: Patience, stack: AsyncExitStack) -> Transport:
    bluez = await Bluez.connect()
    stack.push_async_callback(bluez.aclose)
    view = await bluez.look(adapter)
    shared = radio(view.adapter)
    for device in view.devices:
        if device.is_connected and wanted.means(Advert(device.address, device.name, device.services, 0)):
            await _free(device, wanted, shared.held, bluez)
    inbox = Inbox()
    async with shared.found(wanted.means, patience.find_s + wanted.ble.release_ms / 1000) as (found, signal_dbm):
        stack.callback(shared.held.discard, found.address)
        name = plain(found.name or "")
        if name and not named_like(wanted.ble, name):
            raise Refused(
                f"{found.address} calls itself {name} and is no {wanted.profile.id} board: "
                "correct the address or the profile (oche scan shows both)"
            )
        path = found.details["path"]
        await bluez.watch(view.adapter, path, inbox.end)
        if not BlueZFeatures.checked_bluez_version:
            await whole(BlueZFeatures.check_bluez_version())  # cut short, it would hold up every later connect for ever
        client = BleakClient(
            found,
            lambda _: inbox.end(f"{wanted} hung up: is it in reach, awake and charged?"),
            timeout=patience.connect_s,
        )
        stack.push_async_callback(hang_up, client)
        await whole(client.connect(), break_off=True)
        gatt = Gatt.of(client.services, wanted.ble)
        if gatt is None:
            await bluez.forget(view.adapter, path)  # BlueZ may remember what the board could do before
            raise Refused(
                f"{found.address} offers no service {wanted.ble.service} as a {wanted.profile.id} board does: "
                "switch it off and on, or correct the address or the profile"
            )
    board = BluetoothBoard(str(wanted), wanted.ble, client, gatt, inbox, signal_dbm)
    await board.begin(stack)
    return board


async def _free(device: Device, wanted: _Wanted, held: set[str], bluez: Bluez) -> None:
    """Ends a link that BlueZ kept and nobody uses: a board that has it is silent. Others' links stay theirs."""
    if device.address not in held and not device.is_listened:
        await bluez.hang_up(device)
    elif wanted.address is not None:
        raise Refused(f"another table or program has {wanted}: close it, or give each its own board")


def _unheard(wanted: _Wanted) -> Unavailable:
    return Unavailable(
        f"{wanted} is not heard: wake it (its button, or a dart) and close its maker's app on every phone"
    )


def _explained(error: Exception, wanted: _Wanted) -> LinkError:
    match error:
        case BleakDBusError(dbus_error="org.bluez.Error.NotPermitted"):
            return Refused(f"another program listens to {wanted}: close it")
        case BleakDBusError(dbus_error=name) if name.endswith((".AccessDenied", ".NotReady", ".ServiceUnknown")):
            return explained(name)
        case BleakGATTProtocolError():
            return Unavailable(f"{wanted} refuses to be listened to ({error.code.name}): switch it off and on")
    return Unavailable(f"{wanted} was heard, but the connection failed: bring it nearer, or switch it off and on")
