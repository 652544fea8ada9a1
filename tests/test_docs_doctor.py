"""Whoever reads docs/doctor.md sees what `oche doctor` says, and types what it says to type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from daemon.doctor.checks import Name

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
CODE = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "daemon" / "doctor").glob("*.py")))


def commands(text: str) -> set[str]:
    """What is to be typed as root: the programs, and what two of them are to do."""
    text = re.sub(r"\s+", " ", text)
    verbs = re.findall(r"systemctl [a-z]+(?:-[a-z]+)?|raspi-config nonint [a-z_]+", text)
    return {*re.findall(r"sudo ([a-z][a-z-]*)", text), *verbs} - {"systemctl show"}


def test_everything_that_is_looked_at_has_its_part_in_the_same_order_of_names() -> None:
    parts = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert sorted(parts) == sorted(get_args(Name))


def test_every_name_is_used() -> None:
    for name in get_args(Name):
        assert re.search(rf'"{name}"', CODE.partition("Name = Literal[")[0] + CODE.partition("]\n")[2]), name


def test_the_commands_of_the_page_are_those_of_the_doctor() -> None:
    assert commands(PAGE) == commands(CODE)
