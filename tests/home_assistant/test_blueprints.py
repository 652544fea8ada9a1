"""The blueprints we ship, as their owner would use them: real darts make lights and scripts of Home Assistant act."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

BLUEPRINTS = Path(__file__).parents[2] / "docs/home-assistant/blueprints"
LAMP = "light.lamp"
ORANGE = [255, 60, 0]


async def automate(house: Evening, name: str, **inputs: object) -> None:
    """An automation from the blueprint of that name."""
    text = (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8")
    saved = {"domain": "automation", "path": f"oche/{name}.yaml", "yaml": text, "allow_override": True}
    await house.ha.ask("blueprint/save", **saved)
    use = {"use_blueprint": {"path": f"oche/{name}.yaml", "input": inputs}}
    await house.ha.post(f"/api/config/automation/config/{name}", {"alias": name, **use})
    await house.ha.until(lambda: house.ha.states.get(f"automation.{name}", {}).get("state") == "on")


async def device(house: Evening) -> str:
    """The id of the board’s device."""
    devices = await house.ha.ask("config/device_registry/list")
    found: str = next(each["id"] for each in devices if each["manufacturer"] == "oche")
    return found


def lamp(house: Evening) -> tuple[str, list[int] | None]:
    """On or off, and its colour."""
    state = house.ha.states[LAMP]
    return state["state"], state["attributes"].get("rgb_color")


async def test_the_lights_change_on_a_180_and_back(house: Evening) -> None:
    await automate(house, "lights_on_180", board=await device(house), lights=[LAMP], seconds=2)
    await house.ha.call("light", "turn_on", LAMP, rgb_color=[0, 0, 255])
    await house.ha.until(lambda: lamp(house) == ("on", [0, 0, 255]))
    await house.begin()
    house.throw("T20", "T20", "T20")
    await house.ha.until(lambda: lamp(house) == ("on", ORANGE))
    await house.ha.until(lambda: lamp(house) == ("on", [0, 0, 255]))
    await house.ha.until(lambda: house.ha.states["automation.lights_on_180"]["attributes"]["current"] == 0)

    await house.ha.call("light", "turn_off", LAMP)
    house.board.press("next")
    await house.shows(player="Bo")
    house.throw("T20", "T20", "T20")
    await house.ha.until(lambda: lamp(house) == ("on", ORANGE))
    await house.ha.until(lambda: lamp(house)[0] == "off")
    await house.ha.until(lambda: not [entity for entity in house.ha.states if entity.startswith("scene.")])


async def test_the_winner_is_announced(house: Evening) -> None:
    action = {"action": "persistent_notification.create", "data": {"message": "{{ message }}", "title": "Darts"}}
    await automate(house, "announce_the_winner", board=await device(house), announce=[action])
    await house.begin(101)
    await house.press("next")
    await house.shows(player="Bo")
    house.throw("T17", "DB")
    notes: list[str] = []
    await house.shows(phase="over")
    while not notes:
        found = await house.ha.ask("persistent_notification/get")
        notes = [note["message"] for note in found if note["title"] == "Darts"]
    assert notes == ["Bo wins 101"]


async def test_the_tablet_wakes_when_the_board_comes_online(house: Evening) -> None:
    def is_awake() -> bool:
        awake: bool = house.ha.states["input_boolean.tablet"]["state"] == "on"
        return awake

    def turn(how: str) -> dict[str, object]:
        return {"action": f"input_boolean.turn_{how}", "target": {"entity_id": "input_boolean.tablet"}}

    board = house.ids["board"]
    await automate(house, "wake_the_tablet", board=board, wake=[turn("on")], rest=[turn("off")], minutes=0)
    await house.board.unplug()
    await house.shows(board="off")
    house.board.plug()
    await house.ha.until(is_awake)
    await house.kill_daemon()
    await house.ha.until(lambda: not is_awake())
    await house.start_daemon()
    await house.ha.until(is_awake)


async def test_home_assistant_complains_of_nothing(house: Evening) -> None:
    assert house.ha.log == []
