"""Cricket, Tactics and Wild Mouse scored a second time, naively, from their rules. Nothing here knows the engine."""

from __future__ import annotations

import copy
from typing import Any

from tests.engine.naive import number_and_ring


class NaiveMarks:
    """A match of one leg, dart by dart."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]], rows: list[str]) -> None:
        self.options = {"scoring": "standard", "spread": None, "rounds": None, "tie": "share", **options}
        self.need = self.options.get("marks", 3)
        self.placed: list[int] = []
        self.teams, self.rows = teams, rows
        self.playing = list(range(len(teams)))
        people = sum(len(team) for team in teams)
        self.own = [[0] * len(rows) for _ in range(people)]
        self.points, self.turns = [0] * len(teams), [0] * len(teams)
        self.thrown, self.marks, self.thrown_80, self.marks_80 = [0] * 4, [0] * 4, [0] * 4, [0] * 4
        self.visits_of = [[0] * 10 for _ in range(4)]
        self.frozen = self.ended = False
        self.judged = 0
        self.winners: list[int] = []
        self.round = 0
        self.queue: list[int] = []
        self.open_visit()

    def over(self) -> bool:
        return self.ended

    # -- whose turn

    def open_visit(self) -> None:
        """The next player's who has no place yet; one may have got it because others have left."""
        if not self.next_in_queue():
            self.round += 1
            self.queue = self.unplaced() or list(self.playing)
        self.end_with(self.found_winners())
        if not self.ended and not self.next_in_queue():
            self.end_round()
            if not self.ended:
                self.open_visit()
        else:
            self.begin_visit(self.queue.pop(0))

    def next_in_queue(self) -> bool:
        self.queue = [side for side in self.queue if side not in self.placed]
        return bool(self.queue)

    def begin_visit(self, side: int) -> None:
        self.side = side
        team = self.teams[self.side]
        self.seat = team[self.turns[self.side] % len(team)]
        self.turns[self.side] += 1
        self.darts: list[str] = []
        self.in_visit = 0

    def unplaced(self) -> list[int]:
        return [side for side in self.playing if side not in self.placed]

    def found_winners(self) -> list[int]:
        return [side for side in self.unplaced() if self.has_won(side)]

    def end_with(self, winners: list[int]) -> None:
        """Those have won; or have their place, and then others behind them may have theirs at once."""
        if not self.options.get("places"):
            if winners:
                self.end(winners)
            return
        self.placed += winners
        while winners and len(self.unplaced()) > 1 and (winners := self.found_winners()):
            self.placed += winners
        if self.placed and len(self.unplaced()) < 2:
            first = self.placed[0]
            self.placed += self.unplaced()
            self.end([first])

    def end(self, winners: list[int]) -> None:
        self.ended, self.winners = True, winners

    def close_visit(self) -> None:
        """Three darts are thrown, or the last one."""
        seat = self.seat
        if self.in_visit < 10:
            self.visits_of[seat][self.in_visit] += 1
        if not self.frozen:
            self.thrown_80[seat] += len(self.darts)
            self.marks_80[seat] += self.in_visit
        most = max(sum(self.closed(side, row) for row in range(len(self.rows))) for side in range(len(self.teams)))
        self.frozen = self.frozen or most >= 0.8 * len(self.rows)
        self.end_round()

    def end_round(self) -> None:
        """No player is left to throw in this round: judged once, even when one leaves before the next."""
        limit = self.options["rounds"]
        if self.ended or self.next_in_queue() or limit is None or self.round < max(limit, self.judged + 1):
            return
        self.judged = self.round
        ranks = {side: (self.good(side), self.wall(side)) for side in self.unplaced()}
        best = self.placed[:1] or [side for side in ranks if ranks[side] == max(ranks.values())]
        if len(best) == 1 or self.options["tie"] == "share":
            if self.options.get("places"):
                self.placed += sorted(ranks, key=lambda side: ranks[side], reverse=True)
            self.end(best)

    def leave(self, side: int) -> None:
        """A player leaves, between two visits."""
        self.playing.remove(side)
        if side in self.queue:
            self.queue.remove(side)
        self.end_round()

    # -- marks

    def shown(self, side: int, row: int) -> int:
        """A side's marks in a row."""
        marks = [self.own[seat][row] for seat in self.teams[side]]
        how = self.options.get("team_close", "shared")
        return min(marks) if how == "both" else max(marks)

    def closed(self, side: int, row: int) -> bool:
        return bool(self.shown(side, row) == self.need)

    def wall(self, side: int) -> int:
        return sum(self.shown(side, row) for row in range(len(self.rows)))

    def good(self, side: int) -> int:
        return -self.points[side] if self.options["scoring"] == "cut_throat" else self.points[side]

    def has_won(self, side: int) -> bool:
        all_closed = all(self.closed(side, row) for row in range(len(self.rows)))
        return all_closed and all(self.good(side) >= self.good(other) for other in self.unplaced())

    def mark(self, row: int, count: int, value: int) -> int:
        """So many marks on a row, one by one; how many of them counted."""
        return sum(self.one_mark(row, value) for _ in range(count))

    def one_mark(self, row: int, value: int) -> bool:
        side = self.side
        if not self.closed(side, row) and self.own[self.seat][row] < self.need:
            sharing = self.options.get("team_close", "shared") == "shared"
            for seat in self.teams[side] if sharing else [self.seat]:
                self.own[seat][row] += 1
            return True
        opponents = [other for other in self.unplaced() if other != side]
        still_open = [other for other in opponents if not self.closed(other, row)]
        if not self.closed(side, row) or not still_open or self.options["scoring"] == "no_score":
            return False
        if self.options["scoring"] == "cut_throat":
            for other in still_open:
                self.points[other] += value
            return True
        spread = self.options["spread"]
        if spread is not None and self.points[side] + value > min(self.points[o] for o in opponents) + spread:
            return False
        self.points[side] += value
        return True

    # -- a dart

    def uses(self, dart: str) -> list[tuple[str, int, int]]:
        """Row, marks and worth of each: what the dart may be taken for, whether or not it would count."""
        number, ring = number_and_ring(dart)
        label = "bull" if number == 25 else str(number)
        if number == 25 and self.options.get("bull_marks") == "one":
            return [(label, 1, number)] if self.allowed(label) else []
        return [(label, ring, number)] if label in self.rows and ring and self.allowed(label) else []

    def allowed(self, label: str) -> bool:
        order, row = self.options.get("order", "free"), self.rows.index(label)
        before = {"free": [], "down": self.rows[:row], "up": self.rows[row + 1 :]}[order]
        rows = [self.rows.index(other) for other in before]
        return all(self.closed(self.side, other) or self.own[self.seat][other] == self.need for other in rows)

    def choices(self, dart: str) -> list[str]:
        """The rows on which this dart would do something."""
        found = []
        for label, count, value in self.uses(dart):
            trial = copy.deepcopy(self)
            if trial.mark(trial.rows.index(label), count, value):
                found.append(label)
        return found

    def throw(self, dart: str, choice: str | None = None) -> None:
        """A dart; `choice` is the row it counts in, where there is one."""
        self.darts.append(dart)
        self.thrown[self.seat] += 1
        if choice is not None:
            counted = next(self.mark(self.rows.index(c), n, value) for c, n, value in self.uses(dart) if c == choice)
            self.in_visit += counted
            self.marks[self.seat] += counted
            winners = self.found_winners()
            self.end_with([self.side] if self.side in winners else winners)
        if self.visit_ended():
            self.close_visit()

    def visit_ended(self) -> bool:
        return len(self.darts) == 3 or self.ended or self.side in self.placed

    def scores(self) -> list[int]:
        sides = range(len(self.teams))
        return [self.wall(side) for side in sides] if self.options["scoring"] == "no_score" else self.points

    def detail(self, side: int) -> dict[str, Any]:  # Any: JSON
        """What the screen shows of a side once a visit is over."""
        team = self.teams[side]
        own = self.options.get("team_close", "shared") != "shared"
        return {
            "marks": [self.shown(side, row) for row in range(len(self.rows))],
            **({"own": [self.own[seat] for seat in team]} if own else {}),
            "mpr": _per_round(sum(self.marks[seat] for seat in team), sum(self.thrown[seat] for seat in team)),
            "mpr_80": _per_round(sum(self.marks_80[s] for s in team), sum(self.thrown_80[s] for s in team)),
            "high_marks": [sum(self.visits_of[seat][count] for seat in team) for count in (5, 6, 7, 8, 9)],
        }


class NaiveTactics(NaiveMarks):
    """With doubles and triples."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        lowest = options.get("lowest", 10)
        rings = {"both": ["double", "triple"], "none": []}
        which = options.get("rings", "both")
        numbers = [str(n) for n in range(20, lowest - 1, -1)]
        super().__init__(options, teams, [*numbers, *rings.get(which, [which]), "bull"])

    def uses(self, dart: str) -> list[tuple[str, int, int]]:
        number, ring = number_and_ring(dart)
        found = super().uses(dart)
        row = {2: "double", 3: "triple"}.get(ring)
        if row in self.rows and (found or self.options.get("multiples", "slop") == "slop"):
            found.append((str(row), 1, number * ring))
        return found


class NaiveWildMouse(NaiveTactics):
    """With doubles, triples and beds."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]]) -> None:
        NaiveMarks.__init__(self, options, teams, [*map(str, range(20, 14, -1)), "double", "triple", "bed", "bull"])

    def open_visit(self) -> None:
        super().open_visit()
        self.saved = copy.deepcopy((self.own, self.points))

    def bed(self, dart: str) -> int | None:
        """The points of the bed that this dart completes."""
        beds = [number_and_ring(each) for each in [*self.darts, dart]]
        number = beds[0][0]
        if len(beds) < 3 or any(each[0] != number or not each[1] for each in beds):
            return None
        if self.options.get("multiples") == "strict" and number < 15:
            return None
        return sum(number * ring for _, ring in beds)

    def mark_bed(self, points: int) -> int:
        self.own, self.points = copy.deepcopy(self.saved)
        row = self.rows.index("bed")
        if self.options.get("beds") == "one":
            return 0 if self.closed(self.side, row) else self.mark(row, self.need - self.shown(self.side, row), 0)
        return self.mark(row, 1, points)

    def choices(self, dart: str) -> list[str]:
        found, bed = super().choices(dart), self.bed(dart)
        return [*(found or ["darts"]), "bed"] if bed and copy.deepcopy(self).mark_bed(bed) else found

    def throw(self, dart: str, choice: str | None = None) -> None:
        if choice != "bed":
            return super().throw(dart, None if choice == "darts" else choice)
        counted = self.mark_bed(self.bed(dart) or 0)
        self.marks[self.seat] += counted - self.in_visit
        self.in_visit = counted
        winners = self.found_winners()
        self.end_with([self.side] if self.side in winners else winners)
        return super().throw(dart)


def _per_round(marks: int, darts: int) -> float:
    return round(marks * 3 / darts, 2) if darts else 0.0
