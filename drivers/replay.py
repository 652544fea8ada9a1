"""A recording as a link: `replay:first-evening.jsonl` sends what the board sent then, chunk by chunk.

A recording is played once. Where the link broke then, it breaks now, and the next connection goes on where this one
ended; after its last line the link stays as it is, silent, so that no match begins by itself for a
second time. A caller that has nothing left to do then asks for the end, and receives it as ReplayDone. Where a replay
stands outlives a link: it belongs to the task that opens one link after the other, which is a session. A second session
plays the recording from its beginning.

The times within a connection are those of the recording (divided by `speed`), counted from when it stood, so that what
is slow here does not add up. What was sent to the board is not compared; a failed attempt to connect is a note for
people, and is passed over.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Struct

from drivers.address import Address, AddressError
from drivers.capture import FORMAT, CaptureLine, Header
from drivers.transport import Lost, Refused, ReplayDone, Transport
from protocol.sentence import say

_LINE_BYTES = 4 * 1024 * 1024

_header = msgspec.json.Decoder(Header)
_entry = msgspec.json.Decoder(CaptureLine)


class _Position(Struct):
    """Where a replay stands: in the file, and in time.

    `zero_s` is when, on the event loop's clock, the recording's first moment would have been.
    """

    offset: int = 0
    line: int = 0
    zero_s: float = -math.inf


_positions: WeakKeyDictionary[asyncio.Task[Any], dict[str, _Position]] = WeakKeyDictionary()  # Any: a task's result


async def open_replay(address: Address, *, is_endless: bool = True) -> Transport:
    """The next connection in the recording, once its time has come; after the last one this waits for ever.

    Where it is not `is_endless`, this and the link's `receive` raise ReplayDone after the last line instead of waiting.
    Raises Refused for a file that cannot be played, naming the line.
    """
    task = asyncio.current_task()
    assert task is not None  # a coroutine runs in one
    positions = _positions.setdefault(task, {})
    path = Path(address.target)
    if str(address) not in positions:
        await asyncio.get_running_loop().run_in_executor(None, check_recording, path)
    position = positions.setdefault(str(address), _Position(zero_s=asyncio.get_running_loop().time()))
    link = ReplayTransport(path, position, parse_speed(address), is_endless=is_endless)
    try:
        await link.begin()
    except BaseException:
        await link.aclose()
        raise
    return link


def check_recording(path: Path) -> Header:
    """Reads the whole recording once; raises Refused with what is wrong with it, and in which line."""
    with _open(path) as file:
        header = _read_header(file, path)
        line, has_traffic = 1, False
        while (entry := _read(file, path, line + 1)) is not None:
            line += 1
            has_traffic = has_traffic or entry.link == "up" or entry.in_ is not None
    if not has_traffic:
        raise Refused(f"the recording {path} is empty: the board was never reached while it was made")
    return header


def parse_speed(address: Address) -> float:
    """How many times as fast as it was; 0 is without waiting. Raises AddressError."""
    text = address.options.get("speed", "1")
    try:
        times = float(text)
    except ValueError:
        times = -1.0
    if not 0 <= times < math.inf:
        raise AddressError(
            say(
                "address.speed",
                "speed={given} in {name} must be a number: 10 is ten times as fast, 0 without waiting",
                given=text,
                name=str(address),
            )
        )
    return times


class ReplayTransport(Transport):
    """One connection of a recording; made by `open_replay`."""

    def __init__(self, path: Path, position: _Position, times: float, *, is_endless: bool) -> None:
        self._path = path
        self._position = position
        self._times = times
        self._is_endless = is_endless
        self._file = _open(path)
        self._file.seek(position.offset)
        if position.line == 0:
            _read_header(self._file, path)
            self._pass()
        self._upcoming: CaptureLine | None = None
        self._charges: asyncio.Queue[int | None] = asyncio.Queue()
        self._over = asyncio.Event()
        self._reason = f"{path} is closed"

    async def begin(self) -> None:
        """Waits until the recording was connected."""
        while (entry := self._peek()) is None or entry.in_ is None:
            await self._wait_until(entry)
            assert entry is not None  # else the wait has no end
            self._take()
            if entry.link == "up":
                break
        loop_s = asyncio.get_running_loop().time()
        if entry.link == "up":
            self._position.zero_s = max(self._position.zero_s, loop_s - self._count_seconds(entry))

    async def receive(self) -> bytes:
        """The next chunk, when its time has come."""
        while True:
            entry = self._peek()
            await self._wait_until(entry)
            assert entry is not None  # else the wait has no end
            if entry.link == "up":  # we hung up then, and connected again
                self._lose("the link was closed here when it was recorded: wait, it goes on")
                continue
            self._take()
            if entry.in_ is not None:
                return bytes.fromhex(entry.in_)
            if entry.battery is not None:
                self._charges.put_nowait(entry.battery)
            elif entry.link == "lost":
                self._lose(entry.why or "the link was lost here when it was recorded: wait, it goes on")

    async def send(self, data: bytes) -> None:
        """Sends nothing: the board's answers are those of the recording."""
        if self._over.is_set():
            raise Lost(self._reason)

    async def battery(self) -> int | None:
        """The next charge in the recording, once it is its turn; None when the link is over before."""
        return None if self._over.is_set() else await self._charges.get()

    async def aclose(self) -> None:
        """Closes the link; the next one goes on where this one ended."""
        self._lose(self._reason)
        self._file.close()

    def _lose(self, reason: str) -> None:
        if not self._over.is_set():
            self._reason = reason
            self._over.set()
            self._charges.put_nowait(None)

    def _count_seconds(self, entry: CaptureLine) -> float:
        return entry.ms / 1000 / self._times if self._times else 0.0

    async def _wait_until(self, entry: CaptureLine | None) -> None:
        """Waits for the moment of this entry, without end when there is none; raises Lost when the link is over.

        Raises ReplayDone instead of waiting without end, unless the link is endless.
        """
        if entry is None and not self._is_endless and not self._over.is_set():
            raise ReplayDone(f"{self._path} was played to its end")
        due_s = None if entry is None else self._position.zero_s + self._count_seconds(entry)
        with suppress(TimeoutError):
            async with asyncio.timeout_at(due_s):
                await self._over.wait()
        if self._over.is_set():
            raise Lost(self._reason)

    def _peek(self) -> CaptureLine | None:
        """The next entry, which `_take` moves past; None after the last one."""
        if self._upcoming is None and not self._file.closed:
            try:
                self._upcoming = _read(self._file, self._path, self._position.line + 1)
            except Refused as error:  # it was right when it was opened
                self._lose(str(error))
        return self._upcoming

    def _take(self) -> None:
        self._upcoming = None
        self._pass()

    def _pass(self) -> None:
        self._position.offset = self._file.tell()
        self._position.line += 1


def _open(path: Path) -> BinaryIO:
    try:
        if not path.is_file():
            raise Refused(f"there is no recording {path}: correct the address")
        return path.open("rb")
    except OSError as error:
        raise Refused(f"cannot read the recording {path}: {(error.strerror or str(error)).lower()}") from None


def _read_header(file: BinaryIO, path: Path) -> Header:
    try:
        header = _header.decode(file.readline(_LINE_BYTES))
    except (ValueError, RecursionError):  # msgspec's are ValueErrors
        raise Refused(f"{path}, line 1: this is not the header of a recording; make one with oche capture") from None
    if header.oche_capture != FORMAT:
        raise Refused(
            f"{path}, line 1: this is format {header.oche_capture}, and this oche plays {FORMAT}: update oche"
        )
    return header


def _read(file: BinaryIO, path: Path, line: int) -> CaptureLine | None:
    """The next entry, None at the end; raises Refused."""
    text = file.readline(_LINE_BYTES)
    if not text:
        return None
    try:
        entry = _entry.decode(text)
        told = entry.in_, entry.out, entry.left_out, entry.link, entry.battery
        if sum(each is not None for each in told) != 1:
            raise ValueError
        if entry.in_ is not None and not bytes.fromhex(entry.in_):
            raise ValueError
    except (ValueError, RecursionError):
        state = "damaged" if text.endswith(b"\n") else "cut off"
        raise Refused(f"{path}, line {line} is {state}: remove this line, and the rest can be played") from None
    return entry
