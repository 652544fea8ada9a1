"""Tic-Tac-Toe scored a second time, naively, from its rule sheet."""

from __future__ import annotations

from typing import Any

from tests.engine.naive import face

WINS = ("012", "345", "678", "036", "147", "258", "048", "246")


class NaiveTicTacToe:
    """Two sides; the square is a list of nine numbers, 25 in the centre."""

    def __init__(self, options: dict[str, Any], square: list[int]) -> None:
        self.options, self.side, self.over, self.winners = options, 0, False, list[int]()
        self.mpr_marks, self.thrown = [0, 0], [0, 0]
        self.lay(square)
        self.new_visit()

    def lay(self, square: list[int]) -> None:
        self.square, self.owner, self.full = square, "." * 9, False
        self.marks = [[0] * 9, [0] * 9]

    def new_visit(self) -> None:
        self.darts, self.ended, self.claimed = 0, False, 0

    def throw(self, dart: str) -> None:
        self.darts += 1
        self.thrown[self.side] += 1
        number, ring = face(dart)
        cell = self.square.index(number) if number in self.square else -1
        if cell >= 0 and self.owner[cell] == ".":
            for _ in range(ring):
                if self.marks[self.side][cell] < self.options["marks"]:
                    self.marks[self.side][cell] += 1
                    self.mpr_marks[self.side] += 1
            if self.marks[self.side][cell] == self.options["marks"]:
                self.claim(cell)
        self.ended = self.ended or self.darts == 3

    def claim(self, cell: int) -> None:
        self.owner = self.owner[:cell] + str(self.side) + self.owner[cell + 1 :]
        self.claimed += 1
        if any(all(self.owner[int(at)] == str(self.side) for at in win) for win in WINS):
            self.over, self.winners = True, [self.side]
        elif "." not in self.owner:
            self.full = self.ended = True
            if self.options["full"] == "most":
                self.over, self.winners = True, [0 if self.owner.count("0") > 4 else 1]

    def next(self) -> None:
        while not self.ended and not self.over:
            self.throw("MISS")
        if not self.over:
            self.side = 1 - self.side
            self.new_visit()
