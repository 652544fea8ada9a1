"""Head to head: what the matches of two players against each other came to.

A match counts if it was played to its end between two people, each a side alone. A team has no head to head: nobody in
it has won alone. Matches count under the present names of their players, and without forgotten and uncounted players,
as in all figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection
from daemon.admin.players.names import PlayerNames
from engine.played import PlayerPart
from protocol.player_names import name_key

_LATEST = 10


class Streak(Struct, frozen=True):
    """The player of this place (0 or 1) has won the latest matches, so many of them."""

    side: int
    matches: int


class Balance(Struct, frozen=True, kw_only=True):
    """How often each of two players has won. `last`: who won the latest matches, by place, oldest first.

    It is None for a match that was drawn. `streak` is None if the latest match was drawn, and if there is none.
    """

    won: tuple[int, int]
    drawn: int
    last: tuple[int | None, ...]
    streak: Streak | None


class GameBalance(Balance, frozen=True, kw_only=True):
    """The same in one variant of a game."""

    variant: str
    label: str


class HeadToHead(Balance, frozen=True, kw_only=True):
    """The same over all games, and in each of them, the one played most first."""

    names: tuple[str, str]
    games: tuple[GameBalance, ...]


class Duel(NamedTuple):
    """A match between two people; `winner` is the place of the one who has won it, None if it was drawn."""

    match: PlayedMatch
    parts: tuple[PlayerPart, PlayerPart]
    winner: int | None

    @property
    def keys(self) -> tuple[str, str]:
        """The keys of the names of the two."""
        one, other = self.parts
        return name_key(one.player), name_key(other.player)

    def turn(self) -> Duel:
        """The same match with the places of the two exchanged."""
        one, other = self.parts
        return Duel(self.match, (other, one), None if self.winner is None else 1 - self.winner)


def find_duel(match: PlayedMatch, names: PlayerNames) -> Duel | None:
    """Returns the match as one between two people; None if it was stopped, and for teams, bots and uncounted players.

    If the rules of the game have changed since, it is not known whether the two were a team: then one has to have won.
    """
    if match.was_stopped or len(match.players) != 2 or len(match.parts) != 2 or match.has_player_twice:
        return None
    one, other = match.parts
    if any(part.is_bot or not names.is_counted(part.player) for part in match.parts):
        return None
    is_drawn = one.won == other.won
    if len(match.standings) != 2 and (match.standings or is_drawn):
        return None
    return Duel(match, (one, other), None if is_drawn else 0 if one.won else 1)


def list_duels(matches: Iterable[PlayedMatch], selection: Selection, names: PlayerNames) -> list[Duel]:
    """Returns the selected matches between two people, oldest first."""
    found = [duel for match in matches if selection.has(match) and (duel := find_duel(match, names)) is not None]
    return sorted(found, key=lambda duel: duel.match.at)


def compare_players(
    matches: Iterable[PlayedMatch], pair: tuple[str, str], selection: Selection, names: PlayerNames
) -> HeadToHead:
    """Returns the head to head of these two players over the selected matches; zeros if they never met."""
    shown = (names.get(pair[0]), names.get(pair[1]))
    keys = name_key(shown[0]), name_key(shown[1])
    met = list_meetings(list_duels(matches, selection, names), keys)
    by_variant: dict[str, list[Duel]] = {}
    for duel in met:
        by_variant.setdefault(duel.match.variant, []).append(duel)
    return HeadToHead(
        names=(met[-1].parts[0].player, met[-1].parts[1].player) if met else shown,
        games=tuple(
            GameBalance(variant=variant, label=duels[-1].match.label, **_count(duels))
            for variant, duels in sorted(by_variant.items(), key=lambda each: -len(each[1]))
        ),
        **_count(met),
    )


def list_meetings(duels: Iterable[Duel], keys: tuple[str, str]) -> list[Duel]:
    """Returns those of the two players of these keys, in whose order each is turned."""
    turned = (keys[1], keys[0])
    return [duel if found == keys else duel.turn() for duel in duels if (found := duel.keys) == keys or found == turned]


def _count(duels: Sequence[Duel]) -> dict[str, Any]:  # Any: the fields of a balance
    winners = [duel.winner for duel in duels]
    return {
        "won": (winners.count(0), winners.count(1)),
        "drawn": winners.count(None),
        "last": tuple(winners[-_LATEST:]),
        "streak": _find_streak(winners),
    }


def _find_streak(winners: Sequence[int | None]) -> Streak | None:
    if not winners or winners[-1] is None:
        return None
    last = winners[-1]
    run = next((n for n, winner in enumerate(reversed(winners)) if winner != last), len(winners))
    return Streak(last, run)
