"""The lamps of a board: lit by what is to be hit, shown again after a reconnect, and never in the way of a dart.

The wire ends in a port of our own, whose bytes are compared with what is known of the real board.
"""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex

import pytest
from msgspec.structs import replace

from daemon.assemble import RunningDaemon, run_daemon
from daemon.board.lamps import Lamps
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.snapshot import take_snapshot
from daemon.table.effects import BoardNews, Update
from daemon.table.matches import begin_first
from drivers.address import Address, Scheme
from drivers.schemes import SCHEMES
from drivers.session import Session
from drivers.transport import Transport
from protocol.codebook import shipped
from protocol.events import BoardCommand, Flash, Light, LinkUp
from protocol.facts import BoardOffline, BoardOnline, Dart, make_event
from protocol.layouts import find_layout
from protocol.messages import BoardInfo, State
from protocol.profile import Profile
from tests.commanding import give
from tests.daemon.process import configure, eventually
from tests.plain_guard import PlainGuard

OUT = bytes(20)
TWENTY = bytes(19) + b"\x07"
"""All beds of one number: white."""
ONE, TWO = b"\x07" + bytes(19), b"\0\x07" + bytes(18)
FLASH_T20 = bytes.fromhex("03ff0000ff9500000000190014000001")
FLASH_S1 = bytes.fromhex("01ff0000ff95000000001c0014000001")
T20, D3, NEXT = b"3.4@", b"8.4@", b"BTN@"


class Port:
    """A board that is a port and nothing else: what the host wrote, cut into the two frames there are."""

    def __init__(self, link: Path) -> None:
        self._link = link
        self._master = self._slave = -1
        self.seen = b""

    def plug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.seen = b""
        fresh = self._link.with_name("fresh")
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self._link)
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def pull(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._slave)
        os.close(self._master)

    def say(self, *frames: bytes) -> None:
        os.write(self._master, b"".join(frames))

    @property
    def frames(self) -> list[bytes]:
        frames, rest = [], self.seen
        while rest:
            size = 16 if rest[1:2] == b"\xff" else 20
            frames.append(rest[:size])
            rest = rest[size:]
        return frames

    def _read(self) -> None:
        with suppress(OSError):
            self.seen += os.read(self._master, 4096)


@asynccontextmanager
async def playing(folder: Path, table: str = "", more: str = "") -> AsyncIterator[tuple[RunningDaemon, Port]]:
    """Burma Road, which begins at 20, on a GRANBOARD. `more` is further configuration."""
    port = Port(folder / "board")
    port.plug()
    game = "game = 'burma_road'\ntiming = { repeat_ms = 0, contact_ms = 0 }\n"
    config = configure(folder, table=game + table, profile="granboard", more=more)
    try:
        async with run_daemon(read_config(config)) as running:
            await eventually(lambda: running.tables["main"].board.online)
            yield running, port
    finally:
        port.pull()


async def test_the_target_is_lit_until_the_visit_is_thrown_and_hits_flash(tmp_path: Path) -> None:
    async with playing(tmp_path) as (_, port):
        await eventually(lambda: port.frames == [TWENTY])
        port.say(T20)
        await eventually(lambda: port.frames == [TWENTY, FLASH_T20])
        port.say(T20)
        await eventually(lambda: port.frames == [TWENTY, FLASH_T20, FLASH_T20])
        port.say(T20)
        await eventually(lambda: port.frames[3:] == [FLASH_T20, OUT])
        port.say(D3)  # a ghost: darts are pulled
        port.say(NEXT)
        await eventually(lambda: port.frames[5:] == [TWENTY])


async def test_they_are_lit_again_after_a_reconnect(tmp_path: Path) -> None:
    async with playing(tmp_path) as (running, port):
        await eventually(lambda: port.frames == [TWENTY])
        port.pull()
        await eventually(lambda: not running.tables["main"].board.online)
        port.plug()
        await eventually(lambda: port.frames == [TWENTY])


async def test_they_are_left_alone_where_the_table_says_so(tmp_path: Path) -> None:
    async with playing(tmp_path, "lamps = false") as (running, port):
        port.say(T20, T20, T20, NEXT)
        await eventually(lambda: running.tables["main"].state().turn.visit == 2)
        assert port.seen == b""


async def test_at_a_lent_table_they_follow_the_match_that_it_plays_along_in(tmp_path: Path) -> None:
    more = '[league]\nlend_to = ["far"]\n[[table]]\nname = "far"\nboard = "none"\n'
    match = {"game": "round_the_clock", "players": ["Ann", "Bo"], "places": ["far", "main"]}
    async with playing(tmp_path, more=more) as (running, port):
        await eventually(lambda: port.frames == [TWENTY])
        far, main = running.tables["far"], running.tables["main"]
        await give(far, {"start": match}, "page")
        await eventually(lambda: port.frames == [TWENTY, ONE])
        await give(far, {"throw": "S1"}, "page")
        await eventually(lambda: len(port.frames) == 4)
        assert port.frames[2:] == [FLASH_S1, TWO], "also where the other side hits"
        await give(main, {"lend": None}, "page")
        await eventually(lambda: port.frames[4:] == [TWENTY])


class Stalled(Transport):
    """A board that hears only when it is told to."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.hears = asyncio.Event()

    async def receive(self) -> bytes:
        await asyncio.Event().wait()
        return b""

    async def send(self, data: bytes) -> None:
        await self.hears.wait()
        self.sent.append(data)

    async def aclose(self) -> None:
        pass


def _told(table_state: State, targets: tuple[str, ...], *darts: str) -> Update:
    return Update(
        "main",
        replace(table_state, targets=targets),
        tuple(make_event(Dart(segment=dart, points=0, score=0)) for dart in darts),
    )


@pytest.fixture
def state() -> State:
    config, layout = TableConfig(board="serial:x"), find_layout("standard")
    return take_snapshot(begin_first(config, layout, token_hex, PlainGuard()).match)


ONLINE = Update("main", board=BoardNews(True, BoardInfo("granboard", "x", "x")))


async def test_a_stalled_board_holds_up_nothing_and_gets_the_newest_later(state: State) -> None:
    wire = Stalled()

    async def opened(address: Address, profile: Profile) -> Transport:
        return wire

    schemes = {**SCHEMES, "stalled": Scheme(opened, (), "stalled:x")}
    async with Session("main", "stalled:x", shipped("granboard"), schemes=schemes) as session:
        assert isinstance(await anext(session), LinkUp)
        lamps = Lamps(find_layout("standard"), session.send)
        task = asyncio.create_task(lamps.run())
        lamps.publish(ONLINE)
        for number in (*range(1, 20), 20):
            lamps.publish(_told(state, (str(number),), "T20"))  # returns at once, whatever the board does
            await asyncio.sleep(0)
        wire.hears.set()
        await eventually(lambda: TWENTY in wire.sent)
        assert len(wire.sent) <= 4, "what was out of date is never sent"
        assert FLASH_T20 in wire.sent
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def lit(state: State) -> AsyncIterator[tuple[Callable[[Update], None], list[BoardCommand]]]:
    """Lamps and what they said, with a link that is there."""
    said: list[BoardCommand] = []

    async def send(command: BoardCommand) -> bool:
        said.append(command)
        return True

    lamps = Lamps(find_layout("standard"), send)
    task = asyncio.create_task(lamps.run())
    lamps.publish(ONLINE)
    yield lamps.publish, said
    task.cancel()
    await asyncio.wait([task])


async def test_a_board_that_was_away_between_two_updates_is_told_again(state: State) -> None:
    layout = find_layout("standard")
    async with lit(state) as (publish, said):
        publish(_told(state, ("T7",)))
        await eventually(lambda: said == [Light((layout["T7"],))])
        publish(ONLINE._replace(events=(make_event(BoardOffline()), make_event(BoardOnline()))))
        await eventually(lambda: said == [Light((layout["T7"],))] * 2)


async def test_targets_are_segments_or_whole_groups(state: State) -> None:
    layout = find_layout("standard")
    async with lit(state) as (publish, said):
        publish(_told(state, ("T7", "bull")))
        await eventually(lambda: said[-1:] == [Light((layout["T7"], layout["SB"], layout["DB"]))])
        publish(_told(state, ("double",)))
        await eventually(lambda: said[-1:] == [Light(layout.group("double"))])
        publish(_told(state, ("double",), "MISS", "nowhere"))
        publish(_told(state, ("double",), "D20"))
        await eventually(lambda: said[-1:] == [Flash(layout["D20"])])
        assert len([command for command in said if isinstance(command, Light)]) == 2, "said only when it changes"
