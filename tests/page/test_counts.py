"""What does not count looks as if it did not, and what a game counts by is said with its unit."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from tests.page.playing import Playing


@pytest.mark.parametrize(
    ("game", "options", "darts", "notes", "total"),
    [
        ("x01", {"in": "double"}, "T20 D20 S5", ["–", "40", "5"], "= 45"),
        ("cricket", {}, "T20 S14 S25", ["×3", "–", "×1"], "4 marks"),
        ("round_the_clock", {}, "S1 S1 S2", ["", "–", ""], ""),
        ("halve_it", {}, "S15 S19 T15", ["15", "–", "45"], "+60"),
    ],
)
async def test_a_dart_that_is_worth_nothing_is_grey(
    browser: Browser, match: Playing, game: str, options: dict[str, str], darts: str, notes: list[str], total: str
) -> None:
    await match.start(game, ["Ann", "Bo"], options=options)
    await match.throw(darts.replace("S25", "SB"))
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=en")
    for index, note in enumerate(notes):
        dart = page.get_by_test_id(f"dart-{index}")
        await expect(dart.locator("span")).to_have_text(note)
        assert await dart.evaluate("dart => dart.classList.contains('nothing')") == (note == "–")
    await expect(page.get_by_test_id("visit-points")).to_have_text(total)
    await match.throw("/")
    for index, note in enumerate(notes):
        dart = page.get_by_test_id(f"last-{index}")
        await expect(dart).to_be_visible()
        assert await dart.evaluate("dart => dart.classList.contains('nothing')") == (note == "–")


async def test_a_lost_life_is_flashed(browser: Browser, match: Playing) -> None:
    await match.start("knockout", ["Ann", "Bo"])
    await match.throw("T20 T20 T20 /")
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=de")
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await match.throw("S1 S1 S1")
    await expect(page.locator("#moment:not([hidden])")).to_have_text("Bo verliert ein Leben")
    await expect(page.get_by_test_id("visit-points")).to_have_text(re.compile("1 Leben$"))
    await expect(page.get_by_test_id("task")).to_have_text("Ein Leben verloren: 3 von 180")


async def test_cricket_without_points_counts_marks(browser: Browser, match: Playing) -> None:
    await match.start("no_score_cricket", ["Ann", "Bo"])
    await match.throw("T20 S19 SB")
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_test_id("score-0")).to_have_attribute("data-unit", "marks")
    await expect(page.locator(".slate .between").nth(1)).to_have_text("marks")
    await match.throw("/")
    await expect(page.locator("#last .sum")).to_have_text("5 marks")


async def test_what_a_visit_comes_to_is_named_by_what_it_counts(browser: Browser, match: Playing) -> None:
    await match.start("a1_drill", ["Ann", "Bo"])
    await match.throw("D20")
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=en")
    await match.throw("S20")
    await expect(page.get_by_test_id("visit-points")).to_have_text("1 hit")
    await match.start("cricket", ["Ann", "Bo"])
    await match.throw("T17")
    await expect(page.get_by_test_id("visit-points")).to_have_text("3 marks")
    await match.throw("S17")
    await expect(page.get_by_test_id("visit-points")).to_have_text("17 points")


async def test_lives_that_are_taken_are_flashed_and_named(browser: Browser, match: Playing) -> None:
    await match.start("killer", ["Ann", "Bo"], options={"numbers": "drawn", "ring": "any", "lives": 5})
    ann, bo = [side["detail"]["number"] for side in match.state["sides"]]
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    moment, visit = page.locator("#moment:not([hidden])"), page.get_by_test_id("visit-points")
    await match.throw(f"S{ann} S{bo}")
    await expect(moment).to_have_text("Bo loses a life")
    await expect(visit).to_have_text("1 taken")
    await match.throw(f"T{bo}")
    await expect(moment).to_have_text("Bo loses 3 lives")
    await expect(visit).to_have_text("4 taken")
    await expect(page.get_by_test_id("score-1")).to_have_attribute("data-unit", "life")
    await match.throw("/")
    await expect(page.locator("#last .sum")).to_have_text("4 lives taken")
    await expect(moment).to_have_count(0)


async def test_a_life_of_a_number_is_flashed_without_its_owner(browser: Browser, match: Playing) -> None:
    await match.start("blind_killer", ["Ann", "Bo"])
    number = match.state["board"]["cells"][0]["label"]
    page = await browser.new_page()
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await match.throw(f"S{number}")
    await expect(page.locator("#moment:not([hidden])")).to_have_text(f"{number} loses a life")
