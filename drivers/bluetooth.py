"""Bluetooth LE boards as links, by bleak over BlueZ or a proxy: finding one, connecting to it, and its notifications.

A board has one link to give, and is silent while that is taken or while it sleeps. So an opener first frees a link
that BlueZ kept from an earlier failure, then listens, then connects to what it has just heard. What a board needs
after that differs (a pause, a command before it may be subscribed to) and is data of its profile. Characteristics are
judged by what they say they can do, and never read to find out: a GRANBOARD refuses to be read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from typing import NamedTuple, Self, cast

from bleak import BleakClient
from bleak.backends.bluezdbus.version import BlueZFeatures
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.device import BLEDevice
from bleak.backends.service import BleakGATTServiceCollection
from bleak.exc import BleakDBusError, BleakGATTProtocolError

from drivers.address import Address, AddressError
from drivers.ble_adverts import Advert, expand_uuid, has_name_of, matches, parse_target
from drivers.bluez import AdapterState, Bluez, BluezDevice, explain_error
from drivers.cancellation import finish_before_cancel
from drivers.proxies import Proxies, open_proxies
from drivers.radio import TROUBLES, Heard, Unheard, get_radio
from drivers.transport import LinkError, Lost, Refused, Transport, Unavailable, make_printable
from protocol.profile import Ble, Profile
from protocol.sentence import Sentence, advise, say

_KEPT = 8192
"""Notifications kept for a slow reader: far more than an evening of darts."""
_ANSWER_S = 5.0
PROXIES_S = 5.0
"""How long proxies are waited for before all that can be used listen."""


class Gatt(NamedTuple):
    """The characteristics that are used: notifications, writes, the charge of the battery."""

    notify: BleakGATTCharacteristic
    write: BleakGATTCharacteristic | None
    charge: BleakGATTCharacteristic | None

    @classmethod
    def of(cls, services: BleakGATTServiceCollection, ble: Ble) -> Self | None:
        """The board's characteristics. None where one that is needed is missing, or cannot do what it is for."""
        notify = _find_characteristic(services, ble.service, ble.notify, {"notify", "indicate"})
        write = _find_characteristic(services, ble.service, ble.write or "", {"write", "write-without-response"})
        if notify is None or (write is None and ble.enable):
            return None
        return cls(notify, write, _find_characteristic(services, "180f", "2a19", {"read"}))


class Notifications:
    """Notifications in order, up to the end of the link and the reason for it."""

    def __init__(self) -> None:
        self.lost: Lost | None = None
        self._packets: deque[bytes] = deque()
        self._news = asyncio.Event()

    def put(self, _: BleakGATTCharacteristic, data: bytearray) -> None:
        """What bleak calls for each notification."""
        if data and self.lost is None:
            self._packets.append(bytes(data))
            self._news.set()
            if len(self._packets) >= _KEPT:
                self.end(say("link.ble_flood", "the board sends more than oche can read: switch it off and on"))

    def end(self, reason: str | Sentence) -> None:
        """Ends the link. Of several reasons the first stays."""
        if self.lost is None:
            self.lost = Lost(reason)
            self._news.set()

    async def take(self) -> bytes:
        """The next notification; raises Lost when all are taken and the link has ended."""
        while not self._packets:
            self.check()
            self._news.clear()
            await self._news.wait()
        return self._packets.popleft()

    def check(self) -> None:
        """Raises Lost if the link has ended."""
        if self.lost is not None:
            raise self.lost


class BluetoothTransport(Transport):
    """A connected board; `who` names it in sentences. `begin` subscribes to it."""

    def __init__(
        self, who: Sentence, ble: Ble, client: BleakClient, gatt: Gatt, inbox: Notifications, signal_dbm: int
    ) -> None:
        self.signal_dbm = signal_dbm
        self._who = who
        self._ble = ble
        self._client = client
        self._gatt = gatt
        self._inbox = inbox
        self._writing = asyncio.Lock()
        self._begun = AsyncExitStack()

    async def begin(self, begun: AsyncExitStack) -> None:
        """Does what this kind of board needs, in its order; `begun` is then what closing ends with. Raises TROUBLES."""
        await asyncio.sleep(self._ble.settle_ms / 1000)
        await self._write(bytes.fromhex(self._ble.enable))
        async with asyncio.timeout(_ANSWER_S):
            await self._client.start_notify(self._gatt.notify, self._inbox.put)
        self._begun = begun.pop_all()

    async def receive(self) -> bytes:
        """One notification, as the board sent it."""
        return await self._inbox.take()

    async def send(self, data: bytes) -> None:
        """One write, however long the data; none to a board without a characteristic for writes."""
        self._inbox.check()
        try:
            await self._write(data)
        except TROUBLES:
            self._inbox.check()
            said = say("link.ble_deaf", "{who} does not react to commands: switch it off and on", who=self._who)
            raise Lost(said) from None

    async def battery(self) -> int | None:
        """The charge, of a board that has the standard battery service; None also when it does not answer just now."""
        self._inbox.check()
        if self._gatt.charge is None:
            return None
        try:
            async with asyncio.timeout(_ANSWER_S):
                level = await self._client.read_gatt_char(self._gatt.charge)
        except TROUBLES:
            return None
        return level[0] if level and level[0] <= 100 else None

    async def aclose(self) -> None:
        """Unsubscribes, sends the last bytes of the profile, hangs up: all of it, even when cancelled meanwhile."""
        was_up = self._inbox.lost is None
        self._inbox.end(f"{self._who} is closed")
        await finish_before_cancel(self._close(was_up))

    async def _write(self, data: bytes) -> None:
        characteristic = self._gatt.write
        if not data or characteristic is None:
            return
        able = characteristic.properties
        response = "write" in able and (self._ble.with_response or "write-without-response" not in able)
        async with self._writing, asyncio.timeout(_ANSWER_S):
            await self._client.write_gatt_char(characteristic, data, response)

    async def _close(self, was_up: bool) -> None:
        if was_up:
            with suppress(*TROUBLES):
                async with asyncio.timeout(_ANSWER_S):
                    await self._client.stop_notify(self._gatt.notify)
            with suppress(*TROUBLES):
                await self._write(bytes.fromhex(self._ble.disable))
        await self._begun.aclose()


async def hang_up(client: BleakClient) -> None:
    """Ends the link and frees what bleak holds, even when cancelled meanwhile; never raises."""

    async def disconnect() -> None:
        with suppress(*TROUBLES):
            async with asyncio.timeout(_ANSWER_S):
                await client.disconnect()

    await finish_before_cancel(disconnect())


def _find_characteristic(
    services: BleakGATTServiceCollection, service: str, uuid: str, able: set[str]
) -> BleakGATTCharacteristic | None:
    """The characteristic of that service, if it has one of these abilities."""
    for one in services:
        if one.uuid == expand_uuid(service):
            for characteristic in one.characteristics:
                if characteristic.uuid == expand_uuid(uuid) and able & set(characteristic.properties):
                    return characteristic
    return None


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

    @property
    def who(self) -> Sentence:
        """What the board is called in sentences."""
        if given := self.address or self.name:
            return say("link.board", "the board {name}", name=given)
        return say("link.any_board", "the {name} board", name=self.profile.id)

    def means(self, advert: Advert) -> bool:
        if self.address is not None:
            return advert.address == self.address  # if it does not fit, that is for a human to hear
        if self.name is not None and advert.name.casefold() != self.name.casefold():
            return False
        return matches(self.profile, advert.name, advert.services)


class _Local(NamedTuple):
    """The local adapter, and what is known of it."""

    bluez: Bluez
    view: AdapterState


async def open_board(address: Address, profile: Profile, patience: Patience = PATIENT) -> Transport:
    """Finds the board and connects to it, by the radio that hears it best; raises a LinkError with what to do.

    With an option `adapter`, only that adapter is used; else the first that is on, and the Bluetooth proxies. Cancelled
    at any moment, it leaves no link and no listening behind.
    """
    wanted, adapter = _wanted(address, profile), address.options.get("adapter")
    proxies = open_proxies() if adapter is None else None
    try:
        async with AsyncExitStack() as stack:
            local = await _find_adapter(adapter, proxies, patience.find_s, stack)
            return await _open(wanted, local, patience, stack, is_local=adapter is not None)
    except Unheard:
        raise _explain_silence(wanted, proxies) from None
    except TROUBLES as error:
        raise _explain_error(error, wanted) from None


async def listen_for_adverts(seconds: float, adapter: str | None = None) -> list[Advert]:
    """Every Bluetooth LE device that is heard in so many seconds, the loudest first; raises a LinkError.

    `adapter` is a name such as hci0; None: the first that is switched on, and the Bluetooth proxies. A board that is
    connected already is silent, and so is one that sleeps.
    """
    proxies = open_proxies() if adapter is None else None
    async with AsyncExitStack() as stack:
        if proxies is not None:
            await proxies.settle(PROXIES_S, all_of_them=True)
        local = await _find_adapter(adapter, proxies, 0, stack)
        try:
            heard = await get_radio(local and local.view.adapter).hear(seconds, is_local=adapter is not None)
        except BleakDBusError as error:
            raise explain_error(error.dbus_error) from None
        except TROUBLES:
            said = advise(say("link.stopped", "Bluetooth stopped while listening"), say("link.try_again", "try again"))
            raise Unavailable(said) from None
    return sorted(heard.values(), key=lambda advert: -advert.rssi)


def is_heard(address: Address, profile: Profile, adverts: Iterable[Advert]) -> bool:
    """Whether a board that the address means is among these. Raises AddressError."""
    wanted = _wanted(address, profile)
    return any(wanted.means(advert) for advert in adverts)


def _wanted(address: Address, profile: Profile) -> _Wanted:
    if profile.ble is None:
        raise AddressError(
            say(
                "address.no_ble",
                "a {name} board has no Bluetooth: correct the address {given} or the profile",
                name=profile.id,
                given=str(address),
            )
        )
    return _Wanted(profile, profile.ble, *parse_target(address))


async def _find_adapter(
    wanted: str | None, proxies: Proxies | None, patience_s: float, stack: AsyncExitStack
) -> _Local | None:
    """The adapter. None where none can be used, but proxies may; raises a LinkError where they cannot, either."""
    try:
        bluez = await Bluez.connect()
        stack.push_async_callback(bluez.aclose)
        return _Local(bluez, await bluez.look(wanted))
    except LinkError:
        if proxies is None:
            raise
    await proxies.settle(patience_s)
    if proxies.trouble is not None and not proxies.usable:
        raise Unavailable(proxies.trouble)
    return None


async def _open(
    wanted: _Wanted, local: _Local | None, patience: Patience, stack: AsyncExitStack, *, is_local: bool
) -> Transport:
    radio = get_radio(local and local.view.adapter)
    if local is not None:
        for device in local.view.devices:
            if device.is_connected and wanted.means(Advert(device.address, device.name, device.services, 0)):
                await _free_board(device, wanted, radio.held, local.bluez)
    if wanted.address in radio.held:
        raise _explain_use(wanted)
    inbox, proxy = Notifications(), None
    patience_s = patience.find_s + wanted.ble.release_ms / 1000
    try:
        async with radio.found(wanted.means, patience_s, is_local=is_local) as heard:
            proxy = heard.proxy
            stack.callback(radio.held.discard, heard.device.address)
            _check_name(heard.device, wanted)
            client = await _connect(heard, wanted, local, patience.connect_s, inbox, stack)
            gatt = Gatt.of(client.services, wanted.ble)
            if gatt is None:
                await _forget(heard, local)
                raise _explain_lack(heard.device, wanted)
        board = BluetoothTransport(wanted.who, wanted.ble, client, gatt, inbox, heard.signal_dbm)
        await board.begin(stack)
    except TROUBLES:
        if proxy is not None and inbox.lost is not None:  # of an adapter the error itself tells
            raise Unavailable(inbox.lost.said) from None
        raise
    return board


async def _connect(
    heard: Heard, wanted: _Wanted, local: _Local | None, patience_s: float, inbox: Notifications, stack: AsyncExitStack
) -> BleakClient:
    """Connects to the board by the radio that heard it, and watches that."""

    def note_hang_up(_: BleakClient) -> None:
        said = "link.ble_hung_up", "{who} ended the connection: check that it is in reach, awake and charged"
        inbox.end(say(*said, who=wanted.who))

    needed: AbstractAsyncContextManager[None] = nullcontext()
    if heard.proxy is not None:
        stack.enter_context(heard.proxy.watched(inbox.end))
        needed = heard.proxy.needed(patience_s)
        client = heard.proxy.make_client(heard.device, note_hang_up, patience_s)
    else:
        bluez, view = cast("_Local", local)  # the adapter heard it
        await bluez.watch(view.adapter, heard.device.details["path"], inbox.end)
        if not BlueZFeatures.checked_bluez_version:
            await finish_before_cancel(
                BlueZFeatures.check_bluez_version()
            )  # cut short, it would block every later connect
        client = BleakClient(heard.device, note_hang_up, timeout=patience_s)
    stack.push_async_callback(hang_up, client)
    async with needed:
        await finish_before_cancel(client.connect(), pass_cancel=True)
    return client


async def _forget(heard: Heard, local: _Local | None) -> None:
    """Has the board asked again, next time, what it can do: what it could do before may be remembered."""
    if heard.proxy is not None:
        heard.proxy.forget(heard.device.address)
    elif local is not None:
        await local.bluez.forget(local.view.adapter, heard.device.details["path"])


def _check_name(device: BLEDevice, wanted: _Wanted) -> None:
    """Raises Refused for a board that calls itself like none of the profile."""
    name = make_printable(device.name or "")
    if name and not has_name_of(wanted.ble, name):
        said = say(
            "link.ble_other",
            "{given} calls itself {possible}, and is not a {name} board: correct the address or the "
            "profile (oche scan shows both)",
            given=device.address,
            possible=name,
            name=wanted.profile.id,
        )
        raise Refused(said)


async def _free_board(device: BluezDevice, wanted: _Wanted, held: set[str], bluez: Bluez) -> None:
    """Ends a link that BlueZ kept and no program uses: a linked board is silent. Raises Refused for one in use."""
    if device.address not in held and not device.is_listened:
        await bluez.hang_up(device)
    elif wanted.address is not None:
        raise _explain_use(wanted)


def _explain_use(wanted: _Wanted) -> Refused:
    said = "link.ble_held", "another table or program uses {who}: close it, or give each its own board"
    return Refused(say(*said, who=wanted.who))


def _explain_lack(device: BLEDevice, wanted: _Wanted) -> Refused:
    said = say(
        "link.ble_service",
        "{given} has no service {possible}, as a {name} board has: switch it off and on, or "
        "correct the address or the profile",
        given=device.address,
        possible=wanted.ble.service,
        name=wanted.profile.id,
    )
    return Refused(said)


def _explain_silence(wanted: _Wanted, proxies: Proxies | None) -> Unavailable:
    if proxies is not None and proxies.trouble is not None:
        both = "link.proxy_unheard", "{who} cannot be heard, and {trouble}"
        return Unavailable(say(*both, who=wanted.who, trouble=proxies.trouble))
    said = say(
        "link.ble_silent",
        "{who} cannot be heard: wake it (press its button, or throw a dart), and close its maker's app on every phone",
        who=wanted.who,
    )
    return Unavailable(said)


def _explain_error(error: Exception, wanted: _Wanted) -> LinkError:
    match error:
        case BleakDBusError(dbus_error="org.bluez.Error.NotPermitted"):
            return Refused(say("link.ble_taken", "another program is connected to {who}: close it", who=wanted.who))
        case BleakDBusError(dbus_error=name) if name.endswith((".AccessDenied", ".NotReady", ".ServiceUnknown")):
            return explain_error(name)
        case BleakGATTProtocolError():
            said = "link.ble_refuses", "{who} does not let oche listen ({given}): switch it off and on"
            return Unavailable(say(*said, who=wanted.who, given=error.code.name))
    said = "link.ble_failed", "{who} was heard, but the connection failed: bring it nearer, or switch it off and on"
    return Unavailable(say(*said, who=wanted.who))
