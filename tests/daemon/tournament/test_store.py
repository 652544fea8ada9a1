"""The file of the tournaments: what was answered is there after a kill, and what was refused is not."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from daemon.admin.players.names import make_neutral_name
from daemon.journal.errors import Damaged, Moved, StoreError
from daemon.tournament.store import FILE, Kept, TournamentStore, erase_names
from protocol.tournament import Change, Enter, Line, TournamentSpec

KEPT = Kept("abcd1234", 1000, TournamentSpec("Friday", "knock_out"), None)
ANN = Line(2, 1001, "organiser", Enter(("Ann",), seed=1))
BO = Line(3, 1002, "sign_up", Enter(("Bo", "Ann Lee"), name="Bo & Ann Lee"))


async def test_without_a_tournament_there_is_no_file(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    assert await store.list_kept() == []
    await store.close()
    assert not (tmp_path / FILE).exists()


async def test_what_was_written_is_read(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    await store.make(KEPT, [ANN])
    await store.add(KEPT.id, BO, 1002)
    await store.close()
    again = TournamentStore(tmp_path)
    assert await again.list_kept() == [KEPT._replace(ended_s=1002)]
    assert await again.read_lines(KEPT.id) == [ANN, BO]
    await again.close()


def test_a_line_that_was_answered_survives_a_kill(tmp_path: Path) -> None:
    code = f"""
import asyncio, os, signal
from pathlib import Path
from daemon.tournament.store import TournamentStore
from tests.daemon.tournament.test_store import ANN, KEPT
async def main():
    store = TournamentStore(Path({str(tmp_path)!r}))
    await store.make(KEPT)
    await store.add(KEPT.id, ANN, None)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    killed = subprocess.run(
        [sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": str(Path.cwd())}
    )
    assert killed.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("select number from line").fetchall() == [(2,)]


async def test_a_refused_line_is_taken_out_with_the_next(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    await store.make(KEPT)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        db.execute("insert into line values ('abcd1234', 2, 7, 'organiser', '{\"do\":\"end\"}')")  # as if refused late
    await store.add(KEPT.id, ANN, None)
    assert await store.read_lines(KEPT.id) == [ANN]
    await store.close()


async def test_after_a_failed_write_the_next_one_is_written(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    await store.make(KEPT)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        db.execute("create trigger refuse before insert on line begin select raise (abort, 'no room'); end")
        with pytest.raises(StoreError, match=r"cannot write the journal .*: no room"):
            await store.add(KEPT.id, ANN, None)
        db.execute("drop trigger refuse")
    await store.add(KEPT.id, ANN, None)
    assert await store.read_lines(KEPT.id) == [ANN]
    await store.close()


async def test_nothing_is_written_to_a_file_that_is_gone(tmp_path: Path) -> None:
    store, file = TournamentStore(tmp_path), tmp_path / FILE
    await store.make(KEPT)
    file.rename(tmp_path / "away")
    with pytest.raises(Moved, match="was deleted or replaced"):
        await store.add(KEPT.id, ANN, None)
    (tmp_path / "away").rename(file)
    await store.add(KEPT.id, ANN, None)
    assert await store.read_lines(KEPT.id) == [ANN]
    await store.close()


async def test_a_damaged_file_is_told_in_one_sentence_and_left(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    store = TournamentStore(tmp_path)
    with pytest.raises(Damaged, match=r"cannot open the journal .*tournaments.db: .*; it is damaged"):
        await store.list_kept()
    await store.close()
    assert (tmp_path / FILE).read_bytes() == b"no database" * 100


async def test_a_missing_line_is_damage(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    await store.make(KEPT, [ANN, BO])
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        db.execute("delete from line where number = 2")
    with pytest.raises(Damaged, match="line 2 of the tournament abcd1234 is missing"):
        await store.read_lines(KEPT.id)
    await store.close()


async def test_names_are_overwritten(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path)
    renamed = Line(4, 1003, "organiser", Change(2, people=("ann",)))
    await store.make(KEPT, [ANN, BO, renamed])
    erase_names(tmp_path / FILE, {"ann", "ann lee"}, make_neutral_name)
    assert [line.input for line in await store.read_lines(KEPT.id)] == [
        Enter(("Forgotten player 1",), seed=1),
        Enter(("Bo", "Forgotten player 2")),
        Change(2, people=("Forgotten player 1",)),
    ]
    await store.close()
    assert b"Ann" not in (tmp_path / FILE).read_bytes()
