"""One board, for as long as the program runs: whatever happens to the link, one stream of events goes on.

A session opens the board's address, runs a fresh Host for every connection (half a line from before the unplugging
means nothing afterwards), and tries again by itself. Without `deliver` it reads ahead of its consumer, so that an
event's time is when it came in and not when the consumer took it: debounce works on those times. The read-ahead is
bounded; when it is full the board waits, nothing is dropped. `deliver` is awaited with each event instead, and has to
keep a backlog of its own.

A board that floods has no more than its share of the event loop: what came is read in slices, and beyond FAIR_SHARE
the board waits as well. Its buffers are small, so that a dart thrown after the flood is soon read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from random import Random
from types import TracebackType
from typing import NoReturn, Self

from msgspec.structs import replace

from drivers.address import Scheme
from drivers.backoff import Backoff
from drivers.rate_limit import Rate, RateLimit
from drivers.schemes import SCHEMES, parse
from drivers.transport import LinkError, Lost, Refused, ReplayDone, Transport, Unavailable
from protocol.codebook import Codebook
from protocol.endpoint import Host
from protocol.events import (
    Battery,
    BoardCommand,
    BoardEvent,
    BoardItem,
    Button,
    Garbage,
    Hit,
    LinkDown,
    LinkUp,
    MissSensed,
    Trouble,
    Unanswered,
)
from protocol.sentence import say

_AHEAD = 4096
"""Events read ahead of the consumer."""

_CHARGE_S = 600.0
_SLICE_BYTES = 256
"""Decoded in one turn of the event loop."""

FAIR_SHARE = Rate(burst=4096, per_s=2500)
"""Messages of a board: more than a serial line at 115200 baud carries of darts, and all that waits in one at once."""
_DART = 10
"""A dart, or a button, is worth so many messages that repeat one before or mean nothing: up to 250 a second."""

RECONNECT = Backoff(0.5, 4.0)
"""A cable that is plugged in again is found in less than five seconds."""
REFUSED = Backoff(2.0, 30.0)
"""A human has to act first."""


def now_ns() -> int:
    """The time of the running event loop in nanoseconds. Sessions stamp events with it, and tables wait by it."""
    return round(asyncio.get_running_loop().time() * 1e9)


class Session:
    """The events of one board, in order, across all its connections, each stamped with `table` and a running `seq`.

    Use it as `async with Session(…) as session: async for item in session: …`, with one consumer; leaving the block
    closes the link. With `deliver` nothing is read ahead: it is awaited with each item, up to FAIR_SHARE, and `run` in
    the place of the loop waits for the end. `reconnects` counts connections after the first, `garbage` the Garbage
    seen, `status` is the latest LinkUp or LinkDown (None before the first). Raises AddressError at once for an address
    that cannot work.
    """

    def __init__(
        self,
        table: str,
        address: str,
        codebook: Codebook,
        *,
        schemes: Mapping[str, Scheme] = SCHEMES,
        backoff: Backoff = RECONNECT,
        refused_backoff: Backoff = REFUSED,
        random: Random | None = None,
        clock: Callable[[], int] = now_ns,
        deliver: Callable[[BoardItem], Awaitable[None]] | None = None,
    ) -> None:
        self.table = table
        self.address = parse(address, schemes)
        self.reconnects = 0
        self.garbage = 0
        self.status: LinkUp | LinkDown | None = None
        self._scheme = schemes[self.address.scheme]
        self._codebook = codebook
        self._backoff = backoff
        self._refused_backoff = refused_backoff
        self._random = random or Random()
        self._clock = clock
        self._limit = None if deliver is None else RateLimit(FAIR_SHARE)
        self._deliver = deliver or self._put
        self._heard_ns: dict[str, int] = {}
        """When each contact and button was heard last."""
        self._seq = 0
        self._connections = 0
        self._failures = 0
        self._link: tuple[Transport, Host] | None = None
        self._items: deque[BoardItem] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_up(), name=f"session of {self.table}")
        self._task.add_done_callback(lambda _: self._news.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def run(self) -> None:
        """Delivers until its link is ReplayDone."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> BoardItem:
        """The next event or change of the link; ends when the session was closed, or its link is ReplayDone."""
        while not self._items:
            if self._task is None or self._task.cancelled():
                raise StopAsyncIteration
            if self._task.done():
                self._task.result()
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._items.popleft()

    async def send(self, command: BoardCommand) -> bool:
        """Sends a command to the board. Returns False, and sends nothing, while there is no link."""
        if self._link is None:
            return False
        transport, host = self._link
        host.send(command)
        try:
            await _send_waiting(host, transport)
        except Lost:
            return False  # the reading side learns it too, and says so
        return True

    async def _keep_up(self) -> None:
        while True:
            try:
                async with aclosing(await self._open()) as transport:
                    await self._talk(transport)
            except LinkError as error:
                await self._note_down(error)
                backoff = self._refused_backoff if isinstance(error, Refused) else self._backoff
                if error.retry_s is None:
                    await asyncio.Event().wait()  # until the session ends
                else:
                    await asyncio.sleep(max(error.retry_s, backoff.delay_s(self._failures, self._random)))
            except ReplayDone:
                return

    async def _open(self) -> Transport:
        try:
            return await self._scheme.open(self.address, self._codebook.profile)
        except ImportError as error:
            missing = (error.name or str(error)).partition(".")[0]
            said = say(
                "link.no_module",
                "{given} needs the Python module {name}, which cannot be loaded: install oche again, "
                "with all its dependencies",
                given=self.address.scheme,
                name=missing,
            )
            raise Refused(said) from error

    async def _talk(self, transport: Transport) -> NoReturn:
        """Reads one connection to its end, and puts out its events. Always raises: a LinkError, or ReplayDone."""
        self._connections += 1
        self.reconnects = self._connections - 1
        host = Host(self._codebook)
        self._link = (transport, host)
        since = self._clock()
        self.status = LinkUp(self.table, str(self.address), since, transport.signal_dbm)
        await self._deliver(self.status)
        host.on_open(since)
        charge = asyncio.create_task(self._ask_charge(transport), name=f"charge of {self.table}")
        try:
            await _send_waiting(host, transport)
            while True:
                data = await self._receive(transport, self._deadline(host))
                now = self._clock()
                for piece in self._slice(data):
                    events = host.feed(piece, now) if piece else []
                    due = host.deadline()
                    if due is not None and due <= now:
                        events += host.tick(now)
                    for event in events:
                        if isinstance(event, Unanswered):
                            if self.address.scheme == "replay":
                                continue  # a recording has answers to what was asked then, not to what is asked now
                            raise _make_error(event)
                        await self._tell(event)
                    await _send_waiting(host, transport)
                    await self._give_way(bool(piece) + sum(map(self._weigh, events)))
                if data:
                    self._failures = 0
        finally:
            charge.cancel()
            self._link = None
            if self._clock() - since > self._backoff.most_s * 1e9:
                self._failures = 0  # a silent board is no failure: no dart was thrown

    def _deadline(self, host: Host) -> int | None:
        """When there is something to do if nothing comes before; None: not at any time."""
        if self._limit is None or not (isinstance(self.status, LinkUp) and self.status.is_flooding):
            return host.deadline()
        due, rested = host.deadline(), self._limit.rested_at(self._clock())
        return rested if due is None else min(due, rested)

    def _slice(self, data: bytes) -> list[bytes]:
        """The data in pieces, at least one; a packet stays whole."""
        size = max(1, len(data)) if self._codebook.profile.framing.is_packets else _SLICE_BYTES
        return [data[at : at + size] for at in range(0, max(1, len(data)), size)]

    def _weigh(self, event: BoardEvent) -> int:
        """What an event costs of the share: more when it is not dropped as the repetition of one before."""
        match event:
            case Hit(segment=segment):
                source = segment.id
            case Button(name=name):
                source = f"button {name}"
            case MissSensed():
                source = "miss"
            case _:
                return 1
        before, self._heard_ns[source] = self._heard_ns.get(source), event.time_ns
        repeat_ns = self._codebook.profile.timing.repeat_ms * 1_000_000
        return 1 if before is not None and event.time_ns - before < repeat_ns else _DART

    async def _give_way(self, count: int) -> None:
        """Lets all others have their turn after so much of the share; says when the board floods, and when no more."""
        now, wait_s = self._clock(), 0.0
        if self._limit is not None and isinstance(self.status, LinkUp):
            wait_s = self._limit.count(count, now)
            is_rested = self._limit.rested_at(now) <= now
            if is_rested if self.status.is_flooding else wait_s:
                self.status = replace(self.status, is_flooding=bool(wait_s), time_ns=now)
                await self._deliver(self.status)
        await asyncio.sleep(wait_s)

    async def _tell(self, event: BoardEvent) -> None:
        self._seq += 1
        self.garbage += isinstance(event, Garbage)
        await self._deliver(replace(event, table=self.table, seq=self._seq))

    async def _ask_charge(self, transport: Transport) -> None:
        """Asks for the charge every ten minutes, also after it was not told: that may have been a bad moment."""
        with suppress(LinkError):
            while True:
                percent = await transport.battery()
                if percent is not None:
                    await self._tell(Battery(percent=percent, time_ns=self._clock()))
                await asyncio.sleep(_CHARGE_S)

    async def _receive(self, transport: Transport, deadline: int | None) -> bytes:
        """What has arrived; b"" when the deadline came first."""
        if deadline is None:
            return await transport.receive()
        try:
            async with asyncio.timeout(max(0.0, (deadline - self._clock()) / 1e9)):
                return await transport.receive()
        except TimeoutError:
            return b""

    async def _note_down(self, error: LinkError) -> None:
        kind = _find_kind(error)
        before = self.status if isinstance(self.status, LinkDown) else None
        if kind != "lost" and (before is None or before.kind != kind):
            self._failures = 0  # another kind of trouble is another wait; a link that flaps is the same one
        self._failures += 1
        if before is None or (before.kind, before.reason) != (kind, str(error)):
            self.status = LinkDown(self.table, error.said, kind, self._clock(), round(error.unheard_s * 1e9))
            await self._deliver(self.status)

    async def _put(self, item: BoardItem) -> None:
        while len(self._items) >= _AHEAD:
            self._room.clear()
            await self._room.wait()
        self._items.append(item)
        self._news.set()


async def _send_waiting(host: Host, transport: Transport) -> None:
    """Sends what the host has to say; on some links each packet is a command of its own."""
    for packet in host.packets():
        await transport.send(packet)


def _make_error(event: Unanswered) -> LinkError:
    """Returns why the link ends: a board that wants to be left alone is a matter for a person."""
    if event.retry_s == 0:
        return Unavailable(event.said)
    return Refused(event.said, retry_s=event.retry_s)


def _find_kind(error: LinkError) -> Trouble:
    match error:
        case Unavailable():
            return "unavailable"
        case Refused():
            return "refused"
    return "lost"
