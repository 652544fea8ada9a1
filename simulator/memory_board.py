"""A simulated board in reach of this program alone: `sim:` stands in for a radio or a bus that is not there.

It does what the driver of such a board does (find, connect, enable, settle, subscribe; a packet at a time), so that all
that is left out is BlueZ and libusb themselves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from drivers.address import Address, Scheme
from drivers.transport import Lost, Refused, Transport, Unavailable
from protocol.profile import Profile
from simulator.ble_firmware import BleFirmware
from simulator.board import FirmwareBoard, loop_time_ns


class MemoryBoard(FirmwareBoard):
    """A board without a cable: `scheme` opens it, whatever the target of the address is."""

    _link: MemoryLink | None = None
    _is_plugged = False

    @property
    def address(self) -> str:
        """For sessions that know `scheme`."""
        return f"sim:{self.codebook.profile.id}"

    @property
    def scheme(self) -> Scheme:
        """The kind of link that reaches this board."""
        return Scheme(self.open, ("speed",), "sim:granboard")

    async def open(self, address: Address, profile: Profile) -> Transport:
        """Connects as a driver would; raises Unavailable and Refused."""
        if not self._is_plugged:
            raise Unavailable(f"{address} is switched off: switch it on")
        if self._link is not None:
            raise Refused(f"{address} already has a connection, and takes only one: end that one")
        board = self.firmware
        if isinstance(board, BleFirmware) and not board.connect(loop_time_ns()):
            raise Unavailable(f"{address} cannot be found and may be asleep: wake it with its button or a dart")
        link = self._link = MemoryLink(self)
        if isinstance(board, BleFirmware) and profile.ble is not None:
            try:
                await self._subscribe(board, link, profile)
            except BaseException:
                await link.aclose()
                raise
        else:
            board.on_open(loop_time_ns())
        self._heard.set()
        self._print()
        return link

    def plug(self) -> None:
        """Switches it on."""
        self._is_plugged = True

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Switches it off, once the host has read what the board said before, or when patience is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                if self._link is not None:
                    await self._link.read_up()
        self._pull()

    def drop(self) -> None:
        """The link is lost, as radio links are; the board stays where it is."""
        if isinstance(self.firmware, BleFirmware):
            self.firmware.hang_up(loop_time_ns())
        if self._link is not None:
            self._link.lose()
            self._link = None

    def is_held_by(self, link: MemoryLink) -> bool:
        """Whether this is the link that the board has."""
        return self._link is link

    def written(self, data: bytes) -> None:
        """Takes bytes that the host wrote."""
        self._feed(data)

    async def _subscribe(self, board: BleFirmware, link: MemoryLink, profile: Profile) -> None:
        """Enables, waits and subscribes, as the profile says."""
        ble = profile.ble
        assert ble is not None
        if ble.enable:
            self._feed(bytes.fromhex(ble.enable))
        if ble.settle_ms:
            await asyncio.sleep(ble.settle_ms / 1000)
        if not self.is_held_by(link):
            raise Lost(f"the connection to {self.address} was lost: oche tries again")
        board.subscribe(loop_time_ns())

    def _is_open(self) -> bool:
        board = self.firmware
        return self._link is not None and (not isinstance(board, BleFirmware) or board.is_heard)

    def _send(self, writes: list[bytes]) -> None:
        if self._link is not None:
            self._link.deliver(writes)

    def _print(self) -> None:
        super()._print()
        if isinstance(self.firmware, BleFirmware) and self._link is not None and not self.firmware.is_connected:
            self.drop()  # it hung up

    def _pull(self) -> None:
        self._rest()
        self._is_plugged = False
        self.drop()


class MemoryLink(Transport):
    """An open link to a MemoryBoard; a packet at a time."""

    def __init__(self, board: MemoryBoard) -> None:
        self._board = board
        self._packets: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._is_read = asyncio.Event()
        self._is_read.set()
        self._is_lost = False
        self._patience: asyncio.TimerHandle | None = None

    async def receive(self) -> bytes:
        """The next packet."""
        while not self._packets:
            self._check()
            self._news.clear()
            await self._news.wait()
        data = self._packets.popleft()
        self._wait_for_reader()
        return data

    async def send(self, data: bytes) -> None:
        """Hands a packet to the board at once."""
        self._check()
        self._board.written(data)

    async def battery(self) -> int | None:
        """The charge that the firmware tells, in percent; None: it tells none."""
        self._check()
        return self._board.firmware.charge

    async def aclose(self) -> None:
        """Sends the last bytes that the profile asks for, and hangs up."""
        if not self._is_lost and self._board.is_held_by(self):
            ble = self._board.codebook.profile.ble
            if ble is not None and ble.disable:
                self._board.written(bytes.fromhex(ble.disable))
            self._board.drop()

    async def read_up(self) -> None:
        """Waits until the host has taken every packet."""
        await self._is_read.wait()

    def deliver(self, packets: list[bytes]) -> None:
        """Packets from the board."""
        was_empty = not self._packets
        self._packets += packets
        if was_empty:
            self._wait_for_reader()
        self._news.set()

    def lose(self) -> None:
        """The link is gone; what had arrived can still be read."""
        self._is_lost = True
        self._is_read.set()
        self._news.set()
        if self._patience is not None:
            self._patience.cancel()

    def _check(self) -> None:
        if self._is_lost:
            raise Lost(f"the connection to {self._board.address} was lost: oche tries again")

    def _wait_for_reader(self) -> None:
        """The board's patience begins anew with the packet that is first now."""
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if not self._packets:
            self._is_read.set()
            return
        self._is_read.clear()
        patience_ms = self._board.firmware.habits.patience_ms
        if patience_ms and not self._is_lost:
            self._patience = asyncio.get_running_loop().call_later(patience_ms / 1000, self._board.drop)
