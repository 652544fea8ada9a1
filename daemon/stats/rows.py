"""Players, matches and darts as rows with a head, for CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from daemon.stats.past_match import Throw
from daemon.stats.shares import Share, by_game, figures_of, whole
from daemon.stats.spreadsheet import Cell, rows
from engine.statistics import Figures

_TONS = ("60+", "100+", "140+", "170+", "180")
_MARKS = ("5m", "6m", "7m", "8m", "9m")
_UNTRUSTED = frozenset({"player"})
"""Columns that anybody can write into."""
_FIGURES = (
    *("darts", "points", "visits", "average", "ppd", "first_nine", "mpr", "average_80", "mpr_80", "level"),
    *("finished", "at_finish", "checkout_rate", "high_finish", "high_visit", "best_leg", "legs_won", "legs"),
    *(f"visits_{name}" for name in (*_TONS, *_MARKS)),
    "awards",
)


def players(of_all: Iterable[list[Share]]) -> Iterator[bytes]:
    """A line for each player and game."""
    head = ("player", "game", "variant", "title", "matches", "stopped", "won", *_FIGURES)
    return rows(head, _UNTRUSTED, (_game(theirs, of_game) for theirs in of_all for of_game in by_game(theirs)))


def matches(theirs: Iterable[Share]) -> Iterator[bytes]:
    """A line for each match of a player, oldest first."""
    head = ("match", "date", "table", "game", "variant", "title", "player", "won", "stopped", *_FIGURES)
    return rows(head, _UNTRUSTED, map(_match, theirs))


def throws(darts: Iterable[Throw]) -> Iterator[bytes]:
    """A line for each dart."""
    return rows(Throw._fields, _UNTRUSTED, darts)


def _game(theirs: list[Share], of_game: list[Share]) -> list[Cell]:
    match = of_game[-1].match
    counted = whole(of_game)
    about = (theirs[-1].part.player, match.game, match.variant, match.title)
    return [*about, counted.matches, counted.stopped, counted.won, *_figures(figures_of(of_game))]


def _match(share: Share) -> list[Cell]:
    match, part = share
    won = None if part.won is None else int(part.won)
    about = (match.id, match.at, match.table, match.game, match.variant, match.title)
    return [*about, part.player, won, int(match.was_stopped), *_figures(figures_of([share]))]


def _figures(made: Figures) -> list[Cell]:
    finished, at_finish = made.checkouts or (None, None)
    won, legs = made.legs or (None, None)
    visits = {**made.tons, **made.marks}
    return [
        *(made.darts, made.points, made.visits, made.average, made.ppd, made.first_nine, made.mpr),
        *(made.average_80, made.mpr_80, made.level, finished, at_finish, made.checkout_rate),
        *(made.high_finish, made.high_visit, made.best_leg, won, legs),
        *(visits.get(name, 0) for name in (*_TONS, *_MARKS)),
        " ".join(f"{name}:{n}" for name, n in made.awards.items()),
    ]
