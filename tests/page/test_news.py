"""What is new after an update, in the settings: a real daemon and browser, and the file of a version before."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Page, expect

from daemon.admin.news import FILE
from daemon.release import read_changelog


async def test_what_is_new_is_shown_until_it_is_seen(page: Page, address: str, tmp_path: Path) -> None:
    await page.goto(f"{address}settings#all")
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(page.get_by_test_id("news")).to_be_hidden()
    (tmp_path / "state" / FILE).write_text("0.1.0\n")
    await page.reload()
    await page.get_by_test_id("news").click()
    news = page.get_by_test_id("news-sections")
    heading = next(line[4:] for line in read_changelog().splitlines() if line.startswith("### "))
    await expect(news.get_by_role("heading", name=heading, exact=True).first).to_be_visible()
    assert await news.get_by_role("listitem").count() > 10
    shown = await news.inner_text()
    assert not re.search(r"^ *#|^- |\*\*|`|\]\(", shown, re.MULTILINE)
    await page.get_by_test_id("news-seen").click()
    await expect(news).to_be_hidden()
    await expect(page.get_by_test_id("news")).to_be_hidden()
    await page.reload()
    await expect(page.get_by_test_id("section-table")).to_be_visible()
    await expect(page.get_by_test_id("news")).to_be_hidden()
