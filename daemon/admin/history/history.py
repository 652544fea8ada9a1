"""What has been played: every match of every table, each replayed once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from msgspec.structs import replace

from daemon.admin.history.match_cache import FILE, CachedMatch, MatchCache, encode_matches, erase_matches
from daemon.admin.history.played_matches import (
    PlayedMatch,
    count_match,
    find_ends,
    list_uncounted,
    replay_match,
    stamp_program,
)
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import NO_NAMES
from daemon.journal.errors import StoreError
from daemon.journal.lines import StoredMatch
from daemon.journal.stored import Head, StoredJournal, find_journals
from engine.played import ThrowRow, list_throws
from protocol.segment import Layout

_BATCH = 100
"""Matches that are read and cached at once, so that a reading that is broken off was not in vain."""


class History:
    """The matches in a folder of journals. `layouts` are the layouts of the tables, by the table's name.

    `version` is that of the program: another one has no use for the cached tallies. Reading may take seconds; the
    daemon has it done in a process of its own (daemon/admin/process.py).
    """

    def __init__(self, folder: Path, layouts: Mapping[str, Layout], version: str) -> None:
        self.problems: list[str] = []
        """What the latest reading could not read, a sentence each."""
        self.folder = folder
        self.layouts = layouts
        self.names = NO_NAMES
        """What players were called when the latest reading began."""
        self._version = version
        self.progress = 0, 0
        """How many matches of how many the latest reading has done."""

    def counted_matches(self) -> Iterator[PlayedMatch]:
        """Yields every match that counts, table by table. Raises UserError."""
        uncounted = list_uncounted()
        return (
            match for match in self.all_matches() if match.parts and not match.went_on and match.game not in uncounted
        )

    def all_matches(self) -> Iterator[PlayedMatch]:
        """Yields every match, table by table, also those that do not count. Raises as `counted_matches` does.

        The players have their present names.
        """
        self.problems = []
        self.names = PlayerBook(self.folder).read_names()
        self.progress = 0, 0
        heads = self.find_matches()
        has_all = not self.problems
        with closing(MatchCache(self.folder / FILE)) as cache:
            yield from self._read_all(heads, cache, has_all=has_all)

    def _read_all(
        self, heads: Sequence[tuple[StoredJournal, Head]], cache: MatchCache, *, has_all: bool
    ) -> Iterator[PlayedMatch]:
        news: list[CachedMatch] = []
        continued = _list_continued(heads)
        cached = [cache.get(head.id, self._make_stamp(head)) for _, head in heads]
        coming = _read_matches([place for place, found in zip(heads, cached, strict=True) if found is None])
        for place, ((journal, head), known) in enumerate(zip(heads, cached, strict=True)):
            self.progress = place, len(heads)
            played = known
            if played is None:
                stored = next(coming)
                if isinstance(stored, StoreError):  # it cannot be read at this moment
                    self.problems.append(str(stored))
                    continue
                played = self._replay(journal, head, stored)
                news.append(CachedMatch(head.id, self._make_stamp(head), played))
            if len(news) == _BATCH:
                cache.put(news)
                news.clear()
            if played.problem is not None:
                self.problems.append(played.problem)
            went_on = played.was_stopped and head.id in continued
            yield self._rename_players(replace(played, table=journal.table, went_on=went_on))
        self.progress = len(heads), len(heads)
        cache.put(news)
        if has_all:
            count = len(self.problems)
            left = {head.id for _, head in self.find_matches()}  # another process may have deleted some meanwhile
            if len(self.problems) == count:
                cache.keep_only(left)

    def list_throws(self, wanted: Mapping[str, frozenset[str]]) -> Iterator[ThrowRow]:
        """Yields every dart of these players, by the match's id, that counts. Raises UserError."""
        left = dict(wanted)
        places = self.find_matches()
        continued = _list_continued(places)
        for journal, head in places:
            players = left.pop(head.id, None)
            if players is None:
                continue
            try:
                stored = journal.match(head)
                renamed = stored._replace(header=self.names.rename_header(stored.header))
                match = replay_match(renamed, self.layouts.get(journal.table))
            except (StoreError, ValueError) as error:
                self.problems.append(str(error))  # it could be read a moment ago
                continue
            if match.position.stopped and head.id in continued:
                continue
            at = {line.number: line.at for line in stored.lines}
            yield from (throw for throw in list_throws(match, head.id, journal.table, at) if throw.player in players)

    def find_matches(self) -> list[tuple[StoredJournal, Head]]:
        """The journal of every match, table by table; adds to `problems`. Raises as `counted_matches` does."""
        found: dict[str, tuple[StoredJournal, Head]] = {}
        for journal in find_journals(self.folder, self.layouts):
            try:
                heads = journal.heads()
            except StoreError as error:
                self.problems.append(str(error))
                continue
            for head in heads:
                found.setdefault(head.id, (journal, head))  # the folder may have a copy of a journal
        return [*found.values()]

    def write_figures(self, table: str, match_id: str) -> PlayedMatch | None:
        """Caches what this match comes to, so that no reading has to replay it, and returns it.

        None, and nothing is cached, when it cannot be read now.
        """
        found: PlayedMatch | None = None
        journal = StoredJournal(self.folder / f"{table}.sqlite3")
        with ExitStack() as opened, suppress(StoreError, OSError):
            file = None
            with suppress(OSError):  # before the match is read: what is erased since then is not in this file
                file = opened.enter_context((self.folder / FILE).open("ab", buffering=0))
            for head in journal.heads(match_id):
                found = self._replay(journal, head, journal.match(head))
                if file is not None:
                    file.write(encode_matches([CachedMatch(head.id, self._make_stamp(head), found)]))
        return found

    def read_ends(self, table: str, match_id: str, line: int) -> list[PlayedMatch]:
        """Returns what this match came to whenever it was over, up to this line of its record, the latest first.

        [] if it is unreadable; what is the same is in it once. The players have their present names.
        """
        found: list[PlayedMatch] = []
        journal = StoredJournal(self.folder / f"{table}.sqlite3")
        with suppress(StoreError):
            for head in journal.heads(match_id):
                stored = journal.match(head)
                stored = stored._replace(lines=[each for each in stored.lines if each.number <= line])
                for count in find_ends(stored, self.layouts.get(journal.table)):
                    end = self._replay(journal, head, stored._replace(lines=stored.lines[:count]))
                    end = self._rename_players(end)
                    if end.is_over and end not in found:
                        found.insert(0, end)
        return found

    def erase_figures(self, matches: Collection[str]) -> None:
        """Deletes what is cached of these matches, and of those that no journal has any more. Raises UserError."""
        count = len(self.problems)
        left = {head.id for _, head in self.find_matches()}
        has_all = len(self.problems) == count
        erase_matches(self.folder / FILE, lambda each: each.id in matches or (has_all and each.id not in left))

    def _rename_players(self, played: PlayedMatch) -> PlayedMatch:
        """With the present names; the cache has those of the record."""
        if not self.names.shown:
            return played
        people = {"players": [*played.players], "bots": played.bots}
        return replace(
            played,
            players=tuple(self.names.rename_header(people)["players"]),
            parts=tuple(
                part if part.is_bot else replace(part, player=self.names.get(part.player)) for part in played.parts
            ),
        )

    def _make_stamp(self, head: Head) -> str:
        """What the figures of a match depend on: the program, the rules of its game, its header and its lines."""
        return f"{stamp_program(self._version, head.game)} {head.stamp}"

    def _replay(self, journal: StoredJournal, head: Head, stored: StoredMatch) -> PlayedMatch:
        kept, layout = journal.result(head.number, len(stored.lines)), self.layouts.get(journal.table)
        return count_match(stored._replace(id=head.id, at=head.begun_at), journal.table, layout, kept)


def _list_continued(places: Iterable[tuple[StoredJournal, Head]]) -> set[str]:
    """The ids of the matches that others continue."""
    return {head.continues for _, head in places if head.continues}


def _read_matches(places: Iterable[tuple[StoredJournal, Head]]) -> Iterator[StoredMatch | StoreError]:
    """Yields these matches with their lines, in batches; in place of one that cannot be read why it cannot."""
    for journal, group in groupby(places, key=itemgetter(0)):
        left = [head for _, head in group]
        while left:
            try:
                found = journal.matches(left[:_BATCH])
            except StoreError as error:
                yield error
                left = left[1:]
            else:
                yield from found
                left = left[len(found) :]
