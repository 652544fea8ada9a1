"""The crash machine: plays, kills in the middle of it, looks at what was kept, and plays on from there.

A kill falls a random while after a burst of inputs, or after the birth of the daemon. How long these take is measured
as the lives go by, so that the kills fall where the work is, on every machine.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from click.testing import CliRunner

from daemon.commands.replay import command as replay
from protocol.codebook import shipped
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.crash.ledger import WORST, Entry, Fell, Ledger, Wish, Wishes
from tests.crash.lives import Lives
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure
from tests.faults.evening import JSON, Stored, stored
from tests.faults.witness import Witness

ONLINE = "oche/bridge/oche/state"
HEARD = (
    ONLINE,
    "oche/table/+/state",
    "oche/table/+/board/state",
    "oche/table/+/event",
    "oche/table/+/response/+",
    "crash/fence",
)
_IGNORED_S = 0.3
"""How long a key may remain without effect, which MQTT does not tell."""


class Machine:
    """A daemon with so many tables on a broker. `fell` counts where the kills fell."""

    def __init__(
        self,
        folder: Path,
        broker: Mosquitto,
        lives: Lives,
        witness: Witness,
        boards: Mapping[str, PtyBoard],
        rng: Random,
    ) -> None:
        self.fell: Counter[Fell] = Counter()
        self.broker_deaths = 0
        self.ledgers = {table: Ledger(table) for table in boards}
        self._boards = boards
        self._folder = folder
        self._broker = broker
        self._lives = lives
        self._witness = witness
        self._rng = rng
        self._wishes = Wishes(rng)
        self._heard = 0
        """Of what the witness was told."""
        self._birth_s, self._input_s = 0.3, 0.01
        """How long it takes until all is said, and until an input is answered."""

    async def life(self) -> None:
        """From a birth to a kill, and the verdict."""
        now = asyncio.get_running_loop().time
        began = now()
        await self._lives.begin()
        burst: list[asyncio.Task[None]] = []
        if self._rng.random() < 0.15:
            await asyncio.sleep(self._rng.uniform(0, self._birth_s))
        else:
            await self._until(self._is_there, "it never came up")
            self._birth_s += 0.2 * (now() - began - self._birth_s)
            for _ in range(self._rng.randrange(4)):
                await self._one_input()
            burst = self._burst()
            await asyncio.sleep(self._rng.random() ** 2 * self._input_s * (1 + 0.4 * len(burst)))
        await self._lives.kill()
        if burst:
            await asyncio.wait(burst)
        await self._fence()
        if not self._broker.runs:
            await self._broker.start()
        fell = {ledger.fell(self._judge(ledger)) for ledger in self.ledgers.values()}
        self.fell[next(each for each in WORST if each in fell) if burst else "while it began"] += 1
        for ledger in self.ledgers.values():
            ledger.rest()
        self._witness.said.clear()
        self._heard = 0

    def replay(self) -> int:
        """Every state that was ever shown is what a replay of its match shows at that line; gives their number."""
        states = 0
        for ledger in self.ledgers.values():
            places = set(ledger.states)
            for match in ledger.matches:
                for line, state in enumerate(_replayed(match), 1):
                    shown = ledger.states.get((match.id, line))
                    if shown is not None:
                        assert {**shown, "match": None} == state
                        places.remove((match.id, line))
                        states += 1
            assert not places, f"shown, and in no match: {places}"
        return states

    async def _one_input(self) -> None:
        """One input, and its effect."""
        table = self._rng.choice(list(self.ledgers))
        ledger = self.ledgers[table]
        wish, before, hits = self._wish(table), ledger.shown, ledger.hits
        began = asyncio.get_running_loop().time()
        await self._send(wish)
        if wish.way == "mqtt":
            await self._until(lambda: str(wish.number) in ledger.answers, f"{wish} was never answered")
            self._input_s += 0.2 * (asyncio.get_running_loop().time() - began - self._input_s)
        elif wish.command == "throw":
            await self._until(lambda: ledger.hits > hits, f"{wish} was never seen")
        else:
            await self._until(lambda: ledger.shown != before, patience_s=_IGNORED_S)

    def _burst(self) -> list[asyncio.Task[None]]:
        """A few inputs at once, on their way; seldom the broker dies of it."""
        tables = self._rng.sample(list(self.ledgers), self._rng.randint(1, len(self.ledgers)))
        wishes = [self._wish(table, ahead) for ahead in range(self._rng.randint(1, 5)) for table in tables]
        sending = [self._send(wish) for wish in wishes]
        if self._rng.random() < 0.05:
            sending.append(self._kill_broker())
        return [asyncio.create_task(each) for each in sending]

    async def _kill_broker(self) -> None:
        await asyncio.sleep(self._rng.uniform(0, self._input_s))
        await self._broker.kill()
        self.broker_deaths += 1

    def _wish(self, table: str, ahead: int = 0) -> Wish:
        ledger = self.ledgers[table]
        assert ledger.shown is not None
        wish = self._wishes.next(table, ledger.states[ledger.shown], ahead)
        ledger.sent.append(wish)
        return wish

    async def _send(self, wish: Wish) -> None:
        board = self._boards[wish.table]
        if wish.way == "mqtt":
            topic = f"oche/table/{wish.table}/request/{wish.command}"
            await self._witness.say(topic, msgspec.json.encode(wish.request).decode())
        elif wish.command == "throw":
            assert board.hit(standard()[wish.body["throw"]])
        else:
            assert board.press(wish.command)

    def _is_there(self) -> bool:
        topics = [ONLINE, *(f"oche/table/{table}/board/state" for table in self.ledgers)]
        now = self._witness.now()
        return all(now.get(topic) == "online" for topic in topics) and all(
            ledger.resumed for ledger in self.ledgers.values()
        )

    async def _until(self, is_so: Any, otherwise: str = "", patience_s: float = 40.0) -> None:  # Any: () -> bool
        """Waits for what the witness hears."""

        def heard() -> bool:
            self._hear()
            return bool(is_so())

        assert await self._witness.until(heard, patience_s) or not otherwise, otherwise

    def _hear(self) -> None:
        for said in self._witness.said[self._heard :]:
            if said.topic.startswith("oche/table/"):
                for ledger in self.ledgers.values():
                    ledger.hear(said)
        self._heard = len(self._witness.said)

    async def _fence(self) -> None:
        """Until everything that the dead one said has been heard: the broker speaks its last will after that."""
        if self._broker.runs:
            if self._witness.now().get(ONLINE) == "online":
                await self._until(lambda: self._witness.now().get(ONLINE) == "offline", "no last will")
            text = str(self._rng.random())
            while self._witness.now().get("crash/fence") != text:
                await self._witness.say("crash/fence", text)
                await self._witness.until(lambda: self._witness.now().get("crash/fence") == text, 1)
        self._hear()

    def _judge(self, ledger: Ledger) -> list[Entry]:
        try:
            found = stored(self._folder, ledger.table, max(len(ledger.matches) - 1, 0))
        except sqlite3.OperationalError:
            assert ledger.shown is None and ledger.end is None  # noqa: PT018  it was killed before it had made one
            found = []
        return ledger.judge(found)


@asynccontextmanager
async def assembled(
    folder: Path, broker: Mosquitto, rng: Random, tables: int, *sabotage: str
) -> AsyncIterator[Machine]:
    """A machine with so many tables, in a folder of its own."""
    names = ["main", *(f"table-{number}" for number in range(2, tables + 1))]
    more = "".join(
        f'[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\nprofile = "quick.toml"\n' for name in names[1:]
    )
    board = f"serial:{folder}/main"
    config = configure(folder, broker.port, board=board, more=more, mqtt='discovery = "off"')
    async with AsyncExitStack() as stack:
        boards = {
            name: await stack.enter_async_context(PtyBoard(shipped("opendarts"), folder / name)) for name in names
        }
        lives = await stack.enter_async_context(Lives(config, folder / "lives.log", *sabotage))
        witness = await stack.enter_async_context(Witness(broker.port, *HEARD))
        yield Machine(folder, broker, lives, witness, boards, rng)


def _replayed(match: Stored) -> list[JSON]:
    """The state after every line, by `oche replay`, which takes each of them."""
    record = b"\n".join(msgspec.json.encode(line) for line in (match.header, *match.lines))
    result = CliRunner().invoke(replay, ["-", "--json"], input=record, catch_exceptions=False)
    assert result.exit_code == 0, f"a line was refused: {result.output[-500:]}"
    return [msgspec.json.decode(line)["state"] for line in result.stdout_bytes.splitlines()]
