"""What a broker denies, or that it is none: the daemon's log, its page and `oche doctor` say the same sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.credentials import read_password
from daemon.config.reader import CheckedConfig, read_config
from daemon.config.sections import Mqtt
from daemon.errors import UserError
from tests.daemon.display import Display
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import Process, broken_mosquitto, configure, eventually, run
from tests.daemon.relay import saying

RULES = (SHIPPED / "acl").read_text(encoding="utf-8")
USERS = {"oche": "bridge"}
OUR_TABLE = "topic readwrite oche/table/main/#\n"
DENIALS = {
    "state": (
        RULES.replace(OUR_TABLE, f"topic deny oche/table/main/state\n{OUR_TABLE}"),
        ["the broker does not let oche use oche/table/main/state: ", "topic readwrite oche/table/main/#"],
    ),
    "commands": (
        RULES.replace(OUR_TABLE, OUR_TABLE.replace("readwrite", "write")),
        ["the broker does not let oche use oche/table/main/cmd/echo and ", "topic readwrite oche/table/main/#"],
    ),
    "discovery": (
        RULES.replace("topic write homeassistant/", "topic read homeassistant/"),
        ["the broker does not let oche use homeassistant/device/", "topic write homeassistant/device/+/config"],
    ),
}


def with_login(folder: Path, port: int, more: str = "") -> Path:
    (folder / "password").write_text("bridge", encoding="utf-8")
    (folder / "password").chmod(0o600)
    return configure(folder, port, mqtt=f'username = "oche"\npassword_file = "{folder}/password"\n{more}')


async def found(setup: CheckedConfig, verdict: str = "problem") -> str:
    """What the doctor says, one line each."""
    return "\n".join([str(check) async for check in check_running(setup) if check.verdict == verdict])


@pytest.mark.slow
@pytest.mark.parametrize("denied", DENIALS)
async def test_what_an_acl_denies(
    tmp_path: Path,
    mosquitto_path: Path,
    unused_tcp_port_factory: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    denied: str,
) -> None:
    """It is found within seconds, and forgotten when the ACL is mended."""
    monkeypatch.setattr("daemon.mqtt.link._RETEST_S", 0.1)
    monkeypatch.setattr("daemon.mqtt.probe.ECHO_S", 1.0)
    acl, sentence = DENIALS[denied]
    port = unused_tcp_port_factory()
    file = with_login(tmp_path, port)
    file.write_text(file.read_text().replace("port = 0\n", f"port = {unused_tcp_port_factory()}\n"), encoding="utf-8")
    setup = read_config(file)
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", port, users=USERS, shipped="oche.conf", acl=acl)
    async with broker, run_daemon(setup) as running:
        await eventually(lambda: running.mqtt.status.sentence.startswith("connected, but "))
        assert all(words in running.mqtt.status.sentence for words in [*sentence, "add to its ACL, for user oche: "])
        assert sentence[0] in await found(setup)
        async with aiohttp.ClientSession(running.page) as web:
            async with web.get("/api/broker") as answer:
                assert (await answer.json())["text"] == running.mqtt.status.sentence
            broker.heed(RULES)
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            async with web.get("/api/broker") as answer:
                assert (await answer.json())["text"] == ""
        assert not await found(setup)


async def test_all_is_well_beside_the_daemon_and_without_it(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    file = with_login(tmp_path, unused_tcp_port)
    folder = tmp_path / "mosquitto"
    async with (
        Mosquitto(mosquitto_path, folder, unused_tcp_port, users=USERS, shipped="oche.conf"),
        Display(unused_tcp_port, username="oche", password="bridge") as display,
    ):
        async with run_daemon(read_config(file)) as running:
            await eventually(lambda: running.mqtt.status.sentence == "connected")
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            before = dict(display.now)
            assert not await found(read_config(file))
            assert running.mqtt.reconnects == 0
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
        told = await run("doctor", "--json", "--config", file)
        checks = [json.loads(line) for line in told.output.splitlines()]
        checks = checks[[check["name"] for check in checks].index("daemon") :]
        assert {check["verdict"] for check in checks} == {"ok"}, told.output
        names = "daemon password port login anonymous commands retained bridge topics discovery duplicates".split()
        assert [check["name"] for check in checks] == names
        for topic in ("oche/table/main/state", "oche/bridge/oche/info", "oche/table/main/attr/game"):
            assert display.now[topic] == before[topic]


async def test_a_twin_is_seen(tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int) -> None:
    (tmp_path / "second").mkdir()
    twin = read_config(configure(tmp_path / "second", unused_tcp_port))
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port),
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
    ):
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        warnings = await found(twin, "warning")
        rename = "give one of the two another name below [bridge], and restart it"
        assert f"another oche is online as oche: {rename}" in warnings
        assert "anyone who can reach the broker can read and command everything" in warnings
        assert running.mqtt.status.sentence == "connected"


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH\r\n"])
async def test_something_that_is_no_broker(tmp_path: Path, answer: bytes) -> None:
    async with saying(answer) as port:
        setup = read_config(configure(tmp_path, port))
        sentence = f"the server at 127.0.0.1:{port} does not answer like a broker: check mqtt.host and mqtt.port"
        assert sentence in await found(setup)
        async with run_daemon(setup) as running:
            await eventually(lambda: running.mqtt.status.sentence == sentence)


async def test_a_port_without_a_listener_is_reported(tmp_path: Path, unused_tcp_port: int) -> None:
    file = with_login(tmp_path, unused_tcp_port)
    (tmp_path / "password").chmod(0o644)
    told = await run("doctor", "--config", file)
    assert told.process.returncode == 1
    *_, password, port, total = told.output.splitlines()
    assert "problem" in total
    assert password.startswith("warning  password    every user of this machine can read")
    sentence = f"no broker answers at 127.0.0.1:{unused_tcp_port}: start it, or check mqtt.host and mqtt.port"
    assert port == f"problem  port        {sentence}"


@pytest.mark.long
@pytest.mark.parametrize(("is_embedded", "version"), [(False, "MQTT 5"), (True, "MQTT 3.1.1")])
async def test_the_broker_that_oche_starts_is_examined_too(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, is_embedded: bool, version: str
) -> None:
    """From beside it looks like any other."""
    file = configure(tmp_path, unused_tcp_port)
    file.write_text(file.read_text().replace('host = "127.0.0.1"\n', ""), encoding="utf-8")
    setup = read_config(file)
    assert "the daemon starts its own for this machine only" in await found(setup, "ok")
    env = broken_mosquitto(tmp_path) if is_embedded else None
    async with Process("run", "--config", file, env=env) as daemon:
        await daemon.said("broker: connected")
        (tmp_path / "other").mkdir()
        other = read_config(configure(tmp_path / "other", unused_tcp_port, bridge='name = "other"'))
        said = ""
        for beside in (setup, other):
            checks = [check async for check in check_running(beside)]
            assert not [check for check in checks if check.verdict == "problem"]
            said = "\n".join(map(str, checks))
            assert version in said
        assert "the broker accepts everything that can be tested without others noticing" in said
        assert "the table main also belongs to another oche, the bridge oche: " in said
        elsewhere = file.read_text().replace(f"{tmp_path}/state", f"{tmp_path}/elsewhere")
        file.write_text(elsewhere, encoding="utf-8")
        assert f"port {unused_tcp_port} is in use, perhaps by another broker" in await found(read_config(file))
        assert await daemon.stop() == 0


@pytest.mark.parametrize(
    ("place", "text", "found"),
    [
        ("credential", "bridge", "bridge"),
        ("file", "bridge\n", "bridge"),
        ("variable", "bridge", "bridge"),
        ("credential", "", "the file is empty"),
        ("file", "", "the file is empty"),
        ("file", "\udcff", "it is not UTF-8 text"),
    ],
)
def test_where_the_password_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, text: str, found: str
) -> None:
    """The credential before the file, and the file before the environment."""
    order = ["credential", "file", "variable"]
    here = {each: text if each == place else "wrong" for each in order[order.index(place) :]}
    if "credential" in here:
        (tmp_path / "mqtt-password").write_text(here["credential"], encoding="utf-8")
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    file = tmp_path / "password"
    if "file" in here:
        file.write_bytes(here["file"].encode(errors="surrogateescape"))
    monkeypatch.setenv("OCHE_MQTT_PASSWORD", here["variable"])
    mqtt = Mqtt(username="oche", password_file=str(file) if "file" in here else None)
    if found == "bridge":
        assert read_password(mqtt) == found
    else:
        with pytest.raises(UserError, match=found):
            read_password(mqtt)
