"""What the tables know of players: favourite doubles, how their darts scatter, and which names are one player's.

The doubles that a player has chosen go before the configuration's.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TypeVar

from daemon.admin.players.book import PlayerBook
from daemon.errors import UserError
from engine.scatter import Scatter
from protocol.player_names import name_key

log = logging.getLogger("oche")

T = TypeVar("T")


class Replaced(Mapping[str, T]):
    """A mapping that is only replaced as a whole: it is read while a thread reads the book."""

    def __init__(self, now: Mapping[str, T]) -> None:
        self.now = now

    def __getitem__(self, key: str) -> T:
        return self.now[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.now)

    def __len__(self) -> int:
        return len(self.now)


class Scatters(Replaced[Scatter]):
    """How the darts of players scatter, by their names: of those of whom boards have measured some."""

    is_read = False
    """Whether the history was read for it."""

    def learn(self, found: Mapping[str, Scatter]) -> None:
        """Takes over what the history says."""
        self.now, self.is_read = found, True


class KnownPlayers(Replaced[tuple[int, ...]]):
    """Favourite doubles by the names of players, and how their darts scatter."""

    def __init__(self, doubles: Mapping[str, tuple[int, ...]], scatters: Scatters) -> None:
        super().__init__(doubles)
        self.scatters = scatters


class FavouriteDoubles:
    """What each table is given is kept up to date: a match that begins has the doubles of that moment."""

    def __init__(self, folder: Path) -> None:
        self._book = PlayerBook(folder)
        self.aliases = Replaced[str]({})
        """What players are called now, by the keys of all their names; kept up to date as the doubles are."""
        self.scatters = Scatters({})
        """Whoever reads the history replaces it."""
        self._given: list[tuple[Mapping[str, tuple[int, ...]], Replaced[tuple[int, ...]]]] = []
        self._reading = Lock()
        self._stamp: tuple[int, int, int] | None = None
        """Of the book as it was read."""
        self._last_error = ""
        """What was logged of a book that cannot be read."""

    def add_table(self, configured: Mapping[str, tuple[int, ...]]) -> Mapping[str, tuple[int, ...]]:
        """The favourites at a table for which these are configured, by all names of the players."""
        given = KnownPlayers(configured, self.scatters)
        self._given.append((configured, given))
        return given

    def has_configured(self, keys: Collection[str]) -> bool:
        """Whether doubles are configured for a name of these keys."""
        return any(name_key(name) in keys for configured, _ in self._given for name in configured)

    def forget_scatters(self, keys: Collection[str]) -> None:
        """Takes the names of these keys, of somebody who is forgotten, out of what is known of scatters."""
        self.scatters.now = {name: each for name, each in self.scatters.now.items() if name_key(name) not in keys}

    def read(self) -> None:
        """Takes over what the book has now. Raises UserError."""
        with self._reading:
            self._take_over(self._book.stamp())

    def refresh(self) -> None:
        """Takes over what the book has now if another program, `oche players`, has changed it.

        A book that cannot be read is logged, and what was known before is still held true.
        """
        with self._reading:
            try:
                if (stamp := self._book.stamp()) != self._stamp:
                    self._take_over(stamp)
                self._last_error = ""
            except UserError as error:
                if str(error) != self._last_error:
                    log.error("%s; until then the tables use the previous list of players", error)
                self._last_error = str(error)

    def _take_over(self, stamp: tuple[int, int, int] | None) -> None:
        """Reads the book, which had this stamp before: a change meanwhile is seen the next time."""
        chosen = {
            name: player.profile.doubles
            for player in self._book.list_players()
            for name in {player.name, *player.names}
            if player.profile.doubles
        }
        self.aliases.now = self._book.read_names().shown
        for configured, given in self._given:
            given.now = {**configured, **chosen}
        self._stamp = stamp
