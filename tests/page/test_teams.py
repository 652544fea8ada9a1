"""Who of a team throws is on every wall and phone, whatever the game, and with whom."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from tests.page.cap_heights import measure_letters
from tests.page.playing import Playing, look_at
from tests.sweep import sweep

SCREENS = {
    "tablet": (800, 480, "wall"),
    "1080p": (1920, 1080, "wall"),
    "upright": (600, 1024, "wall"),
    "phone": (390, 844, "remote"),
}
FOUR = ["Ann", "Bo", "Cy", "Dee"]
PAIRS = [[0, 2], [1, 3]]
"""Sides that are called Ann & Cy and Bo & Dee."""


async def _expect_thrower(page: Page, player: str, partners: str) -> None:
    """Both are to be seen, whole, and the thrower larger."""
    thrower, team = page.locator("#player"), page.locator("#team")
    await expect(thrower).to_have_text(player)
    await expect(team).to_have_text(partners)
    await expect(thrower).to_be_visible()
    await expect(team).to_be_visible()
    sizes = [await each.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") for each in (thrower, team)]
    assert sizes[0] > sizes[1]
    for each in (thrower, team):
        assert await each.evaluate("each => each.scrollWidth <= each.clientWidth + 1"), "cut short"


@pytest.mark.parametrize("screen", sweep(SCREENS, {"tablet", "phone"}.__contains__))
@pytest.mark.parametrize("game", ["501", "cricket", "halve_it"])
async def test_the_thrower_and_the_partner_are_named(browser: Browser, match: Playing, game: str, screen: str) -> None:
    width, height, view = SCREENS[screen]
    page = await browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    await match.start(game, FOUR, teams=PAIRS)
    await page.goto(f"{match.url}?lang=en&view={view}")
    for player, partner in (("Ann", "Cy"), ("Bo", "Dee"), ("Cy", "Ann"), ("Dee", "Bo")):
        await _expect_thrower(page, player, f"with {partner}")
        await match.throw("S1 S5 S1")
        assert await look_at(page, match.state, is_wall=view == "wall") == []
        await match.throw("/")


async def test_in_doubles_at_x01_the_thrower_is_read_from_three_metres(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await match.start("501", FOUR, teams=PAIRS)
    await page.goto(match.url)
    await expect(page.locator(".duel #player")).to_have_text("Ann")
    assert await measure_letters(page, "#player") >= 50


async def test_a_team_with_a_name_of_its_own_is_called_by_it_too(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await match.start("501", FOUR, teams=PAIRS, team_names=["Reds", ""])
    await page.goto(f"{match.url}?lang=de")
    await _expect_thrower(page, "Ann", "mit Cy · Reds")
