"""An ESPHome Bluetooth proxy in software, which speaks the messages of aioesphomeapi, plain or encrypted (Noise).

It does what the firmware does, also where that is awkward: one client at a time has the advertisements, and only that
one hears of links; the others' requests are carried out and not answered. Links end with the client that asked for
them. A name that a board tells only those who ask is heard only by an active scan.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any, cast
from uuid import UUID
from zlib import crc32

from aioesphomeapi import BluetoothDeviceRequestType as Wish
from aioesphomeapi import BluetoothProxyFeature as Feature
from aioesphomeapi import BluetoothScannerMode, BluetoothScannerState, api_pb2
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO

from protocol.codebook import shipped
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from tests.esphome_board import NOTIFY, READ, WRITE, WRITE_FREELY, Characteristic, ProxiedBoard
from tests.esphome_frames import Frames, NoiseFrames, PlainFrames, Rejected

pb: Any = api_pb2  # its classes are made when it is loaded
_NUMBERS = {kind: number for number, kind in MESSAGE_TYPE_TO_PROTO.items()}

NOT_ESTABLISHED, CANCELLED = 0x3E, 0x100
"""How a connection fails: the board did not answer, or the proxy or its client gave up."""
_TIMED_OUT, _ENDED_HERE = 0x08, 0x16
_NOT_CONNECTED, _NO_HANDLE, _NO_READING, _NO_WRITING, _NOT_SUPPORTED = -1, 1, 2, 3, 6
_VERSION = {"api_version_major": 1, "api_version_minor": 12}
_ADVERTISED_EVERY_S = 0.02
_CONNECTING_S = 0.01
_BETWEEN_PIECES_S = 0.001
_MTU = 23
_CCCD = 0x2902
_REGISTERED = "-0000-1000-8000-00805f9b34fb"


class EsphomeProxy:
    """The proxy; made by `run_proxy`. `port` is where it listens on 127.0.0.1. It may be changed while it runs.

    `slots`: connections that it has. `is_scanning_actively`: it asks boards for their names. `is_held`: a client of
    before, which is no more, still has the advertisements, and nobody else gets them. `is_silent`: it takes all and
    says nothing, as behind a Wi-Fi that is gone. `cuts`: by this chance its frames leave in pieces. `room`: so many
    more bytes it says before it resets the connection, in the middle of a frame; None: it goes on.
    """

    def __init__(self, key: str | None, name: str, slots: int, port: int, *, active: bool) -> None:
        self.key = key
        self.name = name
        self.slots = slots
        self.port = port
        self.is_active = active
        self.is_scanning_actively = True
        self.is_held = False
        self.is_silent = False
        self.cuts: Random | None = None
        self.room: int | None = None
        self.journal: list[str] = []
        """What it was asked to do with boards, in order: a wish and an address, listen, hush, write HEX."""
        self.on_asked: Callable[[str], object] = lambda name: None
        """Called with the name of each message of a client, before it is acted upon."""
        self.clients: list[_Client] = []
        self.subscriber: _Client | None = None
        self.links: dict[int, _Link] = {}
        """By the address of the board: connected, or about to be."""
        self._reach: dict[ProxiedBoard, int] = {}
        self._server: asyncio.Server | None = None
        self._advertising: asyncio.Task[None] | None = None
        self._freed = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def mac(self) -> str:
        """Its own address."""
        return f"AC:DE:48:{crc32(f'{self.name}:{self.port}'.encode()).to_bytes(4)[1:].hex(':').upper()}"

    def place(
        self,
        profile: str,
        address: str,
        name: str = "",
        *,
        rssi: int = -60,
        habits: Habits = PLAIN,
        faults: Faults = SOUND,
    ) -> ProxiedBoard:
        """Puts a board of this profile within reach, with the services and characteristics that its profile names."""
        board = ProxiedBoard(shipped(profile), address, name, habits=habits, faults=faults)
        self.hear(board, rssi=rssi)
        return board

    def hear(self, board: ProxiedBoard, *, rssi: int = -60) -> None:
        """Has a board within reach with this signal, also one that is within the reach of another proxy."""
        self._reach[board] = rssi

    def take_away(self, board: ProxiedBoard) -> None:
        """Puts it out of reach: its link ends, and it is not heard any more."""
        self._reach.pop(board, None)
        link = self.links.get(_to_int(board.address))
        if link is not None and link.board is board:
            board.part()
            link.end(_TIMED_OUT)

    async def plug(self) -> None:
        """Switches it on, on the port that it had before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        self._advertising = asyncio.create_task(self._advertise())

    async def unplug(self) -> None:
        """Pulls the plug: every connection is reset, every link lost."""
        if self._server is None or self._advertising is None:
            return
        self._server.close()
        self._server = None
        self._advertising.cancel()
        for client in list(self.clients):
            client.reset()
        await asyncio.wait({self._advertising, *self._serving})
        self.is_silent, self.is_held, self.room = False, False, None

    async def reboot(self, away_s: float = 0.0) -> None:
        """Switches it off and on again."""
        await self.unplug()
        await asyncio.sleep(away_s)
        await self.plug()

    async def until_unused(self) -> None:
        """Waits until it has no link, and makes none."""
        while self.links:
            self._freed.clear()
            await self._freed.wait()

    def find(self, address: int) -> ProxiedBoard | None:
        """The board of that address, if it is within reach."""
        return next((board for board in self._reach if _to_int(board.address) == address), None)

    def tell(self, message: Any) -> None:
        """Says this to the client that has the advertisements."""
        if self.subscriber is not None:
            self.subscriber.send(message)

    def tell_free(self) -> None:
        """Says how many connections are free, to those who asked."""
        self._freed.set()
        for client in self.clients:
            if client.wants_free:
                free = self.slots - len(self.links)
                client.send(pb.BluetoothConnectionsFreeResponse(free=free, limit=self.slots, allocated=self.links))

    def tell_scanner(self) -> None:
        """Says how it listens."""
        mode = BluetoothScannerMode.ACTIVE if self.is_scanning_actively else BluetoothScannerMode.PASSIVE
        self.tell(
            pb.BluetoothScannerStateResponse(state=BluetoothScannerState.RUNNING, mode=mode, configured_mode=mode)
        )

    def describe(self) -> Any:
        """What it says of itself."""
        able = Feature.PASSIVE_SCAN | Feature.RAW_ADVERTISEMENTS | Feature.FEATURE_STATE_AND_MODE
        if self.is_active:
            able |= Feature.ACTIVE_CONNECTIONS | Feature.REMOTE_CACHING | Feature.PAIRING | Feature.CACHE_CLEARING
        return pb.DeviceInfoResponse(
            name=self.name,
            mac_address=self.mac,
            bluetooth_mac_address=f"{self.mac[:-1]}{int(self.mac[-1], 16) ^ 2:X}",
            esphome_version="2026.11.0",
            model="esp32dev",
            bluetooth_proxy_feature_flags=able,
            api_encryption_supported=self.key is not None,
        )

    def subscribe(self, client: _Client) -> None:
        """Gives it the advertisements; it is told how the proxy listens. Who is too late hears nothing of it."""
        if self.subscriber is None and not self.is_held:
            self.subscriber = client
            self.tell_scanner()

    def unsubscribe(self, client: _Client) -> None:
        """It does not want them any more: its links end."""
        if client is self.subscriber:
            self.subscriber = None
            for link in list(self.links.values()):
                link.hang_up()

    def forget(self, client: _Client) -> None:
        """The client is gone."""
        self.unsubscribe(client)
        if client in self.clients:
            self.clients.remove(client)

    def carry_out(self, asked: Any) -> None:
        """Does what a client wants of a board."""
        link, answer = self.links.get(asked.address), {"address": asked.address}
        kind = type(asked).__name__
        if kind == "BluetoothDeviceRequest":
            self._change_link(link, asked)
        elif kind == "BluetoothSetConnectionParamsRequest":
            self.tell(pb.BluetoothSetConnectionParamsResponse(**answer))
        elif error := link.ask(asked) if link is not None else _NOT_CONNECTED:
            self.tell(pb.BluetoothGATTErrorResponse(**answer, handle=getattr(asked, "handle", 0), error=error))

    def take_room(self, size: int) -> int:
        """How many of these bytes it may still say."""
        if self.room is None:
            return size
        taken = min(size, self.room)
        self.room = self.room - taken if taken == size else None
        return taken

    def _change_link(self, link: _Link | None, asked: Any) -> None:
        wish, answer = Wish(asked.request_type), {"address": asked.address}
        self.journal.append(f"{wish.name.lower()} {_to_text(asked.address)}")
        match wish:
            case Wish.CONNECT_V3_WITHOUT_CACHE | Wish.CONNECT_V3_WITH_CACHE if link is not None:
                link.tell_up()
            case Wish.CONNECT_V3_WITHOUT_CACHE | Wish.CONNECT_V3_WITH_CACHE if len(self.links) < self.slots:
                self.links[asked.address] = _Link(self, asked.address)
                self.tell_free()
            case Wish.DISCONNECT if link is not None:
                link.hang_up()
            case Wish.CLEAR_CACHE:
                self.tell(pb.BluetoothDeviceClearCacheResponse(**answer, success=True))
            case Wish.PAIR:
                self.tell(pb.BluetoothDevicePairingResponse(**answer, error=_NOT_SUPPORTED))
            case Wish.UNPAIR:
                self.tell(pb.BluetoothDeviceUnpairingResponse(**answer, error=_NOT_SUPPORTED))
            case _:
                self.tell(pb.BluetoothDeviceConnectionResponse(**answer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(task := cast(asyncio.Task[None], asyncio.current_task()))
        self.clients.append(client := _Client(self, writer))
        try:
            await client.serve(reader)
        finally:
            self._serving.discard(task)

    async def _advertise(self) -> None:
        while True:
            await asyncio.sleep(_ADVERTISED_EVERY_S)
            heard = [
                pb.BluetoothLERawAdvertisement(
                    address=_to_int(board.address),
                    rssi=rssi,
                    address_type=1,
                    data=board.advert(is_asked=self.is_scanning_actively),
                )
                for board, rssi in self._reach.items()
                if board.is_advertising
            ]
            if heard and all(link.board for link in self.links.values()):  # it listens or connects
                self.tell(pb.BluetoothLERawAdvertisementsResponse(advertisements=heard))


@asynccontextmanager
async def run_proxy(
    *, key: str | None = None, name: str = "proxy-cellar", slots: int = 3, active: bool = True, port: int = 0
) -> AsyncIterator[EsphomeProxy]:
    """Runs one while the block lasts; `key` is 32 bytes in base64, None: it speaks plain; `active`: it connects."""
    proxy = EsphomeProxy(key, name, slots if active else 0, port, active=active)
    await proxy.plug()
    try:
        yield proxy
    finally:
        await proxy.unplug()


class _Link:
    """A link to a board, or the attempt to make one."""

    def __init__(self, proxy: EsphomeProxy, address: int) -> None:
        self.board: ProxiedBoard | None = None
        self.address = address
        self._proxy = proxy
        self._listened: set[int] = set()
        self._attempt = asyncio.get_running_loop().call_later(_CONNECTING_S, self._connect)

    def hang_up(self) -> None:
        """Ends it from here."""
        if self.board is not None:
            self.board.part()
        self.end(_ENDED_HERE if self.board else CANCELLED)

    def end(self, error: int) -> None:
        """It is no more."""
        self._attempt.cancel()
        if self._proxy.links.pop(self.address, None) is not None:
            self._proxy.tell(pb.BluetoothDeviceConnectionResponse(address=self.address, error=error))
            self._proxy.tell_free()

    def tell_up(self) -> None:
        """Says that it is there."""
        self._proxy.tell(pb.BluetoothDeviceConnectionResponse(address=self.address, connected=True, mtu=_MTU))
        self._proxy.tell_free()

    def ask(self, asked: Any) -> int:
        """Does what a client wants of the connected board. Returns an error, or 0."""
        if self.board is None:
            return _NOT_CONNECTED
        match type(asked).__name__:
            case "BluetoothGATTGetServicesRequest":
                return self._list_services(self.board)
            case "BluetoothGATTNotifyRequest":
                return self._listen(asked.handle, is_on=asked.enable)
            case "BluetoothGATTReadRequest":
                return self._read(self.board, asked.handle)
            case "BluetoothGATTWriteRequest":
                return self._write(self.board, asked.handle, asked.data, WRITE if asked.response else WRITE_FREELY)
            case "BluetoothGATTWriteDescriptorRequest":
                return self._write_descriptor(self.board, asked.handle, asked.data)
        return _NOT_SUPPORTED

    def _list_services(self, board: ProxiedBoard) -> int:
        for service in board.services:
            described = pb.BluetoothGATTService(handle=service.handle, **_name(service.uuid))
            for one in service.characteristics:
                known = described.characteristics.add(handle=one.handle, properties=one.able, **_name(one.uuid))
                if one.cccd:
                    known.descriptors.add(handle=one.cccd, short_uuid=_CCCD)
            self._proxy.tell(pb.BluetoothGATTGetServicesResponse(address=self.address, services=[described]))
        self._proxy.tell(pb.BluetoothGATTGetServicesDoneResponse(address=self.address))
        return 0

    def _listen(self, handle: int, *, is_on: bool) -> int:
        """The proxy's own half of listening; the board's descriptor is left to the client."""
        if self._find(handle, NOTIFY) is None:
            return _NO_HANDLE
        (self._listened.add if is_on else self._listened.discard)(handle)
        return self._answer(pb.BluetoothGATTNotifyResponse, handle)

    def _read(self, board: ProxiedBoard, handle: int) -> int:
        one = self._find(handle, READ)
        if one is None:
            return _NO_READING
        return self._answer(pb.BluetoothGATTReadResponse, handle, data=board.read(one.uuid))

    def _write(self, board: ProxiedBoard, handle: int, data: bytes, able: int) -> int:
        """A write without response is answered too."""
        one = self._find(handle, able)
        if one is None:
            return _NO_WRITING
        way = "" if able == WRITE else " without response"
        self._proxy.journal.append(f"write {data.hex()}{way}")
        board.write(one.uuid, data)
        return self._answer(pb.BluetoothGATTWriteResponse, handle)

    def _write_descriptor(self, board: ProxiedBoard, handle: int, data: bytes) -> int:
        if handle not in {one.cccd for service in board.services for one in service.characteristics if one.cccd}:
            return _NO_HANDLE
        is_on = data != b"\0\0"
        self._proxy.journal.append("listen" if is_on else "hush")
        board.enable(handle, is_on=is_on)
        return self._answer(pb.BluetoothGATTWriteResponse, handle)

    def _answer(self, kind: Any, handle: int, **more: bytes) -> int:
        self._proxy.tell(kind(address=self.address, handle=handle, **more))
        return 0

    def _connect(self) -> None:
        board = self._proxy.find(self.address)
        failure = board.failures.pop(0) if board is not None and board.failures else 0
        if failure:
            self.end(failure)
        elif board is not None and failure == 0 and board.connect(self._notified, self.end):
            self.board = board
            self.tell_up()

    def _notified(self, handle: int, data: bytes) -> None:
        if handle in self._listened:
            self._proxy.tell(pb.BluetoothGATTNotifyDataResponse(address=self.address, handle=handle, data=data))

    def _find(self, handle: int, able: int) -> Characteristic | None:
        services = self.board.services if self.board is not None else ()
        every = (one for service in services for one in service.characteristics)
        return next((one for one in every if one.handle == handle and one.able & able), None)


class _Client:
    """A connection of a client: what it asks, and what it is told."""

    def __init__(self, proxy: EsphomeProxy, writer: asyncio.StreamWriter) -> None:
        self.wants_free = False
        self._proxy = proxy
        self._writer = writer
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        say = self._pieces.put_nowait
        self._frames: Frames = NoiseFrames(say, proxy.key, proxy.name, proxy.mac) if proxy.key else PlainFrames(say)

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Does what the client asks until it leaves, or has to."""
        writing = asyncio.create_task(self._write())
        try:
            with suppress(Rejected, ConnectionError):
                while data := await reader.read(4096):
                    if not self._proxy.is_silent:
                        for number, message in self._frames.feed(data):
                            self._take(MESSAGE_TYPE_TO_PROTO[number].FromString(message))
        finally:
            self._proxy.forget(self)
            self._pieces.put_nowait(None)
            await writing

    def send(self, message: Any) -> None:
        """Says this to it, after what it was told before."""
        if not self._proxy.is_silent:
            self._pieces.put_nowait(self._frames.wrap(_NUMBERS[type(message)], message.SerializeToString()))

    def reset(self) -> None:
        """Ends the connection as a node does that has restarted."""
        self._proxy.forget(self)
        with suppress(OSError):
            one = self._writer.get_extra_info("socket")
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _write(self) -> None:
        while (data := await self._pieces.get()) is not None:
            cuts = self._proxy.cuts
            at = cuts.randrange(len(data)) if cuts is not None else 0
            for piece in filter(None, (data[:at], data[at:])):
                room = self._proxy.take_room(len(piece))
                self._writer.write(piece[:room])
                if room < len(piece):
                    await asyncio.sleep(_BETWEEN_PIECES_S)
                    self.reset()
                elif at:
                    await asyncio.sleep(_BETWEEN_PIECES_S)
        self._writer.close()

    def _take(self, asked: Any) -> None:
        self._proxy.on_asked(type(asked).__name__)
        match type(asked).__name__:
            case "HelloRequest":
                self.send(
                    pb.HelloResponse(**_VERSION, server_info=f"{self._proxy.name} (esphome)", name=self._proxy.name)
                )
            case "AuthenticationRequest" | "PingRequest" as name:
                self.send(getattr(pb, name.replace("Request", "Response"))())
            case "DeviceInfoRequest":
                self.send(self._proxy.describe())
            case "DisconnectRequest":
                self.send(pb.DisconnectResponse())
                raise Rejected
            case "SubscribeBluetoothLEAdvertisementsRequest":
                self._proxy.subscribe(self)
            case "UnsubscribeBluetoothLEAdvertisementsRequest":
                self._proxy.unsubscribe(self)
            case "SubscribeBluetoothConnectionsFreeRequest":
                self.wants_free = True
                self._proxy.tell_free()
            case "BluetoothScannerSetModeRequest":
                self._proxy.is_scanning_actively = asked.mode == BluetoothScannerMode.ACTIVE
                self._proxy.tell_scanner()
            case name if name.startswith("Bluetooth"):
                self._proxy.carry_out(asked)


def _to_int(address: str) -> int:
    return int(address.replace(":", ""), 16)


def _to_text(address: int) -> str:
    return address.to_bytes(6).hex(":").upper()


def _name(uuid: str) -> dict[str, Any]:
    """The fields that name a service or a characteristic: short where its UUID is registered."""
    if uuid.endswith(_REGISTERED):
        return {"short_uuid": int(uuid[:8], 16)}
    number = UUID(uuid).int
    return {"uuid": [number >> 64, number & (1 << 64) - 1]}
