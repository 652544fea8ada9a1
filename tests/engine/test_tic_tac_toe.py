"""Tic-Tac-Toe against a scorer written a second time from the rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engine.naive import number_and_ring
from tests.engine.records import Record, header
from tests.engine.test_perft import naive_perft, perft, referee
from tests.sweep import sweep

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
        self.darts, self.ended, self.claimed, self.total = 0, False, 0, 0

    def throw(self, dart: str) -> None:
        self.darts += 1
        self.thrown[self.side] += 1
        number, ring = number_and_ring(dart)
        self.total += number * ring
        if number == 25 and self.options["bull_marks"] == "one":
            ring = min(ring, 1)
        cell = self.square.index(number) if number in self.square and self.options["numbers"] != "scores" else -1
        if cell >= 0 and self.owner[cell] == ".":
            for _ in range(ring):
                if self.marks[self.side][cell] < self.options["marks"]:
                    self.marks[self.side][cell] += 1
                    self.mpr_marks[self.side] += 1
            if self.marks[self.side][cell] == self.options["marks"]:
                self.claim(cell)
        if self.darts == 3 and self.options["numbers"] == "scores" and self.total in self.square:
            cell = self.square.index(self.total)
            if self.owner[cell] == ".":
                self.claim(cell)
        self.ended = self.ended or self.darts == 3

    def no_line_left(self) -> bool:
        return all(len({self.owner[int(at)] for at in win} - {"."}) == 2 for win in WINS)

    def claim(self, cell: int) -> None:
        self.owner = self.owner[:cell] + str(self.side) + self.owner[cell + 1 :]
        self.claimed += 1
        if any(all(self.owner[int(at)] == str(self.side) for at in win) for win in WINS):
            self.over, self.winners = True, [self.side]
        elif self.options["dead"] == "draw" and self.no_line_left():
            self.full = self.ended = True
            if self.options["full"] == "most":
                self.over, self.winners = True, [0, 1]
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


CLASSIC = [12, 20, 18, 11, 25, 6, 7, 3, 2]


def square(given: Record) -> list[int]:
    return [25 if cell["label"] == "B" else int(cell["label"]) for cell in given.match.panel().board["cells"]]


def makes_a_line(naive: NaiveTicTacToe, number: int) -> bool:
    after = [str(naive.side) if n == number else owner for n, owner in zip(naive.square, naive.owner, strict=True)]
    return any(all(after[int(at)] == str(naive.side) for at in win) for win in WINS)


def some_dart(naive: NaiveTicTacToe, shy: bool, chance: random.Random) -> str:
    """Those who are shy of lines fill the board."""
    if naive.options["numbers"] == "scores":
        free = [score for score, owner in zip(naive.square, naive.owner, strict=True) if owner == "."]
        left = [score - naive.total for score in free]
        if any(0 < short <= 20 for short in left) and chance.random() < 0.8:
            return f"S{chance.choice([short for short in left if 0 < short <= 20])}"
        return "MISS" if 0 in left else f"S{chance.randrange(1, 21)}"
    number = chance.choice(naive.square) if chance.random() < 0.6 else chance.randrange(21)
    if shy and makes_a_line(naive, number):
        return "MISS"
    return {0: "MISS", 25: chance.choice(["SB", "DB"])}.get(number, f"{chance.choice('TDSIO')}{number}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 1))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance, ended, again, by_count = random.Random(seed), 0, 0, 0
    for _ in range(50):
        shy = chance.random() < 0.5
        options = {
            "marks": chance.randrange(1, 3 if shy else 5),
            "numbers": chance.choice(["drawn", "classic", "scores"]),
            "bull_marks": chance.choice(["split", "one"]),
            "dead": chance.choice(["play_on", "draw"]),
            "full": chance.choice(["most", "again"]),
        }
        given = Record({**header("tic_tac_toe", options=options), "seed": str(chance.random())})
        numbers = square(given)
        assert numbers[4] == 25 or (options["numbers"] == "scores" and {*numbers} <= {*range(11, 61)})
        assert len({*numbers}) == 9
        assert numbers == CLASSIC or options["numbers"] != "classic"
        naive = NaiveTicTacToe(options, numbers)
        for _ in range(50):
            for _ in range(chance.randrange(3) if chance.random() < 0.1 else 3):
                if not naive.ended and not naive.over:
                    dart = some_dart(naive, shy, chance)
                    given.play({"throw": dart})
                    naive.throw(dart)
                    again += _same(given, naive)
            if naive.over:
                break
            given.play({"next": True})
            naive.next()
            again += _same(given, naive)
        ended += naive.over
        by_count += naive.full
    assert ended > 25
    assert again
    assert by_count


def _same(given: Record, naive: NaiveTicTacToe) -> bool:
    """The same board; a new one is taken over when the old one is full. Whether it was."""
    position, panel = given.match.position, given.match.panel()
    new = naive.full and not naive.over
    if new:
        assert square(given) == CLASSIC or naive.options["numbers"] != "classic"
        naive.lay(square(given))
    cells = panel.board["cells"]
    assert [cell["owner"] for cell in cells] == [{".": None, "0": 0, "1": 1}[owner] for owner in naive.owner]
    assert [cell["marks"] for cell in cells] == [[*marks] for marks in zip(*naive.marks, strict=True)]
    assert [given.match.score(side) for side in (0, 1)] == [naive.owner.count(side) for side in "01"]
    assert list(position.winners) == naive.winners
    for side in (0, 1):
        marks, darts = naive.mpr_marks[side], naive.thrown[side]
        assert panel.detail[side]["mpr"] == (round(3 * marks / darts, 2) if darts else 0)
    if not naive.over:
        assert position.visit.side == naive.side
        assert position.visit.points == naive.claimed
        assert position.phase == ("takeout" if naive.ended else "throwing")
    return new


@pytest.mark.parametrize(("marks", "leaves", "distinct"), [(1, 934, 26), (3, 1024, 102)])
def test_a_golden_count(marks: int, leaves: int, distinct: int) -> None:
    darts, depth = ("S12", "T20", "D18", "MISS"), 5
    options = {"marks": marks, "numbers": "classic", "full": "most", "bull_marks": "split", "dead": "play_on"}
    rules = referee("tic_tac_toe", options)
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.owners, p.state.marks, p.winners) for p in found]
    assert sorted((owners.count(0), owners.count(1), winners) for owners, _, winners in seen) == sorted(
        (one.owner.count("0"), one.owner.count("1"), tuple(one.winners))
        for one in naive_perft(NaiveTicTacToe(options, CLASSIC), darts, depth)
    )
    assert (len(seen), len(set(seen))) == (leaves, distinct)
