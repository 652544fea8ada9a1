"""The daemon is stopped at any moment under traffic, and no display is left with an `online` that is not true."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import aiomqtt
import pytest

from daemon.admin.players.doubles import FavouriteDoubles
from daemon.assemble import open_tables
from daemon.config.reader import read_config
from daemon.config.sections import Mqtt
from daemon.mqtt.link import MqttLink
from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import PublishedFile
from daemon.part import BrokerTrouble
from daemon.service.supervisor import keep_running
from daemon.table.table import Table
from protocol.codebook import shipped
from protocol.commands import CommandError, Next, Start, Throw, Undo
from simulator.pty_board import PtyBoard
from tests.daemon.display import AT_ONCE
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure, ended, eventually
from tests.faults.witness import Witness

_BIRTH_S = 0.1
"""About how long a link takes until it has said all."""

_EARLY = "before it was online"


async def stop_often(folder: Path, port: int, rng: Random, stops: int) -> Counter[str]:
    """How often each kind of moment was met; raises AssertionError where the broker retains an `online`."""
    async with _table(folder) as table, Witness(port, "oche/bridge/+/state") as witness, _traffic(table, port) as flows:
        await witness.until(lambda: witness.connections > 0)
        met = [await _one_stop(folder, port, rng, number, table, witness, flows) for number in range(stops)]
    topics = {f"oche/bridge/b{number}/state": moment for number, moment in enumerate(met) if moment != _EARLY}
    async with Witness(port, "oche/bridge/+/state") as late:
        assert await late.until(lambda: topics.keys() <= late.now().keys()), topics.keys() - late.now().keys()
        await late.until(lambda: "online" not in late.now().values(), 20)
        wrong = [topics.get(topic, _EARLY) for topic, text in late.now().items() if text == "online"]
        assert not wrong, f"the broker still says online after {len(wrong)} of {stops}, stopped: {wrong}"
    return Counter(met)


async def _one_stop(
    folder: Path, port: int, rng: Random, number: int, table: Table, witness: Witness, flows: asyncio.Event
) -> str:
    bridge = f"b{number}"
    state = f"oche/bridge/{bridge}/state"
    config, home = Mqtt("127.0.0.1", port), folder / bridge
    home.mkdir()
    published, outbox = PublishedFile(home, ["127.0.0.1"]), Outbox(config.base)
    link = MqttLink(config, bridge, {table.name: table}, lambda: None, published, outbox, BrokerTrouble())
    link.publish(table.everything)
    table.subscribe(link)
    kept = asyncio.create_task(keep_running("the link to the broker", link.run))
    all_of_it = _descendants(kept)
    moment = rng.choices(("while it connects", "in service", "while it reconnects"), (2, 6, 2))[0]
    flows.set()
    if moment == "while it connects":
        await asyncio.sleep(rng.uniform(0, _BIRTH_S))
    else:
        flows.clear()  # on a busy machine it might never get to the end of what is new
        assert await witness.until(lambda: witness.now().get(state) == "online"), link.status
        flows.set()
    if moment == "while it reconnects":  # another client takes its name
        async with aiomqtt.Client("127.0.0.1", port, identifier=f"oche-{bridge}"):
            await asyncio.sleep(rng.choice((0, rng.uniform(0, 2 * _BIRTH_S))))
    if rng.random() < 0.5:
        for _ in range(rng.randrange(40)):
            await asyncio.sleep(0)
    else:
        await asyncio.sleep(rng.uniform(0, _BIRTH_S / 4))
    kept.cancel()
    if rng.random() < 0.3:  # as asyncio.run does with what is left: all that there is, and nothing is asked
        for _ in range(rng.randint(1, 4)):
            for _ in range(rng.randrange(10)):
                await asyncio.sleep(0)
            for task in list(all_of_it):
                task.cancel()
        moment += ", again and again"
    async with asyncio.timeout(PATIENCE_S):
        while all_of_it:
            await asyncio.wait(list(all_of_it))
    table.outlets.remove(link)
    shutil.rmtree(home)
    return moment if state in witness.now() else _EARLY


def _descendants(first: asyncio.Task[None]) -> set[asyncio.Task[Any]]:  # Any: whatever they return
    """This task, and those that it and its descendants begin from now on; without those that have ended."""
    found: set[asyncio.Task[Any]] = set()

    def add(task: asyncio.Task[Any]) -> asyncio.Task[Any]:
        found.add(task)
        task.add_done_callback(found.discard)
        return task

    def begin(loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> asyncio.Task[Any]:
        is_ours = asyncio.current_task(loop) in found
        task = asyncio.Task(coro, loop=loop, **more)
        return add(task) if is_ours else task

    asyncio.get_running_loop().set_task_factory(begin)
    add(first)
    return found


@asynccontextmanager
async def _table(folder: Path) -> AsyncIterator[Table]:
    setup = read_config(configure(folder, 1))
    (folder / "state").mkdir(exist_ok=True)
    async with AsyncExitStack() as stack:
        tables, _ = await open_tables(setup, stack, FavouriteDoubles(folder / "state"))
        running = asyncio.create_task(tables["main"].run())
        try:
            yield tables["main"]
        finally:
            await ended(running)


@asynccontextmanager
async def _traffic(table: Table, port: int) -> AsyncIterator[asyncio.Event]:
    """Darts as fast as the disk takes them, and commands over MQTT, while the event is set."""
    flows = asyncio.Event()
    flows.set()

    async def throw() -> None:
        darts = (Throw("S1"), Throw("S2"), Next(), Undo(), Undo())
        while True:
            for command in (Start(), *darts * 50):  # another match now and then: an undo costs more in a long one
                with suppress(CommandError):
                    await table.command(command, "page")
                await asyncio.sleep(0.002)
                await flows.wait()

    async def ask() -> None:
        async with aiomqtt.Client("127.0.0.1", port, socket_options=[AT_ONCE]) as client:
            while True:
                for command, body in (("throw", "S3"), ("undo", ""), ("next", "")):
                    await client.publish(f"oche/table/main/cmd/{command}", body, qos=1)
                    await asyncio.sleep(0.005)
                    await flows.wait()

    tasks = [asyncio.create_task(throw()), asyncio.create_task(ask())]
    try:
        await eventually(lambda: table.state().line > 1)
        yield flows
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            await ended(task)


async def stop_daemons(folder: Path, port: int, rng: Random, stops: int) -> None:
    """The same with whole daemons, one after the other, each with a match of its own. Raises AssertionError."""
    state = "oche/bridge/oche/state"
    async with PtyBoard(shipped("opendarts"), folder / "board") as board, Witness(port, state) as witness:
        for number in range(stops):
            home = folder / f"daemon-{number}"
            home.mkdir()
            file = configure(home, port, board=f"serial:{folder}/board")
            async with Process("run", "--config", file) as daemon:
                if rng.random() < 0.2:
                    await daemon.said("running; tables")
                else:
                    assert await witness.until(lambda: witness.now().get(state) == "online"), daemon.errors
                    board.write_raw(b"miss\r\nmiss\r\nmiss\r\nnext\r\n" * rng.randrange(30))
                    for command in ("throw", "undo", "next") * rng.randrange(10):
                        await witness.say(f"oche/table/main/cmd/{command}", "S20" if command == "throw" else "")
                await asyncio.sleep(rng.uniform(0, _BIRTH_S))
                signals = rng.choice((1, 1, 2, 4))
                for _ in range(signals):
                    with suppress(ProcessLookupError):
                        daemon.process.send_signal(signal.SIGTERM)
                    await asyncio.sleep(rng.uniform(0, _BIRTH_S / 10))
                # One that comes when all is said, and Python is about to end, just ends it.
                assert await daemon.ended() in ((0,) if signals == 1 else (0, -signal.SIGTERM)), daemon.errors
            is_over = await witness.until(lambda: witness.now().get(state) != "online", 20)
            assert is_over, f"the broker still says online after stop {number + 1}: {daemon.errors}"
            shutil.rmtree(home)


@pytest.fixture
async def broker(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Mosquitto]:
    """One that tells who asks last of every stop; mosquitto would keep a thousand messages and drop the rest."""
    more = ["max_queued_messages 0"]
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, more=more) as broker:
        yield broker


@pytest.mark.slow
async def test_fifty_stops(tmp_path: Path, broker: Mosquitto, seed: int) -> None:
    await stop_many(tmp_path, broker, seed, 50)


@pytest.mark.long
async def test_many_stops(tmp_path: Path, broker: Mosquitto, seed: int, request: pytest.FixtureRequest) -> None:
    await stop_many(tmp_path, broker, seed, request.config.getoption("--stops"))


@pytest.mark.long
async def test_stops_of_whole_daemons(
    tmp_path: Path, broker: Mosquitto, seed: int, request: pytest.FixtureRequest
) -> None:
    await stop_daemons(tmp_path, broker.port, Random(seed), request.config.getoption("--stops") // 10)


async def stop_many(folder: Path, broker: Mosquitto, seed: int, stops: int) -> None:
    """So many stops, and where they fell."""
    met = await stop_often(folder, broker.port, Random(seed), stops)
    sys.stdout.write(f"{stops} stops:\n" + "".join(f"  {count:5} {where}\n" for where, count in met.most_common()))
    assert met["before it was online"] < stops / 2
