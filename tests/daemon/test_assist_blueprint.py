"""The blueprint for Assist, rendered with what Home Assistant is told of real matches: what it answers, and presses.

Home Assistant's own functions are written out here; the values of templates are of the types that they become there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml  # type: ignore[import-untyped]  # it comes with the embedded broker

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.daemon.display import JSON, DirectDisplay
from tests.daemon.process import configure
from tests.daemon.test_discovery import announced

pytestmark = pytest.mark.usefixtures("at_once")
FILE = Path(__file__).parents[2] / "docs/home-assistant/blueprints/ask_assist.yaml"
yaml.SafeLoader.add_constructor("!input", lambda _, node: str(node.value))
BLUEPRINT: JSON = yaml.safe_load(FILE.read_text(encoding="utf-8"))


class Assist:
    """Home Assistant, as far as the blueprint asks it: the entities of the table, and the run of one automation."""

    def __init__(self, display: DirectDisplay) -> None:
        self._display = display
        self.answer = ""
        self.pressed: list[tuple[str, JSON]] = []
        self._jinja = jinja2.Environment(undefined=jinja2.StrictUndefined)
        self._jinja.globals |= {"states": self._state, "state_attr": self._attribute, "device_entities": self._entities}
        self._jinja.filters["regex_replace"] = lambda text, find, replace: re.sub(find, replace, text)
        self._jinja.tests["search"] = lambda text, find: re.search(find, text) is not None

    def say(self, trigger: str, **slots: str) -> str:
        """Runs the automation as this trigger does; returns the answer."""
        self.answer, self.pressed = "", []
        assert trigger in {each["id"] for each in BLUEPRINT["triggers"]}
        about: JSON = {"trigger": {"id": trigger, "slots": slots}}
        self._set(about, BLUEPRINT["variables"])
        self._run(about, BLUEPRINT["actions"])
        return " ".join(self.answer.split())

    def _run(self, about: JSON, steps: list[JSON]) -> None:
        for step in steps:
            if "variables" in step:
                self._set(about, step["variables"])
            elif "choose" in step:
                found = (each["sequence"] for each in step["choose"] if self._render(each["conditions"], about))
                self._run(about, next(found, step["default"]))
            elif "if" in step:
                self._run(about, step["then" if self._render(step["if"], about) else "else"])
            elif "set_conversation_response" in step:
                self.answer = str(self._render(step["set_conversation_response"], about))
            elif "action" in step:
                data = {name: self._render(text, about) for name, text in step.get("data", {}).items()}
                self.pressed.append((str(self._render(step["target"]["entity_id"], about)), data))
            else:
                assert "wait_template" in step

    def _set(self, about: JSON, variables: JSON) -> None:
        for name, text in variables.items():
            about[name] = self._render(text, about)

    def _render(self, text: str, about: JSON) -> Any:  # Any: JSON, as it is there
        told = self._jinja.from_string(text).render(about)
        with suppress(ValueError, SyntaxError):
            return ast.literal_eval(told)
        return told

    def _components(self) -> Iterator[tuple[str, JSON]]:
        for each in announced(self._display)["components"].values():
            if "default_entity_id" in each:
                yield each["default_entity_id"], each

    def _entities(self, device: str) -> list[str]:
        return [entity for entity, _ in self._components()]

    def _said(self, entity: str) -> tuple[JSON, JSON]:
        each = dict(self._components())[entity]
        return each, json.loads(self._display.now[each["state_topic"]])

    def _state(self, entity: str) -> str:
        each, value = self._said(entity)
        return self._jinja.from_string(each["value_template"]).render(value_json=value)

    def _attribute(self, entity: str, name: str) -> Any:  # Any: JSON
        each, value = self._said(entity)
        if name == "options":
            return each["options"]
        found: JSON = json.loads(self._jinja.from_string(each["json_attributes_template"]).render(value_json=value))
        return found[name]


async def test_assist_is_asked_who_wins_and_starts_a_match(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port))
    async with run_daemon(setup) as running, DirectDisplay(running) as display:
        assist = Assist(display)
        await display.ask("start", {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}})
        await display.ask("throw", {"throw": "T17"})
        assert assist.say("winning en") == "101: Ann 50; Bo 101."
        assert assist.say("undo de") == "Zurückgenommen."
        assert assist.pressed == [("button.oche_main_undo", {})]
        await display.ask("throw", {"throw": "DB"})
        assert assist.say("winning en") == "Ann won 101."
        assert assist.say("winning de") == "Ann hat 101 gewonnen."

        assert assist.say("start en", game="Cricket", names="Ann, Bo and Cy").endswith(": Ann, Bo, Cy.")
        assert assist.pressed == [
            ("select.oche_main_game", {"option": "cricket"}),
            ("text.oche_main_players", {"value": "Ann, Bo, Cy"}),
            ("button.oche_main_start", {}),
        ]
        assist.say("start de", game="301", names="Ann und Bo")
        assert assist.pressed[0] == ("select.oche_main_game", {"option": 301})
        assert assist.say("start en", game="chess", names="Ann") == "The board does not know this game: chess."
        assert assist.pressed == []
        await display.ask("game", {"game": "freeze_301", "players": ["Ann"]})
        assert assist.say("start en", game="freeze 301", names="Ann").startswith("That cannot be: ")
        assert ("button.oche_main_start", {}) not in assist.pressed
