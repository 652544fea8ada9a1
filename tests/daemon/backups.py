"""A daemon with something to be backed up, its backups, and files like them."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

from tests.daemon.evenings import Evening
from tests.daemon.process import Saying, configure


def play_evening(folder: Path) -> Path:
    """A configuration with a profile and a password beside it, and an evening of two tables."""
    (folder / "home").mkdir()
    file = configure(folder / "home", 1, mqtt="username = 'ann'\npassword_file = 'secret'")
    (file.parent / "secret").write_text("hunter2")
    (file.parent / "secret").chmod(0o640)
    (file.parent / "boards").mkdir()
    (file.parent / "boards/mine.toml").write_text("# a board of our own")
    (file.parent / "unrelated.txt").write_text("no part of it")
    for table in ("main", "back"):
        with Evening(file.parent / "state", table) as evening:
            evening.play("T20 S1 D20", options={"start": 101})
    return file


def make_backup(oche: Saying, config: Path) -> Path:
    backup = config.parents[1] / "all.tar.gz"
    said = oche("backup", backup, "--config", config)
    assert (said.status, said.output) == (0, "")
    return backup


def list_names(backup: Path) -> set[str]:
    with tarfile.open(backup) as tar:
        return set(tar.getnames())


def list_matches(oche: Saying, config: Path) -> str:
    return oche("history", "list", "--json", "--config", config).output


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


def archive(folder: Path, members: dict[str, bytes]) -> Path:
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
