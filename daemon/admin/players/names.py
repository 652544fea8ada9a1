"""What players are called now, over the names in the records: those are never rewritten when a player is renamed.

A player is known by the names in the headers of matches, the same in capitals or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from daemon.admin.players.player_files import PlayerRefused
from protocol.match_spec import Unreadable, check_visible, clean_name
from protocol.player_names import name_key
from protocol.sentence import say

_FORGOTTEN = "Forgotten player"


def make_neutral_name(seat: int) -> str:
    """The name that a forgotten player in this seat (from 0) has in a record."""
    return f"{_FORGOTTEN} {seat + 1}"


def is_neutral_name(name: str) -> bool:
    """Whether this is the name of forgotten players: several share it, so it counts in no figures."""
    return re.fullmatch(rf"{_FORGOTTEN} \d+", name, re.IGNORECASE) is not None


def check_name(name: str, *, is_known: bool = False) -> str:
    """The name as records have it. Raises UserError for one that no player can have.

    One that `is_known` from a record may be invisible: else it could not be given another.
    """
    if name.strip().lower().startswith("bot:") or is_neutral_name(name.strip()):
        raise PlayerRefused(say("players.no_name", "no player can be called {name}: choose another name", name=name))
    return clean_visible(name, clean_name if is_known else check_visible)


def clean_visible(text: str, check: Callable[[str, str], str] = check_visible) -> str:
    """The text without what is odd in it. Raises UserError for one that is invisible."""
    try:
        return check(text, "a player")
    except Unreadable:
        raise PlayerRefused(say("players.invisible", "a name needs at least one visible character")) from None


class PlayerNames(Struct, frozen=True):
    """What players are called now, `shown` by the keys of all their names.

    `uncounted` are the keys of those whose matches count in no figures.
    """

    shown: Mapping[str, str] = {}
    uncounted: frozenset[str] = frozenset()

    def get(self, name: str) -> str:
        """What the player of this name in a record is called now."""
        return self.shown.get(name_key(name), name) if self.shown else name

    def is_same(self, one: str, other: str) -> bool:
        """Whether these are names of one player."""
        return name_key(self.get(one)) == name_key(self.get(other))

    def is_counted(self, name: str) -> bool:
        """Whether the matches of the player who is called this now count in figures."""
        return not (is_neutral_name(name) or name_key(name) in self.uncounted)

    def rename_header(self, header: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
        """This header of a record with the present names of its people; bots keep theirs."""
        players, bots = header.get("players"), header.get("bots") or ()
        if not self.shown or not isinstance(players, list) or not all(isinstance(name, str) for name in players):
            return header
        is_bot = [seat < len(bots) and bots[seat] is not None for seat in range(len(players))]
        named = [name if bot else self.get(name) for name, bot in zip(players, is_bot, strict=True)]
        return {**header, "players": named}


NO_NAMES = PlayerNames()
"""Where no player was renamed, and all count."""
