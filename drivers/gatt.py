"""A connected Bluetooth board: what it said and nobody has taken yet, what it can be told, how it is left.

Notifications are kept whole, in memory, until they are taken: bleak's callback waits for nobody. Characteristics are
judged by what they say they can do, and never read on trial: a GRANBOARD refuses to be read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import AsyncExitStack, suppress
from typing import NamedTuple, Self

from bleak import BleakClient
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.service import BleakGATTServiceCollection
from bleak.exc import BleakError

from drivers.ble_names import whole_uuid
from drivers.bluez import BUS_ERRORS
from drivers.transport import Lost, Transport
from drivers.whole import whole
from protocol.profile import Ble

TROUBLES = (BleakError, TimeoutError, *BUS_ERRORS)
"""What bleak raises when something is wrong with the board, the adapter, the service or the bus."""

_KEPT = 8192
"""Notifications kept for a slow reader: far more than an evening of darts."""
_ANSWER_S = 5.0


class Gatt(NamedTuple):
    """The characteristics that matter."""

    notify: BleakGATTCharacteristic
    write: BleakGATTCharacteristic | None
    charge: BleakGATTCharacteristic | None

    @classmethod
    def of(cls, services: BleakGATTServiceCollection, ble: Ble) -> Self | None:
        """The board's characteristics, each able to do what it is for; None: this is no such board."""
        notify = _able(services, ble.service, ble.notify, {"notify", "indicate"})
        write = _able(services, ble.service, ble.write or "", {"write", "write-without-response"})
        if notify is None or (write is None and ble.enable):
            return None
        return cls(notify, write, _able(services, "180f", "2a19", {"read"}))


class Inbox:
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
                self.end("the board says more than anybody reads: switch it off and on")

    def end(self, reason: str) -> None:
        """Nothing more will come. The first reason stays."""
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


class BluetoothBoard(Transport):
    """A connected board; `who` is how a person is told of it. `begin` makes it speak."""

    def __init__(self, who: str, ble: Ble, client: BleakClient, gatt: Gatt, inbox: Inbox, signal_dbm: int) -> None:
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
        """One write, however long the data; a board that listens to nothing is told nothing."""
        self._inbox.check()
        try:
            await self._write(data)
        except TROUBLES:
            self._inbox.check()
            raise Lost(f"{self._who} does not do as it is told: switch it off and on") from None

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
        """Unsubscribes, says goodbye if the board wants that, hangs up: all of it, even when cancelled meanwhile."""
        was_up = self._inbox.lost is None
        self._inbox.end(f"{self._who} is closed")
        await whole(self._close(was_up))

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

    await whole(disconnect())


def _able(
    services: BleakGATTServiceCollection, service: str, uuid: str, able: set[str]
) -> BleakGATTCharacteristic | None:
    """The characteristic of that service, if it has one of these abilities."""
    for one in services:
        if one.uuid == whole_uuid(service):
            for characteristic in one.characteristics:
                if characteristic.uuid == whole_uuid(uuid) and able & set(characteristic.properties):
                    return characteristic
    return None
