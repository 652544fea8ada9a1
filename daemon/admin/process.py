"""The process for the care of the machine, beside the daemon: however long a request takes, no dart waits for it.

A thread would not do: matches are replayed, and a thread that replays keeps the interpreter for five milliseconds at a
time. The process is started with the first request, and ended after a minute without one. What happens in it is in
worker.py, which the daemon does not import.

Each request has a socket of its own: what ends in the middle of its answer disturbs no other.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from msgspec import Struct

from daemon.admin.answers import ENDING, Refused
from daemon.admin.requests import FiguresRequest, Request
from daemon.admin.temporary import close_beside, make_temporary
from daemon.config.sections import Config, League, Mqtt
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.plugins import loader
from daemon.release import read_version
from protocol.segment import Layout

if TYPE_CHECKING:
    from daemon.league.records import Wanted
    from drivers.scan import Heard

log = logging.getLogger("oche")

FRAME = struct.Struct(">I")
"""A message over the socket of a request is pickled, and begins with its length."""
ORDER = struct.Struct(">cI")
"""Messages to the process over its own socket: an order, and the number of the request that it is about."""
READ, DO, FORGET, STOP = b"r", b"d", b"f", b"s"
"""Orders: have the history read; carry out in a child; forget a request that is answered; end one that is not.

With the first two comes the socket of the request; with the second perhaps a file, too, that the answer is written to.
"""
_BY_HAND = "run it on the machine itself"
_IDLE_S = 60.0
"""After so long without a request the process ends, and its memory is free."""
_CODE = (
    "import sys; sys.path[:] = {path!r}; from daemon.admin.worker import main; "
    "main({parent}, {orders}, {folder!r}, {version!r})"
)


class ReadHistory(Request, frozen=True):
    """Reads the matches that count, for the requests that follow."""


class CountMatch(Request, frozen=True):
    """Caches what a match comes to; whether it can be read."""

    table: str
    match: str


class FindEarned(Request, frozen=True):
    """What players have earned in this match that they had not before: personal bests and badges.

    Not what they had earned by an end of it up to the line `told`, which was corrected since or taken back.
    """

    table: str
    match: str
    told: int


class FindScatters(Request, frozen=True):
    """Finds how far the darts of players scatter, in mm by all their names, where a board has measured enough."""


class ForgetMatches(Request, frozen=True):
    """Takes the player of these keys out of all matches but the latest of these tables; a dry run only counts them."""

    keys: tuple[str, ...]
    is_dry_run: bool
    tables: tuple[str, ...]


class FindRecords(Request, frozen=True):
    """Finds the finished matches that are to be offered, and were not taken yet; only that of a table and id.

    Those that began since the moment `asked_since` and have a `ref`; and for the league those that count and began
    since `since` (both ISO 8601, UTC). None: there is no league.
    """

    asked_since: str
    since: str | None
    only: tuple[str, str] | None = None


class ReadRecords(Request, frozen=True):
    """Reads the records of these matches, as they are offered: the first ones, of at least one."""

    wanted: tuple[Wanted, ...]
    bridge_id: str


class FetchMatches(Request, frozen=True):
    """Fetches what the league has said that it knows more of."""

    league: League


class AddRestoredSounds(Request, frozen=True):
    """Adds the sound pack in a zip that a backup had."""

    file: Path


class AddRestoredArt(Request, frozen=True):
    """Adds the art in a zip that a backup had."""

    file: Path


HistoryRequest = (
    FiguresRequest | ReadHistory | CountMatch | FindEarned | FindScatters | ForgetMatches | FindRecords | ReadRecords
)
"""What the reader of the history answers, one after the other."""


class Given(Struct, frozen=True):
    """What a request needs of the daemon as it runs.

    `folder` is that of the state; `file` is the configuration, None where there is no file; `layouts` are those of the
    tables, by the table's name; `sources` are what the plug-ins were loaded from. `traffic` has the recordings of the
    boards, by table, for a report; `profiles` are files that are looked for beside the known ones; `heard` is what the
    daemon itself has heard on Bluetooth, None: nothing was listened to; `broker` is what is tried.
    """

    folder: Path
    file: Path | None
    layouts: Mapping[str, Layout]
    sources: loader.Sources
    traffic: Mapping[str, str] = {}
    profiles: tuple[str, ...] = ()
    heard: Heard | None = None
    broker: TypedBroker | None = None


class TypedBroker(Struct, frozen=True):
    """What the settings page has in its fields: the configuration with them, and what the daemon runs with.

    `password` is the one that was typed; None: the one that is kept.
    """

    config: Config
    running: Mqtt
    password: str | None = None


class _Running(Struct, frozen=True):
    process: asyncio.subprocess.Process
    orders: socket.socket


class WorkerProcess:
    """The process that works for a daemon with this folder of the state. `layouts` and `file` are as in Given."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout], file: Path | None = None) -> None:
        self.progress = 0, 0
        """How many matches of how many the latest reading has done."""
        self._folder = folder
        self._layouts = dict(layouts)
        self._file = file
        self._version = read_version()  # later there may be another one on the disk
        self._start = asyncio.Lock()
        self._numbers = count()
        self._running: _Running | None = None
        self._ends: set[asyncio.Task[int]] = set()
        """Each waits for the end of a process."""
        self._asking: set[asyncio.Task[Any]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._is_closed = False

    async def read(self, request: HistoryRequest) -> Any:  # Any: the answer, by the request
        """Returns the answer of the reader of the history. Raises UserError and Refused."""
        with explain_errors("the history cannot be read"):
            return await self._ask(READ, request, "the history was not read to its end: try again", self._give(), [])

    async def carry_out(
        self, request: Request, name: str | None, patience_s: float, **given: Any
    ) -> Any:  # Any: parts of Given, and the answer
        """Returns the answer. Raises UserError, OSError and Refused, as what carries out the request does.

        `name` is the command of oche that does the same, for the sentence that nothing comes of it; None: there is
        none. Of a request that is cancelled, or takes longer than this, all ends.
        """
        return await self._carry_out(request, name, patience_s, self._give(**given), [])

    async def write(
        self, request: Request, name: str, patience_s: float, **given: Any
    ) -> tuple[IO[bytes], Any]:  # Any: as above
        """Returns what is written for an answer, in a file without a name, which is to be closed beside the event loop.

        With it comes the answer itself.

        Raises as `carry_out` does.
        """
        out = await asyncio.to_thread(make_temporary, self._folder)
        try:
            answer = await self._carry_out(request, name, patience_s, self._give(**given), [out.fileno()])
        except BaseException:
            close_beside(out)
            raise
        out.seek(0)
        return out, answer

    async def close(self) -> None:
        """Ends the process, whatever it does; those who wait for an answer are cancelled.

        What is asked from now on is refused: it would start another process, which nobody would end.
        """
        self._is_closed = True
        for task in self._asking:
            task.cancel()
        if self._asking:
            await asyncio.wait(self._asking)
        if self._idle is not None:
            self._idle.cancel()
        async with self._start:  # one that is being started would outlive this
            if self._running is not None:
                with suppress(ProcessLookupError):  # it has just ended
                    self._running.process.kill()
            self._end()
        if self._ends:  # else the loop may be closed before it knows that the process has ended
            await asyncio.wait(self._ends)

    async def _carry_out(
        self, request: Request, name: str | None, patience_s: float, given: Given, out: list[int]
    ) -> Any:  # Any: as above
        what, remedy = ("the work for this", "try again") if name is None else (f"oche {name}", _BY_HAND)
        patience = asyncio.timeout(patience_s)
        try:
            async with patience:
                return await self._ask(DO, request, f"{what} failed: {remedy}", given, out)
        except TimeoutError:
            if not patience.expired():  # it is the answer, as of a disk in the network
                raise
            raise UserError(f"{what} did not finish in time: {remedy}") from None

    def _give(self, **more: Any) -> Given:  # Any: as above
        file = self._file if self._file is not None and os.path.lexists(self._file) else None
        return Given(self._folder, file, self._layouts, loader.list_sources(), **more)

    async def _ask(
        self, order: bytes, request: Request, unanswered: str, given: Given, out: list[int]
    ) -> Any:  # Any: as above
        """Returns the answer. Raises UserError where none comes, OSError, and what carrying out the request raises.

        Raises Refused once this was closed.
        """
        if self._is_closed:
            raise Refused("unavailable", ENDING)
        task = asyncio.current_task()
        assert task is not None
        self._asking.add(task)
        if self._idle is not None:
            self._idle.cancel()
        try:
            answer = await self._send(order, pack_frame((request, given)), out)
        except EOFError:
            raise UserError(unanswered) from None
        finally:
            self._asking.discard(task)
            if not self._asking:
                self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._end)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _send(self, order: bytes, said: bytes, out: list[int]) -> Any:  # Any: as above
        """Returns the answer, or the error that is one. Raises EOFError where none comes, and OSError."""
        number, is_done = next(self._numbers), False
        mine, theirs = socket.socketpair()
        with mine:
            mine.setblocking(False)
            with theirs:
                running = await self._give_order(order, number, [theirs.fileno(), *out])
            try:
                answer = await self._read_answer(mine, said)
                is_done = True
            finally:
                with suppress(OSError):  # it has died, and all that it did with it
                    running.orders.send(ORDER.pack(FORGET if is_done else STOP, number))
        return answer

    async def _give_order(self, order: bytes, number: int, given: list[int]) -> _Running:
        """Gives the order with these files to the process, which is started where it does not run. Raises OSError."""
        running = await self._find_running()
        try:
            socket.send_fds(running.orders, [ORDER.pack(order, number)], given)
        except (BrokenPipeError, ConnectionResetError):  # it has just died
            self._end()
            running = await self._find_running()
            socket.send_fds(running.orders, [ORDER.pack(order, number)], given)
        return running

    async def _read_answer(self, mine: socket.socket, said: bytes) -> Any:  # Any: as above
        """Returns the answer, or the error that is one. Raises EOFError where none comes."""
        import pickle  # noqa: PLC0415  needed with the first request only

        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(mine, said)
            while True:
                (length,) = FRAME.unpack(await _read(mine, FRAME.size))
                kind, told = pickle.loads(await _read(mine, length))
                if kind == "answer":
                    return told
                if kind == "progress":
                    self.progress = told
                else:
                    log.error("unexpected error in a request:\n%s", told)
                    raise EOFError
        except OSError:
            raise EOFError from None

    async def _find_running(self) -> _Running:
        async with self._start:
            if self._running is None:
                self._running = await self._start_process()
            return self._running

    async def _start_process(self) -> _Running:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            code = _CODE.format(
                path=sys.path,
                parent=os.getpid(),
                orders=theirs.fileno(),
                folder=str(self._folder),
                version=self._version,
            )
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-I", "-S", "-c", code),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, "TMPDIR": str(self._folder)},  # /tmp may be in memory
                    process_group=0,  # Ctrl-C is for the daemon. Linux weighs nice within a session: no new session
                )
            except BaseException:
                mine.close()
                raise
        mine.setblocking(False)
        running = _Running(process, mine)
        end = asyncio.create_task(process.wait())
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)
        return running

    def _end(self) -> None:
        """Has the process end where nobody waits for it; what it still does ends with it."""
        if self._running is not None:
            self._running.orders.close()
        self._running = None


def pack_frame(said: object) -> bytes:
    """Returns the message, as it goes over the socket of a request."""
    import pickle  # noqa: PLC0415  as above

    data = pickle.dumps(said)
    return FRAME.pack(len(data)) + data


async def _read(mine: socket.socket, size: int) -> bytearray:
    """Returns so many bytes. Raises EOFError and OSError."""
    loop, found, done = asyncio.get_running_loop(), bytearray(size), 0
    while done < size:
        got = await loop.sock_recv_into(mine, memoryview(found)[done:])
        if not got:
            raise EOFError
        done += got
    return found
