"""Three Dice scored a second time, naively, from the rules page: what the engine is compared with."""

from __future__ import annotations


class Naive:
    """The rules page as bookkeeping: names, dicts and loops, and nothing of the engine."""

    def __init__(self, people: int, levels: list[int], must_fall: bool) -> None:
        self.people, self.levels, self.must_fall = people, levels, must_fall
        self.score = [0] * (people + len(levels))
        self.alive = [True] * len(self.score)
        self.winners: list[int] | None = None
        self.round, self.side = 1, 0

    def visit(self, roll: list[int], darts: list[str], wild: int | None) -> tuple[int, int, int]:
        marks, multiplier, penalty = score_visit(roll, darts, wild)
        self.score[self.side] += -3 if penalty else marks * multiplier
        self.score[self.side] = max(self.score[self.side], 0)
        throwers = [side for side in range(self.people) if self.alive[side]]
        later = [side for side in throwers if side > self.side]
        if later:
            self.side = later[0]
        else:
            self._end_round()
        return marks, multiplier, marks * multiplier

    def _end_round(self) -> None:
        for head, level in enumerate(self.levels):
            if self.alive[self.people + head]:
                self.score[self.people + head] += level
        top = max(score for score, alive in zip(self.score, self.alive, strict=True) if alive)
        self.alive = [alive and top - score <= 24 for score, alive in zip(self.score, self.alive, strict=True)]
        left = [side for side, alive in enumerate(self.alive) if alive]
        persons = [side for side in left if side < self.people]
        if not persons:
            highest = max(self.score[side] for side in left)
            self.winners = [side for side in left if self.score[side] == highest]
        elif len(left) == 1 or (len(persons) == 1 and self.people >= 2 and not self.must_fall):
            self.winners = persons
        else:
            self.round += 1
            self.side = persons[0]


def score_visit(roll: list[int], darts: list[str], wild: int | None) -> tuple[int, int, bool]:
    """Marks, multiplier and whether it costs 3."""
    different = sorted(set(roll))
    boxes: dict[object, int] = dict.fromkeys(different, 0)
    if len(different) < 3:
        boxes["bull"] = 0
    if wild is not None:
        boxes[wild] = 0
    claimable = False
    for dart in darts:
        if dart == "MISS":
            continue
        claimable = True
        if dart in ("SB", "DB"):
            if "bull" in boxes:
                boxes["bull"] += 3 if dart == "SB" else 4
        elif int(dart[1:]) in boxes:
            boxes[int(dart[1:])] += {"T": 3, "D": 2}.get(dart[0], 1)
    hit = [marks for marks in boxes.values() if marks]
    penalty = not claimable if len(different) == 1 else not hit
    return sum(hit), {0: 0, 1: 1, 2: 3, 3: 5}[len(hit)], penalty


def best_wild_points(roll: list[int], darts: list[str]) -> int:
    return max(a * b for n in range(1, 21) if n not in roll for a, b, _ in [score_visit(roll, darts, n)])
