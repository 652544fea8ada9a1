"""The plan of the next match: it is kept as darts are, and nobody sees it, or anything else, before the disk has it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any

import aiohttp
import pytest

from daemon.admin.history.forget import delete_matches, forget_player
from daemon.assemble import RunningDaemon, run_daemon
from daemon.board.link import BoardLink
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line, Planned
from daemon.journal.stored import StoredJournal
from daemon.journal.writer import JournalWriter
from daemon.table.matches import begin_first, resume
from daemon.table.scorer import Scorer
from drivers.session import now_ns
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.events import Hit
from protocol.player_names import name_key
from tests.commanding import decode, give
from tests.daemon.display import find_part
from tests.daemon.process import configure, eventually
from tests.daemon.test_durability import Write, fails_once, table_in
from tests.plain_guard import PlainGuard

BOOK = shipped("plain-standard")
BURMA = {"game": {"game": "burma_road", "players": ["Cy", "Di"]}}
HANDS = {"start": {"game": "dards", "options": {"mode": "dealt"}, "players": ["Cy", "Di"]}}


async def look(running: RunningDaemon, web: aiohttp.ClientSession) -> dict[str, Any]:  # Any: JSON
    """All that can be seen of the match and the plan from outside."""
    table, seen = running.tables["main"], dict[str, Any]()
    for route in ("state", "plan", "layout", "seats", "rules"):
        async with web.get(f"/api/table/main/{route}") as answer:
            seen[route] = await answer.json()
    async with web.get("/api/table/main/events") as stream:
        seen["events"] = [await stream.content.readuntil(b"\n\n") for _ in range(3)]
    seen["everything"] = table.everything.state, table.everything.plan, table.committed
    seen["watch"] = [each["fate"] for each in find_part(running, BoardLink).watch()]
    return seen


async def test_nothing_of_a_commit_under_way_is_seen(tmp_path: Path) -> None:
    async with run_daemon(read_config(configure(tmp_path))) as running, aiohttp.ClientSession(running.page) as web:
        table = running.tables["main"]
        for wanted in ({"throw": "T20"}, "a hit", BURMA, HANDS):
            sheet, before = table.scorer.sheet, await look(running, web)
            at = sheet.opened.id, sheet.match.line, sheet.plan
            with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as db:
                db.execute("begin immediate")  # the disk is slow: the commit has to wait
                answer = None
                if isinstance(wanted, str):
                    await table.feed(Hit(segment=BOOK.layout["T19"], time_ns=now_ns()))
                else:
                    answer = give(table, wanted, "page")
                await eventually(lambda: (sheet.opened.id, sheet.match.line, sheet.plan) != at)  # noqa: B023
                assert await look(running, web) == before
                db.execute("rollback")
            await (answer or eventually(lambda: table.match.line == 3))
            assert await look(running, web) != before


async def test_a_plan_is_kept_with_its_match(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, BURMA, "page")
        planned = table.committed.plan
        assert (planned.game, planned.players) == ("burma_road", ("Cy", "Di"))
    async with table_in(tmp_path) as table:
        assert table.committed.plan == table.everything.plan == planned
        await give(table, {"throw": "T20"}, "page")
        await give(table, {"start": None}, "page")
        assert (table.match.game.id, table.committed.plan.game) == ("burma_road", "burma_road")
        await give(table, {"game": {"game": "cricket"}}, "page")
        await give(table, {"start": {"game": "x01", "players": ["Eve"]}}, "page")
    async with table_in(tmp_path) as table:
        assert table.committed.plan.players == ("Eve",), "the plan went with its match"
        await give(table, BURMA, "page")
    with closing(sqlite3.connect(tmp_path / "main.sqlite3")) as db, db:
        db.execute("update match set header = replace(header, 'x01', 'gone')")
    (tmp_path / "main.sqlite3-copy").unlink()
    async with table_in(tmp_path) as table:
        assert table.committed.plan.game == table.match.game.id == "x01", "the plan did not go with the configuration"


async def test_what_a_game_fills_in_for_its_players_is_no_plan_for_others(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, {"start": {"game": "dards", "players": ["Ann", "Bo"], "options": {"ace": 14}}}, "page")
        assert table.match.options.mode == "rapid"
        planned = table.committed.plan.options
        assert (planned["mode"], planned["wild"], planned["ace"]) == (None, None, 14)
        await give(table, {"game": {"players": ["Ann", "Bo", "Cy"]}}, "page")
        await give(table, {"start": None}, "page")
        assert (table.match.options.mode, table.match.options.wild, table.match.options.ace) == ("dealt", True, 14)
        await give(table, {"game": {"players": ["Ann", "Bo"], "options": {"mode": "dealt", "wild": False}}}, "page")
        await give(table, {"start": None}, "page")
        await give(table, {"start": None}, "page")
        assert (table.match.options.mode, table.match.options.wild) == ("dealt", False), "it was chosen"
        await give(table, {"start": {"game": "d20_elimination", "players": ["Ann"]}}, "page")
        assert table.match.options.cerberus == (4,)
        await give(table, {"game": {"players": ["Ann", "Bo"]}}, "page")
        await give(table, {"start": None}, "page")
        assert table.match.options.cerberus == ()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_restart_at_any_moment_changes_no_plan(tmp_path: Path, seed: int) -> None:
    """Whatever changes which match follows: an end, what decides the order, undo; or a plan of what follows anyway."""
    rng, config = Random(seed), TableConfig(board="sim:x", players=("Ann", "Bo"), options={"start": 101})
    scorer = Scorer(begin_first(config, BOOK.layout, token_hex, PlainGuard()), config, BOOK, token_hex, PlainGuard())
    commands: list[dict[str, Any]] = [
        *({"throw": bed} for bed in ("T20", "S1", "SB", "DB", "D16")),
        *({"next": True}, {"undo": True}, {"undo": True}, {"redo": True}, {"stop": True}, {"start": None}),
        {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}, "order": "bull"},
        {"game": {"players": ["Ann", "Bo"]}},
        {"game": {"players": ["Bo", "Ann"]}},
        {"game": {"game": "x01", "options": {"start": 101}}},
        BURMA,
    ]
    journal = JournalFile(tmp_path / "main.sqlite3")
    journal.write(timed(scorer.sheet.begin().lines))
    plans = set()
    for _ in range(200):
        given = decode(rng.choice(commands))
        journal.write(timed(scorer.obey(given.command, "page", 0).lines))
        stored = journal.latest()
        assert stored is not None
        again = Scorer(resume(stored, BOOK.layout, PlainGuard()), config, BOOK, token_hex, PlainGuard())
        assert not again.sheet.load_plan(journal.plan(stored.id))
        assert again.sheet.plan == scorer.sheet.plan
        plans.add((scorer.sheet.plan.game, scorer.sheet.plan.players, scorer.match.game.id, scorer.match.position.over))
    journal.close()
    assert len(plans) > 5


def timed(lines: Sequence[Begin | Line | Planned]) -> list[Begin | Line | Planned]:
    return [line if isinstance(line, Planned) else line._replace(at="2026-11-28T20:00:00.000+00:00") for line in lines]


def reaches_the_disk(store: JournalFile, news: Sequence[Begin | Line | Planned]) -> None:
    store.write(news)
    raise StoreError("the disk failed at the very end")


def is_refused(store: JournalFile, news: Sequence[Begin | Line | Planned]) -> None:
    raise StoreError("the disk is full")


@pytest.mark.parametrize("fail", [reaches_the_disk, is_refused])
@pytest.mark.parametrize("wanted", [{"game": {"game": "cricket"}}, {"start": None}], ids=["plan", "start"])
async def test_a_refused_commit_leaves_the_plan_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail: Write, wanted: dict[str, Any]
) -> None:
    async with table_in(tmp_path) as table:
        await give(table, BURMA, "page")
        before = table.committed.plan, table.match_id
        fails_once(monkeypatch, fail)
        with pytest.raises(CommandError, match="the disk"):
            await give(table, wanted, "page")
        assert (table.committed.plan, table.match_id) == before
        await eventually(lambda: table.trouble is None)
        assert (table.committed.plan, table.match_id) == before
    async with table_in(tmp_path) as table:
        assert (table.committed.plan, table.match_id) == before


async def test_a_start_without_players_is_for_those_of_the_plan(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        people = {"players": ["Ann", "Bo", "bot:45", "Di"], "teams": [[0, 2], [1, 3]], "team_names": ["Reds", ""]}
        await give(table, {"start": {"game": "x01", **people}}, "mqtt")
        await give(table, {"start": {"game": "cricket", "options": {"rounds": 5}}}, "mqtt")
        assert table.match.game.id == "cricket"
        assert table.match.options.rounds == 5
        assert [(side.name, side.players) for side in table.state().sides] == [
            ("Reds", ("Ann", "Bot 45")),
            ("Bo & Di", ("Bo", "Di")),
        ]
        assert table.match.header.bots == (None, None, 45, None)
        await give(table, {"game": {"players": ["Cy", "Di"]}}, "mqtt")
        await give(table, {"start": {"game": "501"}}, "mqtt")
        assert table.match.seating.players == ("Cy", "Di")


async def test_a_plan_that_no_match_can_be_made_of_is_dropped_and_said(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, BURMA, "page")
    with closing(sqlite3.connect(tmp_path / "main.sqlite3")) as db, db:
        db.execute("update plan set header = replace(header, 'burma_road', 'burma_rail')")
    async with table_in(tmp_path) as table:
        assert table.committed.plan.game == "x01"
        remark = table.recovery.remark or ""
        assert "the plan of the next match cannot be saved (there is no game 'burma_rail'" in remark
    async with table_in(tmp_path) as table:
        assert table.recovery.remark is None, "it is gone from the disk"


async def test_a_plan_is_read_where_the_journal_cannot_be_opened(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, BURMA, "page")
    writer = JournalWriter("main", tmp_path / "main.sqlite3")
    assert await writer.peek() is not None
    assert writer.plan is not None
    assert writer.plan["game"] == "burma_road"
    await writer.close()


@pytest.mark.parametrize("how", ["it is planned", "another is planned", "by the table", "its match is deleted"])
async def test_a_name_in_a_plan_can_be_forgotten(tmp_path: Path, how: str) -> None:
    async with table_in(tmp_path) as table:
        await give(table, {"game": {"players": ["Ann", "Esmeralda"]}}, "page")
        match = table.match_id
        if how == "another is planned":
            await give(table, BURMA, "page")
        if how == "by the table":
            await give(table, {"stop": True}, "page")
            await table.rewrite_header(dict)
            assert "Esmeralda" not in table.committed.plan.players
    if how == "its match is deleted":
        delete_matches(tmp_path, {match})
    else:
        forget_player(tmp_path, {name_key("Esmeralda")})
    journal = StoredJournal(tmp_path / "main.sqlite3")
    assert (journal.plan() is not None) == (how == "another is planned")
    assert not list_files_with(tmp_path, b"Esmeralda")


def list_files_with(folder: Path, text: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if text in file.read_bytes()]
