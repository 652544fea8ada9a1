"""What the disk has after it failed is what was kept before, and nothing that was refused."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from daemon.recorder import Recorder
from daemon.sections import TableConfig
from daemon.store import Begin, Line, Store, StoreError
from daemon.supervisor import keep
from daemon.table import Table
from drivers.backoff import Backoff
from protocol.codebook import shipped
from protocol.commands import CommandError
from tests.daemon.patience import eventually

Write = Callable[[Store, Sequence[Begin | Line]], None]


@asynccontextmanager
async def table_in(folder: Path) -> AsyncIterator[Table]:
    """A table that plays, and is started again when it falls."""
    table = Table(TableConfig(board="sim:x"), shipped("plain-standard"), folder / "main.sqlite3", "session")
    await table.open()
    playing = asyncio.create_task(keep("the table", table.run))
    try:
        yield table
    finally:
        playing.cancel()
        await asyncio.wait([playing])
        await table.close()


def fails_once(monkeypatch: pytest.MonkeyPatch, fail: Write) -> None:
    """The next commit goes wrong like this."""
    whole = Store.write

    def write(store: Store, news: Sequence[Begin | Line]) -> None:
        monkeypatch.setattr(Store, "write", whole)
        fail(store, news)

    monkeypatch.setattr(Store, "write", write)


def entries(folder: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(folder / "main.sqlite3")) as db:
        return db.execute("select line, input from entry order by match, line").fetchall()


async def test_a_refused_commit_that_reached_the_disk_is_gone_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reaches_the_disk(store: Store, news: Sequence[Begin | Line]) -> None:
        store.write(news)
        raise StoreError("the disk failed at the very end")

    async with table_in(tmp_path) as table:
        await table.command({"throw": "T20"}, "test")
        fails_once(monkeypatch, reaches_the_disk)
        inputs = [table.command({"start": None}, "test"), *(table.command({"throw": "T20"}, "test") for _ in range(3))]
        answers = await asyncio.gather(*inputs, return_exceptions=True)
        assert all(isinstance(answer, CommandError) for answer in answers)
        await eventually(lambda: table.trouble is None)
        assert entries(tmp_path) == [(2, '{"throw":"T20"}')]
        await table.command({"start": None}, "test")
        assert [line for line, _ in entries(tmp_path)] == [2, 3], "the new match has no lines of the refused one"
        await table.command({"throw": "S1"}, "test")
        assert [dart.segment for dart in table.state().turn.darts] == ["S1"]


async def test_whoever_waits_is_answered_when_the_table_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(store: Store, news: Sequence[Begin | Line]) -> None:
        raise MemoryError

    monkeypatch.setattr("daemon.supervisor._RETRY", Backoff(0.01, 0.1))
    async with table_in(tmp_path) as table:
        fails_once(monkeypatch, breaks)
        with pytest.raises(CommandError, match="the table stopped at this"):
            await table.command({"throw": "T20"}, "test")
        await table.command({"throw": "S1"}, "test")
        assert [dart.segment for dart in table.state().turn.darts] == ["S1"]


async def test_a_match_that_the_disk_has_lost_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite3"
    recorder = Recorder("main", path)
    await recorder.open()
    for match in ("first", "second"):
        await recorder.write([Begin(match, {"oche": 1}, "then"), Line(match, 2, {"throw": "T20"}, "board", "then")])
    with closing(sqlite3.connect(path)) as disk, disk:
        disk.execute("delete from entry where match = 2")
        disk.execute("delete from match where id = 'second'")
    stored = await recorder.open()
    assert stored is not None
    assert (stored.id, [line.input for line in stored.lines]) == ("second", [{"throw": "T20"}])
    await recorder.close()
