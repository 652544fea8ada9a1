"""The configurations of mosquitto that oche ships: each login may do its part and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import aiomqtt
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from tests.daemon.display import Display
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.test_broker_tls import make_certificates

USERS = {"oche": "bridge", "homeassistant": "home", "tablet": "wall"}
HANDS = 'game = "dards"\noptions = { mode = "dealt" }'


def login(folder: Path, name: str = "oche", more: str = "") -> str:
    """Lines for `[mqtt]`."""
    (folder / "password").write_text(USERS[name], encoding="utf-8")
    return f'username = "{name}"\npassword_file = "{folder}/password"\n{more}'


@pytest.fixture
async def running(tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    folder = tmp_path / "mosquitto"
    setup = read_config(configure(tmp_path, unused_tcp_port, HANDS, mqtt=login(tmp_path)))
    async with (
        Mosquitto(mosquitto_path, folder, unused_tcp_port, users=USERS, shipped="oche.conf"),
        run_daemon(setup) as running,
    ):
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        yield running


async def test_each_login_may_do_its_part(running: RunningDaemon, unused_tcp_port: int) -> None:
    async with (
        Display(unused_tcp_port, username="oche", password="bridge") as bridge,
        Display(unused_tcp_port, username="homeassistant", password="home") as home,
        Display(unused_tcp_port, username="tablet", password="wall") as tablet,
    ):
        hand = "oche/table/main/seat/0/state"
        await bridge.until(lambda: hand in bridge.now)
        for display in (home, tablet):
            await display.until_line(1)
            await display.until(partial(says_online, display))
            assert not [topic for topic in display.now if "/seat/" in topic]
        await home.until(lambda: "homeassistant/device/oche_main/config" in home.now)
        assert not [topic for topic in tablet.now if topic.startswith("homeassistant/")]

        await tablet.say("oche/table/main/cmd/game", "cricket")
        await home.say("oche/table/main/cmd/game", "shanghai")
        await home.until(lambda: '"shanghai"' in home.now.get("oche/table/main/next", ""))
        planned = [message.text for message in home.messages if message.topic == "oche/table/main/next"]
        assert not [plan for plan in planned if '"cricket"' in plan]
        assert (await home.ask("start", {}))["status"] == "ok"


@pytest.mark.parametrize("is_allowed", [False, True], ids=["as it ships", "without the marks"])
async def test_home_assistant_asks_the_bridge_only_once_the_owner_allows_it(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, *, is_allowed: bool
) -> None:
    rules = (SHIPPED / "acl").read_text(encoding="utf-8")
    setup = read_config(configure(tmp_path, unused_tcp_port, mqtt=login(tmp_path, more="requests = true")))
    broker = Mosquitto(
        *(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port),
        users=USERS,
        shipped="oche.conf",
        acl=rules.replace("\n#topic", "\ntopic") if is_allowed else None,
    )
    async with (
        broker,
        run_daemon(setup) as running,
        Display(unused_tcp_port, username="homeassistant", password="home") as home,
        Display(unused_tcp_port, username="oche", password="bridge") as bridge,
    ):
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        await home.say("oche/bridge/oche/request/options", "{}")
        await home.say("oche/bridge/oche/request/identify", "main")
        await home.say("oche/bridge/oche/request/restart", "")
        await bridge.say("oche/bridge/oche/request/identify", "main")
        names = ["options", "identify", "restart"] if is_allowed else []
        await bridge.until(lambda: sorted(list_answered(bridge)) == sorted([*names, "identify"]))


def list_answered(display: Display) -> list[str]:
    """The requests to the bridge that were answered."""
    topics = (message.topic for message in display.messages)
    return [topic.rpartition("/")[2] for topic in topics if topic.startswith("oche/bridge/oche/response/")]


def says_online(display: Display) -> bool:
    return display.now.get("oche/bridge/oche/state") == "online"


async def test_anonymous_clients_are_refused(running: RunningDaemon, unused_tcp_port: int) -> None:
    for username, password in ((None, None), ("oche", "wrong"), ("nobody", "bridge")):
        with pytest.raises(aiomqtt.MqttError, match="Not authorized"):
            await Display(unused_tcp_port, username=username, password=password).__aenter__()


async def test_with_tls_and_an_authority_of_your_own(
    tmp_path: Path, mosquitto_path: Path, openssl_path: Path, unused_tcp_port: int
) -> None:
    folder = tmp_path / "mosquitto"
    make_certificates(folder, "localhost")
    own = login(tmp_path, more=f'tls = true\nca_file = "{folder}/ca.crt"')
    file = configure(tmp_path, unused_tcp_port, mqtt=own)
    file.write_text(file.read_text().replace('host = "127.0.0.1"', 'host = "localhost"'), encoding="utf-8")
    broker = Mosquitto(mosquitto_path, folder, unused_tcp_port, users=USERS, shipped="oche-tls.conf")
    async with broker, run_daemon(read_config(file)) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
