"""The templates that Home Assistant is given, rendered with what the tables really say: none fails, all fit.

Rendered strictly: what is not there is an error here, and would be a warning in the log there.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.home_assistant.entities import list_table_entities
from daemon.home_assistant.moments import TEMPLATE
from protocol.bodies import decode_command
from protocol.commands import ChangePlan
from protocol.facts import (
    Award,
    Bust,
    Dart,
    Eliminated,
    Event,
    Halved,
    LeadTaken,
    LegWon,
    LifeLost,
    MatchWon,
    SetWon,
    TurnChanged,
    Visit,
    make_event,
)
from protocol.messages import make_attributes
from protocol.moments import find_moment
from tests.daemon.display import JSON, DirectDisplay
from tests.daemon.process import configure
from tests.daemon.test_discovery import announced
from tests.daemon.test_sensed import amend, sit_down, throw

pytestmark = pytest.mark.usefixtures("at_once")
ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined)
MATCHES: tuple[tuple[JSON, str], ...] = (
    ({"game": "x01", "options": {"start": 101}, "format": {"legs": 1}}, "T20 T20 T20 S1 D20 S5 S17 S20 D12"),
    ({"game": "cricket", "players": ["Ann", "Bo", "Cy", "Di"], "teams": [[0, 1], [2, 3]]}, "T20 T19 T18 DB SB MISS"),
    ({"game": "killer", "players": ['O"Neill', "Bo {{ 1 }}", "Zoë <b>"]}, "D5 MISS MISS D6 MISS MISS D7"),
    ({"game": "snooker", "options": {"nominate": True}}, "S1 T1"),
    ({"game": "dards", "options": {"mode": "dealt"}}, "T20 DB S3"),
    ({"game": "d20_elimination", "players": ["Ann"]}, "T20 DB S3"),
)
OTHER_LAYOUTS = """
[[table]]
board = "serial:/dev/nowhere"
name = "yatzy"
profile = "plain-yatzy"
game = "yatzy_dart"
[[table]]
board = "serial:/dev/nowhere_else"
name = "ground"
profile = "plain-ground-round"
game = "ground_round"
"""


@cache
def compiled(template: str) -> jinja2.Template:
    return ENVIRONMENT.from_string(template)


def render(template: str, **values: object) -> str:
    return compiled(template).render(**values)


def check_shown(key: str, each: JSON, shown: str) -> None:
    """Home Assistant can show this as the state of the entity; "" is no news to it."""
    assert len(shown) <= 255
    if each["platform"] == "number" and shown:
        assert each["min"] <= int(shown) <= each["max"]
    elif "options" in each and shown:
        assert shown in each["options"], f"{key} cannot show {shown}"
    elif each["platform"] == "switch":
        assert shown in ("ON", "OFF", "")
    elif "state_class" in each and key != "battery":
        assert shown == "None" or float(shown) >= 0
    elif each["platform"] == "event" and shown:
        assert json.loads(shown)["event_type"] in each["event_types"]
    elif "unit_of_measurement" in each and key != "battery":
        int(shown)


def check_message(key: str, each: JSON, text: str) -> None:
    value = json.loads(text) if text.startswith("{") else None
    if "value_template" in each:
        check_shown(key, each, render(each["value_template"], value_json=value))
    if "json_attributes_template" in each:
        attributes = json.loads(render(each["json_attributes_template"], value_json=value))
        assert isinstance(attributes, dict)
        assert len(json.dumps(attributes)) < 4000
        assert json.loads(render(each["json_attributes_template"])) == {}, "its topic is emptied"


async def play(display: DirectDisplay, header: JSON, darts: str) -> None:
    await display.ask("start", {"players": ["Ann", "Bo"], **header})
    for dart in darts.split():
        prompts = display.state()["prompts"]
        if display.state()["phase"] == "takeout":
            await display.ask("next", {})
        elif prompts and prompts[0]["options"]:
            await display.ask("choose", {"choose": prompts[0]["options"][-1]})
        await display.ask("throw", {"throw": dart})


@pytest.mark.slow
async def test_every_template_fits_every_message_of_many_matches(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port, more=OTHER_LAYOUTS))
    async with run_daemon(setup) as running, DirectDisplay(running) as display:
        checked: set[tuple[str, str]] = set()
        for header, darts in MATCHES:
            await play(display, header, darts)
            said = {(message.topic, message.text) for message in display.messages}
            for key, each in announced(display)["components"].items():
                for topic, text in said - checked:
                    if each.get("state_topic", each.get("topic")) == topic:
                        check_message(key, each, text)
            checked |= said
        for table in ("yatzy", "ground"):
            found = announced(display, table)["components"]
            assert "trigger_DB" not in found, "it has no bullseye"
            assert table[:5] in found["game"]["options"][0]
            for key, each in found.items():
                if "state_topic" in each and each["state_topic"] in display.now:
                    check_message(key, each, display.now[each["state_topic"]])
        rendered = {key for key, each in announced(display)["components"].items() if "value_template" in each}
        assert len(rendered) > 20


def test_a_dart_that_was_not_read_is_a_question_mark_until_it_is_corrected() -> None:
    desk = sit_down()
    last_dart = next(each for each in list_table_entities("standard", has_battery=False) if each.key == "last_dart")

    def show() -> tuple[str, str]:
        value = json.loads(msgspec.json.encode(desk.state))
        return render(last_dart.value or "", value_json=value), make_attributes(desk.state)["last_dart"]

    assert show() == ("-", "-")
    throw(desk, "a:T20", "b:?")
    assert show() == ("?", "?")
    desk.hear(amend("b", "D5"))
    assert show() == ("D5", "D5")


async def test_what_is_chosen_is_what_is_shown(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port))
    async with run_daemon(setup) as running, DirectDisplay(running) as display:
        await choose_each(display)
        for game in ("dards", "round_the_clock"):
            before = announced(display)
            await display.ask("game", {"game": game})
            await display.until(lambda: announced(display) != before)  # noqa: B023
            await choose_each(display)


async def choose_each(display: DirectDisplay) -> None:
    """Chooses all that can be chosen of the next match, entity by entity."""
    found = {k: v for k, v in announced(display)["components"].items() if v.get("command_topic", "").endswith("game")}
    assert any(key.startswith("option_") for key in found)
    for key, each in found.items():
        if key == "game":
            continue
        assert "none" not in each.get("options", ()), "that would be unknown"
        for choice in choices(key, each):
            body = choice if "command_template" not in each else render(each["command_template"], value=choice)
            planned = decode_command("game", body.encode()).command
            assert isinstance(planned, ChangePlan)
            answer = await display.ask("game", msgspec.json.decode(msgspec.json.encode(planned.wanted)))
            assert answer["status"] == "ok", answer
            shown = {"ON": each.get("payload_on"), "OFF": each.get("payload_off")}
            now = render(each["value_template"], value_json=json.loads(display.now["oche/table/main/next"]))
            assert (shown.get(now) or now) == choice


def choices(key: str, each: dict[str, Any]) -> list[str]:
    """What a player may choose; the last is what was so before."""
    if key == "players":
        return ['O"Neill, Bo {{ 1 }}, Zoë', "Ann, bot:45, Di", "Ann, Bo"]
    if each["platform"] == "switch":
        return [each["payload_on"], each["payload_off"]]
    if each["platform"] == "number":
        return [str(each["max"]), str(each["min"])]
    return [each["options"][0], each["options"][-1]]


MADE = [
    *(make_event(Award(side=0, award=name)) for name in ("180", "hat_trick", "low_ton", "high_ton", "of_a_plug_in")),
    *(make_event(Visit(side=0, points=points, darts=())) for points in (99, 100, 139, 140, 179, 180)),
    *(make_event(Visit(side=0, points=points, darts=(), checkout=True)) for points in (2, 100, 170)),
    *(make_event(Dart(side=0, segment=segment, points=50, score=1)) for segment in ("DB", "SB")),
    *(make_event(kind(side=0)) for kind in (Bust, Halved, Eliminated, LeadTaken, LegWon, SetWon, TurnChanged)),
    make_event(LifeLost(side=0, lives=1)),
    make_event(MatchWon(winners=(0,))),
]


@pytest.mark.parametrize("event", MADE)
def test_home_assistant_finds_the_moment_of_an_event_as_oche_does(event: Event) -> None:
    shown = render(TEMPLATE, value_json=json.loads(msgspec.json.encode(event)))
    moment = find_moment(event)
    assert (json.loads(shown)["event_type"] if shown else None) == (moment and moment.name)
