"""A pub: so many tables in one daemon, real boards, a player throwing at each as fast as good players do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import NamedTuple

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.bench.processes import run_ms
from tests.daemon.process import Process, configure
from tests.faults.evening import OPTIONS, Evening, stored
from tests.faults.witness import Witness

HEARD = ("oche/bridge/+/+", "oche/table/+/state", "oche/table/+/board/state", "oche/table/+/event")
ANSWERS = "oche/table/+/response/+"
DARTS_A_SECOND = 3
"""At a table where good players throw."""
SELDOM = 1 / 3
"""The same at a table where they talk, too."""


class Delays(NamedTuple):
    """From the byte to the state at a display, of so many inputs, in ms."""

    inputs: int
    p50: float
    p99: float


class Pub:
    """The tables by name, and what is known of them."""

    def __init__(
        self, folder: Path, daemon: Process, page: str, witness: Witness, boards: Mapping[str, PtyBoard], rng: Random
    ) -> None:
        self.page = page
        self.folder = folder
        self.witness = witness
        self.boards = boards
        self.evenings = {name: Evening(board, witness, rng, name) for name, board in boards.items()}
        self._daemon = daemon
        self._rng = rng
        self._thrown: dict[tuple[str, int, int], float] = {}
        """When the byte was written that made this line, by table, match (from 0) and line."""

    async def play(self, seconds: float, *tables: str, rate: float = DARTS_A_SECOND) -> None:
        """All of these tables throw so many darts a second for so long."""
        async with asyncio.TaskGroup() as players:
            for table in tables or self.evenings:
                players.create_task(self._throw(table, seconds, rate))

    async def judge(self, *tables: str) -> None:
        """Every dart of these tables is in the journal and was shown, once and in order."""
        for table in tables or self.evenings:
            played = [score.lines for score in self.evenings[table].played]
            is_shown = partial(self._shows, f"oche/table/{table}/state", f'"line":{len(played[-1]) + 1},')
            assert await self.witness.until(is_shown), f"{table} was never shown as it is"
            assert [match.lines for match in stored(self.folder, table)] == played

    def delays(self, *tables: str, since: float = 0.0) -> Delays:
        """Of what was thrown at these tables since then. A state that came stands for all lines before it."""
        matches: dict[str, list[str]] = {}
        shown: dict[tuple[str, int], int] = {}
        found: list[float] = []
        for said in self.witness.said:
            _, _, table, kind, *_ = said.topic.split("/")
            if kind != "state" or not said.topic.startswith("oche/table/"):
                continue
            state = json.loads(said.text)
            known = matches.setdefault(table, [])
            if state["match"] not in known:
                known.append(state["match"])
            number = len(known) - 1
            for line in range(shown.get((table, number), 1) + 1, state["line"] + 1):
                at = self._thrown.get((table, number, line))
                if at is not None and at >= since and table in (tables or self.evenings):
                    found.append((said.at - at) * 1000)
            shown[table, number] = state["line"]
        cuts = quantiles(found, n=100, method="inclusive")
        return Delays(len(found), cuts[49], cuts[98])

    @property
    def darts(self) -> int:
        """How many were thrown that count."""
        return sum("throw" in line for e in self.evenings.values() for score in e.played for line in score.lines)

    @property
    def errors(self) -> str:
        """What the daemon has complained of."""
        return self._daemon.errors

    @property
    def memory_mb(self) -> float:
        """What the daemon has of the machine."""
        words = Path(f"/proc/{self._daemon.process.pid}/status").read_text(encoding="ascii").split()
        return int(words[words.index("VmRSS:") + 1]) / 1024

    @property
    def processor_s(self) -> float:
        """The time of a processor that the daemon has had."""
        return run_ms(self._daemon.process.pid) / 1000

    def _shows(self, topic: str, text: str) -> bool:
        return text in self.witness.now().get(topic, "")

    async def _throw(self, table: str, seconds: float, rate: float) -> None:
        evening, now = self.evenings[table], asyncio.get_running_loop().time
        end = now() + seconds
        due = now() + self._rng.uniform(0, 1 / rate)
        while due < end:
            await asyncio.sleep(due - now())
            darts = evening.darts
            while evening.darts == darts and now() < end:  # the darts are pulled, and the next one flies
                before, at = len(evening.played[-1].lines), now()
                await evening.go_on()
                match = len(evening.played) - 1
                for line in range(before + 2, len(evening.played[-1].lines) + 2):
                    self._thrown[table, match, line] = at
            due += 1 / rate


@asynccontextmanager
async def opened(
    folder: Path, port: int, tables: int, rng: Random, more: str = "", web: str = ""
) -> AsyncIterator[Pub]:
    """A pub with so many tables, in this folder; `more` is added to its configuration, and `web` to its [web]."""
    names = ["main", *(f"table-{number}" for number in range(2, tables + 1))]
    sections = [
        f'[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\nprofile = "quick.toml"\n'
        f'players = ["Ann", "Bo"]\n{OPTIONS}\n'
        for name in names[1:]
    ]
    config = configure(folder, port, OPTIONS, board=f"serial:{folder}/main", more="\n".join([*sections, more]), web=web)
    async with AsyncExitStack() as stack:
        boards = {
            name: await stack.enter_async_context(PtyBoard(shipped("opendarts"), folder / name)) for name in names
        }
        witness = await stack.enter_async_context(Witness(port, *HEARD, ANSWERS))
        daemon = await stack.enter_async_context(Process("run", "--config", config))
        page = await daemon.runs()
        topics = ["oche/bridge/oche/state", *(f"oche/table/{name}/board/state" for name in names)]
        assert await witness.until(lambda: all(witness.now().get(topic) == "online" for topic in topics))
        yield Pub(folder, daemon, page, witness, boards, rng)
        assert await daemon.stop() == 0, daemon.errors
