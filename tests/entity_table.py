"""The table of docs/home-assistant.md, made from the entities themselves."""

from __future__ import annotations

from daemon.home_assistant.entities import (
    ABOUT_OPTIONS,
    GAME,
    IDENTIFY,
    LEGS,
    REQUESTS,
    SPOKEN,
    TOURNAMENT,
    UPDATE,
    WEEK,
    Entity,
    list_table_entities,
    make_answer,
)
from protocol.moments import MOMENTS

_MARKS = "<!-- {0}: made by `make docs` -->\n", "<!-- end of {0} -->\n"
_UNAVAILABLE = "oche is offline or the board is disconnected"
_PLATFORMS = {"binary_sensor": "binary sensor", "device_automation": "device trigger"}


def entity_table() -> str:
    """Every entity that there can be, a row each."""
    rows = [
        *map(_row, (*list_table_entities("standard", has_battery=True, sides=("Ann", "Bo")), GAME)),
        f"| *the label of the option* | select, number or switch | {ABOUT_OPTIONS} | {_UNAVAILABLE} |",
        *map(_row, (LEGS, make_answer(()), SPOKEN, IDENTIFY, UPDATE, WEEK, *TOURNAMENT, *REQUESTS)),
    ]
    return "\n".join(["| entity | kind | what | unavailable while |", "|---|---|---|---|", *rows, ""])


def with_table(page: str) -> str:
    """The page with its tables as they are now."""
    for name, text in (("entities", entity_table()), ("moments", moment_table())):
        begin, end = (mark.format(name) for mark in _MARKS)
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def moment_table() -> str:
    """Every moment, a row each."""
    rows = [f"| `{name}` | `{event}` | {about} |" for name, event, about, *_ in MOMENTS.values()]
    return "\n".join(["| moment | from event | what |", "|---|---|---|", *rows, ""])


def _row(entity: Entity) -> str:
    away = "oche is offline" if entity.always else _UNAVAILABLE
    if entity.platform == "device_automation":
        away = "–"
    only = f" ({' and '.join(entity.layouts)} layout only)" if entity.layouts else ""
    platform = _PLATFORMS.get(entity.platform, entity.platform)
    return f"| {entity.name} | {platform} | {entity.about}{only} | {away} |"
