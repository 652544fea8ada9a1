"""The journals of one daemon, asked for its history: every match is in memory once it is read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter

from daemon.admin.history.digest import Shown, digest_matches
from daemon.admin.history.head_to_head import find_duel
from daemon.admin.history.history import History
from daemon.admin.history.league import MonthBook, add_up_month, find_bounds, month_of
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import PlayerSummary, Selection, collect_appearances, rank_players
from daemon.admin.history.ratings import RatingBook, add_up
from daemon.admin.history.source import FoundMatch, Wanted
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import PlayerNames
from daemon.admin.requests import Goal
from daemon.errors import to_user_error
from daemon.journal.errors import StoreError
from daemon.journal.lines import Result, StoredMatch
from daemon.journal.stored import Head, StoredJournal, find_journals
from protocol.player_names import name_key


class JournalSource:
    """A HistorySource. `read` and `forget` say when what it has in memory is read again."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._matches: list[PlayedMatch] | None = None
        self._sorted: tuple[list[PlayedMatch], list[datetime]] | None = None
        self._by_player: dict[str, list[PlayedMatch]] | None = None

    def read(self, tell: Callable[[PlayedMatch], None] = lambda _: None) -> None:
        """Reads all matches; `tell` is called after each. Raises UserError."""
        found: list[PlayedMatch] = []
        for match in self._history.counted_matches():
            found.append(match)
            tell(match)
        self._matches, self._sorted, self._by_player = found, None, None

    def forget(self) -> None:
        """Drops what is in memory: the journals have changed."""
        self._matches = self._sorted = self._by_player = None

    def read_names(self, *names: str) -> PlayerNames:
        """As HistorySource has it."""
        self.list_matches()
        return self._history.names

    def count_unread(self) -> int:
        """As HistorySource has it."""
        self.list_matches()
        return len(self._history.problems)

    def list_matches(self) -> list[PlayedMatch]:
        """Returns all that count, table by table. Raises UserError."""
        if self._matches is None:
            self.read()
        return self._matches or []

    def select(self, wanted: Wanted) -> Sequence[PlayedMatch]:
        """As HistorySource has it."""
        selection = Selection(wanted.game, table=wanted.table)
        found, ids = self._list_of(wanted), wanted.matches
        if selection != Selection() or ids is not None:
            found = [match for match in found if selection.has(match) and (ids is None or match.id in ids)]
        if wanted.latest is not None:
            return found[max(0, len(found) - wanted.latest) :]
        return found[: wanted.first]

    def _list_of(self, wanted: Wanted) -> list[PlayedMatch]:
        """The matches of these players and of this time, oldest first."""
        if wanted.players:
            found = self._list_of_players(wanted)
            moments = [datetime.fromisoformat(each.at) for each in found] if wanted.since or wanted.before else []
        else:
            found, moments = self._sort()
        first = bisect_left(moments, wanted.since) if wanted.since else 0
        return found[first : bisect_left(moments, wanted.before) if wanted.before else len(found)]

    def _sort(self) -> tuple[list[PlayedMatch], list[datetime]]:
        """All matches, oldest first, and when each began."""
        if self._sorted is None:
            pairs = sorted(((datetime.fromisoformat(each.at), each) for each in self.list_matches()), key=itemgetter(0))
            self._sorted = [each for _, each in pairs], [moment for moment, _ in pairs]
        return self._sorted

    def _list_of_players(self, wanted: Wanted) -> list[PlayedMatch]:
        """Theirs, oldest first."""
        everything, _ = self._sort()
        if self._by_player is None:
            names = {name for match in everything for name in match.players}
            keys, self._by_player = {name: name_key(name) for name in names}, {}
            for match in everything:
                for key in {keys[name] for name in match.players}:
                    self._by_player.setdefault(key, []).append(match)
        first, *others = [self._by_player.get(key, []) for key in wanted.players]
        if not others:
            return first
        if wanted.together:
            ids = [{id(match) for match in each} for each in others]
            return [match for match in first if all(id(match) in each for each in ids)]
        theirs = {id(match) for each in (first, *others) for match in each}
        return [match for match in everything if id(match) in theirs]

    def rank_players(self, selection: Selection) -> list[PlayerSummary]:
        """As HistorySource has it."""
        return rank_players(collect_appearances(self.list_matches(), selection, self._history.names))

    def rate_players(self) -> tuple[RatingBook, Shown]:
        """As HistorySource has it."""
        digests, shown = digest_matches(self.list_matches(), self._history.names)
        return add_up(digests), shown

    def add_up_month(self, month: str) -> tuple[MonthBook, Shown]:
        """As HistorySource has it."""
        since, before = find_bounds(month)
        digests, shown = digest_matches(self.select(Wanted(since=since, before=before)), self._history.names)
        return add_up_month(digests, month), shown

    def list_people(self) -> Iterable[str]:
        """As HistorySource has it."""
        found = collect_appearances(self.list_matches(), Selection(), self._history.names)
        return [each[-1].part.player for each in found.values()]

    def list_months(self) -> Iterable[str]:
        """As HistorySource has it."""
        matches, moments = self._sort()
        place = len(matches) - 1
        while place >= 0:
            if find_duel(matches[place], self._history.names) is None:
                place -= 1
            else:
                yield (month := month_of(moments[place].astimezone()))
                place = bisect_left(moments, find_bounds(month)[0]) - 1

    def list_goals(self, name: str) -> Sequence[Goal]:
        """As HistorySource has it."""
        player = PlayerBook(self._history.folder).find(name)
        return player.profile.goals if player else ()

    def find_matches(self, match: str) -> Iterator[FoundMatch]:
        """As HistorySource has it."""
        names = PlayerBook(self._history.folder).read_names()
        for journal in find_journals(self._history.folder, self._history.layouts):
            with to_user_error(StoreError):
                heads = journal.heads(match)
            for head in heads:
                yield self._describe(journal, head, names)

    def _describe(self, journal: StoredJournal, head: Head, names: PlayerNames) -> FoundMatch:
        def read() -> tuple[StoredMatch, Result | None]:
            with to_user_error(StoreError):
                stored = journal.match(head)
                return stored, journal.result(head.number, len(stored.lines))

        def is_latest() -> bool:
            with to_user_error(StoreError):
                return head.number == max(other.number for other in journal.heads())

        layout = self._history.layouts.get(journal.table)
        return FoundMatch(head.id, head.stamp, head.begun_at, journal.table, layout, names, read, is_latest)
