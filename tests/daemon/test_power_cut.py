"""A power cut ends the daemon and its broker at once, so that nobody says `offline`: `online` goes by itself.

In MQTT 5 the broker forgets it, where the daemon does not say it again; in MQTT 3.1.1 the health says until when.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jinja2
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from protocol.topics import TOPICS
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, broken_mosquitto, configure, eventually
from tests.daemon.test_discovery import DEVICE
from tests.daemon.test_doctor import told

BRIDGE, BOARD = "oche/bridge/oche/state", "oche/table/main/board/state"
INFO, HEALTH = "oche/bridge/oche/info", "oche/bridge/oche/health"
KEPT_S = 2


@pytest.fixture
def soon_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("bridge_state", "board_state", "bridge_health"):
        monkeypatch.setitem(TOPICS, kind, TOPICS[kind]._replace(expiry_s=KEPT_S))
    monkeypatch.setattr("daemon.mqtt.link.KEPT_S", KEPT_S)


@pytest.mark.slow
@pytest.mark.usefixtures("soon_forgotten")
async def test_nothing_says_online_when_the_broker_alone_comes_back(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port))
    memory = tmp_path / "mosquitto" / "mosquitto.db"
    async with Mosquitto(mosquitto_path, memory.parent, unused_tcp_port, remembers=True) as broker:
        async with run_daemon(setup):
            await board.wait_until_open()
            async with Display(unused_tcp_port) as display:
                await display.until(lambda: display.now.get(BRIDGE) == display.now.get(BOARD) == "online")
            await eventually(lambda: memory.exists() and memory.read_bytes().count(b"online") >= 2)
            await broker.kill()  # before the daemon: its last words are heard by nobody
        await asyncio.sleep(KEPT_S + 1)  # mosquitto counts whole seconds
        await broker.start()
        kept = await find_retained(Display(unused_tcp_port))
        assert "online" not in kept.values()
        assert kept.keys() >= {INFO, DEVICE, "oche/table/main/state"}, "the rest is for ever"
        named = {each["topic"] for each in json.loads(kept[DEVICE])["availability"]}
        assert named == {BRIDGE, BOARD, HEALTH}, "entities are unavailable until each of these has a message"
        assert not named & kept.keys()
        assert (await told(setup))["topics"].startswith("ok")


@pytest.mark.slow
@pytest.mark.usefixtures("soon_forgotten")
async def test_online_is_said_again_and_again_and_offline_once(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with Display(broker.port) as display, run_daemon(read_config(configure(tmp_path, broker.port))):

        def said(topic: str) -> list[str]:
            return [message.text for message in display.messages if message.topic == topic]

        await board.wait_until_open()
        await display.until(lambda: min(said(BRIDGE).count("online"), said(BOARD).count("online")) >= 3)
        session = json.loads(display.now[INFO])["session"]
        assert session == display.state()["session"]
        assert len(said(INFO)) == 1, "what is said again is `online` alone"
        await board.unplug()
        await display.until(lambda: said(BOARD)[-1] == "offline")
        before = said(BRIDGE).count("online")
        await display.until(lambda: said(BRIDGE).count("online") >= before + 2)
        assert said(BOARD).count("offline") == 1 + (said(BOARD)[0] == "offline")


def is_good(template: str, report: str) -> str:
    """What Home Assistant makes of a health report."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.globals |= {"as_datetime": datetime.fromisoformat, "now": lambda: datetime.now(UTC)}
    return environment.from_string(template).render(value_json=json.loads(report))


@pytest.mark.slow
async def test_in_mqtt_3_the_health_says_until_when_it_is_good(tmp_path: Path, unused_tcp_port: int) -> None:
    """On the embedded broker, which speaks no other."""
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    async with Process("run", "--config", file, env=broken_mosquitto(tmp_path)) as daemon:
        await daemon.runs()
        async with Display(unused_tcp_port, version=4) as display:
            await display.until(lambda: "good_until" in display.now.get(HEALTH, ""))
            await display.until(lambda: DEVICE in display.now)
            health, device = json.loads(display.now[HEALTH]), json.loads(display.now[DEVICE])
        assert await daemon.stop() == 0
    template = next(each["value_template"] for each in device["availability"] if each["topic"] == HEALTH)
    until = datetime.fromisoformat(health["good_until"])
    assert timedelta(0) < until - datetime.fromtimestamp(file.stat().st_mtime, UTC)
    assert until <= datetime.now(UTC) + timedelta(seconds=90)
    for shift_s, expected in ((600, "online"), (-600, "offline")):
        moved = health | {"good_until": (until + timedelta(seconds=shift_s)).isoformat()}
        assert is_good(template, json.dumps(moved)) == expected
    del health["good_until"]
    assert is_good(template, json.dumps(health)) == "online", "in MQTT 5 no clock has to be right"
