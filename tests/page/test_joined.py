"""The page in joined files, as it is served, and in the files that these are made of, as an older one asks for them."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, Route, expect

from daemon.assemble import RunningDaemon
from daemon.web.page_files import FOLDER, PAGES
from tests.page.playing import find_path, play


@pytest.mark.parametrize("kept", [False, True], ids=["as it is served", "as a browser has kept it"])
async def test_all_parts_of_the_page_share_what_it_knows(page: Page, running: RunningDaemon, kept: bool) -> None:
    """Scripts that are loaded once and again, by two addresses, would know nothing of each other."""
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(running.page or "")))

    async def answer_as_before(route: Route) -> None:
        await route.fulfill(path=FOLDER / "index.html", content_type="text/html")

    if kept:
        await page.route(running.page or "", answer_as_before)
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await play(running, "T20")
    await expect(page.get_by_test_id("score-0")).to_have_text("241")
    await page.keyboard.press("g")
    await expect(page.get_by_test_id("lobby")).to_contain_text("Ann")
    await page.keyboard.press("Escape")
    await page.get_by_test_id("dart-0").click()
    await page.locator("#correction-board [data-segment=T5]").first.click()
    await page.locator("#correction-ok").click()
    await expect(page.get_by_test_id("score-0")).to_have_text("286")
    scripts = [each for each in asked if each.endswith(".js")]
    assert [each for each in scripts if not each.startswith("static/" if kept else "joined/index/")] == []
    assert len(scripts) == len(set(scripts)) > 5
    assert problems == []


@pytest.mark.parametrize("name", PAGES)
async def test_every_page_comes_joined_and_without_an_error(page: Page, running: RunningDaemon, name: str) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{running.page}{find_path(name)}")
    await page.wait_for_load_state("load" if name in ("index", "stream") else "networkidle")  # whose stream goes on
    assert [each for each in asked if "/static/" in each and not each.endswith((".svg", ".woff"))] == []
    assert any(each.endswith(f"/joined/{name}/{name}.css") for each in asked)
    assert problems == []
