"""The blueprints we ship, as their owner would use them: real darts make lights and scripts of Home Assistant act."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.home_assistant.evening import Evening
from tests.home_assistant.home_assistant import JSON

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

BLUEPRINTS = Path(__file__).parents[2] / "docs/home-assistant/blueprints"
LAMP = "light.lamp"
ORANGE = [255, 60, 0]


async def automate(evening: Evening, name: str, **inputs: object) -> None:
    """An automation from the blueprint of that name."""
    text = (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8")
    saved = {"domain": "automation", "path": f"oche/{name}.yaml", "yaml": text, "allow_override": True}
    await evening.ha.ask("blueprint/save", **saved)
    use = {"use_blueprint": {"path": f"oche/{name}.yaml", "input": inputs}}
    await evening.ha.post(f"/api/config/automation/config/{name}", {"alias": name, **use})
    await evening.ha.until(lambda: evening.ha.states.get(f"automation.{name}", {}).get("state") == "on")


def lamp(evening: Evening) -> tuple[str, list[int] | None]:
    """On or off, and its colour."""
    state = evening.ha.states[LAMP]
    return state["state"], state["attributes"].get("rgb_color")


async def test_the_lights_change_on_a_180_and_back(evening: Evening) -> None:
    await automate(evening, "lights_on_180", board=await evening.device(), lights=[LAMP], seconds=2)
    await evening.ha.call("light", "turn_on", LAMP, rgb_color=[0, 0, 255])
    await evening.ha.until(lambda: lamp(evening) == ("on", [0, 0, 255]))
    await evening.begin()
    evening.throw("T20", "T20", "T20")
    await evening.ha.until(lambda: lamp(evening) == ("on", ORANGE))
    await evening.ha.until(lambda: lamp(evening) == ("on", [0, 0, 255]))
    await evening.ha.until(lambda: evening.ha.states["automation.lights_on_180"]["attributes"]["current"] == 0)

    await evening.ha.call("light", "turn_off", LAMP)
    evening.board.press("next")
    await evening.shows(player="Bo")
    evening.throw("T20", "T20", "T20")
    await evening.ha.until(lambda: lamp(evening) == ("on", ORANGE))
    await evening.ha.until(lambda: lamp(evening)[0] == "off")
    await evening.ha.until(lambda: not [entity for entity in evening.ha.states if entity.startswith("scene.")])


async def test_the_winner_is_announced(evening: Evening) -> None:
    action = {"action": "persistent_notification.create", "data": {"message": "{{ message }}", "title": "Darts"}}
    await automate(evening, "announce_the_winner", board=await evening.device(), announce=[action])
    await evening.begin(101)
    await evening.press("next")
    await evening.shows(player="Bo")
    evening.throw("T17", "DB")
    notes: list[str] = []
    await evening.shows(phase="over")
    while not notes:
        found = await evening.ha.ask("persistent_notification/get")
        notes = [note["message"] for note in found if note["title"] == "Darts"]
    assert notes == ["Bo wins 101"]


async def test_the_tablet_wakes_when_the_board_comes_online(evening: Evening) -> None:
    def is_awake() -> bool:
        awake: bool = evening.ha.states["input_boolean.tablet"]["state"] == "on"
        return awake

    def turn(how: str) -> dict[str, object]:
        return {"action": f"input_boolean.turn_{how}", "target": {"entity_id": "input_boolean.tablet"}}

    board = evening.ids["board"]
    await automate(evening, "wake_the_tablet", board=board, wake=[turn("on")], rest=[turn("off")], minutes=0)
    await evening.board.unplug()
    await evening.shows(board="off")
    evening.board.plug()
    await evening.ha.until(is_awake)
    await evening.kill_daemon()
    await evening.ha.until(lambda: not is_awake())
    await evening.start_daemon()
    await evening.ha.until(is_awake)


async def ask_assist(evening: Evening, sentence: str, language: str = "en") -> str:
    """What Assist answers."""
    told = await evening.ha.ask("conversation/process", text=sentence, language=language)
    answer: str = told["response"]["speech"]["plain"]["speech"]
    return answer


async def test_assist_says_who_wins_takes_a_dart_back_and_starts_a_match(evening: Evening) -> None:
    await automate(evening, "ask_assist", board=await evening.device())
    await evening.begin(101)
    evening.throw("T17")
    await evening.shows(score=50)
    assert await ask_assist(evening, "Who is winning?") == "101: Ann 50; Bo 101."
    assert await ask_assist(evening, "nimm den letzten Dart zurück", "de") == "Zurückgenommen."
    await evening.shows(score=101)
    evening.throw("T17", "DB")
    await evening.shows(phase="over")
    assert await ask_assist(evening, "who is winning at darts") == "Ann won 101."
    assert await ask_assist(evening, "wer gewinnt", "de") == "Ann hat 101 gewonnen."
    assert await ask_assist(evening, "Wie wint er?", "nl") == "Ann heeft 101 gewonnen."
    assert await ask_assist(evening, "qui gagne", "fr") == "Ann a gagné 101."
    assert await ask_assist(evening, "lance chess pour Ann", "fr") == "La cible ne connaît pas ce jeu\xa0: chess."
    assert await ask_assist(evening, "¿Quién gana?", "es") == "Ann ha ganado 101."
    assert await ask_assist(evening, "empieza ajedrez para Ann", "es") == "La diana no conoce este juego: ajedrez."
    assert await ask_assist(evening, "start chess for Ann") == "The board does not know this game: chess."
    assert await ask_assist(evening, "start freeze 301 for Ann") == (
        "That cannot be: freeze needs two teams of two players each"
    )
    assert await ask_assist(evening, "start cricket for Ann, Bo and Cy") == "Cricket: Ann, Bo, Cy."
    await evening.shows(match="Cricket", player="Ann", phase="throwing")
    assert await ask_assist(evening, "start schaken voor Ann", "nl") == "Dit spel kent het bord niet: schaken."
    assert await ask_assist(evening, "start cricket voor Bo en Cy", "nl") == "Cricket: Bo, Cy."
    await evening.shows(match="Cricket", player="Bo", phase="throwing")


async def test_assist_does_not_go_on_while_a_question_is_open(evening: Evening) -> None:
    await automate(evening, "ask_assist", board=await evening.device())
    await evening.begin(101)
    assert await ask_assist(evening, "next player") == "Next."
    await evening.shows(player="Bo")
    assert await ask_assist(evening, "start tactics for Ann and Bo") == "Tactics: Ann, Bo."
    await evening.shows(match="Tactics", phase="throwing")
    evening.throw("T17")
    await evening.shows(phase="deciding")
    assert await ask_assist(evening, "next player") == "Answer the question first."
    assert await ask_assist(evening, "nächster Spieler", "de") == "Beantworte zuerst die Frage."
    assert await ask_assist(evening, "volgende speler", "nl") == "Beantwoord eerst de vraag."
    assert await ask_assist(evening, "antwoord negen", "nl") == "Dat antwoord is er niet."


async def test_what_is_said_aloud_is_said_once(evening: Evening) -> None:
    satellite, speaker, voice = "assist_satellite.hall", "media_player.hall", "tts.home"  # none of them is there
    heard: list[str] = []
    said: list[tuple[str, JSON]] = []

    def note(event: JSON) -> None:
        call = event["data"]
        if call["domain"] in ("assist_satellite", "tts"):
            said.append((f"{call['domain']}.{call['service']}", call["service_data"]))

    await evening.ha.listen(lambda event: heard.append(event["data"]["text"]), "subscribe_events", event_type="aloud")
    await evening.ha.listen(note, "subscribe_events", event_type="call_service")
    also = [{"event": "aloud", "event_data": {"text": "{{ text }}"}}]
    ways = {"satellite": [satellite], "speaker": [speaker], "voice": [voice], "also": also}
    await automate(evening, "speak", spoken=evening.ids["spoken"], **ways)
    await evening.begin(101)
    evening.throw("T17", "O1", "O1")
    await evening.ha.until(lambda: "53 points. Ann: 48." in heard)
    message = {"message": "53 points. Ann: 48."}
    announced = {"entity_id": [satellite], "preannounce": False, **message}
    spoken = {"entity_id": [voice], "media_player_entity_id": [speaker], **message}
    assert said[-2:] == [("assist_satellite.announce", announced), ("tts.speak", spoken)]
    await evening.kill_daemon()
    await evening.shows(spoken="unavailable")
    await evening.start_daemon()
    await evening.shows(score=48)
    evening.board.press("next")
    evening.throw("O1", "O1", "O1")
    await evening.ha.until(lambda: "3 points. Bo: 98." in heard)
    assert heard.count("53 points. Ann: 48.") == 1


async def test_home_assistant_complains_of_nothing(evening: Evening) -> None:
    assert evening.ha.log == []
