"""A board face as pages draw it."""

from __future__ import annotations

from typing import Any

from protocol.segment import Layout


def drawing(face: Layout) -> dict[str, Any]:  # Any: JSON
    """Its name, its miss, its size in tenths of a millimetre, and every segment with its outline."""
    segments = [
        {"id": s.id, "points": s.points, "groups": sorted(s.groups), "outline": s.outline} for s in face.segments
    ]
    return {"name": face.name, "radius": face.radius, "miss": face.miss.id, "segments": segments}
