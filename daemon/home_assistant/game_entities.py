"""The entities that depend on the game: which one, its main options, and the question that is open.

They are made from the games themselves, so a new game brings its own. An option has the same entity in every game that
has it; its template says nothing while the value is one of another game, because values and entities change one after
the other.
"""

from __future__ import annotations

from typing import Any

import msgspec

from daemon.home_assistant.entities import Component, Entity, Platform
from engine.games import GAMES, PRESETS, game
from engine.options import as_json
from protocol.messages import Plan, State

MAIN_OPTIONS = 6
"""Options of a game that are shown: its first ones, which are its main ones."""
NOTHING = "-"
"""The choice that stands for none."""
MOST_LEGS = 21
ABOUT_OPTIONS = "an option of the chosen game: its first six that are a choice, a number (0 for none) or a switch"

_PROMPT = "(value_json.prompts | rejectattr('secret') | selectattr('options') | list)"
"""The questions that everybody may see, as a template."""


def playable(face: str) -> list[str]:
    """Games and presets for this face, by the names that `game` takes."""
    games = [name for name, found in GAMES.items() if face in found.layouts]
    return games + [name for name, preset in PRESETS.items() if face in GAMES[preset.game].layouts]


def game_entities(plan: Plan, face: str) -> list[Entity]:
    """The choice of the next match: the game, its main options, and the legs."""
    schema = _schema(plan.game)
    options = [entity for name, about in schema.items() if (entity := _option(name, about)) is not None]
    return [choice_of_game(face), *options[:MAIN_OPTIONS], LEGS]


def open_options(state: State) -> tuple[str, ...]:
    """The answers to the open question that everybody may see; none when there is none."""
    return next((p.options for p in state.prompts if not p.secret and p.options), ())


def answer(options: tuple[str, ...]) -> Entity:
    """The choice of an answer to the open question. It shows nothing: what was answered is said by the game."""
    return Entity(
        key="answer",
        platform="select",
        name="Answer",
        about=f"the answers to the open question, `{NOTHING}` when there is none; attributes: `question`, `prompt`, "
        "`default`, `seat`. Never what only one player may see",
        state="state",
        value=NOTHING,
        attributes=f"{{% set p = {_PROMPT} %}}"
        "{{ (dict(question=p[0].text, prompt=p[0].id, default=p[0].default, seat=p[0].seat) if p else {}) | tojson }}",
        command="choose",
        send='{"choose": {{ value | tojson }}'
        "{% if this is defined and this.attributes.prompt is defined %}"
        ', "prompt": {{ this.attributes.prompt | tojson }}{% endif %}}',
        more={"options": [NOTHING, *(option for option in options if option != NOTHING)], "icon": "mdi:help-circle"},
    )


def choice_of_game(face: str) -> Entity:
    """The games and presets for this face."""
    return Entity(
        key="game",
        platform="select",
        name="Game",
        about="the game of the next match: every one that this board’s face can be played on",
        state="next",
        value="{{ value_json.game }}",
        command="game",
        more={"options": playable(face), "icon": "mdi:dice-multiple"},
    )


LEGS = Entity(
    key="legs",
    platform="number",
    name="Legs",
    about="legs that win a set of the next match",
    state="next",
    value=f"{{{{ value_json.format.legs if 1 <= value_json.format.legs <= {MOST_LEGS} else '' }}}}",
    command="game",
    send='{"format": {"legs": {{ value | int }}}}',
    category="config",
    more={"min": 1, "max": MOST_LEGS, "step": 1, "mode": "box", "icon": "mdi:numeric"},
)


def _schema(name: str) -> dict[str, Any]:  # Any: JSON Schema
    options = game(name).options_type
    found: dict[str, Any] = msgspec.json.schema(options)["$defs"][options.__name__].get("properties", {})
    return found


def _option(name: str, about: dict[str, Any]) -> Entity | None:  # Any: JSON Schema
    """The entity for an option, None for one that is more than a choice, a number or a switch."""
    kinds = about.get("anyOf", [about])
    kind = next(kind for kind in kinds if kind.get("type") != "null")
    can_be_none = len(kinds) > 1
    if "enum" in kind:
        return _choice(name, kind["enum"], can_be_none=can_be_none)
    if kind["type"] == "boolean" and can_be_none:
        return _choice(name, [True, False], can_be_none=True)
    if kind["type"] == "boolean":
        return _switch(name)
    if kind["type"] == "integer" and "maximum" in kind:
        return _number(name, kind["minimum"], kind["maximum"], can_be_none=can_be_none)
    return None


def _choice(name: str, values: list[Any], *, can_be_none: bool) -> Entity:  # Any: JSON
    words = {_word(value): value for value in sorted(values, key=_number_first)}
    if can_be_none:
        words = {NOTHING: None, **words}
    of_words = ", ".join(f"{word!r}: {_literal(value)}" for word, value in words.items())
    body = f"{{{{ {{{of_words}}}[value] | tojson }}}}"
    said = " else ".join(f"{word!r} if v == {_literal(value)}" for word, value in words.items())
    return _entity(name, "select", f"{{{{ {said} else '' }}}}", {"options": list(words)}, body)


def _word(value: Any) -> str:  # Any: JSON
    """How a value is shown; "none" would be unknown to Home Assistant."""
    word = value if isinstance(value, str) else as_json(value)
    return "no" if word == "none" else word


def _number_first(value: Any) -> tuple[bool, int]:  # Any: JSON
    return not str(value).isdigit(), int(value) if str(value).isdigit() else 0


def _number(name: str, low: int, high: int, *, can_be_none: bool) -> Entity:
    """A number; 0 stands for none, where an option can be none."""
    value = f"v if v is number and {low} <= v <= {high} else ''"
    body = "{{ value | int }}"
    if can_be_none:
        value, body = f"0 if v is none else {value}", "{{ value | int or 'null' }}"
    more = {"min": 0 if can_be_none else low, "max": high, "step": 1, "mode": "box"}
    return _entity(name, "number", f"{{{{ {value} }}}}", more, body)


def _switch(name: str) -> Entity:
    more = {
        "payload_on": as_json({"options": {name: True}}),
        "payload_off": as_json({"options": {name: False}}),
        "state_on": "ON",
        "state_off": "OFF",
    }
    return _entity(name, "switch", "{{ 'ON' if v is sameas true else 'OFF' if v is sameas false else '' }}", more)


def _entity(name: str, platform: Platform, value: str, more: Component, body: str | None = None) -> Entity:
    """The entity of an option; `v` in the templates is its value."""
    return Entity(
        key=f"option_{name}_{platform}",
        platform=platform,
        name=f"Option {name.replace('_', ' ')}",
        about=ABOUT_OPTIONS,
        state="next",
        value=f"{{% set v = value_json.options['{name}'] | default('') %}}{value}",
        command="game",
        send=None if body is None else f'{{"options": {{"{name}": {body}}}}}',
        category="config",
        more={**more, "icon": "mdi:tune"},
    )


def _literal(value: Any) -> str:  # Any: JSON
    """A JSON value as a template writes it."""
    if value is None:
        return "none"
    return repr(value) if isinstance(value, str) else as_json(value)
