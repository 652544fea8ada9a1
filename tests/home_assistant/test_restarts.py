"""Home Assistant stays right through every restart of anything, and fires nothing twice."""

from __future__ import annotations

import pytest

from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

AWAY = "unavailable"
ALWAYS = ("board", "link", "version")


async def one_visit(house: Evening) -> int:
    """A match with a visit thrown, and whatever it fires has come; the number of changes until then."""
    await house.begin()
    since = house.now
    house.throw("T20", "T19", "O1")
    await house.shows(score=383, phase="takeout")
    house.board.press("next")
    await house.shows(player="Bo", score=501)
    await house.ha.until(lambda: "turn_changed" in house.types(since))
    assert house.types(since).count("dart") == 3
    return house.now


async def is_right(house: Evening) -> None:
    """It shows what `one_visit` has left, and what happens next."""
    await house.shows(player="Bo", score=501, darts_left=3, phase="throwing", game="x01", board="on", problem="off")
    await house.ha.until(lambda: house.state("match")["attributes"].get("scores") == [383, 501])
    await house.ha.until(lambda: AWAY not in {house.value(key) for key in house.lasting})


async def all_are_back(house: Evening) -> None:
    """Waits until the broker knows daemon and Home Assistant: before that no client hears an event."""
    async with Display(house.broker.port) as display:
        topics = ("homeassistant/status", "oche/bridge/oche/state")
        await display.until(lambda: all(display.now.get(topic) == "online" for topic in topics))


async def goes_on(house: Evening) -> None:
    """A dart counts, and fires once."""
    since = house.now
    house.throw("O20")
    await house.shows(score=481)
    await house.ha.until(lambda: "dart" in house.types(since))
    await house.press("undo")
    await house.shows(score=501)
    assert house.types(since).count("dart") == 1


async def test_the_board_is_unplugged(house: Evening) -> None:
    since = await one_visit(house)
    await house.board.unplug()
    await house.shows(board="off", score=AWAY, event=AWAY, next=AWAY, game=AWAY, phase=AWAY, answer=AWAY)
    assert AWAY not in house.values(*ALWAYS)
    house.board.plug()
    await is_right(house)
    assert not {"dart", "hit", "visit"} & set(house.types(since))
    await goes_on(house)


async def test_the_daemon_is_killed(house: Evening) -> None:
    since = await one_visit(house)
    await house.kill_daemon()
    await house.shows(board=AWAY, score=AWAY, event=AWAY, next=AWAY, version=AWAY)
    await house.start_daemon()
    await is_right(house)
    assert not {"dart", "hit", "visit"} & set(house.types(since))
    await goes_on(house)


async def test_the_daemon_is_stopped(house: Evening) -> None:
    since = await one_visit(house)
    before = await house.ha.registered()
    await house.stop_daemon()
    await house.shows(board=AWAY, score=AWAY, event=AWAY, next=AWAY, version=AWAY)
    await house.start_daemon()
    await is_right(house)
    assert await house.ha.registered() == before
    assert not {"dart", "hit", "visit"} & set(house.types(since))
    await goes_on(house)


async def test_home_assistant_is_restarted(house: Evening) -> None:
    since = await one_visit(house)
    fired = house.state("event")
    before = await house.ha.registered()
    await house.ha.restart()
    await is_right(house)
    assert await house.ha.registered() == before
    assert house.types(since) == []
    assert house.state("event")["state"] == fired["state"]
    await goes_on(house)


async def test_home_assistant_is_away_while_the_match_goes_on(house: Evening) -> None:
    await one_visit(house)
    since = house.now
    await house.ha.stop()
    house.throw("T20")
    await house.ha.start()
    await house.shows(player="Bo", score=441, last_dart="T20")
    assert house.types(since) == []  # missed is better than late
    house.throw("T20")
    await house.ha.until(lambda: "dart" in house.types(since))
    assert house.types(since).count("dart") == 1


async def test_the_broker_forgets_everything(house: Evening) -> None:
    since = await one_visit(house)
    await house.broker.kill()
    await house.shows(score=AWAY, board=AWAY)
    await house.broker.start()
    await all_are_back(house)
    await is_right(house)
    assert not {"dart", "hit", "visit"} & set(house.types(since))
    await goes_on(house)


async def test_the_broker_is_away_while_the_match_goes_on(house: Evening) -> None:
    since = await one_visit(house)
    await house.broker.kill()
    await house.shows(score=AWAY, board=AWAY)
    house.throw("T20", "T20")
    await house.broker.start()
    await all_are_back(house)
    await house.shows(player="Bo", score=381, visit_score=120, board="on")
    assert "dart" not in house.types(since)  # missed is better than late
    house.throw("T20")
    await house.ha.until(lambda: "dart" in house.types(since))
    assert house.types(since).count("dart") == 1


async def test_all_of_them_at_once(house: Evening) -> None:
    await one_visit(house)
    since = house.now
    await house.kill_daemon()
    await house.ha.stop()
    await house.broker.kill()
    await house.broker.start()
    await house.ha.start()
    await house.start_daemon()
    await is_right(house)
    assert not {"dart", "hit", "visit"} & set(house.types(since))
    await goes_on(house)


async def test_home_assistant_complains_of_nothing_we_sent(house: Evening) -> None:
    assert [line for line in house.ha.log if "mqtt.client" not in line] == []
