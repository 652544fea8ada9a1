"""Bluetooth boards on a virtual radio: advertising, services and links as the profile says, habits as the firmware has.

The link adds nothing of its own: whether a board may be found, whether it answers, what it says and when it hangs up
is the firmware's. It runs on bumble's host, one for each board, all on one `Air`. A phone on the same air may take the
one link that a board has to give.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random

from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host

from protocol.codebook import Codebook
from protocol.profile import Ble
from simulator.ble_firmware import BleFirmware
from simulator.board import FirmwareBoard, loop_time_ns
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.kernel.radio import Air, VirtualRadio

_LOOK_S = 0.2
"""How often a board looks whether it may be found: its firmware sends no word."""
_INTERVAL_MS = 100
_FINDABLE = bytes([0x06])
"""Flags: general discovery, no classic Bluetooth."""
_BATTERY, _CHARGE = UUID("180F"), UUID("2A19")


class BleBoard(FirmwareBoard):
    """A board in reach of the adapter on the same `air`."""

    def __init__(
        self,
        codebook: Codebook,
        air: Air,
        mac: str = "F0:F1:F2:F3:F4:F5",
        *,
        faults: Faults = SOUND,
        habits: Habits = PLAIN,
        rng: Random | None = None,
    ) -> None:
        super().__init__(codebook, faults=faults, habits=habits, rng=rng)
        ble = codebook.profile.ble
        if ble is None or not isinstance(self.firmware, BleFirmware):
            raise ValueError(f"{codebook.profile.id} is not a Bluetooth LE board")
        self.mac = mac
        self._program = self.firmware
        self._ble = ble
        self._air = air
        self._radio: VirtualRadio | None = None
        self._host: Connection | None = None
        self._is_subscribed = False
        self._links = asyncio.Event()
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._packets: asyncio.Queue[bytes] = asyncio.Queue()

    @property
    def address(self) -> str:
        """For a driver."""
        return f"ble:{self.mac}"

    @property
    def is_connected(self) -> bool:
        """Whether a host has its link."""
        return self._host is not None

    def plug(self) -> None:
        """Puts the batteries in."""
        if self._radio is None:
            self._radio = VirtualRadio(self._program.name, self._air)
            self._tasks = [asyncio.create_task(self._live(self._radio), name=f"simulated {self._program.name}")]

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Takes the batteries out, once all that it said is on the air, or when patience is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._packets.join()
        self._pull()

    async def connected(self) -> None:
        """Waits until a host has its link, subscribed or not."""
        while self._host is None:
            self._links.clear()
            await self._links.wait()

    def drop(self) -> None:
        """The link is lost, as radio links are; the board stays where it is."""
        if self._radio is not None:
            self._air.lose(self._radio)
        if self._host is not None:
            self._disconnected(self._host)  # at once: what happens from now on reaches no host

    async def _live(self, radio: VirtualRadio) -> None:
        host = Host()
        host.controller = radio
        device = Device(name=self._program.name, address=Address(self.mac), host=host)
        notify = Characteristic(
            UUID(self._ble.notify), Characteristic.Properties.NOTIFY, Characteristic.Permissions(0), b""
        )
        notify.on(Characteristic.EVENT_SUBSCRIPTION, self._subscribed)
        device.add_services(self._services(notify))
        device.on(Device.EVENT_CONNECTION, self._connected)
        await device.power_on()
        data, answer = _advertisement(self._ble, self._program.name)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell(device, notify))
            while True:
                if self._host is None and self._program.is_advertising(loop_time_ns()) != device.is_advertising:
                    if device.is_advertising:
                        await device.stop_advertising()
                    else:
                        await device.start_advertising(
                            advertising_data=data,
                            scan_response_data=answer,
                            advertising_interval_min=_INTERVAL_MS,
                            advertising_interval_max=_INTERVAL_MS,
                        )
                self._news.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if self._host else _LOOK_S):
                        await self._news.wait()

    async def _tell(self, device: Device, notify: Characteristic[bytes]) -> None:
        while True:
            packet = await self._packets.get()
            with suppress(ProtocolError):
                await device.notify_subscribers(notify, packet)
            self._packets.task_done()

    def _services(self, notify: Characteristic[bytes]) -> list[Service]:
        ways = Characteristic.Properties
        own = [notify]
        if self._ble.write:
            own.append(
                Characteristic(
                    UUID(self._ble.write),
                    ways.WRITE | (ways(0) if self._ble.with_response else ways.WRITE_WITHOUT_RESPONSE),
                    Characteristic.WRITEABLE,
                    CharacteristicValue(write=lambda _, data: self._feed(data)),
                )
            )
        services = [Service(UUID(self._ble.service), own)]
        if self._program.charge is not None:
            level: Characteristic[bytes] = Characteristic(
                _CHARGE,
                ways.READ,
                Characteristic.READABLE,
                CharacteristicValue(read=lambda _: bytes([self._program.charge or 0])),
            )
            services.append(Service(_BATTERY, [level]))
        return services

    def _connected(self, host: Connection) -> None:
        host.on(Connection.EVENT_DISCONNECTION, lambda _: self._disconnected(host))
        if self._host is None and self._program.connect(loop_time_ns()):
            self._host = host
            self._links.set()
        else:
            self._hang_up(host)
        self._news.set()

    def _disconnected(self, host: Connection) -> None:
        if host is self._host:
            self._host = None
            self._is_subscribed = False
            while not self._packets.empty():
                self._packets.get_nowait()
                self._packets.task_done()
            self._program.hang_up(loop_time_ns())
            self._news.set()

    def _subscribed(self, host: Connection, notify: bool, _: bool) -> None:
        self._is_subscribed = notify
        if notify:
            self._program.subscribe(loop_time_ns())
            self._heard.set()
            self._print()

    def _hang_up(self, host: Connection) -> None:
        """Ends the link politely."""

        async def end() -> None:
            with suppress(ProtocolError):
                await host.disconnect()

        task = asyncio.create_task(end())
        self._tasks.append(task)

    def _is_open(self) -> bool:
        return self._host is not None and self._is_subscribed

    def _send(self, writes: list[bytes]) -> None:
        if self._is_open():
            for packet in writes:
                self._packets.put_nowait(packet)

    def _print(self) -> None:
        super()._print()
        if self._host is not None and not self._program.is_connected:
            self._hang_up(self._host)  # it fell asleep
        self._news.set()  # a dart may have woken it

    def _pull(self) -> None:
        self._rest()
        if self._radio is not None:
            self._air.part(self._radio)
            self._radio = None
        for task in self._tasks:
            task.cancel()
        self._tasks = []


def _advertisement(ble: Ble, name: str) -> tuple[bytes, bytes]:
    """What a board sends out by itself, and what it answers to who asks: both hold at most 31 bytes."""
    service = UUID(ble.service).to_bytes()
    is_short = len(service) == 2
    kinds = AdvertisingData
    listed = (
        kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS
        if is_short
        else kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
    )
    data = AdvertisingData([(kinds.FLAGS, _FINDABLE), (listed, service)])
    return bytes(data), bytes(AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, name.encode())]))


_PHONE = "C4:00:00:00:00:01"


class Phone:
    """It looks for no board by itself; all methods belong to the running event loop."""

    def __init__(self, air: Air) -> None:
        self._air = air
        self._radio = VirtualRadio("phone", air)

    @property
    def is_connected(self) -> bool:
        """Has it a link?"""
        return bool(self._radio.le_connections)

    async def connect(self, board: BleBoard) -> None:
        """Takes the board's link."""
        host = Host()
        host.controller = self._radio
        device = Device(name="phone", address=Address(_PHONE), host=host)
        await device.power_on()
        await device.connect(Address(board.mac))

    def leave(self) -> None:
        """Its owner goes home."""
        self._air.part(self._radio)
