"""Shanghai, baseball and golf scored a second time, naively, from their rule sheets. Nothing here knows the engine.

A match is a list of visits by side; what stands on the sheet and who has won is worked out from all of them each time.
"""

from __future__ import annotations

from typing import Any

from tests.engine.naive import face

Visits = list[list[list[str]]]
"""Darts by side and round."""


def shanghai_cell(options: dict[str, Any], round: int, darts: list[str]) -> tuple[int, bool]:
    """Points of a visit, and whether it wins at once."""
    number = options["start"] + round - 1
    rings = [ring for n, ring in map(face, darts) if n == number]
    points, is_shanghai = number * sum(rings), sorted(rings) == [1, 2, 3]
    if is_shanghai and options["shanghai"] == "bonus":
        points += options["bonus"]
    return points, is_shanghai and options["shanghai"] == "wins"


def shanghai(options: dict[str, Any], visits: Visits) -> tuple[list[list[int]], list[int] | None]:
    """The sheet and the winners, None while it goes on."""
    sheet: list[list[int]] = [[] for _ in visits]
    last = min(options["rounds"], 21 - options["start"])
    for round in range(1, last + 1):
        for side, mine in enumerate(visits):
            if len(mine) < round:
                return sheet, None
            points, wins = shanghai_cell(options, round, mine[round - 1])
            sheet[side].append(points)
            if wins:
                return sheet, [side]
    return sheet, [side for side, row in enumerate(sheet) if sum(row) == max(map(sum, sheet))]


def baseball_cell(options: dict[str, Any], round: int, darts: list[str]) -> int:
    """Runs of a visit."""
    number = round if round <= options["innings"] else 25
    return sum(ring for n, ring in map(face, darts) if n == number)


def golf_cell(options: dict[str, Any], round: int, darts: list[str]) -> int:
    """Strokes of a visit."""
    hole = round if round <= 20 else round - 20
    if options["scoring"] == "hole_out":
        return len(darts)
    strokes = []
    for dart in darts:
        number, ring = face(dart)
        if number != hole:
            strokes.append(5)
        elif options["scoring"] == "maker":
            strokes.append({3: 1, 2: 2, 1: 3}[ring])
        else:
            strokes.append({2: 1, 3: 2, 1: 3 if dart[0] == "I" else 4}[ring])
    return min(strokes) if options["scoring"] == "maker" else strokes[-1]


def golf_is_done(options: dict[str, Any], round: int, darts: list[str]) -> bool:
    """May no dart follow?"""
    if options["scoring"] != "hole_out":
        return len(darts) == 3 or golf_cell(options, round, darts) == 1
    hole = round if round <= 20 else round - 20
    return sum(ring for n, ring in map(face, darts) if n == hole) >= 3 or len(darts) == options["limit"]


class NaiveRounds:
    """Baseball and golf: a match round by round, with a playoff of those who are level."""

    def __init__(self, game: str, options: dict[str, Any], players: int) -> None:
        self.game, self.options = game, options
        self.rounds = options["innings"] if game == "baseball" else options["holes"]
        self.extra = options["extra_innings"] if game == "baseball" else options["playoff"]
        self.sheet: list[list[int]] = [[] for _ in range(players)]
        self.round, self.alive, self.queue = 1, list(range(players)), list(range(players))
        self.winners: list[int] = []

    def visit(self, darts: list[str]) -> int:
        cell = baseball_cell if self.game == "baseball" else golf_cell
        side = self.queue.pop(0)
        self.sheet[side].append(cell(self.options, self.round, darts))
        if not self.queue:
            best = (max if self.game == "baseball" else min)(sum(self.sheet[side]) for side in self.alive)
            if self.round >= self.rounds:
                self.alive = [s for s in self.alive if sum(self.sheet[s]) == best]
                if len(self.alive) == 1 or self.round == self.rounds + self.extra:
                    self.winners = self.alive
            self.round += 1
            self.queue = list(self.alive)
        return self.sheet[side][-1]
