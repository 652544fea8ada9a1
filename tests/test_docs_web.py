"""The page on the interface over HTTP: each answer that it shows is one that the daemon gives, key for key."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from protocol.bodies import BODIES
from tests.daemon.evenings import Evening
from tests.daemon.process import PATIENCE_S, configure
from tests.daemon.test_statistics import ask

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "web.md").read_text(encoding="utf-8")
SCOREBOARD = DOCS / "displays" / "web" / "scoreboard.py"
HEADINGS = re.findall(r"^### `GET (\S+)`$", PAGE, re.MULTILINE)
RESOURCES = {
    path: json.loads(part.partition("```json")[2].partition("```")[0])
    for path, part in re.findall(r"^### `GET (\S+)`$(.+?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    if "```json" in part
}
EVENTS = {kind: json.loads(data) for kind, data in re.findall(r"^event: (\w+)\ndata: (.+)$", PAGE, re.MULTILINE)}
BEFORE: dict[str, dict[str, Any]] = {  # Any: JSON
    "/api/table/main/plan": {"game": {"game": "sudden_death", "players": ["Ann", "bot:45"]}},
    "/api/table/main/seats": {"start": {"game": "dards", "players": ["Ann", "Bo"], "options": {"mode": "dealt"}}},
}
"""What is said before, so that the answer has what the example shows."""
DATED = {"days"}
"""What depends on the day on which the test runs."""

JSON = Any  # Any: JSON


@pytest.fixture
async def web(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[aiohttp.ClientSession]:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
        evening.throw(1, 24, day=0.1, options={"start": 1501})  # darts enough for a class
        evening.throw(2, 60, day=0.2, game="cricket")
    setup = read_config(configure(tmp_path, unused_tcp_port, board="sim:opendarts", profile="opendarts"))
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with (
        run_daemon(setup, takes_taps=True) as running,
        aiohttp.ClientSession(running.page, timeout=timeout) as web,
    ):
        await post(web, "start", {"game": "501", "players": ["Ann", "Bo"]})
        await post(web, "throw", {"throw": "T20"})
        yield web


async def post(web: aiohttp.ClientSession, command: str, body: object = None, status: int = 200) -> JSON:
    async with web.post(f"/api/table/main/{command}", json=body) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


def form(value: JSON) -> JSON:
    """The keys of it, and of the first of each list."""
    if isinstance(value, dict):
        return {key: "dated" if key in DATED else form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [form(inner) for inner in value[:1]]
    return None if value is None else type(value).__name__


def test_every_resource_is_described() -> None:
    files = (DOCS.parent / "daemon").rglob("*.py")
    routes = {
        found for file in files for found in re.findall(r'web\.get\("(/api/.+?)"', file.read_text(encoding="utf-8"))
    }
    told = [re.sub(r"\{\w+\}", r"[^/?]+", route) for route in routes if "/seat/" not in route]
    assert all(any(re.fullmatch(route, path.partition("?")[0]) for path in HEADINGS) for route in told)
    assert {*HEADINGS} == {*RESOURCES, "/api/table/main/events", "/api/tables/events"}
    assert all(f"`{command}`" in PAGE for command in BODIES)


@pytest.mark.slow
async def test_the_answers_have_the_form_that_is_shown(web: aiohttp.ClientSession) -> None:
    """One daemon for all: the commands that change what is answered come last."""
    assert len(RESOURCES) > 10
    for path in sorted(RESOURCES, key=BEFORE.__contains__):
        for command, body in BEFORE.get(path, {}).items():
            await post(web, command, body)
        assert form(await ask(web, path)) == form(RESOURCES[path]), path
    (base,) = re.findall(r"`\?base=(\S+)`", PAGE)
    seats: JSON = await ask(web, f"/api/table/main/seats?base={base}")
    assert seats[0]["url"].startswith(f"{base}?seat=")


async def test_the_events_are_those_that_are_shown(web: aiohttp.ClientSession) -> None:
    told = re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", PAGE.partition("```")[0], re.MULTILINE)
    assert told == ["board", "state", "plan", "fact", "sound", "notice", "clip", "tournament", "broker", "page"]
    seen: dict[str, JSON] = {}
    latest: JSON = None
    first: list[str] = []
    kind = ""
    async with web.get("/api/table/main/events") as stream:
        await post(web, "throw", {"throw": "T20"})
        async for line in stream.content:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
                first.append(kind)
            elif line.startswith(b"data: "):
                seen.setdefault(kind, json.loads(line[6:]))
                latest = json.loads(line[6:]) if kind == "state" else latest
                if set(seen) == {*told} - {"notice", "sound", "clip", "tournament"}:
                    break
    assert first[:5] == ["board", "state", "plan", "broker", "page"]
    for kind in ("board", "fact", "broker", "page"):
        assert form(seen[kind]) == form(EVENTS[kind])
    assert form(seen["plan"]) == form(await ask(web, "/api/table/main/plan"))
    assert latest.keys() == RESOURCES["/api/table/main/state"].keys()
    for fact, state in ((seen["fact"], latest), (EVENTS["fact"], RESOURCES["/api/table/main/state"])):
        common = ("session", "match", "line")
        assert [fact[key] for key in common] == [state[key] for key in common]
        assert fact["seq"] < state["seq"]


async def test_the_answers_to_commands_are_those_that_are_shown(web: aiohttp.ClientSession) -> None:
    done, landed, refused = map(
        json.loads,
        re.findall(r"```json\n(.*?)```", PAGE.partition("## Commands")[2].partition("## Settings")[0], re.DOTALL),
    )
    assert await post(web, "throw", {"throw": "T20"}) == done
    assert await post(web, "throw", {"throw": "T20", "at": 2}, status=409) == refused
    assert await post(web, "tap", {"x": 0, "y": 0}) == landed
    (start,) = re.findall(r"-d '(\{.+order.+\})'", PAGE)
    await post(web, "start", json.loads(start))
    assert (await ask(web, "/api/table/main/state"))["game"] == "bull_off"


async def test_the_small_display_says_how_to_start_it() -> None:
    assert "\n    python3 scoreboard.py http://127.0.0.1:8180/ main\n" in PAGE
    for arguments in ((), ("192.168.1.20", "main")):
        display = await asyncio.create_subprocess_exec(
            sys.executable, str(SCOREBOARD), *arguments, stderr=asyncio.subprocess.PIPE
        )
        _, said = await display.communicate()
        assert display.returncode == 1
        assert re.fullmatch(
            r"Start it with .+: python3 scoreboard\.py http://192\.168\.1\.20:8180/ main\n", said.decode()
        )


async def test_the_small_display_shows_each_dart_and_comes_back(tmp_path: Path, unused_tcp_port_factory: Any) -> None:
    broker, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    file = configure(tmp_path, broker, board="sim:opendarts", profile="opendarts")
    file.write_text(
        file.read_text(encoding="utf-8").replace("[web]\nport = 0", f"[web]\nport = {port}"), encoding="utf-8"
    )
    setup, page = read_config(file), f"http://127.0.0.1:{port}/"
    display = await asyncio.create_subprocess_exec(
        sys.executable, str(SCOREBOARD), page, "main", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert display.stdout is not None
    shown = (" ".join(line.decode().split()) async for line in display.stdout)

    async def until(wanted: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await anext(shown) != wanted:
                pass

    try:
        async with run_daemon(setup), aiohttp.ClientSession(page) as web:
            await until("Ann 501 Bo 501 > Ann")
            await post(web, "throw", {"throw": "T20"})
            await until("Ann 441 Bo 501 > Ann T20")
        async with run_daemon(setup), aiohttp.ClientSession(page) as web:
            await post(web, "throw", {"throw": "T19"})
            await until("Ann 384 Bo 501 > Ann T20 T19")
    finally:
        display.kill()
        await display.wait()
