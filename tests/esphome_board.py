"""A Bluetooth board in reach of ESPHome proxies: its advertisements, its table of characteristics, its one link.

What it does is `simulator/ble_firmware.py`'s, so it takes darts, buttons and whole matches as every simulated board.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from drivers.ble_adverts import expand_uuid
from protocol.codebook import Codebook
from protocol.profile import Ble
from simulator.ble_firmware import BleFirmware
from simulator.board import FirmwareBoard, loop_time_ns
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits

READ, WRITE_FREELY, WRITE, NOTIFY = 0x02, 0x04, 0x08, 0x10
"""What a characteristic can do, in the bits of the standard."""
HUNG_UP = 0x13
"""The reason of a link that the board ended."""

_FLAGS, _SOME_UUIDS, _LONG_UUIDS, _NAME = 0x01, 0x03, 0x07, 0x09
_GENERIC, _BATTERY = "1800", "180f"
_DEVICE_NAME, _CHARGE = "2a00", "2a19"


class Characteristic(NamedTuple):
    """`uuid` in 36 characters; `able` are bits; `cccd` is the handle of the descriptor that has it notify, 0: none."""

    uuid: str
    handle: int
    able: int
    cccd: int = 0


class Service(NamedTuple):
    """A service, its handle, and its characteristics."""

    uuid: str
    handle: int
    characteristics: tuple[Characteristic, ...]


class ProxiedBoard(FirmwareBoard):
    """A board of this kind. `address` is that of the device; `name` what it calls itself, "" for what its profile says.

    `failures`: how the next attempts to connect to it end: with this error, or None for no answer.
    """

    def __init__(
        self,
        codebook: Codebook,
        address: str,
        name: str = "",
        *,
        faults: Faults = SOUND,
        habits: Habits = PLAIN,
        rng: Random | None = None,
    ) -> None:
        super().__init__(codebook, faults=faults, habits=habits, rng=rng)
        if codebook.profile.ble is None or not isinstance(self.firmware, BleFirmware):
            raise ValueError(f"{codebook.profile.id} is not a Bluetooth LE board")
        self._program = self.firmware
        self._address = address
        self.name = name or self._program.name
        self.failures: list[int | None] = []
        self.services = _make_services(codebook.profile.ble, has_charge=self.firmware.charge is not None)
        self._ble = codebook.profile.ble
        self._lost: Callable[[int], None] | None = None
        self._say: Callable[[int, bytes], None] | None = None
        self._enabled: set[int] = set()
        self._is_plugged = True

    @property
    def address(self) -> str:
        """Of the device; a driver reaches it at `ble:` and this."""
        return self._address

    @property
    def is_connected(self) -> bool:
        """Whether a host has its link."""
        return self._program.is_connected

    @property
    def is_advertising(self) -> bool:
        """Whether it can be heard now."""
        return self._is_plugged and self._program.is_advertising(loop_time_ns())

    def advert(self, *, is_asked: bool) -> bytes:
        """What it sends out by itself, and with that what it answers to a scanner that asks: its name."""
        service = bytes.fromhex(expand_uuid(self._ble.service).replace("-", ""))[::-1]
        listed = _part(_SOME_UUIDS, service[12:14]) if len(self._ble.service) == 4 else _part(_LONG_UUIDS, service)
        return _part(_FLAGS, b"\6") + listed + (_part(_NAME, self.name.encode()) if is_asked else b"")

    async def notify(self, data: bytes) -> None:
        """Has it send this as one notification, to whoever listens."""
        self._send([data])

    async def hang_up(self) -> None:
        """Has it end its link."""
        self.drop()

    def plug(self) -> None:
        """Puts the batteries in."""
        self._is_plugged = True

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Takes the batteries out. What it said has left it already."""
        self._pull()

    def drop(self) -> None:
        """Its link ends; the board stays where it is."""
        if self._lost is not None:
            lost = self._lost
            self.part()
            lost(HUNG_UP)

    def connect(self, say: Callable[[int, bytes], None], lost: Callable[[int], None]) -> bool:
        """A proxy takes its link, and is told each notification with its handle, and why it ends. False: no answer."""
        if not self._is_plugged or not self._program.connect(loop_time_ns()):
            return False
        self._say, self._lost = say, lost
        self._print()
        return True

    def part(self) -> None:
        """The link is gone, and who had it knows."""
        self._say = self._lost = None
        self._enabled.clear()
        self._program.hang_up(loop_time_ns())

    def enable(self, cccd: int, *, is_on: bool) -> None:
        """A host writes to that descriptor."""
        if not is_on:
            self._enabled.discard(cccd)
            return
        self._enabled.add(cccd)
        if cccd == self._notifying.cccd:
            self._program.subscribe(loop_time_ns())
            self._heard.set()
            self._print()

    def write(self, uuid: str, data: bytes) -> None:
        """A host writes to that characteristic."""
        if self._ble.write and uuid == expand_uuid(self._ble.write):
            self._feed(data)

    def read(self, uuid: str) -> bytes:
        """What a host reads in that characteristic."""
        return self.name.encode() if uuid == expand_uuid(_DEVICE_NAME) else bytes([self.firmware.charge or 0])

    @property
    def _notifying(self) -> Characteristic:
        return next(one for service in self.services for one in service.characteristics if one.cccd)

    def _is_open(self) -> bool:
        return self._program.is_connected and self._notifying.cccd in self._enabled

    def _send(self, writes: list[bytes]) -> None:
        if self._say is not None and self._is_open():
            for packet in writes:
                self._say(self._notifying.handle, packet)

    def _print(self) -> None:
        super()._print()
        if self._lost is not None and not self._program.is_connected:
            self.drop()  # it fell asleep

    def _pull(self) -> None:
        self._rest()
        self._is_plugged = False
        self.drop()


def _make_services(ble: Ble, *, has_charge: bool) -> tuple[Service, ...]:
    """The table of the board, its handles numbered through."""
    own = [(ble.notify, NOTIFY)]
    if ble.write:
        own.append((ble.write, WRITE if ble.with_response else WRITE | WRITE_FREELY))
    table = [(_GENERIC, [(_DEVICE_NAME, READ)]), (ble.service, own)]
    if has_charge:
        table.append((_BATTERY, [(_CHARGE, READ)]))
    services, handle = [], 0
    for uuid, listed in table:
        handle += 1
        first, characteristics = handle, []
        for known, able in listed:
            handle += 2  # one declares it, the next is its value
            cccd = handle + 1 if able & NOTIFY else 0
            characteristics.append(Characteristic(expand_uuid(known), handle, able, cccd))
            handle = cccd or handle
        services.append(Service(expand_uuid(uuid), first, tuple(characteristics)))
    return tuple(services)


def _part(kind: int, data: bytes) -> bytes:
    return bytes([len(data) + 1, kind]) + data
