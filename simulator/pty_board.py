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
import tty
from collections import deque
from contextlib import suppress
from pathlib import Path
from random import Random

from protocol.codebook import Codebook
from simulator.board import FirmwareBoard, loop_time_ns
from simulator.contacts import SOUND, Faults
from simulator.habits import PLAIN, Habits
from simulator.uart import misread

_BAUDS = {getattr(termios, name): int(name[1:]) for name in dir(termios) if name[0] == "B" and name[1:].isdigit()}
"""What the kernel calls a speed, and what it is."""


class PtyBoard(FirmwareBoard):
    """A board with a cable.

    With `link` its port is a symbolic link there, the same one whenever it is plugged in; else `path` is the pty
    itself, another one each time.
    """

    def __init__(
        self,
        codebook: Codebook,
        link: Path | None = None,
        *,
        faults: Faults = SOUND,
        habits: Habits = PLAIN,
        rng: Random | None = None,
    ) -> None:
        super().__init__(codebook, faults=faults, habits=habits, rng=rng)
        self._link = link
        self._device = ""
        self._master = -1
        self._holder = -1
        """The port opened by ourselves, while no host has it."""
        self._unwritten: deque[bytes] = deque()

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
            raise FileExistsError(f"{self._link} already exists and is not a link: choose another place for the port")
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

    def _now(self) -> int:
        """The time; a host that has come or gone since is noticed before anything is said."""
        self._notice()
        return loop_time_ns()

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
                self._feed(misread(packet[1:], self._host_baud(), self.firmware.habits.baud))

    def _listen(self) -> None:
        """A host has opened the port; what was written for one before it is gone."""
        self._unwritten.clear()
        if self._holder >= 0:
            os.close(self._holder)
            self._holder = -1
        self._heard.set()
        self.firmware.on_open(loop_time_ns())
        self._print()

    def _hold(self) -> None:
        """The host has left."""
        self._unwritten.clear()
        self._holder = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _send(self, writes: list[bytes]) -> None:
        if self._master < 0 or self._holder >= 0:
            return  # no host is at the other end
        is_idle = not self._unwritten
        own_baud = self.firmware.habits.baud
        self._unwritten.extend(misread(data, own_baud, self._host_baud()) for data in writes)
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
            comes_in_pieces = self.firmware.faults.chunk or self.firmware.habits.cuts
            if self._unwritten and (written < len(data) or comes_in_pieces):
                loop.add_writer(self._master, self._write)
                return
        loop.remove_writer(self._master)

    def _host_baud(self) -> int | None:
        """The speed the host has set; the kernel keeps it for a pty as for any port."""
        return _BAUDS.get(termios.tcgetattr(self._master)[4]) if self._master >= 0 else None

    def _is_unread(self) -> bool:
        """Whether the host's side of the line still holds bytes, as only the kernel's other end knows."""
        port = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            poll = select.poll()
            poll.register(port, select.POLLIN)
            return bool(poll.poll(0))
        finally:
            os.close(port)

    def _pull(self) -> None:
        self._rest()
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
