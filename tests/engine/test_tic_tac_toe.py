"""Tic-Tac-Toe: what else its rule sheet promises: facts, figures, new squares and advice."""

from __future__ import annotations

from typing import Any

import pytest

from engine.facts import Claimed, MatchWon
from engine.record import Unreadable
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.records import Record, header

FACE = layout("standard")


def game(people: int = 2, **options: Any) -> Record:  # Any: JSON
    return Record(header("tic_tac_toe", ("Ann", "Bo", "Cy")[:people], options={"numbers": "classic", **options}))


def aim(given: Record, sigma_mm: float = 0) -> str | None:
    return given.match.advice(Skill(FACE, sigma_mm)).aim


def told(given: Record, dart: str) -> list[Any]:  # Any: facts
    return [fact for fact in given.add({"throw": dart}).facts if isinstance(fact, Claimed | MatchWon)]


def test_a_cell_is_claimed_once_and_told() -> None:
    given = game()
    assert told(given, "DB") == []
    assert told(given, "DB") == [Claimed(side=0, cell="B")]
    assert told(given, "DB") == []
    given.play("/ DB DB MISS /")
    assert given.state["board"]["cells"][4] == {"label": "B", "owner": 0, "marks": [4, 0]}
    assert given.state["sides"][0]["detail"] == {"mpr": 4.0}
    assert given.state["sides"][1]["detail"] == {"mpr": 0.0}


@pytest.mark.parametrize("line", ["12 20 18", "11 B 6", "7 3 2", "12 11 7", "20 B 3", "18 6 2", "12 B 2", "18 B 7"])
def test_every_line_wins(line: str) -> None:
    given = game(marks=1)
    darts = ["SB" if cell == "B" else f"S{cell}" for cell in line.split()]
    given.play(*({"throw": dart} for dart in darts[:2]))
    assert given.state["phase"] == "throwing"
    assert told(given, darts[2])[-1] == MatchWon(winners=(0,))


def test_a_line_of_the_last_cell_wins_with_any_count() -> None:
    """The board is full with it, and it is a line of the side that has fewer."""
    for full in ("most", "again"):
        given = game(marks=1, full=full)
        given.play("S12 S18 S11 / S20 SB S6 / S2 MISS MISS / S7 MISS MISS / MISS MISS MISS / S3")
        assert given.state["winners"] == [1]
        assert [side["score"] for side in given.state["sides"]] == [4, 5]


def test_new_cells_are_other_numbers() -> None:
    given = game(marks=1, full="again", numbers="drawn")
    before = [cell["label"] for cell in given.state["board"]["cells"]]
    for cells in ((0, 2, 3), (1, 4, 5), (7, 8), (6,)):
        for cell in cells:
            given.play({"throw": "SB" if cell == 4 else f"S{before[cell]}"})
        if cells != (6,):
            given.play("/")
    after = [cell["label"] for cell in given.state["board"]["cells"]]
    assert after != before
    assert after[4] == "B"
    assert len({*after}) == 9
    assert given.play({"undo": True})["board"]["cells"][0]["owner"] == 0
    given.play({"redo": True})
    assert [cell["label"] for cell in given.state["board"]["cells"]] == after, "undo draws nothing else"


def test_three_cannot_play() -> None:
    with pytest.raises(Unreadable, match="tic_tac_toe is for 2 side"):
        game(3)


def test_advice_makes_a_line_and_spoils_one() -> None:
    given = game()
    assert aim(given) == "T12", "three marks in a corner before two in the centre"
    given = game(marks=1)
    given.play("S12 S20 / SB MISS /")
    assert aim(given) == "T18"
    given = game(marks=1)
    given.play("S12 S20 /")
    assert aim(given) == "T18"
    assert aim(given, 30) == "O18"
    given.play("S18 MISS MISS")
    assert aim(given) is None
