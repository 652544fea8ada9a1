"""What a display is told of a table that is in trouble."""

from __future__ import annotations

import json
from typing import Any

from tests.daemon.display import Display

KITCHEN = '[[table]]\nname = "kitchen"\nboard = "serial:/dev/null"\nprofile = "quick.toml"'
"""Another table, whose board is not there."""


def trouble(display: Display, table: str = "main") -> str | None:
    """As the retained messages have it, which must agree sooner or later; "" while they do not."""
    info = _json(display, f"oche/table/{table}/board/info").get("trouble")
    health = _json(display, "oche/bridge/oche/health").get("tables", {}).get(table, {}).get("trouble", "")
    return info if info == health else ""


async def is_stopped(display: Display, table: str = "main") -> str:
    """Waits until it is; the reason."""
    await display.until(lambda: bool(trouble(display, table)))
    return str(trouble(display, table))


async def goes_on(display: Display, table: str = "main") -> None:
    """Waits until it does."""
    await display.until(lambda: trouble(display, table) is None)


def _json(display: Display, topic: str) -> dict[str, Any]:  # Any: JSON
    found: dict[str, Any] = json.loads(display.now.get(topic) or "{}")
    return found
