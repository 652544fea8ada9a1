"""A match of the past: played again from its journal, to tell what each player made of it and every dart of it.

A match that was stopped counts for the darts that were thrown, and for those who threw them, but not for legs and
wins: nobody lost it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daemon.store import StoredMatch
from engine.facts import MatchStopped
from engine.games import game, variant
from engine.record import Refused, read_header, read_input
from engine.tally import Tally
from engine.throws import WholeMatch
from protocol.segment import Layout


class Part(Struct, frozen=True):
    """One player's part in a match. `won` is None where nobody could: the match was stopped."""

    player: str
    won: bool | None
    is_bot: bool
    tally: Tally


class Throw(NamedTuple):
    """A dart as it counts; `visit_points` is what its visit was worth in the game."""

    match: str
    at: str
    table: str
    game: str
    variant: str
    title: str
    set: int
    leg: int
    round: int
    visit: int
    player: str
    dart: int
    segment: str
    points: int
    visit_points: int


class PastMatch(WholeMatch):
    """A match of the past."""

    has_stop = False

    @property
    def title(self) -> str:
        """The name on the wall."""
        return self.game.title(self.options)

    @property
    def variant(self) -> str:
        """What was played, by its rules."""
        return variant(self.game, self.options)

    @property
    def was_stopped(self) -> bool:
        """It was abandoned, and no correction has made a winner since."""
        return self.has_stop and not self.position.winners

    def parts(self) -> tuple[Part, ...]:
        """What everybody made of it, once it is over."""
        position, stopped = self.position, self.was_stopped
        won = {seat for side in position.winners for seat in self.seating.sides[side].seats}
        return tuple(
            Part(
                player=player,
                won=None if stopped else seat in won,
                is_bot=self.header.bot(seat) is not None,
                tally=_without_legs(position.tallies[seat]) if stopped else position.tallies[seat],
            )
            for seat, player in enumerate(self.seating.players)
            if position.tallies[seat].darts or not stopped
        )


def played_again(stored: StoredMatch, face: Layout | None) -> PastMatch:
    """The match with all its lines, on this face if it can be. Raises ValueError with the reason when it cannot."""
    header = read_header(stored.header)
    chosen = game(header.game)
    match = PastMatch(header, chosen, header.seed or "", face=face if face and face.name in chosen.layouts else None)
    for line in stored.lines:
        outcome = match.apply(line.number, read_input(line.input))
        if not outcome.accepted:
            raise Refused(f"line {line.number} is refused: {outcome.reason}")
        match.has_stop |= any(isinstance(fact, MatchStopped) for fact in outcome.facts)
    return match


def throws(match: PastMatch, name: str, table: str, at: Mapping[int, str]) -> Iterator[Throw]:
    """Every dart that counts, in the order thrown; `at` says when a line was written."""
    played = match.variant
    for visit in match.visits():
        for place, dart in enumerate(visit.darts, 1):
            yield Throw(
                match=name,
                at=at.get(dart.line, ""),
                table=table,
                game=match.game.id,
                variant=played,
                title=match.title,
                set=visit.set,
                leg=visit.leg,
                round=visit.round,
                visit=visit.number,
                player=match.seating.players[visit.seat],
                dart=place,
                segment=dart.segment.id,
                points=dart.segment.points,
                visit_points=visit.points,
            )


def _without_legs(tally: Tally) -> Tally:
    counts = {name: n for name, n in tally.counts.items() if name not in ("legs", "legs_won")}
    return replace(tally, counts=counts, lows={name: n for name, n in tally.lows.items() if name != "leg"})
