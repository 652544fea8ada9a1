"""Players, matches and darts as CSV for spreadsheets (RFC 4180, UTF-8).

A name that begins like a formula gets an apostrophe, because a spreadsheet would run it. Columns of our own words stay
as they are, so that programs can read them back: `-1,0` is a segment of a Ground Round board.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from daemon.admin.history.listing import ListedMatch
from daemon.admin.history.player_figures import Appearance, group_by_variant, pool_figures, sum_up
from engine.played import ThrowRow
from engine.statistics import Figures

Cell = str | int | float | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_TONS = ("60+", "100+", "140+", "170+", "180")
_MARKS = ("5m", "6m", "7m", "8m", "9m")
_UNTRUSTED = frozenset({"player"})
"""The columns that players write."""
_FIGURES = (
    *("darts", "points", "visits", "average", "ppd", "first_nine", "mpr", "average_80", "mpr_80", "level"),
    *("finished", "at_finish", "checkout_rate", "high_finish", "high_visit", "best_leg", "legs_won", "legs"),
    *(f"visits_{name}" for name in (*_TONS, *_MARKS)),
    "awards",
)


def format_csv(head: Sequence[str], untrusted: Collection[str], lines: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """Yields the CSV file a row at a time, with formulas in the untrusted columns escaped."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for line in chain([head], lines):
        named = zip(head, line, strict=True)
        writer.writerow([_escape_formula(cell) if column in untrusted else cell for column, cell in named])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _escape_formula(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def format_players(players: Iterable[list[Appearance]]) -> Iterator[bytes]:
    """A line for each player and variant."""
    head = ("player", "game", "variant", "title", "matches", "stopped", "won", *_FIGURES)
    lines = (_make_game_cells(player, in_game) for player in players for in_game in group_by_variant(player))
    return format_csv(head, _UNTRUSTED, lines)


def format_matches(appearances: Iterable[Appearance]) -> Iterator[bytes]:
    """A line for each match of a player, oldest first."""
    head = ("match", "date", "table", "game", "variant", "title", "player", "won", "stopped", *_FIGURES)
    return format_csv(head, _UNTRUSTED, map(_match_cells, appearances))


def format_throws(darts: Iterable[ThrowRow]) -> Iterator[bytes]:
    """A line for each dart."""
    return format_csv(ThrowRow._fields, _UNTRUSTED, darts)


def _make_game_cells(player: list[Appearance], in_game: list[Appearance]) -> list[Cell]:
    match, totals = in_game[-1].match, sum_up(in_game)
    about = (player[-1].part.player, match.game, match.variant, match.title)
    return [*about, totals.matches, totals.stopped, totals.won, *_make_figure_cells(pool_figures(in_game))]


def _match_cells(appearance: Appearance) -> list[Cell]:
    match, part = appearance
    won = None if part.won is None else int(part.won)
    about = (match.id, match.at, match.table, match.game, match.variant, match.title)
    return [*about, part.player, won, int(match.was_stopped), *_make_figure_cells(pool_figures([appearance]))]


def _make_figure_cells(made: Figures) -> list[Cell]:
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


def format_match_list(entries: Iterable[ListedMatch]) -> Iterator[bytes]:
    """A line for each match of the list."""
    head = ("match", "at", "table", "game", "title", "standing", "players", "winners", "darts")
    return format_csv(head, {"players", "winners"}, map(_make_entry_cells, entries))


def _make_entry_cells(entry: ListedMatch) -> list[Cell]:
    names = ", ".join(entry.players), ", ".join(entry.winners)
    return [entry.match, entry.at, entry.table, entry.game, entry.title, entry.standing, *names, entry.darts]
