"""A daemon with its tables and their boards, that is killed and started again; and the people who throw there.

They do as people do: they throw the dart that comes next by what the screen shows, and wait until it is shown. While
the daemon is away nobody throws; what a board said and nobody read is gone, as on a wire.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import aiohttp

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, Process, configure, ended, segment
from tests.faults.tournament.script import WRONG, choose_winner, list_darts

JSON = dict[str, Any]  # Any: JSON
_WRONG = 0.03
"""This part of the darts is entered wrong at first."""
_TABLE = '[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\nprofile = "quick.toml"'


class Gone(Exception):
    """The daemon was killed before it answered: what was asked may be done or not."""


class Screen:
    """What the page shows of one table. `now` has the latest of each kind; it is empty while the daemon is away."""

    def __init__(self, hall: Hall, table: str, board: PtyBoard, rng: Random) -> None:
        self.table = table
        self.board = board
        self.now: dict[str, JSON] = {}
        self._hall = hall
        self._rng = rng
        self._count = 0
        """How much was shown."""
        self._news = asyncio.Event()

    async def follow(self) -> None:
        """Reads the stream of the page until it ends."""
        with suppress(aiohttp.ClientError):
            async with self._hall.open_page() as page, page.get(f"/api/table/{self.table}/events") as stream:
                kind = ""
                async for line in stream.content:
                    word, _, value = line.decode().rstrip("\n").partition(": ")
                    if word == "event":
                        kind = value
                    elif word == "data":
                        self.now[kind] = json.loads(value)
                        self._note()

    def clear(self) -> None:
        """The daemon is gone."""
        self.now.clear()
        self._note()

    async def play(self) -> None:
        """Begins the matches of tournaments that are planned here, and throws them, until cancelled."""
        while True:
            await self._hall.is_up.wait()
            shown, seen, plan = self.now.get("state"), self._count, self.now.get("plan", {})
            is_played = shown is not None and "ref" in shown and shown["phase"] != "over"
            if shown is not None and is_played and self.now.get("board", {}).get("state") == "online":
                self._throw(shown)
                async with asyncio.timeout(PATIENCE_S):
                    await self._until(lambda: self._at != (shown["match"], shown["line"]))  # noqa: B023
            elif shown is not None and not is_played and plan.get("ref"):
                with suppress(Gone):
                    await self._hall.ask("POST", f"/api/table/{self.table}/start", {"at": shown["line"]})
                await self._until(lambda: self._count != seen)  # noqa: B023
            else:
                await self._until(lambda: self._count != seen)  # noqa: B023

    def _throw(self, state: JSON) -> None:
        """The next dart, seldom another one, which is then taken back; or the darts are pulled."""
        turn, match = state["turn"], state["ref"].split("/")[1]
        winner = choose_winner(match, [side["name"] for side in state["sides"]])
        darts = list_darts(match, turn["player"], winner, state["round"])
        thrown = tuple(dart["segment"] for dart in turn["darts"])
        if thrown != darts[: len(thrown)]:
            assert self.board.press("undo")
        elif state["phase"] == "takeout":
            assert self.board.press("next")
        else:
            assert self.board.hit(segment(WRONG if self._rng.random() < _WRONG else darts[len(thrown)]))
            self._hall.darts += 1

    @property
    def _at(self) -> tuple[object, object]:
        state = self.now.get("state", {})
        return state.get("match"), state.get("line")

    def _note(self) -> None:
        self._count += 1
        self._news.set()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what is shown makes this true, or the daemon is killed."""
        life = self._hall.kills
        while self._hall.kills == life and not is_so():
            self._news.clear()
            await self._news.wait()


class Hall:
    """A daemon and its tables, which nobody has stopped. `darts` counts those that were thrown."""

    def __init__(
        self,
        file: Path,
        boards: dict[str, PtyBoard],
        rng: Random,
        screen: type[Screen] = Screen,
        env: dict[str, str] | None = None,
    ) -> None:
        """`screen` is what plays; `env` is the environment of the daemon, None: that of the test."""
        self.screens = {name: screen(self, name, board, rng) for name, board in boards.items()}
        self.is_up = asyncio.Event()
        self.kills = 0
        self.darts = 0
        self._file = file
        self._env = env
        self._process: Process | None = None
        self._url = ""
        self._following: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Returns when the daemon runs and has all of its boards."""
        self._process = await Process("run", "--config", self._file, env=self._env).__aenter__()
        self._url = await self._process.runs()
        for screen in self.screens.values():
            screen.board.plug()
            await screen.board.wait_until_open()
        self._following = [asyncio.create_task(screen.follow()) for screen in self.screens.values()]
        self.is_up.set()

    async def kill(self) -> None:
        """Ends the daemon without a farewell."""
        assert self._process is not None
        self.is_up.clear()
        self.kills += 1
        await self._process.kill()
        for task in self._following:
            await ended(task)
        for screen in self.screens.values():
            await screen.board.unplug(0)
            screen.clear()

    async def close(self) -> None:
        """Ends everything."""
        if self._process is not None:
            for task in self._following:
                await ended(task)
            await self._process.__aexit__()

    @asynccontextmanager
    async def open_page(self) -> AsyncIterator[aiohttp.ClientSession]:
        """Someone looks at the page."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5)
        async with aiohttp.ClientSession(self._url.rstrip("/"), timeout=timeout) as page:
            yield page

    async def ask(self, method: str, path: str, body: JSON | None = None) -> tuple[int, bytes]:
        """Asks the daemon once it runs; the status of its answer, and what it says. Raises Gone."""
        await self.is_up.wait()
        try:
            async with self.open_page() as page, page.request(method, path, json=body) as answer:
                return answer.status, await answer.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Gone from error


@asynccontextmanager
async def open_hall(folder: Path, tables: Sequence[str], rng: Random, broker_port: int = 0) -> AsyncIterator[Hall]:
    """A hall with these tables, and people who throw there. Its bridge has the name of the folder."""
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240  no other task waits
    async with AsyncExitStack() as stack:
        boards = {name: PtyBoard(shipped("opendarts"), folder / name) for name in tables}
        for board in boards.values():
            await stack.enter_async_context(board)
        first, *others = tables
        more = "\n".join(_TABLE.format(name=name, folder=folder) for name in others)
        about = {"table": f'name = "{first}"', "board": f"serial:{folder}/{first}", "bridge": f'name = "{folder.name}"'}
        file = configure(folder, broker_port, more=more, **about)
        hall = Hall(file, boards, rng)
        stack.push_async_callback(hall.close)
        await hall.start()
        async with asyncio.TaskGroup() as people:
            tasks = [people.create_task(screen.play()) for screen in hall.screens.values()]
            yield hall
            for task in tasks:
                task.cancel()
