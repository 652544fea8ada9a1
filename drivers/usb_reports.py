"""A USB board as a link: one thread a board does nothing but read, the event loop gets report after report.

What was read before the board was pulled out is handed out before the loss. The thread reads only while there is room
for what it reads; then the board waits, nothing is dropped. It is the thread that gives the board back at its end, so
nobody uses a device that is closed already.
"""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Semaphore, Thread
from typing import Any

from drivers.address import Address
from drivers.transport import Lost, Refused, Transport, Unavailable
from drivers.usb_board import TROUBLE, UsbBoard
from drivers.usb_plugged import fitting, look
from drivers.whole import whole
from protocol.profile import Profile

_KEPT_REPORTS = 1024
_BAD_READS = 25
"""Failed reads in a row before a board that is still there is given up."""
_PAUSE_S = 0.02
"""Between failed reads: a cable that is being pulled fails for some time before the board is gone."""
_WAKE_S = 0.05


class UsbReports(Transport):
    """An open board; `receive` is one report. Made by `open_reports`."""

    def __init__(self, board: UsbBoard, label: str) -> None:
        self._board = board
        self._label = label
        self._loop = asyncio.get_running_loop()
        self._reports: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._sending = asyncio.Lock()
        self._lost: Lost | None = None
        self._room = Semaphore(_KEPT_REPORTS)
        self._closing = Event()
        self._reader = Thread(target=self._listen, name=f"USB board {label}", daemon=True)
        self._reader.start()

    async def receive(self) -> bytes:
        """One report, as the board sent it."""
        while not self._reports:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        self._room.release()
        return self._reports.popleft()

    async def send(self, data: bytes) -> None:
        """One report for the board; this waits until the board has taken it."""
        if self._lost is not None:
            raise self._lost
        async with self._sending:
            try:
                await self._loop.run_in_executor(None, self._board.write, data)
            except TROUBLE as error:
                if getattr(error, "errno", None) == errno.ENODEV:
                    raise Lost(self._pulled()) from None  # the reader says when it is over: it may still have reports
                self._end(self._sentence("takes no more bytes: plug it in again"))
        if self._lost is not None:
            raise self._lost

    async def aclose(self) -> None:
        """Ends the reader, which gives the board back to the kernel: all of it, even when cancelled meanwhile."""
        self._end(self._sentence("is closed"))
        await whole(asyncio.to_thread(self._shut))

    def _end(self, reason: str) -> None:
        self._lost = self._lost or Lost(reason)
        self._news.set()

    def _arrive(self, report: bytes) -> None:
        self._reports.append(report)
        self._news.set()

    def _shut(self) -> None:
        """Ends the reader, whatever it waits for."""
        self._closing.set()
        self._room.release()
        while self._reader.is_alive():
            self._board.release()  # ends a read in flight; one that begins at this moment is ended the next time
            self._reader.join(_WAKE_S)

    def _listen(self) -> None:
        """The thread: reads to the end, gives the board back, and says why it ended."""
        reason = self._sentence("cannot be read, which is a mistake in oche: plug it in again, and report it")
        try:
            reason = self._read_on()
        finally:  # whatever it was, nobody shall wait for a reader that is no more
            self._board.give_back()
            self._tell(self._end, reason)

    def _read_on(self) -> str:
        bad_reads = 0
        while True:
            self._room.acquire()
            if self._closing.is_set():
                return self._sentence("is closed")
            try:
                report = self._board.read()
            except TROUBLE as error:
                bad_reads += 1
                code = getattr(error, "errno", None)
                if code == errno.ENODEV:
                    return self._pulled()
                if bad_reads == _BAD_READS:
                    return self._sentence("fails at every read: try another cable or another port")
                if code == errno.EPIPE:
                    with suppress(*TROUBLE):
                        self._board.clear()
                self._closing.wait(_PAUSE_S)
                report = b""
            else:
                bad_reads = 0
            if report:
                self._tell(self._arrive, report)
            else:
                self._room.release()

    def _tell(self, call: Callable[[Any], None], what: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(call, what)

    def _pulled(self) -> str:
        return self._sentence("was pulled out or switched off: plug it in again")

    def _sentence(self, what: str) -> str:
        return f"the USB board {self._label} {what}"


async def open_reports(address: Address, profile: Profile) -> UsbReports:
    """Opens the board an address means; raises Unavailable or Refused with what to do, AddressError for no id."""
    taking = asyncio.to_thread(_take, address, profile)
    board, label = await whole(taking, give_back=lambda taken: asyncio.to_thread(taken[0].give_back))
    return UsbReports(board, label)


def _take(address: Address, profile: Profile) -> tuple[UsbBoard, str]:
    if profile.usb is None:
        raise Refused(f"the profile {profile.id} is of no USB board: correct the profile or the address {address}")
    found = fitting(look(), address, profile.usb)
    if not found:
        what = f"of the profile {profile.id}" if address.target == "auto" else str(address).removeprefix("usb:")
        raise Unavailable(f"there is no USB board {what}: plug it in, or see with oche scan what is there")
    return UsbBoard(found[0], profile.usb), found[0].label
