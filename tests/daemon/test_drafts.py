"""A journal that is mended or written anew is there with all matches, wherever that is broken off."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from daemon.admin.backup.collect import list_members
from daemon.admin.history.forget import delete_matches, find_keys, forget_player
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.journal.errors import StoreError
from daemon.journal.lines import Begin
from daemon.journal.mending import find_journal_drafts, finish_draft, locate_draft, put_in_place, settle_drafts
from daemon.journal.writer import JournalWriter
from tests.daemon.broken_off import Calls, fail, run_killed_everywhere
from tests.daemon.process import configure
from tests.daemon.test_damaged_journals import HEADER, LAST, matches, three_matches

ALL = {"first": LAST, "second": LAST, "third": LAST}


def spoil(path: Path) -> None:
    """The journal names a form that it has not."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma user_version = 5")


async def open_again(writer: JournalWriter) -> None:
    """Opens the journal, again after an error, as a table does by itself."""
    for _ in range(2):
        with suppress(StoreError):
            await writer.open()
            break
    else:
        await writer.open()


async def _mend(folder: Path) -> None:
    writer = JournalWriter("main", folder / "main.sqlite3")
    await open_again(writer)
    await writer.close()


async def _lose(folder: Path, lose: Callable[[Path], object]) -> None:
    """The journal is lost while it is open, and the next input notices."""
    path = folder / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    lose(path)
    with suppress(StoreError):
        await writer.write([Begin("fourth", HEADER)])
    await open_again(writer)
    await writer.close()


def replace(path: Path, rename: Callable[[Path, Path], None] = os.rename) -> None:
    shutil.copy(path, path.with_name("other"))
    rename(path.with_name("other"), path)  # which is none of the counted calls


def delete(path: Path, unlink: Callable[[Path], None] = os.unlink) -> None:
    unlink(path)


def mend(folder: Path) -> None:
    asyncio.run(_mend(folder))


def write_anew(folder: Path) -> None:
    asyncio.run(_lose(folder, replace))


def write_deleted_anew(folder: Path) -> None:
    asyncio.run(_lose(folder, delete))


def exchange(folder: Path) -> None:
    put_in_place(folder / "main.sqlite3")


def make(folder: Path, work: Callable[[Path], None]) -> Path:
    """The folder of a journal of three matches, damaged where it is to be mended."""
    folder.mkdir()
    path = asyncio.run(three_matches(folder, with_copy=False))
    if work is mend:
        spoil(path)
    return folder


def check(folder: Path) -> str | None:
    """The journal, opened as a start does: it has all matches, and nothing is left over. What is remarked."""
    path = folder / "main.sqlite3"
    writer = JournalWriter("main", path)

    async def go_on() -> None:
        found = await writer.open()
        assert found is not None
        assert found.id == "third"
        await writer.close()

    asyncio.run(go_on())
    assert matches(path) == ALL
    assert find_journal_drafts(folder) == []
    return writer.remark


def find_former(folder: Path) -> list[str]:
    return sorted(path.name.partition(".damaged-")[2][10:] for path in folder.glob("*.damaged-*"))


@pytest.mark.parametrize("work", [mend, write_anew])
@pytest.mark.long
def test_killed_at_any_call(tmp_path: Path, work: Callable[[Path], None]) -> None:
    folders = run_killed_everywhere(__name__, work.__name__, make(tmp_path / "made", work), tmp_path)
    assert len(folders) > 6
    remarks = [check(folder) for folder in folders]
    if work is mend:
        assert all(find_former(folder) == [""] for folder in folders)
        assert all(remark is None or "it was moved aside as main.sqlite3.damaged-" in remark for remark in remarks)
        assert len([*filter(None, remarks)]) > 4


@pytest.mark.slow
@pytest.mark.parametrize("work", [mend, write_anew, write_deleted_anew])
def test_an_error_at_any_call(tmp_path: Path, work: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(tmp_path / "made", work)
    number, is_over = 0, False
    while not is_over:
        number += 1
        folder = Path(shutil.copytree(made, tmp_path / f"{number}"))
        calls = Calls(number, fail)
        with monkeypatch.context() as patch:
            calls.patch(patch.setattr)
            work(folder)
        check(folder)
        assert len(find_former(folder)) <= 1
        is_over = calls.count < number
    assert number > 6


@pytest.mark.parametrize("work", [mend, write_anew])
def test_without_hard_links(tmp_path: Path, work: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path / "made", work)
    with monkeypatch.context() as patch:
        patch.setattr("os.link", lambda *_, **__: fail())
        work(folder)
    check(folder)
    assert find_former(folder) == [""]


@pytest.mark.slow
def test_the_log_stays_with_its_file(tmp_path: Path) -> None:
    """And no log is taken for that of the file that comes."""
    made = tmp_path / "made"
    made.mkdir()
    for name in ("", "-wal", ".new"):
        (made / f"main.sqlite3{name}").write_text(name)
    finish_draft(made / "main.sqlite3")
    for folder in run_killed_everywhere(__name__, exchange.__name__, made, tmp_path):
        settle_drafts(folder)
        assert (folder / "main.sqlite3").read_text() == ".new"
        assert not (folder / "main.sqlite3-wal").exists()
        assert find_former(folder) == ["", "-wal"]


def leave_draft(folder: Path, *, with_journal: bool) -> Path:
    """A journal that was to be mended when oche was killed, and its finished draft."""
    path = asyncio.run(three_matches(folder, with_copy=False))
    shutil.copy(path, locate_draft(path))
    finish_draft(path)
    if not with_journal:
        path.unlink()
    return path


def test_a_backup_has_a_finished_draft(tmp_path: Path) -> None:
    config = configure(tmp_path, 1)
    (tmp_path / "state").mkdir()
    leave_draft(tmp_path / "state", with_journal=False)
    (tmp_path / "copies").mkdir()
    members, _ = list_members(config, config, read_config(config).config, tmp_path / "copies")
    assert "state/main.sqlite3.whole" in [member.name for member in members]


@pytest.mark.parametrize("with_journal", [True, False])
def test_forgetting_and_deleting_reach_drafts(tmp_path: Path, with_journal: bool) -> None:
    path = leave_draft(tmp_path, with_journal=with_journal)
    shutil.copy(tmp_path / "main.sqlite3.whole", locate_draft(path))  # and another, which was not finished
    for erase in (
        lambda: forget_player(tmp_path, find_keys(tmp_path, "Ann")),
        lambda: delete_matches(tmp_path, ["first"]),
    ):
        with pytest.raises(StoreError, match=r"oche is repairing a journal \(main\.sqlite3\.new\): try again"):
            erase()
    settle_drafts(tmp_path)
    assert forget_player(tmp_path, find_keys(tmp_path, "Ann")).matches == 3
    delete_matches(tmp_path, ["first"])
    assert find_journal_drafts(tmp_path) == []
    assert matches(path) == {"second": LAST, "third": LAST}
    assert b'"Ann"' not in path.read_bytes()


async def test_a_start_settles_what_a_table_has_left_that_is_gone(tmp_path: Path, unused_tcp_port: int) -> None:
    """Nobody opens its journal any more, and forgetting and deleting would wait for it for ever."""
    config, state = configure(tmp_path, unused_tcp_port), tmp_path / "state"
    state.mkdir()
    path = await three_matches(state, with_copy=False)
    shutil.copy(path, locate_draft(state / "gone.sqlite3"))
    finish_draft(state / "gone.sqlite3")
    (state / "older.sqlite3.new").write_bytes(b"")
    async with run_daemon(read_config(config)):
        assert find_journal_drafts(state) == []
        assert forget_player(state, find_keys(state, "Ann"), tables=["main"]).matches == 3
    assert matches(state / "gone.sqlite3") == ALL
