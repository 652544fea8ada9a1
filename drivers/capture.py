"""A board's raw traffic in a file: every chunk as it came or went, with its time, to be played back or sent on.

The file is JSON lines with the bytes in hex, so that a person can read it and take a line out. Each line goes to the
system in one write, so a program that is killed leaves complete lines behind. What is recorded is the board's side
alone: of the computer only the address the board has on it, of its users nothing.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal, Self

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from drivers.address import Address, Scheme
from drivers.transport import LinkError, Lost, Refused, Transport
from protocol.profile import Profile

FORMAT = 1
_SECOND = 1_000_000_000
"""In ns."""

Link = Literal["up", "lost", "closed", "unavailable", "refused"]
"""`lost`: the link broke. `closed`: we hung up. `unavailable`, `refused`: it could not be had, said when it changes."""


class CaptureError(Exception):
    """A recording cannot go on; `said` is one sentence that says what to do."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line. `started` is in UTC; `profile` is the id of the board's profile, when it was known."""

    oche_capture: int
    address: str
    started: str
    version: str
    profile: str | None = None


class CaptureLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Any further line: one thing that happened `ms` milliseconds after the start.

    Bytes from the board (`in`) or to it (`out`), both in hex; how many bytes from it were `left_out`; a change of the
    link, with `why`; the charge in percent.
    """

    ms: Annotated[float, Meta(ge=0, le=1e12)]
    in_: str | None = field(default=None, name="in")
    out: str | None = None
    left_out: Annotated[int, Meta(ge=0)] | None = None
    link: Link | None = None
    why: str | None = None
    battery: Annotated[int, Meta(ge=0, le=100)] | None = None


class TrafficLog(ABC):
    """What `record_links` writes the traffic of a link into; `_write` says where a line goes."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._start = clock()
        self._why: str | None = None
        """Why the link could not be had, as it was written last."""

    def write_received(self, data: bytes) -> None:
        """Writes a chunk from the board."""
        self._write(CaptureLine(ms=self._count_ms(), in_=data.hex()))

    def write_sent(self, data: bytes) -> None:
        """Writes a chunk to the board."""
        self._write(CaptureLine(ms=self._count_ms(), out=data.hex()))

    def write_charge(self, percent: int) -> None:
        """Writes the charge that the link told."""
        self._write(CaptureLine(ms=self._count_ms(), battery=percent))

    def write_up(self) -> None:
        """Writes that the link stands."""
        self._why = None
        self._write(CaptureLine(ms=self._count_ms(), link="up"))

    def write_down(self, link: Link, why: str | None = None) -> None:
        """Writes that the link does not stand, and why."""
        self._write(CaptureLine(ms=self._count_ms(), link=link, why=why))

    def write_failure(self, error: LinkError) -> None:
        """Writes why the link could not be opened; the same reason again is not written."""
        if str(error) != self._why:
            self._why = str(error)
            self.write_down("refused" if isinstance(error, Refused) else "unavailable", self._why)

    def _count_ms(self) -> int:
        return (self._clock() - self._start) // 1_000_000

    @abstractmethod
    def _write(self, line: CaptureLine) -> None:
        """Writes the complete line or nothing. May raise CaptureError."""


class Recording(TrafficLog):
    """A file that is being recorded into: `with Recording(path, …) as recording`. Counts what it holds.

    `profile` is an id, `version` that of this program. A file that is there is written over only with `overwrite`,
    devices such as /dev/null always. Opening raises OSError, everything later CaptureError.
    """

    def __init__(
        self,
        path: Path,
        address: Address,
        *,
        version: str,
        profile: str | None = None,
        overwrite: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.profile = profile
        self.chunks_in = self.chunks_out = self.connections = 0
        self._path = path
        is_free = overwrite or (path.exists() and not path.is_file())
        self._file: FileIO = path.open("wb" if is_free else "xb", buffering=0)
        super().__init__(clock)
        try:
            self._write(make_header(address, datetime.now(UTC), version, profile))
        except CaptureError:
            self._file.close()
            if path.is_file():  # else a device
                with suppress(OSError):
                    path.unlink()
            raise

    @property
    def counts(self) -> str:
        """What it holds, as in `3 chunks from the board, 1 to it, in 1 connection`."""
        chunks = "1 chunk" if self.chunks_in == 1 else f"{self.chunks_in} chunks"
        links = "1 connection" if self.connections == 1 else f"{self.connections} connections"
        return f"{chunks} from the board, {self.chunks_out} to it, in {links}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the recording."""
        self._file.close()

    def write_received(self, data: bytes) -> None:
        """Writes a chunk from the board."""
        super().write_received(data)
        self.chunks_in += 1

    def write_sent(self, data: bytes) -> None:
        """Writes a chunk to the board."""
        super().write_sent(data)
        self.chunks_out += 1

    def write_up(self) -> None:
        """Writes that the link stands."""
        self.connections += 1
        super().write_up()

    def write_copy(self, line: CaptureLine) -> None:
        """Writes a line of another log of the same link, with the time of this one."""
        self.chunks_in += line.in_ is not None or line.left_out is not None
        self.chunks_out += line.out is not None
        self.connections += line.link == "up"
        self._write(replace(line, ms=self._count_ms()))

    @property
    def size(self) -> int:
        """How many bytes were written."""
        return self._file.tell() if self._file.seekable() else 0

    def _write(self, line: Header | CaptureLine) -> None:
        """Writes the complete line or nothing. Raises CaptureError."""
        data = msgspec.json.encode(line) + b"\n"
        end = self.size
        try:
            written = self._file.write(data)
            while written < len(data):
                written += self._file.write(data[written:])
        except OSError as error:
            with suppress(OSError):
                self._file.seek(end)
                self._file.truncate()
            reason = (error.strerror or str(error)).lower()
            raise CaptureError(
                f"cannot write to {self._path}: {reason}; what was recorded before is complete; "
                "free some space, and record into another file"
            ) from None


def make_header(address: Address, started: datetime, version: str, profile: str | None) -> Header:
    """The first line of a recording that began then, in UTC."""
    when = started.isoformat(timespec="seconds").replace("+00:00", "Z")
    return Header(oche_capture=FORMAT, address=str(address), started=when, version=version, profile=profile)


def record_links(schemes: Mapping[str, Scheme], recording: TrafficLog) -> dict[str, Scheme]:
    """The same schemes, whose links record all traffic. Only one link may be open at a time."""
    return {name: scheme._replace(open=_Opener(scheme, recording).open) for name, scheme in schemes.items()}


class _Opener(Struct):
    scheme: Scheme
    recording: TrafficLog

    async def open(self, address: Address, profile: Profile) -> Transport:
        try:
            link = await self.scheme.open(address, profile)
        except LinkError as error:
            self.recording.write_failure(error)
            raise
        try:
            self.recording.write_up()
        except CaptureError:
            await link.aclose()  # the caller never gets it
            raise
        return RecordingTransport(link, self.recording)


class RecordingTransport(Transport):
    """A link whose traffic is written down; made by what `record_links` gives."""

    def __init__(self, link: Transport, recording: TrafficLog) -> None:
        self.signal_dbm = link.signal_dbm
        self._link = link
        self._recording = recording
        self._is_over = False

    async def receive(self) -> bytes:
        """Receives, and records before the caller gets the bytes."""
        try:
            data = await self._link.receive()
        except Lost as error:
            self._end("lost", str(error))
            raise
        self._recording.write_received(data)
        return data

    async def send(self, data: bytes) -> None:
        """Records first, then sends: an answer may come before this returns."""
        self._recording.write_sent(data)
        await self._link.send(data)  # a loss is for `receive` to write down: bytes may still come

    async def battery(self) -> int | None:
        """Asks for the charge, and records it when the link tells it."""
        percent = await self._link.battery()
        if percent is not None:
            with suppress(CaptureError):  # a disk that is full is told by the next chunk
                self._recording.write_charge(percent)
        return percent

    async def aclose(self) -> None:
        """Closes the link; one that was not lost is recorded as closed."""
        await self._link.aclose()
        with suppress(CaptureError):  # a full disk was told by what met it first
            self._end("closed")

    def _end(self, link: Link, why: str | None = None) -> None:
        if not self._is_over:
            self._is_over = True
            self._recording.write_down(link, why)


class Chunk(Struct, frozen=True):
    """Bytes from a board, and when they came (ns)."""

    data: bytes
    time_ns: int
    is_first: bool = False
    """Whether it is the first of a connection."""


_BETWEEN = re.compile(r"[\s,;:\-\[\](){}<>\"']+|(?=\\x)")
_HEX_PREFIX = re.compile(r"0[xX]|\\x")


def parse_hex(text: str) -> bytes:
    """The bytes in hex as people and logs write them: 5432, 54 32, 54-32, 54:32, 0x54 0x32. Raises ValueError."""
    data = b""
    for part in _BETWEEN.split(text):
        found = _HEX_PREFIX.match(part)
        digits = part[found.end() :] if found else part
        data += bytes.fromhex(f"0{digits}" if found and len(digits) == 1 else digits)
    return data


def read_chunks(lines: Iterable[str], file: str) -> Iterator[Chunk]:
    """Yields the chunks in these lines of `file`: of a recording, or each in hex. Raises CaptureError.

    Chunks without a time count as a second apart, so that none is taken for a quick repetition.
    """
    is_first = is_recording = False
    for number, line in enumerate(lines, 1):
        is_recording = is_recording or line.lstrip().startswith("{")
        try:
            if not is_recording:
                yield Chunk(parse_hex(line), number * _SECOND)
                continue
            entry = msgspec.json.decode(line, type=dict[str, object])
            is_first = is_first or entry.get("link") == "up"
            if isinstance(data := entry.get("in"), str):
                ms = entry.get("ms")
                yield Chunk(bytes.fromhex(data), int(ms * 1e6) if isinstance(ms, int | float) else 0, is_first)
                is_first = False
        except (ValueError, ArithmeticError, RecursionError):
            remedy = "this is not hex; write each chunk as 54 32 30 0d 0a"
            if is_recording:
                remedy = "this line of the recording is damaged: remove it, and the rest can be decoded"
            raise CaptureError(f"{file}, line {number}: {remedy}") from None
