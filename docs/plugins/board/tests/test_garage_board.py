"""The profile as oche reads it: every segment there and back, and what the board was once heard to say."""

import json
import subprocess
import sys
from pathlib import Path

import oche_garage_board

PROFILE = Path(oche_garage_board.__file__).with_name("garage-board.toml")
HEARD = ["Hello from the garage", "T20", "s1", "B50", "OUT", "BTN", "T21"]
SAID = [{"hit": "T20"}, {"hit": "I1"}, {"hit": "DB"}, {"miss": True}, {"button": "next"}, {"garbage": "543231"}]


def oche(*arguments: str, given: str = "") -> str:
    """What this command prints; it may not fail."""
    program = f"import sys; sys.path[:0] = {sys.path!r}; from daemon.cli import main; main()"
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, check=True, input=given, stdout=subprocess.PIPE, text=True).stdout


def test_every_segment_comes_back_as_it_was_sent() -> None:
    assert "82 segments, all decoded correctly." in oche("boards", "check", str(PROFILE))


def test_what_it_was_heard_to_say_is_understood() -> None:
    chunks = "".join(f"{line}\r\n".encode().hex() + "\n" for line in HEARD)
    assert [json.loads(line) for line in oche("boards", "decode", str(PROFILE), "-", given=chunks).splitlines()] == SAID


def test_once_installed_it_is_known_by_its_id() -> None:
    assert "garage-board " in oche("boards", "list")
    assert oche("boards", "show", "garage-board") == PROFILE.read_text(encoding="utf-8")
