"""What the displays of a table are told of its tournament: who is called where, who is next, and who plays here."""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec import Struct

from protocol.tournament import MatchView, Stage, Status, TournamentView

TellTable = Callable[[str, object], None]
"""Tells the displays of a table of this daemon, also those that come later: WallNews, or None for no more news."""
_MOST_NEXT = 4


class WallMatch(Struct, frozen=True):
    """A match as walls name it: its sides by their names, and the title of the table that it is called to.

    `stage`, `round` and `last` are as in MatchView. `writer` keeps the score; "": nobody was asked.
    """

    match: str
    sides: tuple[str, str]
    table: str | None
    status: Status
    stage: Stage
    round: int
    last: int | None
    writer: str


class WallNews(Struct, frozen=True):
    """What walls show of a tournament: the matches that are called, at most four that come next, and this table's."""

    id: str
    name: str
    called: tuple[WallMatch, ...]
    next: tuple[WallMatch, ...]
    table: WallMatch | None


class Walls:
    """Tells the displays of these tables, by their names, whenever something is another than it was told before."""

    def __init__(self, tables: Collection[str], tell: TellTable) -> None:
        self._tables = tables
        self._tell = tell
        self._told: dict[str, WallNews] = {}

    def show(self, view: TournamentView) -> None:
        """Tells what is new of a tournament. One that is over is told no more, nor at a table that left it."""
        ours = {each.name for each in view.tables if not each.paper and each.name in self._tables}
        if view.phase != "playing":
            ours.clear()
        for table in [table for table, news in self._told.items() if news.id == view.id and table not in ours]:
            del self._told[table]
            self._tell(table, None)
        for table in sorted(ours):
            news = make_news(view, table)
            if self._told.get(table) != news:
                self._told[table] = news
                self._tell(table, news)


def make_news(view: TournamentView, table: str) -> WallNews:
    """What the displays of this table show of a tournament."""
    names = {each.id: each.name for each in view.entrants}
    titles = {each.name: each.title for each in view.tables}
    matches = {each.id: each for each in view.matches}

    def name(match: MatchView) -> WallMatch:
        one, other = (names.get(side, "") for side in match.sides)
        at = None if match.table is None else titles.get(match.table, match.table)
        about = match.status, match.stage, match.round, match.last, names.get(match.writer, "")
        return WallMatch(match.id, (one, other), at, *about)

    here = next((each for each in view.matches if each.table == table and each.status in ("called", "playing")), None)
    return WallNews(
        id=view.id,
        name=view.spec.name,
        called=tuple(name(each) for each in view.matches if each.status == "called"),
        next=tuple(name(matches[each]) for each in view.next[:_MOST_NEXT] if each in matches),
        table=None if here is None else name(here),
    )
