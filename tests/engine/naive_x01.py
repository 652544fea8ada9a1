"""X01 scored a second time, naively, from its rules. Nothing here knows the engine."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.engine.naive import Legs, number_and_ring

OPTIONS = {
    "start": 501,
    "in": "straight",
    "out": "double",
    "bull": "25/50",
    "rounds": None,
    "tie": "share",
    "finish": "first",
    "starts": [],
    "shared": True,
    "freeze": "off",
    "reopen_after_bust": True,
    "bust_counts_3": False,
    "bull_at_finish": "always",
    "places": False,
    "split_11": False,
}
BEDS = [f"{ring}{number}" for ring in "DTS" for number in range(20, 0, -1)] + ["DB", "SB"]


def sums(beds: list[str], darts: int) -> set[int]:
    """What so many darts can score in these beds, or beside them."""
    found, scores = {0}, {number * ring for number, ring in map(number_and_ring, beds)}
    for _ in range(darts):
        found |= {one + score for one in found for score in scores}
    return found


class NaiveX01(Legs):
    """A whole match of X01. A purse is a score: a side's, or a player's where partners do not share."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]], shape: dict[str, Any] | None = None) -> None:
        self.options = {**OPTIONS, **options}
        self.own = not self.options["shared"] or self.options["freeze"] != "off"
        self.points, self.thrown, self.hit, self.tried, self.high = ([0] * len(teams) for _ in range(5))
        self.best_leg: list[int | None] = [None] * len(teams)
        self.nine: list[list[int]] = [[0, 0] for _ in teams]
        self.level = 0
        self.counts: list[Counter[str]] = [Counter() for _ in teams]
        super().__init__(teams, shape or {})

    def new_leg(self) -> None:
        super().new_leg()
        self.contenders = list(range(len(self.teams)))
        self.placed: list[int] = []
        self.began = list(range(len(self.teams)))
        self.out_now: list[tuple[int, int, str, tuple[int, bool]]] = []
        self.anybody_cut = False
        self.duel: dict[int, int] | None = None
        """By side the points of the visits that decide by them, once those are thrown."""
        self.leg_thrown = [0] * len(self.teams)
        self.purses: dict[str, int] = {}
        self.is_in: dict[str, bool] = {}
        for side, team in enumerate(self.teams):
            for seat in team:
                purse = self.purse_of(side, seat)
                self.purses[purse] = self.options["starts"][side] if self.options["starts"] else self.options["start"]
                self.is_in[purse] = self.options["in"] == "straight"
        self.starts = dict(self.purses)
        self.open_visit()

    def purse_of(self, side: int, seat: int) -> str:
        return f"player {seat}" if self.own else f"side {side}"

    @property
    def purse(self) -> str:
        return self.purse_of(self.side, self.seat)

    @property
    def left(self) -> list[int]:
        """The numbers on the wall: of who is at the oche, and of who throws next."""
        wall = []
        for side, team in enumerate(self.teams):
            seat = self.seat if side == self.side else team[self.turns[side] % len(team)]
            wall.append(self.purses[self.purse_of(side, seat)])
        return wall

    def open_visit(self) -> None:
        self.before = self.purses[self.purse], self.is_in[self.purse]
        self.darts: list[str] = []
        self.ended = self.bust = False
        self.uncounted = 0

    def next_side(self) -> None:
        """The next contender; the round is over when the rotation comes to its end."""
        self.turns[self.side] += 1
        in_order = [(self.starter + k) % len(self.teams) for k in range(len(self.teams))]
        left = [side for side in in_order if side not in self.placed]
        throwing = [side for side in left if side in self.contenders] or left
        later = [side for side in in_order[in_order.index(self.side) + 1 :] if side in throwing]
        if not later:
            self.round += 1
            later = self.began = throwing
        self.side = later[0]
        self.seat = self.teams[self.side][self.turns[self.side] % len(self.teams[self.side])]

    def last_of_round(self) -> bool:
        in_order = [(self.starter + k) % len(self.teams) for k in range(len(self.teams))]
        return not any(side in self.began for side in in_order[in_order.index(self.side) + 1 :])

    def worth(self, dart: str) -> tuple[int, int]:
        number, ring = number_and_ring(dart)
        return (50, 2) if number == 25 and self.options["bull"] == "50/50" else (number * ring, ring)

    def allowed(self, ring: int, rule: str) -> bool:
        return ring in {"straight": (1, 2, 3), "double": (2,), "master": (2, 3)}[rule]

    def finishing_beds(self) -> list[str]:
        """Beds that would take exactly what is left, by the out rule."""
        left, out = self.purses[self.purse], self.options["out"]
        return [bed for bed in BEDS if self.worth(bed)[0] == left and self.allowed(self.worth(bed)[1], out)]

    def frozen(self) -> bool:
        if self.options["freeze"] == "off":
            return False
        (partner,) = [seat for seat in self.teams[self.side] if seat != self.seat]
        one, other = self.teams[1 - self.side]
        theirs = self.purses[f"player {one}"] + self.purses[f"player {other}"]
        return self.purses[f"player {partner}"] > theirs

    def asks(self, dart: str) -> bool:
        """Whether this dart may have split the 11."""
        is_duel = self.duel is not None
        return bool(self.options["split_11"]) and self.purses[self.purse] == 1 and dart == "MISS" and not is_duel

    def throw(self, dart: str, splits: bool = False) -> None:
        side = self.side
        self.darts.append(dart)
        self.thrown[side] += 1
        self.leg_thrown[side] += 1
        points, ring = self.worth(dart)
        if self.duel is not None:
            self.duel[side] = self.duel.get(side, 0) + points
            self.ended = len(self.darts) == 3
            if self.ended:
                self.visit_over()
            return
        if not self.is_in[self.purse] and not self.allowed(ring, self.options["in"]):
            points = 0
        elif not self.is_in[self.purse]:
            self.is_in[self.purse] = True
        if self.is_in[self.purse]:
            self.tried[side] += self.asks(dart) and not self.frozen()
            beds, was = self.finishing_beds(), self.purses[self.purse]
            self.purses[self.purse] -= points
            if splits:
                self.purses[self.purse] = 0
                self.judge(2)
            is_out = self.purses[self.purse] == 0 and self.allowed(ring, self.options["out"]) and not self.frozen()
            if not splits:
                self.count_finish(beds, was, dart, is_out)
                self.judge(ring)
        self.ended = self.ended or len(self.darts) == 3
        if self.ended:
            self.visit_over()

    def total(self, points: int, darts: int, at_finish: int = 0) -> None:
        """So many darts, of which only their points together are known."""
        side, is_out = self.side, points == self.purses[self.purse] and self.can_finish(points, darts)
        self.darts += ["TOTAL"] * darts
        self.thrown[side] += darts
        self.leg_thrown[side] += darts
        self.tried[side] += max(at_finish, int(is_out))
        self.purses[self.purse] -= points
        self.judge(2 if is_out else 1)
        self.ended = self.ended or len(self.darts) == 3
        if self.ended:
            self.visit_over()

    def can_finish(self, points: int, darts: int) -> bool:
        """Whether so many darts, or fewer, take exactly these points by the out rule."""
        last = {self.worth(bed)[0] for bed in BEDS if self.allowed(self.worth(bed)[1], self.options["out"])}
        return any(points - first in last for first in sums(BEDS, darts - 1))

    def count_finish(self, beds: list[str], was: int, dart: str, is_out: bool) -> None:
        """Darts at a finish; the double that was aimed at is the easiest bed, when that is a double."""
        if not beds or (self.frozen() and not is_out):
            return
        rule = self.options["bull_at_finish"]
        if was == 50 and not is_out and (rule == "never" or (rule == "third" and len(self.darts) < 3)):
            return
        self.tried[self.side] += 1
        singles = [bed for bed in beds if bed[0] == "S" and bed != "SB"]
        double = "DB" if was == 50 else f"D{was // 2}" if f"D{was // 2}" in beds and was % 2 == 0 else None
        if double is None or singles:
            return
        self.counts[self.side][f"at:{double}"] += 1
        number = "DB" if number_and_ring(dart)[0] == 25 else dart
        if is_out and number == double:
            self.counts[self.side][f"hit:{double}"] += 1

    def judge(self, ring: int) -> None:
        left, out = self.purses[self.purse], self.options["out"]
        zero = left == 0 and self.allowed(ring, out)
        if zero and not self.frozen():
            self.go_out()
        elif left <= 0 or (left == 1 and out != "straight" and not self.options["split_11"]):
            was_in = self.is_in[self.purse]
            self.purses[self.purse], self.is_in[self.purse] = self.before
            if not self.options["reopen_after_bust"]:
                self.is_in[self.purse] = was_in
            self.ended = self.bust = True
            self.uncounted = 3 - len(self.darts) if self.options["bust_counts_3"] else 0
            self.thrown[self.side] += self.uncounted
            if zero and self.options["freeze"] == "lose":
                self.leg_won([1 - self.side])

    def go_out(self) -> None:
        self.ended = True
        self.hit[self.side] += 1
        self.high[self.side] = max(self.high[self.side], self.before[0])
        self.counts[self.side]["100+ out"] += self.before[0] >= 100
        self.out_now.append((self.side, len(self.darts), self.purse, self.before))
        if self.options["places"]:
            self.placed.append(self.side)

    def visit_over(self) -> None:
        side, scored = self.side, 0 if self.bust else self.before[0] - self.purses[self.purse]
        if self.duel is not None:
            scored = self.duel[side]
        darts = len(self.darts) + self.uncounted
        self.points[side] += scored
        self.counts[side]["180"] += scored == 180
        if self.turns[side] < 3:
            self.nine[side][0] += scored
            self.nine[side][1] += darts
        if not self.anybody_cut:
            self.counts[side]["points_80"] += scored
            self.counts[side]["darts_80"] += darts
            self.anybody_cut = self.purses[self.purse] <= self.starts[self.purse] / 5
        if not self.leg_over:
            self.maybe_end()

    def is_last_round(self) -> bool:
        rounds = self.options["rounds"]
        return rounds is not None and self.round >= rounds + (self.options["tie"] == "deciding_visit")

    def maybe_end(self) -> None:
        if self.duel is not None:
            if self.last_of_round():
                most = max(self.duel.values())
                self.decide([side for side in sorted(self.duel) if self.duel[side] == most])
                self.duel = {}
        elif self.options["places"]:
            self.maybe_place()
        elif self.out_now and self.options["finish"] == "first":
            self.end([self.side])
        elif self.last_of_round():
            if self.out_now:
                fewest = min(darts for _, darts, _, _ in self.out_now)
                self.decide(sorted(side for side, darts, _, _ in self.out_now if darts == fewest))
            elif self.is_last_round() and self.options["tie"] == "highest_visit":
                self.duel = {}
            elif self.is_last_round():
                each = {}
                for side in self.contenders:
                    mine = [self.purses[self.purse_of(side, seat)] for seat in self.teams[side]]
                    each[side] = sum(mine) / len(mine)
                self.decide([side for side in self.contenders if each[side] == min(each.values())])

    def maybe_place(self) -> None:
        left = [side for side in range(len(self.teams)) if side not in self.placed]
        if self.placed and len(left) < 2:
            self.placed += left
            self.end(self.placed[:1])
        elif self.last_of_round() and self.is_last_round():
            mean = {}
            for side in left:
                mine = [self.purses[self.purse_of(side, seat)] for seat in self.teams[side]]
                mean[side] = sum(mine) / len(mine)
            among = [side for side in left if side in self.contenders] or left
            best = self.placed[:1] or [side for side in among if mean[side] == min(mean[one] for one in among)]
            if len(best) == 1 or self.options["tie"] == "share":
                self.placed += sorted(left, key=lambda side: mean[side])
            self.decide(best)

    def decide(self, best: list[int]) -> None:
        if len(best) == 1 or self.options["tie"] == "share":
            self.end(best)
            return
        for _, _, purse, (score, was_in) in self.out_now:
            self.purses[purse], self.is_in[purse] = score, was_in
        self.out_now = []
        self.contenders = best
        self.level += 1

    def end(self, winners: list[int]) -> None:
        self.leg_won(winners)

    def leg_won(self, winners: list[int]) -> None:
        super().leg_won(winners)
        for side in winners:
            if len(self.teams[side]) == 1 and self.left[side] == 0:
                best = self.best_leg[side]
                self.best_leg[side] = min(best or self.leg_thrown[side], self.leg_thrown[side])

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

        found = []
        for side, team in enumerate(self.teams):
            about: dict[str, Any] = {  # Any: JSON
                "average": average(self.points[side], self.thrown[side]),
                "first_nine": average(*self.nine[side]),
                "darts": self.thrown[side],
                "checkouts": [self.hit[side], self.tried[side]],
            }
            if self.thrown[side]:
                about["ppd"] = round(self.points[side] / self.thrown[side], 2)
            if self.high[side]:
                about["high_finish"] = self.high[side]
            if self.counts[side]["180"]:
                about["180s"] = self.counts[side]["180"]
            if self.best_leg[side]:
                about["best_leg"] = self.best_leg[side]
            if self.own and len(team) > 1:
                about["scores"] = [self.purses[f"player {seat}"] for seat in team]
                if self.options["rounds"] is not None:
                    about["average_left"] = round(sum(about["scores"]) / len(team), 2)
            found.append(about)
        return found
