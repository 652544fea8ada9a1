"""Killer and Blind Killer scored a second time, naively, from their rule sheets."""

from __future__ import annotations

from typing import Any

from tests.engine.naive import face
from tests.engine.naive_lives import Table


class NaiveKiller(Table):
    """Everybody's number, lives and killing; with drawn numbers these must be given."""

    def __init__(self, people: int, options: dict[str, Any], drawn: list[int] | None = None) -> None:
        self.number: list[int | None] = [*drawn] if drawn else [None] * people
        self.lives, self.killer, self.taken = [options["lives"]] * people, [False] * people, [0] * people
        super().__init__(people, options)

    def starters(self) -> list[int]:
        return [side for side in self.left if self.number[side] is None] or self.left

    def counts(self, ring: int) -> int:
        """The lives that a dart takes."""
        wanted = self.options["ring"]
        if wanted == "any":
            return ring if self.options["multi"] == "ring" else 1
        return int(ring == {"double": 2, "triple": 3}[wanted])

    def lose(self, side: int, lives: int) -> None:
        for _ in range(lives):
            if self.lives[side]:
                self.lives[side] -= 1
                self.taken[self.side] += side != self.side
        if not self.lives[side]:
            self.out[side] = True
            self.ended |= side == self.side
            self.end_if_alone()

    def dart(self, dart: str) -> None:
        self.end_if_alone()
        if self.over:
            return
        number, ring = face(dart)
        if self.number[self.side] is None:
            if 1 <= number <= 20 and number not in self.number:
                self.number[self.side] = number
                self.ended = True
            return
        hit = [side for side in self.left if self.number[side] == number]
        if hit and self.counts(ring):
            self.hit(hit[0], self.counts(ring))

    def hit(self, side: int, lives: int) -> None:
        me = self.side
        if side != me:
            if self.killer[me]:
                self.lose(side, lives)
        elif not self.killer[me]:
            self.killer[me] = True
        elif self.options["self_hit"] == "life":
            self.lose(me, lives)
        elif self.options["self_hit"] == "lose_killer":
            self.killer[me] = False


class NaiveBlindKiller(Table):
    """Lives of numbers; `owner` is by number, and decoys are not in it."""

    def __init__(self, people: int, options: dict[str, Any], numbers: list[int], owner: dict[int, int]) -> None:
        self.lives, self.owner = dict.fromkeys(numbers, options["lives"]), owner
        self.taken = [0] * people
        super().__init__(people, options)

    def dart(self, dart: str) -> None:
        self.end_if_alone()
        number = face(dart)[0]
        if self.over or not self.lives.get(number):
            return
        self.lives[number] -= 1
        self.taken[self.side] += 1
        if not self.lives[number] and number in self.owner:
            dead = self.owner[number]
            self.out[dead] = True
            self.ended |= dead == self.side
            self.end_if_alone()

    def told(self, number: int) -> int | None:
        """The owner that everybody may know."""
        return self.owner.get(number) if self.over or not self.lives[number] else None
