"""A duel stands still: from dart to dart figures change, and nothing moves."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from tests.page.playing import Playing
from tests.sweep import sweep

MOST_SHIFT = 0.01
"""Of a leg; a page that moves by a tenth is called poor."""
SIZES = {"1080p": (1920, 1080), "720p": (1280, 720), "wall tablet": (800, 480), "1440p": (2560, 1440)}
LARGE_PX = 1440
"""From this height on there is room for the visits of the leg."""
LEG = """T20 T20 S20 / S5 S1 MISS / T20 S20 S20 / T20 T20 T20 / T20 T19 T20 / S20 S1 D20 / T20 S10 S12 / S19 T17 S3
/ S20 / T20 T20 S20 / D1"""
"""Of 501: Ann sees her way out change with each dart, is bust with 2 left, and wins with the visit after that."""
_COLLECT = """globalThis.shifts = [];
globalThis.observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
observer.observe({ type: "layout-shift" });"""
_READ = """[...shifts, ...observer.takeRecords()].map(({ value, sources }) => ({
  value, moved: sources.map(({ node }) => (node?.id || node?.className) ?? node?.parentElement?.className),
}))"""
"""All of them: those that follow a touch, too."""
_LINES = """() => ["#sides .points", "#sides .facts span:last-child", "#task"].map((selector) => {
  const range = document.createRange();
  return new Set([...document.querySelectorAll(selector)].flatMap((each) => {
    range.selectNodeContents(each);
    return [...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 4));
  })).size;
})"""
"""In how many lines they stand, those of both sides together."""


async def _throw(page: Page, match: Playing, darts: str) -> None:
    """One after the other, each seen before the next: what comes together would be drawn once."""
    for dart in darts.split():
        await match.throw(dart)
        await expect(page.locator("#phase")).to_have_attribute("data-phase", match.state["phase"])
        thrown = len(match.state["turn"]["darts"])
        if match.state["phase"] != "over":
            await expect(page.locator("#darts .thrown")).to_have_count(thrown)
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", sweep(SIZES, lambda size: size in {"1080p", "wall tablet"}))
async def test_a_duel_stands_still_for_a_leg(browser: Browser, match: Playing, size: str, language: str) -> None:
    width, height = SIZES[size]
    page = await browser.new_page(viewport={"width": width, "height": height})
    await page.goto(f"{match.url}?lang={language}")
    await match.start("501", ["Ann", "Bo"], format={"legs": 2})
    await expect(page.locator("body.duel #darts .slot")).to_have_count(3)
    await expect(page.locator("#board [data-segment]").first).to_be_visible()
    await page.evaluate("document.fonts.ready")
    await page.evaluate(_COLLECT)
    assert await page.evaluate(_LINES) == [1, 1, 1]
    await _throw(page, match, LEG)
    found = await page.evaluate(_READ)
    assert sum(each["value"] for each in found) < MOST_SHIFT, found
    visits = page.get_by_test_id("visits-0")
    if height >= LARGE_PX:
        await match.say({"undo": True})
        await expect(visits.locator("li")).to_have_text(["140 361", "100 261", "177 84", "82 2", "– 2"])
    await expect(visits).to_be_visible(visible=height >= LARGE_PX)
