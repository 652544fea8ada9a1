"""Hands on the broker: what a crash left there goes, and what is sent to a seat is obeyed once."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from daemon.config import read_config
from daemon.service import running
from tests.daemon.display import Display
from tests.daemon.house import Process, configure
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import eventually

HANDS = 'game = "dards"\noptions = { mode = "dealt" }\nseed = "a seed"\n'
SEAT = "oche/table/main/seat/{}/state"


@pytest.fixture
async def closed(mosquitto_path: Path, tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Mosquitto]:
    """A broker that wants a login, and remembers."""
    broker = Mosquitto(
        mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users={"oche": "secret"}, remembers=True
    )
    async with broker:
        yield broker


def login(folder: Path) -> str:
    (folder / "password").write_text("secret", encoding="utf-8")
    return f'username = "oche"\npassword_file = "{folder}/password"'


def insider(port: int) -> Display:
    """A display with the login."""
    return Display(port, username="oche", password="secret")


async def retained(late: Display) -> dict[str, str]:
    """What somebody finds who comes now: what comes before the answer to a question asked last."""
    async with late:
        await late.say("test/end", "end")
        await late.until(lambda: late.now.get("test/end") == "end")
        return {message.topic: message.text for message in late.messages if message.retain}


async def test_a_crash_leaves_no_hand_on_a_broker_that_lets_strangers_in(
    tmp_path: Path, closed: Mosquitto, mosquitto_path: Path
) -> None:
    """Killed with hands on the table; then the broker forgets its users, and the daemon is told of no login."""
    async with (
        insider(closed.port) as display,
        Process("run", "--config", configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path))) as daemon,
    ):
        await display.until(lambda: SEAT.format(1) in display.now)
        await daemon.kill()
    stored = tmp_path / "mosquitto" / "mosquitto.db"
    await eventually(lambda: stored.exists() and SEAT.format(1).encode() in stored.read_bytes())
    await closed.kill()
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", closed.port, remembers=True) as broker,
        Display(broker.port) as display,
    ):
        await display.until(lambda: "hand" in display.now.get(SEAT.format(1), ""))
        async with running(read_config(configure(tmp_path, broker.port, HANDS))) as house:
            await display.until(lambda: display.now[SEAT.format(0)] == display.now[SEAT.format(1)] == "")
            assert not [topic for topic in await retained(Display(broker.port)) if "/seat/" in topic]
            assert house.tables["main"].hands, "the match goes on with them"


async def test_hands_of_today_stay_and_those_of_yesterday_go(tmp_path: Path, closed: Mosquitto) -> None:
    async with insider(closed.port) as display:
        for seat in ("0", "1", "7", "63", "x", "1 "):
            await display.say(SEAT.format(seat), "yesterday's", retain=True)
        async with running(read_config(configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path)))):
            await display.until(lambda: all(display.now[SEAT.format(seat)] == "" for seat in ("7", "63", "x", "1 ")))
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            found = {topic: text for topic, text in (await retained(insider(closed.port))).items() if "/seat/" in topic}
        assert found.keys() == {SEAT.format(0), SEAT.format(1)}
        assert all(json.loads(text)["view"]["board"]["hand"] for text in found.values())
        assert not [m for m in display.messages if m.topic == SEAT.format(0) and m.text == ""], "never taken away"


async def test_a_retained_answer_is_ignored_and_told_on_the_page(
    tmp_path: Path, closed: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    setup = read_config(configure(tmp_path, closed.port, HANDS, mqtt=login(tmp_path)))
    async with insider(closed.port) as display, running(setup) as house:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        card = json.loads(display.now[SEAT.format(0)])["prompts"][0]["options"][0]
        choose = "oche/table/main/seat/0/cmd/choose"
        async with aiohttp.ClientSession(house.page) as web, web.get("/api/table/main/events") as stream:
            await display.say(choose, card, retain=True)
            async for line in stream.content:
                if b"ignored the retained command on oche/table/main/seat/0/cmd/choose" in line:
                    break
        await display.say(choose, "", retain=True)
        assert display.line() == 1
        await display.say(choose, card)
        assert (await display.until_line(2))["board"]["card"] == card
        await display.say(choose, "", retain=True)
        await display.ask("next", {})
    told = [record.getMessage() for record in caplog.records if "ignored" in record.getMessage()]
    assert [sentence.split(":")[0] for sentence in told] == [
        f"ignored the retained command on {choose}",
        f"ignored an empty retained message on {choose}",
    ]
