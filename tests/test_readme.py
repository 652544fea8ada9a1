"""What ships and is not in the tables of the README does not exist for people: boards to plug in, games to play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games import GAMES, PRESETS
from protocol.codebook import shipped_names

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_board_is_in_the_table(name: str) -> None:
    table = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert any(f"`{name}`" in line for line in table)


def test_every_game_is_in_the_table_and_nothing_else_is() -> None:
    table = README.read_text(encoding="utf-8").partition("| game | what it is |")[2].partition("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.splitlines() if row]
    assert {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)} == set(GAMES)


def test_games_are_as_many_as_it_says() -> None:
    assert (len(GAMES), len(PRESETS)) == (43, 60), "forty-three games and sixty variants"
