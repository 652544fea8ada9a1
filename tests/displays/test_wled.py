"""The example for WLED, as a person at the strip sees it: every message it is sent, exactly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import JSON, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, throw
from tests.displays.example import DISPLAYS, documented, event, example, remembered, say

RED = {"on": True, "seg": {"fx": 0, "pal": 0, "col": [[255, 40, 0]]}}
BLUE = {"on": True, "seg": {"fx": 0, "pal": 0, "col": [[0, 80, 255]]}}
FIREWORKS = {"on": True, "seg": {"fx": 90, "sx": 200, "pal": 11}}
BLINK = {"on": True, "seg": {"fx": 1, "sx": 230, "pal": 0, "col": [[255, 0, 0], [0, 0, 0]]}}
RAINBOW = {"on": True, "seg": {"fx": 9, "sx": 200, "pal": 0}}
WINNER = {"on": True, "seg": {"fx": 2, "pal": 0, "col": [[0, 80, 255]]}}
AMBER = {"on": True, "seg": {"fx": 2, "pal": 0, "col": [[255, 120, 0]]}}
GLITTER = {"on": True, "seg": {"fx": 87, "pal": 11}}
OFF = {"on": False}
SHORT = "options = { start = 301 }"


def sent(display: Display) -> list[JSON]:
    """What the strip was sent, in order."""
    return [json.loads(message.text) for message in display.messages if message.topic == "wled/darts/api"]


async def until(display: Display, *looks: JSON) -> None:
    """Waits until the strip was sent these, and nothing else."""
    await display.until(lambda: len(sent(display)) >= len(looks))
    assert sent(display) == list(looks)


def patient(folder: Path) -> str:
    """A copy, as a user may make one, whose effects last until something ends them: no test is too slow for it."""
    text = (DISPLAYS / "wled" / "wled.py").read_text(encoding="utf-8")
    (folder / "wled.py").write_text(re.sub(r"\(\d+, {", "(600, {", text), encoding="utf-8")
    return str(folder / "wled.py")


@pytest.mark.long
async def test_the_strip_plays_along(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    file = configure(tmp_path, broker.port, SHORT)
    async with Process("run", "--config", file) as daemon, Display(broker.port) as display:
        await daemon.runs()
        await board.wait_until_open()
        throw(board, "T20", "T20", "T20")
        await display.until_line(4)
        async with example(patient(tmp_path), *documented("wled/wled.py", broker.port), log=tmp_path / "log") as strip:
            await until(display, RED)  # it came late: the state is enough, and the old 180 is no news

            board.press("next")
            throw(board, "T20", "T20", "T20")
            await until(display, RED, BLUE, FIREWORKS)
            await display.say("wled/darts/status", "online", retain=True)  # WLED boots: it has forgotten all
            await until(display, RED, BLUE, FIREWORKS, FIREWORKS)
            await display.say("wled/darts/status", "online", retain=True)  # and says so again after each change
            await display.say("oche/table/main/cmd/undo")
            await until(display, RED, BLUE, FIREWORKS, FIREWORKS, BLUE)
            throw(board, "I1")
            low_ton = [RED, BLUE, FIREWORKS, FIREWORKS, BLUE, GLITTER]
            await until(display, *low_ton)
            board.press("next")
            throw(board, "T20", "T11", "D14")  # 121 left, and a low ton again
            await until(display, *low_ton, RAINBOW)

            await board.unplug()
            await display.until(lambda: display.now["oche/table/main/board/state"] == "offline")
            await display.say("oche/table/main/cmd/undo")
            await display.until(lambda: sent(display)[-2:] == [RAINBOW, AMBER])
            board.plug()
            await display.until(lambda: sent(display)[-1] == RED)

            await daemon.kill()
            await display.until(lambda: sent(display)[-2:] == [RED, OFF])
            async with Process("run", "--config", file) as again:
                await again.runs()
                await display.until(lambda: sent(display)[-1] == RED)
            await display.until(lambda: sent(display)[-1] == OFF)
            strip.terminate()
            await display.until(lambda: sent(display)[-2:] == [OFF, OFF])  # its last will


async def test_nothing_is_played_twice_and_what_is_new_is_let_be(tmp_path: Path, broker: Mosquitto) -> None:
    """The broker restarts and forgets; events come double; a later oche knows events that this program does not."""
    state = {"phase": "throwing", "turn": {"side": 0}, "winners": []}
    async with example(patient(tmp_path), *documented("wled/wled.py", broker.port), log=tmp_path / "log"):
        async with Display(broker.port) as display:
            await say(display, state)
            await until(display, RED)
            await event(display, 2, "bust")
            await event(display, 3, "undone")
            await event(display, 2, "bust")
            await event(display, 4, "moon_landing", crater=[1, 2])
            await event(display, 5, "award", award="180")
            await until(display, RED, BLINK, RED, FIREWORKS)
            await event(display, 6, "undone")
            await until(display, RED, BLINK, RED, FIREWORKS, RED)
            assert await remembered(broker.port) == {"oche"}, "WLED would obey what is retained at every boot"
            await broker.kill()
        await broker.start()
        async with Display(broker.port) as display:
            await event(display, 2, "bust")
            await say(display, state)
            await until(display, RED)
            await say(display, state | {"phase": "over", "winners": [1]})
            await until(display, RED, WINNER)


@pytest.mark.slow
async def test_an_effect_ends_by_itself(tmp_path: Path, broker: Mosquitto) -> None:
    async with (
        Display(broker.port) as display,
        example("wled/wled.py", *documented("wled/wled.py", broker.port), log=tmp_path / "log"),
    ):
        await say(display, {"phase": "throwing", "turn": {"side": 1}, "winners": []})
        await until(display, BLUE)
        await event(display, 2, "bust")
        await until(display, BLUE, BLINK, BLUE)


@pytest.mark.parametrize("how", ["file", "environment"])
async def test_a_login(tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, how: str) -> None:
    login = {"username": "strip", "password": "three in a bed"}
    secret = tmp_path / "password"
    secret.write_text(f"{login['password']}\n")
    words = ("--password-file", str(secret)) if how == "file" else ()
    env = {} if how == "file" else {"MQTT_PASSWORD": login["password"]}
    users = {login["username"]: login["password"]}
    async with Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users=users) as broker:
        more = (*documented("wled/wled.py", broker.port), "--username", "strip", *words)
        async with (
            Display(broker.port, **login) as display,  # type: ignore[arg-type]
            example("wled/wled.py", *more, log=tmp_path / "log", env=env),
        ):
            await say(display, {"phase": "throwing", "turn": {"side": 1}, "winners": []})
            await until(display, BLUE)
