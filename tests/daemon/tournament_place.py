"""A page that needs tokens, and its guests, each with an address of its own: for the tests of tournaments over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.web.auth import Auth
from daemon.web.seats import read_key
from daemon.web.token import PageToken, make_setup_token, make_token
from tests.daemon.process import PATIENCE_S, configure
from tests.manners.guest import ANYWHERE

JSON = Any  # Any: JSON


class Answer(NamedTuple):
    """An answer: its status, its body, which is JSON where it can be, and its headers."""

    status: int
    body: JSON
    headers: Any  # Any: of aiohttp

    @property
    def said(self) -> str:
        """The sentence of a refusal."""
        return str(self.body["error"]["message"])


class Place:
    """The page. `setup`, `play` and `look` are its tokens."""

    def __init__(self, running: RunningDaemon, folder: Path, play: str, setup: str) -> None:
        assert running.page is not None
        self.running = running
        self.folder = folder
        self.url = running.page.replace("0.0.0.0", "127.0.0.1").rstrip("/")
        self.play = play
        self.setup = setup
        page = PageToken("0.0.0.0", None, folder)
        self.auth = Auth((), page, read_key(folder))
        self.look = self.auth.spectator_token
        self._guests = 0

    @asynccontextmanager
    async def client(self, token: str = "", **headers: str) -> AsyncIterator[aiohttp.ClientSession]:
        """A guest from an address where nobody has been yet."""
        self._guests += 1
        mine = aiohttp.TCPConnector(local_addr=(f"127.2.{self._guests // 250}.{self._guests % 250 + 1}", 0), limit=0)
        given = {**headers, **({"Authorization": f"Bearer {token}"} if token else {})}
        timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
        async with aiohttp.ClientSession(self.url, connector=mine, headers=given, timeout=timeout) as client:
            yield client

    async def get(self, path: str, token: str = "", **headers: str) -> Answer:
        """Reads, as a new guest. In the names of headers `_` stands for a hyphen."""
        return await self.send("GET", path, None, token, **headers)

    async def post(self, path: str, body: JSON = None, token: str = "", **headers: str) -> Answer:
        """Posts JSON, or bytes, as a new guest."""
        return await self.send("POST", path, body, token, **headers)

    async def send(self, method: str, path: str, body: JSON = None, token: str = "", **headers: str) -> Answer:
        """Sends a request, as a new guest."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        async with self.client(token, **named) as client, client.request(method, path, data=content) as answer:
            return await read_answer(answer)

    async def make(self, **spec: JSON) -> str:
        """Makes a tournament; returns its id."""
        made = await self.post("/api/tournament", {"name": "Friday", "kind": "knock_out", **spec}, self.setup)
        assert made.status == 200, made
        return str(made.body["id"])

    async def do(self, tournament: str, what: str, **given: JSON) -> int:
        """Does something in a tournament, by the right of the setup; returns the line."""
        done = await self.post(f"/api/tournament/{tournament}/do", {"do": what, **given}, self.setup)
        assert done.status == 200, done
        return int(done.body["line"])

    async def view(self, tournament: str) -> JSON:
        """All of a tournament, as the organiser sees it."""
        shown = await self.get(f"/api/tournament/{tournament}", self.setup)
        assert shown.status == 200, shown
        return shown.body

    async def until(self, tournament: str, is_so: Callable[[JSON], bool]) -> JSON:
        """Follows a tournament as a page does, until this is so of it; returns it then."""
        view = await self.view(tournament)
        async with asyncio.timeout(PATIENCE_S):
            while not is_so(view):
                view = (await self.get(f"/api/tournament/{tournament}?since={view['version']}", self.setup)).body
        return view


async def read_answer(answer: aiohttp.ClientResponse) -> Answer:
    """Returns what a test looks at."""
    content = await answer.read()
    is_json = answer.content_type == "application/json" and content
    return Answer(answer.status, json.loads(content) if is_json else content, answer.headers)


@asynccontextmanager
async def run_place(folder: Path) -> AsyncIterator[Place]:
    """The page while the block lasts."""
    file, state = configure(folder, web=ANYWHERE, board="sim:opendarts", profile="opendarts"), folder / "state"
    play, setup = make_token(state), make_setup_token(state)
    async with run_daemon(read_config(file)) as running:
        yield Place(running, state, play, setup)
