"""The proxy in software that the other tests use: aioesphomeapi, which knows real ones, finds nothing wrong with it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest
from aioesphomeapi import BluetoothProxyFeature as Feature
from aioesphomeapi import BluetoothScannerMode
from aioesphomeapi.client import APIClient
from aioesphomeapi.core import (
    APIConnectionError,
    BluetoothGATTAPIError,
    EncryptionPlaintextAPIError,
    InvalidEncryptionKeyAPIError,
    RequiresEncryptionAPIError,
)
from bluetooth_data_tools import mac_to_int, parse_advertisement_data

from tests.drivers.listening import PATIENCE_S
from tests.esphome_link import NOT_ESTABLISHED
from tests.esphome_proxy import EsphomeProxy, run_proxy

KEY = base64.b64encode(bytes(range(32))).decode()
OTHER_KEY = base64.b64encode(bytes(32)).decode()
MAC = "C2:A4:CF:00:00:01"
ADDRESS = mac_to_int(MAC)


class Listener:
    """A client with what it has heard; `changed` is set with each news."""

    def __init__(self, client: APIClient) -> None:
        self.client = client
        self.names: set[str | None] = set()
        self.signals: set[int] = set()
        self.free: tuple[int, int, list[int]] | None = None
        self.states: list[tuple[bool, int]] = []
        self.packets: list[bytes] = []
        self._changed = asyncio.Event()
        self._forget: dict[int, Callable[[], None]] = {}

    def subscribe(self) -> None:
        self.client.subscribe_bluetooth_connections_free(self._take_free)
        self.client.subscribe_bluetooth_le_raw_advertisements(self._take_adverts)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    async def connect(self, address: int = ADDRESS) -> None:
        self._forget.pop(address, lambda: None)()
        self._forget[address] = await self.client.bluetooth_device_connect(
            address, self._take_state, feature_flags=Feature.REMOTE_CACHING, address_type=1, timeout=PATIENCE_S
        )

    async def listen(self) -> None:
        """As a client has to: at the proxy, then at the board."""
        notify, descriptor = await self.find("notify")
        await self.client.bluetooth_gatt_start_notify(ADDRESS, notify, self._take_packet)
        await self.client.bluetooth_gatt_write_descriptor(ADDRESS, descriptor, b"\1\0")

    async def find(self, what: str) -> tuple[int, int]:
        """The handles of a characteristic and its descriptor."""
        uuid = f"442f157{'1' if what == 'notify' else '2'}-8a00-9a28-cbe1-e1d4212d53eb"
        services = (await self.client.bluetooth_gatt_get_services(ADDRESS)).services
        (one,) = [one for service in services for one in service.characteristics if one.uuid == uuid]
        return one.handle, one.descriptors[0].handle if one.descriptors else 0

    async def write(self, data: bytes, *, response: bool) -> None:
        await self.client.bluetooth_gatt_write(ADDRESS, (await self.find("write"))[0], data, response)

    def _take_adverts(self, raw: Any) -> None:
        for one in raw.advertisements:
            self.names.add(parse_advertisement_data([one.data]).local_name)
            self.signals.add(one.rssi)
        self._changed.set()

    def _take_free(self, free: int, limit: int, allocated: list[int]) -> None:
        self.free = free, limit, allocated
        self._changed.set()

    def _take_state(self, connected: bool, _: int, error: int) -> None:
        self.states.append((connected, error))
        self._changed.set()

    def _take_packet(self, _: int, data: bytearray) -> None:
        self.packets.append(bytes(data))
        self._changed.set()


@asynccontextmanager
async def listener(proxy: EsphomeProxy, key: str | None = None) -> AsyncIterator[Listener]:
    client = APIClient("127.0.0.1", proxy.port, None, noise_psk=key)
    try:
        await client.connect(login=True)
        yield Listener(client)
    finally:
        await client.disconnect(force=True)


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("cuts", [None, Random(1)])
async def test_a_board_is_heard_connected_to_and_listened_to(key: str | None, cuts: Random | None) -> None:
    async with run_proxy(key=key) as proxy:
        proxy.cuts = cuts
        board = proxy.place("granboard", MAC, "GRANBOARD", rssi=-71)
        async with listener(proxy, key) as client:
            told = await client.client.device_info()
            assert (told.name, told.mac_address) == (proxy.name, proxy.mac)
            assert told.bluetooth_proxy_feature_flags & Feature.ACTIVE_CONNECTIONS
            client.subscribe()
            await client.until(lambda: client.names == {"GRANBOARD"})
            assert client.signals == {-71}
            assert client.free == (3, 3, [])
            await client.connect()
            await client.until(lambda: client.free == (2, 3, [ADDRESS]))
            await client.listen()
            assert board.hit(board.codebook.layout["T20"])
            await client.until(lambda: b"".join(client.packets).endswith(b"@"))
            await client.write(b"\1\2", response=True)
            await client.write(b"\3", response=False)
            with pytest.raises(BluetoothGATTAPIError, match="Read not permitted"):
                await client.client.bluetooth_gatt_read(ADDRESS, (await client.find("write"))[0])
            assert (await client.client.bluetooth_device_clear_cache(ADDRESS)).success
            await client.client.bluetooth_device_disconnect(ADDRESS)
            await client.until(lambda: client.free == (3, 3, []))
            assert client.states == [(True, 0), (False, 0x16)]
        assert proxy.journal == [
            f"connect_v3_without_cache {MAC}",
            "listen",
            "write 0102",
            "write 03 without response",
            f"clear_cache {MAC}",
            f"disconnect {MAC}",
        ]
    assert not board.is_connected


async def test_who_has_another_key_or_none_hears_which() -> None:
    async with run_proxy(key=KEY) as locked, run_proxy() as plain:
        for proxy, key, error in (
            (locked, OTHER_KEY, InvalidEncryptionKeyAPIError),
            (locked, None, RequiresEncryptionAPIError),
            (plain, KEY, EncryptionPlaintextAPIError),
        ):
            with pytest.raises(error):
                async with listener(proxy, key):
                    pass


async def test_links_fail_end_and_go_with_their_client() -> None:
    async with run_proxy(slots=1) as proxy:
        board = proxy.place("granboard", MAC)
        other = proxy.place("granboard", "C2:A4:CF:00:00:02")
        async with listener(proxy) as client:
            client.subscribe()
            board.failures = [NOT_ESTABLISHED]
            await client.connect()
            assert client.states.pop() == (False, NOT_ESTABLISHED)
            await client.connect()
            await client.connect(mac_to_int(other.address))  # there is no free connection
            assert client.states == [(True, 0), (False, 0)]
            assert not other.is_connected
            await board.hang_up()
            await client.until(lambda: client.states[-1] == (False, 0x13))
            await client.connect()
            proxy.take_away(board)
            await client.until(lambda: client.states[-1] == (False, 0x08))
            with pytest.raises(APIConnectionError):
                await client.client.bluetooth_gatt_read(ADDRESS, 3)
            proxy.hear(board)
            await client.connect()
            assert board.is_connected
        async with asyncio.timeout(PATIENCE_S):
            await proxy.until_unused()
        assert not board.is_connected


async def test_only_one_client_has_the_advertisements_and_names_need_an_active_scan() -> None:
    async with run_proxy() as proxy:
        proxy.place("granboard", MAC, "GRANBOARD")
        proxy.is_scanning_actively, proxy.is_held = False, True
        async with listener(proxy) as client:
            client.subscribe()
            await client.client.device_info()
            assert proxy.subscriber is None, "who came before still has them"
            proxy.is_held = False
            client.subscribe()
            await client.until(lambda: client.names == {None})
            client.client.bluetooth_scanner_set_mode(BluetoothScannerMode.ACTIVE)
            await client.until(lambda: "GRANBOARD" in client.names)
        await proxy.reboot()
        assert not proxy.is_scanning_actively


@pytest.mark.parametrize("is_silent", [False, True])
async def test_a_restart_in_the_middle_of_a_frame_and_silence_are_noticed(is_silent: bool) -> None:
    async with run_proxy() as proxy:
        board = proxy.place("granboard", MAC)
        ended = asyncio.Event()

        async def note(_: bool) -> None:
            ended.set()

        client = APIClient("127.0.0.1", proxy.port, None, keepalive=0.1 if is_silent else 20)
        await client.connect(on_stop=note, login=True)
        listener = Listener(client)
        listener.subscribe()
        await listener.connect()
        proxy.is_silent, proxy.room = is_silent, None if is_silent else 5
        async with asyncio.timeout(PATIENCE_S):
            if not is_silent:
                with pytest.raises(APIConnectionError):
                    await client.device_info()
            await ended.wait()
            await proxy.reboot()
        assert not proxy.links
        assert not board.is_connected
