"""Whose part in which matches: what was asked for, player by player and game by game.

A player is a name: trimmed, and the same in capitals or not. Games are told apart by the name on the wall, so a best
leg of 301 is not one of 501. Bots are left out unless asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from daemon.history import Played
from daemon.past_match import Part
from engine.games import PRESETS, game
from engine.options import read_options
from engine.tally import Tally, pooled


class Selection(NamedTuple):
    """Which matches count: of a game (its id, its name on the wall or a preset), since a moment, at a table."""

    game: str | None = None
    since: datetime | None = None
    table: str | None = None
    with_bots: bool = False

    def of(self, matches: Iterable[Played]) -> Iterator[Played]:
        """Those of the matches that count."""
        names = _names(self.game)
        for match in matches:
            if self.table is not None and match.table != self.table:
                continue
            if self.since is not None and datetime.fromisoformat(match.at) < self.since:
                continue
            if not names or match.game.casefold() in names or match.title.casefold() in names:
                yield match

    def people(self, match: Played) -> Iterator[Part]:
        """Those of its parts that count."""
        return (part for part in match.parts if self.with_bots or not part.is_bot)


class Share(NamedTuple):
    """A part in a match."""

    match: Played
    part: Part


class Whole(NamedTuple):
    """What some parts come to: matches, however many seats somebody had in one, and all of their darts."""

    matches: int
    stopped: int
    won: int
    tally: Tally


def whole(theirs: Iterable[Share]) -> Whole:
    """These parts, pooled."""
    theirs = list(theirs)
    return Whole(
        matches=len({share.match.id for share in theirs}),
        stopped=len({share.match.id for share in theirs if share.match.was_stopped}),
        won=len({share.match.id for share in theirs if share.part.won}),
        tally=pooled(share.part.tally for share in theirs),
    )


def known_as(name: str) -> str:
    """What two spellings of one name have in common."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def shares(matches: Iterable[Played], selection: Selection) -> dict[str, list[Share]]:
    """What everybody played, oldest first, by what they are known as."""
    found: dict[str, list[Share]] = {}
    for match in sorted(selection.of(matches), key=lambda match: match.at):
        for part in selection.people(match):
            found.setdefault(known_as(part.player), []).append(Share(match, part))
    return found


def by_game(theirs: list[Share]) -> list[list[Share]]:
    """The same game by game, the one played most first."""
    found: dict[tuple[str, str], list[Share]] = {}
    for share in theirs:
        found.setdefault((share.match.game, share.match.title), []).append(share)
    return sorted(found.values(), key=len, reverse=True)


def _names(wanted: str | None) -> frozenset[str]:
    """What the game that was asked for is called: its id, or a name on the wall."""
    if wanted is None:
        return frozenset()
    preset = PRESETS.get(wanted)
    if preset is None:
        return frozenset((wanted.casefold(),))
    chosen = game(preset.game)
    return frozenset((chosen.title(read_options(chosen, dict(preset.options))).casefold(),))
