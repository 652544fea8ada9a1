"""The dashboard we ship, in a real browser: every card finds its entity, and shows what it should."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright, expect

from tests.home_assistant.evening import Evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

VIEWS = {"tablet": (800, 480), "screen": (1280, 800)}
DASHBOARD = Path(__file__).parents[2] / "docs/home-assistant/dashboard.yaml"
PATIENCE_MS = 30_000
_BROKEN = ("hui-error-card", "hui-warning", "text=Entity not found", "text=Configuration error", "text=/Error/")


@pytest_asyncio.fixture(params=VIEWS, loop_scope="module")
async def page(request: pytest.FixtureRequest, evening: Evening, chromium_path: Path) -> AsyncIterator[Page]:
    """A browser whose owner has logged in."""
    expect.set_options(timeout=PATIENCE_MS)
    width, height = VIEWS[request.param]
    shutil.copy(DASHBOARD, evening.ha.folder / "dashboard.yaml")
    tokens = {**evening.ha.tokens, "hassUrl": evening.ha.url, "clientId": f"{evening.ha.url}/", "expires": 2**52}
    log_in = f"localStorage.setItem('hassTokens', {json.dumps(json.dumps(tokens))})"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path,
            args=["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
        )
        page = await browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE_MS)
        await page.add_init_script(log_in)
        yield page
        await browser.close()


async def is_whole(page: Page) -> None:
    """No card complains, or does no longer."""
    for broken in _BROKEN:
        await expect(page.locator(broken)).to_have_count(0)


async def test_the_match_is_shown_and_played_from_there(evening: Evening, page: Page, tmp_path: Path) -> None:
    await evening.begin()
    evening.throw("T20", "T19")
    await evening.shows(score=384, darts_left=1)
    await page.goto(f"{evening.ha.url}/darts-board/match")
    score = page.locator("hui-markdown-card").first
    await expect(score).to_contain_text("384")
    await expect(score).to_contain_text("Ann")
    await expect(score).to_contain_text("T19")
    players = page.locator("hui-markdown-card").nth(1)
    await expect(players).to_contain_text("Bo")
    await expect(page.locator("hui-button-card")).to_have_count(3)
    await is_whole(page)
    await page.screenshot(path=tmp_path / "match.png")

    await page.locator("hui-button-card").get_by_text("Undo").click()
    await expect(score).to_contain_text("441")
    await page.locator("hui-button-card").get_by_text("Miss").click()
    await page.locator("hui-button-card").get_by_text("Next").click()
    await expect(score).to_contain_text("Bo")
    await expect(score).to_contain_text("501")
    await evening.shows(player="Bo", score=501)  # told to the page first
    await page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    for name in ("Next", "Undo", "Miss"):  # no scrolling, not even on the small one
        await expect(page.locator("hui-button-card").get_by_text(name)).to_be_in_viewport()


async def test_the_board_that_has_gone_is_seen(evening: Evening, page: Page, tmp_path: Path) -> None:
    await evening.begin()
    await page.goto(f"{evening.ha.url}/darts-board/match")
    score = page.locator("hui-markdown-card").first
    await expect(score).to_contain_text("501")
    await evening.board.unplug()
    await expect(score).to_contain_text("The board is away")
    await page.screenshot(path=tmp_path / "away.png")
    evening.board.plug()
    await expect(score).to_contain_text("501")
    await is_whole(page)


async def test_the_next_match_is_chosen_there(evening: Evening, page: Page, tmp_path: Path) -> None:
    await evening.begin()
    await page.goto(f"{evening.ha.url}/darts-board/next")
    await expect(page.locator("hui-tile-card").first).to_contain_text("x01")
    await expect(page.get_by_text("Players")).to_be_visible()
    await expect(page.get_by_text("Ann, Bo")).to_be_visible()
    await is_whole(page)
    await page.screenshot(path=tmp_path / "next.png")
    evening.throw("T20")
    await evening.shows(score=441)
    await page.locator("hui-button-card").get_by_text("New game").click()
    await evening.shows(score=501)
