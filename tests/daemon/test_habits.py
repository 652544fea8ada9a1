"""The days on which a player has thrown, goals, and the doubles that need practice."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.history.habits import Habits, find_habits
from daemon.admin.history.player_figures import Selection, collect_appearances
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.player_files import PlayerRefused
from daemon.admin.requests import ChangePlayer, Goal
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.commanding import give
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import configure
from tests.daemon.test_history import read
from tests.daemon.test_statistics import ask

FIRST = DAY.astimezone().date()


def habits_of(folder: Path, today: date, *goals: Goal, name: str = "ann") -> Habits:
    return find_habits(collect_appearances(read(folder), Selection())[name], goals, today)


def play_on(folder: Path, *days: int) -> None:
    """Three darts of Ann on each of these days."""
    with Evening(folder) as evening:
        for day in days:
            evening.play("T20 S1 D20", day=day, options={"start": 101})


def test_each_day_has_the_darts_of_its_matches(tmp_path: Path) -> None:
    play_on(tmp_path, 0, 1, 1, 84, 90)
    with Evening(tmp_path) as evening:
        evening.play("T20", {"stop": True}, day=2)
    shown = {n: (FIRST + timedelta(days=n)).isoformat() for n in (0, 1, 2, 84, 90)}
    assert habits_of(tmp_path, FIRST + timedelta(days=83)).days == {shown[0]: 3, shown[1]: 6, shown[2]: 1}
    assert habits_of(tmp_path, FIRST + timedelta(days=85)).days == {shown[2]: 1, shown[84]: 3}
    assert habits_of(tmp_path, FIRST + timedelta(days=2), name="bo").days == {}, "Bo has thrown nothing"


@pytest.mark.parametrize(
    ("today", "days", "weeks", "darts"),
    [(4, 3, 2, 15), (5, 3, 2, 15), (6, 0, 2, 15), (9, 0, 2, 0), (16, 0, 0, 0)],
)
def test_streaks_go_on_until_a_day_or_a_week_was_missed(
    tmp_path: Path, today: int, days: int, weeks: int, darts: int
) -> None:
    monday = FIRST + timedelta(days=-FIRST.weekday() + 7)
    start = (monday - FIRST).days
    play_on(tmp_path, *(start + n for n in (-5, 0, 0, 2, 3, 4)))
    goals = Goal(kind="days", amount=3), Goal(kind="weeks", amount=3), Goal(kind="darts", amount=15)
    found = habits_of(tmp_path, monday + timedelta(days=today), *goals).goals
    assert [goal.value for goal in found] == [days, weeks, darts]
    assert [goal.is_reached for goal in found] == [days >= 3, weeks >= 3, darts >= 15]


def test_an_average_is_that_of_the_latest_five_matches(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play("MISS MISS MISS / MISS MISS MISS / T20 S1 D20", options={"start": 101})
        for day in range(1, 6):
            evening.play("T20 S1 D20", day=day, options={"start": 101})
        evening.play("MISS MISS", {"stop": True}, day=7, options={"start": 101})
        evening.throw(3, day=8, game="cricket")
    goals = (
        Goal(kind="average", amount=101, game="101"),
        Goal(kind="average", amount=2, game="cricket"),
        Goal(kind="average", amount=2, game="gotcha"),
    )
    first, second, third = habits_of(tmp_path, FIRST, *goals).goals
    assert (first.value, first.is_reached, first.label, first.figure) == (101.0, True, "101", "average")
    assert (second.label, second.figure) == ("Cricket", "mpr")
    assert (third.value, third.is_reached, third.label) == (None, False, None)


def test_only_possible_goals_are_kept_and_a_rename_or_merge_keeps_them(tmp_path: Path) -> None:
    book = PlayerBook(tmp_path)
    goal = Goal(kind="darts", amount=300)
    book.change(ChangePlayer("Ann", goals=(goal,)))
    for wrong, said in (
        (Goal(kind="days", amount=1.5), "the amount of this goal must be a whole number"),
        (Goal(kind="average", amount=181, game="501"), "the amount of this goal may be at most 180"),
        (Goal(kind="average", amount=60), "choose the game in which the average is to be reached"),
    ):
        with pytest.raises(PlayerRefused, match=said):
            book.change(ChangePlayer("Ann", goals=(wrong,)))
    book.change(ChangePlayer("Ann", nickname="Ace"))
    book.rename("Ann", "Annie", [])
    book.merge("Bo", "Annie")
    assert [player.profile.goals for player in book.list_players()] == [(goal,)]
    book.remove("Annie")
    assert b'"darts"' not in (tmp_path / "players.db").read_bytes()


async def test_the_weakest_doubles_are_proposed_and_one_start_begins_them(tmp_path: Path, unused_tcp_port: int) -> None:
    start = (datetime.now(UTC) - DAY).days
    with Evening(tmp_path / "state") as evening:
        misses = "MISS MISS MISS / " * 3
        for day, double in enumerate(("D1", "D2", "D3", "D4")):
            hits = f"{double} MISS MISS / " * day + misses
            options = {"target": double, "count": 3 * day + 9}
            evening.play(
                hits.removesuffix("/ "),
                day=start - day,
                game="segment_training",
                players=["Ann"],
                options=options,
            )
        evening.play("MISS MISS MISS", day=start, game="segment_training", players=["Bo"], options={"count": 3})
    PlayerBook(tmp_path / "state").change(ChangePlayer("Ann", goals=(Goal(kind="days", amount=2),)))
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        assert (await ask(web, "/api/stats/player", name="Bo"))["practice"] is None
        found = await ask(web, "/api/stats/player", name="ann", game="segment_training")
        assert [(goal["kind"], goal["amount"], goal["value"]) for goal in found["goals"]] == [("days", 2.0, 4)]
        assert len(found["days"]) == 4
        practice = found["practice"]
        assert [(each["target"], each["hits"], each["darts"]) for each in practice.pop("doubles")] == [
            ("D2", 1, 12),
            ("D3", 2, 15),
            ("D4", 3, 18),
        ], "of D1 too few darts were thrown"
        table = running.tables["main"]
        await give(table, {"start": {**practice, "players": ["Ann"]}}, "page")
        state = table.state()
        assert state.title == "Segment Training: D2"
        assert (state.routine.title, state.routine.exercise, state.routine.of) == ("D2, D3, D4", 1, 3)  # type: ignore[union-attr]
