"""A real Home Assistant as a process, what its owner would click beforehand, and what is asked of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import aiohttp

_CONFIGURATION = """
homeassistant:
  name: Home
frontend:
config:
conversation:
assist_satellite:
tts:
automation: !include automations.yaml
script: !include scripts.yaml
input_boolean:
  effect: {}
  tablet: {}
lovelace:
  dashboards:
    darts-board:
      mode: yaml
      filename: dashboard.yaml
      title: Darts
template:
  - light:
      - name: Lamp
        unique_id: lamp
        turn_on: []
        turn_off: []
        set_level: []
        set_rgb: []
logger:
  default: warning
"""


def prepare(folder: Path, port: int, broker_port: int, more: str) -> None:
    """Writes it: the page at this port, the broker at that, `more` lines for configuration.yaml."""
    storage = folder / ".storage"
    storage.mkdir(parents=True)
    (folder / "configuration.yaml").write_text(_CONFIGURATION + more, encoding="utf-8")
    for name in ("automations", "scripts"):
        (folder / f"{name}.yaml").write_text("", encoding="utf-8")
    entry = {
        "entry_id": "mqtt",
        "version": 1,
        "minor_version": 1,
        "domain": "mqtt",
        "title": "MQTT",
        "data": {"broker": "127.0.0.1", "port": broker_port},
        "options": {},
        "source": "user",
        "unique_id": None,
        "disabled_by": None,
        "pref_disable_new_entities": False,
        "pref_disable_polling": False,
    }
    server = {
        "server_host": ["127.0.0.1"],
        "server_port": port,
        "cors_allowed_origins": [],
        "login_attempts_threshold": -1,
        "ip_ban_enabled": False,
        "ssl_profile": "modern_v6",
        "use_x_frame_options": True,
    }
    http = {"stable": server, "pending": None, "yaml_migration_done": True}
    for name, version, data in (
        ("core.config_entries", 1, {"entries": [entry]}),
        ("http", 3, http),
        ("onboarding", 4, {"done": ["core_config", "analytics", "integration"]}),
    ):
        stored = {"version": version, "minor_version": 1, "key": name, "data": data}
        (storage / name).write_text(json.dumps(stored), encoding="utf-8")


JSON = dict[str, Any]  # Any: JSON

PATIENCE_S = 45
_RUN = """
mount -t proc proc "$0/proc"
mount --bind "$1" "$0/config"
export HOME=/root PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec chroot "$0" hass --config /config --skip-pip --log-no-color
"""
"""Its mounts and its processes live in namespaces of their own, which go with it, however it ends."""


class HomeAssistant:
    """`async with HomeAssistant(…)` runs it; `stop` and `start` as often as wanted.

    `folder` is its configuration, `port` its page, `more` lines for its configuration.yaml. It listens to itself:
    `states` has the newest of each entity, `changes` every one so far, in order, over its restarts.
    """

    def __init__(self, root: Path, folder: Path, port: int, broker_port: int, *, more: str = "") -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.folder = folder
        self.tokens: JSON = {}
        self.states: dict[str, JSON] = {}
        self.changes: list[JSON] = []
        self._root = root
        prepare(folder, port, broker_port, more)
        self._process: asyncio.subprocess.Process | None = None
        self._http: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._reader: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[JSON]] = {}
        self._listeners: dict[int, Callable[[JSON], None]] = {}
        self._number = 0
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.kill()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Runs until it answers."""
        with (self.folder / "output.log").open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *("unshare", "--mount", "--pid", "--fork", "--kill-child"),
                *("sh", "-euc", _RUN, self._root, self.folder),
                stdout=output,
                stderr=output,
            )
        self._http = aiohttp.ClientSession(self.url)
        async with asyncio.timeout(PATIENCE_S):
            while not await self._is_up():
                is_well = self._process.returncode is None and "recovery mode" not in self.output
                assert is_well, self.output
                await asyncio.sleep(0.2)
        if not self.tokens:
            await self._make_owner()
        await self._connect()

    async def stop(self) -> None:
        """Ends it as its owner would."""
        assert self._process is not None
        with suppress(ConnectionError):
            await self.call("homeassistant", "stop")
        async with asyncio.timeout(PATIENCE_S):
            await self._process.wait()
        await self.kill()

    async def restart(self) -> None:
        """Ends it as its owner would, and starts it again."""
        await self.stop()
        await self.start()

    async def kill(self) -> None:
        """Ends it without a farewell."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await asyncio.wait([self._reader])
        if self._http is not None:
            await self._http.close()
        self._process = self._socket = self._reader = self._http = None

    async def ask(self, kind: str, **fields: object) -> Any:  # Any: JSON
        """The result of a command of its websocket."""
        result = await self._send({"type": kind, **fields})
        assert result["success"], f"{kind}: {result.get('error')}"
        return result["result"]

    async def listen(self, listener: Callable[[JSON], None], kind: str, **fields: object) -> None:
        """Subscribes to something; each event of it goes to the listener."""
        self._listeners[self._number + 1] = listener
        await self.ask(kind, **fields)

    async def call(self, domain: str, service: str, entity: str | None = None, **data: object) -> None:
        """An action, on an entity if one is named."""
        target = {} if entity is None else {"target": {"entity_id": entity}}
        await self.ask("call_service", domain=domain, service=service, service_data=data, **target)

    async def post(self, path: str, body: JSON) -> JSON:
        """To its REST API."""
        assert self._http is not None
        headers = {"Authorization": f"Bearer {self.tokens['access_token']}"} if self.tokens else {}
        async with self._http.post(path, json=body, headers=headers) as response:
            assert response.ok, f"{path}: {await response.text()}"
            found: JSON = await response.json()
            return found

    async def registered(self) -> dict[str, str]:
        """The MQTT entities in its registry: entity ids by unique id."""
        entries = await self.ask("config/entity_registry/list")
        return {entry["unique_id"]: entry["entity_id"] for entry in entries if entry["platform"] == "mqtt"}

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until what it has told of its entities makes this true."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not is_so():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            now = {name: state["state"] for name, state in sorted(self.states.items())}
            raise AssertionError(f"what was awaited never came; last seen: {now}\n{self.log}") from None

    @property
    def output(self) -> str:
        """What it printed."""
        return (self.folder / "output.log").read_text(encoding="utf-8")

    @property
    def log(self) -> list[str]:
        """Warnings and errors in its log that have to do with MQTT or an automation."""
        levels = (" WARNING ", " ERROR ", " CRITICAL ")
        lines = (line for line in self.output.splitlines() if any(level in line for level in levels))
        return [line for line in lines if "mqtt" in line.lower() or "automation" in line]

    async def _is_up(self) -> bool:
        assert self._http is not None
        try:
            async with self._http.get("/api/onboarding" if not self.tokens else "/manifest.json") as response:
                return response.ok
        except aiohttp.ClientConnectionError:
            return False

    async def _make_owner(self) -> None:
        """The first user, and his way in."""
        assert self._http is not None
        person = {"name": "Ann", "username": "ann", "password": "a word of a test", "language": "en"}
        made = await self.post("/api/onboarding/users", {"client_id": f"{self.url}/", **person})
        form = {"grant_type": "authorization_code", "code": made["auth_code"], "client_id": f"{self.url}/"}
        async with self._http.post("/auth/token", data=form) as response:
            assert response.ok
            tokens: JSON = await response.json()
            self.tokens = tokens

    async def _connect(self) -> None:
        assert self._http is not None
        self._socket = await self._http.ws_connect("/api/websocket", max_msg_size=0)
        assert (await self._socket.receive_json())["type"] == "auth_required"
        await self._socket.send_json({"type": "auth", "access_token": self.tokens["access_token"]})
        assert (await self._socket.receive_json())["type"] == "auth_ok"
        self._reader = asyncio.create_task(self._read(self._socket))
        self.states = {}
        await self.listen(self._note, "subscribe_events", event_type="state_changed")
        self.states = {state["entity_id"]: state for state in await self.ask("get_states")}

    def _note(self, event: JSON) -> None:
        change = event["data"]
        self.changes.append(change)
        if change["new_state"] is None:
            self.states.pop(change["entity_id"], None)
        else:
            self.states[change["entity_id"]] = change["new_state"]

    async def _send(self, message: JSON) -> JSON:
        assert self._socket is not None
        self._number += 1
        number = self._number
        answer: asyncio.Future[JSON] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        await self._socket.send_json({"id": number, **message})
        async with asyncio.timeout(PATIENCE_S):
            return await answer

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            found = json.loads(message.data)
            if found["type"] == "result":
                self._answers.pop(found["id"]).set_result(found)
            elif found["type"] == "event":
                self._listeners[found["id"]](found["event"])
            self._news.set()
        for answer in self._answers.values():
            answer.set_exception(ConnectionError("Home Assistant has hung up"))
        self._answers.clear()
