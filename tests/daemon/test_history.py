"""What was played, read from the journals: counted once, at once the second time, and never in the daemon's way."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.history import History
from daemon.admin.history.match_cache import FILE, erase_players
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import (
    Appearance,
    Selection,
    collect_appearances,
    find_bests,
    rank_players,
    report_player,
    start_of_day,
)
from daemon.errors import UserError
from engine.statistics import collect_figures
from protocol.layouts import find_layout
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import small_disk

THREE_DARTER = "T20 S1 D20"
START_101: dict[str, Any] = {"options": {"start": 101}}  # Any: JSON


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def history(folder: Path, version: str = "1") -> History:
    return History(folder, {"main": find_layout("standard")}, version)


def read(folder: Path) -> list[PlayedMatch]:
    past = history(folder)
    found = list(past.counted_matches())
    assert past.problems == []
    return found


def players(folder: Path, **wanted: object) -> Mapping[str, list[Appearance]]:
    return collect_appearances(read(folder), Selection(**wanted))  # type: ignore[arg-type]


def test_matches_of_all_tables_are_pooled(folder: Path) -> None:
    with Evening(folder) as evening, Evening(folder, "kitchen") as kitchen:
        evening.play(THREE_DARTER, **START_101)
        kitchen.play("T20 MISS MISS / T20 S1 D20", day=1, **START_101)
    ann, bo = rank_players(players(folder))
    assert (ann.name, ann.matches, ann.won, ann.legs_won, ann.legs, ann.darts) == ("Ann", 2, 1, 1, 2, 6)
    assert (bo.name, bo.matches, bo.won, bo.legs_won, bo.legs, bo.darts) == ("Bo", 2, 1, 1, 2, 3)
    assert (ann.label, ann.figure, ann.value) == ("101", "average", 80.5)
    assert ann.last == (DAY + timedelta(days=1)).isoformat(timespec="milliseconds")
    assert [(each.matches, each.darts) for each in rank_players(players(folder, table="kitchen"))] == [(1, 3), (1, 3)]


def test_names_that_differ_in_capitals_or_blanks_are_one_player(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play(THREE_DARTER, players=["ann  åström", "Bo"], **START_101)
        evening.play(THREE_DARTER, day=1, players=["Ann A\u030aström", "BO"], **START_101)
    assert [(each.name, each.matches) for each in rank_players(players(folder))] == [("Ann A\u030aström", 2), ("BO", 2)]


def test_a_stored_match_of_one_player_twice_counts_for_nobody(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play("T20 MISS MISS / T20 S1 D20", stored_as=["Ann", "ann"], **START_101)
        evening.play("T20", {"stop": True}, day=1, stored_as=["Ann", "Ann "], **START_101)
        evening.play("T20 / " * 2, {"stop": True}, players=["Ann", "Bo", "Cy"], stored_as=["Ann", "Bo", "ann"], day=2)
        evening.play("T20 MISS MISS / MISS MISS MISS / S1 D20", day=3, **START_101)
    ann, bo = rank_players(players(folder))
    assert (ann.name, ann.matches, ann.won, ann.darts) == ("Ann", 1, 1, 5)
    assert (bo.name, bo.matches, bo.darts) == ("Bo", 1, 3)
    assert len([match for match in read(folder) if match.has_player_twice]) == 3


def test_who_has_not_thrown_is_erased_from_the_cache_too(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play("T20", {"stop": True}, players=["Ann", "Esmeralda"])
    assert len(read(folder)) == 1
    assert "Esmeralda" in (folder / FILE).read_text(encoding="utf-8")
    erase_players(folder / FILE, {"esmeralda"})
    assert "Esmeralda" not in (folder / FILE).read_text(encoding="utf-8")


def test_a_result_against_oneself_is_no_best(folder: Path) -> None:
    drill: dict[str, Any] = {"game": "count_up", "options": {"rounds": 1}}  # Any: JSON
    with Evening(folder) as evening:
        evening.play("T20 T20 MISS / S1 S1 S1", **drill)
        twice = evening.play("T20 T20 T20 / S1 S1 S1", day=1, stored_as=["Ann", "ANN"], **drill)
        again = evening.play("T20 T20 S20 / S1 S1 S1", day=2, **drill)
    past = history(folder)
    matches = list(past.counted_matches())
    assert find_bests(matches, twice, past.names) == []
    assert find_bests(matches, again, past.names) == [0], "140 beats the 120 of the first, and the 180 does not count"


def test_the_match_at_the_oche_is_no_history_yet(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play("T20 T20 T20 /")
        assert read(folder) == []
        match = evening.play("T20 S1 D20", day=1, **START_101)
        assert [each.id for each in read(folder)] == [match]
        evening.go_on(match, {"undo": True}, line=5)
        assert read(folder) == [], "its last dart was taken back"
        evening.go_on(match, {"throw": "S20"}, {"next": True}, {"stop": True}, line=6)
        (played,) = read(folder)
        assert played.parts[0].tally.points == 81


def test_a_stopped_match_counts_for_darts_alone(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play("T20 S1 D20 / MISS MISS MISS / S20", {"stop": True}, format={"legs": 2}, **START_101)
        evening.play("T20", {"stop": True}, day=-1)
        evening.play({"stop": True}, day=-2, players=["Cy"])
    played, only_ann = read(folder)
    assert [part.player for part in only_ann.parts] == ["Ann"], "Bo has thrown nothing"
    assert played.was_stopped
    assert [part.won for part in played.parts] == [None, None]
    made = collect_figures(played.parts[0].tally)
    assert (made.darts, made.legs, made.best_leg) == (4, None, None)
    assert made.high_finish == 101
    ann, bo = rank_players(players(folder))
    assert (ann.matches, ann.stopped, ann.won, ann.legs) == (2, 2, 0, 0)
    assert bo.matches == 1


def test_bots_are_left_out_unless_asked_for(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.throw(1, players=["Ann", "Bot"], bots=[None, 45], **START_101)
    assert [each.name for each in rank_players(players(folder))] == ["Ann"]
    assert {each.name: each.is_bot for each in rank_players(players(folder, with_bots=True))} == {
        "Ann": False,
        "Bot": True,
    }


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("x01", ["101"]),
        ("X01", ["101"]),
        ("101", ["101"]),
        ("301", []),
        ("burma road", ["Burma Road"]),
        ("burma_road", ["Burma Road"]),
        ("X01 (start 102)", []),
    ],
)
def test_games_are_chosen_by_id_or_by_the_name_on_the_wall(folder: Path, name: str, titles: list[str]) -> None:
    with Evening(folder) as evening:
        evening.play(THREE_DARTER, **START_101)
        evening.throw(1, day=1, game="burma_road")
    assert [each.label for each in rank_players(players(folder, game=name))] == titles * 2


def test_unlike_games_of_one_name_are_told_apart(folder: Path) -> None:
    """A preset is one variant, a game all of its variants, each by itself."""
    with Evening(folder) as evening:
        for day, name in enumerate(("golf", "golf_maker", "golf_hole_out", "golf_maker")):
            evening.throw(day, day=day, players=["Ann"], game=name)
        evening.throw(4, 20, day=4, players=["Ann"], options={"start": 170})
        evening.throw(5, 20, day=5, players=["Ann"], game="checkout_170")
    theirs = [(game.label, game.variant, game.matches) for game in report_player(players(folder)["ann"]).games]
    golf = [("Golf · golf_maker", "golf_maker", 2), ("Golf", "golf", 1), ("Golf · golf_hole_out", "golf_hole_out", 1)]
    assert theirs == [*golf, ("170 · x01 (start 170)", "x01 (start 170)", 1), ("170", "checkout_170", 1)]
    assert [game.label for game in report_player(players(folder, game="golf_hole_out")["ann"]).games] == [golf[2][0]]
    assert {game.variant for game in report_player(players(folder, game="golf")["ann"]).games} == {
        each[1] for each in golf
    }
    assert report_player(players(folder, game="x01 (start 170)")["ann"]).matches == 1
    assert report_player(players(folder, game="170")["ann"]).matches == 2, "as a name on the wall"


def test_a_trend_is_of_one_figure_and_without_what_was_stopped(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.throw(1, game="cricket")
        evening.throw(2, day=1, game="cricket")
    (before,) = report_player(players(folder)["ann"]).games
    assert before.figure == "mpr"
    assert [point.pooled for point in before.trend] == [before.trend[0].value, before.figures.mpr]
    with Evening(folder) as evening:
        evening.play("T20 T20 T20 /", {"stop": True}, day=2, game="cricket")
    (after,) = report_player(players(folder)["ann"]).games
    assert after.trend == before.trend
    assert (after.figures.mpr or 0) > (before.figures.mpr or 0)
    (ann, _) = rank_players(players(folder))
    assert (ann.figure, ann.value) == ("mpr", after.figures.mpr)


def test_a_report_goes_game_by_game_and_month_by_month(folder: Path) -> None:
    with Evening(folder) as evening:
        for day, darts in enumerate(("T20 S1 D20", "S20 S20 S20 / MISS MISS MISS / S1 D20", "T20 S1 D20")):
            evening.play(darts, day=20 * day, **START_101)
        evening.throw(1, day=70, game="burma_road")
    ann = report_player(players(folder)["ann"])
    assert [(game.title, game.matches, game.won) for game in ann.games] == [
        ("101", 3, 3),
        ("Burma Road", 1, ann.games[1].won),
    ]
    of_101 = ann.games[0]
    assert [(point.value, point.pooled) for point in of_101.trend] == [
        (101.0, 101.0),
        (60.6, round(3 * 202 / 8, 2)),
        (101.0, round(3 * 303 / 11, 2)),
    ]
    assert [(month.month, month.matches, month.value) for month in of_101.months] == [
        ("2026-10", 2, 75.75),
        ("2026-11", 1, 101.0),
    ]
    assert of_101.figures.hits == {"D20": 3, "S20": 3, "S1": 3, "T20": 2}
    assert (of_101.face, of_101.figure) == ("standard", "average")


def test_a_day_begins_at_the_ends_of_the_calendar_too() -> None:
    assert start_of_day(date(1, 1, 1)) < DAY < start_of_day(date(9999, 12, 31))
    assert start_of_day(date(2026, 10, 3)) == datetime(2026, 10, 3).astimezone()


def test_since_is_the_day_on(folder: Path) -> None:
    with Evening(folder) as evening:
        for day in range(3):
            evening.play(THREE_DARTER, day=day, **START_101)
    assert rank_players(players(folder, since=DAY + timedelta(days=1)))[0].matches == 2


def test_every_dart_as_it_counts(folder: Path) -> None:
    with Evening(folder) as evening:
        match = evening.play("T20 S1 S20 / S20 S20 S20 /", {"amend": 3, "throw": "T20"}, {"stop": True}, **START_101)
        evening.play("T20")
    darts = list(history(folder).list_throws({match: frozenset({"Ann", "Bo"})}))
    assert [(d.player, d.visit, d.dart, d.segment, d.points, d.visit_points) for d in darts] == [
        ("Ann", 1, 1, "T20", 60, 0),
        ("Ann", 1, 2, "T20", 60, 0),
        *(("Bo", 2, place, "S20", 20, 60) for place in (1, 2, 3)),
    ]
    assert darts[1].at > darts[0].at >= DAY.isoformat(timespec="milliseconds")
    assert [d.player for d in history(folder).list_throws({match: frozenset({"Bo"})})] == ["Bo"] * 3


def test_a_cached_match_is_not_replayed(folder: Path) -> None:
    """The rules are taken away, so to speak: the cache answers for a match that could not be played any more."""
    with Evening(folder) as evening:
        evening.throw(1)
        evening.play("T20")
        before = read(folder)
    with closing(sqlite3.connect(folder / "main.sqlite3", isolation_level=None)) as db:
        db.execute("update entry set input = '{}' where line < 5")
        db.execute("delete from record")
    assert read(folder) == before
    past = history(folder, version="2")
    assert list(past.counted_matches()) == []
    assert len(past.problems) == 2, "another version of the program plays them again"


def test_a_match_that_cannot_be_played_again_costs_no_other(folder: Path) -> None:
    with Evening(folder) as evening:
        broken = evening.play(THREE_DARTER, **START_101)
        good = evening.play(THREE_DARTER, **START_101)
    with closing(sqlite3.connect(folder / "main.sqlite3", isolation_level=None)) as db:
        db.execute("update entry set input = replace(input, 'T20', 'T21')")
        db.execute("update entry set input = replace(input, 'T21', 'T20') where match = 2")
        db.execute("delete from record")
    for _ in range(2):
        past = history(folder)
        assert [each.id for each in past.counted_matches()] == [good]
        (problem,) = past.problems
        assert problem.startswith(f"the match {broken} of the table main does not count: line 2 is refused: ")


def cached(folder: Path) -> set[str]:
    """The matches that the cache knows."""
    _, *lines = (folder / FILE).read_bytes().splitlines()
    return {json.loads(line)[0] for line in lines}


@pytest.mark.parametrize("damage", ["noise", "empty", "bodies", "torn", "folder"])
def test_a_damaged_cache_is_made_anew(folder: Path, damage: str) -> None:
    with Evening(folder) as evening:
        match = evening.throw(1)
    before, cache = read(folder), folder / FILE
    good = cache.read_bytes()
    if damage == "folder":
        cache.unlink()
        cache.mkdir()
    else:
        bodies = good.replace(b'"was_stopped":false', b'"was_stopped":0.5')
        cache.write_bytes({"noise": b"noise\xff\n" * 5000, "empty": b"", "bodies": bodies, "torn": good[:-9]}[damage])
    assert read(folder) == before
    assert read(folder) == before
    if damage == "torn":
        assert cache.read_bytes() == good[:-9] + good[good.index(b"\n") :]
    elif damage != "folder":
        assert cached(folder) == {match}


@pytest.mark.slow
def test_reading_an_open_match_again_and_again_keeps_the_cache_small(folder: Path) -> None:
    with Evening(folder) as evening:
        match = evening.play("T20")
        for line in range(3, 150):
            evening.go_on(match, {"throw": "MISS"} if line % 4 else {"next": True}, line=line)
            read(folder)
    assert len((folder / FILE).read_bytes().splitlines()) < 120
    assert cached(folder) == {match}


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Nothing can be written any more."""
    with small_disk(0):
        yield


@pytest.fixture
def evening_of_two(folder: Path) -> tuple[list[PlayedMatch], bytes]:
    """Two matches, of which the cache knows the first."""
    with Evening(folder) as evening:
        evening.throw(1)
        read(folder)
        cache = (folder / FILE).read_bytes()
        evening.throw(2, day=1)
        found = read(folder)
    (folder / FILE).write_bytes(cache)
    return found, cache


@pytest.mark.parametrize("state", ["none", "noise", "old", "good"])
def test_a_full_disk_costs_time_only(
    folder: Path, evening_of_two: tuple[list[PlayedMatch], bytes], request: pytest.FixtureRequest, state: str
) -> None:
    expected, good = evening_of_two
    if state == "none":
        (folder / FILE).unlink()
    elif state == "noise":
        (folder / FILE).write_bytes(b"noise " * 5000)
    version = "2" if state == "old" else "1"
    request.getfixturevalue("full_disk")
    past = history(folder, version)
    assert list(past.counted_matches()) == expected
    assert past.problems == []
    if state == "good":
        assert (folder / FILE).read_bytes() == good


def test_the_cache_drops_matches_that_no_journal_has(folder: Path) -> None:
    with Evening(folder) as evening:
        match = evening.throw(1)
        kept = evening.throw(2, day=1)
    assert len(read(folder)) == 2
    with closing(sqlite3.connect(folder / "main.sqlite3")) as db, db:
        db.execute("delete from entry where match = (select number from match where id = ?)", (match,))
        db.execute("delete from match where id = ?", (match,))
    assert [each.id for each in read(folder)] == [kept]
    assert cached(folder) == {kept}


def test_a_copy_of_a_journal_beside_it_counts_nothing_twice(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play(THREE_DARTER, **START_101)
    shutil.copy(folder / "main.sqlite3", folder / "before.sqlite3")
    (played,) = read(folder)
    assert played.table == "main", "a table of the configuration comes first"


def test_a_journal_that_cannot_be_read_is_told_and_the_others_count(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play(THREE_DARTER, **START_101)
    (folder / "noise.sqlite3").write_bytes(b"no database at all " * 500)
    (folder / "new.sqlite3").write_bytes(b"")
    past = history(folder)
    assert len(list(past.counted_matches())) == 1
    (problem,) = past.problems
    assert problem.startswith(f"cannot read the journal {folder / 'noise.sqlite3'}: file is not a database")


def test_the_cache_keeps_matches_of_a_journal_that_is_unreadable_now(folder: Path) -> None:
    with Evening(folder) as evening, Evening(folder, "kitchen") as kitchen:
        evening.throw(1)
        kitchen.throw(2)
    assert len(read(folder)) == 2
    (folder / "kitchen.sqlite3").rename(folder / "aside")
    (folder / "kitchen.sqlite3").write_bytes(b"no database at all " * 500)
    assert len(list(history(folder).counted_matches())) == 1
    assert len(cached(folder)) == 2
    (folder / "kitchen.sqlite3").unlink()
    assert len(read(folder)) == 1
    assert len(cached(folder)) == 1, "its journal is gone for good"


def test_reading_writes_nothing_but_the_cache(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.throw(1)
        living = {file.name for file in folder.iterdir()}
        read(folder)
        assert {file.name for file in folder.iterdir()} == living | {FILE}
    before = (folder / "main.sqlite3").read_bytes()
    read(folder)
    assert {file.name for file in folder.iterdir()} == {"main.sqlite3", FILE}
    assert (folder / "main.sqlite3").read_bytes() == before


def test_no_folder_is_no_history(folder: Path) -> None:
    assert read(folder) == []


def test_a_file_in_its_place_is_told(folder: Path) -> None:
    folder.write_text("a file", encoding="utf-8")
    with pytest.raises(UserError, match=r"cannot read the folder .*: not a directory"):
        read(folder)


def test_a_custom_layout_is_played_on_and_another_games_layout_not(folder: Path) -> None:
    with Evening(folder, layout=find_layout("yatzy")) as evening:
        evening.throw(1, game="yatzy_dart")
    (played,) = read(folder)
    assert played.layout == "yatzy", "though the table has another board now"


def test_a_result_is_a_best_only_when_it_beats_all_before_it(folder: Path) -> None:
    with Evening(folder) as evening:
        for day, darts in enumerate(("SB MISS MISS", "DB SB SB", "SB SB SB", "DB SB SB", "DB DB SB")):
            evening.play(darts, day=day, game="eagles_eye", players=["Ann"], options={"rounds": 1})
        for day, darts in enumerate(("MISS SB", "MISS MISS SB", "SB")):
            evening.play(darts, day=day, game="kill_bull", players=["Ann"], options={"start": 25})
        evening.play(THREE_DARTER, **START_101)
    eagles, kill, x01 = report_player(players(folder)["ann"]).games
    assert [(each.value, each.is_best) for each in eagles.results] == [
        (25, False),
        (100, True),
        (75, False),
        (100, False),
        (125, True),
    ]
    assert (eagles.better, eagles.best) == ("high", eagles.results[-1])
    assert [(each.value, each.is_best) for each in kill.results] == [(2, False), (3, False), (1, True)]
    assert (kill.better, kill.best) == ("low", kill.results[-1])
    assert (x01.better, x01.best, x01.results) == (None, None, ())
