"""What ratings, classes and the tables of months are made of: the little of a match that they need.

A league keeps a digest beside each match, since there are too many to read them whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import NamedTuple

from msgspec import Struct

from daemon.admin.history.head_to_head import find_duel
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.players.names import PlayerNames
from engine.tally import Tally
from protocol.player_names import name_key

Shown = Mapping[str, str]
"""What players are called, by their keys."""


class PartDigest(Struct, array_like=True):
    """What the player in this seat threw, or a player in many matches; None: it was not counted."""

    seat: int = 0
    points: int = 0
    darts: int = 0
    legs: int = 0
    legs_won: int = 0
    marks: int | None = None
    points_80: int | None = None
    marks_80: int | None = None
    darts_80: int | None = None

    def add(self, other: PartDigest) -> None:
        """Adds what was thrown in another match."""
        self.points += other.points
        self.darts += other.darts
        self.legs += other.legs
        self.legs_won += other.legs_won
        self.marks = _add(self.marks, other.marks)
        self.points_80 = _add(self.points_80, other.points_80)
        self.marks_80 = _add(self.marks_80, other.marks_80)
        self.darts_80 = _add(self.darts_80, other.darts_80)

    @property
    def tally(self) -> Tally:
        """It as a tally."""
        counted = {"marks": self.marks, "points_80": self.points_80, "marks_80": self.marks_80}
        counts = {**counted, "darts_80": self.darts_80}
        return Tally(self.points, self.darts, counts={name: n for name, n in counts.items() if n is not None})


class MatchDigest(Struct, frozen=True, array_like=True):
    """A match, its people by their seats, without those who do not count.

    `winner` is the place of the one who has won a match between two people, 2 where it was drawn; None: it is none.
    `sides` have the seats and the place of each side where more than two play, or teams. `parts` are those of people.
    """

    winner: int | None
    sides: tuple[tuple[tuple[int, ...], int], ...]
    parts: tuple[PartDigest, ...]


class DigestedMatch(NamedTuple):
    """A match as it is added up: the day on which it began, and the keys of its people by their seats.

    `kind` is any match of its variant.
    """

    day: int
    kind: PlayedMatch
    keys: Mapping[int, str]
    digest: MatchDigest


DRAWN = 2
"""As the winner."""


def digest_match(match: PlayedMatch, names: PlayerNames) -> MatchDigest | None:
    """Returns the digest; None: it counts for nobody, or one person plays twice in it."""
    if match.has_player_twice:
        return None
    seats = _find_seats(match)
    parts = [
        _digest_part(match, place, seats[place])
        for place, part in enumerate(match.parts[: len(seats)])
        if not part.is_bot and names.is_counted(part.player)
    ]
    if not parts:
        return None
    if (duel := find_duel(match, names)) is not None:
        return MatchDigest(DRAWN if duel.winner is None else duel.winner, (), tuple(parts))
    return MatchDigest(None, _find_sides(match, names), tuple(parts))


def _find_seats(match: PlayedMatch) -> list[int]:
    """The seat of each part: they are in the order of the seats."""
    seats, left = list[int](), [part.player for part in match.parts]
    for seat, name in enumerate(match.players):
        if len(seats) < len(left) and name == left[len(seats)]:
            seats.append(seat)
    return seats


def _digest_part(match: PlayedMatch, place: int, seat: int) -> PartDigest:
    tally = match.parts[place].tally
    counts = tally.counts
    return PartDigest(
        seat,
        tally.points,
        tally.darts,
        counts.get("legs", 0),
        counts.get("legs_won", 0),
        *(counts.get(name) for name in ("marks", "points_80", "marks_80", "darts_80")),
    )


def _find_sides(match: PlayedMatch, names: PlayerNames) -> tuple[tuple[tuple[int, ...], int], ...]:
    """The sides that are rated where three or more play, or teams; () if it is no such match."""
    standings = match.standings
    is_duel = len(standings) == 2 and all(len(side.seats) == 1 for side in standings)
    if is_duel or match.was_stopped or len(match.parts) != len(match.players):
        return ()
    counted = [not part.is_bot and names.is_counted(part.player) for part in match.parts]
    return tuple((side.seats, side.place) for side in standings if all(counted[seat] for seat in side.seats))


def digest_matches(
    matches: Iterable[PlayedMatch], names: PlayerNames, zone: tzinfo | None = None
) -> tuple[list[DigestedMatch], Shown]:
    """Returns those that count, oldest first, and what their people are called.

    `zone` is the one whose days are meant; None: that of this machine.
    """
    found, shown = list[DigestedMatch](), dict[str, str]()
    for match in sorted(matches, key=lambda each: (each.at, each.id)):
        digest = digest_match(match, names)
        if digest is None:
            continue
        people = {part.seat: match.players[part.seat] for part in digest.parts}
        keys = {seat: name_key(name) for seat, name in people.items()}
        shown |= {key: people[seat] for seat, key in keys.items()}
        day = datetime.fromisoformat(match.at).astimezone(zone).toordinal()
        found.append(DigestedMatch(day, match, keys, digest))
    return found, shown


def without_strangers(digest: MatchDigest, keys: Mapping[int, str]) -> MatchDigest | None:
    """Returns the digest without people who have no key any more; None: one person plays twice in it."""
    if len({*keys.values()}) < len(keys):
        return None
    if all(part.seat in keys for part in digest.parts):
        return digest
    return MatchDigest(
        None,
        tuple(side for side in digest.sides if all(seat in keys for seat in side[0])),
        tuple(part for part in digest.parts if part.seat in keys),
    )


def _add(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
