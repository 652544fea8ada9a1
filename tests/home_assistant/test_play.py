"""What Home Assistant shows of a match, and what can be done from there."""

from __future__ import annotations

import json

import pytest
import yaml

from protocol.moments import MOMENTS
from tests.contract import HOME_ASSISTANT
from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

PLAIN = {
    "sensor": (
        "phase player score darts_left visit_score last_dart hint task variant round match next_match link version"
        " average_1 checkouts_1 legs_1 average_2 checkouts_2 legs_2 spoken"
    ),
    "binary_sensor": "board problem",
    "button": "next undo miss start stop",
    "select": "game answer option_in_select option_out_select option_bull_select",
    "number": "legs option_start_number",
    "text": "players",
    "event": "event moment",
}
VISITS = (
    *("T20 T20 T20", "T20 T20 O20", "T20 DB"),  # the first set
    *("O20 O20 T20", "T20 T20 T20", "T20 T20 T20", "O1", "T20", "T19 O12 D20"),  # begun by Bo
)
TRIGGERS = {("thrown", "180"), ("hit", "bullseye"), ("thrown", "bust"), ("won", "leg"), ("won", "match")}


async def test_everything_is_there_by_itself_and_right(evening: Evening) -> None:
    await evening.begin()
    wanted = {(platform, key) for platform, keys in PLAIN.items() for key in keys.split()}
    await evening.learn(*(key for _, key in wanted))
    found = {(entity.partition(".")[0], key) for key, entity in evening.ids.items()}
    assert wanted <= found
    assert {key for _, key in found - wanted if not key.startswith("option_")} == set()
    assert evening.ids["score"] == "sensor.oche_main_score"  # of a device that is in no area yet
    await evening.shows(
        phase="throwing", player="Ann", score=501, darts_left=3, visit_score=0, last_dart="-", hint="-", round=1,
        match="501", next_match="ready", board="on", problem="off", game="x01", players="Ann, Bo", legs="1",
        option_start_number=501, option_out_select="double", answer="-", average_1="0.0", legs_2="0",
        task="Get 501 to 0 on a double",
    )  # fmt: skip
    assert evening.state("match")["attributes"]["names"] == ["Ann", "Bo"]
    assert evening.state("match")["attributes"]["scores"] == [501, 501]


async def test_the_automation_of_the_page_hears_the_first_moment_there_is(evening: Evening) -> None:
    part = HOME_ASSISTANT.read_text(encoding="utf-8").partition("\n## Moments\n")[2]
    automation = yaml.safe_load(part.partition("```yaml\n")[2].partition("```")[0])
    automation |= {"alias": "First moment", "actions": [{"event": "moment_heard"}]}  # there is no light here
    await evening.ha.post("/api/config/automation/config/first_moment", automation)
    await evening.ha.until(lambda: "automation.first_moment" in evening.ha.states)
    await evening.begin()
    assert evening.state("moment")["state"] == "unknown"
    evening.throw("T20", "T20", "T20")
    await evening.ha.until(lambda: evening.ha.states["automation.first_moment"]["attributes"]["last_triggered"])


async def test_a_visit_dart_by_dart(evening: Evening) -> None:
    await evening.begin()
    since = evening.now
    evening.throw("T20")
    await evening.shows(score=441, darts_left=2, last_dart="T20", visit_score=60)
    evening.throw("T20", "T20")
    await evening.shows(score=321, darts_left=0, visit_score=180, phase="takeout")
    await evening.ha.until(lambda: "award" in evening.types(since))
    award = next(fired for fired in evening.fired(since) if fired["event_type"] == "award")
    assert award["award"] == "180"
    assert award["player"] == "Ann"
    evening.board.press("next")
    await evening.shows(player="Bo", score=501, darts_left=3, last_dart="-", visit_score=0, phase="throwing", round=1)
    assert evening.state("match")["attributes"]["scores"] == [321, 501]
    assert evening.state("match")["attributes"]["last_visit"] == 180


async def test_what_the_buttons_do(evening: Evening) -> None:
    await evening.begin()
    evening.throw("O20")
    await evening.shows(score=481)
    await evening.press("miss")
    await evening.shows(score=481, darts_left=1, last_dart="MISS")
    await evening.press("undo")
    await evening.press("undo")
    await evening.shows(score=501, darts_left=3, last_dart="-")
    await evening.press("next")
    await evening.shows(player="Bo")
    await evening.press("stop")
    await evening.shows(phase="over")
    await evening.press("start")
    await evening.shows(phase="throwing", player="Ann", score=501)


async def test_a_correction_changes_the_values_and_fires_no_dart_again(evening: Evening) -> None:
    await evening.begin()
    evening.throw("T20", "T20", "T20")
    await evening.shows(score=321)
    before = evening.now
    evening.board.press("next")
    await evening.ha.until(lambda: "turn_changed" in evening.types(before))
    since = evening.now
    await evening.command("amend", {"amend": 2, "throw": "S1"})
    await evening.ha.until(lambda: evening.state("match")["attributes"]["scores"] == [380, 501])
    await evening.ha.until(lambda: "corrected" in evening.types(since))
    assert evening.types(since) == ["corrected"]


async def test_bust_leg_and_match(evening: Evening) -> None:
    await evening.begin(101, format={"legs": 2})
    since = evening.now
    evening.throw("T20", "O20", "O20")
    await evening.ha.until(lambda: "bust" in evening.types(since))
    await evening.shows(score=101)
    evening.board.press("next")
    await evening.shows(player="Bo", score=101, hint="T19 S4 D20")
    evening.throw("T17", "DB")
    await evening.ha.until(lambda: "leg_won" in evening.types(since))
    await evening.ha.until(lambda: evening.state("match")["attributes"]["legs"] == [0, 1])
    evening.board.press("next")
    await evening.shows(score=101, darts_left=3, phase="throwing", player="Bo")
    evening.throw("T17", "DB")
    await evening.ha.until(lambda: "match_won" in evening.types(since))
    await evening.shows(phase="over")
    assert evening.state("match")["attributes"]["winners"] == [1]
    assert evening.types(since).count("match_won") == 1
    await evening.press("start")
    await evening.shows(phase="throwing", score=101)


async def test_the_next_match_is_chosen_and_begun(evening: Evening) -> None:
    await evening.begin()
    await evening.ha.call("text", "set_value", evening.ids["players"], value="Cy,  Dee , Eve")
    await evening.ha.call("number", "set_value", evening.ids["option_start_number"], value=301)
    await evening.choose("option_out_select", "master")
    await evening.ha.call("number", "set_value", evening.ids["legs"], value=3)
    await evening.shows(players="Cy, Dee, Eve", option_start_number=301, option_out_select="master", legs=3)
    assert evening.values("score", "player") == ("501", "Ann")  # the match at hand goes on
    await evening.press("start")
    await evening.shows(score=301, player="Cy")
    await evening.ha.until(lambda: evening.state("match")["attributes"]["names"] == ["Cy", "Dee", "Eve"])


async def test_another_game_brings_its_own_options(evening: Evening) -> None:
    await evening.begin()
    await evening.choose("game", "cricket")
    await evening.shows(game="cricket")
    await evening.learn("game")
    await evening.press("start")
    await evening.shows(match="Cricket")
    await evening.choose("game", "x01")
    await evening.learn("option_start_number")
    await evening.shows(option_start_number=501, game="x01")


async def test_a_wish_that_cannot_be_is_said(evening: Evening) -> None:
    await evening.begin()
    await evening.choose("game", "freeze_301")  # for two pairs
    await evening.shows(game="freeze_301")
    await evening.ha.until(lambda: evening.value("next_match") != "ready")
    await evening.press("start")
    await evening.choose("game", "x01")
    await evening.shows(next_match="ready", match="501", player="Ann")


async def test_an_open_question_is_answered(evening: Evening) -> None:
    await evening.begin()
    await evening.command("start", {"game": "tactics", "players": ["Ann", "Bo"]})
    await evening.shows(match="Tactics")
    evening.throw("T20")
    await evening.ha.until(lambda: len(evening.state("answer")["attributes"].get("options", ())) == 3)
    answer = evening.state("answer")
    assert answer["state"] == "-"
    assert answer["attributes"]["options"] == ["-", "20", "triple"]
    assert "T20" in answer["attributes"]["question"]
    await evening.choose("answer", "triple")
    await evening.ha.until(lambda: evening.state("answer")["attributes"]["options"] == ["-"])
    await evening.shows(phase="throwing", darts_left=2)


async def test_the_device_triggers_are_offered_and_an_automation_hears_one(evening: Evening) -> None:
    await evening.begin()
    offered = await evening.ha.ask("device_automation/trigger/list", device_id=await evening.device())
    assert {(each["type"], each["subtype"]) for each in offered if each["domain"] == "mqtt"} == TRIGGERS
    bull = next(each for each in offered if each.get("subtype") == "bullseye")
    action = {"action": "input_boolean.toggle", "target": {"entity_id": "input_boolean.effect"}}
    automation = {"alias": "Bull", "triggers": [bull], "actions": [action]}
    await evening.ha.post("/api/config/automation/config/bull", automation)
    await evening.ha.until(lambda: "automation.bull" in evening.ha.states)
    since = evening.now
    evening.throw("SB", "O20", "DB")
    await evening.ha.until(lambda: evening.ha.states["input_boolean.effect"]["state"] == "on")
    changes = [change for change in evening.ha.changes[since:] if change["entity_id"] == "input_boolean.effect"]
    assert len(changes) == 1


async def test_the_triggers_of_the_visual_editor_hear_every_moment(evening: Evening) -> None:
    """Those of X01 are played, and the awards of other games told as they tell them."""
    for moment in MOMENTS:
        trigger = {
            "trigger": "event.received",
            "target": {"entity_id": evening.ids["moment"]},
            "options": {"event_type": [moment]},
        }
        action = {"event": "moment_heard"}
        automation = {"alias": f"Moment {moment}", "triggers": [trigger], "actions": [action]}
        await evening.ha.post(f"/api/config/automation/config/moment_{moment}", automation)
    await evening.ha.until(lambda: {f"automation.moment_{moment}" for moment in MOMENTS} <= evening.ha.states.keys())

    def heard() -> set[str]:
        states = {moment: evening.ha.states[f"automation.moment_{moment}"] for moment in MOMENTS}
        return {moment for moment, state in states.items() if state["attributes"]["last_triggered"]}

    await evening.begin(290, format={"sets": 2})
    for visit in VISITS[:-1]:
        evening.throw(*visit.split())
        await evening.shows(last_dart=visit.split()[-1])
        evening.board.press("next")
        await evening.shows(darts_left=3, phase="throwing")
    evening.throw(*VISITS[-1].split())
    await evening.shows(phase="over")
    played = {"180", "140_plus", "ton", "bullseye", "nine_darter", "checkout", "bust", "lead_taken", "comeback"}
    played |= {"leg_won", "set_won", "match_won", "badge"}
    await evening.ha.until(lambda: heard() == played)
    shared = {"session": "another", "match": "one", "line": 2, "side": 0, "player": "Ann"}
    for seq, moment in enumerate(MOMENTS.keys() - played):
        kind = MOMENTS[moment].fact
        event = {"event_type": kind, **({"award": moment} if kind == "award" else {}), **shared, "seq": seq}
        await evening.publish("oche/table/main/event", json.dumps(event))
    await evening.ha.until(lambda: heard() == set(MOMENTS))


async def test_sixty_darts_fire_sixty_times_whatever_is_said_again(evening: Evening) -> None:
    await evening.begin()
    async with Display(evening.broker.port) as display:
        since = evening.now
        for visit in range(20):
            evening.throw("O1", "O5", "O20")
            await evening.shows(phase="takeout", darts_left=0)
            if visit % 5 == 0:
                await evening.publish("homeassistant/status", "online")  # everything is said again, some time later
            evening.board.press("next")
            await evening.shows(phase="throwing")
        await display.until(lambda: len(display.events("turn_changed")) == 20)
        said = display.events()
        await evening.ha.until(lambda: len(evening.fired(since)) >= len(said))
        told = [(fired["event_type"], fired["seq"]) for fired in evening.fired(since)]
        assert told == [(event["event_type"], event["seq"]) for event in said]
        assert [event_type for event_type, _ in told].count("dart") == 60


async def test_home_assistant_complains_of_nothing(evening: Evening) -> None:
    assert evening.ha.log == []
