"""The game in docs/games.md is whole: it is run as it stands there, under the laws of those that ship."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from engine import game
from engine.game import Game, Panel
from protocol import facts
from protocol.facts import Bust, Fact
from tests.engine.contract import check
from tests.engine.moves import headers, line_of, moves, record
from tests.engine.records import Record, header

PAGE = (Path(__file__).parent.parent / "docs" / "games.md").read_text(encoding="utf-8")


def source_of() -> str:
    """The text of the game on the page."""
    found = re.search(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def written() -> Game[Any, Any]:
    """The game on the page."""
    names: dict[str, Any] = {"__name__": "nearest"}  # Any: what the page defines
    exec(compile(source_of(), "docs/games.md", "exec", dont_inherit=True), names)
    game: Game[Any, Any] = names["Nearest"]()
    return game


NEAREST = written()


def test_it_plays_as_its_rule_sheet_says() -> None:
    match = Record(header("nearest", options={"rounds": 2}), NEAREST)
    match.play("T20 S1 MISS / T20")
    assert match.match.turn.points == 60
    assert Bust(side=1) in match.add({"throw": "S2"}).facts
    state = match.state
    assert (state["phase"], [side["score"] for side in state["sides"]]) == ("takeout", [1, 0]), "62 is over the goal"
    assert state["board"] == {"goal": 61}
    state = match.play("/ S20 MISS MISS / S20 S19 S1")
    assert (state["phase"], state["winners"], [side["score"] for side in state["sides"]]) == ("over", [0, 1], [1, 1])


def test_the_facts_it_lists_are_those_that_a_game_tells() -> None:
    listed = [eval(call, vars(facts)) for call in re.findall(r"`([A-Z]\w+\(side=0.*?\))`", PAGE)]
    assert {type(fact) for fact in listed} == {
        fact for fact in vars(game).values() if isinstance(fact, type) and issubclass(fact, Fact) and fact is not Fact
    }
    with pytest.raises(TypeError):
        Bust(0)  # type: ignore[call-arg]


def test_a_panel_has_what_it_says() -> None:
    (listed,) = re.findall(r"`Panel\((.+?)\)`:?", PAGE.partition("**A panel**")[2])[:1]
    assert [name.partition("=")[0] for name in listed.split(", ")] == [field.name for field in fields(Panel)]


def test_its_advice_ends_on_the_goal() -> None:
    match = Record(header("nearest"), NEAREST)
    for _ in range(3):
        match.play({"throw": match.match.advice().aim})
    assert match.state["sides"][0]["detail"] == {"visit": 61}


@settings(max_examples=30)
@given(data=st.data())
def test_the_laws_hold_for_it(data: st.DataObject) -> None:
    played = record(data.draw(headers(NEAREST)), NEAREST)
    for move in data.draw(moves(40)):
        before = played.but_line()
        line = line_of(move, played)
        if played.add(line).accepted and "throw" in line and "amend" not in line:
            after = played.but_line()
            played.play({"undo": True})
            assert played.but_line() == before
            played.play({"redo": True})
            assert played.but_line() == after
        check(played.encoded(), len(played.first["players"]))


def test_every_face_it_speaks_of_is_known_to_the_page() -> None:
    faces = (Path(__file__).parent.parent / "daemon/web/page/faces/faces.js").read_text(encoding="utf-8")
    for face in ("plain", "x01", "sheet", "marks", "track", "lives", "grid"):
        assert f"| `{face}` |" in PAGE
        assert re.search(rf"\b{face}[:,]", faces), face
