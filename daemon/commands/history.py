"""`oche history`: lists, shows, exports and deletes the matches that were played here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from daemon.admin.history import spreadsheet, text
from daemon.admin.history.history import History
from daemon.admin.history.listing import ListedMatch, Listing, MatchFilter
from daemon.admin.history.match_report import name_record
from daemon.admin.history.player_figures import start_of_day
from daemon.commands.shared import (
    Subcommands,
    check_form,
    check_output,
    config_option,
    force_option,
    open_config,
    open_history,
    print_bytes,
    read_history,
    settle_journals,
)
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors, open_output
from daemon.journal.lines import encode_record
from engine.games import GAMES

if TYPE_CHECKING:
    from daemon.journal.lines import StoredMatch


@click.group(cls=Subcommands)
def command() -> None:
    """List, show, export or delete the matches that were played here. The daemon may be running."""


_history_option = config_option("The configuration of the daemon.")


def _with_filter(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that choose matches; the function gets them as `wanted`."""

    @wraps(function)
    def called(
        player: str | None,
        table: str | None,
        since: datetime | None,
        before: datetime | None,
        **rest: Any,  # Any: as click hands them over
    ) -> None:
        moments = (start_of_day(day.date()) if day else None for day in (since, before))
        function(wanted=MatchFilter(player, table, *moments), **rest)

    day = click.DateTime(["%Y-%m-%d"])
    for option in (
        click.option("--before", type=day, default=None, metavar="DATE", help="Only matches before this day."),
        click.option("--since", type=day, default=None, metavar="DATE", help="Only matches from this day on."),
        click.option("--table", default=None, help="Only matches of this table."),
        click.option("--player", default=None, metavar="NAME", help="Only matches in which NAME played."),
    ):
        called = option(called)
    return called


@command.command("list")
@_with_filter
@click.option("--json", "as_json", is_flag=True, help="JSON, one object per line.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV, one match per line.")
@_history_option
def list_matches(config: Path, as_json: bool, as_csv: bool, wanted: MatchFilter) -> None:
    """List the matches, one per line, oldest first."""
    check_form(as_json, as_csv)
    _, found = _read(config, quiet=as_json or as_csv)
    entries = found.filter(wanted)
    if as_csv:
        print_bytes(spreadsheet.format_match_list(entries))
    elif as_json:
        print_bytes(msgspec.json.encode(entry) + b"\n" for entry in entries)
    else:
        print_bytes([text.format_match_list(entries).encode(), b"\n"])


@command.command()
@click.argument("match")
@_history_option
def show(match: str, config: Path) -> None:
    """Show the scoreboard of a match. MATCH is its id or the start of its id."""
    from daemon.admin.history.played_matches import replay_match
    from daemon.snapshot import take_snapshot
    from daemon.terminal import render_scoreboard

    history, found = _read(config)
    entry = found.find(match)
    try:
        stored, (journal, head) = _read_stored(found, entry), found.place(entry)
        kept = journal.result(head.number, len(stored.lines))
        played = replay_match(stored, history.layouts.get(entry.table), kept)
    except ValueError as error:
        raise UserError(f"the match {entry.match} cannot be replayed: {error}") from None
    print_bytes([render_scoreboard(take_snapshot(played)).encode(), b"\n"])


@command.command()
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@_with_filter
@click.option("--csv", "as_csv", is_flag=True, help="Export every dart that counted, one per line, instead of records.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=None, help="A folder for the records, or a file for --csv."
)
@force_option
@_history_option
def export(
    matches: tuple[str, ...], config: Path, as_csv: bool, output: Path | None, force: bool, wanted: MatchFilter
) -> None:
    """Export matches as records for `oche replay`. Without MATCH, all that the options select.

    A match in progress is not exported, because its record contains what is still hidden.
    """
    history, found = _read(config)
    entries = [found.find(name) for name in matches] or found.filter(wanted)
    going_on = [entry.match for entry in entries if entry.standing == "open"]
    if matches and going_on:
        raise UserError(f"the match {going_on[0]} is not over yet: stop it, or export it later")
    entries = [entry for entry in entries if entry.standing != "open"]
    if as_csv:
        players = {entry.match: frozenset(entry.players) for entry in entries}
        if output is not None:
            check_output(output, force=force)
        _write_csv(spreadsheet.format_throws(history.list_throws(players)), output)
    elif output is None:
        if len(entries) != 1:
            raise UserError(f"{len(entries)} matches are selected: name one, or name a folder with --output", 2)
        print_bytes(encode_record(_read_stored(found, entries[0])))
    else:
        _write_records(found, entries, output, force=force)


@command.command()
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@_with_filter
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@_history_option
def delete(matches: tuple[str, ...], config: Path, yes: bool, wanted: MatchFilter) -> None:
    """Delete matches for good: those you name, or all that the options select."""
    from daemon.admin.history.forget import collect_error, delete_matches
    from daemon.journal.stored import find_copies
    from daemon.service.lock import prevent_start

    if not matches and wanted == MatchFilter():
        raise UserError(
            "nothing is selected: name matches, or select them with --player, --table, --since, --before", 2
        )
    settle_journals(open_history(config).folder)
    history, found = _read(config)
    missing = [name for name in matches if not found.has(name)]  # as those that were deleted before this was cut off
    entries = [found.find(name) for name in matches if name not in missing] if matches else found.filter(wanted)
    if entries:
        print_bytes([text.format_match_list(entries).encode(), b"\n"])
        what = "this match" if len(entries) == 1 else f"these {len(entries)} matches"
        if not yes and not click.confirm(f"Delete {what} for good?", err=True):
            raise click.Abort
    with prevent_start(history.folder) as is_running:
        if entries and is_running is not False:
            entries = _leave_out_current(found, entries, is_named=bool(matches))
        gone = {*missing, *(entry.match for entry in entries)}
        failures: list[str] = []
        with collect_error(failures):
            delete_matches(history.folder, gone)
        with collect_error(failures):
            history.erase_figures(gone)
    if failures:
        raise UserError("; ".join(failures))
    if not entries and not matches:
        raise UserError("no match fits these options")
    if entries:
        print(f"Deleted: {len(entries)}.", file=sys.stderr)
    for path in find_copies(history.folder):
        print(f"oche: {path} may still contain them: delete it if you do not need it", file=sys.stderr)
    for name in missing:
        found.find(name)


@command.command()
@_history_option
def fetch(config: Path) -> None:
    """Fetch from the league what it knows more of, as after an old backup was put back.

    Only the latest match of a table cannot be fetched: start another match there first.
    """
    from daemon.admin.history.fetch import fetch_known_more

    checked = open_config(config)
    if checked is None or not checked.config.league.on:
        raise UserError("this oche belongs to no league: set league.on to true first")
    history = open_history(config)
    settle_journals(history.folder)
    count, failed = 0, 0
    for each in fetch_known_more(history.folder, checked.config.league, history.layouts):
        if each.trouble:
            failed += 1
            print(f"oche: {each.match} at {each.table} is not fetched: {each.trouble}", file=sys.stderr)
        else:
            count += 1
            inputs = "1 input" if each.lines == 1 else f"{each.lines} inputs"
            print(f"{each.match} at {each.table}: {inputs} added")
    if failed:
        raise UserError(f"matches that were not fetched: {failed}")
    if not count:
        print("The league knows nothing more than this machine.")


def _read(file: Path, *, quiet: bool = False) -> tuple[History, Listing]:
    history = open_history(file)
    return history, Listing(history, read_history(history, history.all_matches, is_quiet=quiet))


def _read_stored(found: Listing, entry: ListedMatch) -> StoredMatch:
    from daemon.journal.errors import StoreError

    journal, head = found.place(entry)
    with to_user_error(StoreError):
        return journal.match(head)


def _write_records(found: Listing, entries: list[ListedMatch], folder: Path, *, force: bool) -> None:
    names = [name_record(entry.at, entry.game if entry.game in GAMES else "match", entry.match) for entry in entries]
    for name in names:
        check_output(folder / name, force=force)
    with explain_errors(f"cannot write into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for entry, name in zip(entries, names, strict=True):
            with open_output(folder / name) as file:
                file.writelines(encode_record(_read_stored(found, entry)))
    records = "1 record is" if len(entries) == 1 else f"{len(entries)} records are"
    print(f"{records} in {folder}.", file=sys.stderr)


def _write_csv(lines: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        print_bytes(lines)
        return
    with explain_errors(f"cannot write {output}"), open_output(output) as file:
        file.writelines(lines)


def _leave_out_current(found: Listing, entries: list[ListedMatch], *, is_named: bool) -> list[ListedMatch]:
    """The matches without those being played. Raises UserError when such a match was named, or is the only one."""
    left = []
    for entry in entries:
        journal, head = found.place(entry)
        if head.number < max(other.number for other in journal.heads()):
            left.append(entry)
        elif is_named or len(entries) == 1:
            remedy = "start another match there first, or stop oche (sudo systemctl stop oche)"
            raise UserError(f"the match {entry.match} is the current match of the table {entry.table}: {remedy}")
        else:
            print(
                f"oche: {entry.match} is not deleted: it is the current match of the table {entry.table}",
                file=sys.stderr,
            )
    return left
