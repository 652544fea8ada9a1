"""The story of an evening: which matches it has, what was done for the first time, and which records there are."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from daemon.admin.history import evening as told
from daemon.admin.history.evening import Evening, tell_evening
from daemon.admin.history.history import History
from daemon.admin.players.names import NO_NAMES, PlayerNames
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from protocol.layouts import find_layout
from tests.daemon.evenings import DAY
from tests.daemon.evenings import Evening as Journal
from tests.daemon.process import configure
from tests.daemon.test_statistics import ask, get

NOON = DAY.replace(hour=12)
OUT_101, OUT_40 = "T20 S1 D20", "T20 S1 MISS / S1 S1 S1 / D20"


def tell(folder: Path, day: int, names: PlayerNames = NO_NAMES) -> Evening:
    """The story of that day, from noon to noon."""
    since = NOON + timedelta(days=day)
    history = History(folder, {"main": find_layout("standard")}, "test")
    return tell_evening(history.counted_matches(), since, since + timedelta(days=1), names)


def test_it_has_the_matches_between_two_noons(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        before = journal.play(OUT_101, day=0, options={"start": 101})
        first = journal.play(OUT_101, day=2, options={"start": 101})
        stopped = journal.play("T20 T20 T20 / S1", {"stop": True}, day=2)
        after = journal.play(OUT_101, day=5, options={"start": 101})
        journal.play(OUT_101, day=6, options={"start": 101})
    story = tell(tmp_path, 2)
    assert [each.result.match for each in story.matches] == [first, stopped]
    assert [each.result.standing for each in story.matches] == ["over", "stopped"]
    assert [each.best_visit and (each.best_visit.player, each.best_visit.points) for each in story.matches] == [
        ("Ann", 101),
        ("Ann", 180),
    ]
    assert [(each.name, each.matches, each.won) for each in story.players] == [("Ann", 2, 1), ("Bo", 2, 0)]
    assert (story.earlier, story.later, story.more) == (
        DAY.isoformat(timespec="milliseconds"),
        (DAY + timedelta(days=5)).isoformat(timespec="milliseconds"),
        False,
    )
    assert before != after
    empty = tell(tmp_path, 3)
    assert (empty.matches, empty.players, empty.records, empty.firsts) == ((), (), (), ())


def test_first_times_are_told_once(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.play(OUT_40, day=0, options={"start": 101})
        second = journal.play("T20 T20 T20 / S1 S1 S1 / T20 S1 D20", day=1, options={"start": 281})
        third = journal.play("T20 T20 T20 / S1 S1 S1 / T20 S1 D20", day=1, options={"start": 281})
        journal.throw(1, day=1, players=["Cy", "Bot"], bots=[None, 40], options={"start": 101})
    firsts = [(each.kind, each.player, each.match) for each in tell(tmp_path, 1).firsts]
    assert firsts[:2] == [("180", "Ann", second), ("high_finish", "Ann", second)]
    assert (firsts[2][:2], {player for _, player, _ in firsts[2:]}) == (("match", "Cy"), {"Cy"})
    badges = [(each.badge, each.tier, each.player, each.match) for each in tell(tmp_path, 1).badges]
    assert ("maximums", 1, "Ann", second) in badges
    assert ("first_match", 1) not in {(badge, tier) for badge, tier, player, _ in badges if player == "Ann"}
    assert "Bot" not in {player for _, _, player, _ in badges}
    assert third not in {match for _, _, match in firsts}
    assert [each.kind for each in tell(tmp_path, 0).firsts] == ["match", "win", "match"]


def test_records_are_those_of_the_evening_and_those_of_a_player(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.play(OUT_40, day=0, options={"start": 101})  # four darts, a finish of 40
        journal.play("MISS MISS MISS / T20 S1 D20", day=0, options={"start": 101})
        match = journal.play("MISS MISS MISS / T20 S1 MISS / S20 S20 MISS / D20", day=1, options={"start": 101})
        better = journal.play(OUT_101, day=1, options={"start": 101})
        for day, darts in ((0, "SB MISS MISS"), (1, "DB SB SB")):
            journal.play(darts, day=day, game="eagles_eye", players=["Gil"], options={"rounds": 1})
    story = tell(tmp_path, 1)
    found = {(each.kind, each.player): each for each in story.records}
    assert {key: (each.value, each.of_evening, each.is_personal) for key, each in found.items()} == {
        ("visit", "Ann"): (101, True, True),
        ("finish", "Ann"): (101, True, True),
        ("leg", "Ann"): (3, True, True),
        ("result", "Gil"): (100, False, True),
    }
    assert {each.match for each in story.records if each.player == "Ann"} == {better}
    assert match != better
    assert (found["leg", "Ann"].label, found["visit", "Ann"].label) == ("101", "")
    uncounted = tell(tmp_path, 1, PlayerNames(uncounted=frozenset({"ann"})))
    assert {each.player for each in uncounted.records} == {"Bo", "Gil"}
    assert len(uncounted.matches) == 3


def test_it_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "MOST_MATCHES", 2)
    with Journal(tmp_path) as journal:
        matches = [journal.play(OUT_101, options={"start": 101}) for _ in range(3)]
    story = tell(tmp_path, 0)
    assert ([each.result.match for each in story.matches], story.more) == (matches[1:], True)


def test_badges_of_the_highest_tiers_come_first(tmp_path: Path) -> None:
    """Also where there are more than are told, and the best are those of the last player."""
    with Journal(tmp_path) as journal:
        players = [f"Player {seat}" for seat in range(1, 17)]
        journal.play("MISS MISS MISS / " * 15 + "T20 T20 DB", players=players, options={"start": 170})
    badges = tell(tmp_path, 0).badges
    tiers = [each.tier for each in badges]
    assert (len(badges), tiers) == (40, sorted(tiers, reverse=True))
    assert ("big_fish", players[-1]) in {(each.badge, each.player) for each in badges}


async def test_it_is_asked_for_by_its_moments(tmp_path: Path, unused_tcp_port: int) -> None:
    with Journal(tmp_path / "state") as journal:
        match = journal.play(OUT_101, options={"start": 101})
    moments = {"since": NOON.isoformat(), "before": (NOON + timedelta(days=1)).isoformat()}
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        story = await ask(web, "/api/evening", **moments)
        assert [each["result"]["match"] for each in story["matches"]] == [match]
        assert json.dumps(story).count("Ann") > 3
        for query in ({}, {**moments, "before": moments["since"]}, {**moments, "since": "2026-01-01"}):
            status, said = await get(web, "/api/evening", **query)
            assert (status, said) == (
                400,
                "since and before must be moments, the first one earlier, and a week apart at most",
            )
