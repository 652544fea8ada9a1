"""A journal, or its log, that another program makes smaller while oche has it open; and the log when a match begins."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.journal.errors import ROOM_BYTES, StoreError
from daemon.journal.lines import Begin
from daemon.journal.stored import find_copies
from daemon.journal.writer import JournalWriter
from tests.daemon.test_damaged_journals import HEADER, LAST, line, matches, opened, three_matches


async def write_match(writer: JournalWriter, match: str) -> None:
    await writer.write([Begin(match, HEADER)])
    for number in range(2, LAST + 1):
        await writer.write([line(match, number)])


async def write_on(writer: JournalWriter) -> None:
    """Writes a line, after opening the journal anew, as a table does after it was refused."""
    with pytest.raises(StoreError, match="another program made the journal"):
        await writer.write([line("third", LAST + 1)])
    await writer.open()
    await writer.write([line("third", LAST + 1)])
    await writer.close()


async def test_a_flipped_bit_in_the_log_costs_no_match_before(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    path, killed = tmp_path / "main.sqlite3", tmp_path / "killed" / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    for match in ("first", "second"):
        await write_match(writer, match)
    for ending in ("", "-wal", "-copy"):
        shutil.copy(f"{path}{ending}", tmp_path / "killed")
    await writer.close()
    log = killed.with_name(f"{killed.name}-wal")
    content = bytearray(log.read_bytes())
    content[32 + 24 + 700] ^= 1  # of the first frame, so that SQLite drops all
    log.write_bytes(content)
    found, _ = await opened(killed)
    assert found is not None
    assert (found.id, len(found.lines)) == ("second", LAST - 1)
    assert matches(killed) == {"first": LAST, "second": LAST, "next": 2}


async def test_matches_that_were_lost_with_the_log_are_named(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    await write_match(writer, "first")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select * from match").fetchall()  # so that what follows stays in the log
        for match in ("second", "third"):
            await write_match(writer, match)
    os.truncate(f"{path}-wal", 0)
    await write_on(writer)
    assert writer.remark is not None
    assert writer.remark.endswith("; the journal had lost the match number 2")
    assert matches(path) == {"first": LAST, "third": LAST + 1}


@pytest.mark.parametrize(
    ("left", "remark"),
    [
        (0, "; the journal had lost the matches number 1 to 2"),
        (5000, "; 1 of 3 matches were found"),
    ],
)
async def test_matches_that_were_cut_off_are_counted(tmp_path: Path, left: int, remark: str) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    os.truncate(path, left)
    await write_on(writer)
    assert writer.remark is not None
    assert remark in writer.remark


async def test_a_journal_made_smaller_by_vacuum_is_not_damaged(tmp_path: Path) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    size = path.stat().st_size
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("vacuum")
        db.execute("pragma wal_checkpoint(truncate)")
    assert path.stat().st_size < size
    await writer.write([line("third", LAST + 1)])
    await writer.close()
    assert writer.remark is None
    assert find_copies(tmp_path) == []
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 1}


async def test_an_emptied_log_is_no_reason_to_test_the_disk(tmp_path: Path) -> None:
    """As when a match was deleted: the next dart would wait for it."""
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open(test_room=False)
    for number in (LAST + 1, LAST + 2):
        await writer.write([line("third", number)])
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    await writer.write([line("third", LAST + 3)])
    assert path.with_name(f"{path.name}-wal").stat().st_size < ROOM_BYTES
    await writer.close()
    assert writer.remark is None
    assert matches(path)["third"] == LAST + 3
