"""An evening at one table: `oche run` as a process, a board that was plugged in, and a leg of 501 thrown at it.

No step waits a fixed time: a dart is thrown when the page shows the one before. No segment comes twice, so that a
debounce as shipped may do its work.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

from protocol.standard import standard
from simulator.board import SimulatedBoard
from tests.daemon.process import PATIENCE_S, Process, eventually, journal

LEG = (
    "T20 T19 T18 next O3 O9 O2 next T17 T16 T15 next O4 O6 O7 next "
    "T14 T13 T12 next I3 I9 I2 next T11 D18"
).split()  # fmt: skip
"""501 in eleven darts, and a player who loses."""

_WALK_S = 1.2
"""Pulling darts out takes a while; a button pressed again sooner is taken for one that bounces."""


class Evening:
    """`async with Evening(folder, 'board = "serial:/dev/ttyUSB0"') as evening` starts the daemon with that table."""

    def __init__(self, folder: Path, table: str) -> None:
        self.folder = folder
        self.thrown: list[dict[str, object]] = []
        """What the journal has to hold."""
        config = folder / "oche.toml"
        config.write_text(
            f'[bridge]\nstate_dir = "{folder}/state"\n[web]\nport = 0\n[[table]]\nplayers = ["Ann", "Bo"]\n{table}\n'
        )
        self.process = Process("run", "--config", config)
        self._stack = AsyncExitStack()
        self._page = ""

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.process)
        self._page = await self.process.runs()
        self._web = await self._stack.enter_async_context(aiohttp.ClientSession(self._page))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            print(f"thrown: {self.thrown}\nthe page: {await self.state()}")  # noqa: T201  pytest shows it
            print(f"the daemon had said:\n{self.process.errors}")  # noqa: T201
        await self._stack.aclose()

    async def hears(self, board: SimulatedBoard) -> None:
        """Waits until the board can be heard, as both ends see it."""
        async with asyncio.timeout(PATIENCE_S):
            await board.wait_until_open()
        await self.until_board(is_online=True)

    async def throw(self, board: SimulatedBoard, action: str) -> None:
        """One dart, or `next` on the board or else on the page; waits until the page shows it."""
        line = await self.line()
        if action == "next":
            await asyncio.sleep(_WALK_S)
            if not board.press("next"):
                async with self._web.post("/api/table/main/next", data=b"{}") as answer:
                    assert answer.ok, await answer.text()
            self.thrown.append({"next": True})
        else:
            seen = board.codebook.reported(standard()[action])
            assert seen is not None
            assert board.hit(standard()[action]), f"the board did not notice {action}"
            self.thrown.append({"throw": seen.id})
        await self.until_line(line + 1)

    async def play(self, board: SimulatedBoard, actions: list[str]) -> None:
        """All of these."""
        for action in actions:
            await self.throw(board, action)

    async def state(self) -> dict[str, Any]:  # Any: JSON
        """What the page shows."""
        async with self._web.get("/api/table/main/state") as answer:
            found: dict[str, Any] = await answer.json()
            return found

    async def line(self) -> int:
        """The latest line of the match."""
        return int((await self.state())["line"])

    async def until_line(self, line: int) -> None:
        """Waits until the match has come so far."""

        async def has_come() -> bool:
            return await self.line() >= line

        await eventually(has_come)

    async def until_board(self, *, is_online: bool) -> str:
        """Waits until the daemon says so of the board; the sentence it says."""
        head = "INFO" if is_online else "WARNING"
        await self.process.until(lambda: self._said().startswith(head))
        return self._said()

    async def until_said(self, word: str) -> None:
        """Waits until the latest it says about the board has this in it."""
        await self.process.until(lambda: word in self._said())

    def _said(self) -> str:
        """The latest of its words about the board."""
        return next((said for said in reversed(self.process.errors.splitlines()) if "main: board: " in said), "")

    def assert_kept(self) -> None:
        """The journal on the disk holds exactly what was thrown."""
        assert journal(self.folder) == self.thrown
