"""Blind Killer: every number belongs to a side in secret, and only that side knows it.

All that is public follows from the darts: the numbers in play, sorted, and their lives. The score of a side is the
lives that its darts have taken: the lives that it has left would give its number away. An owner is revealed when the
number is dead, the others when the leg is won.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Eliminated, Fact, Game, LifeLost, Panel, Seating, Step, Turn, put
from engine.games.survival import Lives, last_in
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`lives` of each number; `decoys`: how many numbers belong to no side."""

    lives: Lives = 3
    decoys: Annotated[int, Meta(ge=0, le=18)] = 3


class BlindKillerState(Struct, frozen=True):
    """The `numbers` in play, their `lives`, and the secret: their `owners` (None: a decoy).

    `sides` are the sides of the seats, `taken` the lives that each side's darts have taken. `open`: the leg is won, and
    all may see the owners.
    """

    options: Options
    numbers: tuple[int, ...]
    lives: tuple[int, ...]
    owners: tuple[int | None, ...]
    sides: tuple[int, ...]
    taken: tuple[int, ...]
    open: bool = False

    def seen(self, seat: int | None, turn: Turn) -> tuple[int | None, ...]:
        """The owners of the numbers as far as this seat may know them; all of them when the leg is won."""
        mine = None if seat is None else self.sides[seat]
        is_open = self.open or len(turn.playing) == 1
        return tuple(
            owner if is_open or not lives or owner == mine else None
            for owner, lives in zip(self.owners, self.lives, strict=True)
        )


class BlindKiller(Game[Options, BlindKillerState]):
    """Every hit takes a life from a secret number; its owner is named when the last one goes.

    Each side draws a number that only it can see. Three more numbers are decoys and belong to nobody (`Decoys`: 0 to
    18, as far as the twenty numbers go). All of these numbers stand on the board with three lives each (`Lives`: 1 to
    9).

    Any dart in one of these numbers takes one of its lives, in any ring and from any side. You may hit your own number
    to mislead the others. When a number has no life left, its owner is named and is out; a decoy has no owner. A dart
    anywhere else does nothing.

    The last side left wins, and then all numbers are shown. The lives that a side's darts have taken are counted,
    including its own; they decide nothing. The members of a team share one number and take turns. A side that leaves is
    out, but its number stays in play. When only one side is left, that side has won.

    Source: a house rule of oche, after the Blind Killers of deadeyedarts.com, which begin at the bull.
    """

    id = "blind_killer"
    group = "lives"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Blind Killer"

    def resolve(self, options: Options, seating: Seating) -> Options:
        if (numbers := len(seating.sides) + options.decoys) > 20:
            raise Refusal(
                say(
                    "blind_killer.too_many",
                    "each side and each decoy needs one of 20 numbers, and together they are {numbers}",
                    numbers=numbers,
                )
            )
        return options

    def has_secrets(self, options: Options) -> bool:
        return True

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> BlindKillerState:
        count = len(seating.sides)
        drawn = luck.shuffled("number", range(1, 21))
        numbers = tuple(sorted(drawn[: count + options.decoys]))
        owners = tuple(owner if (owner := drawn.index(number)) < count else None for number in numbers)
        seats = {seat: index for index, side in enumerate(seating.sides) for seat in side.seats}
        sides = tuple(seats[seat] for seat in range(len(seating.players)))
        return BlindKillerState(options, numbers, (options.lives,) * len(numbers), owners, sides, (0,) * count)

    def begin(self, state: BlindKillerState, turn: Turn, luck: Luck) -> Step[BlindKillerState]:
        return self._close_leg(state, turn)

    def dart(self, state: BlindKillerState, segment: Segment, turn: Turn, luck: Luck) -> Step[BlindKillerState]:
        before = self._close_leg(state, turn)
        hit = next((at for at, number in enumerate(state.numbers) if number == segment.value and state.lives[at]), None)
        if hit is None or before.winners is not None:
            return before
        left, owner = state.lives[hit] - 1, state.owners[hit]
        lives, taken = put(state.lives, hit, left), put(state.taken, turn.side, state.taken[turn.side] + 1)
        told: tuple[Fact, ...] = (LifeLost(side=None if left else owner, lives=1, target=str(state.numbers[hit])),)
        if not left and owner in turn.playing:
            told = (*told, Eliminated(side=owner))
        step = self._close_leg(replace(state, lives=lives, taken=taken), turn)
        return replace(step, facts=told, points=turn.points + 1, ends_visit=not left and owner == turn.side)

    def visit_over(self, state: BlindKillerState, turn: Turn, luck: Luck) -> Step[BlindKillerState]:
        return self._close_leg(state, turn)

    def out(self, state: BlindKillerState) -> frozenset[int]:
        return frozenset(
            owner for owner, left in zip(state.owners, state.lives, strict=True) if owner is not None and not left
        )

    def score(self, state: BlindKillerState, side: int) -> int:
        return state.taken[side]

    def view(self, state: BlindKillerState, turn: Turn, seat: int | None) -> Panel:
        seen = state.seen(seat, turn)
        numbers = {owner: number for owner, number in zip(seen, state.numbers, strict=True) if owner is not None}
        detail = tuple(
            {"number": numbers.get(side), "per_visit": tally.average} for side, tally in enumerate(turn.tallies)
        )
        cells = [
            {"label": str(number), "owner": owner, "lives": left}
            for number, owner, left in zip(state.numbers, seen, state.lives, strict=True)
        ]
        board = {"columns": 5, "cells": cells, "lives": state.options.lives, "unit": "lives_taken", "secret": True}
        return Panel("grid", detail, targets=self._alive(state) if turn.darts_left else (), board=board)

    def task(self, state: BlindKillerState, turn: Turn, panel: Panel) -> Sentence:
        return say(
            "blind_killer.hit",
            "Hit a lit number, not your own secret one (see Hands); the last owner alive wins",
        )

    def advise(self, state: BlindKillerState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """At numbers that are nearly dead, but not at its own. It does not know the owners of the others."""
        seen, mine = state.seen(seat, turn), state.sides[seat]
        worth = {
            number: (-2 if owner == mine else 1) / left
            for number, owner, left in zip(state.numbers, seen, state.lives, strict=True)
            if left
        }
        return Advice(
            aim=skill.best(lambda bed: worth.get(bed.value, 0.0), among=[f"O{label}" for label in self._alive(state)])
        )

    def _alive(self, state: BlindKillerState) -> tuple[str, ...]:
        return tuple(str(number) for number, left in zip(state.numbers, state.lives, strict=True) if left)

    def _close_leg(self, state: BlindKillerState, turn: Turn) -> Step[BlindKillerState]:
        """With everything told, when one side is left."""
        winners = last_in(self.out(state), turn)
        return Step(replace(state, open=state.open or winners is not None), winners=winners)


GAMES = (BlindKiller(),)
