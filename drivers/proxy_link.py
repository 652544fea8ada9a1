"""The connection to one ESPHome Bluetooth proxy, by aioesphomeapi; its links to boards by the client of bleak-esphome.

That client is a backend of bleak like the one for BlueZ, and is given to each BleakClient by name. So neither bleak's
classes nor anything else of the process are replaced, and the local adapter stays BlueZ's. A proxy serves one program
at a time, and tells nobody when it refuses to: it just sends no state of its scanner.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, cast

from aioesphomeapi import BluetoothLEAdvertisement, BluetoothProxyFeature, BluetoothScannerMode, DeviceInfo
from aioesphomeapi import BluetoothScannerStateResponse as ScannerState
from aioesphomeapi.client import APIClient
from aioesphomeapi.core import (
    APIConnectionError,
    BadNameAPIError,
    EncryptionPlaintextAPIError,
    HandshakeAPIError,
    InvalidAuthAPIError,
    InvalidEncryptionKeyAPIError,
    ProtocolAPIError,
    RequiresEncryptionAPIError,
    ResolveAPIError,
)
from bleak import BleakClient
from bleak.backends.device import BLEDevice
from bleak_esphome.backend.client import ESPHomeClient, ESPHomeClientData
from bleak_esphome.backend.device import ESPHomeBluetoothDevice
from bluetooth_data_tools import int_to_bluetooth_address, mac_to_int, parse_advertisement_data_bytes
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types

from drivers.ble_adverts import Advert
from drivers.cancellation import finish_before_cancel
from drivers.proxy import Proxy, Trouble, say_full, say_gone, say_silence, say_taken, say_unknown
from drivers.transport import make_printable
from protocol.sentence import Sentence, advise, say

if TYPE_CHECKING:
    from aioesphomeapi import APIVersion
    from bleak_esphome.backend.scanner import ESPHomeScanner

for _name in ("aioesphomeapi", "bleak_esphome", "habluetooth"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)  # what they complain of comes out here, as one sentence


def _is_news(record: logging.LogRecord) -> bool:
    """False for the traceback of garbage: aioesphomeapi ends the connection for it, and raises it all the same."""
    return not record.exc_info or not isinstance(record.exc_info[1], DecodeError)  # asyncio gives False for no error


logging.getLogger("asyncio").addFilter(_is_news)

Hear = Callable[[Advert, BLEDevice, "ProxyLink"], None]

_CONNECT_S = 20.0
_ANSWER_S = 5.0
_AT_ONCE_S = 2.0
"""For the state of the scanner, which comes with a subscription, and for taking leave."""
_KEEPALIVE_S = 3.0
"""Between pings. A proxy whose plug was pulled says nothing: after some 20 s of that the connection has ended."""
_MOST_HEARD = 1024
"""Devices remembered of one listening."""


class ProxyLink:
    """A connection to a proxy: `connect` it once, `aclose` it in the end. `name` is what the proxy calls itself.

    `hosts` are what to try: addresses, or a name.
    """

    def __init__(self, proxy: Proxy, hosts: list[str]) -> None:
        self.proxy = proxy
        self.name = ""
        self.is_up = False
        self._api = APIClient(
            proxy.host,
            proxy.port,
            addresses=hosts,
            client_info="oche",
            keepalive=_KEEPALIVE_S,
            noise_psk=_read_key(proxy),
            expected_name=_expect_name(proxy.host),
            provide_time=False,
        )
        self._closed = asyncio.Event()
        self._slots_known = asyncio.Event()
        self._scanner_known = asyncio.Event()
        self._usual_mode = BluetoothScannerMode.PASSIVE
        self._can_set_mode = False
        self._data: ESPHomeClientData | None = None
        self._hear: Hear | None = None
        self._heard: dict[str, Advert] = {}
        self._watchers: set[Callable[[Sentence], None]] = set()
        self._limits: set[asyncio.Timeout] = set()

    @property
    def free(self) -> int:
        """How many more boards it can be connected to."""
        return self._data.bluetooth_device.ble_connections_free if self._data else 0

    @property
    def slots(self) -> int:
        """How many boards it can be connected to at once."""
        return self._data.bluetooth_device.ble_connections_limit if self._data else 0

    @property
    def trouble(self) -> Sentence | None:
        """Why no other board can be reached through it, None: one can."""
        if not self.is_up:
            return say_gone(self.proxy)
        return None if self.free else say_full(self.proxy, self.slots)

    async def connect(self) -> None:
        """Connects, and waits until the proxy can be used; raises Trouble."""
        self._api.add_connection_closed_callback(lambda _: self._end())
        try:
            async with asyncio.timeout(_CONNECT_S):
                await self._api.connect(login=True, log_errors=False)
                await self._begin(await self._api.device_info())
        except (APIConnectionError, OSError, TimeoutError, ValueError) as error:
            raise Trouble(_explain(error, self.proxy)) from None

    async def wait_closed(self) -> Sentence:
        """Waits for the end of the connection; returns what to say of it."""
        await self._closed.wait()
        return say_gone(self.proxy)

    async def aclose(self) -> None:
        """Ends the connection, and with it the proxy's links to boards."""
        await finish_before_cancel(self._part())

    def listen(self, hear: Hear | None) -> None:
        """From now on calls `hear` for each advertisement; None: for none.

        Many boards tell their names only when asked, so it asks while someone listens.
        """
        if (hear is None) != (self._hear is None):
            self._heard.clear()
            mode = self._usual_mode if hear is None else BluetoothScannerMode.ACTIVE
            if self._can_set_mode:
                with suppress(APIConnectionError):  # it is gone, and that is told elsewhere
                    self._api.bluetooth_scanner_set_mode(mode)
        self._hear = hear

    def make_client(self, device: BLEDevice, hung_up: Callable[[BleakClient], None], timeout_s: float) -> BleakClient:
        """A client of a device that this proxy heard."""
        return BleakClient(device, hung_up, timeout=timeout_s, backend=ESPHomeClient, client_data=self._data)

    def forget(self, address: str) -> None:
        """Has the device asked again, next time, what it can do."""
        if self._data is not None:
            self._data.bluetooth_device.cache.clear_gatt_services_cache(mac_to_int(address))

    @contextmanager
    def watched(self, gone: Callable[[Sentence], None]) -> Iterator[None]:
        """In the block, calls `gone` with one sentence when the connection ends."""
        self._watchers.add(gone)
        try:
            yield
        finally:
            self._watchers.discard(gone)

    @asynccontextmanager
    async def needed(self, patience_s: float) -> AsyncIterator[None]:
        """Raises TimeoutError in the block after so many seconds, or as soon as the connection ends.

        A proxy that is gone answers no request, and one that is there may answer some of them only.
        """
        async with asyncio.timeout(patience_s if self.is_up else 0) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    async def _begin(self, info: DeviceInfo) -> None:
        """Subscribes, and waits for what the proxy answers at once; raises Trouble, and what its library raises."""
        api, version = self._api, self._api.api_version
        self.name = make_printable(info.name)
        flags = info.bluetooth_proxy_feature_flags_compat(version) if version is not None else 0
        _check_abilities(flags, self.proxy)
        device = ESPHomeBluetoothDevice(info.name, info.bluetooth_mac_address or info.mac_address, available=True)
        scanner = cast("ESPHomeScanner", _Scanner())
        self._data = ESPHomeClientData(device, api, info, cast("APIVersion", version), info.name, scanner)
        api.subscribe_bluetooth_connections_free(self._take_slots)
        self._can_set_mode = bool(flags & BluetoothProxyFeature.FEATURE_STATE_AND_MODE)
        if self._can_set_mode:
            api.subscribe_bluetooth_scanner_state(self._take_state)
        if flags & BluetoothProxyFeature.RAW_ADVERTISEMENTS:
            api.subscribe_bluetooth_le_raw_advertisements(self._take_raw)
        else:
            api.subscribe_bluetooth_le_advertisements(self._take_parsed)
        async with asyncio.timeout(_ANSWER_S):
            await self._slots_known.wait()
        if self._can_set_mode:
            try:
                async with asyncio.timeout(_AT_ONCE_S):
                    await self._scanner_known.wait()
            except TimeoutError:
                raise Trouble(say_taken(self.proxy)) from None
        if self._closed.is_set():
            raise Trouble(say_gone(self.proxy))
        self.is_up = True

    def _end(self) -> None:
        """Tells all who use the connection that it has ended."""
        if self._closed.is_set():
            return
        self.is_up = False
        for known in (self._closed, self._slots_known, self._scanner_known):
            known.set()
        for gone in list(self._watchers):
            gone(say_gone(self.proxy))
        for limit in self._limits:
            limit.reschedule(asyncio.get_running_loop().time())
        if self._data is not None:
            self._data.bluetooth_device.async_set_unavailable()
            for forget in list(self._data.disconnect_callbacks):
                forget()

    async def _part(self) -> None:
        self.listen(None)
        self._end()  # before the proxy ends its links, which would look as if the boards did
        with suppress(APIConnectionError, TimeoutError):
            async with asyncio.timeout(_AT_ONCE_S):
                await self._api.disconnect()
        self._api.force_disconnect()

    def _take_slots(self, free: int, limit: int, allocated: list[int]) -> None:
        if self._data is not None:
            self._data.bluetooth_device.async_update_ble_connection_limits(free, limit, allocated)
        self._slots_known.set()

    def _take_state(self, state: ScannerState) -> None:
        if not self._scanner_known.is_set():
            self._usual_mode = state.configured_mode or BluetoothScannerMode.PASSIVE
            self._scanner_known.set()

    def _take_raw(self, message: Any) -> None:  # Any: protobuf makes its classes as it is loaded
        if self._hear is None:
            return
        for each in message.advertisements:
            name, services, *_ = parse_advertisement_data_bytes(each.data)
            self._take(each.address, each.address_type, each.rssi, name, services)

    def _take_parsed(self, advert: BluetoothLEAdvertisement) -> None:
        self._take(advert.address, advert.address_type, advert.rssi, advert.name, advert.service_uuids)

    def _take(self, number: int, address_type: int, rssi: int, name: str | None, services: Iterable[str]) -> None:
        """Puts together what a device says in an advertisement and in its answer, as BlueZ does."""
        if self._hear is None:
            return
        address = int_to_bluetooth_address(number)
        known = self._heard.get(address, Advert(address, "", (), rssi))
        if len(self._heard) >= _MOST_HEARD:
            self._heard.clear()
        told = make_printable(name or "") or known.name
        advert = Advert(address, told, tuple(dict.fromkeys((*known.services, *services))), rssi)
        self._heard[address] = advert
        details = {"source": str(self.proxy), "address_type": address_type}
        self._hear(advert, BLEDevice(address, told or None, details), self)


class _Scanner:
    """What the client asks of a scanner: to know that it connects now."""

    def connecting(self) -> AbstractContextManager[None]:
        return nullcontext()


def _read_key(proxy: Proxy) -> str | None:
    """The key of the proxy, None: it has none. Raises Trouble where the file cannot be read."""
    if proxy.key_file is None:
        return None
    try:
        key = proxy.key_file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        what = say(
            "link.proxy_key_unread", "cannot read the encryption key of the Bluetooth proxy {name}", name=str(proxy)
        )
        remedy = say("link.mend_key_file", "make {given} a file that oche may read", given=str(proxy.key_file))
        raise Trouble(advise(what, remedy)) from None
    return key or "-"  # the library takes an empty one for none


def _expect_name(host: str) -> str | None:
    """What the proxy at this host must call itself: a name that the proxy itself announces is its own."""
    name, _, rest = host.lower().rstrip(".").partition(".")
    return name if rest == "local" else None


def _check_abilities(flags: int, proxy: Proxy) -> None:
    """Raises Trouble where boards cannot be reached through a device of these abilities."""
    if not flags:
        what = say("link.proxy_none", "{name} is no Bluetooth proxy", name=str(proxy))
        raise Trouble(advise(what, say("link.make_proxy", "add bluetooth_proxy: to its ESPHome configuration")))
    if not flags & BluetoothProxyFeature.ACTIVE_CONNECTIONS:
        what = say("link.proxy_passive", "the Bluetooth proxy {name} listens, but does not connect", name=str(proxy))
        remedy = say("link.let_connect", "write active: true below bluetooth_proxy: in its ESPHome configuration")
        raise Trouble(advise(what, remedy))
    if not flags & BluetoothProxyFeature.REMOTE_CACHING:
        what = say("link.proxy_old", "the ESPHome of the Bluetooth proxy {name} is too old", name=str(proxy))
        raise Trouble(advise(what, say("link.update_proxy", "update it")))


def _explain(error: Exception, proxy: Proxy) -> Sentence:
    """What to say of an error while connecting."""
    name = str(proxy)
    match error:
        case RequiresEncryptionAPIError():
            what = say("link.proxy_wants_key", "the Bluetooth proxy {name} wants its encryption key", name=name)
            return advise(what, say("link.give_key", "write it into a file, and name that in key_file"))
        case InvalidEncryptionKeyAPIError():
            what = say("link.proxy_wrong_key", "the encryption key of the Bluetooth proxy {name} is wrong", name=name)
            copy = "link.copy_key", "copy the key below api: of its ESPHome configuration into {given}"
            return advise(what, say(*copy, given=str(proxy.key_file)))
        case EncryptionPlaintextAPIError():
            what = say("link.proxy_no_key", "the Bluetooth proxy {name} has no encryption key", name=name)
            return advise(what, say("link.drop_key", "remove key_file, or add encryption: below api: in ESPHome"))
        case InvalidAuthAPIError():
            what = say("link.proxy_password", "the Bluetooth proxy {name} wants a password", name=name)
            return advise(what, say("link.drop_password", "replace it in ESPHome by encryption: below api:"))
        case BadNameAPIError():
            called = make_printable(error.received_name)
            what = say("link.proxy_other", "the Bluetooth proxy {name} calls itself {given}", name=name, given=called)
            return advise(what, say("link.correct_proxy", "correct the host in the configuration"))
        case ResolveAPIError():
            return say_unknown(proxy)
        case HandshakeAPIError(__cause__=OSError()):
            return say_silence(proxy)  # it hung up
        case ProtocolAPIError() | HandshakeAPIError():
            what = say("link.proxy_none", "{name} is no Bluetooth proxy", name=name)
            return advise(what, say("link.correct_proxy", "correct the host in the configuration"))
    return say_silence(proxy)
