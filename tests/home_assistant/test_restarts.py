"""Home Assistant stays right through every restart of anything, and fires nothing twice."""

from __future__ import annotations

import json
from functools import partial

import pytest

from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

AWAY = "unavailable"
ALWAYS = ("board", "link", "version")


async def one_visit(evening: Evening) -> int:
    """A match with a visit thrown, and whatever it fires has come; the number of changes until then."""
    await evening.begin()
    since = evening.now
    evening.throw("T20", "T19", "O1")
    await evening.shows(score=383, phase="takeout")
    evening.board.press("next")
    await evening.shows(player="Bo", score=501)
    await evening.ha.until(lambda: "turn_changed" in evening.types(since))
    assert evening.types(since).count("dart") == 3
    return evening.now


async def is_right(evening: Evening) -> None:
    """It shows what `one_visit` has left, and what happens next."""
    await evening.shows(player="Bo", score=501, darts_left=3, phase="throwing", game="x01", board="on", problem="off")
    await evening.ha.until(lambda: evening.state("match")["attributes"].get("scores") == [383, 501])
    await evening.ha.until(lambda: AWAY not in {evening.value(key) for key in evening.lasting})


async def all_are_back(evening: Evening) -> None:
    """Waits until the broker knows daemon and Home Assistant: before that no client hears an event."""
    async with Display(evening.broker.port) as display:
        topics = ("homeassistant/status", "oche/bridge/oche/state")
        await display.until(lambda: all(display.now.get(topic) == "online" for topic in topics))


async def goes_on(evening: Evening) -> None:
    """A dart counts, and fires once."""
    since = evening.now
    evening.throw("O20")
    await evening.shows(score=481)
    await evening.ha.until(lambda: "dart" in evening.types(since))
    await evening.press("undo")
    await evening.shows(score=501)
    assert evening.types(since).count("dart") == 1


async def test_the_board_is_unplugged(evening: Evening) -> None:
    since = await one_visit(evening)
    await evening.board.unplug()
    await evening.shows(board="off", score=AWAY, event=AWAY, next=AWAY, game=AWAY, phase=AWAY, answer=AWAY)
    assert AWAY not in evening.values(*ALWAYS)
    evening.board.plug()
    await is_right(evening)
    assert not {"dart", "hit", "visit"} & set(evening.types(since))
    await goes_on(evening)


async def test_the_daemon_is_killed(evening: Evening) -> None:
    since = await one_visit(evening)
    await evening.kill_daemon()
    await evening.shows(board=AWAY, score=AWAY, event=AWAY, next=AWAY, version=AWAY)
    await evening.start_daemon()
    await is_right(evening)
    assert not {"dart", "hit", "visit"} & set(evening.types(since))
    await goes_on(evening)


async def test_the_daemon_is_stopped(evening: Evening) -> None:
    since = await one_visit(evening)
    before = await evening.ha.registered()
    await evening.stop_daemon()
    await evening.shows(board=AWAY, score=AWAY, event=AWAY, next=AWAY, version=AWAY)
    await evening.start_daemon()
    await is_right(evening)
    assert await evening.ha.registered() == before
    assert not {"dart", "hit", "visit"} & set(evening.types(since))
    await goes_on(evening)


async def test_home_assistant_is_restarted(evening: Evening) -> None:
    since = await one_visit(evening)
    fired = evening.state("event")
    before = await evening.ha.registered()
    await evening.ha.restart()
    await is_right(evening)
    assert await evening.ha.registered() == before
    assert evening.types(since) == []
    assert evening.state("event")["state"] == fired["state"]
    await goes_on(evening)


async def test_home_assistant_is_away_while_the_match_goes_on(evening: Evening) -> None:
    await one_visit(evening)
    since = evening.now
    await evening.ha.stop()
    evening.throw("T20")
    await evening.ha.start()
    await evening.shows(player="Bo", score=441, last_dart="T20")
    assert evening.types(since) == []  # missed is better than late
    evening.throw("T20")
    await evening.ha.until(lambda: "dart" in evening.types(since))
    assert evening.types(since).count("dart") == 1


async def test_the_broker_forgets_everything(evening: Evening) -> None:
    since = await one_visit(evening)
    await evening.broker.kill()
    await evening.shows(score=AWAY, board=AWAY)
    await evening.broker.start()
    await all_are_back(evening)
    await is_right(evening)
    assert not {"dart", "hit", "visit"} & set(evening.types(since))
    await goes_on(evening)


def has_seen(evening: Evening, name: str) -> bool:
    states = evening.ha.states.values()
    return any(each["state"] == "seen" and each["attributes"].get("friendly_name") == name for each in states)


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_the_broker_alone_comes_back_after_a_power_cut(evening: Evening, version: str) -> None:
    """It has what one has kept on its disk: in MQTT 5 no `online` any more, in MQTT 3.1.1 all of it."""
    await one_visit(evening)
    async with Display(evening.broker.port) as display:
        kept = dict(display.now)
    await evening.broker.kill()
    await evening.kill_daemon()
    await evening.broker.start()
    health = "oche/bridge/oche/health"
    if version == "3.1.1":
        kept[health] = json.dumps({**json.loads(kept[health]), "good_until": "2026-01-01T00:00:00+00:00"})
    else:
        kept = {topic: text for topic, text in kept.items() if text != "online" and topic != health}
    async with Display(evening.broker.port) as display:
        for topic, text in kept.items():
            if topic.startswith(("oche/", "homeassistant/device/")):
                await display.say(topic, text, retain=True)
    await evening.ha.restart()
    async with Display(evening.broker.port) as display:
        for name in ("one", "two"):  # each is found, and has its value, after all that was there before
            about = {"name": f"Marker {name}", "state_topic": f"marker/{name}", "unique_id": name}
            await display.say(f"marker/{name}", "seen", retain=True)
            await display.say(f"homeassistant/sensor/{name}/config", json.dumps(about), retain=True)
            await evening.ha.until(partial(has_seen, evening, about["name"]))
        for name in ("one", "two"):
            await display.say(f"homeassistant/sensor/{name}/config", "", retain=True)
    assert set(evening.values("board", "score", "event", "next", "version", "game")) == {AWAY}
    await evening.start_daemon()
    await is_right(evening)
    await goes_on(evening)


async def test_the_broker_is_away_while_the_match_goes_on(evening: Evening) -> None:
    since = await one_visit(evening)
    await evening.broker.kill()
    await evening.shows(score=AWAY, board=AWAY)
    evening.throw("T20", "T20")
    await evening.broker.start()
    await all_are_back(evening)
    await evening.shows(player="Bo", score=381, visit_score=120, board="on")
    assert "dart" not in evening.types(since)  # missed is better than late
    evening.throw("T20")
    await evening.ha.until(lambda: "dart" in evening.types(since))
    assert evening.types(since).count("dart") == 1


async def test_all_of_them_at_once(evening: Evening) -> None:
    await one_visit(evening)
    since = evening.now
    await evening.kill_daemon()
    await evening.ha.stop()
    await evening.broker.kill()
    await evening.broker.start()
    await evening.ha.start()
    await evening.start_daemon()
    await is_right(evening)
    assert not {"dart", "hit", "visit"} & set(evening.types(since))
    await goes_on(evening)


async def test_home_assistant_complains_of_nothing_we_sent(evening: Evening) -> None:
    assert [line for line in evening.ha.log if "mqtt.client" not in line] == []
