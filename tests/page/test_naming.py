"""Beds have the names that players use, on the page and for whoever listens; and players type them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from protocol.layouts import find_layout
from protocol.naming import name_bed
from protocol.standard import standard
from tests.page.playing import Playing

SPELLINGS = {
    "treble 20": "T20", "TRIPLE 1": "T1", "double 16": "D16", "Single5": "S5", "d16": "D16", "25": "SB", "S25": "SB",
    "ob": "SB", "sb": "SB", "outer bull": "SB", "50": "DB", "D25": "DB", "IB": "DB", "BULL": "DB", "bullseye": "DB",
    "inner bull": "DB",
}  # fmt: skip
"""What the daemon reads too, in every language of the page."""
NAMES = {
    "x01": {"O20": "20", "S5": "5", "T20": "T20", "SB": "25", "DB": "Bull", "MISS": "Miss"},
    "yatzy_dart": {"6i": "6 red", "56m": "5·6 green", "123o": "1·2·3 grey", "STAR": "Star", "NONE": "Miss"},
    "ground_round": {"0,0": "C3", "0,-2": "A1", "2,-2": "A3", "1,0!": "C4 red", "-2,2": "E1", "0,0|1,0": "C3/C4"},
}
TYPED = {
    "x01": {
        "19": "S19", " t20 ": "T20", "Triple 20": "T20", "treble 7": "T7", "25": "SB", "50": "DB", "bull": "DB",
        "60": "T20", "40": "D20", "0": "MISS", "miss": "MISS", "o5": "O5", "outer single 5": "O5",
        "21": "There is no 21 on the board. Type 20, D16, T20, 25 or bull.",
        "T21": "There is no T21 on the board. Type 20, D16, T20, 25 or bull.",
        "36": "36 can be T12 or D18. Type one of them.",
    },
    "yatzy_dart": {"56M": "56m", "5·6 green": "56m", "6 RED": "6i", "star": "STAR", "56": "56 can be"},
    "ground_round": {"c3": "0,0", "C4 red": "1,0!", "1,0!": "1,0!", "C3/C4": "0,0|1,0", "F1": "There is no F1 on"},
}  # fmt: skip
READ = """async ([ids, typed]) => {
  const { words } = await import("./static/words/words.js");
  const { readBed } = await import("./static/words/typing.js");
  const layout = await (await fetch("api/table/main/layout")).json();
  const read = (text) => { const { id, refusal } = readBed(text, layout); return id ?? refusal; };
  return [ids.map((id) => words.segment(id)), typed.map(read)];
}"""


async def open_page(browser: Browser, match: Playing, query: str = "?lang=en") -> Page:
    page = await browser.new_page()
    await page.goto(f"{match.url}{query}")
    await expect(page.locator("#board .marks")).to_be_attached()
    return page


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr", "es"])
async def test_what_the_daemon_reads_can_be_typed_on_the_page(browser: Browser, match: Playing, language: str) -> None:
    page = await open_page(browser, match, f"?lang={language}")
    _, read = await page.evaluate(READ, [[], [*SPELLINGS]])
    assert read == [*SPELLINGS.values()] == [standard().find(each).id for each in SPELLINGS]


@pytest.mark.parametrize("game", NAMES)
async def test_beds_are_named_and_typed_as_players_say(browser: Browser, match: Playing, game: str) -> None:
    page = await open_page(browser, match)
    named: list[Any]  # Any: JSON
    named, read = await page.evaluate(READ, [[*NAMES[game]], [*TYPED[game]]])
    assert named == [*NAMES[game].values()] == [name_bed(each) for each in NAMES[game]]
    for typed, (found, expected) in zip(TYPED[game], zip(read, TYPED[game].values(), strict=True), strict=True):
        assert found.startswith(expected), typed


def test_no_two_beds_that_count_apart_have_one_name() -> None:
    for layout in map(find_layout, ("standard", "yatzy", "ground_round")):
        names = [name_bed(each.id, is_split=True) for each in layout]
        assert len({*names}) == len(names)


async def test_inner_and_outer_are_told_only_where_the_game_tells_them_apart(browser: Browser, match: Playing) -> None:
    page = await open_page(browser, match)
    dart, keys = page.get_by_test_id("dart-0"), page.locator("#correction-rings button")
    for game, options, name, spoken, rings in (
        ("x01", {}, "5", "single 5", 3),
        ("golf", {}, "5 outer", "outer single 5", 5),
        ("segment_training", {"target": "O5"}, "5 outer", "outer single 5", 5),
    ):
        await match.start(game, ["Ann", "Bo"], options=options)
        await match.throw("O5")
        await expect(dart.locator("b")).to_have_text(name)
        await expect(dart).to_have_accessible_name(re.compile(rf"dart 1, {spoken}\. Correct it$"))
        await dart.click()
        await expect(keys).to_have_count(rings)
        await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("task")).to_have_text(re.compile(r"^Hit 5 outer"))
    german = await open_page(browser, match, "?lang=de")
    await expect(german.get_by_test_id("task")).to_have_text(re.compile(r"^Triff 5 außen"))


async def test_what_cannot_be_corrected_to_is_refused_in_words(browser: Browser, match: Playing) -> None:
    await match.throw("O5")
    page = await open_page(browser, match)
    await page.get_by_test_id("dart-0").click()
    await expect(page.locator("#correction-was")).to_have_text(re.compile("^Scored as single 5"))
    await page.keyboard.type("36")
    await page.keyboard.press("Enter")
    await expect(page.locator("#correction-was")).to_have_text("36 can be T12 or D18. Type one of them.")
    await page.locator("#correction-id").fill("57")
    await expect(page.get_by_test_id("correction-ok")).to_have_text("It was triple 19 · 57")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("dart-0").locator("b")).to_have_text("T19")
