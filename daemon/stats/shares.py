"""Whose part in which matches: what was asked for, player by player and game by game.

A player is a name: trimmed, and the same in capitals or not. Games are told apart by their rules (the variant), so a
best leg of 301 is not one of 501, nor one of 501 straight out. Bots are left out unless asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from daemon.stats.history import Played
from daemon.stats.past_match import Part
from engine.games import GAMES, PRESETS
from engine.statistics import Figures, figures
from engine.tally import Figure, Tally, pooled


class Selection(NamedTuple):
    """Which matches count: of a game (its id with all variants, or one variant), since a moment, at a table.

    What is neither may be a name on the wall.
    """

    game: str | None = None
    since: datetime | None = None
    table: str | None = None
    with_bots: bool = False

    def of(self, matches: Iterable[Played]) -> Iterator[Played]:
        """Those of the matches that count."""
        for match in matches:
            if self.table is not None and match.table != self.table:
                continue
            if self.since is not None and datetime.fromisoformat(match.at) < self.since:
                continue
            if self.game is None or _is_of(match, self.game.casefold()):
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
    """The same variant by variant, the one played most first."""
    found: dict[str, list[Share]] = {}
    for share in theirs:
        found.setdefault(share.match.variant, []).append(share)
    return sorted(found.values(), key=len, reverse=True)


def figure_of(share: Share) -> Figure:
    """What players of its game compare themselves by."""
    return GAMES[share.match.game].figure


def figures_of(theirs: list[Share]) -> Figures:
    """The figures of these parts, all of one game, pooled."""
    return figures(whole(theirs).tally, figure_of(theirs[0]))


def first_moment(day: date) -> datetime:
    """When that day began here."""
    midnight = datetime.combine(day, time())
    try:
        return midnight.astimezone()
    except (OverflowError, ValueError):  # at the ends of the calendar a clock knows no zones
        return midnight.replace(tzinfo=UTC)


def _is_of(match: Played, wanted: str) -> bool:
    if wanted in PRESETS:
        return match.variant == wanted
    if wanted in GAMES:
        return match.game == wanted
    return wanted in (match.variant.casefold(), match.title.casefold())
