"""A finished match keeps what it came to: no change of the rules, and no game that is gone, takes that back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.admin.history.forget import forget_player
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.listing import Listing
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, collect_appearances, rank_players
from daemon.errors import UserError
from daemon.journal.writer import JournalWriter
from daemon.table.table import Table
from engine.games import GAMES
from tests.commanding import give
from tests.daemon.test_drafts import spoil
from tests.daemon.test_durability import table_in

START = {"start": {"game": "101", "players": ["Ann", "Bo"], "seed": "a"}}


async def play(table: Table, *darts: str) -> None:
    for dart in darts:
        await give(table, {"undo": True} if dart == "undo" else {"throw": dart}, "page")


async def play_one(folder: Path) -> None:
    """Ann has beaten Bo; no other match has begun since."""
    async with table_in(folder) as table:
        await give(table, START, "page")
        await play(table, "T20", "S1", "D20")


def change_rules(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(type(GAMES["x01"]), "score", lambda *_: 7)


def take_game_away(patch: pytest.MonkeyPatch) -> None:
    games = {**GAMES}
    for name in reversed(games):  # so that all are put back in their order, which other tests see
        patch.delitem(GAMES, name)
    for name, each in games.items():
        if name != "x01":
            patch.setitem(GAMES, name, each)


def read(folder: Path) -> list[PlayedMatch]:
    """What is counted, without what an earlier reading has cached."""
    (folder / "statistics.cache").unlink(missing_ok=True)
    return [*History(folder, {}, "1").counted_matches()]


@pytest.mark.parametrize("change", [change_rules, take_game_away])
async def test_a_change_of_the_rules_changes_no_result(
    tmp_path: Path, change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await play_one(tmp_path)
    before = read(tmp_path)
    (match,) = before
    assert [(part.player, part.won) for part in match.parts] == [("Ann", True), ("Bo", False)]
    change(monkeypatch)
    assert read(tmp_path) == [replace(match, standings=())]  # the scores alone need the rules
    history = History(tmp_path, {}, "2")
    entry = Listing(history, history.all_matches()).find(match.id)
    assert (entry.standing, entry.winners, entry.title) == ("over", ("Ann",), "101")
    ann, bo = rank_players(collect_appearances(read(tmp_path), Selection()))
    assert (ann.won, ann.darts, bo.won) == (1, 3, 0)
    with pytest.raises(UserError, match="cannot be replayed"):
        MatchReader(JournalSource(history)).describe(match.id)
    assert forget_player(tmp_path, ["ann"]).matches == 1
    assert [[part.player for part in each.parts] for each in read(tmp_path)] == [["Forgotten player 1", "Bo"]]


async def test_a_correction_has_its_own_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with table_in(tmp_path) as table:
        await give(table, START, "page")
        await play(table, "T20", "S1", "D20", "undo", "undo", "S9", "D16")
        await give(table, START, "page")
    take_game_away(monkeypatch)
    (match,) = read(tmp_path)
    assert match.parts[0].tally.hits == {"T20": 1, "S9": 1, "D16": 1}


async def test_a_match_that_goes_on_has_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with table_in(tmp_path) as table:
        await give(table, START, "page")
        await play(table, "T20", "S1", "D20", "undo")
    take_game_away(monkeypatch)
    assert read(tmp_path) == []


async def test_a_result_that_was_not_kept_in_time_is_kept_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play_one(tmp_path)
    with closing(sqlite3.connect(tmp_path / "main.sqlite3", isolation_level=None)) as db:
        db.execute("delete from record")
    async with table_in(tmp_path):
        pass
    take_game_away(monkeypatch)
    assert [part.won for part in read(tmp_path)[0].parts] == [True, False]


async def test_a_mended_journal_has_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await play_one(tmp_path)
    async with table_in(tmp_path) as table:
        await give(table, START, "page")
    spoil(tmp_path / "main.sqlite3")
    writer = JournalWriter("main", tmp_path / "main.sqlite3")
    await writer.open()
    await writer.close()
    assert writer.remark is not None
    take_game_away(monkeypatch)
    assert [part.won for part in read(tmp_path)[0].parts] == [True, False]
