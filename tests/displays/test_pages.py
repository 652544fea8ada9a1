"""What the pages of the displays say of themselves."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import aiomqtt
import pytest

from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import eventually
from tests.displays import test_awtrix, test_wled
from tests.displays.example import DISPLAYS, process

PAGE = (DISPLAYS / "README.md").read_text(encoding="utf-8")
WITH_LOGINS, WITHOUT_LOGINS = re.findall(r"^```text\n((?:listener|protocol)[^`]+)```$", PAGE, re.MULTILINE)
"""Of mosquitto's configuration."""


def shown(folder: str) -> list[object]:
    """The messages in the tables of a page."""
    page = (DISPLAYS / folder / "README.md").read_text(encoding="utf-8")
    return [json.loads(found) for found in re.findall(r"\| `(\{.+?\})`", page)]


def test_the_messages_in_the_tables_are_those_that_are_sent() -> None:
    assert shown("wled") == [test_wled.RED, test_wled.FIREWORKS, test_wled.BLINK, test_wled.OFF]
    sent = [test_awtrix.page("Ann 181", 0, 33), test_awtrix.SWITCH, test_awtrix.notice(text="180!", rainbow=True)]
    assert shown("awtrix") == [message for _, message in sent]


async def connect(port: int, transport: str, **login: str) -> None:
    """Connects once; raises MqttError if the broker refuses that."""
    kind = "websockets" if transport == "websockets" else "tcp"
    async with aiomqtt.Client("127.0.0.1", port, transport=kind, **login):  # type: ignore[arg-type]
        pass


async def listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def test_mosquitto_lets_a_browser_in_without_a_login(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """And the daemon beside it, which has no login either."""
    port, browsers = unused_tcp_port_factory(), unused_tcp_port_factory()
    lines = WITHOUT_LOGINS.replace("listener 1883", f"listener {port}").replace("listener 9001", f"listener {browsers}")
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"user root\n{lines}", encoding="utf-8")

    async with process((str(mosquitto_path), "-c", str(config)), log=tmp_path / "log"):
        await eventually(partial(listens, browsers))
        await connect(port, "tcp")
        await connect(browsers, "websockets")


async def test_mosquitto_asks_a_browser_for_the_login_that_it_asks_others_for(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    port, browsers = unused_tcp_port_factory(), unused_tcp_port_factory()
    more = WITH_LOGINS.replace("listener 9001", f"listener {browsers}").splitlines()
    folder, users = tmp_path / "mosquitto", {"tablet": "wall"}
    async with Mosquitto(mosquitto_path, folder, port, users=users, shipped="oche.conf", more=more):
        await eventually(partial(listens, browsers))
        await connect(browsers, "websockets", username="tablet", password="wall")
        with pytest.raises(aiomqtt.MqttError, match="Not authorized"):
            await connect(browsers, "websockets")


def test_the_page_for_esphome_shows_every_secret() -> None:
    wanted = re.findall(r"!secret (\w+)", (DISPLAYS / "esphome" / "darts.yaml").read_text(encoding="utf-8"))
    page = (DISPLAYS / "esphome" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r'^ +(\w+): "', page.partition("```yaml")[2].partition("```")[0], re.MULTILINE) == wanted


def test_the_page_for_node_red_names_every_node_that_names_the_table_or_the_daemon() -> None:
    flow = json.loads((DISPLAYS / "node-red" / "flow.json").read_text(encoding="utf-8"))
    nodes = {node["name"]: node.get("topic", "") + node.get("func", "") for node in flow if "name" in node}
    page = (DISPLAYS / "node-red" / "README.md").read_text(encoding="utf-8")
    tables, daemon = re.findall(r"If your table is not (.+?)\. If `\[bridge\] name` (.+?); with", page, re.DOTALL)[0]
    assert {*re.findall(r"`(\w+)`", tables)} - {"main"} == {
        name for name, text in nodes.items() if "oche/table/main" in text
    }
    assert {*re.findall(r"`(\w+)`", daemon)} - {"oche"} == {
        name for name, text in nodes.items() if "oche/bridge/" in text
    }
