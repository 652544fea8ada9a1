"""A journal that cannot be written or read: one sentence, nothing shown that is not on disk, one table only."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import Process, configure, journal, run, throw
from tests.daemon.mosquitto import Mosquitto


async def test_a_full_disk_refuses_the_input_and_goes_on_when_there_is_room(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    file = configure(tmp_path, broker.port)
    async with Display(broker.port) as display, Process("run", "--config", file) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        throw(board, "T20")
        before = await display.until_line(2)
        path = tmp_path / "state" / "main.sqlite3"
        limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
        size = path.with_name("main.sqlite3-wal").stat().st_size
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (size, limits[1]))

        answer = await display.ask("throw", {"throw": "DB"})
        assert answer["error"]["code"] == "unavailable"
        assert answer["error"]["message"].startswith(f"cannot write the journal {path}: ")
        assert answer["error"]["message"].endswith("; free some space, or check the disk")
        throw(board, "DB")
        await daemon.until(lambda: daemon.errors.count("ERROR main: cannot write") == 2)
        assert "Traceback" not in daemon.errors
        assert {state["line"] for state in display.states()} == {1, 2}
        assert display.state()["turn"] == before["turn"]
        assert [event["segment"] for event in display.events("dart")] == ["T20"]
        assert journal(tmp_path) == [{"throw": "T20"}]

        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limits)
        throw(board, "T19")
        assert [dart["segment"] for dart in (await display.until_line(3))["turn"]["darts"]] == ["T20", "T19"]
        assert await daemon.stop() == 0
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "T19"}]


async def test_a_journal_wrecked_by_somebody_stops_its_own_table_only(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    config = configure(tmp_path, broker.port, more=kitchen(tmp_path))
    async with Display(broker.port) as display, running(read_config(config)):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3")) as somebody:
            somebody.execute("alter table entry rename to gone")
        answer = await display.ask("throw", {"throw": "DB"})
        assert answer["error"]["code"] == "unavailable"
        await display.say("oche/table/kitchen/cmd/throw", "DB")
        await display.until_line(2, "kitchen")
        assert display.line() == 1
        assert not display.events("dart")


@pytest.mark.parametrize("damage", ["noise", "newer", "lines", "header"])
async def test_a_journal_that_cannot_be_used_is_told(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, damage: str
) -> None:
    async with running(read_config(configure(tmp_path, broker.port))) as house:
        table = house.tables["main"]
        await table.command({"throw": "T20"}, "test")
        match = table.state().match
    path = tmp_path / "state" / "main.sqlite3"
    sentence = wreck(path, damage, str(match))

    alone = await run("run", "--config", tmp_path / "oche.toml")
    assert (alone.process.returncode, alone.errors) == (1, f"oche: table main: {sentence}\n")

    config = configure(tmp_path, broker.port, more=kitchen(tmp_path))
    async with Display(broker.port) as display, running(read_config(config)) as house:
        assert list(house.tables) == ["kitchen"]
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        assert display.now["oche/table/main/board/state"] == "offline"
        assert sentence in display.now["oche/table/main/board/info"].replace("\\\\", "\\").replace('\\"', '"')
        await display.say("oche/table/kitchen/cmd/throw", "DB")
        await display.until_line(2, "kitchen")


def wreck(path: Path, damage: str, match: str) -> str:
    """Damages a journal; what is to be said of it."""
    resumed = "move its journal out of bridge.state_dir, and a new one is begun"
    if damage == "noise":
        path.write_bytes(b"no database at all, and long enough to be read as one " * 100)
        remedy = "it is damaged: move it away, and a new one is begun"
        return f"cannot open the journal {path}: file is not a database; {remedy}"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if damage == "newer":
            db.execute("pragma user_version = 99")
            return f"the journal {path} was written by a newer oche; update this one"
        if damage == "lines":
            db.execute("""update entry set input = '{"redo": true}'""")
            reason = "line 2 is refused: there is nothing to redo"
        else:
            db.execute("""update match set header = replace(header, '"oche":1', '"oche":2')""")
            reason = "this is a record of version 2; this program reads version 1"
    return f"the stored match {match} cannot be played again ({reason}): {resumed}"


async def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path, broker: Mosquitto) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    process = await run("run", "--config", configure(tmp_path, broker.port))
    assert process.process.returncode == 1
    assert process.errors == (
        f"oche: cannot use the folder {tmp_path}/state: file exists; set bridge.state_dir to one that is ours\n"
    )


async def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path, broker: Mosquitto) -> None:
    file = configure(tmp_path, broker.port)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, limits[1]))
    try:
        process = Process("run", "--config", file)
        await process.__aenter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert await process.ended() == 1
    assert process.errors.startswith("oche: table main: cannot ")
    assert process.errors.endswith("; free some space, or check the disk\n")
    assert process.errors.count("\n") == 1


def kitchen(folder: Path) -> str:
    """Another table, whose board is not there."""
    return f'[[table]]\nname = "kitchen"\nboard = "serial:{folder}/other"\nprofile = "quick.toml"'
