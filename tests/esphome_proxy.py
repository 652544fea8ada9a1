"""An ESPHome Bluetooth proxy in software, which speaks the messages of aioesphomeapi, plain or encrypted (Noise).

It does what the firmware does, also where that is awkward: one client at a time has the advertisements, and only that
one hears of links: without it no link is made, and all end when it leaves. A name that a board tells only those who
ask is heard only by an active scan.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any, cast
from zlib import crc32

from aioesphomeapi import BluetoothDeviceRequestType as Wish
from aioesphomeapi import BluetoothProxyFeature as Feature
from aioesphomeapi import BluetoothScannerMode, BluetoothScannerState
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO

from daemon.http.connection import close_servers
from protocol.codebook import shipped
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from tests.esphome_board import ProxiedBoard
from tests.esphome_frames import Frames, NoiseFrames, PlainFrames, Rejected
from tests.esphome_link import NOT_CONNECTED, NOT_SUPPORTED, TIMED_OUT, Link, pb

_NUMBERS = {kind: number for number, kind in MESSAGE_TYPE_TO_PROTO.items()}

_VERSION = {"api_version_major": 1, "api_version_minor": 12}
_ADVERTISED_EVERY_S = 0.02
_BETWEEN_PIECES_S = 0.001


class EsphomeProxy:
    """The proxy; made by `run_proxy`. `port` is where it listens on 127.0.0.1.

    What may be changed while it runs: `slots`: connections that it has. `is_scanning_actively`: it asks boards for
    their names; a client may change that until it restarts. `is_held`: a client of before, which is no more, still has
    the advertisements, and nobody else gets them. `is_silent`: it takes all and says nothing, as behind a Wi-Fi that is
    gone. `is_garbled`: there is garbage in its frames. `cuts`: by this chance its frames leave in pieces. `room`: so
    many more bytes it says before it resets the connection, in the middle of a frame; None: it goes on.
    """

    def __init__(self, key: str | None, name: str, slots: int, port: int, *, active: bool) -> None:
        self.key = key
        self.name = name
        self.slots = slots
        self.port = port
        self.is_active = active
        self.is_scanning_actively = True
        self._is_usually_active: bool | None = None
        self.is_held = False
        self.is_silent = False
        self.is_garbled = False
        self.cuts: Random | None = None
        self.room: int | None = None
        self.journal: list[str] = []
        """What it was asked to do with boards, in order: a wish and an address, listen, hush, write HEX."""
        self.on_asked: Callable[[str], object] = lambda name: None
        """Called with the name of each message of a client, before it is acted upon."""
        self.clients: list[_Client] = []
        self.subscriber: _Client | None = None
        self.links: dict[int, Link] = {}
        """By the address of the board: connected, or about to be."""
        self._reach: dict[ProxiedBoard, int] = {}
        self._server: asyncio.Server | None = None
        self._advertising: asyncio.Task[None] | None = None
        self._freed = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def free(self) -> int:
        """How many of its connections are."""
        return self.slots - len(self.links)

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
            link.end(TIMED_OUT)

    async def plug(self) -> None:
        """Switches it on, on the port that it had before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        self._advertising = asyncio.create_task(self._advertise())

    async def unplug(self) -> None:
        """Pulls the plug: every connection is reset, every link lost."""
        if self._server is None or self._advertising is None:
            return
        server, self._server = self._server, None
        await close_servers([server])
        self._advertising.cancel()
        for client in list(self.clients):
            client.reset()
        await asyncio.wait({self._advertising, *self._serving})
        self.is_silent, self.is_held, self.room = False, False, None
        self.is_scanning_actively, self._is_usually_active = self._listens_usually(), None

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
                free = pb.BluetoothConnectionsFreeResponse(free=self.free, limit=self.slots, allocated=self.links)
                client.send(free)

    def tell_scanner(self) -> None:
        """Says how it listens."""
        self.tell(
            pb.BluetoothScannerStateResponse(
                state=BluetoothScannerState.RUNNING,
                mode=_mode(self.is_scanning_actively),
                configured_mode=_mode(self._listens_usually()),
            )
        )

    def set_mode(self, *, is_active: bool) -> None:
        """A client has it listen like this until it restarts."""
        self._is_usually_active = self._listens_usually()
        self.is_scanning_actively = is_active
        self.tell_scanner()

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
        elif error := link.ask(asked) if link is not None else NOT_CONNECTED:
            self.tell(pb.BluetoothGATTErrorResponse(**answer, handle=getattr(asked, "handle", 0), error=error))

    def take_room(self, size: int) -> int:
        """How many of these bytes it may still say."""
        if self.room is None:
            return size
        taken = min(size, self.room)
        self.room = self.room - taken if taken == size else None
        return taken

    def _listens_usually(self) -> bool:
        """Whether it is configured to scan actively."""
        return self.is_scanning_actively if self._is_usually_active is None else self._is_usually_active

    def _change_link(self, link: Link | None, asked: Any) -> None:
        wish, answer = Wish(asked.request_type), {"address": asked.address}
        self.journal.append(f"{wish.name.lower()} {_to_text(asked.address)}")
        match wish:
            case Wish.CONNECT_V3_WITHOUT_CACHE | Wish.CONNECT_V3_WITH_CACHE if link is not None:
                link.tell_up()
            case Wish.CONNECT_V3_WITHOUT_CACHE | Wish.CONNECT_V3_WITH_CACHE if self.subscriber and self.free:
                self.links[asked.address] = Link(self, asked.address)
                self.tell_free()
            case Wish.DISCONNECT if link is not None:
                link.hang_up()
            case Wish.CLEAR_CACHE:
                self.tell(pb.BluetoothDeviceClearCacheResponse(**answer, success=True))
            case Wish.PAIR:
                self.tell(pb.BluetoothDevicePairingResponse(**answer, error=NOT_SUPPORTED))
            case Wish.UNPAIR:
                self.tell(pb.BluetoothDeviceUnpairingResponse(**answer, error=NOT_SUPPORTED))
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
            said = b"\xff" * 20 if self._proxy.is_garbled else message.SerializeToString()
            self._pieces.put_nowait(self._frames.wrap(_NUMBERS[type(message)], said))

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
                self._proxy.set_mode(is_active=asked.mode == BluetoothScannerMode.ACTIVE)
            case name if name.startswith("Bluetooth"):
                self._proxy.carry_out(asked)


def _to_int(address: str) -> int:
    return int(address.replace(":", ""), 16)


def _to_text(address: int) -> str:
    return address.to_bytes(6).hex(":").upper()


def _mode(is_active: bool) -> BluetoothScannerMode:
    return BluetoothScannerMode.ACTIVE if is_active else BluetoothScannerMode.PASSIVE
