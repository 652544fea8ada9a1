"""`oche players`: lists, renames, merges, splits and forgets the players who are known here."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from daemon.admin.history import text
from daemon.admin.history.forget import find_keys, forget_player, has_player, tell_league_to_forget
from daemon.admin.history.history import History
from daemon.admin.history.known_players import change_player, list_known_players
from daemon.admin.history.player_figures import list_recorded_names
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import MergePlayers, RenamePlayer, SplitPlayer
from daemon.commands.shared import Subcommands, config_option, open_history, print_bytes, settle_journals
from daemon.errors import UserError, to_user_error
from protocol.player_names import name_key
from protocol.spelling import suggest_nearest


@click.group(cls=Subcommands)
def command() -> None:
    """List, rename, merge, split or forget the players known here. The daemon may be running."""


_players_option = config_option("The configuration of the daemon.")
_yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="JSON, one object per line.")
@_players_option
def list_players(config: Path, as_json: bool) -> None:
    """List the players, one per line, the latest first: name, other names in the records, nickname."""
    found = list_known_players(open_history(config).folder)
    if as_json:
        print_bytes(msgspec.json.encode(each) + b"\n" for each in found)
    else:
        print_bytes([text.format_known_players(found).encode(), b"\n"])


@command.command()
@click.argument("name")
@click.argument("to")
@_yes_option
@_players_option
def rename(name: str, to: str, yes: bool, config: Path) -> None:
    """Rename the player NAME to TO, also in past matches. The records are not changed."""
    history = open_history(config)
    _check_known(history, name)
    _ask(f"Call {name} {to} from now on?", is_sure=yes)
    change_player(history.folder, RenamePlayer(name, to))


@command.command()
@click.argument("name")
@click.argument("to")
@_yes_option
@_players_option
def merge(name: str, to: str, yes: bool, config: Path) -> None:
    """Merge NAME and TO into one player called TO. The records are not changed."""
    history = open_history(config)
    for each in (name, to):
        _check_known(history, each)
    _ask(f"Are {name} and {to} the same person?", is_sure=yes)
    change_player(history.folder, MergePlayers(name, to))


@command.command()
@click.argument("name")
@_players_option
def split(name: str, config: Path) -> None:
    """Make NAME, which was merged into another player, a separate player again."""
    change_player(open_history(config).folder, SplitPlayer(name))


@command.command()
@click.argument("name")
@_yes_option
@_players_option
def forget(name: str, yes: bool, config: Path) -> None:
    """Forget the player NAME for good: the name in all matches, and the profile.

    The darts stay in the matches, for the other players, but count in no statistics.
    """
    from daemon.journal.errors import StoreError
    from daemon.service.lock import prevent_start

    history = open_history(config)
    folder = history.folder
    settle_journals(folder)
    _check_known(history, name)
    keys = find_keys(folder, name)
    with to_user_error(StoreError):
        found = forget_player(folder, keys, is_dry_run=True)
    _ask(f"Forget {name}, in {found.matches} match{'es' * (found.matches != 1)}, for good?", is_sure=yes)
    with prevent_start(folder) as is_running, to_user_error(StoreError):
        if is_running is not False:
            _check_not_at_table(history, keys, name)
        book = PlayerBook(folder)
        book.add(name)  # so that it can be repeated when it is cut off
        has_league = tell_league_to_forget(folder, name)
        done = forget_player(folder, keys)
        book.remove(name)
    print(f"Forgotten, in {done.matches} match{'es' * (done.matches != 1)}.", file=sys.stderr)
    for kept in done.left:
        print(f"oche: {kept} may still contain the name: delete it if you do not need it", file=sys.stderr)
    print("oche: older backups contain the name, too", file=sys.stderr)
    if has_league:
        print("oche: the league is told to forget the name as soon as it can be reached", file=sys.stderr)


def _check_known(history: History, name: str) -> None:
    """Raises UserError for a name that no player has, or had."""
    names = list_recorded_names(history.folder)
    if name_key(name) not in map(name_key, names) and PlayerBook(history.folder).find(name) is None:
        raise UserError(f"there is no player {name!r}{suggest_nearest(name, names)}", 2)


def _ask(question: str, *, is_sure: bool) -> None:
    if not is_sure and not click.confirm(question, err=True):
        raise click.Abort


def _check_not_at_table(history: History, keys: frozenset[str], name: str) -> None:
    """Raises UserError when the player is in a current match, or planned for the next: the daemon has it in memory."""
    from daemon.journal.stored import find_journals

    for journal in find_journals(history.folder):
        headers, plan = journal.all_headers(), journal.plan()
        at_hand = headers[max(headers)][1] if headers else {}
        for header, where in ((at_hand, "in the match"), (plan or {}, "planned for the next match")):
            if has_player(header, keys):
                remedy = "start another match there first, or stop oche (sudo systemctl stop oche)"
                raise UserError(f"{name} is {where} at the table {journal.table}: {remedy}, or use the page")
