"""The examples of plug-ins as a third party has them: installed by pip, with their own tests, and played."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from engine import game

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "plugins"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two examples installed into it, built from copies, without a network."""
    folder = tmp_path_factory.mktemp("plugins")
    for name in ("game", "board"):
        shutil.copytree(
            EXAMPLES / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
        )
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = (sys.executable, "-m", "pip", "install", *options, f"--target={folder / 'site'}")
    done = subprocess.run([*command, folder / "game", folder / "board"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def run(installed: Path, *arguments: str) -> str:
    """What Python prints with the examples installed beside oche; it may not fail."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed / "site"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, *arguments], check=False, cwd=installed, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_game_for_oche_0_1_finds_what_it_imports() -> None:
    for module, names in (
        ("engine.facts", ("Award", "Bust", "Claimed", "Closed", "Eliminated", "Fact", "Halved")),
        ("engine.tuples", ("put",)),
    ):
        known = import_module(module)
        assert [getattr(known, name) for name in names] == [getattr(game, name) for name in names]


@pytest.mark.slow
def test_oche_knows_the_game_and_its_variant(installed: Path) -> None:
    games, _, _ = run(installed, "-m", "daemon.cli", "games").partition("\n\n")
    assert [line.split()[0] for line in games.splitlines()[-2:]] == ["smuggler", "moonless_night"]


@pytest.mark.long
def test_a_whole_match_of_it_is_played(installed: Path) -> None:
    said = run(
        installed,
        *("-m", "daemon.cli", "play", "--game", "moonless_night", "--seed", "1", "--speed", "50", "--port", "0"),
        *("--players", "bot:60,bot:50"),
    )
    assert said.rstrip().endswith(" won."), said
