"""A real daemon in this process with a table for one game, and people there who aim and miss as people do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from playwright.async_api import Locator, Page, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig
from daemon.config.sections import Bridge, Config, Mqtt, TableConfig, Web
from daemon.plugins.rule_guard import RuleGuard
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.table import Table
from engine.games import ROUTINES, game
from engine.levels import sigma_mm
from engine.skill import Skill
from protocol.codebook import shipped
from protocol.commands import Throw
from protocol.naming import name_bed
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from simulator.thrower import Thrower
from tests.commanding import give
from tests.daemon.process import Process, eventually, journal

JSON = dict[str, Any]  # Any: JSON
PATIENCE_MS = 60_000
"""How long a test waits for what the page has to show, or to take."""
_MOST_STEPS = 120
_IS_SEEN = """element => element.matches(":focus-visible") && getComputedStyle(element).outlineStyle !== "none"
  && element.getBoundingClientRect().top >= 0 && element.getBoundingClientRect().bottom <= innerHeight"""
_LEVEL = 60
"""How well they throw (see engine.levels)."""
_LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
_BOARDS = {"standard": "opendarts", "yatzy": "plain-yatzy", "ground_round": "plain-ground-round"}


def setup(
    folder: Path, broker_port: int, port: int = 0, host: str = "127.0.0.1", **table: Any
) -> CheckedConfig:  # Any: as TableConfig has it
    """A daemon where Ann and Bo play 301 on a board that is not there, unless `table` says otherwise."""
    about = {"board": f"serial:{folder}/board", "players": ("Ann", "Bo"), "options": {"start": 301}, **table}
    config = Config(
        table=[TableConfig(**about)],
        bridge=Bridge(state_dir=str(folder)),
        mqtt=Mqtt(host="127.0.0.1", port=broker_port),
        web=Web(host=host, port=port),
    )
    return CheckedConfig(config, (shipped(about.get("profile", "opendarts")),), ROUTINES, RuleGuard())


@asynccontextmanager
async def run(file: Path) -> AsyncIterator[str]:
    """Yields the address of the page of a daemon with this file, a process."""
    async with Process("run", "--config", file) as daemon:
        yield await daemon.runs()
        assert "Traceback" not in daemon.errors


def throw(board: PtyBoard, *segments: str) -> None:
    """Darts, as the bytes a board sends."""
    for segment in segments:
        board.hit(standard()[segment])


async def finish_leg(hit: Callable[[str], bool], tap: Callable[[str], Awaitable[None]], folder: Path) -> None:
    """Plays a 501 of two players to its end, in which the first has thrown a T19; the other one throws nothing.

    `hit` returns whether the board could send a bed, `tap` taps what has this name for tests; `folder` has the state.
    """

    async def throw_dart(bed: str) -> None:
        await eventually(lambda: hit(bed))
        await eventually(lambda: journal(folder)[-1] == {"throw": bed})

    async def pass_on() -> None:
        lines = len(journal(folder))

        async def is_passed() -> bool:
            if len(journal(folder)) == lines:
                await tap("next")  # the page takes two within a moment for one
            return len(journal(folder)) > lines

        await eventually(is_passed)

    for visit in (("T20", "T18"), ("T20", "T19", "T18"), ("T20", "T19", "D5")):
        for bed in visit:
            await throw_dart(bed)
        await pass_on()
        await pass_on()
    await throw_dart("D16")


def find_path(document: str) -> str:
    """What stands behind the address of the page for this document of daemon/web/page_files.py."""
    return {"index": "", "stream": "?view=announcer"}.get(document, document)


async def enter_total(tap: Callable[[str], Awaitable[None]], total: str) -> None:
    """Types the total of a visit on the page's keypad."""
    for key in (*total, "ok"):
        await tap(f"pad-{key}")


async def play(running: RunningDaemon, inputs: str) -> None:
    """Inputs as people note them: `T20`, `/` for the next visit, `undo`, `redo`, `2=T19` for another dart."""
    plain: dict[str, dict[str, object]] = {"/": {"next": True}, "undo": {"undo": True}, "redo": {"redo": True}}
    for each in inputs.split():
        line, is_amend, segment = each.partition("=")
        amend = {"amend": int(line), "throw": segment} if is_amend else {"throw": each}
        await give(running.tables["main"], plain.get(each, amend), "page")


async def reach(page: Page, there: Locator, key: str = "Tab") -> None:
    """Moves the focus by this key until it is there, and visible."""
    await expect(there).to_be_visible()
    for _ in range(_MOST_STEPS):
        if await there.evaluate("element => element === document.activeElement"):
            break
        await page.keyboard.press(key)
    await expect(there).to_be_focused()
    assert await there.evaluate(_IS_SEEN)


def hold_until(go: asyncio.Event) -> Callable[[Route], Awaitable[None]]:
    """A route that keeps requests on their way until `go` is set."""

    async def hold(route: Route) -> None:
        await go.wait()
        await route.continue_()

    return hold


class Playing:
    """A match at a table; `url` is where its page is. The same seed plays the same match."""

    def __init__(self, table: Table, url: str) -> None:
        self.url = url
        self._table = table
        self._skill = Skill(table.match.layout, sigma_mm(_LEVEL, table.match.layout.dartboard))
        self._thrower = self._anew("")

    @property
    def state(self) -> JSON:
        """What every display should show now."""
        found: JSON = msgspec.to_builtins(self._table.state())
        return found

    async def start(self, name: str, players: list[str], seed: str = "oche", **header: Any) -> None:  # Any: JSON
        """Another match, of this game or preset."""
        self._thrower = self._anew(seed)
        await self.say({"start": {"game": name, "players": players, "seed": seed, **header}})

    async def say(self, *lines: JSON, sender: Sender = "page", client: str = "") -> None:
        """Commands, one after the other; of one client only so many are taken."""
        for line in lines:
            await give(self._table, line, sender, client)

    async def throw(self, darts: str) -> None:
        """Darts by their segments; a slash is the button between two visits."""
        await self.say(*({"next": True} if dart == "/" else {"throw": dart} for dart in darts.split()))

    async def wait_for_greeting(self) -> None:
        """Until the board has said what it is: after that it says nothing more by itself."""
        await eventually(lambda: self._table.scorer.status.at(0).info.firmware is not None)

    async def sense(self, *darts: Throw) -> None:
        """Darts with what a sensor knows of them."""
        for dart in darts:
            await self._table.command(dart, "page")

    async def go_on(self, plies: int) -> None:
        """So many darts, answers and presses of the button; none after the end."""
        for _ in range(plies):
            if not self._table.match.position.over:
                asked = self._table.match.position.blocking
                await self.say(self._ply(), sender="page" if asked is None else SeatSender(asked.seat))

    def _ply(self) -> JSON:
        match = self._table.match
        phase, prompts, advice = match.position.phase, match.position.prompts, match.advice(self._skill)
        if phase == "takeout":
            return {"next": True}
        if prompts and (match.position.blocking or advice.answer):
            return {"choose": advice.answer or prompts[0].default, "prompt": prompts[0].id}
        return {"throw": self._thrower.throw(advice.aim or "T20").segment.id}

    def _anew(self, seed: str) -> Thrower:
        return Thrower(self._skill.sigma_mm, Random(seed), self._skill.layout)


@asynccontextmanager
async def playing(folder: Path, name: str, broker_port: int, *, is_away: bool = False) -> AsyncIterator[Playing]:
    """A table on whose board this game can be played, while the block lasts; `is_away`: it is not plugged in."""
    profile = _BOARDS[game(name).layouts[0]]
    board = f"serial:{folder}/board" if is_away else f"sim:{profile}"
    table: JSON = {"board": board, "profile": profile, "takeout": "button", "seed": "oche"}
    async with run_daemon(setup(folder, broker_port, game=name, options={}, **table)) as running:
        yield Playing(running.tables["main"], running.page or "")


def make_look(state: JSON, *, is_wall: bool) -> str:
    """An expression that comes to what is wrong on a page, as sentences, where this state is to be shown."""
    advised = state.get("advice")
    way = [name_bed(each) for each in ([advised["segment"]] if advised else state["hint"])]
    return f"({_LOOK.strip()})({json.dumps({'state': state, 'way': way, 'wall': is_wall})})"


async def look_at(page: Page, state: JSON, *, is_wall: bool) -> list[str]:
    """What that comes to on this page."""
    seen: list[str] = await page.evaluate(make_look(state, is_wall=is_wall))
    return seen
