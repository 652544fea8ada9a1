"""What the tables are told of players: their favourite doubles, and which names are one player's.

The doubles that a player has chosen go before the configuration's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from daemon.players.book import Book
from protocol.player_names import name_key


class FavouriteDoubles:
    """What each table is given is kept up to date: a match that begins has the doubles of that moment."""

    def __init__(self, folder: Path) -> None:
        self._book = Book(folder)
        self.aliases: dict[str, str] = {}
        """What players are called now, by the keys of all their names; kept up to date as the doubles are."""
        self._given: list[tuple[Mapping[str, tuple[int, ...]], dict[str, tuple[int, ...]]]] = []

    def add_table(self, configured: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """The favourites at a table for which these are configured, by all names of the players."""
        given = dict(configured)
        self._given.append((configured, given))
        return given

    def has_configured(self, keys: Collection[str]) -> bool:
        """Whether doubles are configured for a name of these keys."""
        return any(name_key(name) in keys for configured, _ in self._given for name in configured)

    def read(self) -> None:
        """Takes over what the book has now. Raises UserError."""
        chosen = {
            name: player.profile.doubles
            for player in self._book.list_players()
            for name in {player.name, *player.names}
            if player.profile.doubles
        }
        names = self._book.read_names().shown
        self.aliases.update(names)
        for key in self.aliases.keys() - names.keys():
            del self.aliases[key]
        for configured, given in self._given:
            now = {**configured, **chosen}
            given.update(now)  # never empty: this is a thread, and a match may begin meanwhile
            for name in given.keys() - now.keys():
                del given[name]
