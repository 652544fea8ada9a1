"""What is new after an update: the changelog's sections since the version that was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.admin.news import FILE, list_sections
from daemon.release import read_changelog, read_version
from tests.daemon.test_settings import post, read, serve, write_file

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


@pytest.mark.parametrize("kept", ["", "<b>\x00", "9" * 5000, "../0.1.0"])
async def test_a_fresh_installation_has_no_news_and_an_update_has(
    tmp_path: Path, unused_tcp_port: int, kept: str
) -> None:
    """One whose file is damaged is as a fresh one."""
    assert "## [0.1.0]" in read_changelog()
    seen = tmp_path / "state" / FILE
    seen.parent.mkdir()
    if kept:
        seen.write_text(kept)
    async with serve(write_file(tmp_path, unused_tcp_port)) as client:
        assert (await read(client))["has_news"] is False
        assert seen.read_text() == f"{read_version()}\n"
        seen.write_text("0.1.0\n")
        assert (await read(client))["has_news"] is True
        async with client.get("/api/care/news") as answer:
            assert "Players can be renamed" in (await answer.json())["sections"][0]["text"]
        assert (await post(client, "/api/care/news", {}))[0] == 200
        assert (await read(client))["has_news"] is False
