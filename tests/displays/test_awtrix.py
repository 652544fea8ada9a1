"""The example for AWTRIX 3, as the clock sees it: every message it is sent, exactly."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from protocol.topics import TOPICS, parse
from simulator.pty_board import PtyBoard
from tests.daemon.display import JSON, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, throw
from tests.displays.example import DISPLAYS, documented, event, example, remembered, say

SHORT = 'players = ["Ann {{wallet/balance}}", "Bo"]\noptions = { start = 301 }'
SWITCH = ("switch", {"name": "darts"})
GONE = ("custom/darts", None)


def page(text: str, side: int, progress: int) -> tuple[str, JSON]:
    colour = ("#FF5030", "#40A0FF")[side]
    look = {"text": text, "color": colour, "progress": progress, "noScroll": True, "lifetime": 90}
    return ("custom/darts", look)


def notice(**look: object) -> tuple[str, JSON]:
    return ("notify", {**look, "duration": 4, "stack": False, "wakeup": True})


def sent(display: Display) -> list[tuple[str, Any]]:  # Any: JSON, None for an empty payload
    """What the clock was sent, in order: the topic below its prefix, and the payload."""
    messages = [message for message in display.messages if message.topic.startswith("awtrix_a1b2c3/")]
    return [(m.topic.partition("/")[2], json.loads(m.text) if m.text else None) for m in messages]


@pytest.mark.slow
async def test_the_clock_shows_the_match(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """A name with braces would have the clock subscribe to another's topic and show what it says."""
    config = configure(tmp_path, broker.port, SHORT)
    config.write_text(config.read_text().replace('players = ["Ann", "Bo"]\n', "", 1), encoding="utf-8")
    async with Process("run", "--config", config) as daemon, Display(broker.port) as display:
        await daemon.runs()
        await board.wait_until_open()
        throw(board, "T20", "T20")
        await display.until_line(3)
        async with example("awtrix/awtrix.py", *documented("awtrix/awtrix.py", broker.port), log=tmp_path / "log"):
            first = [page("Ann 181", 0, 33), SWITCH]  # it came late: the state is enough
            await display.until(lambda: sent(display) == first)

            throw(board, "T20")
            hundred_eighty = notice(text="180!", rainbow=True)
            then = [*first, page("Ann 121", 0, 0), SWITCH, hundred_eighty]
            await display.until(lambda: len(sent(display)) >= len(then))
            assert sent(display) == then

            board.press("next")
            throw(board, "I1", "I1", "I1")
            await display.until(lambda: sent(display)[-2:] == [page("Bo 298", 1, 0), SWITCH])
            board.press("next")
            throw(board, "T20", "T11", "D14")
            winner = ("custom/darts", {"text": "Ann wal", "rainbow": True, "noScroll": True, "lifetime": 90})
            leg = notice(text="PERFECT LEG", rainbow=True)
            wins = notice(text="Ann walletbalance WINS", rainbow=True)
            await display.until(lambda: sent(display)[-3:] == [winner, leg, wins])

            await daemon.kill()
            await display.until(lambda: sent(display)[-1] == GONE)


async def test_nothing_is_flashed_up_twice_and_what_is_new_is_let_be(tmp_path: Path, broker: Mosquitto) -> None:
    """The broker restarts and forgets; events come double; a later oche knows events that this program does not."""
    log = tmp_path / "log"
    state = {  # EMMA 501 would be one pixel too wide
        "phase": "throwing",
        "turn": {"side": 2, "player": "Emma Watson", "darts": [], "darts_left": 0},
        "sides": [{"score": 1}, {"score": 2}, {"score": 501}],
        "winners": [],
    }
    shown: list[tuple[str, Any]] = [  # Any: JSON
        ("custom/darts", {"text": "Emm 501", "color": "#40E060", "progress": 0, "noScroll": True, "lifetime": 90}),
        SWITCH,
    ]
    async with example("awtrix/awtrix.py", *documented("awtrix/awtrix.py", broker.port), log=log) as clock:
        async with Display(broker.port) as display:
            await say(display, state)
            await display.until(lambda: sent(display) == shown)
            await event(display, 2, "bust")
            await event(display, 2, "bust")
            await event(display, 3, "moon_landing", crater=[1, 2])
            await event(display, 4, "award", award="three_in_a_bed")
            bed = [notice(text="BUST", color="#FF0000"), notice(text="three in a bed", rainbow=True)]
            await display.until(lambda: len(sent(display)) >= 4)
            assert sent(display) == shown + bed
            assert await remembered(broker.port) == {"oche"}
            await broker.kill()
        await broker.start()
        async with Display(broker.port) as display:
            await say(display, state)
            await display.until(lambda: sent(display) == shown)
            await event(display, 4, "award", award="three_in_a_bed")
            clock.terminate()
            await display.until(lambda: sent(display) == [*shown, GONE])  # its last will, and no notice before it


async def test_the_page_without_a_program_names_topics_that_hold_a_value() -> None:
    """The clock fills in the newest value of each topic in braces, so each must be retained."""
    text = (DISPLAYS / "awtrix" / "README.md").read_text(encoding="utf-8")
    (example_page,) = (json.loads(found) for found in re.findall(r"'(\{\"text\".*\})'", text))
    topics = re.findall(r"\{\{(.+?)\}\}", example_page["text"])
    found = [parse(topic) for topic in topics]
    assert [(address and address.kind, address and address.names.get("attr")) for address in found] == [
        ("attr", "player"),
        ("attr", "score"),
    ]
    assert TOPICS["attr"].retain
