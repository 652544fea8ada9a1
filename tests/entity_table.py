"""The table of docs/home-assistant.md, made from the entities themselves."""

from __future__ import annotations

from daemon.home_assistant.entities import (
    ABOUT_OPTIONS,
    BATTERY,
    CONTROLS,
    DIAGNOSTICS,
    LEGS,
    SENSORS,
    TRIGGERS,
    Entity,
    make_answer,
    make_game_select,
)

BEGIN, END = "<!-- entities: made by `make docs` -->\n", "<!-- end of entities -->\n"
_PLATFORMS = {"binary_sensor": "binary sensor", "device_automation": "device trigger"}


def entity_table() -> str:
    """Every entity that there can be, a row each."""
    rows = [
        *map(_row, (*SENSORS, *CONTROLS, make_game_select("standard"))),
        f"| Option … | select, number or switch | {ABOUT_OPTIONS} | oche or the board is away |",
        *map(_row, (LEGS, make_answer(()), *DIAGNOSTICS, BATTERY, *TRIGGERS)),
    ]
    return "\n".join(["| entity | kind | what | unavailable while |", "|---|---|---|---|", *rows, ""])


def with_table(page: str) -> str:
    """The page with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{entity_table()}\n{END}{rest.partition(END)[2]}"


def _row(entity: Entity) -> str:
    away = "oche is away" if entity.always else "oche or the board is away"
    if entity.platform == "device_automation":
        away = "–"
    only = f" ({' and '.join(entity.layouts)} layout only)" if entity.layouts else ""
    platform = _PLATFORMS.get(entity.platform, entity.platform)
    return f"| {entity.name} | {platform} | {entity.about}{only} | {away} |"
