"""A reader of docs/doctor.md sees what `oche doctor` says, and types what it says to type."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from daemon.admin.doctor.checks import Name
from daemon.config.reader import read_config

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
SAID = (
    *sorted((ROOT / "daemon" / "admin" / "doctor").glob("*.py")),
    ROOT / "daemon" / "remedies.py",
    ROOT / "daemon" / "config" / "reader.py",  # write_command
)
CODE = "\n".join(file.read_text(encoding="utf-8") for file in SAID)


def commands(text: str) -> set[str]:
    """What is to be typed as root: the programs, and what two of them are to do."""
    text = re.sub(r"\s+", " ", text)
    verbs = re.findall(r"systemctl [a-z]+(?:-[a-z]+)?|raspi-config nonint [a-z_]+", text)
    return {*re.findall(r"sudo ([a-z][a-z-]*)", text), *verbs} - {"systemctl show"}


def test_every_check_has_its_part_in_the_order_of_names() -> None:
    parts = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert sorted(parts) == sorted(get_args(Name))


def test_the_commands_of_the_page_are_those_of_the_doctor() -> None:
    assert commands(PAGE) == commands(CODE)


EVERYTHING = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "daemon").rglob("*.py")))
SETTINGS = sorted({*re.findall(r"write (\w+ = \S+) below \[(\w+)\]", EVERYTHING)})


def test_no_setting_is_written_where_it_lands_in_another_table() -> None:
    assert re.findall(r"(?:bridge|mqtt|web|table)\.\w+ = [\"'\w].*", EVERYTHING) == []
    assert {section for _, section in SETTINGS} == {"mqtt", "web"}


@pytest.mark.parametrize(("line", "section"), SETTINGS)
def test_a_setting_that_is_told_makes_a_file_that_is_right(tmp_path: Path, line: str, section: str) -> None:
    file = tmp_path / "oche.toml"
    shipped = (ROOT / "debian" / "etc" / "oche.toml").read_text(encoding="utf-8")
    key, _, value = line.partition(" = ")
    without = re.sub(rf"(?<=\[{section}\]\n)((?:[^\[]*\n)?){key} = .*\n", r"\1", shipped)
    bare = '[[table]]\nboard = "sim:granboard"\n'
    for text in (without.replace(f"[{section}]\n", f"[{section}]\n{line}\n"), f"{bare}\n[{section}]\n{line}\n"):
        file.write_text(text, encoding="utf-8")
        found = getattr(read_config(file).config, section)
        assert getattr(found, key) == tomllib.loads(f"value = {value}")["value"]
