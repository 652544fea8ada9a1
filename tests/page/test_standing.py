"""With three and more a wall says who throws next and who leads, by sign and by word, and shows every name whole."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.page.playing import Playing, look_at
from tests.sweep import sweep

SCREENS = {"tablet": (800, 480), "1080p": (1920, 1080), "upright": (600, 1024)}
CROWD = (
    "Ann Maximiliane Bo Christopher Dee Åsa Eve Friedrich Gus Hildegard Ivo Katharina Lee Magdalena Ned Oskar".split()
)
_CUT = "names => names.filter(name => name.scrollWidth > name.clientWidth + 1).map(name => name.textContent)"
_OVERLAP = """cards => cards.flatMap((card) => {
  const points = document.createRange();
  points.selectNodeContents(card.querySelector(".points"));
  const { right, bottom, top } = points.getBoundingClientRect();
  return [...card.querySelectorAll(".sign:not([hidden]), .badge")].filter((sign) => {
    const box = sign.getBoundingClientRect();
    return box.width && box.left < right && box.top < bottom && box.bottom > top;
  }).map((sign) => `${card.textContent}: ${sign.className}`);
})"""


@pytest.mark.parametrize("screen", sweep(SCREENS, {"tablet", "1080p"}.__contains__))
@pytest.mark.parametrize("count", [3, 8, 16])
async def test_everybody_finds_themselves_and_who_comes_next(
    browser: Browser, match: Playing, count: int, screen: str
) -> None:
    width, height = SCREENS[screen]
    page = await browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    await match.start("501", CROWD[:count])
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_role("img", name="throws next")).to_have_attribute("data-testid", "following-1")
    await expect(page.get_by_role("img", name="leads")).to_have_count(0)
    await match.throw("T20 / T19")
    await expect(page.get_by_role("img", name="leads")).to_have_attribute("data-testid", "ahead-0")
    await expect(page.get_by_test_id("phase")).to_have_text("2 darts to throw, then Bo")
    assert await page.locator("#sides .name b").evaluate_all(_CUT) == []
    assert await page.locator("#sides .side").evaluate_all(_OVERLAP) == []
    assert await look_at(page, match.state, is_wall=True) == []
    await match.throw("S1 S1")
    await expect(page.get_by_test_id("phase")).to_have_text("Pull your darts, then Next: Bo")
    await match.say({"next": True}, {"retire": 0})
    await expect(page.get_by_role("img", name="leads")).to_have_attribute("data-testid", "ahead-1")


async def test_a_slate_marks_them_beside_the_points(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await match.start("cricket", ["Ann", "Bo", "Cy"])
    await page.goto(f"{match.url}?lang=de")
    await match.throw("T20 S20 /")
    await expect(page.get_by_role("cell", name="20, führt", exact=True)).to_be_visible()
    await expect(page.get_by_test_id("points-2")).to_have_accessible_name("0, wirft als Nächstes")
    await expect(page.get_by_test_id("phase")).to_have_text("Noch 3 Darts, dann Cy")


async def test_in_a_duel_nothing_is_marked(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 800, "height": 480})
    await match.start("501", ["Ann", "Bo"])
    await page.goto(f"{match.url}?lang=en")
    await match.throw("T20 /")
    await expect(page.get_by_test_id("phase")).to_have_text("3 darts to throw")
    await expect(page.locator(".sign").locator("visible=true")).to_have_count(0)


async def test_of_two_the_leader_is_marked_where_few_may_be_better(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    await match.start("golf", ["Ann", "Bo"])
    await page.goto(f"{match.url}?lang=en")
    await match.throw("T20 T20 T20 / T20 T20 D1 / T20")
    await expect(page.get_by_role("img", name="leads")).to_have_attribute("data-testid", "ahead-1")
    await expect(page.get_by_role("img", name="throws next")).to_have_count(0)


async def test_in_doubles_the_partner_who_throws_next_is_named(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 800, "height": 480})
    await match.start("501", ["Ann", "Bo", "Cy", "Dee"], teams=[[0, 2], [1, 3]])
    await page.goto(f"{match.url}?lang=en")
    await match.throw("T20 / / ")
    await expect(page.get_by_test_id("player")).to_have_text("Cy")
    await expect(page.get_by_test_id("phase")).to_have_text("3 darts to throw, then Dee")
