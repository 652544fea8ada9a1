"""The league on the settings page: how it stands, and from which day on matches are sent."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from daemon.league.records import Taken
from daemon.league.since import Since, read_since
from daemon.league.store import LeagueStatus, LeagueStore
from tests.daemon.process import eventually
from tests.daemon.test_settings import write_file
from tests.page.playing import run


async def test_the_league_is_shown_and_asked_for_its_first_day(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    file.write_text(f"{file.read_text(encoding='utf-8')}\n[league]\non = true\n", encoding="utf-8")
    async with run(file) as address:
        taken = [Taken("league", "main", f"m{n}", "1", "0", "kept") for n in range(3)]
        refused = Taken("league", "main", "m9", "1", "0", "not_taken", reason="two <daemons> have the same id")
        more = Taken("league", "main", "m8", "1", "0", "known_more", 9)
        LeagueStore(tmp_path / "state").note([*taken, refused, more], LeagueStatus(2, "2026-10-03T20:00:00+00:00"), "")
        await page.goto(f"{address}settings?lang=en#all")
        await page.get_by_test_id("section-league").locator("summary").first.click()
        said = page.get_by_test_id("league-said")
        await expect(said).to_contain_text("Matches that it has: 3; that wait for it: 2.")
        await expect(page.get_by_test_id("league-not-taken")).to_contain_text("two <daemons> have the same id")
        await expect(page.get_by_test_id("league-more")).to_contain_text("knows more than this machine: 1.")
        await page.get_by_test_id("league-fetch").click()
        await expect(page.get_by_test_id("league-fetched")).to_contain_text(
            "set league.url and league.token_file first"
        )
        await page.get_by_test_id("league-day").fill("2026-09-01")
        await page.get_by_test_id("league-choose").click()
        await expect(said).to_contain_text("Sep 1, 2026")
        await expect(page.get_by_test_id("league-choose")).to_have_count(0)
        await eventually(lambda: read_since(tmp_path / "state") == Since("2026-09-01", is_chosen=True))
