"""What Home Assistant shows of a match, and what can be done from there."""

from __future__ import annotations

import pytest

from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

PLAIN = {
    "sensor": "phase player score darts_left visit_score last_dart hint round match next_match link version",
    "binary_sensor": "board problem",
    "button": "next undo miss start stop",
    "select": "game answer option_in_select option_out_select option_bull_select",
    "number": "legs option_start_number",
    "text": "players",
    "event": "event",
}
TRIGGERS = {("thrown", "180"), ("hit", "bullseye"), ("thrown", "bust"), ("won", "leg"), ("won", "match")}


async def test_everything_is_there_by_itself_and_right(house: Evening) -> None:
    await house.begin()
    wanted = {(platform, key) for platform, keys in PLAIN.items() for key in keys.split()}
    await house.learn(*(key for _, key in wanted))
    found = {(entity.partition(".")[0], key) for key, entity in house.ids.items()}
    assert wanted <= found
    assert {key for _, key in found - wanted if not key.startswith("option_")} == set()
    assert house.ids["score"] == "sensor.oche_main_score"  # of a device that is in no area yet
    await house.shows(
        phase="throwing", player="Ann", score=501, darts_left=3, visit_score=0, last_dart="-", hint="-", round=1,
        match="501", next_match="ready", board="on", problem="off", game="x01", players="Ann, Bo", legs="1",
        option_start_number=501, option_out_select="double", answer="-",
    )  # fmt: skip
    assert house.state("match")["attributes"]["names"] == ["Ann", "Bo"]
    assert house.state("match")["attributes"]["scores"] == [501, 501]


async def test_the_device_triggers_are_offered(house: Evening) -> None:
    devices = await house.ha.ask("config/device_registry/list")
    device = next(device for device in devices if device["manufacturer"] == "oche")
    offered = await house.ha.ask("device_automation/trigger/list", device_id=device["id"])
    assert {(each["type"], each["subtype"]) for each in offered if each["domain"] == "mqtt"} == TRIGGERS


async def test_a_visit_dart_by_dart(house: Evening) -> None:
    await house.begin()
    since = house.now
    house.throw("T20")
    await house.shows(score=441, darts_left=2, last_dart="T20", visit_score=60)
    house.throw("T20", "T20")
    await house.shows(score=321, darts_left=0, visit_score=180, phase="takeout")
    await house.ha.until(lambda: "award" in house.types(since))
    award = next(fired for fired in house.fired(since) if fired["event_type"] == "award")
    assert award["award"] == "180"
    assert award["player"] == "Ann"
    house.board.press("next")
    await house.shows(player="Bo", score=501, darts_left=3, last_dart="-", visit_score=0, phase="throwing", round=1)
    assert house.state("match")["attributes"]["scores"] == [321, 501]
    assert house.state("match")["attributes"]["last_visit"] == 180


async def test_what_the_buttons_do(house: Evening) -> None:
    await house.begin()
    house.throw("O20")
    await house.shows(score=481)
    await house.press("miss")
    await house.shows(score=481, darts_left=1, last_dart="MISS")
    await house.press("undo")
    await house.press("undo")
    await house.shows(score=501, darts_left=3, last_dart="-")
    await house.press("next")
    await house.shows(player="Bo")
    await house.press("stop")
    await house.shows(phase="over")
    await house.press("start")
    await house.shows(phase="throwing", player="Ann", score=501)


async def test_a_correction_changes_the_values_and_fires_no_dart_again(house: Evening) -> None:
    await house.begin()
    house.throw("T20", "T20", "T20")
    await house.shows(score=321)
    before = house.now
    house.board.press("next")
    await house.ha.until(lambda: "turn_changed" in house.types(before))
    since = house.now
    await house.command("amend", {"amend": 2, "throw": "S1"})
    await house.ha.until(lambda: house.state("match")["attributes"]["scores"] == [380, 501])
    await house.ha.until(lambda: "corrected" in house.types(since))
    assert house.types(since) == ["corrected"]


async def test_bust_leg_and_match(house: Evening) -> None:
    await house.begin(101, format={"legs": 2})
    since = house.now
    house.throw("T20", "O20", "O20")
    await house.ha.until(lambda: "bust" in house.types(since))
    await house.shows(score=101)
    house.board.press("next")
    await house.shows(player="Bo", score=101, hint="T19 S20 D12")
    house.throw("T17", "DB")
    await house.ha.until(lambda: "leg_won" in house.types(since))
    await house.ha.until(lambda: house.state("match")["attributes"]["legs"] == [0, 1])
    house.board.press("next")
    await house.shows(score=101, darts_left=3, phase="throwing", player="Bo")
    house.throw("T17", "DB")
    await house.ha.until(lambda: "match_won" in house.types(since))
    await house.shows(phase="over")
    assert house.state("match")["attributes"]["winners"] == [1]
    assert house.types(since).count("match_won") == 1
    await house.press("start")
    await house.shows(phase="throwing", score=101)


async def test_the_next_match_is_chosen_and_begun(house: Evening) -> None:
    await house.begin()
    await house.ha.call("text", "set_value", house.ids["players"], value="Cy,  Dee , Eve")
    await house.ha.call("number", "set_value", house.ids["option_start_number"], value=301)
    await house.choose("option_out_select", "master")
    await house.ha.call("number", "set_value", house.ids["legs"], value=3)
    await house.shows(players="Cy, Dee, Eve", option_start_number=301, option_out_select="master", legs=3)
    assert house.values("score", "player") == ("501", "Ann")  # the match at hand goes on
    await house.press("start")
    await house.shows(score=301, player="Cy")
    await house.ha.until(lambda: house.state("match")["attributes"]["names"] == ["Cy", "Dee", "Eve"])


async def test_another_game_brings_its_own_options(house: Evening) -> None:
    await house.begin()
    await house.choose("game", "cricket")
    await house.shows(game="cricket")
    await house.learn("game")
    await house.press("start")
    await house.shows(match="Cricket")
    await house.choose("game", "x01")
    await house.learn("option_start_number")
    await house.shows(option_start_number=501, game="x01")


async def test_a_wish_that_cannot_be_is_said(house: Evening) -> None:
    await house.begin()
    await house.choose("game", "freeze_301")  # for two pairs
    await house.shows(game="freeze_301")
    await house.ha.until(lambda: house.value("next_match") != "ready")
    await house.press("start")
    await house.choose("game", "x01")
    await house.shows(next_match="ready", match="501", player="Ann")


async def test_an_open_question_is_answered(house: Evening) -> None:
    await house.begin()
    await house.command("start", {"game": "tactics", "players": ["Ann", "Bo"]})
    await house.shows(match="Tactics")
    house.throw("T20")
    await house.ha.until(lambda: len(house.state("answer")["attributes"].get("options", ())) == 3)
    answer = house.state("answer")
    assert answer["state"] == "-"
    assert answer["attributes"]["options"] == ["-", "20", "triple"]
    assert "T20" in answer["attributes"]["question"]
    await house.choose("answer", "triple")
    await house.ha.until(lambda: house.state("answer")["attributes"]["options"] == ["-"])
    await house.shows(phase="throwing", darts_left=2)


async def test_an_automation_hears_a_device_trigger(house: Evening) -> None:
    await house.begin()
    devices = await house.ha.ask("config/device_registry/list")
    device = next(device["id"] for device in devices if device["manufacturer"] == "oche")
    offered = await house.ha.ask("device_automation/trigger/list", device_id=device)
    bull = next(each for each in offered if each.get("subtype") == "bullseye")
    action = {"action": "input_boolean.toggle", "target": {"entity_id": "input_boolean.effect"}}
    automation = {"alias": "Bull", "triggers": [bull], "actions": [action]}
    await house.ha.post("/api/config/automation/config/bull", automation)
    await house.ha.until(lambda: "automation.bull" in house.ha.states)
    since = house.now
    house.throw("SB", "O20", "DB")
    await house.ha.until(lambda: house.ha.states["input_boolean.effect"]["state"] == "on")
    changes = [change for change in house.ha.changes[since:] if change["entity_id"] == "input_boolean.effect"]
    assert len(changes) == 1


async def test_sixty_darts_fire_sixty_times_whatever_is_said_again(house: Evening) -> None:
    await house.begin()
    async with Display(house.broker.port) as display:
        since = house.now
        for visit in range(20):
            house.throw("O1", "O5", "O20")
            await house.shows(phase="takeout", darts_left=0)
            if visit % 5 == 0:
                await house.publish("homeassistant/status", "online")  # everything is said again, some time later
            house.board.press("next")
            await house.shows(phase="throwing")
        await display.until(lambda: len(display.events("turn_changed")) == 20)
        said = display.events()
        await house.ha.until(lambda: len(house.fired(since)) >= len(said))
        told = [(fired["event_type"], fired["seq"]) for fired in house.fired(since)]
        assert told == [(event["event_type"], event["seq"]) for event in said]
        assert [event_type for event_type, _ in told].count("dart") == 60


async def test_home_assistant_complains_of_nothing(house: Evening) -> None:
    assert house.ha.log == []
