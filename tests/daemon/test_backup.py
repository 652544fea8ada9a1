"""`oche backup` and `oche restore`: everything into one file and out of it again, on this machine or the next."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from tests.daemon.evenings import Evening
from tests.daemon.house import configure
from tests.daemon.saying import Saying


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration with a profile and a password beside it, and an evening of two tables."""
    (tmp_path / "home").mkdir()
    file = configure(tmp_path / "home", 1, mqtt="username = 'ann'\npassword_file = 'secret'")
    (file.parent / "secret").write_text("hunter2")
    (file.parent / "secret").chmod(0o640)
    (file.parent / "boards").mkdir()
    (file.parent / "boards/mine.toml").write_text("# a board of our own")
    (file.parent / "unrelated.txt").write_text("no part of it")
    for table in ("main", "back"):
        with Evening(file.parent / "state", table) as evening:
            evening.play("T20 S1 D20", options={"start": 101})
    return file


def made(oche: Saying, config: Path) -> Path:
    backup = config.parents[1] / "all.tar.gz"
    said = oche("backup", backup, "--config", config)
    assert (said.status, said.output) == (0, "")
    return backup


def names(backup: Path) -> set[str]:
    with tarfile.open(backup) as tar:
        return set(tar.getnames())


def listed(oche: Saying, config: Path) -> str:
    return oche("history", "list", "--json", "--config", config).output


async def test_everything_is_in_it_while_the_daemon_runs(oche: Saying, config: Path) -> None:
    async with running(read_config(config)) as house:
        await house.tables["main"].command({"start": {"game": "x01", "players": ["Ann", "Bo"]}}, "test")
        await house.tables["main"].command({"throw": "T7"}, "test")
        backup = made(oche, config)
        assert backup.stat().st_mode & 0o777 == 0o600
        assert names(backup) >= {
            *("manifest.json", "config/oche.toml", "config/quick.toml", "config/secret", "config/boards/mine.toml"),
            *("state/main.sqlite3", "state/back.sqlite3"),
        }
        assert not {name for name in names(backup) if "unrelated" in name or "lock" in name or "-wal" in name}
        said = oche("restore", backup, "--config", config)
        assert said.status == 1
        assert (
            said.errors
            == f"oche: another oche daemon uses {config.parent}/state: stop it, or set another bridge.state_dir\n"
        )
    before = listed(oche, config)
    for path in [*(config.parent / "state").iterdir(), config, config.with_name("quick.toml")]:
        path.unlink()
    assert oche("restore", backup, "--config", config).status == 0
    assert listed(oche, config) == before
    assert config.with_name("secret").stat().st_mode & 0o777 == 0o640
    async with running(read_config(config)) as house:
        assert [dart.segment for dart in house.tables["main"].state().turn.darts] == ["T7"]


def test_what_was_there_is_set_aside(oche: Saying, config: Path) -> None:
    backup = made(oche, config)
    config.write_text(config.read_text() + "# changed since\n")
    with Evening(config.parent / "state") as evening:
        evening.play("T5")
    said = oche("restore", backup, "--config", config)
    assert said.status == 0
    assert said.errors.startswith(
        f"2 files are back in {config.parent}/state and 4 in {config.parent}, as they were on "
    )
    assert "# changed since" not in config.read_text()
    (aside,) = config.parent.glob("oche.toml.before-restore-*")
    assert "# changed since" in aside.read_text()
    (folder,) = (config.parent / "state").glob("before-restore-*")
    assert (folder / "main.sqlite3").exists()
    assert len(listed(oche, config).splitlines()) == 2
    assert not list(config.parent.glob("secret.*")), "what is the same stays"


def test_through_a_pipe(oche: Saying, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, backup, errors = oche.raw("backup", "-", "--config", config)
    assert (status, errors) == (0, "")
    (tmp_path / "piped.tar.gz").write_bytes(backup)
    assert "state/main.sqlite3" in names(tmp_path / "piped.tar.gz")


def test_what_lies_elsewhere_is_named(oche: Saying, config: Path) -> None:
    (config.parents[1] / "elsewhere").write_text("hunter2")
    config.write_text(config.read_text().replace("'secret'", "'../elsewhere'"))
    said = oche("backup", config.parent / "all.tar.gz", "--config", config)
    assert said.errors.splitlines()[1:] == [
        f"oche: {config.parent}/../elsewhere is not in it, because it is not below {config.parent}"
    ]


def archive(folder: Path, **members: bytes) -> Path:
    file = folder / "odd.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return file


ABOUT = {"oche_backup": 1, "version": "9", "at": "2026-11-22T00:00:00+00:00", "config": "oche.toml", "files": []}
MANIFEST = json.dumps(ABOUT).encode()
NEWER = MANIFEST.replace(b'"oche_backup": 1', b'"oche_backup": 2')


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({}, "this is no backup of oche: it has no manifest"),
        ({"manifest.json": b"{}"}, "this is no backup of oche, or it is damaged: Object missing required field"),
        ({"manifest.json": NEWER}, "this backup was made by oche 9: update this one first"),
        ({"manifest.json": MANIFEST}, "this backup is not whole: config/oche.toml is missing"),
        ({"manifest.json": MANIFEST, "config/../../etc/passwd": b""}, "this is no backup of oche: it has 'config/../"),
        ({"manifest.json": MANIFEST, "/etc/passwd": b""}, "this is no backup of oche: it has '/etc/passwd' in it"),
        ({"manifest.json": MANIFEST, "config/oche.toml": b"["}, "the configuration in this backup cannot be read: "),
    ],
)
def test_what_is_no_backup_changes_nothing(
    oche: Saying, config: Path, members: dict[str, bytes], sentence: str
) -> None:
    before = {path: path.read_bytes() for path in config.parent.rglob("*") if path.is_file()}
    said = oche("restore", archive(config.parents[1], **members), "--config", config)
    assert said.status in (1, 2)
    assert said.errors.startswith(f"oche: {sentence}")
    assert said.errors.count("\n") == 1
    assert before == {path: path.read_bytes() for path in config.parent.rglob("*") if path.is_file()}


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.99])
def test_half_a_backup_is_refused(oche: Saying, config: Path, part: float) -> None:
    backup = made(oche, config)
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(len(whole) * part)])
    said = oche("restore", backup, "--config", config)
    assert said.status == 2
    assert said.errors.startswith("oche: this")
    assert not list(config.parent.rglob("*before-restore*"))
