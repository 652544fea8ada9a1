"""A serial port as a link: pyserial sets the port up, the event loop reads and writes its descriptor.

pyserial's own reads and writes stay unused, and so do the asyncio wrappers around them: with a full output queue its
non-blocking write tries again without end, which would stop the whole program for one board that does not listen.
A port is opened in a thread (some drivers take their time), locked against a second program, and set so that an
empty read can only mean that the line was cut. What has arrived is read at once and kept here, for the system throws
away what was not read when a cable is pulled.
"""

from __future__ import annotations

import asyncio
import errno
import grp
import os
import stat
import termios
from contextlib import ExitStack, suppress
from pathlib import Path

import serial

from drivers.cancellation import finish_before_cancel
from drivers.transport import LinkError, Lost, Refused, Transport, Unavailable
from protocol.sentence import Sentence, say

_READ_BYTES = 4096
_KEPT_BYTES = 4096
"""Kept for a slow reader; then the system's own buffer fills, and a pty (or flow control) stops the board."""
_UNSENT_BYTES = 65536


class SerialTransport(Transport):
    """An open port. Made by `open_line`."""

    def __init__(self, port: serial.Serial, path: str) -> None:
        self._port = port
        self._path = path
        self._fd: int = port.fileno()
        self._loop = asyncio.get_running_loop()
        self._kept = bytearray()
        self._unsent = bytearray()
        self._news = asyncio.Event()
        self._lost: Lost | None = None
        self._is_closed = False
        self._is_held = False
        self._loop.add_reader(self._fd, self._read)

    async def receive(self) -> bytes:
        while not self._kept:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        data = bytes(self._kept)
        self._kept.clear()
        if self._is_held and self._lost is None:
            self._is_held = False
            self._loop.add_reader(self._fd, self._read)
        return data

    async def send(self, data: bytes) -> None:
        if self._lost is not None:
            raise self._lost  # the descriptor's number may be another's by now
        self._unsent += data
        self._write()
        if len(self._unsent) > _UNSENT_BYTES:
            full = "link.port_full", "the board on {name} accepts no more bytes: switch it off and on"
            self._end(say(*full, name=self._path))
        if self._lost is not None:
            raise self._lost

    async def aclose(self) -> None:
        self._end(f"{self._path} is closed")
        if not self._is_closed:
            self._is_closed = True
            with suppress(OSError):
                await self._loop.run_in_executor(None, self._port.close)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            pulled = (
                "link.port_pulled",
                "the cable of {name} was pulled, or the board was switched off: plug it in again",
            )
            self._end(say(*pulled, name=self._path))
        self._kept += data
        self._news.set()
        if len(self._kept) >= _KEPT_BYTES:
            self._is_held = True
            self._loop.remove_reader(self._fd)

    def _write(self) -> None:
        try:
            while self._unsent and self._lost is None:
                del self._unsent[: os.write(self._fd, self._unsent)]
        except BlockingIOError:
            self._loop.add_writer(self._fd, self._write)
            return
        except OSError:
            self._unsent.clear()  # whether the line is cut is for the reader to say: it may still have bytes
        self._loop.remove_writer(self._fd)

    def _end(self, reason: str | Sentence) -> None:
        if self._lost is None:
            self._lost = Lost(reason)
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
            self._news.set()


async def open_line(path: str, baud: int) -> SerialTransport:
    """Opens a port, 8N1 and locked; raises Unavailable or Refused with what to do."""
    opening = asyncio.to_thread(_set_up, path, baud)
    try:
        port = await finish_before_cancel(opening, give_back=lambda port: asyncio.to_thread(port.close))
    except (OSError, termios.error, ValueError, OverflowError) as error:
        raise _explain_error(error, path, baud) from None
    return SerialTransport(port, path)


def _set_up(path: str, baud: int) -> serial.Serial:
    with ExitStack() as undo:
        port = serial.Serial(exclusive=True, timeout=0)
        undo.callback(port.close)
        port.port = path
        port.baudrate = baud
        port.open()
        attributes = termios.tcgetattr(port.fileno())
        attributes[6][termios.VMIN] = 1  # else an empty read would also mean "nothing yet"
        termios.tcsetattr(port.fileno(), termios.TCSANOW, attributes)
        with suppress(ValueError):  # a driver without it has no such wait
            port.set_low_latency_mode(True)  # else an FTDI chip keeps a short message back for up to 16 ms
        undo.pop_all()
    return port


def _explain_error(error: Exception, path: str, baud: int) -> LinkError:
    code = _find_code(error) or _find_code(error.__context__)
    if code in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO):
        gone = "link.no_port", "there is no serial port {name}: plug the board in, or correct the address"
        return Unavailable(say(*gone, name=path))
    if code in (errno.EACCES, errno.EPERM):
        said = say(
            "link.port_denied",
            "no permission to use {name}: join the group {given} (sudo usermod -aG {given} USER), then log in again",
            name=path,
            given=_find_group(path),
        )
        return Refused(said)
    if code in (errno.EBUSY, errno.EAGAIN):
        said = say(
            "link.port_held",
            "another program uses {name}: close it (fuser {name} names it; ModemManager, which "
            "probes new ports, lets go by itself)",
            name=path,
        )
        return Refused(said)
    if isinstance(error, ValueError | OverflowError):
        said = say(
            "link.port_baud",
            "{name} cannot run at {given} baud: correct baud in the address or in the board's profile",
            name=path,
            given=baud,
        )
        return Refused(said)
    return Refused(say("link.port_odd", "{name} cannot be used as a serial port: correct the address", name=path))


def _find_code(error: BaseException | None) -> int | None:
    """The errno that this error carries first; None where it carries another thing."""
    return error.args[0] if error and error.args and isinstance(error.args[0], int) else None


def _find_group(path: str) -> str:
    """The group that may use the port; Debian's usual one where the port does not say."""
    try:
        found = Path(path).stat()
        return grp.getgrgid(found.st_gid).gr_name if found.st_mode & stat.S_IWGRP and found.st_gid else "dialout"
    except (OSError, KeyError):
        return "dialout"
