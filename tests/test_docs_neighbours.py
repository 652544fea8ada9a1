"""The page that puts games and options beside those of others names nothing that is not there."""

from __future__ import annotations

import re

from engine.games import GAMES, PRESETS, game
from engine.routines import SHIPPED
from tests.pages import ROOT

PAGE = (ROOT / "docs" / "neighbours.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## Games and options")[2].partition("\n## ")[0]


def test_every_game_and_option_that_is_named_is_there() -> None:
    rows = re.findall(r"^\|.*\| ([^|]+) \|$", TABLE, re.MULTILINE)[1:]
    named = [name for text in rows for name in re.findall(r"`([^`]+)`", text)]
    assert len(rows) > 40
    routines = {routine.name for routine in SHIPPED}  # other tests may have read some of a configuration
    for name in named:
        chosen, _, option = name.partition(".")
        if name == "format":
            continue
        assert chosen in (*GAMES, *PRESETS, *routines), name
        assert not option or option in game(chosen).options_type.__struct_encode_fields__, name
    assert routines <= set(named)
