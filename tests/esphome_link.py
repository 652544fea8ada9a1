"""The links of an ESPHome proxy in software to boards, and what a client may ask of one: see tests/esphome_proxy.py."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import UUID

from aioesphomeapi import api_pb2

from tests.esphome_board import NOTIFY, READ, WRITE, WRITE_FREELY, Characteristic, ProxiedBoard

if TYPE_CHECKING:
    from tests.esphome_proxy import EsphomeProxy

pb: Any = api_pb2  # its classes are made when it is loaded

NOT_ESTABLISHED, CANCELLED = 0x3E, 0x100
"""How a connection fails: the board did not answer, or the proxy or its client gave up."""
TIMED_OUT = 0x08
"""How a link ends whose board is out of reach."""
NOT_CONNECTED, NOT_SUPPORTED = -1, 6
"""Why a request is refused."""

_ENDED_HERE = 0x16
_NO_HANDLE, _NO_READING, _NO_WRITING = 1, 2, 3
_CONNECTING_S = 0.01
_MTU = 23
_CCCD = 0x2902
_REGISTERED = "-0000-1000-8000-00805f9b34fb"


class Link:
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
        """Says that it is there, if it is."""
        if self.board is not None:
            self._proxy.tell(pb.BluetoothDeviceConnectionResponse(address=self.address, connected=True, mtu=_MTU))
            self._proxy.tell_free()

    def ask(self, asked: Any) -> int:
        """Does what a client wants of the connected board. Returns an error, or 0."""
        if self.board is None:
            return NOT_CONNECTED
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
        return NOT_SUPPORTED

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


def _name(uuid: str) -> dict[str, Any]:
    """The fields that name a service or a characteristic: short where its UUID is registered."""
    if uuid.endswith(_REGISTERED):
        return {"short_uuid": int(uuid[:8], 16)}
    number = UUID(uuid).int
    return {"uuid": [number >> 64, number & (1 << 64) - 1]}
