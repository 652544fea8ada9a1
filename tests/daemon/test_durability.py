"""What a display has shown, a power cut cannot take back; and what the disk refused has not happened."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from itertools import islice
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line
from daemon.journal.stored import open_read_only, read_latest
from daemon.journal.writer import JournalWriter
from daemon.plugins.rule_guard import RuleGuard
from daemon.service.supervisor import keep_running
from daemon.table.effects import Update
from daemon.table.table import Table
from drivers.backoff import Backoff
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.events import Hit
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure, eventually, journal, small_disk, throw

LONG = "options = {start = 1501, out = 'straight'}"


@pytest.mark.long
async def test_a_kill_takes_back_nothing_and_doubles_nothing(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    rng = Random(501)
    file = configure(tmp_path, broker.port, LONG)
    kept: list[dict[str, Any]] = []
    async with Display(broker.port) as display:
        for _ in range(3):
            async with Process("run", "--config", file) as daemon:
                await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
                assert display.line() == len(kept) + 1, "resumed where the journal ended"
                await board.wait_until_open()
                shown = display.line()
                sent: list[dict[str, Any]] = []
                throwing = asyncio.create_task(throw_on(board, rng, sent, kept))
                await display.until_line(shown + rng.randrange(8, 40))
                await asyncio.sleep(rng.random() / 50)
                await daemon.kill()
                throwing.cancel()
                await asyncio.wait([throwing])
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            lines = journal(tmp_path)
            assert lines[: len(kept)] == kept
            new = lines[len(kept) :]
            assert new == sent[: len(new)], "in order, none doubled, none left out"
            assert display.line() <= len(lines) + 1, "a dart was shown that is gone"
            kept = lines
        states = display.states()
        async with Process("run", "--config", file) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            resumed = display.state()
            assert await daemon.stop() == 0
    assert resumed["line"] == len(kept) + 1
    assert [state["line"] for state in states] == sorted(state["line"] for state in states)
    for state in states:
        if state["line"] == resumed["line"]:
            assert without_numbers(state) == without_numbers(resumed)


async def test_no_display_shows_a_dart_before_the_disk_has_it(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with (
        Display(broker.port) as display,
        run_daemon(read_config(configure(tmp_path, broker.port))) as running,
        aiohttp.ClientSession(running.page) as web,
        asyncio.timeout(PATIENCE_S),
    ):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        with closing(sqlite3.connect(tmp_path / "state" / "main.sqlite3", isolation_level=None)) as db:
            db.execute("begin immediate")  # the disk is slow: the commit has to wait
            throw(board, "T20")
            await eventually(lambda: running.tables["main"].scorer.match.line == 2)
            async with web.get("/api/table/main/state") as answer:
                assert (await answer.json())["line"] == 1
            async with web.get("/api/table/main/events") as stream:
                assert b'"line":1,' in await until_state(stream)
            assert display.line() == 1
            assert not display.events("dart")
            db.execute("rollback")
        await display.until(lambda: [event["segment"] for event in display.events("dart")] == ["T20"])
        async with web.get("/api/table/main/state") as answer:
            assert (await answer.json()) == display.state()


@pytest.mark.slow
async def test_a_thousand_hits_at_once_all_count(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Far more than a terminal or a commit holds; the visits are closed by the board's own button."""
    file = configure(tmp_path, broker.port, "options = {start = 1501, out = 'straight', rounds = 1000}")
    async with Display(broker.port) as display, run_daemon(read_config(file)):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        sent = list(islice(misses(), 1000))
        for line in sent:
            board.press("next") if "next" in line else board.miss()
        state = await display.until_line(len(sent) + 1)
        assert journal(tmp_path) == sent
        assert state["round"] == len(sent) // 8 + 1


async def throw_on(board: PtyBoard, rng: Random, sent: list[dict[str, Any]], kept: list[dict[str, Any]]) -> None:
    """Darts without end after those that were kept, each one counting, noted as they will stand in the journal."""
    thrown = next((n for n, line in enumerate(reversed(kept)) if "next" in line), len(kept))
    while True:
        if thrown == 3:
            sent.append({"next": True})
            board.press("next")
            thrown = 0
        else:
            segment = rng.choice(("MISS", "O1", "I2", "O3"))
            sent.append({"throw": segment})
            board.miss() if segment == "MISS" else throw(board, segment)
            thrown += 1
        await asyncio.sleep(rng.random() / 100)


def misses() -> Any:  # Any: an iterator of JSON
    while True:
        yield from ({"throw": "MISS"}, {"throw": "MISS"}, {"throw": "MISS"}, {"next": True})


def without_numbers(state: dict[str, Any]) -> dict[str, Any]:
    """A state but for what tells messages apart."""
    return {key: value for key, value in state.items() if key not in ("session", "seq")}


async def until_state(stream: aiohttp.ClientResponse) -> bytes:
    """The first state of an event stream."""
    async for line in stream.content:
        if line == b"event: state\n":
            return await stream.content.readline()
    raise AssertionError("the stream ended")


Write = Callable[[JournalFile, Sequence[Begin | Line]], None]


@asynccontextmanager
async def table_in(folder: Path) -> AsyncIterator[Table]:
    """A table that plays, and is started again when it falls."""
    table = Table(TableConfig(board="sim:x"), shipped("plain-standard"), folder / "main.sqlite3", "run", RuleGuard())
    await table.open()
    playing = asyncio.create_task(keep_running("the table", table.run))
    try:
        yield table
    finally:
        playing.cancel()
        await asyncio.wait([playing])
        await table.close()


def fails_once(monkeypatch: pytest.MonkeyPatch, fail: Write) -> None:
    """The next commit goes wrong like this."""
    whole = JournalFile.write

    def write(store: JournalFile, news: Sequence[Begin | Line]) -> None:
        monkeypatch.setattr(JournalFile, "write", whole)
        fail(store, news)

    monkeypatch.setattr(JournalFile, "write", write)


def entries(folder: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(folder / "main.sqlite3")) as db:
        return db.execute("select line, input from entry order by match, line").fetchall()


async def test_a_refused_commit_that_reached_the_disk_is_gone_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reaches_the_disk(store: JournalFile, news: Sequence[Begin | Line]) -> None:
        store.write(news)
        raise StoreError("the disk failed at the very end")

    async with table_in(tmp_path) as table:
        await give(table, {"throw": "T20"}, "page")
        fails_once(monkeypatch, reaches_the_disk)
        inputs = [
            give(table, {"start": None}, "page"),
            *(give(table, {"throw": "T20"}, "page") for _ in range(3)),
        ]
        answers = await asyncio.gather(*inputs, return_exceptions=True)
        assert all(isinstance(answer, CommandError) for answer in answers)
        await eventually(lambda: table.trouble is None)
        assert entries(tmp_path) == [(2, '{"throw":"T20"}')]
        await give(table, {"start": None}, "page")
        assert [line for line, _ in entries(tmp_path)] == [2, 3], "the new match has no lines of the refused one"
        await give(table, {"throw": "S1"}, "page")
        assert [dart.segment for dart in table.state().turn.darts] == ["S1"]


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_dart_is_judged_by_its_own_write_while_the_disk_is_tested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    """The test of the start fails, and behind it the disk takes a dart or refuses it."""
    has_begun, is_scored = threading.Event(), threading.Event()
    whole = JournalFile.test_room

    def test_room(store: JournalFile, refused: Sequence[Begin | Line] = ()) -> None:
        monkeypatch.setattr(JournalFile, "test_room", whole)
        has_begun.set()
        assert is_scored.wait(PATIENCE_S)
        raise StoreError("no room for the test")

    def refuses(store: JournalFile, news: Sequence[Begin | Line]) -> None:
        raise StoreError("no room for the dart")

    async with table_in(tmp_path):
        pass  # the next start finds a sound journal, and tests the disk while it plays
    monkeypatch.setattr(JournalFile, "test_room", test_room)
    news: list[Update] = []
    async with table_in(tmp_path) as table:
        table.subscribe(SimpleNamespace(publish=news.append))
        if is_refused:
            fails_once(monkeypatch, refuses)
        await eventually(has_begun.is_set)
        answer = give(table, {"throw": "T20"}, "page")
        await eventually(lambda: table.scorer.match.line == 2)
        is_scored.set()
        if is_refused:
            with pytest.raises(CommandError, match="no room for the dart"):
                await answer
        else:
            assert (await answer).line == 2
        await eventually(lambda: table.trouble is None)
        assert [dart.segment for dart in table.state().turn.darts] == ([] if is_refused else ["T20"])
        await give(table, {"throw": "S1"}, "page")
    thrown = ["S1"] if is_refused else ["T20", "S1"]
    assert [given for _, given in entries(tmp_path)] == [f'{{"throw":"{dart}"}}' for dart in thrown]
    assert [event.segment for update in news for event in update.events if event.event_type == "dart"] == thrown
    assert "no room for the test" in [update.board.info.trouble for update in news if update.board is not None]


async def test_a_waiting_client_is_answered_when_the_table_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(store: JournalFile, news: Sequence[Begin | Line]) -> None:
        raise MemoryError

    monkeypatch.setattr("daemon.service.supervisor._RETRY", Backoff(0.01, 0.1))
    async with table_in(tmp_path) as table:
        fails_once(monkeypatch, breaks)
        with pytest.raises(CommandError, match="the table stopped at this input"):
            await give(table, {"throw": "T20"}, "page")
        await give(table, {"throw": "S1"}, "page")
        assert [dart.segment for dart in table.state().turn.darts] == ["S1"]


async def test_a_waiting_client_is_answered_when_the_table_is_cancelled_within_a_commit(tmp_path: Path) -> None:
    table = Table(TableConfig(board="serial:x"), shipped("opendarts"), tmp_path / "main.sqlite3", "s", RuleGuard())
    await table.open()
    running = asyncio.create_task(table.run())
    with closing(sqlite3.connect(tmp_path / "main.sqlite3", isolation_level=None)) as other:
        other.execute("begin immediate")  # the commit waits for it
        answer = give(table, {"throw": "T20"}, "page")
        await eventually(lambda: table.scorer.match.line == 2)
        running.cancel()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(CommandError, match="the table stopped at this input"):
                await answer
        other.execute("rollback")
    await asyncio.wait([running])
    await table.close()


async def test_a_match_that_the_disk_has_lost_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    for match in ("first", "second"):
        await writer.write([Begin(match, {"oche": 1}, "then"), Line(match, 2, {"throw": "T20"}, "board", "then")])
    with closing(sqlite3.connect(path)) as disk, disk:
        disk.execute("delete from entry where match = 2")
        disk.execute("delete from match where id = 'second'")
    stored = await writer.open()
    assert stored is not None
    assert (stored.id, [line.input for line in stored.lines]) == ("second", [{"throw": "T20"}])
    await writer.close()


def files_with(folder: Path, text: bytes) -> list[str]:
    """The names of those that have this."""
    return sorted(path.name for path in folder.iterdir() if text in path.read_bytes())


@pytest.mark.parametrize("is_on_disk", [False, True])
async def test_a_refused_header_does_no_harm_to_a_sound_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_on_disk: bool
) -> None:
    """The new header may have come to the disk all the same."""
    whole = JournalFile.rewrite_header

    def fails_at_the_end(store: JournalFile, match: str, header: dict[str, Any]) -> None:
        whole(store, match, header)
        raise StoreError("the disk failed at the very end")

    def rename(header: dict[str, Any]) -> dict[str, Any]:
        return {**header, "players": ["Bo"]}

    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([Begin("first", {"oche": 1, "players": ["Ann"]}), Line("first", 2, {"throw": "T20"}, "board")])
    with monkeypatch.context() as patch:
        if is_on_disk:
            patch.setattr(JournalFile, "rewrite_header", fails_at_the_end)
        with small_disk(1 << 30 if is_on_disk else 1), pytest.raises(StoreError):
            await writer.rewrite_header(rename)
    stored = await writer.open()
    assert stored is not None
    assert stored.header["players"] == (["Bo"] if is_on_disk else ["Ann"])
    assert (await writer.rewrite_header(rename)).header["players"] == ["Bo"]
    await writer.write([Line("first", 3, {"throw": "DB"}, "board")])
    await writer.close()
    assert writer.remark is None
    assert files_with(tmp_path, b"") == ["main.sqlite3", "main.sqlite3-copy"]
    again = JournalWriter("main", path)
    stored = await again.open()
    assert (stored and stored.header["players"], again.remark) == (["Bo"], None)
    await again.close()


async def test_a_kill_right_after_a_new_header_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy beside the journal is not rewritten yet."""
    whole = JournalFile.rewrite_header

    class Killed(BaseException):
        pass

    def is_killed(store: JournalFile, match: str, header: dict[str, Any]) -> None:
        whole(store, match, header)
        store.close()
        raise Killed

    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([Begin("first", {"oche": 1, "players": ["Ann"]}), Line("first", 2, {"throw": "T20"}, "board")])
    monkeypatch.setattr(JournalFile, "rewrite_header", is_killed)
    with pytest.raises(Killed):
        await writer.rewrite_header(lambda header: {**header, "players": ["Bo"]})
    again = JournalWriter("main", path)
    stored = await again.open()
    assert (stored and stored.header["players"], again.remark) == (["Bo"], None)
    await again.close()
    assert files_with(tmp_path, b"Ann") == []


async def test_what_waits_behind_an_input_that_fails_is_played(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        layout = table.codebook.layout
        await table.feed(Hit(segment=None, time_ns=0))  # type: ignore[arg-type]
        for segment_id in ("T20", "O1"):
            await table.feed(Hit(segment=layout[segment_id], time_ns=time.monotonic_ns()))
        last = give(table, {"throw": "DB"}, "page")
        assert (await last).line == 4
    assert [given for _, given in entries(tmp_path)] == ['{"throw":"T20"}', '{"throw":"O1"}', '{"throw":"DB"}']


async def test_a_disk_without_a_write_ahead_log_keeps_a_dart_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite knows none where processes cannot share memory; then a power cut must not bring back its journal."""
    path, opened, connect = tmp_path / "main.sqlite3", list[sqlite3.Connection](), sqlite3.connect

    def connect_without(_: Path, **given: Any) -> sqlite3.Connection:  # Any: as SQLite has them
        opened.append(connect(f"file:{path}?vfs=unix-dotfile", uri=True, **given))
        return opened[-1]

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect_without)
        writer = JournalWriter("main", path)
        await writer.open()
    await writer.write([Begin("first", {"oche": 1}), Line("first", 2, {"throw": "T20"}, "board")])
    assert opened[-1].execute("pragma journal_mode").fetchone() == ("delete",)
    assert opened[-1].execute("pragma synchronous").fetchone() == (3,)
    with closing(open_read_only(path)) as db:
        assert read_latest(db) is not None
    await writer.close()
    with closing(open_read_only(path)) as reader, closing(connect(path, isolation_level=None)) as other:
        reader.execute("pragma busy_timeout = 0")
        other.execute("begin exclusive")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            read_latest(reader)
