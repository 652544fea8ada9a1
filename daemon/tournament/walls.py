"""What the displays of a table are told of its tournament: who is called where, who is next, and who plays here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from protocol.tournament import Stage, Status, TournamentView

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
    """Tells the displays of these tables, by their names, whenever something is another than it was told before.

    Where several tournaments play at a table its displays show the one that has a match there, else the first of them.
    """

    def __init__(self, tables: Collection[str], tell: TellTable) -> None:
        self._tell = tell
        self._news: dict[str, dict[str, WallNews]] = {table: {} for table in tables}
        """What each tournament has to say, by table and tournament."""
        self._told: dict[str, WallNews] = {}

    def show(self, view: TournamentView) -> None:
        """Tells what is new of a tournament. One that is over is told no more, nor at a table that left it."""
        ours = {each.name for each in view.tables if not each.paper and view.phase == "playing"}
        found = _make_matches(view)
        made = make_news(view, found)
        here = {each.table: each.id for each in view.matches if each.status in ("called", "playing")}
        for table, news in sorted(self._news.items()):
            if table in ours:
                news[view.id] = replace(made, table=found[here[table]] if table in here else None)
            else:
                news.pop(view.id, None)
            shown = max(news.values(), key=lambda each: each.table is not None, default=None)
            if self._told.get(table) == shown:
                continue
            if shown is None:
                del self._told[table]
            else:
                self._told[table] = shown
            self._tell(table, shown)


def make_news(view: TournamentView, found: Mapping[str, WallMatch]) -> WallNews:
    """What the displays of all tables show of a tournament with these matches."""
    called = tuple(found[each.id] for each in view.matches if each.status == "called")
    following = tuple(found[each] for each in view.next[:_MOST_NEXT] if each in found)
    return WallNews(view.id, view.spec.name, called, following, None)


def _make_matches(view: TournamentView) -> dict[str, WallMatch]:
    """The matches that are called or played or come next, by their ids."""
    names = {each.id: each.name for each in view.entrants}
    titles = {each.name: each.title for each in view.tables}
    following = {*view.next[:_MOST_NEXT]}
    found = {}
    for each in view.matches:
        if each.status in ("called", "playing") or each.id in following:
            one, other = (names.get(side, "") for side in each.sides)
            at = None if each.table is None else titles.get(each.table, each.table)
            about = each.status, each.stage, each.round, each.last, names.get(each.writer, "")
            found[each.id] = WallMatch(each.id, (one, other), at, *about)
    return found
