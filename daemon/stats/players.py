"""Players and their figures, from what they played: for the command line and the page alike.

A player is shown by the name as it was written last.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from daemon.stats.shares import Share, by_game, figure_of, figures_of, whole
from engine.statistics import Figures, figures
from engine.tally import Figure

WINDOW = 5
"""Matches whose darts are pooled for one point of a trend line."""
_POINTS = 100
"""The latest so many matches are on it."""


class Standing(Struct, frozen=True):
    """A player in a line: matches (the stopped ones among them), wins, legs, darts; and the game played most."""

    name: str
    is_bot: bool
    matches: int
    stopped: int
    won: int
    legs_won: int
    legs: int
    darts: int
    last: str
    label: str
    figure: Figure
    """Which figure of that game `value` is."""
    value: float | None


class Point(Struct, frozen=True):
    """A match on a trend line: its figure, and that of the last few matches pooled. `won` is None if it was stopped."""

    match: str
    at: str
    table: str
    won: bool | None
    value: float
    pooled: float


class Month(Struct, frozen=True):
    """A month (2026-11) on a trend line."""

    month: str
    matches: int
    value: float


class GameReport(Struct, frozen=True):
    """A player's figures in one variant of a game, which people know by its `label`; `figure` is what trends are of."""

    game: str
    variant: str
    title: str
    label: str
    face: str
    matches: int
    stopped: int
    won: int
    figures: Figures
    figure: Figure
    trend: tuple[Point, ...]
    months: tuple[Month, ...]


class Report(Struct, frozen=True):
    """A player."""

    name: str
    is_bot: bool
    matches: int
    stopped: int
    won: int
    last: str
    games: tuple[GameReport, ...]
    """The one played most first."""


def standings(of_all: Mapping[str, list[Share]]) -> list[Standing]:
    """Everybody, who has played most first."""
    found = [_standing(theirs) for theirs in of_all.values()]
    return sorted(found, key=lambda each: (-each.matches, -each.darts, each.name))


def report(theirs: list[Share]) -> Report:
    """All about a player."""
    last, counted = theirs[-1], whole(theirs)
    return Report(
        name=last.part.player,
        is_bot=last.part.is_bot,
        matches=counted.matches,
        stopped=counted.stopped,
        won=counted.won,
        last=last.match.at,
        games=tuple(_game_report(of_game) for of_game in by_game(theirs)),
    )


def _standing(theirs: list[Share]) -> Standing:
    last, most, counted = theirs[-1], by_game(theirs)[0], whole(theirs)
    won, played = figures(counted.tally).legs or (0, 0)
    figure = figure_of(most[-1])
    return Standing(
        name=last.part.player,
        is_bot=last.part.is_bot,
        matches=counted.matches,
        stopped=counted.stopped,
        won=counted.won,
        legs_won=won,
        legs=played,
        darts=counted.tally.darts,
        last=last.match.at,
        label=most[-1].match.label,
        figure=figure,
        value=figures_of(most).value(figure),
    )


def _game_report(theirs: list[Share]) -> GameReport:
    match, counted = theirs[-1].match, whole(theirs)
    return GameReport(
        game=match.game,
        variant=match.variant,
        title=match.title,
        label=match.label,
        face=match.face,
        matches=counted.matches,
        stopped=counted.stopped,
        won=counted.won,
        figures=figures_of(theirs),
        figure=figure_of(theirs[-1]),
        trend=_trend(theirs),
        months=_months(theirs),
    )


def _trend(theirs: list[Share]) -> tuple[Point, ...]:
    thrown = [share for share in theirs if share.part.tally.darts]
    points = []
    for place, share in list(enumerate(thrown))[-_POINTS:]:
        value = _main([share])
        recent = _main(thrown[max(0, place + 1 - WINDOW) : place + 1])
        if value is not None and recent is not None:
            match = share.match
            points.append(Point(match.id, match.at, match.table, share.part.won, value, recent))
    return tuple(points)


def _months(theirs: list[Share]) -> tuple[Month, ...]:
    found: dict[str, list[Share]] = {}
    for share in theirs:
        found.setdefault(datetime.fromisoformat(share.match.at).astimezone().strftime("%Y-%m"), []).append(share)
    pairs = [(month, each, _main(each)) for month, each in found.items()]
    return tuple(Month(month, len(each), value) for month, each, value in pairs if value is not None)


def _main(theirs: list[Share]) -> float | None:
    return figures_of(theirs).value(figure_of(theirs[0]))
