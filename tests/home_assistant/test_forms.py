"""Both forms of discovery, the way from one to the other, and what is taken back."""

from __future__ import annotations

import pytest

from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]


async def configure_again(house: Evening, before: str, after: str) -> None:
    """The same daemon, with another word in its configuration."""
    text = house.config.read_text(encoding="utf-8")
    assert before in text
    await house.stop_daemon()
    house.config.write_text(text.replace(before, after), encoding="utf-8")
    await house.start_daemon()


async def only(house: Evening, form: str) -> None:
    """Waits until nothing of the other form is on the broker any more."""
    async with Display(house.broker.port) as display:

        def forms() -> set[str]:
            announced = [name for name, text in display.now.items() if name.endswith("/config") and text]
            return {"device" if name.startswith("homeassistant/device/") else "components" for name in announced}

        await display.say("test/all-that-was-retained-came-before-this")
        await display.until(lambda: "test/all-that-was-retained-came-before-this" in display.now and forms() == {form})


async def test_entities_keep_their_ids_names_and_settings_from_form_to_form(house: Evening) -> None:
    update = "config/entity_registry/update"
    await house.ha.ask(update, entity_id=house.ids["score"], new_entity_id="sensor.my_score", name="Mine")
    await house.ha.ask(update, entity_id=house.ids["hint"], disabled_by="user")
    before = await house.ha.registered()
    house.ids["score"] = "sensor.my_score"
    written = "[mqtt]\n"
    for form in ("components", "device"):
        said = f'[mqtt]\ndiscovery = "{form}"\n'
        await configure_again(house, written, said)
        written = said
        await only(house, form)
        await house.begin()
        await house.shows(score=501, game="x01", board="on")
        assert await house.ha.registered() == before
        assert house.state("score")["attributes"]["friendly_name"].endswith("Mine")
        assert house.ids["hint"] not in house.ha.states  # it was disabled by its owner
        since = house.now
        house.throw("T20")
        await house.shows(score=441)
        while "dart" not in house.types(since):
            await house.more()
        assert house.types(since).count("dart") == 1


async def test_a_removed_table_goes_and_off_removes_them_all(house: Evening) -> None:
    table = '[[table]]\nname = "cellar"\nboard = "sim:opendarts"\n'
    await configure_again(house, "[web]", f"{table}\n[web]")
    while not [key for key in await house.ha.registered() if "_cellar_score" in key]:
        await house.more()
    await configure_again(house, table, "")
    while [key for key in await house.ha.registered() if "_cellar_" in key]:
        await house.more()
    assert [key for key in await house.ha.registered() if "_main_" in key]
    devices = await house.ha.ask("config/device_registry/list")
    assert [each["name"] for each in devices if each["manufacturer"] == "oche"] == ["Dartboard main"]

    await configure_again(house, 'discovery = "device"', 'discovery = "off"')
    while await house.ha.registered():
        await house.more()


async def test_home_assistant_refuses_nothing(house: Evening) -> None:
    # It warns of each entity whose old form is emptied, though that is what its documentation asks for in the end.
    assert [line for line in house.ha.log if " ERROR " in line or "invalid" in line.lower()] == []
