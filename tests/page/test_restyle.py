"""A part of a wall that comes or goes leaves the rest alone: a small machine has to draw the next dart meanwhile."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, expect

from tests.page.playing import Playing

MATCHES = {"amid": ("501", "T20 T20 T20"), "over": ("101", "T20 S1 D20")}


@pytest.mark.parametrize("name", MATCHES)
async def test_a_part_that_comes_has_few_others_styled_anew(browser: Browser, match: Playing, name: str) -> None:
    """A single rule for "anything, where a part is there" has the browser look at every element, 62 beds among them."""
    game, darts = MATCHES[name]
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await page.goto(f"{match.url}?scenes=off")
    await page.wait_for_selector("#stage", state="attached")  # and with it all sheets of a wall
    await match.start(game, ["Ann", "Bo"])
    await match.throw(darts)
    await expect(page.locator("#moment b")).to_be_visible()
    await expect(page.locator("#summary table")).to_have_count(int(name == "over"))
    everything = await page.evaluate("document.querySelectorAll('main *').length")
    await browser.start_tracing(page=page, categories=["devtools.timeline"])
    await page.evaluate("document.getElementById('stray').hidden = false; document.body.offsetWidth")
    events = json.loads(await browser.stop_tracing())["traceEvents"]
    styled = [each["args"]["elementCount"] for each in events if "elementCount" in each["args"]]
    assert styled, "the part has come"
    assert max(styled) < everything / 3
