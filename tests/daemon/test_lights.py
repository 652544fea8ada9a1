"""Lights of a whole daemon: what the rules name is shown on a controller, which is put back at the end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.lights import Light
from daemon.config.outlets import Outlets, Rule, Then
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.outlets import lights as lights_module
from daemon.outlets.lights import Lights
from daemon.outlets.rules import Happening
from daemon.table.effects import Update
from protocol.facts import Award, make_event
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, ended, eventually
from tests.daemon.wled import Wled, serve_wled

RULES = """
[[outlets.light]]
name = "ring"
url = "{url}"
brightness = 200
idle = {{ Bo = "blue" }}

[[outlets.scene]]
name = "stay"
colours = ["#123456"]
seconds = 0

[[outlets.rule]]
on = "180"
then = {{ light = "stay" }}
"""


def write_config(folder: Path, wled: Wled) -> Path:
    return configure(folder, board="none", profile="plain-standard", more=RULES.format(url=wled.url))


async def test_a_daemon_shows_the_scenes_of_its_rules_and_puts_the_light_back(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        before = wled.look
        async with run_daemon(read_config(write_config(tmp_path, wled))) as running:
            table = running.tables["main"]
            for _ in range(3):
                await give(table, {"throw": "T20"}, "page")
            await eventually(lambda: wled.colour == [0x12, 0x34, 0x56])
            assert wled.state["bri"] == 200
            await give(table, {"next": True}, "page")
            await eventually(lambda: wled.colour == [0, 0, 255])
        assert wled.look == before
        assert not [*(tmp_path / "state").glob("light.*")]


@pytest.mark.slow
async def test_a_light_that_a_killed_daemon_has_left_on_is_put_back_at_the_next_start(
    broker: Mosquitto, tmp_path: Path
) -> None:
    async with serve_wled(Wled()) as wled, Display(broker.port) as display:
        before = wled.look
        lights = RULES.format(url=wled.url)
        file = configure(tmp_path, broker.port, board="none", profile="plain-standard", more=lights)
        async with Process("run", "--config", file) as process:
            await process.runs()
            await display.until(lambda: "oche/table/main/state" in display.now)
            for _ in range(3):
                await display.ask("throw", {"throw": "T20"})
            await eventually(lambda: wled.colour == [0x12, 0x34, 0x56])
            await process.kill()
        assert wled.look != before
        async with Process("run", "--config", file) as process:
            await eventually(lambda: wled.look == before)
            await process.stop()
        assert not [*(tmp_path / "state").glob("light.*")]


async def test_a_light_that_is_away_is_a_trouble_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lights_module, "_PAUSES_S", (0.01,))
    troubles: dict[str, str] = {}
    async with serve_wled(Wled()) as wled:
        before, lights = wled.look, Lights(with_light(wled), tmp_path, troubles, publish_nothing)
        running = asyncio.create_task(lights.run())
        wled.is_away = True
        take(lights)
        await eventually(lambda: troubles == {"light ring": "it answered with status 503"})
        wled.is_away = False
        await eventually(lambda: wled.colour == [255, 0, 0])
        await eventually(lambda: not troubles)
        await lights.close()
        assert wled.look == before
        await ended(running)


async def test_over_mqtt_colours_and_presets_are_shown_and_the_configured_preset_after_them(
    broker: Mosquitto, tmp_path: Path
) -> None:
    text = RULES.format(url="mqtt:wled/ring").replace("brightness", "put_back = 9\nbrightness")
    own = '[[outlets.rule]]\non = "bust"\nthen.light = "rainbow"\n'
    file = configure(tmp_path, broker.port, board="none", profile="plain-standard", more=text + own)
    left_on = tmp_path / "state" / "light.ring.json"
    left_on.parent.mkdir()
    left_on.touch()
    async with Display(broker.port) as display:

        def sent() -> list[object]:
            return [json.loads(m.text) for m in display.messages if m.topic == "wled/ring/api"]

        async with run_daemon(read_config(file)) as running:
            await display.until(lambda: sent() == [{"ps": 9}])
            table = running.tables["main"]
            for _ in range(3):
                await give(table, {"throw": "T20"}, "page")
            colour = {"fx": 0, "pal": 0, "col": [[0x12, 0x34, 0x56]]}
            await display.until(lambda: sent()[1:] == [{"on": True, "bri": 200, "tt": 0, "seg": colour}])
        await display.until(lambda: sent()[2:] == [{"ps": 9}])
    assert not [*left_on.parent.glob("light.*")]


async def test_a_rule_may_name_lights_and_several_scenes(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as left, serve_wled(Wled()) as right:
        both = Outlets(light=(Light("left", left.url), Light("right", right.url)))
        lights = Lights(both, tmp_path, {}, publish_nothing)
        running = asyncio.create_task(lights.run())
        take(lights, Then(light=("red", "green"), lights="right"))
        await eventually(lambda: right.colour in ([255, 0, 0], [0, 255, 0]))
        assert left.requests == []
        await lights.close()
        await ended(running)


@pytest.mark.parametrize(("board", "profile"), [("tcp:127.0.0.1:1", "darts-connect"), ("web:127.0.0.1:1", "autodarts")])
async def test_at_a_board_that_is_a_camera_a_light_waits_for_the_last_dart(
    tmp_path: Path, board: str, profile: str
) -> None:
    async with serve_wled(Wled()) as ring, serve_wled(Wled()) as free:
        lights = f"""
        [[outlets.light]]
        name = "ring"
        url = "{ring.url}"
        [[outlets.light]]
        name = "free"
        url = "{free.url}"
        during_visit = true
        [[outlets.rule]]
        on = "bullseye"
        then = {{ light = "red" }}
        """
        file = configure(tmp_path, board=board, profile=profile, more=lights)
        async with run_daemon(read_config(file)) as running:
            await give(running.tables["main"], {"throw": "DB"}, "page")
            await eventually(lambda: free.colour == [255, 0, 0])
            await give(running.tables["main"], {"undo": True}, "page")
            await eventually(lambda: free.colour != [255, 0, 0])
            assert [asked for asked in ring.requests if asked is not None] == []
            for dart in ("DB", "O1", "O1"):
                await give(running.tables["main"], {"throw": dart}, "page")
            await eventually(lambda: ring.colour == [255, 0, 0])


def publish_nothing(text: str, value: object) -> bool:
    return False


def with_light(wled: Wled) -> Outlets:
    return Outlets(light=(Light("ring", wled.url),))


def take(lights: Lights, then: Then | None = None) -> None:
    """Has the lights show what a 180 leads to."""
    desk = Desk()
    desk.throw("T20")
    event = make_event(Award(side=0, award="180"), match="m", line=1, player="Ann")
    lights.follow(Update("main", desk.state, (event,)))
    rule = Rule("180", then or Then(light="red"))
    lights.take(rule, Happening("main", event, desk.state, find_layout("standard")))


AT = '[[outlets.light]]\nname = "ring"\nurl = "{}"'


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('[[outlets.rule]]\non = "180"\nthen.light = "green"', r"there is no light yet: add an \[\[outlets.light\]\]"),
        ('LIGHT\n[[outlets.rule]]\non = "180"\nthen.light = "gren"', "there is no scene 'gren'; did you mean 'green'"),
        (
            'LIGHT\n[[outlets.rule]]\non = "180"\nthen = {light = "red", lights = "rign"}',
            r"no \[\[outlets.light\]\] is",
        ),
        ('LIGHT\n[[outlets.rule]]\non = "180"\nthen.lights = "ring"', 'name the scene too: light = "green"'),
        ('LIGHT\nidle = {Ann = "yellow"}', "there is no scene 'yellow'"),
        ("LIGHT\nput_back = 3", "put_back belongs to lights over MQTT"),
        ('[[outlets.light]]\nname = "ring"\nurl = "mqtt:wled/ring"', "put_back belongs to lights over MQTT"),
        ('LIGHT\ntable = "mian"', "there is no 'mian'; did you mean 'main'"),
        ('LIGHT\ntable = ["main", "bar"]', "there is no 'bar'"),
        (AT.format("http://me:secret@a"), "^(?!.*secret).*others can see an address with a password"),
        (AT.format("http://:80"), "'http://:80' is not a web address"),
        (AT.format("http://a:99999"), "'http://a:99999' is not a web address"),
        (AT.format("http://[::1"), "is not a web address"),
        (AT.format("mqtt:wled/ring") + "\nput_back = 1", "only the broker reaches this light: write on = true below"),
        ("LIGHT\nLIGHT", "there are two of the name 'ring': rename one"),
        ('LIGHT\n[[outlets.light]]\nname = "other"\nurl = "http://A:80/"', "two lights have this address"),
        ('LIGHT\n[[outlets.scene]]\nname = "x"\ncolours = ["red"]', "colours"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(tmp_path: Path, lines: str, why: str) -> None:
    text = lines.replace("LIGHT", AT.format("http://a"))
    file = configure(tmp_path, board="none", profile="plain-standard", more=text)
    with pytest.raises(UserError, match=why):
        read_config(file)
