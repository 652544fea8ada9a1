"""Boards as pages draw them."""

from __future__ import annotations

from typing import Any

from protocol.segment import Layout
from protocol.standard import DARTBOARDS, standard


def find_dartboard(name: str) -> Layout | None:
    """Returns the standard layout as this dartboard has it; None: it is none of those."""
    radii = next((radii for dartboard, radii in DARTBOARDS.items() if dartboard == name), None)
    return standard(radii) if radii else None


def describe_layout(layout: Layout) -> dict[str, Any]:  # Any: JSON
    """Returns a layout as pages draw it: its size in tenths of a millimetre, every segment with its outline.

    `dartboard` is which of those with the standard layout it is; None: it has only one.
    """
    segments = [
        {"id": s.id, "points": s.points, "groups": sorted(s.groups), "outline": s.outline} for s in layout.segments
    ]
    about = {"name": layout.name, "dartboard": layout.dartboard, "radius": layout.radius, "miss": layout.miss.id}
    return {**about, "segments": segments}
