"""What the settings tell of Home Assistant: a real broker, and a client that speaks for Home Assistant."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S
from tests.daemon.test_settings import overwrite, serve, write_file, written

JSON = Any  # JSON


def write_file_with_broker(folder: Path, page: int, broker: int, table: str = "") -> Path:
    """Returns the file of a daemon on this broker."""
    file = write_file(folder, page, table=table)
    overwrite(file, written(file).replace("on = false", "on = true", 1).replace("port = 1883", f"port = {broker}", 1))
    return file


async def find_devices(client: aiohttp.ClientSession, known: str) -> JSON:
    """Returns the devices once this is known of Home Assistant."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with client.get("/api/settings/home_assistant") as answer:
                found = await answer.json()
            if found["home_assistant"] == known:
                return found["devices"]
            await asyncio.sleep(0.05)


async def test_it_lists_what_is_announced_and_says_what_is_known(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    page, port = unused_tcp_port_factory(), unused_tcp_port_factory()
    file = write_file_with_broker(tmp_path, page, port)
    async with Mosquitto(mosquitto_path, tmp_path / "broker", port), serve(file) as client:
        (device,) = await find_devices(client, "unread")
        async with Display(port) as home_assistant:
            (topic,) = [each for each in home_assistant.now if each.startswith("homeassistant/device/")]
            announced = json.loads(home_assistant.now[topic])
            assert device["name"] == announced["device"]["name"]
            names = [(each["name"], each["platform"]) for each in device["entities"]]
            components = announced["components"].values()
            assert [platform for _, platform in names] == [each["platform"] for each in components]
            assert {name for name, _ in names} >= {each["name"] for each in components if each.get("name")}
            await home_assistant.say("homeassistant/status", "online")
            await find_devices(client, "online")
            await home_assistant.say("homeassistant/status", "offline")
            await find_devices(client, "unknown")
