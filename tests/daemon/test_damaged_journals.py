"""Whatever a journal holds: damage costs the match that it is in, and nothing that was shown is gone silently."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.forget import delete_matches
from daemon.admin.history.history import History
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.journal.current import MatchCopy, locate_copy
from daemon.journal.errors import Damaged, StoreError
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line, StoredMatch
from daemon.journal.mending import locate_draft, salvage
from daemon.journal.stored import StoredJournal, find_copies
from daemon.journal.writer import JournalWriter
from tests.commanding import give
from tests.daemon.process import configure, journal
from tests.sweep import sweep

HEADER = {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "seed": "a"}
LAST = 7


def line(match: str, number: int) -> Line:
    return Line(match, number, {"next": True} if number % 4 == 1 else {"throw": "S20"}, "board", "then")


async def three_matches(folder: Path, *, with_copy: bool) -> Path:
    """The journal of three matches with lines up to LAST, closed as it should be."""
    path = folder / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    for match in ("first", "second", "third"):
        await writer.write([Begin(match, HEADER)])
        for number in range(2, LAST + 1):
            await writer.write([line(match, number)])
    await writer.close()
    if not with_copy:
        locate_copy(path).unlink()
    return path


async def opened(path: Path) -> tuple[StoredMatch | None, str | None]:
    """The match at hand, and the remark, of a table that can be played on."""
    writer = JournalWriter("main", path)
    found = await writer.open()
    await writer.write([Begin("next", HEADER), line("next", 2)])
    await writer.close()
    return found, writer.remark


def change(path: Path, statement: str) -> None:
    """Runs this on the journal, whatever its tables allow."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        tables = db.execute("select name, sql from sqlite_master where type = 'table'").fetchall()
        db.execute("pragma writable_schema = on")
        db.execute(
            "update sqlite_master set sql = replace(replace(sql, ' not null', ''), ' references match (number)', '')"
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement)
        db.execute("pragma writable_schema = on")
        for name, sql in tables:
            db.execute("update sqlite_master set sql = ? where name = ?", (sql, name))


def matches(path: Path) -> dict[str, int]:
    """The last line of each match in the journal, by code of the tests alone."""
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute("select id, max(line) from match join entry on match = number group by id").fetchall())


DAMAGED_LINES = {
    "null": "input = null",
    "no text": "input = x'ff00'",
    "no UTF-8": "input = cast(x'22ff22' as text)",
    "no JSON": "input = '{'",
    "no object": "input = '[1]'",
    "endless": f"input = '{'[' * 20_000}'",
    "a number": "input = 17",
    "no source": "source = null",
    "another line": "line = -3",
    "another match": "match = -1",
    "no number of a match": "match = 'abc'",
    "no number of a line": "line = x'00'",
}


@pytest.mark.parametrize("damage", DAMAGED_LINES)
async def test_a_match_goes_on_from_the_last_line_that_can_be_read(tmp_path: Path, damage: str) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    change(path, f"update entry set {DAMAGED_LINES[damage]} where match = 3 and line = 5")  # noqa: S608  ours
    wrecked = path.read_bytes()
    found, remark = await opened(path)
    assert found is not None
    assert (found.id, found.lines[-1].number) == ("third", 4)
    assert remark is not None
    assert "; the match continues from line 4, because the next one could not be read" in remark
    assert matches(path) == {"first": LAST, "second": LAST, "third": 4, "next": 2}
    assert [each.read_bytes() for each in find_copies(tmp_path)] == [wrecked]


@pytest.mark.parametrize("damage", ["header = null", "header = '{'", "id = null", "id = x'00'", "begun_at = null"])
async def test_only_a_match_without_a_readable_header_is_not_played_on(tmp_path: Path, damage: str) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    change(path, f"update match set {damage} where number = 3")  # noqa: S608  ours
    found, remark = await opened(path)
    assert found is None
    assert remark is not None
    assert "1 of 3 matches could not be read: " in remark
    assert remark.endswith("; the current match is one of them, and a new match starts")
    assert matches(path) == {"first": LAST, "second": LAST, "next": 2}


@pytest.mark.parametrize(
    "statement",
    [
        "update entry set input = null where match = 3 and line = 5",
        """update entry set input = '{"throw":"S19"}' where match = 3 and line = 5""",
        "update match set header = null where number = 3",
        "delete from entry where match = 3 and line > 4",
        "delete from match where number = 3",
    ],
)
async def test_the_copy_of_the_match_at_hand_has_what_the_journal_lost(tmp_path: Path, statement: str) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    change(path, statement)
    found, remark = await opened(path)
    assert found is not None
    assert (found.id, found.header) == ("third", HEADER)
    assert [each.input for each in found.lines] == [line("third", number).input for number in range(2, LAST + 1)]
    assert remark is not None
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST, "next": 2}


@pytest.mark.parametrize("damage", ["header = null", "id = null", "begun_at = null", "begun_at = 17"])
async def test_the_history_has_all_matches_that_can_be_read(tmp_path: Path, damage: str) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    change(path, f"update match set {damage} where number = 2")  # noqa: S608  ours
    history = History(tmp_path, {}, "test")
    read = [match.id for match in history.all_matches()]
    assert read[0] == "first"
    assert read[-1] == "third"
    assert len(history.problems) == (len(read) == 2)


async def test_a_match_that_was_deleted_does_not_come_back_from_the_copy(tmp_path: Path) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    delete_matches(tmp_path, {"third"})
    writer = JournalWriter("main", path)
    found = await writer.open()
    assert found is not None
    assert (found.id, writer.remark) == ("second", None)
    await writer.write([line("second", LAST + 1)])  # it is played on, although it has been recorded
    await writer.close()
    await opened(path)
    stored = StoredJournal(path)
    assert [match.lines[-1].number for match in stored.matches(stored.heads())] == [LAST, LAST + 1, 2]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select number from record").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize("with_copy", [True, False])
async def test_the_match_that_seems_to_be_the_latest_is_read_from_its_record(tmp_path: Path, with_copy: bool) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([Begin("just begun", HEADER)])  # it has no line yet, and its row will be gone
    await writer.close()
    change(path, "update match set header = null where number = 3")
    change(path, "delete from match where number = 4")
    salvaged = salvage(path, StoredMatch("just begun", HEADER, []) if with_copy else None)
    assert (salvaged.read, salvaged.unreadable) == (4 if with_copy else 3, [])
    assert matches(locate_draft(path)) == {"first": LAST, "second": LAST, "third": LAST}


@pytest.mark.parametrize("name", [b"entryentry", b"matchmatch", b"match, line)"])
async def test_a_damaged_name_of_a_table_or_column_is_no_end(tmp_path: Path, name: bytes) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    wrecked = path.read_bytes()
    assert wrecked[:4096].count(name) == 1
    wrecked = wrecked.replace(name, b"\xff" + name[1:])
    path.write_bytes(wrecked)
    found, remark = await opened(path)
    assert found is not None
    assert (found.id, found.lines[-1].number) == ("third", LAST)
    assert remark is not None
    assert [each.read_bytes() for each in find_copies(tmp_path)] == [wrecked]
    path.write_bytes(wrecked)
    history = History(tmp_path, {}, "test")
    assert not list(history.all_matches())
    assert history.problems


@pytest.mark.parametrize("has_records", [True, False])
async def test_a_bad_page_costs_only_matches_without_a_record(tmp_path: Path, has_records: bool) -> None:
    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    for number in range(60):
        await writer.write([Begin(f"m{number}", HEADER), *(line(f"m{number}", n) for n in range(2, 40))])
    await writer.close()
    locate_copy(path).unlink()
    if not has_records:  # as an older oche has written it
        change(path, "drop table record")
    for page in (1, 10):
        with path.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(bytes(4096))
    path.with_name("main.sqlite3-wal").touch()
    found, remark = await opened(path)
    assert found is not None
    assert (found.id, len(found.lines)) == ("m59", 38)
    assert remark is not None
    lost = 61 - len(matches(path))
    assert lost == 0 if has_records else 1 <= lost <= 4, remark
    assert (f"; {lost} of 60 matches could not be read: " in remark) is not has_records


async def test_damage_met_while_writing_is_set_aside(tmp_path: Path) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    writer = JournalWriter("main", path)
    await writer.open()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("create trigger broken before insert on entry begin select raise(abort, 'malformed'); end")
    with pytest.raises(Damaged):
        await writer.write([line("third", LAST + 1)])
    await writer.open()
    await writer.write([line("third", LAST + 1)])
    await writer.close()
    assert writer.remark is not None
    assert writer.remark.startswith("the journal was damaged: it was moved aside as main.sqlite3.damaged-")
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 1}


@pytest.mark.parametrize("version", [0, 5, 2**30 + 1])
async def test_a_damaged_version_is_not_a_newer_oche(tmp_path: Path, version: int) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"pragma user_version = {version}")
    found, _ = await opened(path)
    assert found is not None
    assert (found.id, len(found.lines)) == ("third", LAST - 1)


@pytest.mark.parametrize("at", sweep([0, 16, 18, 19, 21, 28, 44, 56, 60, 100, 105], lambda at: at in (0, 18, 100)))
async def test_a_damaged_header_costs_no_match(tmp_path: Path, at: int) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    content = bytearray(path.read_bytes())
    content[at] ^= 0x44
    path.write_bytes(content)
    found, _ = await opened(path)
    assert found is not None
    assert (found.id, len(found.lines)) == ("third", LAST - 1)
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST, "next": 2}


def cut_log(path: Path, copy: bool) -> None:
    """A bit of the log is flipped: SQLite drops that frame, and without a word all that follow it."""
    log = path.with_name(f"{path.name}-wal")
    content = bytearray(log.read_bytes())
    content[32 + (4096 + 24) * 4 + 700] ^= 1
    log.write_bytes(content)
    if not copy:
        rows = locate_copy(path).read_bytes().replace(b'"line"', b'"line"').split(b"\n")
        rows[3] = rows[3][:-1]
        locate_copy(path).write_bytes(b"\n".join(rows))


@pytest.mark.parametrize("copy", [True, False])
async def test_a_flipped_bit_in_the_log_is_never_a_silent_step_back(tmp_path: Path, copy: bool) -> None:
    (tmp_path / "killed").mkdir()
    path = tmp_path / "main.sqlite3"
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([Begin("first", HEADER)])
    for number in range(2, 20):
        await writer.write([line("first", number)])
    for ending in ("", "-wal", "-copy"):
        shutil.copy(f"{path}{ending}", tmp_path / "killed")
    await writer.close()
    killed = tmp_path / "killed" / "main.sqlite3"
    cut_log(killed, copy)
    found, remark = await opened(killed)
    assert found is not None
    assert remark is not None
    if copy:
        assert found.lines[-1].number == 19
        assert " inputs of the match; they are restored" in remark
    else:
        end = found.lines[-1].number
        assert end < 19
        shown = "displays showed the match first up to line 19"
        assert f"{shown}, but the journal has it only up to line {end}: check the score" in remark


def delete(path: Path) -> None:
    path.unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def delete_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("other"))
    path.with_name("other").rename(path)


@pytest.mark.parametrize("lose", [delete, rename, delete_log, delete_folder, replace])
async def test_a_journal_that_is_lost_while_open_is_written_anew(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([line("third", LAST + 1)])
    lose(path)
    with pytest.raises(StoreError, match="was deleted, renamed or replaced while oche used it"):
        await writer.write([line("third", LAST + 2)])
    found = await writer.open()
    assert found is not None
    assert found.lines[-1].number == LAST + 1
    await writer.write([line("third", LAST + 2)])
    assert writer.remark is not None
    assert writer.remark.endswith("while oche used it: oche wrote it again")
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 2}
    await writer.close()
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 2}


async def test_a_journal_that_is_lost_is_written_anew_although_a_header_notices(tmp_path: Path) -> None:
    """As when a player is forgotten before the next dart: the matches before are only in the file that is open."""
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    path.unlink()
    with pytest.raises(StoreError, match="was deleted, renamed or replaced while oche used it"):
        await writer.rewrite_header(lambda header: {**header, "players": ["Cy", "Bo"]})
    await writer.open()
    await writer.write([line("third", LAST + 1)])
    await writer.close()
    assert writer.remark is not None
    assert writer.remark.endswith("while oche used it: oche wrote it again")
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 1}


@pytest.mark.parametrize("ending", ["", "-wal"])
@pytest.mark.parametrize("left", [0, 5000])
async def test_a_journal_that_is_cut_while_open_keeps_the_match_at_hand(tmp_path: Path, ending: str, left: int) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    writer = JournalWriter("main", path)
    await writer.open()
    await writer.write([line("third", LAST + 1)])
    with path.with_name(path.name + ending).open("r+b") as file:
        file.truncate(left)
    try:
        await writer.write([line("third", LAST + 2)])
    except StoreError:
        await writer.open()
        await writer.write([line("third", LAST + 2)])
    await writer.close()
    assert matches(path)["third"] == LAST + 2


@pytest.mark.parametrize("longer", ["journal", "copy", "another match"])
async def test_a_closed_journal_shows_the_match_that_is_known_furthest(tmp_path: Path, longer: str) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    if longer == "copy":
        change(path, "delete from entry where match = 3 and line > 5")
    elif longer == "journal":
        rows = locate_copy(path).read_bytes().splitlines(keepends=True)
        locate_copy(path).write_bytes(b"".join(rows[:-2]))
    else:
        change(path, "insert into match select 4, 'fourth', header, begun_at from match where number = 3")
    found = await JournalWriter("main", path).peek()
    assert found is not None
    assert (found.id, len(found.lines)) == (("fourth", 0) if longer == "another match" else ("third", LAST - 1))


async def test_the_length_of_another_match_in_a_damaged_row_ends_nothing(tmp_path: Path) -> None:
    path = await three_matches(tmp_path, with_copy=False)
    change(path, "insert into entry select 2, 'abc', input, source, at from entry where match = 2 and line = 2")
    copy = MatchCopy(path)
    copy.append([Begin("second", HEADER), *(line("second", number) for number in range(2, LAST + 5))])
    copy.close()
    found, remark = await opened(path)
    assert found is not None
    assert remark is not None


async def test_an_unforeseen_error_in_reading_is_the_trouble_of_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: JournalFile) -> None:
        raise TypeError("a row like no other")

    monkeypatch.setattr(JournalFile, "latest", fail)
    config = configure(tmp_path)
    async with run_daemon(read_config(config)) as running:
        assert "(TypeError: a row like no other)" in str(running.tables["main"].trouble)


async def test_the_other_tables_play_beside_a_damaged_journal(tmp_path: Path) -> None:
    more = f'[[table]]\nname = "kitchen"\nboard = "serial:{tmp_path}/other"\nprofile = "quick.toml"'
    config = configure(tmp_path, more=more)
    async with run_daemon(read_config(config)) as running:
        await give(running.tables["main"], {"throw": "T20"}, "page")
    path = tmp_path / "state" / "main.sqlite3"
    locate_copy(path).unlink()
    change(path, "update match set header = null")
    async with run_daemon(read_config(config)) as running:
        for name in ("main", "kitchen"):
            await give(running.tables[name], {"throw": "DB"}, "page")
            assert running.tables[name].trouble is None
        remark = running.tables["main"].recovery.remark
        assert remark is not None
        assert "1 of 1 matches could not be read: " in remark
    assert journal(tmp_path) == journal(tmp_path, "kitchen") == [{"throw": "DB"}]


@pytest.mark.parametrize("error", ["read-only", "no database"])
@pytest.mark.parametrize("is_first", [True, False])
async def test_one_error_of_the_disk_is_no_damage(
    tmp_path: Path, error: str, is_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite opens a file to be read where it cannot open it to be written, and then says so of the file."""
    path = await three_matches(tmp_path, with_copy=False)
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"garbage " * 1000)
    writer = JournalWriter("main", path)
    if not is_first:
        await writer.open()
        path.with_name(f"{path.name}-wal").write_bytes(b"")  # another program makes it smaller: it is opened anew
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connect_once(name: object, **given: Any) -> sqlite3.Connection:  # Any: as sqlite3 has them
        if name != path:
            return connect(str(name), **given)
        monkeypatch.setattr(sqlite3, "connect", connect)
        return (
            connect(garbage, **given) if error == "no database" else connect(f"file:{path}?mode=ro", uri=True, **given)
        )

    monkeypatch.setattr(sqlite3, "connect", connect_once)
    if error == "read-only":
        with pytest.raises(StoreError, match="make it and its folder writable"):
            await (writer.open() if is_first else writer.write([line("third", LAST + 1)]))
    if is_first or error == "read-only":
        assert await writer.open() is not None  # as a table does by itself
    await writer.write([line("third", LAST + 1)])
    await writer.close()
    assert writer.remark is None
    assert matches(path) == {"first": LAST, "second": LAST, "third": LAST + 1}
