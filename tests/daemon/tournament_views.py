"""Views of tournaments as they are shown, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from protocol.tournament import (
    UNKNOWN,
    EntrantView,
    Forecast,
    MatchView,
    Place,
    Row,
    Standings,
    TableView,
    TournamentSpec,
    TournamentView,
)


def entrant(number: int, name: str) -> EntrantView:
    return EntrantView(number, name, (name,), None, None, 0, False, True, False, ())


def match(
    name: str, sides: tuple[int, int], status: str = "ready", round: int = 1, **more: Any
) -> MatchView:  # Any: the fields
    found = MatchView(name, "winners", round, 1, sides, (None, None), "ready", None, None, None, 0, 0)
    return replace(found, status=status, **more)


def make_view(names: Sequence[str], matches: Sequence[MatchView], **more: Any) -> TournamentView:  # Any: the fields
    entrants = tuple(entrant(number, name) for number, name in enumerate(names, 2))
    numbers = tuple(each.id for each in entrants)
    rows = tuple(Row(1, each, 0, 0, 0, 0, (0, 0), 0, None) for each in numbers)
    view = TournamentView(
        v=1,
        id="k3v9x2ma",
        line=1,
        spec=TournamentSpec("The cup", "knock_out"),
        phase="playing",
        made_s=1_780_000_000,
        entrants=entrants,
        matches=tuple(matches),
        standings=(Standings(None, rows),),
        places=(Place(1, len(names), numbers),),
        tables=(TableView("main", "Dartboard main", False, False, "free", None, None),),
        next=tuple(each.id for each in matches if each.status == "ready"),
        may=(),
        forecast=Forecast(1_780_007_200, 1_780_005_000, 1_780_009_000),
    )
    return replace(view, **more)


def semi_finals(*calls: str) -> TournamentView:
    """Four players; the first matches are called to these tables."""
    pairs = ("winners-1-1", (2, 5)), ("winners-1-2", (3, 4))
    first = [
        match(name, sides, "called", table=calls[number], attempt=1) if number < len(calls) else match(name, sides)
        for number, (name, sides) in enumerate(pairs)
    ]
    final = match("winners-2-1", (UNKNOWN, UNKNOWN), "waiting", 2, last=2)
    return make_view(["Ann", "Bo", "Cy", "Di"], [*first, final])
