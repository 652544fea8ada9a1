"""The page has a typeface of its own, which was made when oche was installed, and is whole without it."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, Page, expect

from tests.page.playing import Playing, hold_until, look_at
from tests.page.test_weight import PAGE

FILE = "**/static/typeface.woff"
MARK = "data-typeface"
"""What the document has once its letters are those of the typeface."""
_WIDTHS = """(digits) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const { fontFamily, fontWeight } = getComputedStyle(document.getElementById("score"));
  context.font = `${fontWeight} 100px ${fontFamily}`;
  return [...digits].map((digit) => context.measureText(digit).width / 100);
}"""
_SIZE = "(element) => parseFloat(getComputedStyle(element).fontSize)"


async def test_figures_are_narrow_and_of_one_width_and_scores_are_higher_by_that(
    browser: Browser, match: Playing
) -> None:
    assert (PAGE / "typeface.woff").exists(), "pip install --editable . makes it"
    heights = []
    for is_there in (True, False):
        page = await _open(browser)
        if not is_there:
            await page.route(FILE, lambda route: route.abort())
        await page.goto(match.url)
        await match.start("501", ["Ann", "Bo"])
        await expect(page.get_by_test_id("score-0")).to_have_text("501")
        if is_there:
            await expect(page.locator("html")).to_have_attribute(MARK, "1")
        else:
            await expect(page.locator("html")).not_to_have_attribute(MARK, "1")
        widths = await page.evaluate(_WIDTHS, "0123456789")
        assert max(widths) - min(widths) < 0.01
        if is_there:
            assert max(widths) < 0.5
        assert await look_at(page, match.state, is_wall=True) == []
        heights.append(await page.locator(".side.up .points").evaluate(_SIZE))
    assert heights[0] > 1.1 * heights[1]


async def test_a_page_does_not_wait_for_a_typeface_that_does_not_come(browser: Browser, match: Playing) -> None:
    page, come = await _open(browser), asyncio.Event()
    await page.route(FILE, hold_until(come))
    await page.goto(match.url, wait_until="commit")
    await expect(page.get_by_test_id("score-0")).to_have_text("501")
    await expect(page.locator("html")).not_to_have_attribute(MARK, "1")
    come.set()
    await expect(page.locator("html")).to_have_attribute(MARK, "1")


async def _open(browser: Browser) -> Page:
    return await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
