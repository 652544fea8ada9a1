"""Matches that are called alike are told apart: beside the title, in the list of games, and in the rules."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import RunningDaemon
from tests.commanding import give
from tests.page.playing import Playing


async def test_what_differs_from_usual_stands_beside_the_title(
    page: Page, browser: Browser, running: RunningDaemon
) -> None:
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("title")).to_have_text("301")
    await expect(page.get_by_test_id("variant")).to_be_hidden()
    await give(running.tables["main"], {"start": {"game": "soft_501", "players": ["Ann", "Bo"]}}, "page")
    await expect(page.get_by_test_id("title")).to_have_text("501")
    await expect(page.get_by_test_id("variant")).to_have_text("straight out · fat bull · 15 rounds")
    phone = await browser.new_page(viewport={"width": 390, "height": 844})
    await phone.goto(f"{running.page}?view=remote&lang=de")
    await expect(phone.get_by_test_id("variant")).to_have_text("Straight Out · Bull immer 50 · 15 Runden")
    said = await phone.get_by_test_id("variant").evaluate("each => each.scrollWidth <= each.clientWidth")
    assert said, "it is cut"


@pytest.mark.parametrize("width", [390, 360])
@pytest.mark.parametrize("game", ["nine_dart_century", "segment_training"])
async def test_a_long_title_is_whole_on_a_phone(browser: Browser, match: Playing, game: str, width: int) -> None:
    await match.start(game, ["Ann"])
    phone = await browser.new_page(viewport={"width": width, "height": 844})
    await phone.goto(f"{match.url}?view=remote&lang=de")
    title = phone.get_by_test_id("title")
    await expect(title).to_have_text(re.compile("^(Hundert mit neun Darts|Segment-Training: T20)$"))
    assert await title.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"), "it is cut"
    tops = [
        await phone.get_by_test_id(each).evaluate("e => e.getBoundingClientRect().top") for each in ("rules", "menu")
    ]
    assert tops[0] == tops[1], "in one line"


async def test_the_rules_tell_how_one_wins_then_what_differs_and_fold_the_rest(
    page: Page, running: RunningDaemon
) -> None:
    await give(running.tables["main"], {"start": {"game": "equal_501", "players": ["Ann", "Bo"]}}, "page")
    await page.goto(running.page or "")
    await page.get_by_test_id("rules").click()
    lines = page.get_by_test_id("rules-wins").locator("p")
    await expect(lines).to_have_count(3)
    await expect(lines.first).to_have_text(re.compile("^501 with equal turns:"))
    await expect(page.get_by_test_id("rules-wins")).to_contain_text(
        "the one that needed the fewest darts in its visit wins"
    )
    differing = page.get_by_test_id("rules-differ").locator("li")
    await expect(differing).to_have_text(["When level: One more round", "Finish: Equal turns"])
    start = page.get_by_text("Start score: 501", exact=True)
    await expect(start).to_be_hidden()
    await page.get_by_test_id("rules-all").locator("summary").click()
    await expect(start).to_be_visible()


async def test_the_list_of_games_tells_those_of_one_title_apart(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await expect(page.locator("#board .area").first).to_be_visible()  # before that a button does nothing yet
    await page.locator("#other").evaluate("button => button.click()")
    lobby = page.get_by_test_id("lobby")
    await lobby.get_by_role("searchbox").fill("501")
    said = await lobby.locator(".offer label").evaluate_all(
        "labels => labels.map((each) => [...each.querySelectorAll('b, i')].map((part) => part.textContent).join(' '))"
    )
    found = [text for text in said if text.startswith("501 ")]
    assert "501 equal turns · one more round" in found
    assert "501 master in · master out" in found
    assert len(found) == 5
    assert len({*found}) == len(found)
