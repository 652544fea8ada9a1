"""What the settings and the guide show where there is nothing to set: in the demo, while oche does not answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from tests.daemon.process import Process
from tests.page.test_axe import LOOKS, VIEWS, Findings

PAGES = ("settings", "guide")


@pytest_asyncio.fixture(loop_scope="session")
async def demo() -> AsyncIterator[str]:
    """The page of `oche play`."""
    async with Process("play", "--human", "--no-open", "--port", "0", python=()) as process:
        await process.said("Scoreboard")
        yield next(word for word in process.output.split() if word.startswith("http://"))


async def test_the_demo_says_what_will_be_there_and_the_line_to_type(page: Page, demo: str) -> None:
    await page.goto(demo)
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("settings").click()
    state = page.get_by_test_id("state")
    await expect(state.get_by_role("heading")).to_have_text("This is the demo")
    await expect(state.get_by_role("listitem")).to_have_count(4)
    await expect(state.locator("code")).to_have_text("oche run")
    await state.get_by_test_id("copy").click()
    assert await page.evaluate("getSelection().toString()") in ("", "oche run")
    await expect(page.get_by_test_id("save")).to_be_hidden()
    await page.get_by_test_id("guide").click()
    await expect(state).to_contain_text("takes you to your first dart")
    await expect(state.locator("code")).to_have_text("oche run")
    await page.get_by_test_id("later").click()
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    await page.goto(f"{demo}settings?lang=de")
    await expect(state.get_by_role("heading")).to_have_text("Das ist die Demo")


@pytest.mark.parametrize(("name", "there"), [("settings", "door-board"), ("guide", "card-shown")])
async def test_a_page_that_oche_does_not_answer_comes_back_by_itself(
    page: Page, address: str, name: str, there: str
) -> None:
    async def fail(route: Route) -> None:
        await route.fulfill(status=502, body="<h1>Bad gateway</h1>")

    await page.route("**/api/settings", fail)
    await page.goto(f"{address}{name}")
    state = page.get_by_test_id("state")
    await expect(state).to_contain_text("oche does not answer")
    await expect(state.locator("code")).to_have_text("systemctl status oche")
    await page.unroute("**/api/settings")
    await expect(page.get_by_test_id(there)).to_be_visible()
    await expect(state).to_have_count(0)


@pytest.mark.parametrize("name", PAGES)
async def test_it_says_that_it_reads_the_settings(page: Page, address: str, name: str) -> None:
    await page.route("**/api/settings", lambda _: None)  # no answer yet
    await page.goto(f"{address}{name}?lang=de")
    await expect(page.get_by_text("Die Einstellungen werden gelesen")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_they_are_accessible_and_fit(examined: Page, demo: str, look: str) -> None:
    findings, page = Findings(), examined
    for view, size in VIEWS.items():
        await page.set_viewport_size(size)
        for name in PAGES:
            await page.goto(f"{demo}{name}?{look}")
            await expect(page.get_by_test_id("state")).to_be_visible()
            await findings.audit(page, f"{view}, {name}")
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert not findings.all, "\n".join(findings.all)
