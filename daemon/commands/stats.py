"""`oche stats`: the players, their figures and their darts, for people, programs and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from daemon.admin.history import player_figures, spreadsheet, text
from daemon.admin.history.digest import digest_matches
from daemon.admin.history.earned import list_badges
from daemon.admin.history.handicap import find_handicap
from daemon.admin.history.head_to_head import compare_players
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.ratings import add_up, tell_ratings
from daemon.admin.players.names import PlayerNames
from daemon.commands.shared import check_form, config_option, open_history, print_bytes, read_history
from daemon.errors import UserError
from engine.games import GAMES, PRESETS
from protocol.player_names import name_key
from protocol.spelling import suggest_nearest


@click.command()
@click.argument("name", required=False)
@click.option("--against", metavar="OTHER", default=None, help="How often NAME and the player OTHER have won.")
@click.option("--ratings", is_flag=True, help="The ratings in each game, and the players' classes by their averages.")
@click.option("--handicap", metavar="OTHER", default=None, help="Start scores of X01 that are fair for NAME and OTHER.")
@click.option("--game", "game_name", metavar="GAME", default=None, help="Only this game (x01) or variant (501).")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), default=None, metavar="DATE", help="Only matches from this day on."
)
@click.option("--table", default=None, help="Only matches of this table.")
@click.option("--bots", is_flag=True, help="Include bots.")
@click.option("--throws", is_flag=True, help="Every dart that counted, one per line; with --csv or --json.")
@click.option("--json", "as_json", is_flag=True, help="JSON; with --throws one object per line.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV, one line per player and game, or per match of NAME.")
@config_option()
def command(
    name: str | None,
    against: str | None,
    ratings: bool,
    handicap: str | None,
    game_name: str | None,
    since: datetime | None,
    table: str | None,
    bots: bool,
    throws: bool,
    as_json: bool,
    as_csv: bool,
    config: Path,
) -> None:
    """Show the players, one per line; or all figures of NAME, game by game.

    With --against it shows how often NAME and OTHER have won against each other, game by game; with --handicap the
    start scores that give both the same chance, from the darts of both; with --ratings how strong the players are.

    A match counts once it is over. Of a stopped match only the darts count, not the legs or the win. The daemon may be
    running.
    """
    check_form(as_json, as_csv)
    if throws and not (as_json or as_csv):
        raise UserError("--throws is for programs and spreadsheets: add --csv or --json", 2)
    is_some = since is not None or table is not None
    _check_options(name, against, handicap, ratings=ratings, is_other=throws or as_csv or bots, is_some=is_some)
    history = open_history(config)
    matches = list(read_history(history, history.counted_matches, is_quiet=as_json or as_csv))
    selection = player_figures.Selection(
        game_name, player_figures.start_of_day(since.date()) if since else None, table, bots
    )
    appearances = player_figures.collect_appearances(matches, selection, history.names)
    if game_name is not None and not appearances:
        _check_game(game_name, matches)
    found = appearances.get(name_key(history.names.get(name))) if name is not None else None
    if name is not None and found is None:
        shown = history.names.get(name)
        raise UserError(_explain_missing(shown, selection, matches, history.names))
    if ratings:
        digests, called = digest_matches(matches, history.names)
        rated = tell_ratings(add_up(digests), called, game_name, datetime.now().astimezone().date())
        _print(rated, text.format_ratings(rated), as_json=as_json)
    elif name is not None and (other := against or handicap) is not None:
        _check_pair((name, other), matches, selection, history.names)
        if handicap is not None:
            fair = find_handicap(matches, (name, other), game_name, history.names, history.list_throws)
            _print(fair, text.format_handicap(fair), as_json=as_json)
        else:
            compared = compare_players(matches, (name, other), selection, history.names)
            _print(compared, text.format_head_to_head(compared), as_json=as_json)
    elif throws:
        darts = history.list_throws(_group_players(appearances.values() if found is None else [found]))
        rows = (msgspec.json.encode(dart._asdict()) + b"\n" for dart in darts)
        print_bytes(spreadsheet.format_throws(darts) if as_csv else rows)
    elif found is None:
        ranked = player_figures.rank_players(appearances)
        if as_csv:
            print_bytes(spreadsheet.format_players(appearances.values()))
        else:
            print_bytes([msgspec.json.encode(ranked) if as_json else text.format_players(ranked).encode(), b"\n"])
    else:
        _print_player(found, matches, history.names, as_json=as_json, as_csv=as_csv)


def _print_player(
    found: list[player_figures.Appearance],
    matches: Sequence[PlayedMatch],
    names: PlayerNames,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    if as_csv:
        print_bytes(spreadsheet.format_matches(found))
    else:
        report = player_figures.report_player(found, list_badges(matches, found[-1].part.player, names))
        _print(report, text.format_player(report), as_json=as_json)


def _check_options(
    name: str | None, against: str | None, handicap: str | None, *, ratings: bool, is_other: bool, is_some: bool
) -> None:
    """Raises UserError where these do not go together.

    `is_other`: with options that none of them takes; `is_some`: only matches since a day or of a table are wanted.
    """
    if against is not None and (name is None or is_other or ratings or handicap is not None):
        raise UserError(
            "--against needs a NAME, and takes no --throws, --csv or --bots: oche stats Ann --against Bo", 2
        )
    if handicap is not None and (name is None or is_other or ratings):
        raise UserError(
            "--handicap needs a NAME, and takes no --throws, --csv or --bots: oche stats Ann --handicap Bo", 2
        )
    if ratings and (name is not None or is_other):
        raise UserError("--ratings takes no NAME, --throws, --csv or --bots: oche stats --ratings", 2)
    if is_some and (ratings or handicap is not None):
        raise UserError("--ratings and --handicap are from all matches: leave out --since and --table", 2)


def _print(found: Struct, as_text: str, *, as_json: bool) -> None:
    print_bytes([msgspec.json.encode(found) if as_json else as_text.encode(), b"\n"])


def _check_pair(
    pair: tuple[str, str], matches: Sequence[PlayedMatch], selection: player_figures.Selection, names: PlayerNames
) -> None:
    """Raises UserError where these are no two players with finished matches."""
    if names.is_same(*pair):
        raise UserError("these are two names of one player: name two players", 2)
    known = player_figures.collect_appearances(matches, player_figures.Selection(), names)
    if name_key(names.get(pair[1])) not in known:
        raise UserError(_explain_missing(names.get(pair[1]), selection, matches, names))


def _explain_missing(
    name: str, selection: player_figures.Selection, matches: Sequence[PlayedMatch], names: PlayerNames
) -> str:
    found = player_figures.collect_appearances(matches, player_figures.Selection(), names)
    people = [each[-1].part.player for each in found.values()]
    return text.explain_missing(name, selection, matches, names, people, with_bots="--bots")


def _check_game(name: str, matches: Sequence[PlayedMatch]) -> None:
    known = {*GAMES, *PRESETS, *(name for match in matches for name in (match.variant, match.title))}
    if name.casefold() not in {each.casefold() for each in known}:
        played = {match.variant for match in matches}
        there = suggest_nearest("", sorted(played), None) or "; oche games lists them"
        raise UserError(f"there is no game {name!r}{suggest_nearest(name, sorted(known), there)}", 2)


def _group_players(chosen: Iterable[list[player_figures.Appearance]]) -> dict[str, frozenset[str]]:
    """The players whose darts are listed, by the match's id."""
    wanted: dict[str, frozenset[str]] = {}
    for match, part in (share for each in chosen for share in each):
        wanted[match.id] = wanted.get(match.id, frozenset()) | {part.player}
    return wanted
