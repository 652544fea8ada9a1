"""The matches of a history as a list: which there are, who played, and how each ended.

Unlike the statistics it has every match: the one at the oche, and those that cannot be played again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from daemon.errors import UserError
from daemon.stats.history import History, Played
from daemon.stats.journals import Head, Journal
from daemon.stats.shares import known_as
from daemon.stats.spreadsheet import Cell, rows
from daemon.store import StoreError
from protocol.spelling import nearest


class Entry(Struct, frozen=True):
    """A match. `at` is when it began (ISO 8601, UTC), `winners` the players who won.

    Its `standing`: it is over, was stopped, is still open, or is unreadable, and `problem` says why.
    """

    match: str
    at: str
    table: str
    game: str
    title: str
    standing: Literal["over", "stopped", "open", "unreadable"]
    players: tuple[str, ...]
    winners: tuple[str, ...] = ()
    darts: int = 0
    problem: str | None = None


class Wanted(NamedTuple):
    """Which matches: of this player, at this table, begun since and before these moments."""

    player: str | None = None
    table: str | None = None
    since: datetime | None = None
    before: datetime | None = None

    def has(self, entry: Entry) -> bool:
        """Is it one of them?"""
        if self.table is not None and entry.table != self.table:
            return False
        if self.player is not None and known_as(self.player) not in map(known_as, entry.players):
            return False
        begun = datetime.fromisoformat(entry.at)
        return not ((self.since and begun < self.since) or (self.before and begun >= self.before))


class Listing:
    """The list, oldest first, and where each match of it lies. Made by reading; raises UserError."""

    def __init__(self, history: History, played: Iterable[Played]) -> None:
        self._places = {head.id: (journal, head) for journal, head in history.heads()}
        listed = [_entry(match, *self._places[match.id]) for match in played if match.id in self._places]
        self.entries = sorted(listed, key=lambda entry: entry.at)

    def wanted(self, wanted: Wanted) -> list[Entry]:
        """Those that are wanted."""
        return [entry for entry in self.entries if wanted.has(entry)]

    def named(self, name: str) -> Entry:
        """The match of this id, or of the only id that begins so. Raises UserError."""
        found = [entry for entry in self.entries if entry.match.startswith(name)] if name else []
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(f"{len(found)} matches begin with {name!r}: write more of the id", 2)
        near = nearest(name, [entry.match for entry in self.entries], "; oche history list has their ids")
        raise UserError(f"there is no match {name!r}{near}", 2)

    def place(self, entry: Entry) -> tuple[Journal, Head]:
        """Where it lies."""
        return self._places[entry.match]


def table(entries: Iterable[Entry]) -> str:
    """For people: a line each."""
    lines = [("match", "begun", "table", "game", "players", "")]
    for entry in entries:
        begun = f"{datetime.fromisoformat(entry.at).astimezone():%Y-%m-%d %H:%M}"
        lines.append((entry.match, begun, entry.table, entry.title, ", ".join(entry.players), _ending(entry)))
    if len(lines) == 1:
        return "There is no such match here."
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(f"{text:<{w}}" for text, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def spreadsheet(entries: Iterable[Entry]) -> Iterator[bytes]:
    """A line each, as CSV."""
    head = ("match", "at", "table", "game", "title", "standing", "players", "winners", "darts")
    return rows(head, {"players", "winners"}, map(_cells, entries))


def _cells(of: Entry) -> list[Cell]:
    names = ", ".join(of.players), ", ".join(of.winners)
    return [of.match, of.at, of.table, of.game, of.title, of.standing, *names, of.darts]


def _entry(played: Played, journal: Journal, head: Head) -> Entry:
    if played.parts:
        players = tuple(part.player for part in played.parts)
        return Entry(
            match=played.id,
            at=played.at,
            table=played.table,
            game=played.game,
            title=played.title,
            standing="stopped" if played.was_stopped else "over",
            players=players,
            winners=tuple(part.player for part in played.parts if part.won),
            darts=sum(part.tally.darts for part in played.parts),
        )
    try:
        header = journal.match(head).header
        game, players = str(header.get("game", "")), tuple(map(str, header.get("players", ())))
    except (StoreError, TypeError):
        game, players = "", ()
    standing: Literal["unreadable", "open"] = "unreadable" if played.problem else "open"
    return Entry(played.id, played.at, played.table, game, game, standing, players, problem=played.problem)


def _ending(entry: Entry) -> str:
    match entry.standing:
        case "over":
            return f"{' and '.join(entry.winners)} won" if entry.winners else "nobody won"
        case "stopped":
            return "stopped"
        case "open":
            return "not over"
    return "cannot be played again"
