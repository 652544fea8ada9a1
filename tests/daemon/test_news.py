"""What is new after an update: the changelog's sections since the version that was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.admin import requests
from daemon.admin.admin import Admin
from daemon.admin.news import FILE, list_sections
from daemon.release import read_changelog, read_version

CHANGELOG = """# Changelog
## [Unreleased]
- four
## [0.10.0] - 2026-12-31
- three
  lines
## [0.9.0] - 2026-12-01
- two
## [0.1.0] - 2026-11-22
- one
"""


@pytest.mark.parametrize(
    ("seen", "running", "found"),
    [
        ("0.1.0", "0.10.0", ["three lines", "two"]),
        ("0.9.0", "0.10.0", ["three lines"]),
        ("0.10.0.dev0", "0.10.0", ["three lines"]),
        ("0.10.0", "0.11.0.dev0", ["four"]),
        ("0.10.0", "0.9.0", []),
        ("0.9.0", "0.9.1", []),
    ],
)
def test_news_are_those_after_the_version_seen(seen: str, running: str, found: list[str]) -> None:
    assert [each.text.removeprefix("- ") for each in list_sections(CHANGELOG, seen, running)] == found


def test_a_line_goes_on_where_the_file_wraps_it_and_lists_stay() -> None:
    section = (
        "## [0.2.0] - 2026-12-31\n\n- Press\n  *Try it* or\n  -v, **twice**\n- Then\n  - this\n\n### Play\n\n- that\n"
    )
    (found,) = list_sections(section, "0.1.0", "0.2.0")
    assert found.text == "- Press *Try it* or -v, **twice**\n- Then\n  - this\n\n### Play\n\n- that"


@pytest.mark.parametrize("kept", ["", "<b>\x00", "9" * 5000, "../0.1.0"])
async def test_a_fresh_installation_has_no_news_and_an_update_has(admin: Admin, tmp_path: Path, kept: str) -> None:
    """One whose file is damaged is as a fresh one."""

    async def has_news() -> bool:
        return bool((await admin.ask(requests.ReadSettings()))["has_news"])

    assert "## [0.1.0]" in read_changelog()
    seen = tmp_path / "state" / FILE
    if kept:
        seen.write_text(kept)
    assert not await has_news()
    assert seen.read_text() == f"{read_version()}\n"
    seen.write_text("0.1.0\n")
    assert await has_news()
    first = next(line for line in read_changelog().splitlines() if line.startswith("- "))
    assert first in (await admin.ask(requests.ReadNews()))["sections"][0]["text"]
    await admin.ask(requests.MarkNews())
    assert not await has_news()
