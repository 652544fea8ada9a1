"""The entities of a table in Home Assistant, and how one is announced.

Those that every table has are in entities.toml. The others are made from the games, so a new game brings its own: the
options of the chosen game. An option has the same entity in every game that has it; its template says nothing while the
value is one of another game, because values and entities change one after the other.

Home Assistant refuses a whole device for one key that it does not know at the root or in the device, so only keys of
its release 2024.11 stand there; what is newer stands inside a component, where unknown keys are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.config.sections import Config
from daemon.home_assistant.moments import TEMPLATE
from daemon.languages import translate
from daemon.languages.game_words import name_option
from daemon.rules import Guard, RulesFailed
from engine.games import GAMES, PRESETS, Routines, find_layouts, game
from engine.options import format_value, list_options, read_options
from protocol.commands import Phase
from protocol.facts import FACTS
from protocol.messages import LogLevel, Plan, State
from protocol.moments import MOMENTS
from protocol.sentence import say
from protocol.topics import topic

Platform = Literal[
    "binary_sensor", "button", "device_automation", "event", "number", "select", "sensor", "switch", "text", "update"
]
Component = dict[str, Any]  # Any: JSON

_SHIPPED_GAMES = Path(__file__).parent.parent / "shipped_games.json"
EXPIRY_S = 5
"""A press that cannot be delivered for so long is dropped."""
MAIN_OPTIONS = 6
"""How many options of a game are shown: its first ones, which are the main ones."""
NOTHING = "-"
"""The choice that stands for no value."""
_IS_GOOD = (
    "{{ 'offline' if value_json.good_until is defined and as_datetime(value_json.good_until) < now() else 'online' }}"
)
"""Whether a health report, which comes every half minute, is not one that a broker has kept from before a power cut."""
_IF_ANY = "{{% if value_json is defined %}}{}{{% else %}}{{}}{{% endif %}}"
"""The template of attributes: a topic that is emptied has none, which Home Assistant would take for broken JSON."""
ABOUT_OPTIONS = "an option of the chosen game, at most six of them; if the option can be off, 0 switches it off"


class Entity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entity. `about` is for the documentation.

    `state` is the kind of topic it reads, `value` the template of its state, and `attributes` one of a JSON object.
    `command` is the command it sends, or `request` the request to the bridge, and `send` the template of its body. If
    `always`, it is available without the board as well. `more` is what only its platform has; "choices" in it stands
    for words that are not known before, and "table" for the name of the table.
    """

    key: str
    platform: Platform
    name: str
    about: str
    state: str | None = None
    value: str | None = None
    attributes: str | None = None
    command: str | None = None
    request: str | None = None
    send: str | None = None
    category: Literal["config", "diagnostic"] | None = None
    always: bool = False
    layouts: tuple[str, ...] | None = None
    """The layouts that have it; None is all."""
    more: Component = {}


class TableAddress(Struct, frozen=True):
    """What the topics and ids of a table are made of: base, names of bridge and table, and the bridge's own id.

    Of the bridge itself too, with a name in place of the table's, and with the id of the tournament that it shows.
    """

    base: str
    bridge: str
    table: str
    uuid: str
    tournament: str = ""

    @property
    def id(self) -> str:
        """The id of the device, which never changes: it depends on no host name and no port."""
        return f"oche_{self.uuid}_{self.table}"

    def topic(self, kind: str, **names: str) -> str:
        """Returns the topic of this kind for the table."""
        names |= {"tournament": self.tournament} if self.tournament else {}
        return topic(kind, self.base, bridge=self.bridge, table=self.table, **names)

    def availability(self, *, always: bool = False) -> Component:
        """Returns what has to be online: the bridge and, unless `always`, the board."""
        kinds = ("bridge_state",) if always else ("bridge_state", "board_state")
        read = [{"topic": self.topic(kind)} for kind in kinds]
        read.append({"topic": self.topic("bridge_health"), "value_template": _IS_GOOD})
        return {"availability": read, "availability_mode": "all"}


def make_component(entity: Entity, address: TableAddress) -> Component:
    """Returns the announcement of the entity, with its platform."""
    found: Component = {
        "platform": entity.platform,
        "unique_id": f"{address.id}_{entity.key}",
        "name": entity.name,
        **{key: address.table if value == "table" else value for key, value in entity.more.items()},
    }
    if entity.state is not None:
        read = address.topic(entity.state, **({"attr": entity.key} if entity.state == "attr" else {}))
        found["topic" if entity.platform == "device_automation" else "state_topic"] = read
        if entity.attributes is not None:
            found |= {"json_attributes_topic": read, "json_attributes_template": _IF_ANY.format(entity.attributes)}
    if entity.value is not None:
        found["value_template"] = entity.value
    if entity.command is not None or entity.request is not None:
        obeyed = "cmd" if entity.command is not None else "bridge_request"
        to = address.topic(obeyed, command=entity.command or "", request=entity.request or "")
        found |= {"command_topic": to, "qos": 1}
        found["message_expiry_interval"] = EXPIRY_S
        if entity.send is not None:
            found["command_template"] = entity.send
    if entity.category is not None:
        found["entity_category"] = entity.category
    if entity.platform == "device_automation":
        del found["name"]
    else:
        found["default_entity_id"] = f"{entity.platform}.oche_{address.table.replace('-', '_')}_{entity.key}"
    return found | (address.availability(always=True) if entity.always else {})


class _Catalogue(Struct, frozen=True, forbid_unknown_fields=True):
    sensors: tuple[Entity, ...]
    sides: tuple[Entity, ...]
    controls: tuple[Entity, ...]
    diagnostics: tuple[Entity, ...]
    triggers: tuple[Entity, ...]
    requests: tuple[Entity, ...]
    identify: Entity
    update: Entity
    week: Entity
    tournament: tuple[Entity, ...]
    battery: Entity
    spoken: Entity
    game: Entity
    legs: Entity
    answer: Entity
    units: dict[str, str]


def _set_choices(entity: Entity, choices: Iterable[str]) -> Entity:
    more = {key: list(choices) if value == "choices" else value for key, value in entity.more.items()}
    return replace(entity, more=more)


_CATALOGUE = msgspec.toml.decode(Path(__file__).with_name("entities.toml").read_bytes(), type=_Catalogue)
_WORDS = {"phase": get_args(Phase), "event": tuple(FACTS), "moment": tuple(MOMENTS)}


_SENSORS = tuple(
    replace(_set_choices(each, _WORDS.get(each.key, ())), value=TEMPLATE if each.value == "made" else each.value)
    for each in _CATALOGUE.sensors
)
CONTROLS, DIAGNOSTICS, TRIGGERS = _CATALOGUE.controls, _CATALOGUE.diagnostics, _CATALOGUE.triggers
BATTERY, LEGS, UPDATE, IDENTIFY = _CATALOGUE.battery, _CATALOGUE.legs, _CATALOGUE.update, _CATALOGUE.identify
GAME, SPOKEN, WEEK, TOURNAMENT = _CATALOGUE.game, _CATALOGUE.spoken, _CATALOGUE.week, _CATALOGUE.tournament
REQUESTS = tuple(_set_choices(each, get_args(LogLevel)) for each in _CATALOGUE.requests)


def list_bridge_entities(config: Config) -> tuple[Entity, ...]:
    """Returns the entities of the bridge itself: those that the configuration asks for."""
    update = (UPDATE,) if config.bridge.update_url is not None else ()
    week = (WEEK,) if config.bridge.week_at else ()
    return (*update, *week, *(REQUESTS if config.mqtt.requests else ()))


def list_table_entities(
    layout: str, *, has_battery: bool, sides: Sequence[str] = (), unit: str = "points", language: str = "en"
) -> list[Entity]:
    """Returns the entities of a table with this layout.

    `sides` are the names of its sides, and `unit` is what their scores count.
    """
    of_sides = (_make_for_side(each, side, sides, language) for side in (0, 1) for each in _CATALOGUE.sides)
    every = (*_SENSORS, *CONTROLS, *DIAGNOSTICS, *((BATTERY,) if has_battery else ()), *TRIGGERS)
    with_unit = (_set_unit(each, unit) if each.key == "score" else each for each in every)
    fitting = (each for each in with_unit if each.layouts is None or layout in each.layouts)
    return [*(name_entity(each, language) for each in fitting), *of_sides]


def _make_for_side(entity: Entity, side: int, names: Sequence[str], language: str) -> Entity:
    name = names[side] if side < len(names) else str(side + 1)
    said = translate(say(f"entity.side_{entity.key}", entity.name, side=name), language)
    value = (entity.value or "").replace("SIDE", str(side))
    return replace(entity, key=f"{entity.key}_{side + 1}", name=said, value=value)


def _set_unit(entity: Entity, unit: str) -> Entity:
    return replace(entity, more={**entity.more, "unit_of_measurement": unit})


def name_entity(entity: Entity, language: str) -> Entity:
    """Returns the entity with its name, and its unit, in this language. Its ids stay English."""
    named = replace(entity, name=translate(say(f"entity.{entity.key}", entity.name), language))
    unit = entity.more.get("unit_of_measurement", "")
    word = _CATALOGUE.units.get(unit, unit.replace("_", " "))
    return _set_unit(named, translate(say(f"entity.unit_{unit}", word), language)) if unit else named


def list_names() -> dict[str, str]:
    """Returns the English names of entities and units, by the keys that they are translated by."""
    catalogue = _CATALOGUE
    single = (
        *(catalogue.identify, catalogue.update, catalogue.week, catalogue.battery, catalogue.spoken),
        *(catalogue.game, catalogue.legs, catalogue.answer),
    )
    lists = (*_SENSORS, *catalogue.controls, *catalogue.diagnostics, *catalogue.requests, *TOURNAMENT, *single)
    return {
        **{each.key: each.name for each in lists},
        **{f"side_{each.key}": each.name for each in catalogue.sides},
        **{f"unit_{unit}": word for unit, word in catalogue.units.items()},
    }


def list_game_entities(plan: Plan, layout: str, guard: Guard, routines: Routines, language: str = "en") -> list[Entity]:
    """Returns the entities for the next match: the game, its main options by the names of the lobby, and the legs."""
    chosen = game(plan.game)
    options = [
        replace(entity, name=name_option(chosen, name, about, language).label)
        for name, about in list_options(chosen).items()
        if (entity := _make_option(name, about)) is not None
    ]
    games = name_entity(make_game_select(layout, guard, routines), language)
    return [games, *options[:MAIN_OPTIONS], name_entity(LEGS, language)]


def open_options(state: State) -> tuple[str, ...]:
    """Returns the answers to the open question that is not secret; () when there is none."""
    return next((p.options for p in state.prompts if not p.secret and p.options), ())


def make_answer(options: tuple[str, ...]) -> Entity:
    """Returns the select for an answer to the open question."""
    return _set_choices(_CATALOGUE.answer, [NOTHING, *(option for option in options if option != NOTHING)])


def make_game_select(layout: str, guard: Guard, routines: Routines) -> Entity:
    """Returns the select of games, presets and routines for this layout, by the names that the command `game` takes."""
    fitting = [name for name in (*GAMES, *PRESETS, *routines) if layout in find_layouts(name, routines)]
    titles = format_value({name: _find_title(name, guard, routines) for name in fitting})
    attributes = (GAME.attributes or "").replace("TITLES", titles)
    return replace(_set_choices(GAME, fitting), attributes=attributes)


@cache
def _read_titles() -> dict[str, str]:
    titles: dict[str, str] = msgspec.json.decode(_SHIPPED_GAMES.read_bytes())["titles"]
    return titles


def _find_title(name: str, guard: Guard, routines: Routines) -> str:
    """Returns what players call this game, preset or routine. Games that ship need not be loaded for it."""
    if name in routines:
        return routines[name].title
    if name in (titles := _read_titles()):
        return titles[name]
    with suppress(RulesFailed), guard.call(found := game(name), is_vital=False, may_refuse=False):
        return found.title(read_options(found, dict(PRESETS[name].options) if name in PRESETS else {}))
    return name


def _make_option(name: str, about: dict[str, Any]) -> Entity | None:  # Any: JSON Schema
    """Returns the entity of an option; None if it is more than a choice, a number with both ends, or a switch."""
    kinds = about.get("anyOf", [about])
    kind: dict[str, Any] = next((kind for kind in kinds if kind.get("type") != "null"), {})  # Any: JSON Schema
    can_be_none = len(kinds) > 1
    match kind:
        case {"enum": values}:
            return _make_select(name, values, can_be_none=can_be_none)
        case {"type": "boolean"}:
            return _make_select(name, [True, False], can_be_none=True) if can_be_none else _make_switch(name)
        case {"type": "integer", "minimum": least, "maximum": most}:
            return _make_number(name, least, most, can_be_none=can_be_none)
    return None


def _make_select(name: str, values: list[Any], *, can_be_none: bool) -> Entity:  # Any: JSON
    words = {_format_word(value): value for value in sorted(values, key=_sort_key)}
    if can_be_none:
        words = {NOTHING: None, **words}
    of_words = ", ".join(f"{word!r}: {_format_jinja_literal(value)}" for word, value in words.items())
    body = f"{{{{ {{{of_words}}}[value] | tojson }}}}"
    said = " else ".join(f"{word!r} if v == {_format_jinja_literal(value)}" for word, value in words.items())
    return _make_entity(name, "select", f"{{{{ {said} else '' }}}}", {"options": list(words)}, body)


def _format_word(value: Any) -> str:  # Any: JSON
    """Returns how a value is shown. Home Assistant takes the state "none" for unknown."""
    word = value if isinstance(value, str) else format_value(value)
    return "no" if word == "none" else word


def _sort_key(value: Any) -> tuple[bool, int]:  # Any: JSON
    return not str(value).isdigit(), int(value) if str(value).isdigit() else 0


def _make_number(name: str, low: int, high: int, *, can_be_none: bool) -> Entity:
    """Returns a number; 0 stands for None, where the option can be None."""
    value = f"v if v is number and {low} <= v <= {high} else ''"
    body = "{{ value | int }}"
    if can_be_none:
        value, body = f"0 if v is none else {value}", "{{ value | int or 'null' }}"
    more = {"min": 0 if can_be_none else low, "max": high, "step": 1, "mode": "box"}
    return _make_entity(name, "number", f"{{{{ {value} }}}}", more, body)


def _make_switch(name: str) -> Entity:
    more = {
        "payload_on": format_value({"options": {name: True}}),
        "payload_off": format_value({"options": {name: False}}),
        "state_on": "ON",
        "state_off": "OFF",
    }
    return _make_entity(name, "switch", "{{ 'ON' if v is sameas true else 'OFF' if v is sameas false else '' }}", more)


def _make_entity(name: str, platform: Platform, value: str, more: Component, body: str | None = None) -> Entity:
    """Returns the entity of an option; `v` in the templates is its value."""
    return Entity(
        key=f"option_{name}_{platform}",
        platform=platform,
        name=name,
        about=ABOUT_OPTIONS,
        state="next",
        value=f"{{% set v = value_json.options['{name}'] | default('') %}}{value}",
        command="game",
        send=None if body is None else f'{{"options": {{"{name}": {body}}}}}',
        category="config",
        more={**more, "icon": "mdi:tune"},
    )


def _format_jinja_literal(value: Any) -> str:  # Any: JSON
    if value is None:
        return "none"
    return repr(value) if isinstance(value, str) else format_value(value)
