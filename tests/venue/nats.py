"""Three real NATS servers that are one broker, from the configuration that docs/venue ships, unchanged.

Each node has an address of the loopback of its own, so that all of them have the ports they would have on machines.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import SystemRandom
from typing import Any, Self

import aiohttp
import aiomqtt

from tests.daemon.process import eventually

CONFIG = Path(__file__).parents[2] / "docs" / "venue" / "nats-server.conf"
BRIDGES = ("north", "south")
OTHERS = ("collector", "display", "scorer")


def _write_config(file: Path, bridges: Sequence[str], *, in_two_places: bool) -> Path:
    """Writes the shipped configuration with these daemons in it, or with what its comment on two places says."""
    text = CONFIG.read_text(encoding="utf-8")
    file.write_text(_allow_two_places(text) if in_two_places else _name_bridges(text, bridges), encoding="utf-8")
    return file


def _allow_two_places(text: str) -> str:
    """The configuration with what its comment says of a match in two places, for both of the shipped bridges."""
    comment = text[text.index("#   publish: ") : text.index("authorization {\n  timeout")]
    publish, subscribe = " ".join(comment.replace("#", "").split()).removeprefix("publish: ").split(" subscribe: ")
    for own, other in (BRIDGES, BRIDGES[::-1]):
        for access, names in (("publish", publish), ("subscribe", subscribe)):
            begin = f'{access}: ["oche.bridge.{own}.>", '
            assert begin in text
            text = text.replace(begin, f"{begin}{names.replace('table.south', f'table.{other}')}, ")
    return text


def _name_bridges(text: str, bridges: Sequence[str]) -> str:
    first, *others = re.findall(r"^    \{ user: (?:north|south),.*?\} \}\n", text, re.DOTALL | re.MULTILINE)
    for other in others:
        text = text.replace(other, "")
    users = [first.replace("north", name).replace("NORTH", name.upper()) for name in bridges]
    return text.replace(first, "".join(users))


class Node:
    """One server: `start`, `kill`, as often as wanted. What it has on disk stays."""

    def __init__(
        self, program: Path, folder: Path, name: str, address: str, routes: str, config: Path, bridges: Sequence[str]
    ) -> None:
        self.name = name
        self.address = address
        self._program = program
        self._config = config
        self._log = folder / f"{name}.log"
        self._env = {
            **os.environ,
            "NODE": name,
            "ADDRESS": address,
            "MONITOR": f"{address}:8222",
            "STORE": str(folder / name),
            "ROUTES": routes,
            "NODE_PASSWORD": "word-of-nodes",
            **{f"{user.upper()}_PASSWORD": password(user) for user in (*bridges, *OTHERS)},
        }
        self._process: asyncio.subprocess.Process | None = None

    @property
    def is_alive(self) -> bool:
        """Started, and not killed since."""
        return self._process is not None

    async def start(self) -> None:
        """Runs, if not yet whole."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                self._program,
                "-c",
                self._config,
                env=self._env,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def kill(self) -> None:
        """Ends it without a farewell."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None

    async def is_whole(self) -> bool:
        """Up, and level with the other nodes in all that it keeps."""
        assert self._process is not None
        assert self._process.returncode is None, self._log.read_text()
        return bool((await self._asked("healthz")).get("status") == "ok" and await self.leader())

    async def leader(self) -> str:
        """The node that leads the cluster's store, as this one knows it; empty while there is none."""
        told = await self._asked("jsz")
        return str(told.get("meta_cluster", {}).get("leader", ""))

    async def leaders(self) -> dict[str, str]:
        """The node that leads each stream: that of retained messages is $MQTT_rmsgs."""
        told = await self._asked("jsz?streams=true")
        streams = [stream for account in told["account_details"] for stream in account["stream_detail"]]
        return {stream["name"]: stream["cluster"]["leader"] for stream in streams}

    async def _asked(self, what: str) -> dict[str, Any]:  # Any: JSON
        try:
            async with aiohttp.ClientSession() as web, web.get(f"http://{self.address}:8222/{what}") as answer:
                return dict(json.loads(await answer.text()))
        except aiohttp.ClientError:
            return {}


class Cluster:
    """`async with Cluster(…)`: three nodes, whole. `bridges`: the users of daemons.

    `in_two_places`: the two of them may play matches in two places.
    """

    def __init__(
        self, program: Path, folder: Path, bridges: Sequence[str] = BRIDGES, *, in_two_places: bool = False
    ) -> None:
        config = CONFIG
        if bridges != BRIDGES or in_two_places:
            config = _write_config(folder / "nats-server.conf", bridges, in_two_places=in_two_places)
        net = f"127.{SystemRandom().randrange(16, 240)}.{SystemRandom().randrange(256)}"
        addresses = [f"{net}.{host}" for host in (1, 2, 3)]
        routes = json.dumps([f"nats://node:word-of-nodes@{address}:6222" for address in addresses])
        self.nodes = [
            Node(program, folder, f"venue-{n}", at, routes, config, bridges) for n, at in enumerate(addresses, 1)
        ]
        self._running = AsyncExitStack()

    async def __aenter__(self) -> Self:
        for node in self.nodes:
            self._running.push_async_callback(node.kill)
            await node.start()
        await self.whole()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.aclose()

    @property
    def addresses(self) -> list[str]:
        """Of all nodes."""
        return [node.address for node in self.nodes]

    @property
    def alive(self) -> list[Node]:
        """The nodes that run."""
        return [node for node in self.nodes if node.is_alive]

    async def whole(self) -> None:
        """Waits until every node that runs is level."""
        for node in self.alive:
            await eventually(node.is_whole)

    def __getitem__(self, name: str) -> Node:
        """The node of that name."""
        return next(node for node in self.nodes if node.name == name)


def password(user: str) -> str:
    """Of a user of the shipped configuration, in these tests."""
    return f"word-of-{user}"


def client(address: str, user: str) -> aiomqtt.Client:
    """A connection of that user, not yet made."""
    return aiomqtt.Client(
        address, protocol=aiomqtt.ProtocolVersion.V311, username=user, password=password(user), timeout=5
    )
