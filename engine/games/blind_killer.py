"""Blind Killer: everybody can hit every number, and nobody knows whose it is but the one whose it is.

All that is public follows from the darts: the numbers in play, sorted, and their lives. The number on the wall is the
lives that a side's darts have taken; what it has left would tell which number is its own. An owner is told when the
number is dead, and the others when the leg is won.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.facts import Eliminated, Fact
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.survival import Lives, last_in
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How many lives a number has, and how many numbers are nobody's."""

    lives: Lives = 3
    decoys: Annotated[int, Meta(ge=0, le=18)] = 3


class State(Struct, frozen=True):
    """The `numbers` in play, their `lives`, and the secret: their `owners` (None: a decoy).

    `sides` are the sides of the seats, `taken` the lives that each side's darts have taken. `open`: the leg is won,
    and everybody may see everything.
    """

    options: Options
    numbers: tuple[int, ...]
    lives: tuple[int, ...]
    owners: tuple[int | None, ...]
    sides: tuple[int, ...]
    taken: tuple[int, ...]
    open: bool = False

    def seen(self, seat: int | None, turn: Turn) -> tuple[int | None, ...]:
        """The owners of the numbers as far as this seat may know them: all of them, when nobody else is left."""
        mine = None if seat is None else self.sides[seat]
        is_open = self.open or len(turn.playing) == 1
        return tuple(
            owner if is_open or not lives or owner == mine else None
            for owner, lives in zip(self.owners, self.lives, strict=True)
        )


class BlindKiller(Game[Options, State]):
    """Numbers are drawn in secret and every hit takes a life: whose it was is told when it dies.

    Luck draws a number for every side, which it alone is shown, and three more that are nobody's (option `decoys`: 0 to
    18, as far as the twenty numbers go). All of them stand on the board with three lives each (option `lives`: 1 to 9).

    Any dart in a number takes one of its lives, in whatever ring, and whoever throws it: with an own number somebody
    may lead the others astray. When a number has no life left its owner is told, and is out; if nobody is, it was a
    decoy. A dart anywhere else does nothing.

    The last one in wins, and then all numbers are told. The number on the wall is the lives that a side's darts have
    taken, of whomever: it decides nothing. The members of a team share one number and take turns. A side that leaves is
    out, and its number stays in play; when one side is left by that, it has won.

    Source: Blind Killer as pub leagues play it.
    """

    id = "blind_killer"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Blind Killer"

    def resolve(self, options: Options, seating: Seating) -> Options:
        if (numbers := len(seating.sides) + options.decoys) > 20:
            raise ValueError(f"{len(seating.sides)} sides and {options.decoys} decoys need {numbers} numbers of 20")
        return options

    def has_secrets(self, options: Options) -> bool:
        return True

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        drawn = luck.shuffled("number", range(1, 21))
        numbers = tuple(sorted(drawn[: count + options.decoys]))
        owners = tuple(owner if (owner := drawn.index(number)) < count else None for number in numbers)
        seats = {seat: index for index, side in enumerate(seating.sides) for seat in side.seats}
        sides = tuple(seats[seat] for seat in range(len(seating.players)))
        return State(options, numbers, (options.lives,) * len(numbers), owners, sides, (0,) * count)

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return self._judged(state, turn)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        before = self._judged(state, turn)
        hit = next((at for at, number in enumerate(state.numbers) if number == segment.value and state.lives[at]), None)
        if hit is None or before.winners is not None:
            return before
        left, owner = state.lives[hit] - 1, state.owners[hit]
        lives, taken = put(state.lives, hit, left), put(state.taken, turn.side, state.taken[turn.side] + 1)
        told: tuple[Fact, ...] = () if left or owner not in turn.playing else (Eliminated(side=owner),)
        step = self._judged(replace(state, lives=lives, taken=taken), turn)
        return replace(step, facts=told, points=turn.points + 1, ends_visit=not left and owner == turn.side)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return self._judged(state, turn)

    def out(self, state: State) -> frozenset[int]:
        return frozenset(
            owner for owner, left in zip(state.owners, state.lives, strict=True) if owner is not None and not left
        )

    def score(self, state: State, side: int) -> int:
        return state.taken[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        seen = state.seen(seat, turn)
        numbers = {owner: number for owner, number in zip(seen, state.numbers, strict=True) if owner is not None}
        detail = tuple(
            {"number": numbers.get(side), "per_visit": tally.average} for side, tally in enumerate(turn.tallies)
        )
        cells = [
            {"label": str(number), "owner": owner, "lives": left}
            for number, owner, left in zip(state.numbers, seen, state.lives, strict=True)
        ]
        board = {"columns": 5, "cells": cells, "lives": state.options.lives}
        return Panel("grid", detail, targets=self._alive(state) if turn.darts_left else (), board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        """At numbers that are nearly dead, away from the own one: the rest is nobody's to know."""
        if not turn.darts_left:
            return Advice()
        seen, mine = state.seen(seat, turn), state.sides[seat]
        worth = {
            number: (-2 if owner == mine else 1) / left
            for number, owner, left in zip(state.numbers, seen, state.lives, strict=True)
            if left
        }
        return Advice(
            aim=skill.best(lambda bed: worth.get(bed.value, 0.0), among=[f"O{label}" for label in self._alive(state)])
        )

    def _alive(self, state: State) -> tuple[str, ...]:
        return tuple(str(number) for number, left in zip(state.numbers, state.lives, strict=True) if left)

    def _judged(self, state: State, turn: Turn) -> Step[State]:
        """With everything told, when one side is left."""
        winners = last_in(self.out(state), turn)
        return Step(replace(state, open=state.open or winners is not None), winners=winners)


GAMES = (BlindKiller(),)
