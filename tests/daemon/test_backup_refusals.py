"""`oche restore` of what is no backup, or a hostile one: a sentence, and everything is as it was."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tarfile
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from daemon.admin.backup import archive as backup_archive
from daemon.admin.backup.archive import unpack
from daemon.admin.backup.databases import check_databases
from daemon.admin.players import book
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.journal import journal_file as journal
from daemon.journal.writer import JournalWriter
from daemon.league import store as league_store
from daemon.tournament import store
from tests.commanding import give
from tests.daemon.backups import ABOUT, MANIFEST, NEWER, archive, everything, list_matches, make_backup, play_evening
from tests.daemon.evenings import Evening
from tests.daemon.process import ROOT, Saying

OCHE = (sys.executable, "-m", "daemon.cli")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return play_evening(tmp_path)


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({}, "this is not an oche backup: it has no manifest"),
        ({"manifest.json": MANIFEST.replace(b"9", b"\xff")}, "this is not an oche backup, or it is damaged: "),
        ({"manifest.json": MANIFEST.replace(b"2026", b"last")}, "this is not an oche backup, or it is damaged: In"),
        (
            {"manifest.json": MANIFEST, "state/deep/file": b""},
            "this is not an oche backup: it contains 'state/deep/file'",
        ),
        ({"manifest.json": b"{}"}, "this is not an oche backup, or it is damaged: Object missing required field"),
        ({"manifest.json": NEWER}, "this backup was made by oche 9: update oche here first"),
        ({"manifest.json": MANIFEST}, "this backup is incomplete: config/oche.toml is missing"),
        (
            {"manifest.json": MANIFEST, "config/../../etc/passwd": b""},
            "this is not an oche backup: it contains 'config/../",
        ),
        (
            {"manifest.json": MANIFEST, "/etc/passwd": b""},
            "this is not an oche backup: it contains '/etc/passwd', and its name leads out of the folder",
        ),
        (
            {"manifest.json": MANIFEST, "config/oche.toml": b"a = " + b"[" * 100_000},
            "the configuration in this backup cannot ",
        ),
        ({"manifest.json": MANIFEST, "config/oche.toml": b"["}, "the configuration in this backup cannot be read: "),
    ],
)
def test_restoring_a_file_that_is_no_backup_changes_nothing(
    oche: Saying, config: Path, members: dict[str, bytes], sentence: str
) -> None:
    before = {path: path.read_bytes() for path in config.parent.rglob("*") if path.is_file()}
    said = oche("restore", archive(config.parents[1], members), "--config", config)
    assert said.status in (1, 2)
    assert said.errors.startswith(f"oche: {sentence}")
    assert said.errors.count("\n") == 1
    assert before == {path: path.read_bytes() for path in config.parent.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        (
            {"size": "-512"},
            r"not an oche backup: it contains 'config/odd', and that is not a regular file|incomplete: config/odd .*",
        ),
        ({"size": str(1 << 40)}, r"not an oche backup: it contains 'config/odd', and that is too large"),
        (
            {"path": "config/odd\0name"},
            r"not an oche backup: it contains 'config/odd\\x00name', and its name leads out of the folder",
        ),
        (
            {"path": "/etc/passwd"},
            r"not an oche backup: it contains '/etc/passwd', and its name leads out of the folder",
        ),
    ],
)
def test_a_backup_that_no_tar_would_write_is_refused(
    oche: Saying, config: Path, headers: dict[str, str], sentence: str
) -> None:
    """On every Python, also where tarfile itself has no filter against it. Some pass over a negative size."""
    manifest = json.dumps({**ABOUT, "files": ["config/odd"]}).encode()
    file = archive(config.parents[1], {"manifest.json": manifest, "config/oche.toml": config.read_bytes()})
    with gzip.open(file) as whole:
        tar = io.BytesIO(whole.read())
    with tarfile.open(fileobj=tar, mode="a:") as out:
        odd = tarfile.TarInfo("config/odd")
        odd.pax_headers = headers
        out.addfile(odd)
    file.write_bytes(gzip.compress(tar.getvalue()))
    before = everything(config.parent)
    said = oche("restore", file, "--config", config)
    assert said.status == 2
    assert re.fullmatch(f"oche: this (is|backup is) ({sentence})\n", said.errors), said.errors
    assert before == everything(config.parent)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.99])
def test_half_a_backup_is_refused(oche: Saying, config: Path, part: float) -> None:
    backup = make_backup(oche, config)
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(len(whole) * part)])
    said = oche("restore", backup, "--config", config)
    assert said.status == 2
    assert said.errors.startswith("oche: this")
    assert not list(config.parent.rglob("*before-restore*"))


def test_a_backup_damaged_at_any_byte_is_refused(oche: Saying, config: Path) -> None:
    whole = make_backup(oche, config).read_bytes()
    complaints = []
    for place in range(10, len(whole), len(whole) // 100):
        broken = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            found = unpack(io.BytesIO(broken))
        except UserError as error:
            complaints.append(str(error))
        else:
            assert found == unpack(io.BytesIO(whole))  # of a run of zeros, one piece is as good as another
    assert len(complaints) > 90
    assert all(said.startswith(("this is not an oche backup", "this backup is incomplete")) for said in complaints)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"config/a/../../b": b""}, "its name leads out of the folder"),
        ({"other/file": b""}, "its name leads out of the folder"),
        (
            {"config/notes.txt": b"", "config/Notes.txt": b""},
            "another file has the same name apart from upper and lower case",
        ),
        (
            {"config/notes": b"", "config/notes/deep": b""},
            "another file has the same name apart from upper and lower case",
        ),
        ({"config/oche.toml/deep": b""}, "another file has the same name apart from upper and lower case"),
        ({"config/" + "x" * 300: b""}, "its name is too long"),
        ({"config/" + "x/" * 900 + "x": b""}, "its name is too long"),
    ],
)
def test_a_name_that_no_backup_has_is_refused(
    oche: Saying, config: Path, others: dict[str, bytes], reason: str
) -> None:
    members = {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes(), **others}
    before = everything(config.parents[1])
    said = oche("restore", archive(config.parents[1], members), "--config", config)
    assert (said.status, said.errors.count("\n")) == (2, 1)
    assert said.errors.endswith(f"', and {reason}\n")
    assert before.items() <= everything(config.parents[1]).items()
    assert not (config.parent / "state/lock").exists()


def test_what_is_no_file_of_oche_is_left_out(oche: Saying, config: Path) -> None:
    odd = ("config/.ssh/authorized_keys", "config/notes.new", "state/lock", "state/.profile", "state/letter.odt")
    about = json.dumps({**ABOUT, "files": odd}).encode()
    members = {"manifest.json": about, "config/oche.toml": config.read_bytes(), **dict.fromkeys(odd, b"odd")}
    said = oche("restore", archive(config.parents[1], members), "--config", config)
    assert said.status == 0
    reasons = ["its name begins with a dot", *["it is not a file of oche"] * 4]
    assert said.errors.splitlines()[1:] == [
        f"oche: {name!r} in the backup is left out, because {reason}" for name, reason in zip(odd, reasons, strict=True)
    ]
    assert b"odd" not in [path.read_bytes() for path in config.parent.rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_member_that_is_no_plain_file_is_refused(oche: Saying, config: Path, kind: bytes) -> None:
    file = archive(config.parents[1], {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes()})
    content = io.BytesIO(gzip.decompress(file.read_bytes()))
    with tarfile.open(fileobj=content, mode="a:") as tar:
        odd = tarfile.TarInfo("config/odd")
        odd.type, odd.linkname = kind, "/etc/passwd"
        tar.addfile(odd)
    file.write_bytes(gzip.compress(content.getvalue()))
    said = oche("restore", file, "--config", config)
    assert (said.status, said.errors) == (
        2,
        "oche: this is not an oche backup: it contains 'config/odd', and that is not a regular file\n",
    )


@pytest.mark.parametrize(
    ("name", "statement", "found"),
    [
        ("main.sqlite3", "create trigger x after insert on entry begin delete from match; end", "trigger 'x'"),
        ("main.sqlite3", "create view x as select 1", "view 'x'"),
        ("main.sqlite3.whole", "create view x as select 1", "view 'x'"),
        ("main.sqlite3", "create table x (a)", "table 'x'"),
        ("main.sqlite3", "create index x on match (begun_at)", "index 'x'"),
        ("main.sqlite3", "alter table record add x", "table 'record'"),
        ("players.db", "create trigger [x\x1b] after insert on name begin delete from name; end", "trigger 'x\\x1b'"),
        ("tournaments.db", "create view x as select 1", "view 'x'"),
        ("league.db", "create view x as select 1", "view 'x'"),
        (
            "main.sqlite3",
            "drop trigger forget_record; create trigger forget_record after delete on match begin select 1; end",
            "trigger 'forget_record'",
        ),
    ],
)
@pytest.mark.parametrize("is_in_log", [False, True])
def test_a_database_with_more_in_it_than_oche_makes_is_refused(
    oche: Saying, config: Path, name: str, statement: str, found: str, is_in_log: bool
) -> None:
    """The main file alone may be as it should: what counts is what SQLite finds with the log beside it."""
    database = config.parents[1] / name
    with closing(sqlite3.connect(database)) as db:
        tables = {"players.db": book.TABLES, "tournaments.db": store.TABLES, "league.db": league_store.TABLES}
        db.executescript(tables.get(name, journal.TABLES))
        db.execute("pragma user_version = 1")
        db.execute("analyze")
        if is_in_log:
            db.execute("pragma journal_mode = wal")
        db.executescript(statement)
        log = database.with_name(f"{name}-wal")
        written = {f"state/{path.name}": path.read_bytes() for path in (database, log) if path.exists()}
    members = {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes(), **written}
    before = everything(config.parent)
    said = oche("restore", archive(config.parents[1], members), "--config", config)
    assert (said.status, said.errors) == (
        2,
        f"oche: this is not an oche backup: {name} contains the {found}, which oche never writes\n",
    )
    assert everything(config.parent) == before


@pytest.mark.parametrize("part", [b"given_name", b"written"])
def test_a_trigger_that_is_not_utf_8_is_refused(tmp_path: Path, part: bytes) -> None:
    """SQLite runs it all the same."""
    path = tmp_path / "main.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(journal.TABLES)
        db.execute("create trigger given_name after insert on entry begin select 'written'; end")
        db.execute("pragma writable_schema = on")
        db.execute(
            "update sqlite_master set name = cast(replace(cast(name as blob), :part, x'ff') as text),"
            " sql = cast(replace(cast(sql as blob), :part, x'ff') as text) where name = 'given_name'",
            {"part": part},
        )
        db.commit()
    with pytest.raises(UserError, match=r"contains the trigger .*, which oche never writes"):
        check_databases({Path(path.name): path})


def test_a_database_that_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "main.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(journal.TABLES)
        db.execute("create view x as select 1")
    path.with_name("main.sqlite3-wal").mkdir()
    with pytest.raises(UserError, match=r"cannot read the journal .*: unable to open database file"):
        check_databases({Path(path.name): path})


async def test_a_journal_whose_head_is_damaged_is_put_back(tmp_path: Path) -> None:
    """It is mended when it is opened, whatever SQLite calls the fault."""
    path = tmp_path / "main.sqlite3"
    with Evening(tmp_path) as evening:
        played = evening.play("T20 S1 D20", options={"start": 101})
    whole = path.read_bytes()
    for at in range(100):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        check_databases({Path(path.name): path})
    path.write_bytes(whole[:47] + b"\x15" + whole[48:])  # the form of the schema, for which it has a code of its own
    writer = JournalWriter("main", path)
    match = await writer.open()
    await writer.close()
    assert match is not None
    assert match.id == played


def test_every_journal_that_oche_has_ever_made_is_put_back(oche: Saying, config: Path) -> None:
    kept = {path.name: path.read_bytes() for path in (ROOT / "tests/data/journals").glob("*.sqlite3")}
    members = {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes()}
    members |= {f"state/{name}": content for name, content in kept.items()}
    assert oche("restore", archive(config.parents[1], members), "--config", config).status == 0
    assert len(kept) > 1
    assert {name: (config.parent / "state" / name).read_bytes() for name in kept} == kept


def test_what_steers_a_terminal_is_shown_escaped(oche: Saying, config: Path) -> None:
    newer = MANIFEST.replace(b'"9"', b'"9\\u001b[2J"').replace(b'"oche_backup": 1', b'"oche_backup": 2')
    missing = json.dumps({**ABOUT, "files": ["config/a\x9b\x07"]}).encode()
    odd = config.read_bytes().replace(b"state_dir = ", rb'state_dir = "/tmp/\u001b[2J" #')
    for members, shown in (
        ({"manifest.json": newer}, "this backup was made by oche 9\\x1b[2J: update oche here first"),
        ({"manifest.json": missing}, "this backup is incomplete: config/a\\x9b\\x07 is missing"),
        ({"manifest.json": MANIFEST, "config/oche.toml": odd}, "say where they go, as in --state-dir /tmp/\\x1b[2J"),
    ):
        whole = {"manifest.json": b"", "config/oche.toml": config.read_bytes(), **members}
        said = oche("restore", archive(config.parents[1], whole), "--config", config)
        assert said.errors.endswith(f"{shown}\n")


def test_the_folder_of_the_state_is_not_chosen_by_the_backup(oche: Saying, config: Path) -> None:
    home, backup = config.parents[1] / "other_home", make_backup(oche, config)
    home.mkdir()
    (home / "letter.odt").touch()
    (home / "old.sqlite3").touch()
    state = config.parent / "state"
    ours = config.read_text()
    config.write_text(ours.replace(str(state), str(home)))
    odd = backup.with_name("odd.tar.gz")
    assert oche("backup", odd, "--config", config).status == 0
    for text, theirs in ((ours, f"and {config} in {state}"), (None, "which is not the usual folder")):
        config.unlink()
        if text is not None:
            config.write_text(text)
        before = everything(config.parents[1])
        said = oche("restore", odd, "--config", config)
        assert said.status == 2
        assert said.errors == (
            f"oche: the configuration in this backup keeps its matches in {home}, {theirs}: "
            f"say where they go, as in --state-dir {home}\n"
        )
        assert before == everything(config.parents[1])
    said = oche("restore", backup, "--config", config, "--state-dir", home)
    assert said.status == 0
    assert said.errors.endswith(f'oche: {config} names another folder, {state}: write state_dir = "{home}" there\n')
    assert (home / "letter.odt").exists()
    assert sorted(path.name for path in home.glob("before-restore-*/*")) == ["old.sqlite3"]


def test_a_file_that_is_not_ours_is_not_replaced(oche: Saying, config: Path) -> None:
    backup = make_backup(oche, config)
    config.write_text(config.read_text().replace("'secret'", "'another'"))
    config.with_name("another").touch()
    secret = config.with_name("secret")
    assert oche("restore", backup, "--config", config).status == 0, "the same content is not in the way"
    config.write_text(config.read_text().replace("'secret'", "'another'"))
    secret.write_text("a letter")
    before = everything(config.parent)
    said = oche("restore", backup, "--config", config)
    assert (said.status, said.errors) == (
        1,
        f"oche: {secret} is in the way and does not belong to oche: move it elsewhere first\n",
    )
    assert before == everything(config.parent)


def test_the_configuration_of_a_backup_is_one_file(oche: Saying, config: Path) -> None:
    """The other one would take the place of the one that was checked."""
    about = json.dumps({**ABOUT, "config": "a.toml"}).encode()
    ours = config.read_bytes()
    members = {"manifest.json": about, "config/a.toml": ours, "config/oche.toml": ours.replace(b"/state", b"")}
    said = oche("restore", archive(config.parents[1], members), "--config", config)
    assert (said.status, said.errors) == (
        2,
        "oche: the backup has another oche.toml in it: restore it as --config a.toml\n",
    )
    assert config.read_bytes() == ours


@pytest.mark.slow
def test_a_backup_that_unpacks_to_too_much_is_refused(
    oche: Saying, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = archive(
        config.parents[1],
        {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes(), "state/a.sqlite3": bytes(40 << 20)},
    )
    monkeypatch.setattr(backup_archive, "_FREE_BYTES", 1 << 20)
    said = oche("restore", file, "--config", config)
    damaged = "oche: this is not an oche backup, or it is damaged"
    assert (said.status, said.errors) == (2, f"{damaged}: it unpacks to more than 500 times its size\n")
    monkeypatch.setattr(backup_archive, "MOST_BYTES_IN_ALL", 32 << 20)
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()), 0))
    said = oche("restore", file, "--config", config)
    assert (said.status, said.errors) == (2, f"{damaged}: it unpacks to more than 0 GiB\n")
    monkeypatch.setattr(backup_archive, "MOST_FILES", 9)
    many = {f"config/games/{n}": b"" for n in range(9)}
    file = archive(config.parents[1], {"manifest.json": MANIFEST, "config/oche.toml": config.read_bytes(), **many})
    said = oche("restore", file, "--config", config)
    assert (said.status, said.errors) == (2, "oche: this is not an oche backup: it contains more than 9 files\n")


@pytest.mark.long
def test_neither_backup_nor_restore_holds_a_file_in_memory(oche: Saying, config: Path) -> None:
    journal, most = config.parent / "state/large.sqlite3.damaged-2026-11-22", 20 << 20
    journal.write_bytes(os.urandom(most))
    tracemalloc.start()
    try:
        backup = make_backup(oche, config)
        assert oche("restore", backup, "--config", config).status == 0
        assert tracemalloc.get_traced_memory()[1] < most / 4
        tracemalloc.reset_peak()
        long_name = io.BytesIO()
        with tarfile.open(fileobj=long_name, mode="w:gz") as tar:
            tar.addfile(tarfile.TarInfo("x" * most))
        long_name.seek(0)
        tracemalloc.reset_peak()
        with pytest.raises(UserError, match="a name in it is too long"):
            unpack(long_name)
        assert tracemalloc.get_traced_memory()[1] - long_name.getbuffer().nbytes < most * 2
    finally:
        tracemalloc.stop()


def test_a_backup_comes_back_through_a_pipe(oche: Saying, config: Path) -> None:
    backup, before = make_backup(oche, config), list_matches(oche, config)
    (config.parent / "state/main.sqlite3").unlink()
    with backup.open("rb") as file:
        subprocess.run([*OCHE, "restore", "-", "--config", config], stdin=file, check=True, cwd=ROOT)
    assert list_matches(oche, config) == before


def test_a_backup_is_not_written_over_a_file_without_force(oche: Saying, config: Path) -> None:
    backup = config.parents[1] / "all.tar.gz"
    backup.write_text("mine")
    said = oche("backup", backup, "--config", config)
    assert (said.status, said.errors) == (
        2,
        f"oche: {backup} already exists: name another file, or add --force to overwrite it\n",
    )
    assert backup.read_text() == "mine"
    backup.rename(place := backup.with_name("elsewhere"))
    backup.symlink_to(place)
    assert oche("backup", backup, "--force", "--config", config).status == 0
    assert backup.is_symlink()
    assert place.read_bytes()[:2] == b"\x1f\x8b"
    os.mkfifo(fifo := backup.with_name("fifo"))
    said = oche("backup", fifo, "--force", "--config", config)
    assert (said.status, said.errors) == (2, f"oche: {fifo} already exists and is not a file: name another one\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write where another user's link leads")
@pytest.mark.parametrize("command", ["backup", "report", "history export --csv --output"])
def test_root_does_not_write_where_the_link_of_another_user_leads(oche: Saying, config: Path, command: str) -> None:
    ours, theirs = (config.parents[1] / name for name in ("ours", "theirs"))
    ours.write_text("mine")
    theirs.symlink_to("ours")
    os.chown(theirs, 1, 1, follow_symlinks=False)
    assert oche(*command.split(), theirs, "--force", "--config", config).status == 0
    assert ours.read_bytes() == b"mine"
    assert (theirs.is_file(), theirs.is_symlink(), theirs.stat().st_uid) == (True, False, 0)
    os.chown(ours, 1, 1)
    theirs.unlink()
    theirs.symlink_to("ours")
    os.chown(theirs, 1, 1, follow_symlinks=False)
    assert oche(*command.split(), theirs, "--force", "--config", config).status == 0
    assert theirs.is_symlink(), "it is theirs what it leads to"
    assert ours.read_bytes() == theirs.read_bytes() != b"mine"


async def test_every_file_of_the_state_is_in_a_backup(oche: Saying, config: Path) -> None:
    async with run_daemon(read_config(config)) as running:
        await give(running.tables["main"], {"start": {"game": "x01", "players": ["Ann", "Bo"]}}, "page")
    said = oche("backup", config.parents[1] / "all.tar.gz", "--config", config)
    assert len(said.errors.splitlines()) == 1, said.errors
