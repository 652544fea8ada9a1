"""The checkout drills against a scorer written a second time, and how matches of them end."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine.finishing import can_finish
from tests.engine.naive import ANYWHERE, number_and_ring
from tests.engine.records import Record, header
from tests.engine.test_perft import perft, referee


class Player:
    """A player at a drill: which number, what is left of it, how many darts of it are gone, and the points."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.place = 0
        self.left = numbers[0]
        self.gone = 0
        self.points = 0
        self.tries = [0, 0]

    @property
    def through(self) -> bool:
        return self.place == len(self.numbers)


class NaiveDrill:
    """A whole leg. `game` is what it is called; the numbers of all players are the same."""

    def __init__(self, game: str, numbers: list[int], people: int, **options: object) -> None:
        self.game, self.options = game, {"out": "double", "bull": "25/50", **options}
        self.darts = {"catch_40": 6, "random_checkout": options.get("darts", 3)}.get(game, 9)
        self.players = [Player(numbers) for _ in range(people)]
        self.side, self.round = 0, 1
        self.winners: list[int] | None = None

    def visit(self, darts: list[str]) -> int:
        """A visit, misses added where less than three were thrown; how many of these darts were taken."""
        player = self.players[self.side]
        start, taken, is_out = player.left, 0, False
        for dart in (darts + ["MISS"] * 3)[:3]:
            number, ring = number_and_ring(dart)
            points = number * ring
            if number == 25 and self.options["bull"] == "50/50":
                points, ring = 50, 2
            taken += 1
            player.left -= points
            legal = {"double": ring == 2, "master": ring >= 2, "straight": ring >= 1}[str(self.options["out"])]
            if player.left == 0 and legal:
                is_out = True
                break
            if player.left < (1 if self.options["out"] == "straight" else 2):
                player.left = start
                break
        self._judge(player, taken, is_out)
        if player.gone == 0 and not player.through:
            player.left = player.numbers[player.place]
        self._after()
        return taken

    def _judge(self, player: Player, taken: int, is_out: bool) -> None:
        number = player.numbers[player.place]
        if is_out:
            player.tries[0] += 1
            player.tries[1] += 1
            needed = player.gone + taken
            if self.game == "checkout_121":
                player.points = player.points + 1 if number == 170 <= player.points else max(player.points, number)
            elif self.game == "catch_40":
                three = needed == 2 or (needed == 3 and number == 99)
                player.points += 3 if three else 2 if needed == 3 else 1
            else:
                player.points += 1
            player.place += 1
            player.gone = 0
            if self.options.get("top") == "stays" and player.through:
                player.place -= 1
            return
        player.gone += 3
        if player.gone == self.darts:
            player.tries[1] += 1
            player.gone = 0
            fail = self.options.get("fail")
            if self.game != "checkout_121":
                player.place += 1
            elif fail == "start":
                player.place = 0
            elif fail == "one_down" and player.place > 0:
                player.place -= 1

    def _after(self) -> None:
        """The next who has numbers left; at the end of the round perhaps the end."""
        later = [n for n in range(self.side + 1, len(self.players)) if not self.players[n].through]
        if later:
            self.side = later[0]
            return
        through = [player.through for player in self.players]
        turns = self.options.get("turns")
        if all(through) or self.round == turns or (self.game == "checkout_121" and any(through)):
            best = max(player.points for player in self.players)
            self.winners = [n for n, player in enumerate(self.players) if player.points == best]
            return
        self.round += 1
        self.side = next(n for n, player in enumerate(self.players) if not player.through)


DRILLS = ("checkout_121", "checkout_170", "catch_40", "random_checkout")
PEOPLE = ("Ann", "Bo", "Cy")


def some_options(game: str, chance: random.Random) -> dict[str, Any]:  # Any: JSON
    own: dict[str, dict[str, Any]] = {
        "checkout_121": {
            "start": chance.choice([61, 121, 167, 170]),
            "fail": chance.choice(["start", "one_down", "stay"]),
            "turns": chance.choice([4, 9, 20]),
            "top": chance.choice(["ends", "stays"]),
        },
        "checkout_170": {"rounds": chance.choice([1, 3])},
        "catch_40": {},
        "random_checkout": {
            "lowest": chance.choice([2, 41]),
            "highest": chance.choice([41, 170]),
            "darts": chance.choice([3, 6, 9]),
            "rounds": chance.choice([1, 6]),
        },
    }
    out, bull = chance.choice(["double", "master", "straight"]), chance.choice(["25/50", "50/50"])
    return {"out": out, "bull": bull, **own[game]}


@pytest.mark.slow
@pytest.mark.parametrize("game", DRILLS)
def test_it_is_scored_as_the_rules_say(game: str) -> None:
    chance, ended = random.Random(game), 0
    for _ in range(8):
        options, people = some_options(game, chance), chance.choice([1, 1, 2, 3])
        given = Record(header(game, PEOPLE[:people], options=options, seed=str(chance.random())))
        numbers = list(given.match.position.state.plan.numbers)
        if game != "random_checkout":
            start = options.get("start")
            assert (
                numbers
                == {
                    "checkout_121": list(range(start or 121, 171)),
                    "checkout_170": [170] * options.get("rounds", 5),
                    "catch_40": list(range(61, 101)),
                }[game]
            )
        naive = NaiveDrill(game, numbers, people, **options)
        for _ in range(100):
            _visit(given, naive, chance)
            if naive.winners is not None:
                break
        ended += naive.winners is not None
    assert ended > 1, "too few came to their end"


def _visit(given: Record, naive: NaiveDrill, chance: random.Random) -> None:
    position, side = given.match.position, naive.side
    assert (position.visit.side, position.visit.round) == (side, naive.round)
    darts: list[str] = []
    for _ in range(3 if chance.random() < 0.9 else 1):
        if given.state["phase"] == "throwing":
            aimed = given.match.advice().aim or "MISS"
            darts.append(aimed if chance.random() < 0.6 else chance.choice(ANYWHERE))
            given.feed({"throw": darts[-1]})
    if given.state["phase"] == "throwing":
        given.feed("/")
    taken = naive.visit(darts)
    assert taken >= len(darts)
    player = naive.players[side]
    state = given.state
    assert state["winners"] == (naive.winners or [])
    if state["phase"] == "takeout":
        state = given.play("/")
    detail = state["sides"][side]["detail"]
    assert (detail["points"], detail["tries"]) == (player.points, player.tries)
    assert detail["number"] == player.numbers[min(player.place, len(player.numbers) - 1)]
    if naive.side != side and naive.winners is None:
        assert state["sides"][side]["score"] == player.left


def test_the_numbers_are_the_same_for_all_and_can_be_finished() -> None:
    given = Record(header("random_checkout", PEOPLE, options={"lowest": 150, "highest": 170, "rounds": 100}))
    numbers = given.match.position.state.plan.numbers
    assert set(numbers) <= {n for n in range(150, 171) if can_finish(n, 3, "double", "25/50")}
    assert len(set(numbers)) > 8
    assert [side["score"] for side in given.state["sides"]] == [numbers[0]] * 3
    given.play("/ / /")
    assert given.state["sides"][0]["score"] == numbers[1]


def test_a_golden_count() -> None:
    """Every visit of a few darts by each of two, with one turn each: what is left, the points, who has won."""
    darts = ("T20", "S1", "D20", "MISS")
    rules = referee("checkout_121", {"start": 101, "turns": 1})
    found = perft(rules, rules.start()[0], darts, 6)
    seen = Counter((p.state.points, p.state.left, p.winners) for p in found)
    numbers, expected = list(range(101, 171)), Counter[Any]()
    visits = set()
    for three in product(darts, repeat=3):
        alone = NaiveDrill("checkout_121", numbers, 1)
        visits.add(three[: alone.visit(list(three))])
    for one, other in product(visits, repeat=2):
        naive = NaiveDrill("checkout_121", numbers, 2, turns=1)
        naive.visit(list(one))
        naive.visit(list(other))
        points, left = zip(*[(player.points, player.left) for player in naive.players], strict=True)
        expected[points, left, tuple(naive.winners or ())] += 1
    assert seen == expected
    assert (seen.total(), len(seen)) == (3025, 169)
