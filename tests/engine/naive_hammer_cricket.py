"""Hammer Cricket scored a second time, from its rule sheet."""

from __future__ import annotations

from typing import Any

from tests.engine.naive import face
from tests.engine.naive_drills import Rounds


class NaiveHammer(Rounds):
    """Eight rounds and one more when the lead is shared; the wild numbers are read off the board."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.marks = [0] * len(teams)
        self.cells: list[list[int]] = [[] for _ in teams]
        self.number = 0

    def told(self, state: dict[str, Any]) -> None:
        label = state["board"]["rows"][state["board"]["row"]]
        wanted = ["20", "19", "18", "WILD", "17", "16", "15", "WILD", "WILD"][self.round - 1]
        assert label.split()[0] == wanted
        number = label.split()[-1]
        if self.side == next(side for side, out in enumerate(self.out) if not out):
            self.number = 25 if number == "B" else int(number)
        assert number == ("B" if self.number == 25 else str(self.number)), "not the same for all"
        assert wanted != "WILD" or self.number in (12, 13, 14, 15, 16, 17, 18, 19, 20, 25)

    def score_visit(self, side: int, darts: list[str]) -> int:
        times = [1, 3, 5] if self.round >= 8 else [1, 2, 3]
        self.worth, any_hit = 0, False
        for dart, factor in zip(darts, times, strict=True):
            number, ring = face(dart)
            if number != self.number or not ring:
                continue
            if self.options["masters"] and dart != "DB" and ring != 3:
                continue
            any_hit = True
            self.worth += number * ring * factor
            self.marks[side] += ring
        if not any_hit:
            self.worth = -3 * self.number
        self.scores[side] += self.worth
        self.cells[side].append(self.worth)
        return 3

    def end_round(self) -> None:
        if self.round < 8:
            return
        sides = [side for side, out in enumerate(self.out) if not out]
        best = max(self.scores[side] for side in sides)
        level = [side for side in sides if self.scores[side] == best]
        if len(level) > 1 and self.round == 8:
            self.out = [side not in level for side in range(len(self.teams))]
            return
        marks = max(self.marks[side] for side in level)
        self.end([side for side in level if self.marks[side] == marks])

    def detail(self, side: int) -> dict[str, Any]:
        cells = [*self.cells[side], *[None] * (max(8, self.round) - len(self.cells[side]))]
        return {"cells": cells, "mpr": round(3 * self.marks[side] / (3 * len(self.cells[side])), 2)}
