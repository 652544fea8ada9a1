"""A duel stands still: from dart to dart figures change, and nothing moves; neither does it at the end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import run_daemon
from tests.commanding import give
from tests.page.playing import Playing, hold_until, look_at, setup
from tests.page.test_after import SPILLED
from tests.sweep import sweep

MOST_SHIFT = 0.01
"""Of a leg; a page that moves by a tenth is called poor."""
MOST_SHIFT_OF_CHALK = 0.03
SIZES = {"1080p": (1920, 1080), "720p": (1280, 720), "wall tablet": (800, 480), "1440p": (2560, 1440)}
UPRIGHT = {"upright": (1080, 1920)}
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
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_LINES = """() => ["#sides .points", "#sides .facts span:last-child", "#task"].map((selector) => {
  const range = document.createRange();
  return new Set([...document.querySelectorAll(selector)].flatMap((each) => {
    range.selectNodeContents(each);
    return [...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 4));
  })).size;
})"""
"""In how many lines they stand, those of both sides together."""


async def _collect(page: Page) -> None:
    """From here on; not before all that the page comes with has been painted, which may be long after it is there."""
    await expect(page.locator("#board [data-segment]").first).to_be_visible()
    await expect(page.locator("#warnings")).to_be_hidden()  # that of a board that is not there yet would go
    await page.evaluate("document.fonts.ready")
    await page.evaluate(_DRAWN)
    await page.evaluate(_COLLECT)


async def _throw(page: Page, match: Playing, darts: str) -> None:
    """One after the other, each seen before the next: what comes together would be drawn once."""
    for dart in darts.split():
        await match.throw(dart)
        await expect(page.locator("#phase")).to_have_attribute("data-phase", match.state["phase"])
        thrown = len(match.state["turn"]["darts"])
        if match.state["phase"] != "over":
            await expect(page.locator("#darts .thrown")).to_have_count(thrown)
        await page.evaluate(_DRAWN)


async def test_a_duel_comes_as_it_stays(browser: Browser, match: Playing) -> None:
    """Nothing of a match is drawn before it is known how: it would all move with the answer."""
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    await page.add_init_script(_COLLECT)
    is_told = asyncio.Event()
    await page.route("**/layout", hold_until(is_told))
    async with page.expect_request("**/layout"):  # by then the page has the state
        await page.goto(match.url)
    assert await page.locator("#sides > li").count() == 0
    await expect(page.locator("#warnings")).to_be_hidden()
    await page.evaluate(_DRAWN)
    is_told.set()
    await expect(page.locator("body.duel #sides > li")).to_have_count(2)
    await page.evaluate(_DRAWN)
    found = await page.evaluate(_READ)
    assert sum(each["value"] for each in found) < MOST_SHIFT, found


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr", "es"])
@pytest.mark.parametrize("size", sweep(SIZES, lambda size: size in {"1080p", "wall tablet"}))
async def test_a_duel_stands_still_for_a_leg(browser: Browser, match: Playing, size: str, language: str) -> None:
    width, height = SIZES[size]
    page = await browser.new_page(viewport={"width": width, "height": height})
    await page.goto(f"{match.url}?lang={language}")
    await match.start("501", ["Ann", "Bo"], format={"legs": 2})
    await expect(page.locator("body.duel #darts .slot")).to_have_count(3)
    await _collect(page)
    assert await page.evaluate(_LINES) == [1, 1, 1]
    await _throw(page, match, LEG)
    found = await page.evaluate(_READ)
    assert sum(each["value"] for each in found) < MOST_SHIFT, found
    visits = page.get_by_test_id("visits-0")
    if height >= LARGE_PX:
        await match.say({"undo": True})
        await expect(visits.locator("li")).to_have_text(["140 361", "100 261", "177 84", "82 2", "– 2"])
    await expect(visits).to_be_visible(visible=height >= LARGE_PX)


@pytest.mark.parametrize("size", sweep(SIZES | UPRIGHT, lambda size: size in {"720p", "upright"}))
async def test_the_end_of_a_match_moves_nothing(browser: Browser, match: Playing, size: str) -> None:
    width, height = (SIZES | UPRIGHT)[size]
    page = await browser.new_page(viewport={"width": width, "height": height})
    await page.goto(f"{match.url}?lang=en")
    await match.start("101", ["Ann", "Bo"])
    await match.throw("T20 S1 MISS / S5 S5 S5 /")
    await expect(page.locator("body.duel #darts .slot")).to_have_count(3)
    await _collect(page)
    await match.throw("D20")
    await expect(page.get_by_test_id("final-1")).to_have_text("86")
    await page.evaluate(_DRAWN)
    found = await page.evaluate(_READ)
    assert sum(each["value"] for each in found) < MOST_SHIFT, found
    assert not {"again", "other"} & {moved for each in found for moved in each["moved"]}, found
    assert await look_at(page, match.state, is_wall=True) == []
    assert await page.evaluate(SPILLED) == []


async def test_the_winner_waits_for_the_headline(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    is_told = asyncio.Event()
    await page.route("**/api/match/*", hold_until(is_told))
    await match.start("101", ["Ann", "Bo"])
    await match.throw("T20 S1 D20")
    async with page.expect_request("**/api/match/*"):
        await page.goto(f"{match.url}?lang=en")
    await expect(page.locator("body.duel #winner")).to_have_text("Ann")
    await expect(page.locator("#winner")).to_be_hidden()
    is_told.set()
    await expect(page.get_by_test_id("winner-face")).to_be_visible()
    await expect(page.locator("#winner")).to_be_visible()


@pytest.mark.parametrize(("path", "status"), [("api/match/*", 404), ("api/match/*", 503), ("summary.css", 404)])
async def test_the_winner_does_not_wait_for_a_headline_that_does_not_come(
    browser: Browser, match: Playing, path: str, status: int
) -> None:
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    await page.route(f"**/{path}", lambda route: route.fulfill(status=status, json={}))
    await match.start("101", ["Ann", "Bo"])
    await match.throw("T20 S1 D20")
    async with page.expect_request(f"**/{path}"):
        await page.goto(f"{match.url}?lang=en")
    await expect(page.locator("body.duel #winner")).to_have_text("Ann")
    await expect(page.locator("#winner")).to_be_visible()
    await expect(page.locator("#result-kind")).to_be_visible()


@pytest.mark.parametrize("size", sweep({"720p": SIZES["720p"]} | UPRIGHT, lambda size: size == "upright"))
async def test_the_end_of_a_chalked_match_moves_its_chalk_alone(
    browser: Browser, tmp_path: Path, broker_port: int, size: str
) -> None:
    """The winner and the buttons need more room than the task: the cards are lower, and nothing else."""
    width, height = (SIZES | UPRIGHT)[size]
    page = await browser.new_page(viewport={"width": width, "height": height})
    async with run_daemon(setup(tmp_path, broker_port, board="none", takeout_s=600)) as running:
        table = running.tables["main"]
        await give(table, {"start": {"game": "101", "players": ["Ann", "Bo"]}}, "page")
        for total in (41, 45, 20, 26):
            await give(table, {"total": total}, "page")
        await page.goto(f"{running.page}?lang=en")
        await expect(page.get_by_test_id("visits-1").locator("li")).to_have_text(["45 56", "26 30"])
        await expect(page.locator("#last")).to_be_hidden()  # it is the last of these
        await _collect(page)
        await give(table, {"total": 40, "darts": 2}, "page")
        await expect(page.get_by_test_id("final-1")).to_have_text("30")
        await page.evaluate(_DRAWN)
        found = await page.evaluate(_READ)
        assert sum(each["value"] for each in found) < MOST_SHIFT_OF_CHALK, found
        assert await page.evaluate(SPILLED) == []
