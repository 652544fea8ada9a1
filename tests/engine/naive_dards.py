"""Dards scored a second time, naively, from the rules page: what the engine is compared with."""

from __future__ import annotations

from typing import Any

WHEEL = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
DECK = {f"{rank}{suit}" for rank in ["A", *map(str, range(2, 11)), "J", "Q", "K"] for suit in "HDCS"}


class Naive:
    """The rules page as bookkeeping; it is told the cards, and does not know who holds which."""

    def __init__(self, sides: int, mode: str, wild: bool, options: dict[str, Any]) -> None:  # Any: JSON
        self.sides, self.options, self.wants_wild = sides, options, wild
        if mode == "rapid":
            self.rounds = [(51 if wild else 52) // sides]
        else:
            each = 51 // sides
            self.rounds = [each // 3] * 3
            for extra in range(each % 3):
                self.rounds[extra] += 1
        self.place, self.wild_rank = 0, ""
        self.top, self.original, self.times = "", "", 0
        self.total, self.this_round = [0] * sides, [0] * sides
        self.left = [self.rounds[0]] * sides
        self.order, self.waiting = list(range(sides)), list(range(sides))
        self.round, self.over = 0, False

    @property
    def side(self) -> int:
        return self.waiting[0]

    def draw_wild(self, card: str) -> None:
        self.wild_rank = card[:-1]
        self.move(card)

    def move(self, card: str) -> None:
        paces = {"A": self.options.get("ace", 1), "J": 11, "Q": 12, "K": 13}.get(card[:-1]) or int(card[:-1])
        for _ in range(paces):
            self.place += 1 if card[-1] in "HD" else -1
            self.place %= 20

    def lay(self, card: str) -> tuple[int, int]:
        self.move(card)
        rank = card[:-1]
        if rank in (self.wild_rank, self.original):
            self.times += 1
        else:
            self.original, self.times = rank, 1
        self.top = card
        self.left[self.side] -= 1
        return WHEEL[self.place], self.multiplier

    @property
    def multiplier(self) -> int:
        return max(self.times, 1) if self.options.get("double_up", True) else 1

    def throw(self, darts: list[str]) -> int:
        """Scores the visit. Whose turn it is then, and the new round, come with `next`."""
        worth = 0
        for dart in darts:
            if dart[1:] == str(WHEEL[self.place]):
                worth += WHEEL[self.place] * (3 if dart[0] == "T" else 2 if dart[0] == "D" else 1)
        worth *= self.multiplier
        self.total[self.side] += worth
        self.this_round[self.side] += worth
        self.over = len(self.waiting) == 1 and not any(self.left) and self.round == len(self.rounds) - 1
        return worth

    def next(self) -> None:
        self.waiting.pop(0)
        if self.waiting:
            return
        if not any(self.left):
            points = self.total if self.options.get("order") == "total" else self.this_round
            ranked: list[int] = []
            for value in sorted(set(points), reverse=True):
                ranked += [side for side in self.order if points[side] == value]
            self.order = ranked
            self.round += 1
            self.this_round = [0] * self.sides
            self.left = [self.rounds[self.round]] * self.sides
            if self.options.get("chain_resets"):
                self.top, self.original, self.times = "", "", 0
        self.waiting = list(self.order)
