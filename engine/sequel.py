"""What a match was played for: another match, and the order in which its sides throw there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Sequel(NamedTuple):
    """The header of the other match without who plays, and the sides of this one as far as their order is known."""

    header: Mapping[str, Any]  # Any: JSON
    order: tuple[int, ...]
