"""A ghost throws the darts of a recorded leg: which leg that is, at a table, and when its player is forgotten."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.history.forget import forget_player
from daemon.admin.history.ghost import plan_ghost
from daemon.admin.history.history import History
from daemon.admin.history.match_cache import FILE
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.journal.stored import StoredJournal
from protocol.commands import CommandError
from protocol.layouts import find_layout
from protocol.match_spec import Unreadable, read_header
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import configure
from tests.daemon.test_bots import evening
from tests.daemon.test_finished_matches import refusal
from tests.daemon.test_forget import find_in_files, post
from tests.daemon.test_statistics import ask
from tests.engine.records import Record, header
from tests.simulator.hurry import in_no_time

NAME = "Kim (4 darts)"
GHOST = {"player": "Kim", "visits": [["T20", "S1", "MISS"], ["D20"]]}
OF_KIM: dict[str, Any] = {  # Any: JSON
    "game": "x01",
    "options": {"start": 101},
    "players": ["Ann", f"bot:20::{NAME}"],
    "ghosts": [None, GHOST],
}
CORRECTED: list[dict[str, Any] | str] = [  # Any: JSON
    "T20 S1",
    {"amend": 3, "throw": "S20"},
    {"amend": 3, "throw": "S1"},
    "D5",
    {"undo": True},
    "D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20",
]


@in_no_time
async def test_a_ghost_throws_its_leg_in_each_leg_also_after_an_undo(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await give(ours.table, {"start": {**OF_KIM, "format": {"legs": 2}}}, "page")
        await ours.play("S1", "S1", "S1")
        await ours.until_turn("Ann")
        for _ in range(2):
            await give(ours.table, {"undo": True}, "page")
        await ours.until_turn("Ann")
        await ours.play("S1", "S1", "S1")
        await ours.until_turn("Ann")
        await ours.play("S1", "S1", "S1")
        await ours.until(lambda: ours.phase == "over")
        thrown = [str(event.segment) for _, event in ours.events if (event.event_type, event.player) == ("dart", NAME)]
        assert thrown == ["T20", "S1", "MISS", "MISS", "D20", "T20", "S1", "MISS", "D20"]
        assert ours.table.state().winners == (1,)


@in_no_time
async def test_a_ghost_misses_when_its_leg_is_used_up(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await give(ours.table, {"start": {**OF_KIM, "options": {"start": 501}}}, "page")
        for _ in range(3):
            await ours.play("S1", "S1", "S1")
            await ours.until_turn("Ann")
        assert ours.table.state().sides[1].score == 400


class Played:
    """The matches of an evening by their ids."""

    legs = team = totals = ""


@pytest.fixture
def played(tmp_path: Path) -> Played:
    found = Played()
    with Evening(tmp_path / "state") as evening:
        found.legs = evening.play(*CORRECTED, players=["Kim", "Bo"], options={"start": 101}, format={"legs": 2})
        found.team = evening.play(
            "T20 S1 D20", day=1, players=["Kim", "Cy", "Bo"], teams=[[0, 1], [2]], options={"start": 101}
        )
        found.totals = evening.play({"total": 60}, {"stop": True}, day=2, players=["Kim"])
        evening.play("D20 /", day=3, players=["Bo"])
    return found


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int, played: Played) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


@pytest.mark.slow
async def test_the_plan_of_a_match_against_a_leg_is_that_of_its_record(
    web: aiohttp.ClientSession, played: Played, running: RunningDaemon
) -> None:
    match, team, totals = played.legs, played.team, played.totals
    best = await ask(web, f"/api/match/{match}/ghost", name="kim")
    assert best["ghosts"] == [None, {"player": "Kim", "visits": [["T20", "S1", "D20"]]}]
    second = await ask(web, f"/api/match/{match}/ghost", name="Kim", leg="1")
    assert second["ghosts"] == [None, GHOST]
    assert (second["game"], second["title"], second["players"]) == ("x01", "101", ["Kim", "bot:20"])
    of_bo = await ask(web, f"/api/match/{match}/ghost", name="Bo")
    assert of_bo["ghosts"][1]["visits"] == [["S20"] * 3, ["S1"] * 3], "Bo had no dart in the first leg"
    figures = await ask(web, "/api/stats/player", name="Kim")
    assert [each["best_match"] for each in figures["games"] if each["variant"] == "101"] == [match]

    for path in (
        f"{match}/ghost?name=Cy",
        f"{match}/ghost?name=Kim&leg=2",
        *(f"{each}/ghost?name=Kim" for each in (team, totals)),
    ):
        status, text = await refusal(web, f"/api/match/{path}")
        assert (status, text) == (404, "there is no such leg with one player whose darts are known one by one")
    gone = await refusal(web, "/api/match/gone/ghost?name=Kim")
    assert gone == (404, "there is no finished match with this id")
    status, text = await refusal(web, f"/api/match/{match}/ghost?name=Kim&leg=x")
    assert (status, text) == (400, "leg must be the number of a leg of the match, counted from 0")

    await post(web, "/api/table/main/start", {key: second[key] for key in ("game", "options", "players", "ghosts")})
    assert running.tables["main"].match.header.ghosts is not None


def test_what_belongs_to_the_players_of_then_is_not_planned_for_a_ghost() -> None:
    """A match alone has the doubles and the scatter of one player, and a ghost makes two."""
    played = Record(header(players=["Kim"], options={"start": 101, "doubles": [[20]], "scatter": [18.5]}))
    played.feed("T20 S1 D20")
    plan = plan_ghost(played.match, [*played.match.list_positions()], "Kim", None)
    assert plan is not None
    assert plan.options == {"start": 101}
    again = Record(header(players=list(plan.players), options=dict(plan.options)))
    assert len(again.match.seating.players) == 2


def test_a_forgotten_players_ghost_has_no_name(tmp_path: Path) -> None:
    with Evening(tmp_path) as played:
        played.play("S1 S1 S1 /", {"stop": True}, **OF_KIM)
        played.play("S1 S1 S1 /", {"stop": True}, day=1)
    list(History(tmp_path, {"main": find_layout("standard")}, "test").counted_matches())  # which caches their names
    assert find_in_files(tmp_path, "Kim") == ["main.sqlite3", FILE]
    assert forget_player(tmp_path, {"kim"}).matches == 1
    assert find_in_files(tmp_path, "Kim") == []
    _, header = StoredJournal(tmp_path / "main.sqlite3").headers(-1)[-1]
    assert (header["players"][1], header["ghosts"][1]["player"]) == ("Forgotten player 2",) * 2


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"ghosts": [GHOST]}, "ghosts has 1 legs for 2 players: write null where there is none"),
        ({"ghosts": [GHOST, None]}, "player 1 has a leg in ghosts and is no bot: call this player bot:20"),
        ({"ghosts": [None, {"player": "Kim", "visits": []}]}, "header: "),
    ],
)
def test_a_ghost_that_cannot_be_is_refused(more: dict[str, Any], reason: str) -> None:  # Any: JSON
    with pytest.raises(Unreadable, match=re.escape(reason)):
        read_header({"oche": 1, **OF_KIM, **more})


async def test_a_ghost_of_another_board_is_refused(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        with pytest.raises(CommandError, match="the standard layout of this board has no 'G7'"):
            await give(ours.table, {"start": {**OF_KIM, "ghosts": [None, {**GHOST, "visits": [["G7"]]}]}}, "page")
