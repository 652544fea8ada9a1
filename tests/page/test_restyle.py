"""A part of a wall that comes or goes leaves the rest alone: a small machine has to draw the next dart meanwhile."""

from __future__ import annotations

import json

from playwright.async_api import Browser, expect

from daemon.assemble import RunningDaemon


async def test_a_part_that_comes_has_few_others_styled_anew(browser: Browser, running: RunningDaemon) -> None:
    """A single rule for "anything, where a part is there" has the browser look at every element, 62 beds among them."""
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await page.goto(running.page or "")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await page.wait_for_selector("#stage", state="attached")  # and with it all sheets of a wall that plays
    everything = await page.evaluate("document.querySelectorAll('main *').length")
    await browser.start_tracing(page=page, categories=["devtools.timeline"])
    await page.evaluate("document.getElementById('moment').hidden = false; document.body.offsetWidth")
    events = json.loads(await browser.stop_tracing())["traceEvents"]
    styled = [each["args"]["elementCount"] for each in events if "elementCount" in each["args"]]
    assert styled, "the part has come"
    assert max(styled) < everything / 4
