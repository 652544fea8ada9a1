"""Hammer Cricket: against the naive scorer, and what the rules name by themselves."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.hammer_cricket import WILD
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.naive_hammer_cricket import NaiveHammer
from tests.engine.records import Record, header
from tests.engine.side_by_side import TEAMS, Pick, play
from tests.engine.test_naive import ANYWHERE
from tests.engine.test_perft import perft, referee
from tests.sweep import sweep

LAST_BUT_ONE = "/ " * 14
"""Two sides miss everything for seven rounds."""


def near(often: float) -> Pick:
    """Darts in the number of the round so often, and anywhere else."""

    def pick(state: dict[str, Any], chance: random.Random) -> list[str]:
        return [chance.choice(_beds(state) if chance.random() < often else ANYWHERE) for _ in range(3)]

    return pick


def level(state: dict[str, Any], chance: random.Random) -> list[str]:
    """Nothing before the last round, and there mostly the same points, for three marks or for one."""
    beds = _beds(state)
    if state["round"] < 8 or "SB" in beds:
        return ["MISS"] * 3
    return chance.choice([[beds[-1], "MISS", "MISS"], ["MISS", beds[0], "MISS"], [beds[0], "MISS", beds[0]]])


def _beds(state: dict[str, Any]) -> list[str]:
    number = state["board"]["rows"][state["board"]["row"]].split()[-1]
    return ["SB", "DB"] if number == "B" else [ring + number for ring in "SIODTT"]


@pytest.mark.parametrize("seed", sweep(range(3), lambda seed: seed == 0))
def test_it_is_scored_as_the_rules_say(seed: int) -> None:
    chance = random.Random(seed)
    ties = shared = 0
    for _ in range(25):
        options, teams = {"masters": chance.random() < 0.5}, chance.choice(TEAMS)
        naive = NaiveHammer(options, teams)

        pick = level if chance.random() < 0.5 else near(chance.choice([0.3, 0.7]))
        play("hammer_cricket", naive, teams, options, chance, pick)
        ties += naive.round == 9
        shared += len(naive.winners) > 1
    assert ties
    assert shared


def test_perft() -> None:
    """A visit of each and a dart that misses: 17 sums of 1, 2 and 3 times none, one or three 20s, for both."""
    rules = referee("hammer_cricket", {})
    found = perft(rules, rules.start()[0], ("T20", "S20", "MISS"), 7)
    seen = [(p.state.sheet, p.visit.round, p.visit.side, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (3**7, 17 * 17)
    first = {_visit(darts, 20) for darts in _three("T20", "S20", "MISS")}
    second = {rules.game.score(p.state, 1) for p in found}
    assert second == first


def _three(*darts: str) -> list[tuple[str, str, str]]:
    return [(one, two, three) for one in darts for two in darts for three in darts]


def _visit(darts: tuple[str, ...], number: int) -> int:
    worth = {f"T{number}": 3 * number, f"S{number}": number}
    return sum(worth.get(dart, 0) * (place + 1) for place, dart in enumerate(darts)) or -3 * number


def test_a_wild_number_is_any_of_ten_and_is_told_once_its_round_begins() -> None:
    seen = set()
    for k in range(60):
        given = Record({**header("hammer_cricket"), "seed": f"wild {k}"})
        assert given.state["board"]["rows"][3] == "WILD"
        given.play("/ " * 6)
        label = given.state["board"]["rows"][3]
        given.play({"undo": True})
        assert given.state["board"]["rows"][3] == "WILD"
        given.play({"redo": True}, "T5 /")
        assert given.state["board"]["rows"][3] == label, "no undo draws again, and it is the same for the other side"
        seen.add(label.removeprefix("WILD "))
    assert seen == {"B" if number == 25 else str(number) for number in WILD}


def test_marks_give_the_awards_of_cricket() -> None:
    def award(darts: str, **options: Any) -> list[str]:
        given = Record(header("hammer_cricket", options=options))
        given.play("/ " * 2 + darts)
        return [name for name in given.match.position.tallies[0].counts if name.startswith("award:")]

    assert award("T19 D19 MISS") == ["award:five_mark"]
    assert award("T19 T19 D19") == ["award:eight_mark"]
    assert award("T19 T19 T19") == ["award:three_in_a_bed"]
    assert award("T19 T19 D19", masters=True) == ["award:six_mark"]
    assert award("T17 T18 T15") == []
    assert award("T20 T20 T20") == [], "nothing of it counts"


def test_the_factors_stand_on_the_board_and_the_lamps_show_what_counts() -> None:
    given = Record(header("hammer_cricket"))
    assert given.state["board"]["x"] == [1, 2, 3]
    assert given.state["targets"] == ["20"]
    given.play(LAST_BUT_ONE)
    assert given.state["board"]["x"] == [1, 3, 5]
    masters = Record(header("hammer_cricket", options={"masters": True}))
    assert masters.state["targets"] == ["T20"]


def test_advice_weighs_the_scatter_and_the_penalty() -> None:
    given = Record(header("hammer_cricket"))

    def aim(sigma: float) -> str | None:
        match = given.match
        return match.game.advise(match.position.state, match.turn, 0, Skill(layout("standard"), sigma)).aim

    assert aim(0) == "T20"
    assert aim(8) == "T20"
    assert aim(60) != "T20", "who scatters widely aims where the number is widest"
    given.play("MISS MISS")
    assert aim(0) == "T20"
    assert aim(22) == "O20", "without a hit the last dart must not miss"
    given.play({"undo": True}, {"undo": True}, "S20 MISS")
    assert aim(22) == "T20"
    given.play("MISS")
    assert aim(0) is None
