"""Files that a person names and that are none, have no end, or are nested without end: one sentence each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.config.credentials import read_secret
from daemon.errors import UserError
from protocol.sentence import say
from tests.daemon.process import PATIENCE_S, ROOT, Saying

DEEP = b"[" * 100_000
NO_FILE = "this is a device or a pipe, not a file"
READERS: tuple[tuple[str, ...], ...] = (
    ("config", "check", "FILE"),
    ("boards", "check", "FILE"),
    ("boards", "decode", "FILE", "-"),
    ("boards", "decode", "opendarts", "FILE"),
    ("boards", "udev", "FILE"),
    ("games", "check", "FILE"),
    ("replay", "FILE"),
    ("restore", "FILE", "--config", "/nowhere/oche.toml"),
    ("capture", "replay:FILE", "/dev/null"),
)


def make_odd(kind: str, folder: Path) -> Path:
    """A path of this kind."""
    path = folder / "odd.toml"
    match kind:
        case "endless" | "device":
            return Path("/dev/zero" if kind == "endless" else "/dev/tty")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "huge":
            path.touch()
            os.truncate(path, 2 << 30)
        case "deep":
            path.write_bytes(b"a = " + DEEP)
        case "deep JSON":
            path.write_bytes(b'{"a": ' + DEEP)
        case "not UTF-8":
            path.write_bytes(b'id = "\xff"')
    return path


@pytest.mark.parametrize("kind", ["endless", "device", "pipe", "folder", "huge", "deep", "deep JSON", "not UTF-8"])
@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_what_is_no_usable_file_is_one_sentence(
    oche: Saying, tmp_path: Path, reader: tuple[str, ...], kind: str
) -> None:
    path = make_odd(kind, tmp_path)
    said = oche(*(word.replace("FILE", str(path)) for word in reader))
    assert said.status in (1, 2)
    assert (said.errors.startswith("oche: "), said.errors.count("\n"), len(said.errors) < 400) == (True, 1, True), said
    if kind in ("endless", "device", "pipe") and reader[0] != "capture":
        assert said.errors.rstrip().split("; ")[0].endswith(NO_FILE), said


@pytest.mark.parametrize("kind", ["endless", "pipe", "huge"])
def test_a_secret_is_a_file_too(tmp_path: Path, kind: str) -> None:
    path = make_odd(kind, tmp_path)
    with pytest.raises(UserError, match=f"cannot read the password from {path}: (this|it) is "):
        read_secret(path, say("secret.broker", "the password"))


@pytest.mark.parametrize("reader", [("replay", "-"), ("boards", "decode", "opendarts", "-")], ids=" ".join)
def test_a_line_without_an_end_is_one_sentence(reader: tuple[str, ...]) -> None:
    with Path("/dev/zero").open("rb") as endless:
        oche = subprocess.run(
            [sys.executable, "-m", "daemon.cli", *reader],
            cwd=ROOT,
            stdin=endless,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert oche.returncode == 2
    assert oche.stderr.endswith(b", line 1 is longer than 4 MiB: this is not a file of such lines\n")
    assert oche.stderr.count(b"\n") == 1


@pytest.mark.long
def test_a_mistake_behind_a_long_statement_is_told(oche: Saying, tmp_path: Path) -> None:
    """To find its line would take minutes."""
    file = tmp_path / "oche.toml"
    file.write_text("[[table]]\nboard = 'sim:granboard'\nplayers = [\n" + "'Ann',\n" * 100_000 + "]\ngame = 'x02'\n")
    said = oche("config", "check", file)
    assert (said.status, said.errors.count("\n")) == (2, 1)
