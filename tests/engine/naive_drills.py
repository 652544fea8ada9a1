"""The drills scored a second time, from their rule sheets: lists and loops over darts, nothing of the engine.

Each takes a visit of three darts and says how many of them were thrown; whose turn it is comes from `Rounds`.
"""

from __future__ import annotations

from typing import Any

from tests.engine.naive import CLOCK, number_and_ring

AROUND = [*CLOCK[1:], 20]


class Rounds:
    """Sides that throw one after the other, round by round; a side that is out is passed over."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        self.options, self.teams = options, teams
        self.round, self.side = 1, 0
        self.turns = [0] * len(teams)
        self.scores = [0] * len(teams)
        self.out = [False] * len(teams)
        self.over = False
        self.winners: list[int] = []
        self.worth = 0
        """What the latest visit came to."""

    @property
    def seat(self) -> int:
        team = self.teams[self.side]
        return team[self.turns[self.side] % len(team)]

    def told(self, state: dict[str, Any]) -> None:
        """What the luck of a round was, read off the board before a visit."""

    def visit(self, darts: list[str]) -> int:
        used = self.score_visit(self.side, darts)
        self.turns[self.side] += 1
        if not self.over:
            self.go_on()
        return used

    def go_on(self) -> None:
        while True:
            self.side += 1
            if self.side == len(self.teams):
                self.end_round()
                if self.over:
                    return
                self.side, self.round = 0, self.round + 1
            if not self.out[self.side]:
                return

    def end(self, winners: list[int]) -> None:
        self.over, self.winners = True, winners

    def highest(self, rank: list[Any]) -> list[int]:
        return [side for side in range(len(self.teams)) if rank[side] == max(rank)]

    def score_visit(self, side: int, darts: list[str]) -> int:
        raise NotImplementedError

    def end_round(self) -> None:
        """Ends a match of so many rounds."""
        if self.round == self.options["rounds"]:
            self.end(self.highest(self.scores))

    def detail(self, side: int) -> dict[str, Any]:
        """What a side has beside its score."""
        return {}

    def end_with_fewest(self, done: list[int], darts: list[int]) -> None:
        """Of the sides that are done, those with the fewest darts have won."""
        fewest = min(darts[side] for side in done)
        self.end([side for side in done if darts[side] == fewest])


class NaiveBobs(Rounds):
    """Bob's 27."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.scores = [27] * len(teams)
        self.cells: list[list[int]] = [[] for _ in teams]
        self.lasted = [0] * len(teams)
        self.hit, self.thrown = [0] * len(teams), [0] * len(teams)

    def score_visit(self, side: int, darts: list[str]) -> int:
        target = "DB" if self.round == 21 else f"D{self.round}"
        value = 50 if self.round == 21 else self.round * 2
        hits = darts.count(target)
        self.worth = hits * value if hits else -value
        self.scores[side] += self.worth
        self.cells[side].append(self.worth)
        self.hit[side] += hits
        self.thrown[side] += 3
        self.lasted[side] = self.round
        if self.scores[side] <= 0 and not self.options["allow_negative"]:
            self.out[side] = True
        return 3

    def end_round(self) -> None:
        if self.round < 21 and not all(self.out):
            return
        if self.teams == [self.teams[0]] and self.out[0]:
            self.end([])
        else:
            self.end(self.highest([(not self.out[s], self.lasted[s], self.scores[s]) for s in range(len(self.teams))]))

    def detail(self, side: int) -> dict[str, Any]:
        cells: list[Any] = [*self.cells[side]]
        while len(cells) < 21:
            cells.append(None)
        return {"cells": cells, "hits": [self.hit[side], self.thrown[side]]}


class NaiveFourTwenty(Rounds):
    """420."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.scores = [420] * len(teams)

    def score_visit(self, side: int, darts: list[str]) -> int:
        order = AROUND if self.options["order"] == "clockwise" else sorted(AROUND)
        self.worth = 0
        for dart in darts:
            if self.round == 21 and dart == "DB":
                self.worth += 50
            if self.round < 21 and dart == f"D{order[self.round - 1]}":
                self.worth += 2 * order[self.round - 1]
        self.scores[side] -= self.worth
        return 3

    def end_round(self) -> None:
        if self.round == 21:
            self.end(self.highest([-score for score in self.scores]))


class NaiveJdc(Rounds):
    """The JDC Challenge."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.cells: list[list[int]] = [[] for _ in teams]

    def score_visit(self, side: int, darts: list[str]) -> int:
        self.worth = 0
        if 7 <= self.round <= 13:
            for place, dart in enumerate(darts):
                number = (self.round - 7) * 3 + place + 1
                if number == 21 and dart == "DB":
                    self.worth += 100 if self.options["bull_bonus"] else 50
                elif number < 21 and dart == f"D{number}":
                    self.worth += 50
        else:
            number = self.round + 9 if self.round < 7 else self.round + 1
            rings = [ring for n, ring in map(number_and_ring, darts) if n == number]
            self.worth = sum(ring * number for ring in rings)
            if 1 in rings and 2 in rings and 3 in rings:
                self.worth += 100
        self.scores[side] += self.worth
        self.cells[side].append(self.worth)
        return 3

    def end_round(self) -> None:
        if self.round == 19:
            self.end(self.highest(self.scores))

    def detail(self, side: int) -> dict[str, Any]:
        cells = [*self.cells[side], *[None] * (19 - len(self.cells[side]))]
        return {"shirt": find_shirt(self.scores[side]), "cells": cells}


def find_shirt(score: int) -> str:
    """The colour that a score of the JDC Challenge is worth."""
    shirt = "white"
    for least, colour in [(150, "purple"), (300, "yellow"), (450, "green"), (600, "blue"), (700, "red")]:
        if score >= least:
            shirt = colour
    return "black" if score > 849 else shirt


class NaiveA1(Rounds):
    """The A1 drill."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        numbers = [13, 14, 15, 16, 17, 18, 19, 20]
        self.numbers = [*(numbers if options["order"] == "up" else reversed(numbers)), 25]
        self.marks = [[0] * 9 for _ in teams]
        self.place = [0] * len(teams)
        self.darts = [0] * len(teams)

    def score_visit(self, side: int, darts: list[str]) -> int:
        need, marks, number = self.options["hits"], self.marks[side], self.numbers[self.place[side]]
        in_it = used = self.worth = 0
        for dart in darts:
            used += 1
            if number_and_ring(dart)[1] and number_and_ring(dart)[0] == number:
                in_it += 1
                if in_it == 2:
                    self.worth = 1
                    marks[self.place[side]] += 1
                    if min(marks) == need:
                        break
        self.darts[side] += used
        self.scores[side] = sum(marks)
        if min(marks) < need:
            self.place[side] = (self.place[side] + 1) % 9
            while marks[self.place[side]] == need:
                self.place[side] = (self.place[side] + 1) % 9
        return used

    def end_round(self) -> None:
        done = [side for side, marks in enumerate(self.marks) if min(marks) == self.options["hits"]]
        if done:
            self.end_with_fewest(done, self.darts)
        else:
            super().end_round()

    def detail(self, side: int) -> dict[str, Any]:
        return {"marks": self.marks[side], "darts": self.darts[side]}


class NaiveTraining(Rounds):
    """Segment training. What a target means is a list of beds, written out."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.darts, self.run, self.best = [0] * len(teams), [0] * len(teams), [0] * len(teams)
        self.target = options["target"]
        self.drawn = 0

    def told(self, state: dict[str, Any]) -> None:
        if not self.options["target"].startswith("random"):
            return
        told = state["board"]["target"]
        numbers = [str(n) for n in range(1, 21)]
        pools = {
            "random": [*numbers, "bull"],
            "random_double": [*("D" + n for n in numbers), "DB"],
            "random_triple": ["T" + n for n in numbers],
        }
        assert told in pools[self.options["target"]]
        assert self.drawn != self.round or told == self.target, "the target changed within a round"
        self.target, self.drawn = told, self.round

    def score_visit(self, side: int, darts: list[str]) -> int:
        used = self.worth = 0
        for dart in darts:
            used += 1
            self.darts[side] += 1
            if dart in find_beds(self.target):
                self.worth += 1
                self.scores[side] += 1
                self.run[side] += 1
                self.best[side] = max(self.best[side], self.run[side])
            else:
                self.run[side] = 0
            if (self.scores if self.options["until"] == "hits" else self.darts)[side] == self.options["count"]:
                break
        return used

    def end_round(self) -> None:
        count = self.options["count"]
        if self.options["until"] == "darts":
            if self.darts[0] == count:
                self.end(self.highest(self.scores))
            return
        done = [side for side, hits in enumerate(self.scores) if hits == count]
        if done:
            self.end_with_fewest(done, self.darts)
        else:
            super().end_round()

    def detail(self, side: int) -> dict[str, Any]:
        return {
            "hits": [self.scores[side], self.darts[side]],
            "darts": self.darts[side],
            "streak": self.run[side],
            "best_streak": self.best[side],
        }


def find_beds(target: str) -> list[str]:
    """What hits a target of segment training."""
    all_ = {ring: [f"{ring}{n}" for n in range(1, 21)] for ring in "SIOTD"}
    words = {
        "single": all_["S"] + all_["I"] + all_["O"],
        "inner": all_["I"],
        "outer": all_["O"] + all_["S"],
        "double": [*all_["D"], "DB"],
        "triple": all_["T"],
        "bull": ["SB", "DB"],
    }
    if target in words:
        return words[target]
    if target.isdigit():
        return [ring + target for ring in "SIOTD"]
    if target in ("SB", "DB") or target[0] in "ITD":
        return [target]
    number = target[1:]
    return ["S" + number, "O" + number] if target[0] == "O" else ["S" + number, "O" + number, "I" + number]


class NaiveEagle(Rounds):
    """Eagle's Eye."""

    def value(self, dart: str) -> int:
        return {"SB": 25, "DB": 50}[dart] if self.options["bull"] == "25/50" else 50

    def score_visit(self, side: int, darts: list[str]) -> int:
        self.worth = sum(self.value(dart) for dart in darts if dart in ("SB", "DB"))
        self.scores[side] += self.worth
        return 3


class NaiveKillBull(NaiveEagle):
    """Kill Bull."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        super().__init__(options, teams)
        self.scores = [options["start"]] * len(teams)

    def score_visit(self, side: int, darts: list[str]) -> int:
        before, used, any_bull = self.scores[side], 0, False
        for dart in darts:
            used += 1
            if dart in ("SB", "DB"):
                any_bull = True
                self.scores[side] -= self.value(dart)
            if self.scores[side] <= 0:
                self.scores[side] = 0
                self.end([side])
                break
        self.worth = before - self.scores[side] if any_bull else 0
        if not any_bull:
            self.scores[side] = self.options["start"]
        return used

    def end_round(self) -> None:
        if self.round == self.options["rounds"]:
            self.end(self.highest([-score for score in self.scores]))
