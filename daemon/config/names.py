"""Names in the configuration: of what the configuration itself has, one or several."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$")]
Names = str | tuple[str, ...]
"""One name, or several of which one must fit."""


def list_names(names: Names) -> tuple[str, ...]:
    """Returns these names as several."""
    return (names,) if isinstance(names, str) else names
