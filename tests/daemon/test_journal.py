"""A journal that cannot be written or read: one sentence, nothing shown that is not on disk, one table only."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any, cast

import pytest

from daemon.admin.history.player_figures import list_recorded_names
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.journal.current import locate_copy
from engine.games import GAMES
from protocol.commands import CommandError
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.display import DirectDisplay, Display, Shown
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually, journal, run, small_disk, throw
from tests.daemon.test_durability import table_in


@pytest.mark.long
async def test_a_full_disk_refuses_the_input_until_there_is_room(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    file = configure(tmp_path, broker.port)
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # as small_disk does
    async with Display(broker.port) as display, Process("run", "--config", file, env=env) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        throw(board, "T20")
        before = await display.until_line(2)
        path = tmp_path / "state" / "main.sqlite3"
        limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (8192, limits[1]))

        answer = await display.ask("throw", {"throw": "DB"})
        assert answer["error"]["code"] == "unavailable"
        trouble = answer["error"]["message"]
        assert trouble.startswith(f"cannot write the journal {path}: ")
        assert trouble.endswith("; free some space, or check the disk")
        await display.until(lambda: told(display)["trouble"] is not None)
        throw(board, "DB")
        await display.until(lambda: [event["segment"] for event in display.events("stray")] == ["DB"])
        await display.until(lambda: health(display)["stray"] == 1 and health(display)["trouble"] is not None)
        assert (await display.ask("undo", {}))["error"]["code"] == "unavailable"
        assert "Traceback" not in daemon.errors
        assert {state["line"] for state in display.states()} == {1, 2}
        assert display.state()["turn"] == before["turn"]
        assert [event["segment"] for event in display.events("dart")] == ["T20"]
        assert journal(tmp_path) == [{"throw": "T20"}]

        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limits)
        await display.until(lambda: told(display)["trouble"] is None and health(display)["trouble"] is None)
        throw(board, "T19")
        assert [dart["segment"] for dart in (await display.until_line(3))["turn"]["darts"]] == ["T20", "T19"]
        assert await daemon.stop() == 0
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "T19"}]


async def test_the_log_outlives_a_program_that_ends_after_the_daemon_has_read_its_own_journal(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        await give(running.tables["main"], {"throw": "T20"}, "page")
        path = tmp_path / "state" / "main.sqlite3"
        assert list_recorded_names(path.parent)
        other = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('select 1 from match'); db.close()"
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", other, str(path)], check=True)
        assert path.with_name("main.sqlite3-wal").exists()
        await give(running.tables["main"], {"throw": "T19"}, "page")
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "T19"}]


async def test_a_wrecked_journal_is_set_aside_and_the_match_goes_on(
    tmp_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    config = configure(tmp_path, unused_tcp_port, more=kitchen(tmp_path))
    async with run_daemon(read_config(config)) as running, DirectDisplay(running) as display:
        await board.wait_until_open()
        throw(board, "T20")
        before = await display.until_line(2)
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3")) as db:
            db.execute("alter table entry rename to gone")
        throw(board, "T19")
        await display.until(lambda: [event["segment"] for event in display.events("stray")] == ["T19"])
        await display.until(lambda: health(display)["remark"] is not None and health(display)["trouble"] is None)
        (aside,) = (tmp_path / "state").glob("main.sqlite3.damaged-*[0-9]")
        assert health(display)["remark"] == (
            f"the journal was damaged: it was moved aside as {aside.name}, and a new one started"
        )
        throw(board, "DB")
        after = await display.until_line(3)
        assert [dart["segment"] for dart in after["turn"]["darts"]] == ["T20", "DB"]
        assert after["match"] == before["match"]
        await display.say("oche/table/kitchen/cmd/throw", "DB")
        await display.until_line(2, "kitchen")
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "DB"}]
    with closing(sqlite3.connect(aside)) as old:
        assert old.execute("select input from gone").fetchall() == [('{"throw":"T20"}',)]
    assert "damaged" not in (await run("history", "list", "--config", config)).output


async def test_a_journal_of_a_newer_version_is_left_alone(tmp_path: Path, unused_tcp_port: int) -> None:
    path = await thrown(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("alter table match add column league text")
        db.execute("pragma user_version = 99")
    sentence = f"the journal {path} was written by a newer oche; update this one"
    alone = await run("run", "--config", configure(tmp_path))
    assert (alone.process.returncode, alone.errors) == (1, f"oche: table main: {sentence}\n")

    config = configure(tmp_path, unused_tcp_port, more=kitchen(tmp_path))
    async with run_daemon(read_config(config)) as running, DirectDisplay(running) as display:
        assert list(running.tables) == ["kitchen"]
        assert display.now["oche/table/main/board/state"] == "offline"
        assert told(display)["text"] == sentence
        await display.say("oche/table/kitchen/cmd/throw", "DB")
        await display.until_line(2, "kitchen")


async def test_a_journal_damaged_at_each_start_is_set_aside_each_time(tmp_path: Path) -> None:
    path = await thrown(tmp_path)
    locate_copy(path).unlink()
    tear(path)
    wrecked, aside = path.read_bytes(), list[Path]()
    for _ in range(2):  # nothing is overwritten
        async with table_in(path.parent) as table:
            assert table.trouble is None
            assert table.recovery.remark is not None
            assert table.recovery.remark.startswith(
                "the journal was damaged: it was moved aside as main.sqlite3.damaged-"
            )
            await give(table, {"throw": "DB"}, "page")
        assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "DB"}]
        aside = sorted(path.parent.glob("main.sqlite3.damaged-*[0-9]"))
        assert aside[0].read_bytes() == wrecked
        path.write_bytes(wrecked)
        locate_copy(path).unlink()
        path.with_name(f"{path.name}-wal").touch()
    assert len(aside) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("""update entry set input = '{"redo": true}'""", "line 2 is refused: there is nothing to redo"),
        (
            """update match set header = replace(header, '"oche":1', '"oche":2')""",
            "this is a record of version 2; this program reads version 1",
        ),
        (
            """update match set header = replace(header, '"game":"x01"', '"game":"quoits"')""",
            "there is no game 'quoits'",
        ),
    ],
    ids=["a line", "the record", "the game"],
)
async def test_a_match_unknown_to_the_rules_stays_in_the_journal(tmp_path: Path, change: str, reason: str) -> None:
    path = await thrown(tmp_path)
    locate_copy(path).unlink()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        (match,) = db.execute("select id from match").fetchone()
        db.execute(change)
    async with table_in(path.parent) as table:
        assert table.trouble is None
        assert table.recovery.remark is not None
        assert table.recovery.remark.startswith(f"the match {match} cannot be continued ({reason}")
        assert table.recovery.remark.endswith(": it stays in the journal, and a new match was started")
        assert table.state().match not in (None, match)
        await give(table, {"throw": "DB"}, "page")
    assert journal(tmp_path) == [{"throw": "DB"}]
    with closing(sqlite3.connect(path)) as db:
        query = "select count(*) from entry join match on match = number where id = ?"
        assert db.execute(query, (match,)).fetchone()[0]


async def test_a_match_begun_under_older_rules_goes_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await thrown(tmp_path)
    rules = GAMES["x01"].rules
    monkeypatch.setattr(type(GAMES["x01"]), "rules", rules + 1)
    async with table_in(path.parent) as table:
        sentence = f"the match began with rules {rules} of x01 and goes on with rules {rules + 1}: check the score"
        assert (table.recovery.remark, table.state().line) == (sentence, 2)


async def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    process = await run("run", "--config", configure(tmp_path))
    assert process.process.returncode == 1
    assert process.errors == (
        f"oche: cannot use the folder {tmp_path}/state: not a directory; configure another folder (bridge.state_dir)\n"
    )


@pytest.mark.slow
async def test_a_disk_full_from_the_start_stops_the_table_for_now(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    file = configure(tmp_path, broker.port)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with Display(broker.port) as display, AsyncExitStack() as stack:
        with small_disk(16_384):
            process = await stack.enter_async_context(Process("run", "--config", file))
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await display.until(lambda: str(told(display)["trouble"]).endswith("; free some space, or check the disk"))
        assert display.line() == 0, "nothing is shown that is not on disk"
        resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, limits)
        await display.until(lambda: told(display)["trouble"] is None)
        await board.wait_until_open()
        throw(board, "T20")
        await display.until_line(2)
        assert await process.stop() == 0
    assert journal(tmp_path) == [{"throw": "T20"}]


async def test_a_journal_that_cannot_be_opened_at_the_start_stops_the_table_for_now(tmp_path: Path) -> None:
    path = tmp_path / "state" / "main.sqlite3"
    path.mkdir(parents=True)
    async with run_daemon(read_config(configure(tmp_path))) as running:
        table = running.tables["main"]
        assert str(table.trouble).startswith(f"cannot open the journal {path}: ")
        assert str(table.trouble).endswith("; it is a folder: move it away")
        with pytest.raises(CommandError, match="cannot open the journal"):
            await give(table, {"throw": "T20"}, "page")
        path.rmdir()
        await eventually(lambda: table.trouble is None)
        await give(table, {"throw": "T19"}, "page")
    assert journal(tmp_path) == [{"throw": "T19"}]


async def thrown(folder: Path) -> Path:
    """The journal of a match with one dart, which was closed as it should be."""
    (state := folder / "state").mkdir()
    async with table_in(state) as table:
        await give(table, {"throw": "T20"}, "page")
    return state / "main.sqlite3"


def tear(path: Path) -> None:
    """A power cut: the page with the index of the ids is gone, and the journal was not closed."""
    with closing(sqlite3.connect(path)) as db:
        page, size = (
            db.execute("select rootpage from sqlite_master where name = 'sqlite_autoindex_match_1'").fetchone()[0],
            db.execute("pragma page_size").fetchone()[0],
        )
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    path.with_name(f"{path.name}-wal").touch()


def told(display: Shown) -> dict[str, Any]:  # Any: JSON
    """What displays are told of the board."""
    return cast("dict[str, Any]", json.loads(display.now.get("oche/table/main/board/info", '{"trouble": ""}')))


def health(display: Shown) -> dict[str, Any]:  # Any: JSON
    """How the table is."""
    return cast("dict[str, Any]", json.loads(display.now["oche/bridge/oche/health"])["tables"]["main"])


def kitchen(folder: Path) -> str:
    """Another table, whose board is not there."""
    return f'[[table]]\nname = "kitchen"\nboard = "serial:{folder}/other"\nprofile = "quick.toml"'
