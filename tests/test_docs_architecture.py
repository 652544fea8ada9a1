"""docs/architecture.md says where things are: every file it names is there, and every part of the daemon is named."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_what_is_named_is_there() -> None:
    named = set(re.findall(r"`([a-z_]+/[a-z_/.]*)`", PAGE))
    assert {path for path in named if not (ROOT / path).exists() and not (ROOT / "daemon" / path).exists()} == set()


def test_every_part_of_the_daemon_is_named() -> None:
    parts = {
        f"{part.name}/" if part.is_dir() else part.name
        for part in (ROOT / "daemon").iterdir()
        if part.name.strip("_") == part.name and (part.suffix == ".py" or (part / "__init__.py").exists())
    }
    assert parts <= set(re.findall(r"`([a-z_]+(?:/|\.py))`", PAGE))
