"""The order of the sides, thrown for at the bull: through the table and its journal, the page, and a restart."""

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
from daemon.config.reader import Setup, read_config
from protocol.commands import CommandError
from protocol.messages import Plan
from tests.commanding import give
from tests.daemon.display import DirectDisplay
from tests.daemon.evenings import Evening as Past
from tests.daemon.process import PATIENCE_S, configure
from tests.daemon.test_bots import Evening, evening
from tests.daemon.test_statistics import ask
from tests.daemon.test_web import news
from tests.simulator.hurry import in_no_time

JSON = dict[str, Any]  # Any: JSON
THREE = ("Ann", "Bo", "Cy")


def plan(ours: Evening) -> Plan:
    found = ours.table.everything.plan
    assert found is not None
    return found


async def begin(ours: Evening, **header: Any) -> None:  # Any: JSON
    await give(ours.table, {"start": {"players": list(THREE), **header}, "order": "bull"}, "page")
    assert (ours.table.state().game, len(ours.table.state().sides)) == ("bull_off", len(ours.table.match.seating.sides))


async def throws(ours: Evening, *segment_ids: str) -> None:
    """A dart each, the last of which need not be pulled."""
    for segment_id in segment_ids:
        if ours.phase == "takeout":
            await give(ours.table, {"next": True}, "page")
        await give(ours.table, {"throw": segment_id}, "page")


@in_no_time
async def test_level_sides_throw_again_and_the_match_begins_in_order(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await begin(ours, game="soft_301", options={"starts": [301, 201, 101], "doubles": [[1], [2], [3]]})
        assert (plan(ours).game, plan(ours).players) == ("soft_301", THREE)
        await throws(ours, "S20", "SB", "S5")
        assert (ours.phase, plan(ours).players) == ("takeout", ("Bo", "Ann", "Cy"))
        await throws(ours, "D1", "T1")
        assert (ours.phase, ours.table.state().winners) == ("over", (1,))
        assert (plan(ours).players, plan(ours).problem) == (("Bo", "Ann", "Cy"), None)
        await give(ours.table, {"start": None}, "page")
        state = ours.table.state()
        assert (state.game, state.title, state.turn.player) == ("x01", "301", "Bo")
        assert [(side.name, side.score) for side in state.sides] == [("Bo", 201), ("Ann", 301), ("Cy", 101)]
        assert [list(each) for each in ours.table.match.options.doubles] == [[2], [1], [3]]
        assert plan(ours).players == ("Bo", "Ann", "Cy")


@in_no_time
async def test_the_same_again_is_begun_by_the_next_in_order_once_it_is_over(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        start = {"game": "x01", "players": [*THREE, "bot:45"], "options": {"starts": [40, 60, 80, 100]}}
        await give(ours.table, {"start": start}, "page")
        again = ("Ann", "Bo", "Cy", "bot:45")
        assert plan(ours).players == again
        await give(ours.table, {"stop": True}, "page")
        assert plan(ours).players == again, "what was stopped is begun anew as it was"
        await give(ours.table, {"start": None}, "page")
        await give(ours.table, {"throw": "D20"}, "page")
        assert (ours.phase, plan(ours).players) == ("over", ("Bo", "Cy", "bot:45", "Ann"))
        assert plan(ours).options["starts"] == (60, 80, 100, 40)
        await give(ours.table, {"undo": True}, "page")
        assert plan(ours).players == again
        await give(ours.table, {"redo": True}, "page")
        await give(ours.table, {"start": None}, "page")
        state = ours.table.state()
        assert [(side.name, side.score) for side in state.sides][:2] == [("Bo", 60), ("Cy", 80)]
        assert state.turn.player == "Bo"


@in_no_time
async def test_a_plan_that_a_player_made_keeps_its_order(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await give(ours.table, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}}, "page")
        await give(ours.table, {"game": "301"}, "page")
        for dart in ("T20", "S1", "D20"):
            await give(ours.table, {"throw": dart}, "page")
        assert (ours.phase, plan(ours).game, plan(ours).players) == ("over", "301", ("Ann", "Bo"))


@in_no_time
async def test_a_correction_of_who_was_nearer_is_one_of_the_order(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await begin(ours, game="x01", players=["Ann", "Bo"])
        await throws(ours, "SB", "S20")
        assert plan(ours).players == ("Ann", "Bo")
        await give(ours.table, {"amend": 4, "throw": "DB"}, "page")
        assert (ours.phase, plan(ours).players) == ("over", ("Bo", "Ann"))
        await give(ours.table, {"undo": True}, "page")
        assert plan(ours).players == ("Ann", "Bo")
        await give(ours.table, {"undo": True}, "page")
        assert (ours.phase, plan(ours).players) == ("throwing", ("Ann", "Bo"))
        await throws(ours, "DB")
        assert plan(ours).players == ("Bo", "Ann")
        await give(ours.table, {"start": {"game": "cricket", "players": ["Ann", "Di"]}}, "page")
        assert [side.name for side in ours.table.state().sides] == ["Ann", "Di"]


@in_no_time
async def test_a_plan_made_meanwhile_stays(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await begin(ours, game="x01", players=["Ann", "Bo"])
        await give(ours.table, {"game": {"game": "cricket", "players": ["Di", "Eve"]}}, "page")
        await throws(ours, "S20", "SB")
        assert (plan(ours).game, plan(ours).players) == ("cricket", ("Di", "Eve"))


@in_no_time
async def test_teams_come_in_order_with_names_and_bots_throw_for_themselves(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        players = ["Ann", "bot:110", "Cy", "Di"]
        await begin(ours, game="x01", players=players, teams=[[0, 2], [1, 3]], team_names=["Home", "Away"])
        await give(ours.table, {"throw": "MISS"}, "page")
        await give(ours.table, {"next": True}, "page")
        await ours.until(lambda: ours.phase == "over" or ours.table.state().round > 1)
        assert ours.phase == "over", "a bot of 110 hits the board, and Ann did not"
        assert (plan(ours).teams, plan(ours).team_names) == (((1, 3), (0, 2)), ("Away", "Home"))
        await give(ours.table, {"start": None}, "page")
        state = ours.table.state()
        assert [(side.name, side.players) for side in state.sides] == [
            ("Away", ("Bot 110", "Di")),
            ("Home", ("Ann", "Cy")),
        ]
        await ours.until_turn("Ann")
        assert plan(ours).team_names == ("Away", "Home"), "the same again"


@in_no_time
async def test_bots_that_play_alone_keep_their_levels(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await begin(ours, game="x01", players=["Ann", "bot:110"])
        await give(ours.table, {"throw": "MISS"}, "page")
        await give(ours.table, {"next": True}, "page")
        await ours.until(lambda: ours.phase == "over")
        assert plan(ours).players == ("bot:110", "Ann")


@pytest.mark.parametrize(
    ("header", "order", "reason"),
    [
        ({"game": "x01", "options": {"start": 3}}, "bull", "option start of x01 is 3"),
        ({"game": "yatzy_dart"}, "bull", "yatzy_dart is played on the yatzy layout"),
        ({"game": "x01"}, "bell", "there is no order 'bell'; did you mean 'bull'?"),
    ],
)
@in_no_time
async def test_what_cannot_be_played_is_refused_before_a_dart_is_thrown(
    tmp_path: Path, header: JSON, order: str, reason: str
) -> None:
    async with evening(tmp_path) as ours:
        with pytest.raises(CommandError, match=reason):
            await give(ours.table, {"start": {"players": list(THREE), **header}, "order": order}, "page")
        assert ours.table.state().game == "x01"


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
@in_no_time
async def test_what_it_is_played_for_may_be_written_by_hand_and_wrong(tmp_path: Path, then: JSON, game: str) -> None:
    async with evening(tmp_path) as ours:
        header = {"game": "bull_off", "players": ["Ann", "Bo"], "options": {"then": then}}
        await give(ours.table, {"start": header}, "page")
        await throws(ours, "S20", "SB")
        assert (plan(ours).game, plan(ours).problem) == (game, None)
        if game == "x01":
            assert (plan(ours).players, plan(ours).teams) == (("Bo", "Ann"), None)


@in_no_time
async def test_a_board_of_another_layout_has_no_bull_to_throw_at(tmp_path: Path) -> None:
    async with evening(tmp_path, "yatzy", game="yatzy_dart") as ours:
        with pytest.raises(CommandError, match="the order cannot be decided here: bull_off is played on the standa"):
            await give(ours.table, {"start": None, "order": "bull"}, "page")


@in_no_time
async def test_one_side_begins_at_once_and_an_empty_start_plays_the_plan(tmp_path: Path) -> None:
    async with evening(tmp_path, players=["Ann"]) as ours:
        await give(ours.table, {"start": None, "order": "bull"}, "page")
        assert ours.table.state().game == "x01"
        await give(ours.table, {"game": {"game": "cricket", "players": ["Ann", "Bo"]}}, "page")
        await give(ours.table, {"start": None, "order": "bull"}, "page")
        assert (ours.table.state().game, plan(ours).game) == ("bull_off", "cricket")
        await give(ours.table, {"start": {"game": "bull_off", "players": ["Ann", "Bo"]}, "order": "bull"}, "page")
        assert plan(ours).game == "bull_off", "an order for the order"


@asynccontextmanager
async def visit(setup: Setup) -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with run_daemon(setup) as running, aiohttp.ClientSession(running.page, timeout=timeout) as web:
        yield web


async def post(web: aiohttp.ClientSession, command: str, body: object = None) -> JSON:
    async with web.post(f"/api/table/main/{command}", json=body) as answer:
        found: JSON = await answer.json()
        assert answer.status == 200, found
        return found


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
