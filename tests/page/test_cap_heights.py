"""A duel is read from three metres on every wall, in each language and at every zoom of the browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.page.cap_heights import DARTS, SIZES, measure, measure_sheet
from tests.page.playing import Playing, look_at
from tests.page.test_page import LUMINANCE
from tests.sweep import sweep

LEAST_PX, LEAST_SCORE_PX = 50, 160
SIDES = [".side.up", ".side:not(.up)"]
STYLE = "(element, name) => getComputedStyle(element)[name]"


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", sweep(SIZES, lambda size: size in {"1080p", "1080p at 200 %"}))
async def test_a_duel_is_read_from_three_metres(browser: Browser, match: Playing, size: str, language: str) -> None:
    width, height = SIZES[size]
    page = await browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    await page.goto(f"{match.url}?lang={language}")
    heights = await measure(match, page)
    low = {part: round(px) for part, px in heights.items() if px < (LEAST_SCORE_PX if "score" in part else LEAST_PX)}
    assert not low, f"px of 1080: {low}"
    assert await look_at(page, match.state, is_wall=True) == []

    digits = [await page.locator(f"{side} .points").evaluate(STYLE, "fontSize") for side in SIDES]
    await match.start("501", ["Ann", "Bo"], format={"legs": 2, "sets": 2})
    await expect(page.get_by_test_id("score-0")).to_have_text("501")
    digits += [await page.locator(f"{side} .points").evaluate(STYLE, "fontSize") for side in SIDES]
    assert len(set(digits)) == 1, "one size of digits, whatever else is to be read"
    up, other = [float(await page.locator(f"{side} .points").evaluate(STYLE, "opacity")) for side in SIDES]
    assert up > other, "the thrower's is brighter"
    assert await look_at(page, match.state, is_wall=True) == []


async def test_a_sheet_has_high_lines_where_there_is_room(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await page.goto(match.url)
    assert await measure_sheet(match, page) >= 40
    assert await look_at(page, match.state, is_wall=True) == []


async def test_the_whole_way_out_is_on_the_board_its_first_bed_the_brightest(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await page.goto(match.url)
    await match.start("501", ["Ann", "Bo"])
    await match.throw(DARTS)
    await expect(page.locator("#darts .advised b")).to_have_text(["T19", "D12"])
    first, later = page.locator("#board .target"), page.locator("#board .later")
    await expect(first).to_have_count(1)
    await expect(later).to_have_count(1)
    assert await first.evaluate(LUMINANCE) > 3 * await later.evaluate(LUMINANCE)
    await match.throw("T19")
    await expect(later).to_have_count(0)
