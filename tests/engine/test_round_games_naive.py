"""Shanghai, baseball and golf against scorers written a second time from the rules."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.records import Record, header
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep

Visits = list[list[list[str]]]
"""Darts by side and round."""


def shanghai_cell(options: dict[str, Any], round: int, darts: list[str]) -> tuple[int, bool]:
    """Points of a visit, and whether it wins at once."""
    number = options["start"] + round - 1
    rings = [ring for n, ring in map(number_and_ring, darts) if n == number]
    points, is_shanghai = number * sum(rings), sorted(rings) == [1, 2, 3]
    if is_shanghai and options["shanghai"] == "bonus":
        points += options["bonus"]
    return points, is_shanghai and options["shanghai"] == "wins"


def shanghai(options: dict[str, Any], visits: Visits) -> tuple[list[list[int]], list[int] | None]:
    """The sheet and the winners, None while it goes on."""
    sheet: list[list[int]] = [[] for _ in visits]
    last = min(options["rounds"], 21 - options["start"])
    hits = [0] * len(visits)
    for round in range(1, last + 1):
        for side, mine in enumerate(visits):
            if len(mine) < round:
                return sheet, None
            points, wins = shanghai_cell(options, round, mine[round - 1])
            sheet[side].append(points)
            number = options["start"] + round - 1
            hits[side] += sum(number_and_ring(dart)[0] == number for dart in mine[round - 1])
            if wins:
                return sheet, [side]
    level = [side for side, row in enumerate(sheet) if sum(row) == max(map(sum, sheet))]
    if options["tie"] == "hits":
        level = [side for side in level if hits[side] == max(hits[one] for one in level)]
    if len(level) == 1 or options["tie"] != "again":
        return sheet, level
    rest = [mine[last:] if side in level else None for side, mine in enumerate(visits)]
    again, winners = shanghai(options, [mine for mine in rest if mine is not None])
    sheet = [[] for _ in visits]
    for side, row in zip(level, again, strict=True):
        sheet[side] = row
    return sheet, winners and [level[at] for at in winners]


def baseball_number(options: dict[str, Any], round: int) -> int:
    """Where an inning is played."""
    if round <= options["innings"] or (options["extra"] == "next" and round <= 20):
        return round
    return 25


def baseball_cell(options: dict[str, Any], round: int, darts: list[str]) -> int:
    """Runs of a visit."""
    number = baseball_number(options, round)
    return sum(ring for n, ring in map(number_and_ring, darts) if n == number)


def golf_cell(options: dict[str, Any], round: int, darts: list[str]) -> int:
    """Strokes of a visit."""
    hole = round if round <= 20 else round - 20
    if options["scoring"] == "hole_out":
        return len(darts)
    strokes = []
    for dart in darts:
        number, ring = number_and_ring(dart)
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
    return sum(ring for n, ring in map(number_and_ring, darts) if n == hole) >= 3 or len(darts) == options["limit"]


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


PEOPLE = ("Ann", "Bo", "Cy")


def dart(number: int, chance: random.Random, hitting: float) -> str:
    if chance.random() > hitting:
        return chance.choice(ANYWHERE)
    return chance.choice(["SB", "DB"] if number == 25 else [f"{ring}{number}" for ring in "TDSIO"])


def filled(cells: list[int], rows: int) -> list[int | None]:
    return [*cells, *[None] * (rows - len(cells))]


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
def test_shanghai_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    at_once = shared = replayed = 0
    for _ in range(120):
        options = {
            "start": chance.choice([1, 5, 18]),
            "rounds": chance.choice([1, 3, 7]),
            "shanghai": chance.choice(["wins", "bonus", "off"]),
            "bonus": chance.choice([0, 100]),
            "tie": chance.choice(["share", "hits", "again"]),
        }
        people = PEOPLE[: chance.choice([1, 2, 3])]
        given, hitting = Record(header("shanghai", people, options=options)), chance.choice([0.0, 0.6, 1.0])
        hitting = 0.2 if options["tie"] == "again" else hitting
        visits: list[list[list[str]]] = [[] for _ in people]
        winners: list[int] | None = None
        rows = len(given.state["board"]["rows"])
        while winners is None:
            turn, number = given.state["turn"], options["start"] + (given.state["round"] - 1) % rows
            assert given.state["targets"] == [str(number)]
            darts = [dart(number, chance, hitting) for _ in range(3)]
            visits[turn["side"]].append(darts)
            sheet, winners = shanghai(options, visits)
            state = given.play(" ".join(darts))
            if winners is None and not any(map(len, sheet)):
                replayed += 1
            assert [side["detail"]["cells"] for side in state["sides"]] == [filled(row, rows) for row in sheet]
            assert [side["score"] for side in state["sides"]] == [sum(row) for row in sheet]
            if winners is None:
                given.feed("/")
        assert given.state["winners"] == winners
        at_once += len(visits[0]) < rows
        shared += len(winners) > 1
    assert min(at_once, shared, replayed) > 0


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed < 1))
@pytest.mark.parametrize("game", ["baseball", "golf"])
def test_rounds_and_playoffs_are_scored_as_the_rules_say(game: str, seed: int) -> None:
    chance = random.Random(seed)
    played_off = shared = 0
    for _ in range(40):
        options = _options(game, chance)
        people = PEOPLE[: chance.choice([1, 2, 3])]
        naive, given = NaiveRounds(game, options, len(people)), Record(header(game, people, options=options))
        hitting = chance.choice([0.0, 0.5, 0.9])
        while not naive.winners:
            state, side = given.state, naive.queue[0]
            assert (state["turn"]["side"], state["round"]) == (side, naive.round)
            points, row = naive.visit(_visit(given, naive, chance, hitting)), state["round"] - 1
            state = given.state
            assert state["sides"][side]["detail"]["cells"][row] == points
            assert [s["score"] for s in state["sides"]] == [sum(row) for row in naive.sheet]
            if state["phase"] == "takeout":
                assert given.play("/")["last"]["points"] == points
        assert given.state["winners"] == naive.winners
        played_off += naive.round > naive.rounds + 1
        shared += len(naive.winners) > 1
    assert min(played_off, shared) > 0, "too few ties"


def _options(game: str, chance: random.Random) -> dict[str, Any]:  # Any: JSON
    if game == "baseball":
        innings, extra = chance.choice([1, 1, 2, 9, 19]), chance.choice(["bull", "next"])
        return {"innings": innings, "extra_innings": chance.choice([0, 1, 5]), "extra": extra}
    return {
        "holes": chance.choice([1, 1, 2, 18]),
        "scoring": chance.choice(["classic", "maker", "hole_out"]),
        "limit": chance.choice([3, 5, 9]),
        "playoff": chance.choice([0, 1, 5]),
    }


def _visit(given: Record, naive: NaiveRounds, chance: random.Random, hitting: float) -> list[str]:
    """Throws a visit, with stops and early ends; what it came to, darts that were not thrown as misses."""
    number, darts = int(naive.round), list[str]()
    if naive.game == "baseball":
        number = baseball_number(naive.options, naive.round)

    def is_done() -> bool:
        return golf_is_done(naive.options, naive.round, darts) if naive.game == "golf" and darts else len(darts) == 3

    while not is_done():
        whim = chance.random()
        if darts and whim < 0.3 and naive.options.get("scoring") == "classic":
            given.feed({"choose": "stop"})
            return darts
        if whim > 0.95:
            given.feed("/")
            while not is_done():
                darts.append("MISS")
            return darts
        darts.append(dart(number, chance, hitting))
        given.feed({"throw": darts[-1]})
    return darts


def test_how_many_matches_a_few_darts_make() -> None:
    darts: tuple[str, ...] = ("S1", "D1", "T1", "MISS")
    depth = 6
    rules = referee("shanghai", {})
    seen = [(p.state.sheet.cells, p.over) for p in perft(rules, rules.start()[0], darts, depth)]
    assert (len(seen), len(set(seen))) == (3718, 111)
    wins = sum(shanghai_cell({"start": 1, "shanghai": "wins"}, 1, [*three])[1] for three in product(darts, repeat=3))
    assert len(seen) == wins + (64 - wins) * 64

    darts = ("S1", "D1", "MISS")
    rules = referee("baseball", {"innings": 1, "extra_innings": 0})
    found = perft(rules, rules.start()[0], darts, depth)
    runs = [baseball_cell({"innings": 1, "extra": "bull"}, 1, [*three]) for three in product(darts, repeat=3)]
    assert sorted(tuple(map(rules.game.score, [p.state] * 2, (0, 1))) for p in found) == sorted(product(runs, repeat=2))

    rules = referee("golf", {"holes": 1})
    found = perft(rules, rules.start()[0], darts, depth)
    options = {"scoring": "classic"}
    visits = [three[:n] for three in product(darts, repeat=3) for n in (1, 2, 3)]
    ways = {v for v in visits if golf_is_done(options, 1, [*v]) and not any(d == "D1" for d in v[:-1])}
    strokes = [golf_cell(options, 1, [*visit]) for visit in ways]
    both = sorted(tuple(map(rules.game.score, [p.state] * 2, (0, 1))) for p in found if p.over)
    assert (len(found), len(both)) == (len(ways) ** 2, len(ways) ** 2)
    assert both == sorted(product(strokes, repeat=2))
