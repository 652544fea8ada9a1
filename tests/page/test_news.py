"""What is new after an update, in the settings: a real daemon and browser, and the file of a version before."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from daemon.admin.news import FILE


async def test_what_is_new_is_shown_until_it_is_seen(page: Page, address: str, tmp_path: Path) -> None:
    await page.goto(f"{address}settings")
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(page.get_by_test_id("news")).to_be_hidden()
    (tmp_path / "state" / FILE).write_text("0.1.0\n")
    await page.reload()
    await page.get_by_test_id("news").click()
    news = page.get_by_test_id("news-sections")
    await expect(news).to_contain_text("Players can be renamed")
    await page.get_by_test_id("news-seen").click()
    await expect(news).to_be_hidden()
    await expect(page.get_by_test_id("news")).to_be_hidden()
    await page.reload()
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(page.get_by_test_id("news")).to_be_hidden()
