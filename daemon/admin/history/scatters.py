"""How the darts of each player scatter, for hints and bots at the tables: from the points that boards have measured."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, collect_appearances, sum_up
from daemon.admin.players.names import PlayerNames
from engine.scatter import Scatter, find_scatter, is_of_points

_LATEST = 50
"""A player's latest matches: whoever has improved is not held to the darts of years ago."""
_LEAST_MM, _MOST_MM = 3.0, 100.0
"""What the option `scatter` can be, and a bot."""


def find_scatters(matches: Iterable[PlayedMatch], names: PlayerNames) -> dict[str, Scatter]:
    """Returns how the darts of each player scatter, by all the names that these matches have of them.

    Those too of whom too few darts were measured.
    """
    measured = (match for match in matches if any(map(is_of_points, _list_counts(match))))
    found: dict[str, Scatter] = {}
    for appearances in collect_appearances(measured, Selection(), names).values():
        scatter = find_scatter(sum_up(appearances[-_LATEST:]).tally.counts)
        if scatter is not None:
            scatter = replace(scatter, deviation_mm=min(max(scatter.deviation_mm, _LEAST_MM), _MOST_MM))
            recorded = {part.player for _, part in appearances}
            found |= dict.fromkeys(recorded | {names.get(name) for name in recorded}, scatter)
    return found


def _list_counts(match: PlayedMatch) -> Iterable[str]:
    return (name for part in match.parts for name in part.tally.counts)
