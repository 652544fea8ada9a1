"""A simulated board behind a real pty, so that host, driver and kernel do what they do with a real one.

Packet mode tells the board when a host opens the port (every serial library flushes the input then), a hang-up when
it left. While no host is there the board holds its own port open, else the hang-up would be reported without end; and
what it prints meanwhile goes nowhere, as on a real wire.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import select
import struct
import termios
import time
import tty
from collections import deque
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from protocol.codebook import Codebook
from protocol.events import Write
from protocol.segment import Segment
from simulator.firmware import SOUND, Faults, Firmware


class PtyBoard:
    """A board with a cable: `async with PtyBoard(codebook) as board` plugs it in, leaving the block pulls it out.

    With `link` its port is a symbolic link there, the same one whenever it is plugged in; else `path` is the pty
    itself, another one each time. All methods belong to the running event loop.
    """

    def __init__(
        self, codebook: Codebook, link: Path | None = None, *, faults: Faults = SOUND, rng: Random | None = None
    ) -> None:
        self.firmware = Firmware(codebook, faults, rng)
        self.commands: asyncio.Queue[Write] = asyncio.Queue()
        """What the host told the board to do."""
        self._link = link
        self._device = ""
        self._master = -1
        self._holder = -1
        """The port opened by ourselves, while no host has it."""
        self._heard = asyncio.Event()
        self._unwritten: deque[bytes] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self.plug()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pull()

    @property
    def path(self) -> str:
        """Where the host finds the port."""
        return str(self._link or self._device)

    @property
    def address(self) -> str:
        """The same for a driver."""
        return f"serial:{self.path}"

    def plug(self) -> None:
        """Plugs the cable in; raises FileExistsError when something else than a link is where ours should be."""
        if self._master >= 0:
            return
        if self._link is not None and self._link.exists() and not self._link.is_symlink():
            raise FileExistsError(f"{self._link} is there already and is no link: choose another place for the port")
        self._master, self._holder = os.openpty()
        self._device = os.ttyname(self._holder)
        tty.setraw(self._holder)
        os.set_blocking(self._master, False)
        fcntl.ioctl(self._master, termios.TIOCPKT, struct.pack("i", 1))
        asyncio.get_running_loop().add_reader(self._master, self._notice)
        if self._link is not None:
            fresh = self._link.with_name(f"{self._link.name}.{os.getpid()}")
            fresh.symlink_to(self._device)
            fresh.replace(self._link)

    async def unplug(self, patience_s: float = 5.0) -> None:
        """Pulls the cable, once the host has read what the board wrote before, or when patience is over.

        A wire would have delivered it, while a pty throws away what is unread. 0: pulls it in the middle of a line.
        """
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    while self._is_open() and (self._unwritten or self._is_unread()):  # noqa: ASYNC110  the kernel sends no word
                        await asyncio.sleep(0.002)
        finally:
            self._pull()

    async def opened(self) -> None:
        """Waits until a host has the port open. What is printed earlier nobody hears."""
        while not self._is_open():
            self._heard.clear()
            await self._heard.wait()

    def hit(self, segment: Segment) -> bool:
        """A dart lands in this segment. False: the board has no contact there and notices nothing."""
        said = self.firmware.hit(segment, self._now())
        self._print()
        return said

    def miss(self) -> bool:
        """A dart misses the face. False: this board has no way to tell."""
        said = self.firmware.miss(self._now())
        self._print()
        return said

    def press(self, button: str) -> bool:
        """Somebody presses a button. False: there is none of that name."""
        said = self.firmware.press(button, self._now())
        self._print()
        return said

    def write_raw(self, data: bytes) -> None:
        """Puts bytes on the wire as they are."""
        self._notice()
        self._send([data])

    def _now(self) -> int:
        """The time; a host that has come or gone since is noticed before anything is said."""
        self._notice()
        return time.monotonic_ns()

    def _is_open(self) -> bool:
        self._notice()
        return self._master >= 0 and self._holder < 0

    def _notice(self) -> None:
        """Takes in all that the host did: opened, wrote, left."""
        while self._master >= 0:
            try:
                packet = os.read(self._master, 4096)
            except BlockingIOError:
                return
            except OSError:
                self._hold()
                continue
            if packet[0] & termios.TIOCPKT_FLUSHREAD:
                self._listen()
            elif packet[0] == termios.TIOCPKT_DATA:
                for command in self.firmware.feed(packet[1:], time.monotonic_ns()):
                    self.commands.put_nowait(command)

    def _listen(self) -> None:
        """A host has opened the port; what was written for one before it is gone."""
        self._unwritten.clear()
        if self._holder >= 0:
            os.close(self._holder)
            self._holder = -1
        self._heard.set()
        self.firmware.opened()
        self._send(self.firmware.outgoing())

    def _hold(self) -> None:
        """The host has left."""
        self._unwritten.clear()
        self._holder = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _print(self) -> None:
        self._send(self.firmware.outgoing())
        due = self.firmware.deadline()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            wait_s = max(0.0, (due - time.monotonic_ns()) / 1e9)
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._tick)

    def _tick(self) -> None:
        self.firmware.tick(self._now())
        self._print()

    def _send(self, writes: list[bytes]) -> None:
        if self._master < 0 or self._holder >= 0:
            return  # nobody is at the other end
        is_idle = not self._unwritten
        self._unwritten.extend(writes)
        if is_idle:
            self._write()

    def _write(self) -> None:
        """Writes as much as the line takes. Broken-up lines go one piece a turn of the loop, to arrive as pieces."""
        loop = asyncio.get_running_loop()
        while self._unwritten:
            data = self._unwritten.popleft()
            try:
                written = os.write(self._master, data)
            except BlockingIOError:
                written = 0
            if written < len(data):
                self._unwritten.appendleft(data[written:])
            if self._unwritten and (written < len(data) or self.firmware.faults.chunk):
                loop.add_writer(self._master, self._write)
                return
        loop.remove_writer(self._master)

    def _is_unread(self) -> bool:
        """Does the host's side of the line still hold bytes? Only the kernel's other end knows."""
        port = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            poll = select.poll()
            poll.register(port, select.POLLIN)
            return bool(poll.poll(0))
        finally:
            os.close(port)

    def _pull(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._master < 0:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._master)
        loop.remove_writer(self._master)
        if self._link is not None and self._link.is_symlink():
            self._link.unlink()  # first: the pty's number may be another's at once
        for end in (self._master, self._holder):
            if end >= 0:
                os.close(end)
        self._master = self._holder = -1
        self._unwritten.clear()
