"""What has been played: every match of every table, played again once, and what each player made of it.

A match counts when it is over; the one at the oche does not yet, so nothing can be learned here that its players may
not know.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from daemon.overrun import leave, limited
from daemon.stats.journals import Head, Journal, journals
from daemon.stats.past_match import Part, Throw, played_again, throws
from daemon.stats.tally_cache import FILE, Kept, TallyCache
from daemon.store import StoreError
from engine.games import GAMES
from protocol.segment import Layout

log = logging.getLogger("oche.history")

_FORM = 2
"""Raised when the same match comes to other tallies than before, though its rules are the same."""
_LIMIT_S = 30.0
"""Processor time for one match: what takes longer never comes to an end."""
_BATCH = 100
"""Matches that share a commit, so that a first reading that is broken off was not in vain."""


class Played(Struct, frozen=True):
    """A match that was played. Without `parts` it does not count (yet); a `problem` says why it never will."""

    id: str
    table: str
    at: str
    """When it began (ISO 8601, UTC)."""
    game: str = ""
    variant: str = ""
    """The game by its rules (engine.games.variant): what is pooled, and told apart from the others."""
    title: str = ""
    face: str = ""
    """The board face it was played on, by name."""
    was_stopped: bool = False
    parts: tuple[Part, ...] = ()
    problem: str | None = None

    @property
    def label(self) -> str:
        """The name on the wall, and the variant where that name does not say it: 501, 501 · soft_501."""
        is_said = self.variant in (self.game, self.title.casefold().replace(" ", "_"))
        return self.title if is_said else f"{self.title} · {self.variant}"


class Closed(Exception):
    """The history was closed while it was being read."""


class History:
    """The matches in a folder of journals. `faces` are those of the tables, by name; a game's own where there is none.

    `version` is that of the program. Reading takes time: it is meant for a thread of its own, one at a time.
    """

    def __init__(self, folder: Path, faces: Mapping[str, Layout], version: str) -> None:
        self.problems: list[str] = []
        """What could not be read by the latest reading, in sentences."""
        self.folder = folder
        self._faces = faces
        self._version = " ".join((version, str(_FORM), *(f"{name}={game.rules}" for name, game in GAMES.items())))
        self._is_closed = threading.Event()
        self.progress = 0, 0
        """How many matches of how many the latest reading has come to."""

    def face(self, table: str) -> Layout | None:
        """The face of this table; None for a table that is no more."""
        return self._faces.get(table)

    def close(self) -> None:
        """Breaks off a reading that another thread is busy with, and any later one."""
        self._is_closed.set()

    def played(self) -> Iterator[Played]:
        """Every match that counts, table by table. Raises UserError, and Closed when it is broken off."""
        return (match for match in self.everything() if match.parts and _is_counted(match.game))

    def everything(self) -> Iterator[Played]:
        """Every match, table by table, also those that do not count. Raises as `played` does."""
        self.problems = []
        self.progress = 0, 0
        news: list[Kept[Played]] = []
        heads = self.heads()
        has_all = not self.problems
        cache = TallyCache(self.folder / FILE, Played, self._version)
        try:
            for place, (journal, head) in enumerate(heads):
                if self._is_closed.is_set():
                    raise Closed
                self.progress = place, len(heads)
                found = cache.get(head.id, head.stamp)
                if found is None:
                    found = self._play(journal, head)
                    if found is None:
                        continue
                    news.append(Kept(head.id, head.stamp, found))
                if len(news) == _BATCH:
                    cache.put(news)
                    news.clear()
                if found.problem is not None:
                    self.problems.append(found.problem)
                yield replace(found, table=journal.table)
            self.progress = len(heads), len(heads)
            cache.put(news)
            if has_all:
                cache.keep_only({head.id for _, head in heads})
        finally:
            cache.close()

    def throws(self, wanted: Mapping[str, frozenset[str]]) -> Iterator[Throw]:
        """Every dart of these players in these matches (by id), match after match. Raises UserError."""
        left = dict(wanted)
        for journal, head in self.heads():
            players = left.pop(head.id, None)
            if players is None:
                continue
            try:
                stored = journal.match(head)
                match = played_again(stored, self.face(journal.table))
            except (StoreError, ValueError) as error:
                self.problems.append(str(error))  # it could be read a moment ago
                continue
            at = {line.number: line.at for line in stored.lines}
            yield from (throw for throw in throws(match, head.id, journal.table, at) if throw.player in players)

    def heads(self) -> list[tuple[Journal, Head]]:
        """Where every match lies, table by table; what cannot be read is a problem. Raises as `played` does."""
        found: dict[str, tuple[Journal, Head]] = {}
        for journal in journals(self.folder, self._faces):
            try:
                heads = journal.heads()
            except StoreError as error:
                self.problems.append(str(error))
                continue
            if self._is_closed.is_set():
                raise Closed
            for head in heads:
                found.setdefault(head.id, (journal, head))  # somebody keeps a copy of a journal beside it
        return [*found.values()]

    def _play(self, journal: Journal, head: Head) -> Played | None:
        """What the match came to; None when it cannot be read at this moment."""
        try:
            stored = journal.match(head)
        except StoreError as error:
            self.problems.append(str(error))
            return None
        played = Played(head.id, journal.table, head.begun_at)
        try:
            with limited(_LIMIT_S):
                match = played_again(stored, self.face(journal.table))
                title, parts = match.title, match.parts()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a broken rule costs its own match only, whatever it raises
            leave()
            log.info("%s: the match %s cannot be played again", journal.table, head.id, exc_info=True)
            problem = f"the match {head.id} of the table {journal.table} does not count: {error}"
            return replace(played, problem=problem)
        if not match.position.over:
            return played
        return replace(
            played,
            game=match.game.id,
            variant=match.variant,
            title=title,
            face=match.layout.name,
            was_stopped=match.was_stopped,
            parts=parts,
        )


def _is_counted(name: str) -> bool:
    """A game that is here no more was counted when it was."""
    found = GAMES.get(name)
    return found is None or found.is_counted
