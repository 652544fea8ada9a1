"""The entities that every table has, whatever is played: the registry of them."""

from __future__ import annotations

from typing import get_args

from daemon.home_assistant.entities import LONGEST, Entity, button, sensor, trigger, when
from protocol.messages import EventType, Phase

_MATCH = """{{ dict(
  match=value_json.match, game=value_json.game, leg=value_json.leg, set=value_json.set,
  names=value_json.sides | map(attribute='name') | list,
  scores=value_json.sides | map(attribute='score') | list,
  legs=value_json.sides | map(attribute='legs') | list,
  sets=value_json.sides | map(attribute='sets') | list,
  out=value_json.sides | map(attribute='out') | list,
  playing=value_json.turn.side,
  darts=value_json.turn.darts | map(attribute='segment') | list,
  last_visit=value_json.last.points if value_json.last else none,
  targets=value_json.targets,
  winners=value_json.winners) | tojson }}"""
"""What all sides have, as lists in the order of the sides: attributes of one sensor, not an entity for each player."""

SENSORS = (
    sensor(
        "phase",
        "Game phase",
        "{{ value_json.phase }}",
        "`throwing`, `deciding` (a question is open), `takeout` (darts are to be pulled) or `over`",
        more={"device_class": "enum", "options": list(get_args(Phase)), "icon": "mdi:progress-clock"},
    ),
    sensor(
        "player", "Current player", "{{ value_json.turn.player }}", "whose turn it is", more={"icon": "mdi:account"}
    ),
    sensor(
        "score",
        "Score",
        "{{ value_json.sides[value_json.turn.side].score }}",
        "the number on the wall of the side whose turn it is",
        more={"unit_of_measurement": "points", "icon": "mdi:scoreboard"},
    ),
    sensor(
        "darts_left",
        "Darts left",
        "{{ value_json.turn.darts_left }}",
        "darts left in this visit",
        more={"unit_of_measurement": "darts", "icon": "mdi:bullseye-arrow"},
    ),
    sensor(
        "last_dart",
        "Last dart",
        "{{ (value_json.turn.darts | last).segment if value_json.turn.darts else '-' }}",
        "where the last dart of this visit is, such as `T20`; `-` before the first",
        more={"icon": "mdi:bullseye"},
    ),
    sensor(
        "visit_score",
        "Visit score",
        "{{ value_json.turn.darts | sum(attribute='points') }}",
        "face values of this visit’s darts, added",
        more={"unit_of_measurement": "points", "icon": "mdi:sigma"},
    ),
    sensor(
        "hint",
        "Checkout hint",
        f"{{{{ (value_json.hint | join(' ') or '-')[:{LONGEST}] }}}}",
        "the way out with the darts in hand, such as `T20 D20`; `-` where there is none",
        more={"icon": "mdi:lightbulb-on"},
    ),
    sensor("round", "Round", "{{ value_json.round }}", "the round, from 1", more={"icon": "mdi:counter"}),
    sensor(
        "match",
        "Match",
        f"{{{{ value_json.title[:{LONGEST}] }}}}",
        "what is played; attributes: `names`, `scores`, `legs`, `sets`, `out` (a value a side), `playing` (whose turn "
        "it is), `darts` (of this visit), `leg`, `set`, `last_visit`, `targets`, `winners`, `game`, `match`",
        attributes=_MATCH,
        more={"icon": "mdi:tournament"},
    ),
    sensor(
        "next_match",
        "Next match",
        f"{{{{ (value_json.problem or 'ready')[:{LONGEST}] }}}}",
        "`ready`, or why the match chosen below cannot begin; attributes: `title`, `players`, `options`, `format`",
        state="next",
        attributes="{{ dict(title=value_json.title, players=value_json.players, options=value_json.options,"
        " format=value_json.format) | tojson }}",
        more={"icon": "mdi:clipboard-text-play"},
    ),
    Entity(
        key="event",
        platform="event",
        name="Event",
        about="every single thing that happens, with what it carries as attributes",
        state="event",
        more={"event_types": list(get_args(EventType)), "icon": "mdi:flash"},
    ),
)

CONTROLS = (
    button("next", "Next player", "closes the visit; darts nobody saw are misses", icon="mdi:account-arrow-right"),
    button("undo", "Undo", "takes back the last dart or press", icon="mdi:undo"),
    button("miss", "Miss", "a dart that hit nothing", icon="mdi:close-circle-outline"),
    button("start", "New game", "begins the match that is chosen", press="", icon="mdi:play"),
    button("stop", "Stop game", "ends the match without a winner", icon="mdi:stop"),
    Entity(
        key="players",
        platform="text",
        name="Players",
        about="who plays the next match, such as `Ann, Bo, bot:45`",
        state="next",
        value=f"{{{{ (value_json.players | join(', '))[:{LONGEST}] }}}}",
        command="game",
        send='{"players": {{ value.split(",") | map("trim") | select | list | tojson }}}',
        more={"max": LONGEST, "icon": "mdi:account-group"},
    ),
)

DIAGNOSTICS = (
    Entity(
        key="board",
        platform="binary_sensor",
        name="Board",
        about="whether the board is connected",
        state="board_state",
        category="diagnostic",
        always=True,
        more={"device_class": "connectivity", "payload_on": "online", "payload_off": "offline"},
    ),
    Entity(
        key="problem",
        platform="binary_sensor",
        name="Problem",
        about="whether a segment is stuck; attribute `stuck`: which",
        state="board_info",
        value="{{ 'ON' if value_json.stuck else 'OFF' }}",
        attributes="{{ dict(stuck=value_json.stuck) | tojson }}",
        category="diagnostic",
        more={"device_class": "problem"},
    ),
    sensor(
        "link",
        "Board link",
        f"{{{{ value_json.text[:{LONGEST}] }}}}",
        "one sentence on the connection to the board; attributes: `profile`, `firmware`",
        state="board_info",
        attributes="{{ dict(profile=value_json.profile, firmware=value_json.firmware) | tojson }}",
        category="diagnostic",
        always=True,
        more={"icon": "mdi:connection"},
    ),
    sensor(
        "version",
        "Bridge version",
        "{{ value_json.version }}",
        "the version of oche",
        state="bridge_info",
        category="diagnostic",
        always=True,
        more={"icon": "mdi:tag"},
    ),
)

BATTERY = sensor(
    "battery",
    "Battery",
    "{{ value_json.battery }}",
    "charge of the board; only once a board has told it",
    state="board_info",
    category="diagnostic",
    more={"device_class": "battery", "unit_of_measurement": "%"},
)

TRIGGERS = (
    trigger("180", "thrown", "180", when("award", "award"), "three triple twenties", faces=("standard",)),
    trigger("DB", "hit", "bullseye", when("dart", "segment"), "a dart in the bullseye", faces=("standard",)),
    trigger("bust", "thrown", "bust", when("bust"), "a visit that does not count"),
    trigger("leg_won", "won", "leg", when("leg_won"), "a leg is won"),
    trigger("match_won", "won", "match", when("match_won"), "the match is won"),
)


def table_entities(face: str, *, has_battery: bool) -> tuple[Entity, ...]:
    """Those of a table with this face."""
    all_of_them = (*SENSORS, *CONTROLS, *DIAGNOSTICS, *((BATTERY,) if has_battery else ()), *TRIGGERS)
    return tuple(entity for entity in all_of_them if entity.faces is None or face in entity.faces)
