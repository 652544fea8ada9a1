"""Which broker `oche play` takes, and that on one of others it is a guest that leaves nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually
from tests.daemon.test_play import found

SPEED = ("play", "--port", "0", "--speed", "20")
# The programs and the library that make a broker are not there.
NO_BROKER = """
import os, sys
from daemon.mqtt import local_broker
local_broker._PATH = os.environ["PATH"] = "/nonexistent"
sys.modules["amqtt"] = None
sys.argv = ["oche", *sys.argv[3:]]
from daemon.cli import main
main()
"""


@pytest.mark.slow
async def test_it_is_a_guest_on_the_broker_that_is_configured(tmp_path: Path, broker: Mosquitto) -> None:
    """The daemon's own topics, its connection and Home Assistant see nothing of it, and at the end nothing is left."""
    file = configure(tmp_path, broker.port, mqtt='base = "club"')
    async with Process("run", "--config", file) as daemon, Display(broker.port) as display:
        await daemon.runs()
        await display.until(lambda: display.now.get("club/bridge/oche/state") == "online")
        async with Process(*SPEED, "--config", file, python=()) as demo:
            await demo.said("Ctrl-C ends it.")
            assert f"127.0.0.1:{broker.port}, retained state on club/play/table/main/state\n" in demo.output
            await display.until(lambda: "club/play/table/main/state" in display.now)
            await display.until(lambda: display.now.get("club/play/bridge/play/state") == "online")
            async with Process(*SPEED, "--config", file, python=()) as second:
                await second.said("Ctrl-C ends it.")
                assert f"(another oche on the broker 127.0.0.1:{broker.port} also has the name play)" in second.output
                assert await second.stop(signal.SIGINT) == 0
            assert await demo.stop(signal.SIGINT) == 0
        announced = {topic for topic in display.now if topic.startswith("homeassistant/")}
        assert announced == {"homeassistant/device/oche_main/config"}
        assert "club/play" not in display.now["homeassistant/device/oche_main/config"]
        assert display.now["club/bridge/oche/state"] == "online"
        assert "lost" not in daemon.errors
        assert await daemon.stop() == 0
    async with Display(broker.port) as late:
        await late.say("after", "all that is kept has come")
        await late.until(lambda: "after" in late.now)
        assert [topic for topic, text in late.now.items() if topic.startswith("club/play/") and text] == []


@pytest.mark.parametrize("reason", ["acl", "away"])
@pytest.mark.long
async def test_a_configured_broker_that_cannot_be_used_is_passed_over(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int], reason: str
) -> None:
    port = unused_tcp_port_factory()
    acl = "topic readwrite oche/table/main/#\ntopic readwrite oche/bridge/oche/#\n"
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", port, acl=acl)
    if reason == "acl":
        await broker.start()
    try:
        async with Process(*SPEED, "--config", configure(tmp_path, port), python=()) as demo:
            await demo.said("Ctrl-C ends it.")
            own = int(found(demo, r"MQTT        127\.0\.0\.1:(\d+), retained state on oche/table/main/state \("))
            assert own not in (port, 1883), "where a broker is to be started"
            assert ("does not let oche use oche/play" if reason == "acl" else "no broker answers at") in demo.output
            async with Display(own) as display:
                await display.until(lambda: "oche/table/main/state" in display.now)
            assert await demo.stop(signal.SIGINT) == 0
    finally:
        await broker.kill()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["play", "run"])
async def test_without_any_broker_there_is_the_page_alone(tmp_path: Path, command: str) -> None:
    arguments = [*SPEED] if command == "play" else ["run", "--config", str(configure(tmp_path))]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    async with Process(*arguments, env=env, python=("-c", NO_BROKER)) as daemon:
        if command == "play":
            await daemon.said("Ctrl-C ends it.")
            assert (
                "\nMQTT        none, so you can use the page only (no broker is configured and none is" in daemon.output
            )
            page = found(daemon, r"Scoreboard  (\S+)")
        else:
            page = await daemon.runs()
        async with aiohttp.ClientSession(page) as web:

            async def is_thrown() -> bool:
                if command == "run":
                    async with web.post("/api/table/main/throw", json={"throw": "T20"}) as answer:
                        assert answer.status == 200
                async with web.get("/api/table/main/state") as answer:
                    return bool((await answer.json())["line"] > 3)

            await eventually(is_thrown)
            async with web.get("/api/broker") as answer:
                assert await answer.json() == {"text": ""}, "no warning of what is not wanted"
        assert await daemon.stop(signal.SIGINT) == 0
    assert not (tmp_path / "state" / "said.json").exists(), "what an earlier run said is to be taken back later"
    assert "Traceback" not in daemon.errors
