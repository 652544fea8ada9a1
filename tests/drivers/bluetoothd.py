"""Bluetooth without a radio: the part of bluetoothd a board needs, on a bus of our own, and the boards around it.

The client is the real bleak. What is made here knows BlueZ and boards at their worst. BlueZ refuses two scans, two
connections or both at once ("in progress", and `collisions` counts it), keeps a link after a connection has failed,
remembers wrongly what a board can do, forgets everything when it is restarted. A board sleeps, is held by a phone,
needs a while after a hang-up, refuses to be read, says nothing until it was told to.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from dbus_fast import Message

from drivers.ble_adverts import expand_uuid
from tests.drivers.system_bus import DBusRefusal, ObjectTree, Reply

_ADAPTER, _DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
_SERVICE, _CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
_ADVERTISED_EVERY_S = 0.02
_CONNECTING_S = 0.02
"""Long enough for a second wish to come in between."""


@dataclass
class BleBoard:
    """A board in reach. `journal` is what it was told, in order: connect, write HEX, listen, hush, hang up.

    `enable`: what must have been written before it is listened to, else it says nothing. `failures`: how the next
    connections end; `kept`: the connection fails, and then the link is there; `silent`: no answer. `is_stale`: BlueZ
    remembers something else that had this address. `charge_failures`: so often its charge cannot be read.
    """

    address: str
    name: str
    service: str
    notify: str
    write: str = ""
    notify_flags: tuple[str, ...] = ("notify",)
    write_flags: tuple[str, ...] = ("write", "write-without-response")
    is_service_advertised: bool = True
    is_stale: bool = False
    is_paired: bool = False
    enable: bytes = b""
    charge: int | None = None
    charge_failures: int = 0
    release_s: float = 0.0
    is_asleep: bool = False
    is_held_by_phone: bool = False
    failures: list[Literal["refused", "kept", "silent"]] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    is_connected: bool = False
    is_listened: bool = False
    is_quiet_until: float = 0.0

    @property
    def path(self) -> str:
        """Where BlueZ puts it."""
        return f"/org/bluez/hci0/dev_{self.address.replace(':', '_')}"

    def speaks(self) -> bool:
        """Whether what it says now reaches a client."""
        told = "\n".join(self.journal).rpartition("connect\n")[2]
        return self.is_listened and (not self.enable or f"write {self.enable.hex()}" in told.partition("listen")[0])


class Bluetoothd:
    """bluetoothd with its adapters (name: is it on), the boards around hci0. `scans`: who has it listening."""

    def __init__(self, bus_address: str, *boards: BleBoard, adapters: dict[str, bool] | None = None) -> None:
        self.boards = list(boards)
        self.adapters = {"hci0": True} if adapters is None else adapters
        self.scans: set[str] = set()
        self.collisions = 0
        self._connecting: dict[str, asyncio.Event] = {}
        self._tree = ObjectTree(bus_address, "org.bluez")
        self._tree.methods = {
            "SetDiscoveryFilter": self._filter,
            "StartDiscovery": self._start_discovery,
            "StopDiscovery": self._stop_discovery,
            "RemoveDevice": self._remove_device,
            "Connect": self._connect,
            "Disconnect": self._disconnect,
            "StartNotify": self._listen,
            "StopNotify": self._hush,
            "WriteValue": self._write,
            "ReadValue": self._read,
        }

    @property
    def is_connecting(self) -> bool:
        """Whether a connection is being made."""
        return bool(self._connecting)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.die()

    async def start(self) -> None:
        """Starts, knowing no device."""
        await self._tree.start()
        for name, is_on in self.adapters.items():
            told = {"Address": "00:11:22:33:44:55", "Powered": is_on, "Discovering": False, "Roles": ["central"]}
            self._tree.add(f"/org/bluez/{name}", _ADAPTER, {**told, "UUIDs": []})

    async def die(self) -> None:
        """Ends as by a crash: says nothing, and all links end."""
        await self._tree.die()
        self._connecting.clear()
        self.scans.clear()
        for board in self.boards:
            board.is_connected = board.is_listened = False

    async def settled(self) -> None:
        """Waits until the bus has taken all that was said."""
        await self._tree.settled()

    def say(self, board: BleBoard, data: bytes) -> bool:
        """The board notifies; False when that reaches no client."""
        if board.speaks():
            self._tree.change(_notify(board), _CHARACTERISTIC, {"Value": data})
        return board.speaks()

    def drop(self, board: BleBoard) -> None:
        """The link ends: out of reach, asleep, or hung up."""
        self._tree.change(_notify(board), _CHARACTERISTIC, {"Notifying": False})
        board.is_connected = board.is_listened = False
        board.is_quiet_until = asyncio.get_running_loop().time() + board.release_s
        self._tree.change(board.path, _DEVICE, {"ServicesResolved": False})
        self._tree.change(board.path, _DEVICE, {"Connected": False})

    def keep_link(self, board: BleBoard, *, is_listened: bool = False) -> None:
        """BlueZ has a link that no program of ours made; `is_listened`: another program did."""
        self._advertise(board, -50)
        self._up(board)
        board.is_listened = is_listened
        self._tree.change(_notify(board), _CHARACTERISTIC, {"Notifying": is_listened})

    def lose_battery(self, board: BleBoard) -> None:
        """BlueZ tells of the board's charge no more; the board stays."""
        self._tree.shed(board.path, "org.bluez.Battery1")

    def keep_listening(self, adapter: str) -> None:
        """Another program has this adapter listen, and does not stop."""
        self._tree.change(f"/org/bluez/{adapter}", _ADAPTER, {"Discovering": True})

    def switch(self, adapter: str, *, is_on: bool) -> None:
        """Bluetooth is switched on or off by a user."""
        self.adapters[adapter] = is_on
        for board in self.boards:
            if not is_on and board.is_connected:
                self.drop(board)
        self._tree.change(f"/org/bluez/{adapter}", _ADAPTER, {"Powered": is_on})

    def pull(self, adapter: str) -> None:
        """The adapter is pulled out: its devices are gone, without word that they were disconnected."""
        for board in self.boards:
            board.is_connected = board.is_listened = False
        self._tree.remove(f"/org/bluez/{adapter}")

    # What is called

    async def _filter(self, _: Message) -> Reply:
        return "", []

    async def _start_discovery(self, message: Message) -> Reply:
        sender = message.sender or ""
        if not self._tree.objects[message.path or ""][_ADAPTER]["Powered"]:
            raise _error("NotReady", "Resource Not Ready")
        if self._connecting or sender in self.scans:
            self.collisions += 1
            raise _error("InProgress", "Operation already in progress")
        self.scans.add(sender)
        if len(self.scans) == 1:
            self._tree.keep(asyncio.create_task(self._hear_boards()))
        return "", []

    async def _stop_discovery(self, message: Message) -> Reply:
        if message.sender not in self.scans:
            raise _error("Failed", "No discovery started")
        self.scans.discard(message.sender)
        for board in self.boards:
            if not self.scans:
                self._tree.change(board.path, _DEVICE, {}, ("RSSI",))
        return "", []

    async def _hear_boards(self) -> None:
        loop = asyncio.get_running_loop()
        while self.scans:
            for board in self.boards:
                hidden = board.is_connected or board.is_asleep or board.is_held_by_phone
                if not hidden and loop.time() >= board.is_quiet_until:
                    self._advertise(board, -50)
                    self._advertise(board, -51)  # the answer to a scan request follows at once
            await asyncio.sleep(_ADVERTISED_EVERY_S)

    async def _connect(self, message: Message) -> Reply:
        board = self._board(message)
        if self.scans or self._connecting:
            self.collisions += 1
            raise _error("InProgress", "br-connection-busy")
        failure = board.failures.pop(0) if board.failures else None
        is_deaf = failure == "silent" or board.is_asleep or board.is_held_by_phone
        given_up = self._connecting[board.address] = asyncio.Event()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(None if is_deaf else _CONNECTING_S):
                    await given_up.wait()
        finally:
            self._connecting.pop(board.address, None)
        if failure == "kept":
            asyncio.get_running_loop().call_later(_CONNECTING_S, self._up, board)
        if failure is not None or given_up.is_set():
            raise _error("Failed", "Software caused connection abort")
        self._up(board)
        return "", []

    async def _disconnect(self, message: Message) -> Reply:
        board = self._board(message)
        if board.address in self._connecting:
            self._connecting[board.address].set()
        elif not board.is_connected:
            raise _error("NotConnected", "Not Connected")
        else:
            board.journal.append("hang up")
            self.drop(board)
        return "", []

    async def _remove_device(self, message: Message) -> Reply:
        board = next(board for board in self.boards if board.path == message.body[0])
        if board.is_connected:
            self.drop(board)
        board.is_stale = False
        self._tree.remove(board.path)
        return "", []

    async def _listen(self, message: Message) -> Reply:
        board = self._board(message)
        if board.is_listened:
            raise _error("NotPermitted", "Notify acquired")
        board.journal.append("listen")
        board.is_listened = True
        self._tree.change(message.path or "", _CHARACTERISTIC, {"Notifying": True})
        return "", []

    async def _hush(self, message: Message) -> Reply:
        board = self._board(message)
        board.journal.append("hush")
        board.is_listened = False
        self._tree.change(message.path or "", _CHARACTERISTIC, {"Notifying": False})
        return "", []

    async def _write(self, message: Message) -> Reply:
        data, options = message.body
        kind = "" if options["type"].value == "request" else " without response"
        self._board(message).journal.append(f"write {bytes(data).hex()}{kind}")
        return "", []

    async def _read(self, message: Message) -> Reply:
        if "read" not in self._tree.objects[message.path or ""][_CHARACTERISTIC]["Flags"]:
            raise _error("NotPermitted", "Read not permitted")
        board = self._board(message)
        if board.charge_failures:
            board.charge_failures -= 1
            raise _error("Failed", "Operation failed with ATT error: 0x0e")
        return "ay", [bytes([board.charge or 0])]

    # What BlueZ then shows

    def _advertise(self, board: BleBoard, rssi: int) -> None:
        named = {"Address": board.address, "AddressType": "random", "Name": board.name, "Alias": board.name}
        no = dict.fromkeys(("Connected", "ServicesResolved", "Bonded", "Trusted", "Blocked", "LegacyPairing"), False)
        services = [expand_uuid(board.service)] if board.is_service_advertised else []
        known = {"Adapter": "/org/bluez/hci0", "UUIDs": services, "Paired": board.is_paired}
        self._tree.add(board.path, _DEVICE, {**named, **no, **known})
        self._tree.change(board.path, _DEVICE, {"RSSI": rssi})

    def _up(self, board: BleBoard) -> None:
        board.journal.append("connect")
        board.is_connected = True
        self._tree.change(board.path, _DEVICE, {"Connected": True})
        service = self._serve(board, 1, "1801" if board.is_stale else board.service)
        self._offer(service, 2, board.notify, board.notify_flags)
        if board.write:
            self._offer(service, 4, board.write, board.write_flags)
        if board.charge is not None:
            self._offer(self._serve(board, 6, "180f"), 7, "2a19", ("read",))
        self._tree.change(board.path, _DEVICE, {"ServicesResolved": True})

    def _serve(self, board: BleBoard, handle: int, uuid: str) -> str:
        told = {"UUID": expand_uuid(uuid), "Device": board.path, "Primary": True, "Includes": []}
        path = f"{board.path}/service{handle:04x}"
        self._tree.add(path, _SERVICE, told)
        return path

    def _offer(self, service: str, handle: int, uuid: str, flags: tuple[str, ...]) -> None:
        told: dict[str, Any] = {"UUID": expand_uuid(uuid), "Service": service, "Flags": list(flags), "MTU": 23}
        self._tree.add(f"{service}/char{handle:04x}", _CHARACTERISTIC, {**told, "Notifying": False, "Value": b""})

    def _board(self, message: Message) -> BleBoard:
        return next(board for board in self.boards if (message.path or "").startswith(board.path))


def _notify(board: BleBoard) -> str:
    return f"{board.path}/service0001/char0002"


def _error(name: str, text: str) -> DBusRefusal:
    return DBusRefusal(f"org.bluez.Error.{name}", text)
