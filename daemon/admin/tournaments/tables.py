"""The matches and the places of a tournament as CSV for spreadsheets: a line each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from daemon.admin.history.spreadsheet import Cell, format_csv
from protocol.tournament import EMPTY, MatchView, TournamentView

_UNTRUSTED = frozenset({"side_1", "side_2", "winner", "table", "name", "people"})
"""The columns that people write."""


def format_results(view: TournamentView) -> Iterator[bytes]:
    """Yields a line for each match that two sides play or have played, in the order of the draw."""
    head = ("match", "stage", "group", "round", "side_1", "side_2", "score_1", "score_2")
    names = {each.id: each.name for each in view.entrants}
    lines = (_make_cells(each, names) for each in view.matches if EMPTY not in each.sides)
    return format_csv((*head, "winner", "status", "table", "at"), _UNTRUSTED, lines)


def _make_cells(match: MatchView, names: dict[int, str]) -> list[Cell]:
    group = None if match.group is None else match.group + 1
    winner = None if match.winner is None else names.get(match.winner)
    at = None if match.played_s is None else datetime.fromtimestamp(match.played_s, UTC).isoformat()
    sides = [names.get(side) for side in match.sides]
    score = match.score or (None, None)
    return [*(match.id, match.stage, group, match.round), *sides, *score, *(winner, match.status, match.table, at)]


def format_places(view: TournamentView) -> Iterator[bytes]:
    """Yields a line for each side; those that share places have the same."""
    sides = {each.id: each for each in view.entrants}
    lines = (
        (place.first, place.last, sides[side].name, ", ".join(sides[side].people))
        for place in view.places
        for side in place.entrants
    )
    return format_csv(("first", "last", "name", "people"), _UNTRUSTED, lines)
