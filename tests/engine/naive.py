"""X01 and Burma Road scored a second time, naively, from the rules pages: what the engine is compared with.

Nothing here knows the engine. A dart is a text, a match is played by methods that mutate, a finish is found by looking.
"""

from __future__ import annotations

from typing import Any


def face(dart: str) -> tuple[int, int]:
    """Number and ring (0: no score) of a dart: T20 is (20, 3)."""
    if dart == "MISS":
        return 0, 0
    if dart in ("SB", "DB"):
        return 25, "_SD".index(dart[0])
    return int(dart[1:]), {"T": 3, "D": 2, "S": 1, "O": 1, "I": 1}[dart[0]]


class Legs:
    """Legs, sets and whose turn it is: the starter moves on by one each leg, members of a team take turns."""

    def __init__(self, teams: list[list[int]], legs: int, sets: int) -> None:
        self.teams, self.legs_to_win, self.sets_to_win = teams, legs, sets
        count = len(teams)
        self.legs, self.sets, self.starter, self.over = [0] * count, [0] * count, 0, False
        self.started = 0
        self.winners: list[int] = []
        self.new_leg()

    def new_leg(self) -> None:
        self.started += 1
        self.turns = [0] * len(self.teams)
        self.side, self.round, self.leg_over = self.starter, 1, False
        self.seat = self.teams[self.side][0]

    def next_side(self) -> None:
        self.turns[self.side] += 1
        self.side = (self.side + 1) % len(self.teams)
        self.round += self.side == self.starter
        self.seat = self.teams[self.side][self.turns[self.side] % len(self.teams[self.side])]

    def last_of_round(self) -> bool:
        return (self.side + 1) % len(self.teams) == self.starter

    def leg_won(self, winners: list[int]) -> None:
        self.leg_over = True
        for side in winners:
            self.legs[side] += 1
        sets = [side for side in winners if self.legs[side] == self.legs_to_win]
        for side in sets:
            self.sets[side] += 1
        self.set_over = bool(sets)
        self.winners = [side for side in sets if self.sets[side] == self.sets_to_win]
        self.over = bool(self.winners)

    def after_leg(self) -> None:
        if self.set_over:
            self.legs = [0] * len(self.teams)
        self.starter = (self.starter + 1) % len(self.teams)
        self.new_leg()


class NaiveX01(Legs):
    """X01 as section B of the catalogue words it."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]], legs: int = 1, sets: int = 1) -> None:
        self.options = {"start": 501, "in": "straight", "out": "double", "bull": "25/50", "rounds": None, **options}
        count = len(teams)
        self.points, self.thrown, self.hit, self.tried = [0] * count, [0] * count, [0] * count, [0] * count
        self.nine: list[list[int]] = [[0, 0] for _ in teams]
        super().__init__(teams, legs, sets)

    def new_leg(self) -> None:
        super().new_leg()
        self.left = [self.options["start"]] * len(self.teams)
        self.is_in = [self.options["in"] == "straight"] * len(self.teams)
        self.open_visit()

    def open_visit(self) -> None:
        self.before = self.left[self.side], self.is_in[self.side]
        self.darts: list[str] = []
        self.ended = self.bust = False

    def worth(self, dart: str) -> tuple[int, int]:
        number, ring = face(dart)
        return (50, 2) if number == 25 and self.options["bull"] == "50/50" else (number * ring, ring)

    def allowed(self, ring: int, rule: str) -> bool:
        return ring in {"straight": (1, 2, 3), "double": (2,), "master": (2, 3)}[rule]

    def one_dart_finish(self) -> bool:
        """Is there a bed that would take exactly what is left, by the out rule?"""
        beds = [f"{ring}{number}" for ring in "SDT" for number in range(1, 21)] + ["SB", "DB"]
        return any(
            self.worth(bed)[0] == self.left[self.side] and self.allowed(self.worth(bed)[1], self.options["out"])
            for bed in beds
        )

    def throw(self, dart: str) -> None:
        side = self.side
        self.darts.append(dart)
        self.thrown[side] += 1
        points, ring = self.worth(dart)
        if not self.is_in[side] and not self.allowed(ring, self.options["in"]):
            points = 0
        elif not self.is_in[side]:
            self.is_in[side] = True
        if self.is_in[side]:
            self.tried[side] += self.one_dart_finish()
            self.left[side] -= points
            self.judge(ring)
        self.ended = self.ended or len(self.darts) == 3
        if self.ended:
            self.visit_over()

    def judge(self, ring: int) -> None:
        left, out = self.left[self.side], self.options["out"]
        if left == 0 and self.allowed(ring, out):
            self.ended = True
            self.hit[self.side] += 1
        elif left <= 0 or (left == 1 and out != "straight"):
            self.left[self.side], self.is_in[self.side] = self.before
            self.ended = self.bust = True

    def visit_over(self) -> None:
        side, scored = self.side, self.before[0] - self.left[self.side]
        self.points[side] += scored
        if self.turns[side] < 3:
            self.nine[side][0] += scored
            self.nine[side][1] += len(self.darts)
        if self.left[side] == 0:
            self.leg_won([side])
        elif self.round == self.options["rounds"] and self.last_of_round():
            self.leg_won([s for s, left in enumerate(self.left) if left == min(self.left)])

    def next(self) -> bool:
        """Fills the visit with misses and closes it; whether another one has opened."""
        while not self.ended:
            self.throw("MISS")
        if self.over:
            return False
        if self.leg_over:
            self.after_leg()
        else:
            self.next_side()
            self.open_visit()
        return True

    def detail(self) -> list[dict[str, Any]]:  # Any: JSON
        """X01's figures once a visit is over."""

        def average(points: int, darts: int) -> float:
            return round(points * 3 / darts, 2) if darts else 0.0

        return [
            {
                "average": average(self.points[side], self.thrown[side]),
                "first_nine": average(*self.nine[side]),
                "darts": self.thrown[side],
                "checkouts": [self.hit[side], self.tried[side]],
            }
            for side in range(len(self.teams))
        ]


BURMA_ROUNDS = ("20", "19", "T", "18", "17", "D", "16", "15", "BED21", "14", "13", "BULL")


def burma_visit(score: int, target: str, darts: list[str], options: dict[str, Any]) -> tuple[int, int, bool, bool]:
    """A visit of Burma Road: the new score, the points, whether it was halved and whether it was a Shanghai."""
    faces = [face(dart) for dart in darts]

    def value(number: int, ring: int) -> int:
        if number == 25 and ring:
            return 50 if ring == 2 or options.get("bull") == "50/50" else 25
        return number * ring

    def counts(number: int, ring: int) -> bool:
        if target == "T":
            return ring == 3
        if target == "D":
            return ring == 2 and (number != 25 or options.get("bull_is_double", True))
        return ring > 0 and number == (25 if target == "BULL" else int(target))

    if target == "BED21":
        all_score = all(ring for _, ring in faces)
        bed = len({number for number, _ in faces}) == 1 and (faces[0][0] != 25 or options.get("three_bulls", True))
        good = all_score and (bed or sum(value(*dart) for dart in faces) == 21)
        hits = faces if good else []
    else:
        hits = [dart for dart in faces if counts(*dart)]
    if not hits:
        return score - score // 2, 0, True, False
    shanghai = sorted(ring for _, ring in hits) == [1, 2, 3]
    if options.get("one_number_shanghai", True):
        shanghai = shanghai and len({number for number, _ in hits}) == 1
    points = sum(value(*dart) for dart in hits) * (2 if shanghai else 1)
    return score + points, points, False, shanghai


class NaiveBurma:
    """A whole match of Burma Road for these teams, visit by visit."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        self.options, self.teams = options, teams
        self.scores = [32] * len(teams)
        self.round, self.queue, self.throwing = 1, list(range(len(teams))), list(range(len(teams)))
        self.turns = [0] * len(teams)
        self.winners: list[int] = []

    @property
    def side(self) -> int:
        return self.queue[0]

    @property
    def seat(self) -> int:
        team = self.teams[self.side]
        return team[self.turns[self.side] % len(team)]

    def visit(self, darts: list[str]) -> tuple[int, bool, bool]:
        """A side's three darts: the points, halved, Shanghai."""
        side = self.queue.pop(0)
        target = BURMA_ROUNDS[(self.round - 1) % 12]
        self.scores[side], points, halved, shanghai = burma_visit(self.scores[side], target, darts, self.options)
        self.turns[side] += 1
        if not self.queue:
            self._end_round()
        return points, halved, shanghai

    def _end_round(self) -> None:
        best = max(self.scores[side] for side in self.throwing)
        leaders = [side for side in self.throwing if self.scores[side] == best]
        if self.round >= 12 and len(leaders) == 1:
            self.winners = leaders
        elif self.round >= 12 and self.options.get("tie", "leaders") == "leaders":
            self.throwing = leaders
        self.round += 1
        self.queue = list(self.throwing)
