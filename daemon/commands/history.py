"""`oche history`: the matches that were played here, to be listed, shown, exported and deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from daemon.config import DEFAULT_FILE
from daemon.errors import UserError
from daemon.stats import listing
from daemon.stats.history import History
from daemon.stats.listing import Entry, Listing, Wanted
from daemon.stats.reading import history_of, patiently, print_bytes
from daemon.stats.shares import first_moment
from engine.games import GAMES

if TYPE_CHECKING:
    from daemon.store import StoredMatch

_FORMS = "--json and --csv are two forms of the same: choose one"


@click.group()
def command() -> None:
    """The matches that were played here. The daemon may be running meanwhile."""


_config = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="Whose history."
)


def _filtered(function: Callable[..., None]) -> Callable[..., None]:
    """With the options that choose matches; the function gets them as `wanted`."""

    @wraps(function)
    def called(
        player: str | None,
        table: str | None,
        since: datetime | None,
        before: datetime | None,
        **rest: Any,  # Any: as click hands them over
    ) -> None:
        moments = (first_moment(day.date()) if day else None for day in (since, before))
        function(wanted=Wanted(player, table, *moments), **rest)

    day = click.DateTime(["%Y-%m-%d"])
    for option in (
        click.option("--before", type=day, default=None, metavar="DATE", help="Only before this day."),
        click.option("--since", type=day, default=None, metavar="DATE", help="Only from this day on."),
        click.option("--table", default=None, help="Only of this table."),
        click.option("--player", default=None, metavar="NAME", help="Only those that NAME played in."),
    ):
        called = option(called)
    return called


@command.command("list")
@_filtered
@click.option("--json", "as_json", is_flag=True, help="JSON, an object a line.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV, a match a line.")
@_config
def list_matches(file: Path, as_json: bool, as_csv: bool, wanted: Wanted) -> None:
    """The matches, a line each, oldest first."""
    if as_json and as_csv:
        raise UserError(_FORMS, 2)
    _, found = _read(file, quiet=as_json or as_csv)
    entries = found.wanted(wanted)
    if as_csv:
        print_bytes(listing.spreadsheet(entries))
    elif as_json:
        print_bytes(msgspec.json.encode(entry) + b"\n" for entry in entries)
    else:
        print_bytes([listing.table(entries).encode(), b"\n"])


@command.command()
@click.argument("match")
@_config
def show(match: str, file: Path) -> None:
    """The scoreboard of a match, by its id or the beginning of it."""
    from daemon.scoreboard import scoreboard
    from daemon.snapshot import snapshot
    from daemon.stats.past_match import played_again

    history, found = _read(file)
    entry = found.named(match)
    try:
        played = played_again(_stored(found, entry), history.face(entry.table))
    except ValueError as error:
        raise UserError(f"the match {entry.match} cannot be played again: {error}") from None
    print_bytes([scoreboard(snapshot(played)).encode(), b"\n"])


@command.command()
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@_filtered
@click.option("--csv", "as_csv", is_flag=True, help="Every dart that counted, a line each, instead of the records.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=None, help="A folder for the records, or a file for --csv."
)
@_config
def export(matches: tuple[str, ...], file: Path, as_csv: bool, output: Path | None, wanted: Wanted) -> None:
    """Matches as records, which `oche replay` plays; without a MATCH all that are chosen.

    A match that is not over is not exported: its record has what is still hidden.
    """
    history, found = _read(file)
    entries = [found.named(name) for name in matches] or found.wanted(wanted)
    going_on = [entry.match for entry in entries if entry.standing == "open"]
    if matches and going_on:
        raise UserError(f"the match {going_on[0]} is not over yet: stop it, or export it later")
    entries = [entry for entry in entries if entry.standing != "open"]
    if as_csv:
        from daemon.stats import rows

        everybody = {entry.match: frozenset(entry.players) for entry in entries}
        _write_csv(rows.throws(history.throws(everybody)), output)
    elif output is None:
        if len(entries) != 1:
            raise UserError(f"{len(entries)} matches are chosen: name one, or a folder for them with --output", 2)
        print_bytes(_record(_stored(found, entries[0])))
    else:
        _write_records(found, entries, output)


@command.command()
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@_filtered
@click.option("--yes", is_flag=True, help="Do not ask.")
@_config
def delete(matches: tuple[str, ...], file: Path, yes: bool, wanted: Wanted) -> None:
    """Delete matches for good: those named, or all that are chosen by the options."""
    from daemon.lock import guarded
    from daemon.stats.deletion import copies
    from daemon.stats.deletion import delete as take_out
    from daemon.store import StoreError

    if not matches and wanted == Wanted():
        raise UserError("nothing is chosen: name matches, or choose them with --player, --table, --since, --before", 2)
    history, found = _read(file)
    entries = [found.named(name) for name in matches] or found.wanted(wanted)
    if not entries:
        raise UserError("no match is chosen by that")
    print_bytes([listing.table(entries).encode(), b"\n"])
    what = "this match" if len(entries) == 1 else f"these {len(entries)} matches"
    if not yes and not click.confirm(f"Delete {what} for good?", err=True):
        raise click.Abort
    with guarded(history.folder) as is_running:
        if is_running is not False:
            entries = _not_at_a_table(found, entries, is_named=bool(matches))
        try:
            take_out(history.folder, {entry.match for entry in entries})
        except StoreError as error:
            raise UserError(str(error)) from None
    for _ in history.everything():  # what was remembered of them goes too
        pass
    print(f"Deleted: {len(entries)}.", file=sys.stderr)
    for path in copies(history.folder):
        print(f"oche: {path} was set aside and may still have them: delete it, if nobody needs it", file=sys.stderr)


def _read(file: Path, *, quiet: bool = False) -> tuple[History, Listing]:
    history = history_of(file)
    is_watched = sys.stderr.isatty() and not quiet
    found = Listing(history, patiently(history, read=History.everything) if is_watched else history.everything())
    for problem in dict.fromkeys(history.problems):
        print(f"oche: {problem}", file=sys.stderr)
    return history, found


def _stored(found: Listing, entry: Entry) -> StoredMatch:
    from daemon.store import StoreError

    journal, head = found.place(entry)
    try:
        return journal.match(head)
    except StoreError as error:
        raise UserError(str(error)) from None


def _record(stored: StoredMatch) -> Iterator[bytes]:
    """The match record, as the README has it."""
    yield msgspec.json.encode(stored.header) + b"\n"
    for line in stored.lines:
        yield msgspec.json.encode(line.input) + b"\n"


def _write_records(found: Listing, entries: list[Entry], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in entries:
            name = f"{entry.at[:10]}_{entry.game if entry.game in GAMES else 'match'}_{entry.match}.jsonl"
            (folder / name).write_bytes(b"".join(_record(_stored(found, entry))))
    except OSError as error:
        raise UserError(f"cannot write into {folder}: {(error.strerror or str(error)).lower()}") from None
    print(f"{len(entries)} records are in {folder}.", file=sys.stderr)


def _write_csv(lines: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        print_bytes(lines)
        return
    try:
        with output.open("wb") as file:
            file.writelines(lines)
    except OSError as error:
        raise UserError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None


def _not_at_a_table(found: Listing, entries: list[Entry], *, is_named: bool) -> list[Entry]:
    """Without the match that each table is at. Raises UserError when that leaves none, or one was named."""
    left = []
    for entry in entries:
        journal, head = found.place(entry)
        if head.number < max(other.number for other in journal.heads()):
            left.append(entry)
        elif is_named or len(entries) == 1:
            remedy = "begin another there first, or stop oche (sudo systemctl stop oche)"
            raise UserError(f"the match {entry.match} is the one at the table {entry.table}: {remedy}")
        else:
            print(f"oche: {entry.match} stays, it is the one at the table {entry.table}", file=sys.stderr)
    return left
