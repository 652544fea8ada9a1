"""Halve-It and Bermuda scored a second time, naively, from their rule sheets. Nothing here knows the engine."""

from __future__ import annotations

from typing import Any

from tests.engine.naive import face

SEQUENCES = {
    "machine": (40, "15 16 D 17 18 T 19 20 B"),
    "bar": (0, "12 13 14 D 15 16 17 T 18 19 20 B"),
    "pub": (0, "20 19 T 18 D 17 16 3C 15 H 14 B"),
    "41": (40, "20 19 D 18 17 T 16 15 41 B"),
    "bermuda": (0, "12 13 14 D 15 16 17 T 18 19 20 B DB"),
}
CLOCK = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]
BLACK = {20, 18, 13, 10, 2, 3, 7, 8, 14, 12}


def colour(number: int, ring: int) -> str:
    """As on a bristle board."""
    if number == 25:
        return "green" if ring == 1 else "red"
    if ring == 1:
        return "black" if number in BLACK else "white"
    return "red" if number in BLACK else "green"


def visit(target: str, darts: list[str], options: dict[str, Any]) -> int:
    """What a visit brings; 0 halves."""
    faces = [face(dart) for dart in darts]
    value = [n * ring if n != 25 else 50 if ring == 2 or options["bull"] == "50/50" else 25 for n, ring in faces]
    if target in ("3C", "H", "41"):
        good = len(darts) == 3 and all(ring for _, ring in faces)
        if good and target == "3C":
            good = len({colour(*one) for one in faces}) == 3
        elif good and target == "H":
            at = [CLOCK.index(n) if n in CLOCK else 99 for n, _ in faces]
            good = 99 not in at and (at[1] - at[0]) % 20 == 2 and (at[2] - at[1]) % 20 == 2
        elif good:
            good = sum(value) == 41
        return sum(value) if good else 0
    total = 0
    for (number, ring), points in zip(faces, value, strict=True):
        if target == "T":
            counts = ring == 3
        elif target == "D":
            counts = ring == 2 and (number != 25 or options["bull_is_double"])
        elif target == "DB":
            counts = number == 25 and ring == 2
        else:
            counts = ring > 0 and number == (25 if target == "B" else int(target))
        total += points if counts else 0
    return total


class NaiveHalveIt:
    """A whole match, visit by visit; everybody for himself."""

    def __init__(self, sequence: str, options: dict[str, Any], players: int) -> None:
        start, targets = SEQUENCES[sequence]
        self.targets, self.options = targets.split(), options
        self.scores, self.halves = [start] * players, [0] * players
        self.cells: list[list[int | None]] = [[None] * len(self.targets) for _ in range(players)]
        self.round, self.throwing, self.queue = 1, list(range(players)), list(range(players))
        self.winners: list[int] = []

    @property
    def target(self) -> str:
        return self.targets[(self.round - 1) % len(self.targets)]

    def visit(self, darts: list[str]) -> int:
        side = self.queue.pop(0)
        points = visit(self.target, darts, self.options)
        if points:
            self.scores[side] += points
        else:
            whole, rest = divmod(self.scores[side], 2)
            self.scores[side] = whole + (rest if self.options["round_up"] else 0)
            self.halves[side] += 1
        self.cells[side][(self.round - 1) % len(self.targets)] = points
        if not self.queue:
            self._end_round()
        return points

    def _end_round(self) -> None:
        if self.round >= len(self.targets):
            tie = self.options["tie"]
            best = max(self.scores[side] for side in self.throwing)
            level = [side for side in self.throwing if self.scores[side] == best]
            if tie == "fewest_halves":
                least = min(self.halves[side] for side in level)
                level = [side for side in level if self.halves[side] == least]
            if len(level) == 1 or tie in ("share", "fewest_halves"):
                self.winners = level
            else:
                self.throwing = level
        self.round += 1
        self.queue = list(self.throwing)
