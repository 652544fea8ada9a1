"""The game in docs/games.md is whole: it is run as it stands there, under the laws of those that ship."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from daemon.languages.game_words import check_sheet, tell_game
from engine import game
from engine.game import Game, Panel, Preset
from engine.game_check import check_preset, check_preset_options
from engine.match import Match
from engine.trial import trial
from protocol import facts
from protocol.facts import Bust, Fact
from protocol.match_spec import read_header
from tests.engine.contract import check
from tests.engine.moves import headers, line_of, moves, record
from tests.engine.records import Record, header

PAGES = Path(__file__).parent.parent / "docs"
PAGE = (PAGES / "games.md").read_text(encoding="utf-8")


def test_what_the_pages_import_is_promised_to_stay() -> None:
    texts = [PAGE, *(file.read_text(encoding="utf-8") for file in (PAGES / "plugins").rglob("*.py"))]
    imported = {
        name for text in texts for name in re.findall(r"^ *from ((?:engine|protocol)\.\w+) import", text, re.MULTILINE)
    }
    assert {name.partition(".")[0] for name in imported} == {"engine", "protocol"}
    promise = (PAGES / "plugins" / "README.md").read_text(encoding="utf-8").partition("## What stays the same")[2]
    assert sorted(imported - {*re.findall(r"`([\w.]+)`", promise)}) == []


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


def insert(part: str, *, names: str = "", edits: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """What a module has: the game on the page with the block that has `part` in its class, and more names imported."""
    blocks = re.findall(r"^ *```python\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    (block,) = (each for each in blocks[1:] if part in each)
    text = source_of().replace(
        "    sides = range(2, 9)\n", f"    sides = range(2, 9)\n\n{indent(dedent(block), '    ')}"
    )
    for there, wanted in {"import Advice, ": f"import Advice, {names}", **edits}.items():
        assert there in text
        text = text.replace(there, wanted)
    module: dict[str, Any] = {"__name__": "nearest"}  # Any: what the page defines
    exec(compile(text, "docs/games.md", "exec", dont_inherit=True), module)
    return module


def test_its_german_names_every_option() -> None:
    german: Game[Any, Any] = insert("translations = {", names="Translation, ")["Nearest"]()
    assert list(check_sheet(german, "de")) == []
    told = tell_game(german, None, "de")
    assert (told.language, told.rules.count("\n\n")) == ("de", german.rule_sheet.count("\n\n"))
    assert german.translations["de"].labels.keys() == {field.name for field in fields(german.options_type)}


def test_the_question_it_shows_is_asked_in_every_round_and_counts() -> None:
    asked = {
        "visits: tuple[int, ...]\n": "visits: tuple[int, ...]\n    stake: int = 1\n    asked: int = 0\n",
        "scores[side] + 1": "scores[side] + state.stake",
    }
    assert all(f"`{line}`" in PAGE for line in ("stake: int = 1", "asked: int = 0", *list(asked.items())[1]))
    game: Game[Any, Any] = insert("def decide", names="Prompt, ", edits=asked)["Nearest"]()
    trial(game)
    match = Record(header("nearest"), game)
    assert match.state["phase"] == "deciding"
    assert "possible: 1, 2" in match.refused({"choose": "3"})
    match.play({"choose": "2"}, "T20 / S20 / ")
    assert [side["score"] for side in match.state["sides"]] == [2, 0]
    assert [prompt["id"] for prompt in match.state["prompts"]] == ["stake@3"]


def test_older_rules_are_kept_as_it_shows() -> None:
    edits = {
        "import Annotated": "import Annotated, Literal",
        "ge=1, le=100)] = 5\n": 'ge=1, le=100)] = 5\n    ties: Literal["each", "nobody"] = "each"\n',
    }
    game: Game[Any, Any] = insert("def resolve_older", edits=edits)["Nearest"]()
    for rules, ties in ((1, "nobody"), (2, "each")):
        spec = read_header({**header("nearest"), "rules": rules})
        assert Match(spec, game, "luck").options.ties == ties


@pytest.mark.slow
def test_the_tests_it_shows_pass(tmp_path: Path) -> None:
    (tmp_path / "my_game.py").write_text(source_of(), encoding="utf-8")
    (tests,) = re.findall(r"^   ```python\n(.*?)^   ```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_my_game.py").write_text(dedent(tests), encoding="utf-8")
    example = PAGES / "plugins/game/tests/conftest.py"
    (tmp_path / "conftest.py").write_bytes(example.read_bytes())
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path)
    env = {**os.environ, "PYTHONPATH": str(PAGES.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout[-200:].count("2 passed")) == (0, 1), done.stdout


def test_its_variant_is_one() -> None:
    (listed,) = re.findall(r"`PRESETS = \[(Preset\(.+?\))\]`", PAGE)
    preset = check_preset(eval(listed, {"Preset": Preset}), ["nearest"])
    check_preset_options(preset, NEAREST)
    assert NEAREST.title(NEAREST.options_type(**preset.options)) == "Nearest to 101"


def test_every_face_it_speaks_of_is_known_to_the_page() -> None:
    faces = (Path(__file__).parent.parent / "daemon/web/page/faces/faces.js").read_text(encoding="utf-8")
    for face in ("plain", "x01", "sheet", "marks", "track", "lives", "grid"):
        assert f"| `{face}` |" in PAGE
        assert re.search(rf"\b{face}[:,]", faces), face
