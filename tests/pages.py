"""The commands that the pages tell people to type, as the pages have them.

A block that is indented by four spaces, and a fenced one whose language is `sh` or `console`, holds commands; all else
is fenced and names another language. A comment `<!-- not run: REASON -->` before a block, which no reader of the page
sees, says why its commands are not run by tests/test_docs_commands.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FIRST = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
PAGES = sorted([*FIRST, *(ROOT / "docs").rglob("*.md"), *(ROOT / "systemd").rglob("*.md")])
COMMANDS = ("sh", "console")
OTHERS = ("css", "ini", "json", "python", "sql", "text", "toml", "yaml")

_MARK = re.compile(r"\s*<!-- not run: (.+) -->")
_FENCE = re.compile(r"\s*```(\w*)$")


class Block(NamedTuple):
    """Some commands of a page, and why they are not run (None: they are)."""

    page: str
    line: int
    commands: tuple[str, ...]
    why_not: str | None

    def __str__(self) -> str:
        return f"{self.page}, line {self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """Every block of commands of this page, in order. Raises ValueError for a fence that names no known language."""
    name = str(page.relative_to(ROOT))
    lines = page.read_text(encoding="utf-8").splitlines()
    before, why_not, number = "", None, 0
    while number < len(lines):
        line = lines[number]
        start = number + 1
        if fence := _FENCE.fullmatch(line):
            end = next(at for at in range(start, len(lines)) if lines[at].strip() == "```")
            if fence[1] in COMMANDS:
                yield Block(name, start, _commands(lines[start:end], fence[1]), why_not)
            elif fence[1] not in OTHERS:
                raise ValueError(f"{name}, line {start}: name the language of this block, {', '.join(OTHERS)} or sh")
            number = end
        elif line.startswith("    ") and not before.strip():
            end = next((at for at in range(start, len(lines)) if not lines[at].startswith("    ")), len(lines))
            yield Block(name, start, _commands(lines[number:end], "sh"), why_not)
            number = end - 1
        before = lines[number]
        if mark := _MARK.fullmatch(before):
            why_not = mark[1]
            before = ""  # a block may follow at once
        elif before.strip():
            why_not = None
        number += 1


def _commands(lines: list[str], language: str) -> tuple[str, ...]:
    """What is typed, a command a line: without what is only printed, and with the lines that a backslash continues."""
    if language == "console":
        return tuple(line[2:] for line in lines if line.startswith("$ "))
    text = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return tuple(line.strip() for line in text.splitlines() if line.strip())
