"""What the transcripts of the cricket family cannot show: that nothing leaks, and that matches come to an end."""

from __future__ import annotations

import json
from functools import cache, partial
from typing import Any

import pytest
from msgspec.structs import replace

from engine.games import cricket
from engine.games.cricket_family import value_of
from engine.skill import Skill
from protocol.layouts import find_layout
from tests.engine.records import Record, header
from tests.engine.side_by_side import play_out
from tests.engine.test_transcripts import FOLDER

LAYOUT = find_layout("standard")
skilled = cache(partial(Skill, LAYOUT))


def begun(game: str = "cricket", players: tuple[str, ...] = ("Ann", "Bo"), **options: Any) -> Record:  # Any: JSON
    return Record(header(game, players, options=options))


def aim(given: Record, sigma_mm: float = 0) -> str | None:
    return given.match.advice(skilled(sigma_mm)).aim


def test_the_perfect_player_closes_all_in_eight_darts() -> None:
    match = play_out("no_score_cricket", 0, "oche", 100)
    assert match.position.winners == (0,)
    assert match.position.visit.round == 3
    tally = match.position.tallies[0]
    assert (tally.darts, tally.counts["marks"]) == (8, 21)
    assert match.panel().detail[0]["mpr"] == 7.88


@pytest.mark.parametrize("darts", ["", "T5 S20", "S20 / T5 T1 S19 /", "SB / S8 DB /"])
def test_hidden_numbers_leak_nowhere(darts: str) -> None:
    """Other hidden numbers give the same screen and the same advice, to the last byte."""
    given = begun("hidden_cricket")
    given.play(darts)
    state = given.match.position.state
    before = [given.encoded(seat) for seat in (None, 0, 1)], aim(given), aim(given, 40)
    assert "?" in given.state["board"]["rows"]
    others = iter(n for n in map(str, range(20, 0, -1)) if n not in state.tried and n not in state.rows)
    rows = tuple(next(others) if row in state.hidden else row for row in state.rows)
    changed = replace(state, rows=rows, hidden=frozenset(rows) - {"bull"} - state.tried)
    assert set(rows) != set(state.rows)
    given.match.position = replace(given.match.position, state=changed)
    assert ([given.encoded(seat) for seat in (None, 0, 1)], aim(given), aim(given, 40)) == before


def test_in_cut_throat_the_leader_is_hurt() -> None:
    """Ann has closed all. Bo has fewer points than she has: his open row is worth more than one that Cy has open."""
    given = begun("cut_throat", ("Ann", "Bo", "Cy"))
    given.play("T20 T19 T18 / T17 D17 S1 / MISS / T17 T16 T15 / T20 MISS MISS / T17 T19 MISS / DB SB")
    assert [side["score"] for side in given.state["sides"]] == [34, 0, 34]
    state, turn, rules = given.match.position.state, given.match.turn, cricket.GAMES[0]
    on_bo, on_cy = (rules.uses(state, LAYOUT[bed], turn)[0] for bed in ("T19", "T20"))
    assert value_of(state, turn, on_bo) > value_of(state, turn, on_cy)
    assert aim(given) == "T18", "both have it open"


@pytest.mark.parametrize(("sigma_mm", "most"), [(12, 12), (40, 40)])
@pytest.mark.parametrize("name", ["cricket", "cut_throat", "hidden_cricket", "wild_card"])
def test_two_of_a_kind_come_to_an_end(name: str, sigma_mm: float, most: int) -> None:
    match = play_out(name, sigma_mm, "oche", 1000)
    assert match.position.over
    assert match.position.visit.round <= most


class Forgetful(cricket.Cricket):
    """Cricket as a game that cannot play its older rules."""

    def resolve_older(self, options: cricket.Options, rules: int) -> None:
        return None


def test_a_record_of_rules_that_are_gone_may_go_on_after_the_end() -> None:
    """Rules 1 saw only at the next visit that another's dart had made the winner."""
    path = FOLDER / "cricket" / "cut_throat_won_by_another.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    forgotten = {**lines[0], "game": "cricket", "options": {"scoring": "cut_throat"}, "rules": 1}
    given = Record(forgotten, Forgetful())
    given.play(*lines[1:])
    over = given.but_line()
    given.play({"next": True})
    assert given.but_line() == over
    given.play({"undo": True})
    assert given.but_line() == over
    assert Record({**lines[0], "rules": 2}).play(*lines[1:])["winners"] == [1]
    today = Record({**lines[0], "rules": 2})
    today.play(*lines[1:])
    assert "over" in today.refused({"next": True})
