"""A board that floods waits, and nothing else does: counted in turns of the event loop and in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from drivers.address import Address, Scheme
from drivers.session import FAIR_SHARE, Session
from drivers.transport import ReplayDone, Transport
from protocol.codebook import shipped
from protocol.events import BoardItem, Hit, LinkUp
from protocol.profile import Profile
from tests.simulator.hurry import in_no_time

BOOK = shipped("plain-standard")
MOST_A_TURN = 64
AT_ONCE = 4096


class Talker(Transport):
    """A board that says these numbers of darts, each number at once; then it is silent for an hour, and done."""

    def __init__(self, *numbers: int, dart: bytes = b"T20\n", pause_s: float = 0.0) -> None:
        self._numbers = list(numbers)
        self._dart = dart
        self._pause_s = pause_s

    async def receive(self) -> bytes:
        if not self._numbers:
            await asyncio.sleep(3600)
            raise ReplayDone
        await asyncio.sleep(self._pause_s)
        return self._dart * self._numbers.pop(0)

    async def send(self, data: bytes) -> None:
        """Does not listen."""

    async def aclose(self) -> None:
        """Holds nothing."""


class Heard:
    """What a session makes of a board, when its latest message came, and the most messages in a turn of the loop."""

    def __init__(self) -> None:
        self.links: list[LinkUp] = []
        self.hits = 0
        self.last_s = 0.0
        self.most_in_turn = 0
        self._in_turn = 0

    async def listen(self, board: Talker) -> None:
        """Listens to the end of the board."""

        async def opened(_: Address, __: Profile) -> Transport:
            return board

        begun_s = asyncio.get_running_loop().time()
        schemes = {"tcp": Scheme(opened, (), "tcp:x")}
        async with Session("bar", "tcp:x", BOOK, schemes=schemes, deliver=self._deliver) as session:
            await session.run()
        self.last_s -= begun_s

    async def _deliver(self, item: BoardItem) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(item, LinkUp):
            self.links.append(item)
        if isinstance(item, Hit):
            if not self._in_turn:
                loop.call_soon(self._end_turn)
            self._in_turn += 1
            self.most_in_turn = max(self.most_in_turn, self._in_turn)
            self.hits += 1
            self.last_s = loop.time()

    def _end_turn(self) -> None:
        self._in_turn = 0


@in_no_time
async def test_a_flood_loses_nothing_and_gives_way_in_each_turn() -> None:
    heard = Heard()
    await heard.listen(Talker(*[AT_ONCE] * 10))
    assert heard.hits == 10 * AT_ONCE
    assert heard.most_in_turn <= MOST_A_TURN


@in_no_time
async def test_a_flood_is_slowed_to_its_share_told_once_and_over_when_it_ends() -> None:
    heard = Heard()
    await heard.listen(Talker(*[AT_ONCE] * 10))
    assert heard.last_s >= (heard.hits - FAIR_SHARE.burst - MOST_A_TURN) / FAIR_SHARE.per_s
    assert [link.is_flooding for link in heard.links] == [False, True, False]
    assert "baud rate" in heard.links[1].text
    assert heard.links[2].time_ns < (heard.last_s + 1000 + 2) * 1e9, "it is over soon after, though nothing is heard"


@in_no_time
async def test_what_waited_during_a_stall_is_read_without_delay() -> None:
    heard = Heard()
    await heard.listen(Talker(100, 3000))
    assert (heard.hits, heard.last_s, len(heard.links)) == (3100, 0.0, 1)


@in_no_time
async def test_darts_that_all_count_have_a_smaller_share() -> None:
    heard, segments = Heard(), [segment.id for segment in BOOK.segments]
    darts = "".join(f"{segment}\n" for segment in segments).encode()
    await heard.listen(Talker(*[1] * 600, dart=darts, pause_s=0.1))
    assert heard.hits == 600 * len(segments)
    assert heard.last_s > heard.hits / 300


@pytest.mark.slow
@in_no_time
async def test_a_board_that_bounces_without_end_is_no_flood() -> None:
    heard = Heard()
    await heard.listen(Talker(*[23] * 6000, pause_s=0.01))  # what 115200 baud carry, for a minute
    assert (heard.hits, round(heard.last_s), len(heard.links)) == (138_000, 60, 1)


@in_no_time
async def test_bytes_that_never_end_a_message_are_a_flood_too() -> None:
    heard = Heard()
    await heard.listen(Talker(*[AT_ONCE] * 1000, dart=b"?"))
    assert [link.is_flooding for link in heard.links] == [False, True, False]
