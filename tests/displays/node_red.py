"""A real Node-RED with the flow that ships, imported as a user would: the file as it is, but for the broker's port."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests.daemon.patience import eventually
from tests.displays.example import DISPLAYS, process


@asynccontextmanager
async def node_red(modules: Path, folder: Path, port: int, broker_port: int) -> AsyncIterator[str]:
    """Runs it in `folder`, and gives its address once the flow has started."""
    _import(folder, port, broker_port)
    address = f"http://127.0.0.1:{port}"
    program, settings = modules / "node-red" / "red.js", folder / "settings.js"
    command = ("node", str(program), "--userDir", str(folder), "--settings", str(settings))
    async with process(command, log=folder / "log", folder=folder) as found, aiohttp.ClientSession() as web:

        async def answers() -> bool:
            assert found.returncode is None, (folder / "log").read_text()
            try:
                async with web.get(f"{address}/darts") as answer:
                    return answer.status == 200
            except aiohttp.ClientConnectionError:
                return False

        await eventually(answers)
        yield address


def _import(folder: Path, port: int, broker_port: int) -> None:
    folder.mkdir(exist_ok=True)
    flow = json.loads((DISPLAYS / "node-red" / "flow.json").read_text(encoding="utf-8"))
    (broker,) = (node for node in flow if node["type"] == "mqtt-broker")
    assert (broker["broker"], broker["port"]) == ("localhost", "1883")
    broker |= {"broker": "127.0.0.1", "port": str(broker_port)}
    (folder / "flow.json").write_text(json.dumps(flow), encoding="utf-8")
    settings = {
        "uiHost": "127.0.0.1",
        "uiPort": port,
        "flowFile": "flow.json",
        "fileWorkingDirectory": str(folder),
        "mqttReconnectTime": 500,  # else it waits a quarter of a minute for a broker
        "credentialSecret": False,
        "telemetry": {"enabled": False, "updateNotification": False},
        "externalModules": {"palette": {"allowInstall": False}},
    }
    (folder / "settings.js").write_text(f"module.exports = {json.dumps(settings)}", encoding="utf-8")
