"""A routine on the page: from the lobby through its exercises to what all of them came to."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from tests.page.playing import playing


async def test_a_routine_is_started_in_the_lobby_and_ends_with_its_results(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    async with playing(tmp_path, "501", unused_tcp_port) as table:
        await page.goto(table.url)
        await page.get_by_test_id("menu").click()
        await page.get_by_test_id("menu-new").click()
        await page.get_by_role("searchbox").fill("warm")
        await page.get_by_role("radio", name="Warm-up").check()
        await expect(page.get_by_text("Sides: 1–16")).to_be_attached()
        await page.get_by_test_id("lobby").locator(".go").click()
        progress = page.get_by_test_id("progress")
        await expect(progress).to_contain_text("exercise 1 of 3, then Eagle's Eye")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        for done, title in enumerate(("Eagle's Eye", "Count-Up", "Warm-up"), 1):
            await table.go_on(400)
            await expect(page.get_by_test_id("routine").locator("tbody tr")).to_have_count(done)
            await expect(page.get_by_test_id("again")).to_have_text(f"Start {title}")
            if done < 3:
                await page.get_by_test_id("again").click()
                await expect(progress).to_contain_text(f"exercise {done + 1} of 3")
        score = str(table.state["sides"][0]["score"])
        await expect(page.get_by_test_id("routine").locator("tbody tr").last.locator("td").first).to_have_text(score)
