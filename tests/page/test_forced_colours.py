"""In forced colours, as Windows has them for people who need contrast: what matters is told by more than a colour."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.page.playing import Playing, look_at

_MARKED = """([one, other]) => {
  const look = (selector) => {
    const element = document.querySelector(selector);
    const style = getComputedStyle(element);
    return ["backgroundColor", "color", "outlineStyle", "outlineWidth", "borderTopStyle", "borderTopWidth", "fill",
      "stroke", "strokeWidth"].map((name) => `${name}: ${style[name]}`).join(";");
  };
  return look(one) !== look(other);
}"""
_SEEN = """(element) => {
  const { fill } = getComputedStyle(element.querySelector("path"));
  const probe = document.body.appendChild(document.createElement("p"));
  probe.style.backgroundColor = "Canvas";
  const canvas = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return fill !== canvas;
}"""
PAIRS = {
    "whose turn it is": ('[data-testid="side-1"]', '[data-testid="side-0"]'),
    "a dart that is thrown": ('[data-testid="dart-0"]', '[data-testid="dart-2"]'),
    "a target": ("#board .lights [class$=target]", '#board [data-segment="D7"]'),
    "where a dart is": ("#board .lights [class$=hit]", '#board [data-segment="D7"]'),
}


async def test_what_is_chosen_is_marked_in_forced_colours(browser: Browser, address: str) -> None:
    page = await browser.new_page(forced_colors="active")
    await page.goto(f"{address}guide?lang=de")
    await expect(page.get_by_test_id("guide-de")).to_have_attribute("aria-pressed", "true")
    assert await page.evaluate(_MARKED, ('[data-testid="guide-de"]', '[data-testid="guide-en"]'))


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_what_matters_is_marked_in_forced_colours(browser: Browser, match: Playing, theme: str) -> None:
    page = await browser.new_page(
        viewport={"width": 1280, "height": 720}, reduced_motion="reduce", forced_colors="active"
    )
    await match.start("x01", ["Ann", "Bo", "Cy"], options={"start": 101})
    await match.throw("S20 / S9 T20")
    await page.goto(f"{match.url}?theme={theme}&lang=en")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T20")
    for what, pair in PAIRS.items():
        assert await page.evaluate(_MARKED, pair), what
    for sign in ("ahead-1", "following-2"):
        assert await page.get_by_test_id(sign).evaluate(_SEEN), sign
    assert await look_at(page, match.state, is_wall=True) == []
