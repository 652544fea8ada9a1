"""The page's scripts are checked by `make check`: with Node.js a mistake in them fails it, without it goes on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games import GAMES, PRESETS
from protocol.moments import MOMENTS
from tests.conftest import skip_without

ROOT = Path(__file__).parents[2]
CHECK = Path("tests/page/scripts/check.sh")
PAGE = Path("daemon/web/page")
MISTAKES = {
    "state.trun": "Property 'trun' does not exist on type 'State'",
    "state.turn.darts[0].line.length": "Property 'length' does not exist on type 'number'",
    '$("tpa")': "not assignable to parameter of type 'keyof Elements'",
    "const unused = 1": "This variable unused is unused",
}


def test_no_script_names_a_game() -> None:
    """What the page has to know of a game comes with the game; moments and words may be called as a game is."""
    found = {
        f"{file.name}: {name}"
        for file in (ROOT / PAGE).rglob("*.js")
        if file.parent.name != "words"
        for name in re.findall(r"""["'`]([a-z0-9_]+)["'`]""", file.read_text(encoding="utf-8"))
        if (name in GAMES or name in PRESETS) and name not in MOMENTS
    }
    assert found == set()


def check(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    """Runs the check of the checkout in this folder."""
    environment = {**os.environ, "PATH": path, "OCHE_WITHOUT": "", "PYTHONPATH": str(ROOT)}
    command = [str(folder / CHECK), sys.executable]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_node_one_sentence_says_that_nothing_was_checked(tmp_path: Path) -> None:
    for program in ("bash", "dirname", "realpath"):
        (tmp_path / program).symlink_to(shutil.which(program) or program)
    ended = check(ROOT, str(tmp_path))
    assert ended.returncode == 0
    assert ended.stderr.startswith("The page's scripts were not checked: that needs Node.js")
    assert ended.stderr.count("\n") == 1
    assert not ended.stdout


@pytest.mark.long
def test_mistakes_in_a_script_are_found(tmp_path: Path) -> None:
    skip_without("nodejs npm")
    installed = (ROOT / CHECK).with_name("node_modules")
    shutil.copytree(ROOT / CHECK.parent, tmp_path / CHECK.parent, ignore=shutil.ignore_patterns(installed.name))
    shutil.copytree(ROOT / PAGE, tmp_path / PAGE)
    if installed.exists():
        (tmp_path / CHECK).with_name(installed.name).symlink_to(installed)
    with (tmp_path / PAGE / "wall/tap.js").open("a", encoding="utf-8") as script:
        script.write(f"export function tried(/** @type {{Oche.State}} */ state) {{ {'; '.join(MISTAKES)}; }}\n")
    ended = check(tmp_path, os.environ["PATH"])
    assert ended.returncode == 1
    assert not [found for found in MISTAKES.values() if found not in ended.stdout + ended.stderr]
