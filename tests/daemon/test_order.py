"""The order of the sides, thrown for at the bull: in memory; then with bots, the page, and a restart."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from protocol.codebook import shipped
from protocol.commands import CommandError
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.display import DirectDisplay
from tests.daemon.evenings import Evening as Past
from tests.daemon.process import PATIENCE_S, configure
from tests.daemon.test_bots import evening
from tests.daemon.test_statistics import ask
from tests.daemon.test_web import news
from tests.simulator.hurry import in_no_time

JSON = dict[str, Any]  # Any: JSON
THREE = ("Ann", "Bo", "Cy")


def begin(desk: Desk, **header: Any) -> None:  # Any: JSON
    """The match that decides the order of another one with this header."""
    desk.give(start={"players": list(THREE), **header}, order="bull")
    assert desk.state.game == "bull_off"


def throws(desk: Desk, *segment_ids: str) -> None:
    """A dart each, the last of which need not be pulled."""
    for segment_id in segment_ids:
        if desk.phase == "takeout":
            desk.give(next=True)
        desk.give(throw=segment_id)


def test_level_sides_throw_again_and_the_match_begins_in_order() -> None:
    desk = Desk()
    begin(desk, game="soft_301", options={"starts": [301, 201, 101], "doubles": [[1], [2], [3]]})
    assert (desk.plan.game, desk.plan.players) == ("soft_301", THREE)
    throws(desk, "S20", "SB", "S5")
    assert (desk.phase, desk.plan.players) == ("takeout", ("Bo", "Ann", "Cy"))
    throws(desk, "D1", "T1")
    assert (desk.phase, desk.state.winners) == ("over", (1,))
    assert (desk.plan.players, desk.plan.problem) == (("Bo", "Ann", "Cy"), None)
    desk.give(start=None)
    assert (desk.state.game, desk.state.title, desk.player) == ("x01", "301", "Bo")
    assert [(side.name, side.score) for side in desk.state.sides] == [("Bo", 201), ("Ann", 301), ("Cy", 101)]
    assert [list(each) for each in desk.scorer.match.options.doubles] == [[2], [1], [3]]
    assert desk.plan.players == ("Bo", "Ann", "Cy")


def test_the_same_again_is_begun_by_the_next_in_order_once_it_is_over() -> None:
    desk = Desk()
    players = (*THREE, "bot:45")
    desk.give(start={"game": "x01", "players": list(players), "options": {"starts": [40, 60, 80, 100]}})
    assert desk.plan.players == players
    desk.give(stop=True)
    assert desk.plan.players == players, "what was stopped is begun anew as it was"
    desk.give(start=None)
    desk.give(throw="D20")
    assert (desk.phase, desk.plan.players) == ("over", ("Bo", "Cy", "bot:45", "Ann"))
    assert desk.plan.options["starts"] == (60, 80, 100, 40)
    desk.give(undo=True)
    assert desk.plan.players == players
    desk.give(redo=True)
    desk.give(start=None)
    assert [(side.name, side.score) for side in desk.state.sides][:2] == [("Bo", 60), ("Cy", 80)]
    assert desk.player == "Bo"


def test_a_plan_that_a_player_made_keeps_its_order() -> None:
    desk = Desk(options={"start": 101})
    desk.give(game="301")
    throws(desk, "T20", "S1", "D20")
    assert (desk.phase, desk.plan.game, desk.plan.players) == ("over", "301", ("Ann", "Bo"))


def test_a_correction_of_who_was_nearer_is_one_of_the_order() -> None:
    desk = Desk()
    begin(desk, game="x01", players=["Ann", "Bo"])
    throws(desk, "SB", "S20")
    assert desk.plan.players == ("Ann", "Bo")
    desk.give(amend=4, throw="DB")
    assert (desk.phase, desk.plan.players) == ("over", ("Bo", "Ann"))
    desk.give(undo=True)
    assert desk.plan.players == ("Ann", "Bo")
    desk.give(undo=True)
    assert (desk.phase, desk.plan.players) == ("throwing", ("Ann", "Bo"))
    throws(desk, "DB")
    assert desk.plan.players == ("Bo", "Ann")
    desk.give(start={"game": "cricket", "players": ["Ann", "Di"]})
    assert [side.name for side in desk.state.sides] == ["Ann", "Di"]


def test_a_plan_made_meanwhile_stays() -> None:
    desk = Desk()
    begin(desk, game="x01", players=["Ann", "Bo"])
    desk.give(game={"game": "cricket", "players": ["Di", "Eve"]})
    throws(desk, "S20", "SB")
    assert (desk.plan.game, desk.plan.players) == ("cricket", ("Di", "Eve"))


@in_no_time
async def test_teams_come_in_order_with_names_and_bots_throw_for_themselves(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        players = ["Ann", "bot:110", "Cy", "Di"]
        header = {"game": "x01", "players": players, "teams": [[0, 2], [1, 3]], "team_names": ["Home", "Away"]}
        await give(ours.table, {"start": header, "order": "bull"}, "page")
        await give(ours.table, {"throw": "MISS"}, "page")
        await give(ours.table, {"next": True}, "page")
        await ours.until(lambda: ours.phase == "over" or ours.table.state().round > 1)
        assert ours.phase == "over", "a bot of 110 hits the board, and Ann did not"
        assert (ours.table.committed.plan.teams, ours.table.committed.plan.team_names) == (
            ((1, 3), (0, 2)),
            ("Away", "Home"),
        )
        await give(ours.table, {"start": None}, "page")
        state = ours.table.state()
        assert [(side.name, side.players) for side in state.sides] == [
            ("Away", ("Bot 110", "Di")),
            ("Home", ("Ann", "Cy")),
        ]
        await ours.until_turn("Ann")
        assert ours.table.committed.plan.team_names == ("Away", "Home"), "the same again"


@in_no_time
async def test_bots_that_play_alone_keep_their_levels(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await give(ours.table, {"start": {"game": "x01", "players": ["Ann", "bot:110"]}, "order": "bull"}, "page")
        await give(ours.table, {"throw": "MISS"}, "page")
        await give(ours.table, {"next": True}, "page")
        await ours.until(lambda: ours.phase == "over")
        assert ours.table.committed.plan.players == ("bot:110", "Ann")


@pytest.mark.parametrize(
    ("header", "order", "reason"),
    [
        ({"game": "x01", "options": {"start": 3}}, "bull", "option start of x01 is 3"),
        ({"game": "yatzy_dart"}, "bull", "yatzy_dart is played on the yatzy layout"),
        ({"game": "x01"}, "bell", "there is no order 'bell'; did you mean 'bull'?"),
    ],
)
def test_what_cannot_be_played_is_refused_before_a_dart_is_thrown(header: JSON, order: str, reason: str) -> None:
    desk = Desk()
    with pytest.raises(CommandError, match=reason):
        desk.give(start={"players": list(THREE), **header}, order=order)
    assert desk.state.game == "x01"


@pytest.mark.parametrize(
    ("then", "game"),
    [
        ({"game": "x01", "options": {"start": 301}}, "x01"),
        ({"game": "x01", "players": ["Eve"], "teams": [[0, 1]], "team_names": ["All"], "bots": {"1": 50}}, "x01"),
        ({"game": "x01", "options": {"start": "banana"}}, "bull_off"),
        ({"game": "nonesuch"}, "bull_off"),
        ({"nonsense": 1}, "bull_off"),
    ],
)
def test_what_it_is_played_for_may_be_written_by_hand_and_wrong(then: JSON, game: str) -> None:
    desk = Desk()
    desk.give(start={"game": "bull_off", "players": ["Ann", "Bo"], "options": {"then": then}})
    throws(desk, "S20", "SB")
    assert (desk.plan.game, desk.plan.problem) == (game, None)
    if game == "x01":
        assert (desk.plan.players, desk.plan.teams) == (("Bo", "Ann"), None)


def test_a_board_of_another_layout_has_no_bull_to_throw_at() -> None:
    desk = Desk(shipped("plain-yatzy"), game="yatzy_dart")
    with pytest.raises(CommandError, match="the order cannot be decided here: bull_off is played on the standa"):
        desk.give(start=None, order="bull")


def test_one_side_begins_at_once_and_an_empty_start_plays_the_plan() -> None:
    desk = Desk(players=("Ann",))
    desk.give(start=None, order="bull")
    assert desk.state.game == "x01"
    desk.give(game={"game": "cricket", "players": ["Ann", "Bo"]})
    desk.give(start=None, order="bull")
    assert (desk.state.game, desk.plan.game) == ("bull_off", "cricket")
    desk.give(start={"game": "bull_off", "players": ["Ann", "Bo"]}, order="bull")
    assert desk.plan.game == "bull_off", "an order for the order"


@asynccontextmanager
async def visit(setup: CheckedConfig) -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with run_daemon(setup) as running, aiohttp.ClientSession(running.page, timeout=timeout) as web:
        yield web


async def post(web: aiohttp.ClientSession, command: str, body: object = None) -> JSON:
    async with web.post(f"/api/table/main/{command}", json=body) as answer:
        found: JSON = await answer.json()
        assert answer.status == 200, found
        return found


@pytest.mark.slow
async def test_a_restart_between_the_two_forgets_nothing(tmp_path: Path, unused_tcp_port: int) -> None:
    setup = read_config(configure(tmp_path, unused_tcp_port))
    async with visit(setup) as web:
        await post(web, "start", {"game": "501", "players": ["Ann", "Bo"], "format": {"legs": 2}, "order": "bull"})
        await post(web, "throw", {"throw": "S20"})
    async with visit(setup) as web, web.get("/api/table/main/events") as stream:
        coming = news(stream)
        assert [(await anext(coming)).kind for _ in range(3)] == ["board", "state", "plan"]
        await post(web, "next")
        await post(web, "throw", {"throw": "SB", "at": 3})
        while (said := await anext(coming)).kind != "plan":
            pass
        assert said.data["players"] == ["Bo", "Ann"]
    async with visit(setup) as web:
        async with web.get("/api/table/main/plan") as answer:
            assert await answer.json() == said.data
        await post(web, "start")
        async with web.get("/api/table/main/state") as answer:
            state = await answer.json()
        assert (state["game"], [side["name"] for side in state["sides"]]) == ("x01", ["Bo", "Ann"])
        assert said.data["format"] == {"legs": 2, "sets": 1}
        found = await ask(web, "/api/stats")
        assert found == {"v": 1, "players": [], "unread": 0}, "what was thrown for an order is no match of theirs"


@pytest.mark.slow
async def test_a_bull_off_hides_no_match_of_its_own_from_statistics(tmp_path: Path, unused_tcp_port: int) -> None:
    with Past(tmp_path / "state") as past:
        past.play("T20 S1 D20", options={"start": 101})
        past.play("SB / S1", game="bull_off")
    async with visit(read_config(configure(tmp_path, unused_tcp_port))) as web:
        found = await ask(web, "/api/stats")
        assert [(each["name"], each["matches"]) for each in found["players"]] == [("Ann", 1), ("Bo", 1)]


async def test_the_broker_keeps_the_plan_in_the_new_order(display: DirectDisplay) -> None:
    say = partial(display.say, "oche/table/main/cmd/start")
    await say(json.dumps({"game": "x01", "players": ["Ann", "Bo"], "order": "bull"}))
    for name, body in (("throw", "S20"), ("next", ""), ("throw", "DB")):
        await display.say(f"oche/table/main/cmd/{name}", body)
    planned = "oche/table/main/next"
    await display.until(lambda: json.loads(display.now[planned])["players"] == ["Bo", "Ann"])
    assert display.state()["game"] == "bull_off"
    await say("")
    await display.until(lambda: display.state()["game"] == "x01")
