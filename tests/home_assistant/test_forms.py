"""Both forms of discovery, the way from one to the other, and what is taken back."""

from __future__ import annotations

import pytest

from tests.daemon.display import Display
from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]


async def only(evening: Evening, form: str) -> None:
    """Waits until nothing of the other form is on the broker any more."""
    async with Display(evening.broker.port) as display:

        def forms() -> set[str]:
            announced = [name for name, text in display.now.items() if name.endswith("/config") and text]
            return {"device" if name.startswith("homeassistant/device/") else "components" for name in announced}

        await display.say("test/all-that-was-retained-came-before-this")
        await display.until(lambda: "test/all-that-was-retained-came-before-this" in display.now and forms() == {form})


async def test_entities_keep_their_ids_names_and_settings_from_form_to_form(evening: Evening) -> None:
    update = "config/entity_registry/update"
    await evening.ha.ask(update, entity_id=evening.ids["score"], new_entity_id="sensor.my_score", name="Mine")
    await evening.ha.ask(update, entity_id=evening.ids["hint"], disabled_by="user")
    before = await evening.ha.registered()
    evening.ids["score"] = "sensor.my_score"
    written = "[mqtt]\n"
    for form in ("components", "device"):
        said = f'[mqtt]\ndiscovery = "{form}"\n'
        await evening.configure_again(written, said)
        written = said
        await only(evening, form)
        await evening.begin()
        await evening.shows(score=501, game="x01", board="on")
        assert await evening.ha.registered() == before
        assert evening.state("score")["attributes"]["friendly_name"].endswith("Mine")
        assert evening.ids["hint"] not in evening.ha.states  # it was disabled by its owner
        since = evening.now
        evening.throw("T20")
        await evening.shows(score=441)
        while "dart" not in evening.types(since):
            await evening.more()
        assert evening.types(since).count("dart") == 1


async def test_a_removed_table_goes_and_off_removes_them_all(evening: Evening) -> None:
    table = '[[table]]\nname = "cellar"\nboard = "sim:opendarts"\n'
    await evening.configure_again("[web]", f"{table}\n[web]")
    while not [key for key in await evening.ha.registered() if "_cellar_score" in key]:
        await evening.more()
    await evening.configure_again(table, "")
    while [key for key in await evening.ha.registered() if "_cellar_" in key]:
        await evening.more()
    assert [key for key in await evening.ha.registered() if "_main_" in key]
    devices = await evening.ha.ask("config/device_registry/list")
    assert [each["name"] for each in devices if each["manufacturer"] == "oche"] == ["Dartboard main"]

    await evening.configure_again('discovery = "device"', 'discovery = "off"')
    while await evening.ha.registered():
        await evening.more()


async def test_home_assistant_refuses_nothing(evening: Evening) -> None:
    # It warns of each entity whose old form is emptied, though that is what its documentation asks for in the end.
    assert [line for line in evening.ha.log if " ERROR " in line or "invalid" in line.lower()] == []
