"""Cricket, Tactics and Cricket Count-Up against scorers written a second time from the rules, over random matches."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.engine.naive import number_and_ring
from tests.engine.records import Record, header
from tests.engine.test_burma_road import ANYWHERE
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep


class NaiveMarks:
    """A match of one leg, dart by dart."""

    def __init__(self, options: dict[str, Any], teams: list[list[int]], rows: list[str]) -> None:
        self.options = {"scoring": "standard", "spread": None, "rounds": None, "tie": "share", **options}
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
        if not self.queue:
            self.round += 1
            self.queue = list(self.playing)
        self.side = self.queue.pop(0)
        team = self.teams[self.side]
        self.seat = team[self.turns[self.side] % len(team)]
        self.turns[self.side] += 1
        self.darts: list[str] = []
        self.in_visit = 0
        winners = [side for side in self.playing if self.has_won(side)]
        if winners:
            self.end(winners)

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
        if self.ended or self.queue or limit is None or self.round < max(limit, self.judged + 1):
            return
        self.judged = self.round
        ranks = {side: (self.good(side), self.wall(side)) for side in self.playing}
        best = [side for side in self.playing if ranks[side] == max(ranks.values())]
        if len(best) == 1 or self.options["tie"] == "share":
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
        return self.shown(side, row) == 3

    def wall(self, side: int) -> int:
        return sum(self.shown(side, row) for row in range(len(self.rows)))

    def good(self, side: int) -> int:
        return -self.points[side] if self.options["scoring"] == "cut_throat" else self.points[side]

    def has_won(self, side: int) -> bool:
        all_closed = all(self.closed(side, row) for row in range(len(self.rows)))
        return all_closed and all(self.good(side) >= self.good(other) for other in self.playing)

    def mark(self, row: int, count: int, value: int) -> int:
        """So many marks on a row, one by one; how many of them counted."""
        return sum(self.one_mark(row, value) for _ in range(count))

    def one_mark(self, row: int, value: int) -> bool:
        side = self.side
        if not self.closed(side, row) and self.own[self.seat][row] < 3:
            sharing = self.options.get("team_close", "shared") == "shared"
            for seat in self.teams[side] if sharing else [self.seat]:
                self.own[seat][row] += 1
            return True
        opponents = [other for other in self.playing if other != side]
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
        return [(label, ring, number)] if label in self.rows and ring and self.allowed(label) else []

    def allowed(self, label: str) -> bool:
        order, row = self.options.get("order", "free"), self.rows.index(label)
        before = {"free": [], "down": self.rows[:row], "up": self.rows[row + 1 :]}[order]
        rows = [self.rows.index(other) for other in before]
        return all(self.closed(self.side, other) or self.own[self.seat][other] == 3 for other in rows)

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
            winners = [side for side in self.playing if self.has_won(side)]
            if winners:
                self.end([self.side] if self.side in winners else winners)
        if len(self.darts) == 3 or self.ended:
            self.close_visit()

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
        super().__init__(options, teams, [str(n) for n in range(20, lowest - 1, -1)] + ["double", "triple", "bull"])

    def uses(self, dart: str) -> list[tuple[str, int, int]]:
        number, ring = number_and_ring(dart)
        found = super().uses(dart)
        if ring > 1 and (found or self.options.get("multiples", "slop") == "slop"):
            found.append(({2: "double", 3: "triple"}[ring], 1, number * ring))
        return found


def _per_round(marks: int, darts: int) -> float:
    return round(marks * 3 / darts, 2) if darts else 0.0


PEOPLE = ("Ann", "Bo", "Cy", "Di")
TEAMS = [[[0], [1]], [[0], [1], [2]], [[0, 2], [1, 3]], [[3], [0, 1], [2]], [[0]]]
SHORT = {"bull": "B", "double": "D", "triple": "T"}
POOLS = {"random": range(1, 21), "hidden": range(1, 21), "wild_card": range(7, 21), "crazy": range(1, 21)}

NUMBERS_AND_ORDERS = [
    *({"numbers": numbers, "order": "free"} for numbers in ("standard", *POOLS)),
    *({"numbers": numbers, "order": order} for numbers in ("standard", "random") for order in ("down", "up")),
]


def drawn_rows(given: Record) -> list[str]:
    rows: tuple[str, ...] = given.match.position.state.rows
    return list(rows)


def options_of(chance: random.Random) -> dict[str, Any]:  # Any: JSON
    scoring = chance.choice(["standard", "standard", "cut_throat", "no_score"])
    return {
        "scoring": scoring,
        "spread": chance.choice([None, 40, 100]) if scoring == "standard" else None,
        "rounds": chance.choice([None, None, 2, 9]),
        "tie": chance.choice(["share", "one_more_round"]),
    }


@pytest.mark.parametrize("seed", sweep(range(6), lambda seed: seed < 2))
def test_cricket_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for match in range(7):
        options = {
            **options_of(chance),
            "lock": chance.choice(["mark", "closed"]),
            **chance.choice(NUMBERS_AND_ORDERS),
        }
        teams = chance.choice(TEAMS)
        sizes = {len(team) for team in teams}
        options["team_close"] = chance.choice(["shared", *["one"] * (sizes != {1}), *["both"] * (sizes == {2})])
        people = PEOPLE[: sum(map(len, teams))]
        given = Record(header("cricket", people, teams=teams, options=options, seed=str(100 * seed + match)))
        naive = NaiveMarks(options, teams, drawn_rows(given))
        ended += _match(given, naive, chance)
    assert ended > 3, "too few matches came to their end"


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_tactics_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ended = 0
    for _ in range(6):
        lowest, multiples = chance.choice([10, 12, 13, 15, 15]), chance.choice(["slop", "strict"])
        options = {**options_of(chance), "lowest": lowest, "multiples": multiples}
        teams = chance.choice(TEAMS)
        given = Record(header("tactics", PEOPLE[: sum(map(len, teams))], teams=teams, options=options))
        ended += _match(given, NaiveTactics(options, teams), chance)
    assert ended > 2, "too few matches came to their end"


def _match(given: Record, naive: NaiveMarks, chance: random.Random) -> bool:
    visits = 0
    found: set[str] = set()
    while not naive.over() and visits < 60:
        visits += 1
        visit = given.match.position.visit
        assert (visit.side, visit.seat, visit.round) == (naive.side, naive.seat, naive.round)
        _check_rows(given, naive)
        while len(naive.darts) < 3 and not naive.over():
            _dart(given, naive, chance, found)
        _same(given.state, naive)
        closed = naive.over()
        if not naive.over() and len(naive.playing) > 1 and chance.random() < 0.03:
            side = chance.choice(naive.playing)
            naive.leave(side)
            given.play({"retire": side})
            closed = naive.over() or side == naive.side
        if not closed:
            given.play({"next": True})
        if not naive.over():
            naive.open_visit()
    assert (given.state["phase"] == "over") == naive.over()
    assert given.state["winners"] == naive.winners
    return naive.over()


def _dart(given: Record, naive: NaiveMarks, chance: random.Random, found: set[str]) -> None:
    dart = _aimed(naive, chance) if chance.random() < 0.7 else chance.choice(ANYWHERE)
    choices = naive.choices(dart)
    given.play({"throw": dart})
    choice = choices[0] if choices else None
    if len(choices) > 1:
        prompt = given.state["prompts"][0]
        assert prompt["options"] == choices
        assert given.state["phase"] == "deciding"
        choice = chance.choice([*choices, prompt["default"]])
        given.play({"choose": choice})
    naive.throw(dart, choice)
    state = given.state
    assert [side["score"] for side in state["sides"]] == naive.scores()
    assert state["phase"] == ("over" if naive.over() else "takeout" if len(naive.darts) == 3 else "throwing")
    if "in_vain" in state["board"]:
        found.add(dart[1:])
        rows = ["?" if row not in found and row != "bull" else SHORT.get(row, row) for row in naive.rows]
        assert state["board"]["rows"] == rows


def _aimed(naive: NaiveMarks, chance: random.Random) -> str:
    needed = [row for index, row in enumerate(naive.rows) if naive.own[naive.seat][index] < 3] or naive.rows
    row = chance.choice(needed)
    number = chance.randrange(1, 21)
    if row == "bull":
        return chance.choice(["SB", "DB"])
    return f"{row[0].upper()}{number}" if row in ("double", "triple") else f"{chance.choice('SIODT')}{row}"


def _check_rows(given: Record, naive: NaiveMarks) -> None:
    """Drawn rows are different numbers of the pool; those that stay have stayed. The others are told to the scorer."""
    numbers = naive.options.get("numbers", "standard")
    rows = drawn_rows(given)
    if numbers in POOLS:
        assert len(set(rows[:6])) == 6
        assert {int(row) for row in rows[:6]} <= set(POOLS[numbers])
    sides = range(len(naive.teams))
    for index, (before, after) in enumerate(zip(naive.rows, rows, strict=True)):
        if naive.options.get("lock") == "closed":
            stays = any(naive.closed(side, index) for side in sides)
        else:
            stays = any(marks[index] for marks in naive.own)
        assert before == after or (numbers in ("wild_card", "crazy") and before != "bull" and not stays)
    naive.rows = rows


def _same(state: dict[str, Any], naive: NaiveMarks) -> None:  # Any: JSON
    for side, shown in enumerate(state["sides"]):
        assert shown["detail"] == naive.detail(side)
    assert state["winners"] == naive.winners


@pytest.mark.parametrize("seed", sweep(range(2), lambda seed: seed < 1))
def test_cricket_count_up_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        rounds, tie = chance.choice([1, 2, 8]), chance.choice(["share", "one_more_round"])
        teams = chance.choice(TEAMS)
        options = {"rounds": rounds, "tie": tie}
        given = Record(header("cricket_count_up", PEOPLE[: sum(map(len, teams))], teams=teams, options=options))
        points, winners, played = [0] * len(teams), list[int](), 0
        while not winners:
            played += 1
            for side in range(len(teams)):
                darts = [chance.choice(ANYWHERE if chance.random() < 0.8 else ["MISS"]) for _ in range(3)]
                points[side] += sum(
                    n * ring for n, ring in map(number_and_ring, darts) if n in (15, 16, 17, 18, 19, 20, 25)
                )
                last = side == len(teams) - 1
                best = [one for one in range(len(teams)) if points[one] == max(points)]
                if last and played >= rounds and (len(best) == 1 or tie == "share"):
                    winners = best
                state = given.play(" ".join(darts) + ("" if winners else " /"))
                assert [shown["score"] for shown in state["sides"]] == points
        assert given.state["winners"] == winners


def test_perft_of_cricket() -> None:
    """Every match of six darts out of these, counted twice."""
    darts, depth = ("T20", "D20", "S19", "MISS"), 6
    rules = referee("cricket", {"order": "down", "spread": 100})
    found = perft(rules, rules.start()[0], darts, depth)
    seen = [(p.state.points, p.state.marks, p.state.in_visit) for p in found]
    assert (len(seen), len(set(seen))) == (4096, 81)
    naive = NaiveMarks({"order": "down", "spread": 100}, [[0], [1]], ["20", "19", "18", "17", "16", "15", "bull"])
    assert sorted(points for points, *_ in seen) == sorted(_leaves(naive, darts, depth))


def _leaves(naive: NaiveMarks, darts: tuple[str, ...], depth: int) -> list[tuple[int, ...]]:
    if len(naive.darts) == 3:
        naive.open_visit()
    if not depth:
        return [tuple(naive.points)]
    found = []
    for dart in darts:
        branch = copy.deepcopy(naive)
        branch.throw(dart, next(iter(branch.choices(dart)), None))
        found += _leaves(branch, darts, depth - 1)
    return found
