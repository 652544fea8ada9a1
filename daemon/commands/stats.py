"""`oche stats`: who has played, how well, and every dart of it; for people, programs and spreadsheets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

import click
import msgspec

from daemon.config import DEFAULT_FILE
from daemon.errors import UserError
from daemon.stats import rows, text
from daemon.stats.history import Played
from daemon.stats.players import report, standings
from daemon.stats.reading import history_of, patiently, print_bytes
from daemon.stats.shares import Selection, Share, first_moment, known_as, shares
from engine.games import GAMES, PRESETS
from protocol.spelling import nearest


@click.command()
@click.argument("name", required=False)
@click.option("--game", "game_name", metavar="GAME", default=None, help="Only this game (x01) or variant (501).")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default=None, metavar="DATE", help="Only from this day on.")
@click.option("--table", default=None, help="Only of this table.")
@click.option("--bots", is_flag=True, help="Bots too.")
@click.option("--throws", is_flag=True, help="Every dart that counted, a line each; with --csv or --json.")
@click.option("--json", "as_json", is_flag=True, help="JSON; of --throws one object a line.")
@click.option("--csv", "as_csv", is_flag=True, help="A line for each player and game, or for each match of NAME.")
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
def command(
    name: str | None,
    game_name: str | None,
    since: datetime | None,
    table: str | None,
    bots: bool,
    throws: bool,
    as_json: bool,
    as_csv: bool,
    file: Path,
) -> None:
    """The players, a line each; or all figures of NAME, game by game.

    A match counts when it is over. One that was stopped counts for the darts that were thrown, but not for legs and
    wins. The daemon may be running meanwhile.
    """
    if as_json and as_csv:
        raise UserError("--json and --csv are two forms of the same: choose one", 2)
    if throws and not (as_json or as_csv):
        raise UserError("--throws is for programs and spreadsheets: add --csv or --json", 2)
    history = history_of(file)
    is_watched = sys.stderr.isatty() and not (as_json or as_csv)
    matches = list(patiently(history) if is_watched else history.played())
    for problem in history.problems:
        print(f"oche: {problem}", file=sys.stderr)
    theirs = shares(matches, Selection(game_name, first_moment(since.date()) if since else None, table, bots))
    if game_name is not None and not theirs:
        _check_game(game_name, matches)
    found = _find(name, theirs) if name is not None else None
    if throws:
        darts = history.throws(_wanted(theirs.values() if found is None else [found]))
        print_bytes(rows.throws(darts) if as_csv else (msgspec.json.encode(dart._asdict()) + b"\n" for dart in darts))
    elif as_csv:
        print_bytes(rows.players(theirs.values()) if found is None else rows.matches(found))
    elif as_json:
        print_bytes([msgspec.json.encode(standings(theirs) if found is None else report(found)), b"\n"])
    else:
        said = text.table(standings(theirs)) if found is None else text.sheet(report(found))
        print_bytes([said.encode(), b"\n"])


def _find(name: str, theirs: Mapping[str, list[Share]]) -> list[Share]:
    """What this player played. Raises UserError."""
    found = theirs.get(known_as(name))
    if found is None:
        names = [each[-1].part.player for each in theirs.values()]
        raise UserError(f"no match of {name!r} is over{nearest(name, names)}")
    return found


def _check_game(name: str, matches: Iterable[Played]) -> None:
    """Raises UserError when there is no game that is called so."""
    known = {*GAMES, *PRESETS, *(name for match in matches for name in (match.variant, match.title))}
    if name.casefold() not in {each.casefold() for each in known}:
        raise UserError(f"there is no game {name!r}{nearest(name, sorted(known))}", 2)


def _wanted(chosen: Iterable[list[Share]]) -> dict[str, frozenset[str]]:
    """Whose darts of which matches."""
    wanted: dict[str, frozenset[str]] = {}
    for match, part in (share for each in chosen for share in each):
        wanted[match.id] = wanted.get(match.id, frozenset()) | {part.player}
    return wanted
