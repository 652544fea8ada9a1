"""How far the darts of each player scatter, for the hints at the tables: from the points that boards have measured."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, collect_appearances, sum_up
from daemon.admin.players.names import PlayerNames
from engine.scatter import collect_points, is_of_points

_LATEST = 50
"""A player's latest matches: whoever has improved is not held to the darts of years ago."""
_LEAST_MM, _MOST_MM = 3.0, 100.0
"""What the option `scatter` can be."""


def find_scatters(matches: Iterable[PlayedMatch], names: PlayerNames) -> dict[str, float]:
    """Returns the spread of each player in mm, by all the names that these matches have of them.

    Players of whom too few darts were measured are not among them (engine/scatter.py).
    """
    measured = (match for match in matches if any(map(is_of_points, _list_counts(match))))
    found: dict[str, float] = {}
    for appearances in collect_appearances(measured, Selection(), names).values():
        points = collect_points(sum_up(appearances[-_LATEST:]).tally.counts)
        if points is not None and points.scatter is not None:
            spread = min(max(points.scatter.deviation_mm, _LEAST_MM), _MOST_MM)
            recorded = {part.player for _, part in appearances}
            found |= dict.fromkeys(recorded | {names.get(name) for name in recorded}, spread)
    return found


def _list_counts(match: PlayedMatch) -> Iterable[str]:
    return (name for part in match.parts for name in part.tally.counts)
