"""Nothing that may wait for the disk is done in the event loop, or all tables would stand still: each request once.

A memory card takes half a second for a sync now and then. Here the kernel is not slow: it is noted who asks it. Python
tells of each file that is opened, renamed, removed (`sys.addaudithook`), and the thread in which an event loop runs is
known; so this does not depend on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.faces.mqtt import BODIES
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.toml_edit import change_text
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import check_text, read_config
from daemon.http.messages import HttpRoute
from daemon.service.drafts import find_drafts, remove_drafts
from daemon.web.auth import Auth
from daemon.web.page_files import FOLDER
from daemon.web.seats import read_key
from daemon.web.server import WebServer
from daemon.web.token import PageToken, make_setup_token, make_token
from daemon.web.tournament_codes import make_sign_up_code
from tests.daemon.display import Display, find_part
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually
from tests.daemon.test_bridge_requests import data as request
from tests.daemon.test_clips import WEBM
from tests.daemon.test_sounds import WAV
from tests.manners.guest import ANYWHERE

JSON = Any  # JSON

_CHANGES = {
    *("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime", "os.chmod"),
    *("os.chown", "shutil.rmtree", "shutil.move", "shutil.copyfile", "os.fsync", "os.fdatasync", "os.fallocate"),
}
_WAITS = {"change_text", "check_text", "sqlite3.connect", "socket.getaddrinfo", "socket.gethostbyname"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_MEMORY = ("/dev/", "/proc/", "/run/", "/memfd:")


class LoopWatch:
    """What is asked of the kernel within an event loop, while it `is_on`, and where in the code."""

    def __init__(self) -> None:
        self.is_on = False
        self.found: dict[str, None] = {}
        self.drafts: set[Path] = set()
        """The drafts of files that took their place, in whichever thread."""

    def note(self, event: str, args: tuple[object, ...]) -> None:
        if self.is_on and event == "os.rename":
            self.drafts.add(Path(str(args[0])))
        if not self.is_on or asyncio._get_running_loop() is None:  # noqa: SLF001  the one that raises nothing
            return
        if event == "open":
            path, _, flags = str(args[0]), *args[1:]
            is_written = isinstance(flags, int) and flags & _WRITING
            if (
                isinstance(args[0], int)
                or not (is_written or Path(path).is_relative_to(FOLDER))
                or path.startswith(_MEMORY)
                or ".pyc" in path
            ):
                return
        elif event not in _CHANGES | _WAITS:
            return
        frames = [each for each in traceback.extract_stack() if f"{os.sep}daemon{os.sep}" in each.filename]
        ours = [each for each in frames if f"{os.sep}tests{os.sep}" not in each.filename]
        if ours:
            where = " < ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(ours[-3:]))
            self.found[f"{event} {args[:1]}: {where}"] = None


_watch: LoopWatch | None = None


def _hear(event: str, args: tuple[object, ...]) -> None:
    if _watch is not None:
        _watch.note(event, args)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopWatch]:
    """It is switched on by the test. A hook stays as long as the process: it is added once."""
    global _watch  # noqa: PLW0603
    if not hasattr(sys, "_oche_hears"):
        sys.addaudithook(_hear)
        sys._oche_hears = True  # type: ignore[attr-defined]  # noqa: SLF001
    _watch = LoopWatch()
    for call in (change_text, check_text):
        monkeypatch.setattr(f"daemon.admin.settings.settings_file.{call.__name__}", _tell(call.__name__, call))
    for name in ("fsync", "fdatasync", "posix_fallocate", "utime"):  # which tell of nothing
        monkeypatch.setattr(os, name, _tell(f"os.{name.removeprefix('posix_')}", getattr(os, name)))
    yield _watch
    _watch = None


def _tell(event: str, call: Any) -> Any:  # Any: a call of the kernel
    def tell(*args: object, **more: object) -> object:
        _hear(event, args)
        return call(*args, **more)

    return tell


PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LIGHT = {"path": ["outlets", "light", 0], "value": {"name": "ring", "url": "http://127.0.0.1:9"}}
FIRST = {
    "POST /api/players": {"name": "Ann", "nickname": "Ace"},
    "POST /api/players/picture": PICTURE,
    "POST /api/players/recorded_name": WAV,
    "POST /api/players/rename": {"name": "Bo", "to": "Bob"},
    "POST /api/players/merge": {"name": "Cy", "to": "Ann"},
    "POST /api/players/split": {"name": "Cy"},
    "POST /api/seat/{token}/choose": {"choose": "CARD"},
    "POST /api/table/{table}/{command}": {"game": "x01", "players": ["Ann", "Bo"]},
    "POST /api/table/{table}/start": {"game": "x01", "players": ["Ann", "Bo"]},
    "POST /api/table/{table}/tap": {"segment": "T20"},
    "POST /api/enter": {"token": "TOKEN"},
    "POST /api/care/news": {},
    "POST /api/care/report": {},
    "POST /api/care/doctor": {},
    "POST /api/care/backup": {},
    "POST /api/care/restore": b"BACKUP",
    "POST /api/sounds": b"PK\3\4 cut off",
    "POST /api/sounds/remove": {"pack": "none"},
    "POST /api/art": b"PK\3\4 cut off",
    "POST /api/art/event": WAV,
    "POST /api/art/remove": {"art": "own"},
    "POST /api/clips": WEBM,
    "POST /api/clips/remove": {"clip": "CLIP"},
    "POST /api/league/since": {"day": "2026-10-01"},
    "POST /api/league/fetch": {},
    "POST /api/newton": {"text": "nothing"},
    "POST /api/tournament": {"name": "Friday", "kind": "knock_out"},
    "POST /api/tournament/{id}/sign_up": {"code": "SIGN_UP", "people": ["Ann"]},
    "POST /api/tournament/{id}/do": {"do": "enter", "people": ["Bo"]},
    "POST /api/tournament/{id}/propose": {},
    "POST /api/tournament/{id}/newton/{match}": {"text": "nothing"},
    "POST /api/tournament/restore": b"{}",
    "POST /api/settings/restore": {"parts": ["config"]},
    "POST /api/settings": {"changes": [{"path": ["mqtt", "username"], "value": "ann"}], "password": "s3cret"},
    "POST /api/settings/revert": {},
    "POST /api/settings/broker": {"changes": []},
    "POST /api/settings/token": {"role": "setup"},
    "POST /api/boards/scan": {},
    "POST /api/boards/try": {"board": "sim:opendarts", "profile": "opendarts"},
    "POST /api/boards/stop": {},
    "POST /api/lights/scan": {},
    "POST /api/lights/try": {"light": 0, "changes": [LIGHT]},
    "POST /api/lights/stop": {},
    "POST /api/learn/start": {"board": "tcp:127.0.0.1:1", "name": "mine", "frame": "row,col"},
    "POST /api/learn/skip": {},
    "POST /api/learn/undo": {},
    "POST /api/learn/stop": {},
    "POST /api/learn/resume": {},
    "POST /api/learn/save": {},
    "POST /api/care/restart": {},
    "POST /api/players/forget": {"name": "Cy", "sure": True},
}
"""What is sent, in this order, before all that is only read; a route that is not here fails the test."""
REFUSED = (
    "POST /api/lights/try",
    "POST /api/learn/save",
    "POST /api/sounds",
    "POST /api/sounds/remove",
    "POST /api/art",
    "POST /api/league/since",
    "POST /api/league/fetch",
    "POST /api/newton",
    "POST /api/tournament/{id}/newton/{match}",
    "POST /api/tournament/restore",
)
"""What cannot be done here; to refuse it, oche looks at the same things."""
STEPS = {
    "{table}": "main",
    "{match}": "nomatch",
    "{folder}/{file}": "wall/menu.js",
    "{file}": "app.js",
    "{command}": "start",
}
QUERIES = {
    "POST /api/art/event": "event=180&kind=sound",
    "POST /api/clips": "match=MATCH&line=1&moment=180",
    "GET /api/evening": "since=2026-10-03T12:00:00Z&before=2026-10-04T12:00:00Z",
    "GET /api/code": "match=MATCH",
    "GET /api/stats/head_to_head": "name=Ann&other=Bo",
    "GET /api/stats/handicap": "name=Ann&other=Bo",
}
FILMING = f"{ANYWHERE}\nclips = 5"
NAMES = {"/api/games": "x01", "/api/layout": "standard", "/api/learn/profile": "mine"}


def find_path(route: HttpRoute, known: dict[str, str]) -> str:
    """The path with steps that there are."""
    before, _, _ = route.path.partition("/{name}")
    for step, value in {**STEPS, **known, "{name}": NAMES.get(before, "")}.items():
        route = route._replace(path=route.path.replace(step, value))
    return route.path


class Asking:
    """A client with the token of the setup that sends each request once."""

    def __init__(self, running: RunningDaemon, settings: SettingsFile, client: aiohttp.ClientSession) -> None:
        self.running = running
        self.settings = settings
        self.client = client
        self.known: dict[str, str] = {}
        self.kept: dict[str, JSON] = {}
        self.token = ""

    async def send_all(self) -> None:
        routes = {f"{each.method} {each.path}": each for each in find_part(self.running, WebServer).routes}
        changing = {name for name in routes if name.startswith("POST ")}
        assert changing == {*FIRST}, "each route that changes something needs an example here"
        async with self.client.get("/api/table/main/seats") as answer:
            self.known["{token}"] = (await answer.json())[0]["url"].partition("?seat=")[2]
        of_seat = [name for name in routes if name.startswith("GET /api/seat/")]  # until there is another match
        for name in dict.fromkeys((*of_seat, *FIRST, *routes)):
            await self.send(name, routes[name])

    async def send(self, name: str, route: HttpRoute) -> None:
        path, body = find_path(route, self.known), FIRST.get(name)
        if path in ("/api/players/picture", "/api/players/recorded_name"):
            path += "?name=Ann"
        if name in QUERIES:
            path += f"?{QUERIES[name]}".replace("MATCH", self.running.tables["main"].match_id)
        content = await self.make_body(name, body)
        headers = {"Oche-Code": self.kept["code"]} if path.startswith("/api/taken/") else {}
        async with self.client.request(route.method, path, data=content, headers=headers) as answer:
            if name.endswith("/events"):
                state = await answer.content.readuntil(b"event: table" if "/tables/" in name else b"event: plan")
                if "{token}" in name:
                    state = json.loads(state.partition(b"event: state\ndata: ")[2].partition(b"\n")[0])
                    self.kept["card"] = state["board"]["hand"][0]
                return
            content = await answer.read()
            is_read = route.method == "GET"  # of a board that was not learned, or of a match that is not over
            assert answer.status in ((200, 202, 404) if is_read else (200,)) or name in REFUSED, (name, content)
        self.keep(name, content)
        if name == "POST /api/players":
            await asyncio.to_thread(self.add_player)
        elif name in (
            "POST /api/settings",
            "POST /api/settings/revert",
            "POST /api/settings/restore",
            "POST /api/care/restart",
        ):
            await self.start_anew()

    def keep(self, name: str, content: bytes) -> None:
        """Keeps of an answer what later requests need."""
        if name == "POST /api/care/backup":
            self.kept["backup"] = content
        elif name == "POST /api/care/restore":
            self.kept["restore"] = json.loads(content)["restore"]
        elif name == "POST /api/clips":
            self.kept["clip"] = json.loads(content)["clip"]
        elif name == "POST /api/tournament":
            self.known["{id}"] = json.loads(content)["id"]
            auth = Auth((), PageToken("0.0.0.0", None, self.settings.state), read_key(self.settings.state))
            self.kept["sign_up"] = make_sign_up_code(auth.sign, self.known["{id}"])
        elif name == "GET /api/code":
            self.kept["code"] = json.loads(content)["url"].partition("#code=")[2]

    async def make_body(self, name: str, body: JSON) -> bytes | None:
        if isinstance(body, bytes):
            return self.kept["backup"] if body == b"BACKUP" else body
        if body is None:
            return None
        if name.startswith(("POST /api/settings", "POST /api/lights/try")) and "role" not in body:
            body = {**body, "version": (await asyncio.to_thread(self.settings.read))[1]}
        if name == "POST /api/settings/restore":
            body["restore"] = self.kept["restore"]
        text = json.dumps(body).replace("TOKEN", self.token)
        for kept in ("card", "clip", "sign_up"):
            text = text.replace(kept.upper(), self.kept.get(kept, ""))
        return text.encode()

    def add_player(self) -> None:
        from daemon.admin.players.book import PlayerBook
        from daemon.admin.requests import ChangePlayer

        PlayerBook(self.settings.state).change(ChangePlayer(name="Cy"))

    async def start_anew(self) -> None:
        """As the daemon does after a change."""
        setup = await asyncio.to_thread(self.settings.load)
        assert setup is not None
        await self.settings.note_start(setup, "")


@asynccontextmanager
async def ask(file: Path) -> AsyncIterator[Asking]:
    """Yields what asks a daemon that runs with this file in this process."""
    settings = SettingsFile(file)
    setup = read_config(file)
    state = Path(setup.config.bridge.state_dir)
    make_token(state)
    token = make_setup_token(state)
    settings.load()
    async with run_daemon(setup, settings, takes_taps=True) as running:
        await settings.note_start(setup, "")
        headers, jar = {"Authorization": f"Bearer {token}"}, aiohttp.CookieJar(unsafe=True)
        timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
        page = str(running.page)
        async with aiohttp.ClientSession(page, headers=headers, timeout=timeout, cookie_jar=jar) as client:
            asking = Asking(running, settings, client)
            asking.token = token
            yield asking


@pytest.mark.slow
async def test_no_request_waits_for_the_disk_in_the_event_loop(
    tmp_path: Path, broker: Mosquitto, watch: LoopWatch, at_once: None
) -> None:
    hands = 'game = "dards"\noptions = { mode = "dealt" }\nseed = "a seed"\n'
    board = {"board": "sim:opendarts", "profile": "opendarts"}
    file = configure(tmp_path, broker.port, hands, **board, web=FILMING, mqtt="requests = true")
    async with ask(file) as asking, Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        watch.is_on = True
        await asking.send_all()
        for name, body in BODIES.items():
            for more in ({}, {"capture": "stop"})[: 2 if name == "capture" else 1]:
                await request(display, name, **{**body.example, **more})
                await asking.start_anew()
        await eventually(lambda: "x01" in display.now.get("oche/table/main/next", ""))
        watch.is_on = False
    assert not watch.found, "\n".join(watch.found)
    check_drafts_are_removed(tmp_path, watch.drafts)


def check_drafts_are_removed(folder: Path, drafts: set[Path]) -> None:
    """All that the requests have written is known, so that a start removes what a kill leaves of it."""
    state, of_settings = folder / "state", folder / "oche.toml.new"
    ours = {each for each in drafts if each.suffix == ".new" and each.is_relative_to(state)}
    assert {each.name for each in ours} > {"said.json.new", "web.setup.new", "web.seen.new", "profile.presses.new"}
    others = {state / name for name in ("main.sqlite3.new", "notes.txt.new", "web.devices/me.new", "backups.new")}
    for each in (*ours, *others):
        each.write_bytes(b"")
    assert {*find_drafts(state)} == ours
    remove_drafts(state)
    assert {each for each in state.rglob("*.new") if "backup" not in str(each)} == others - {state / "backups.new"}
    assert of_settings in drafts
