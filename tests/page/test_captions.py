"""The great figure says what it is, the task is large on a wall, and nothing in a hand is too small to read."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import RunningDaemon
from tests.commanding import give

_SIZE = "element => parseFloat(getComputedStyle(element).fontSize)"
_LEAST_IN_HAND_PX = 13
_LEAST_TASK_PX = 30
_IS_CUT = "each => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1"


@pytest.mark.parametrize(
    ("game", "language", "figure", "caption"),
    [
        ("golf", "en", "0", "strokes"),
        ("golf", "de", "0", "Schläge"),
        ("killer", "en", "lives 3", "lives"),
        ("round_the_clock", "en", "1", "Target"),
        ("round_the_clock", "de", "1", "Ziel"),
        ("count_up", "de", "0", "Punkte"),
        ("501", "en", "501", "left"),
        ("501", "de", "501", "Rest"),
    ],
)
async def test_the_great_figure_says_what_it_is(
    browser: Browser, running: RunningDaemon, game: str, language: str, figure: str, caption: str
) -> None:
    await give(running.tables["main"], {"start": {"game": game, "players": ["Ann", "Bo"]}}, "page")
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.goto(f"{running.page}?view=remote&lang={language}")
    await expect(page.locator("#score")).to_have_text(figure)
    await expect(page.locator("#caption")).to_have_text(caption)
    assert not await page.locator("#caption").evaluate(_IS_CUT)


async def test_lives_stand_once_in_a_hand(browser: Browser, running: RunningDaemon) -> None:
    await give(running.tables["main"], {"start": {"game": "killer", "players": ["Ann", "Bo"]}}, "page")
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.goto(f"{running.page}?view=remote")
    await expect(page.locator("#score")).to_have_text("lives 3")
    await expect(page.get_by_test_id("score-1")).to_be_visible()
    await expect(page.get_by_test_id("score-0")).to_be_hidden()


async def test_many_lives_are_a_number_with_its_name(page: Page, running: RunningDaemon) -> None:
    start = {"game": "big_6", "players": ["Ann", "Bo"], "options": {"lives": 10}}
    await give(running.tables["main"], {"start": start}, "page")
    await page.goto(running.page or "")
    await expect(page.locator("#score")).to_have_text("10")
    await expect(page.locator("#caption")).to_have_text("lives")


async def test_a_round_says_of_how_many(page: Page, running: RunningDaemon) -> None:
    await give(running.tables["main"], {"start": {"game": "eagles_eye", "players": ["Ann", "Bo"]}}, "page")
    await page.goto(running.page or "")
    await expect(page.locator("#progress")).to_have_text("Round 1 of 8")


@pytest.mark.parametrize("game", ["shanghai", "burma_road", "round_the_clock", "killer", "kill_bull"])
async def test_the_task_is_large_on_a_wall(browser: Browser, running: RunningDaemon, game: str) -> None:
    await give(running.tables["main"], {"start": {"game": game, "players": ["Ann", "Bo"]}}, "page")
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    await page.goto(f"{running.page}?view=wall")
    task = page.locator("#task")
    await expect(task).not_to_be_empty()
    await expect(page.locator("html[data-typeface]")).to_be_attached()
    assert await task.evaluate(_SIZE) >= _LEAST_TASK_PX
    assert not await task.evaluate(_IS_CUT)


@pytest.mark.parametrize("game", ["golf", "bermuda", "fifteen_contracts", "doubles_420", "fox_hunt", "a1_drill"])
async def test_what_stands_in_a_hand_is_read(browser: Browser, running: RunningDaemon, game: str) -> None:
    await give(running.tables["main"], {"start": {"game": game, "players": ["Ann", "Bo"]}}, "page")
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.goto(f"{running.page}?view=remote")
    cells = page.locator("#panel :is(td, th, li)").filter(has_text=re.compile(r"\S"))
    await expect(cells.nth(5)).to_be_attached()
    sizes = await cells.evaluate_all(f"cells => cells.map({_SIZE})")
    assert min(sizes) >= _LEAST_IN_HAND_PX
